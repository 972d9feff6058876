package chattest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
)

// names are names that files may have.
var names = []string{"plain.txt", "two words.pdf", `it's "quoted".png`, "Übergröße 漢字 🙂.csv", "no extension", "a&b<c>+%20.log"}

// noise returns n bytes that no text encoding leaves unchanged.
func noise(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(n)}).Read(b)
	return b
}

// opened returns the content of a file.
func (r *room) opened(id string) []byte {
	r.t.Helper()
	f, err := r.Connector.File(r.ctx, id)
	r.must(err)
	content, err := io.ReadAll(f)
	r.must(err)
	r.must(f.Close())
	return content
}

// carries fails the test if a message does not have exactly these files.
func (r *room) carries(m *chat.Message, want ...File) {
	r.t.Helper()
	if len(m.Files) != len(want) {
		r.t.Errorf("a message has the files %+v, want %d", m.Files, len(want))
		return
	}
	for i, f := range m.Files {
		if f.ID == "" || f.Name != want[i].Name || f.Size != int64(len(want[i].Content)) || f.Type == "" {
			r.t.Errorf("a file is told as %+v, want %q with %d bytes", f, want[i].Name, len(want[i].Content))
		}
		if got := r.opened(f.ID); !bytes.Equal(got, want[i].Content) {
			r.t.Errorf("the %d bytes of %q came as %d others", len(want[i].Content), f.Name, len(got))
		}
	}
}

func fileIn(r *room) {
	for i, name := range names {
		f := File{Name: name, Content: noise(1000 + i)}
		text := fmt.Sprintf("file %d", i)
		m := r.heard(r.reply(r.customer, "", text, f))
		if read(m.HTML) != text || m.Author != r.customer.ID || m.Own || m.Bot {
			r.t.Errorf("a message with a file is told as %+v", m)
		}
		r.carries(m, f)
	}
	two := []File{{Name: "one.txt", Content: []byte("one")}, {Name: "two.txt", Content: []byte("two")}}
	at := r.reply(r.customer, "", "two files", two...)
	r.carries(r.heard(at), two...)
	all := r.history(chat.Span{Channel: r.channel})
	r.carries(&all[len(all)-1], two...)
}

func fileOut(r *room) {
	for i, name := range names {
		p := r.draft(fmt.Sprintf("file %d", i))
		want := []File{{Name: name, Content: noise(1000 + i)}, {Name: "second.txt", Content: []byte("second")}}
		p.Keep = func(string) error { return nil }
		var calls, closed atomic.Int32
		for _, f := range want {
			u := upload(f.Name, f.Content)
			u.Open = func() (io.ReadCloser, error) {
				calls.Add(1)
				return closing{bytes.NewReader(f.Content), func() { closed.Add(1) }}, nil
			}
			p.Files = append(p.Files, u)
		}
		at := r.post(p)
		if calls.Load() != 2 || closed.Load() != 2 {
			r.t.Errorf("two files were opened %d times and closed %d times", calls.Load(), closed.Load())
		}
		m := r.echo(at, p)
		r.carries(m, want...)
		got := r.sees(r.customer, at)
		if got.Text != p.Mark || len(got.Files) != 2 {
			r.t.Errorf("people see %q with %d files, want %q with 2", got.Text, len(got.Files), p.Mark)
			continue
		}
		for i, f := range want {
			if got.Files[i].Name != f.Name || !bytes.Equal(got.Files[i].Content, f.Content) {
				r.t.Errorf("people see a file %q of %d bytes, want %q of %d", got.Files[i].Name, len(got.Files[i].Content), f.Name, len(f.Content))
			}
		}
	}
}

// closing is a reader that records when it is closed.
type closing struct {
	io.Reader
	closed func()
}

func (c closing) Close() error {
	c.closed()
	return nil
}

func fileLarge(r *room) {
	f := File{Name: "large.bin", Content: noise(5 << 20)}
	r.carries(r.heard(r.reply(r.customer, "", "a large file", f)), f)
	p := r.draft("a large file of ours")
	p.Files = []chat.Upload{upload(f.Name, f.Content)}
	p.Keep = func(string) error { return nil }
	at := r.post(p)
	got := r.sees(r.customer, at)
	if len(got.Files) != 1 || !bytes.Equal(got.Files[0].Content, f.Content) {
		r.t.Errorf("people see %d files, want the one as it is", len(got.Files))
	}
}

func fileEmpty(r *room) {
	f := File{Name: "empty.txt", Content: []byte{}}
	p := r.draft("nothing in it")
	p.Files = []chat.Upload{upload(f.Name, nil)}
	p.Keep = func(string) error { return nil }
	at, err := r.Connector.Post(r.ctx, p)
	if !r.Can.EmptyFiles {
		r.wants(desk.Invalid, "post an empty file", err)
		if all := r.reads(r.customer, r.channel); len(all) != 0 {
			r.t.Errorf("what was refused is there: %+v", all)
		}
		return
	}
	r.must(err)
	if got := r.sees(r.customer, at); len(got.Files) != 1 || got.Files[0].Name != f.Name || len(got.Files[0].Content) != 0 {
		r.t.Errorf("people see %+v", got)
	}
	r.carries(r.heard(r.reply(r.customer, "", "nor in this", f)), f)
}

// A file that fails on the way must leave nothing behind. A later try may succeed.
func fileCannotBeOpened(r *room) {
	content := noise(3000)
	broken := errors.New("the store is away")
	for name, open := range map[string]func() (io.ReadCloser, error){
		"cannot be opened": func() (io.ReadCloser, error) { return nil, broken },
		"ends early": func() (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(bytes.NewReader(content[:1000]), failing{broken})), nil
		},
	} {
		p := r.draft("a file that " + name)
		p.Files = []chat.Upload{upload("good.txt", []byte("good")), {Name: "bad.bin", Size: int64(len(content)), Open: open}}
		a := &attempt{room: r, post: p}
		if at, err := a.try(r.Connector, time.Second/2); err == nil {
			r.t.Errorf("a file that %s was posted at %v", name, at)
		}
		if n := r.count(r.customer, r.channel, p.Mark); n != 0 {
			r.t.Errorf("a post with a file that %s is there", name)
		}
		a.post.Files[1] = upload("bad.bin", content)
		at := a.finish()
		r.once(at, p)
		if got := r.sees(r.customer, at); len(got.Files) != 2 || !bytes.Equal(got.Files[1].Content, content) {
			r.t.Errorf("a file that %s at first is then not whole", name)
		}
	}
	ctx, cancel := context.WithCancel(r.ctx)
	cancel()
	if f, err := r.Connector.File(ctx, "any"); err == nil {
		f.Close()
		r.t.Error("a file was opened though nobody waits for it")
	}
}

// failing is a reader that fails.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
