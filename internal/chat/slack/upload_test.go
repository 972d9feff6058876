package slack

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/sandbox"
)

func upload(name, content string) chat.Upload {
	return chat.Upload{Name: name, Size: int64(len(content)), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil }}
}

// parcel returns a post of two files that stores what Keep gets.
func parcel(channel string, kept *string) chat.Post {
	p := post(channel, "two files", "m1")
	p.Files = []chat.Upload{upload("a.txt", "alpha"), upload("b.txt", "beta")}
	p.Keep = func(s string) error { *kept = s; return nil }
	return p
}

// parcels returns the messages with files in a channel or a thread.
func (w *world) parcels(channel, thread string) (all []sandbox.Message) {
	w.t.Helper()
	messages := must(w.s.As(w.owner).History(w.ctx, channel, 1000))
	if thread != "" {
		messages = must(w.s.As(w.owner).Thread(w.ctx, channel, thread))
	}
	for _, m := range messages {
		if len(m.Files) > 0 {
			all = append(all, m)
		}
	}
	return all
}

func TestPostFiles(t *testing.T) {
	w := newWorld(t)
	ch := w.channel("desk")
	var kept string
	at := must(w.c.Post(w.ctx, parcel(ch, &kept)))
	m := must(w.c.History(w.ctx, chat.Span{Channel: ch})).Messages[0]
	want(t, "message", []any{m.Ref, m.HTML, m.Own, len(m.Files), m.Files[0].ID + "," + m.Files[1].ID}, []any{at, "<p>two files</p>", true, 2, kept})
	for i, content := range []string{"alpha", "beta"} {
		f := must(w.c.File(w.ctx, m.Files[i].ID))
		want(t, m.Files[i].Name, string(must(io.ReadAll(f))), content)
		w.check(f.Close())
	}
	ev := w.next(func(ev chat.Event) bool { return ev.Message != nil })
	want(t, "event", []any{ev.Message.Ref, ev.Message.Own, len(ev.Message.Files)}, []any{at, true, 2})

	p := parcel(ch, &kept)
	p.Thread = at.ID
	reply := must(w.c.Post(w.ctx, p))
	want(t, "in the thread", w.parcels(ch, at.ID)[1].TS, reply.ID)

	p = parcel(ch, &kept)
	p.By = w.in.Person
	must(w.c.Post(w.ctx, p))
	want(t, "in a person's name", w.parcels(ch, "")[0].User, w.owner)

	p.Channel = w.general
	_, err := w.c.Post(w.ctx, p)
	wantKind(t, "where we could not see what became of it", err, desk.Forbidden)
	want(t, "shown there", len(w.parcels(w.general, "")), 0)

	p = parcel("", &kept)
	p.User = w.person("Maya")
	direct := must(w.c.Post(w.ctx, p))
	want(t, "to a person", direct.Channel, must(w.s.As(w.person("Maya")).Open(w.ctx, w.in.Bot.User)).ID)

	p = parcel(ch, &kept)
	p.Buttons, p.Mark = []chat.Button{{ID: "take", Label: "Take"}}, "m2"
	must(w.c.Post(w.ctx, p))
	if blocks := string(w.parcels(ch, "")[0].Blocks); !strings.Contains(blocks, `"take"`) || !strings.Contains(blocks, "two files") {
		t.Errorf("with a button: %s", blocks)
	}
}

func TestPostFilesThatCannotBe(t *testing.T) {
	w := newWorld(t, func(c *sandbox.Config) { c.MaxFile = 10 })
	ch := w.channel("desk")
	var kept string
	p := parcel(ch, &kept)
	p.Files[1] = upload("b.txt", "much too large")
	_, err := w.c.Post(w.ctx, p)
	wantKind(t, "too large", err, desk.TooLarge)
	p.Files[1] = upload("b.txt", "")
	_, err = w.c.Post(w.ctx, p)
	wantKind(t, "empty", err, desk.Invalid)
	broken := errors.New("the disk is gone")
	p.Files[1] = chat.Upload{Name: "b.txt", Size: 1, Open: func() (io.ReadCloser, error) { return nil, broken }}
	if _, err = w.c.Post(w.ctx, p); !errors.Is(err, broken) {
		t.Errorf("unreadable: %v", err)
	}
	p = parcel(ch, &kept)
	p.Keep = func(string) error { return broken }
	if _, err = w.c.Post(w.ctx, p); !errors.Is(err, broken) {
		t.Errorf("that cannot be kept: %v", err)
	}
	p = parcel("C0", &kept)
	_, err = w.c.Post(w.ctx, p)
	wantKind(t, "to no channel", err, desk.NotFound)
	want(t, "shown", len(w.parcels(ch, "")), 0)
}

// Whichever step's answer is lost, trying again ends with one message.
func TestFilesAreAdopted(t *testing.T) {
	for _, step := range []string{"files.getUploadURLExternal", "upload", "files.completeUploadExternal", "files.info"} {
		for _, kind := range []sandbox.FaultKind{sandbox.DropAnswer, sandbox.ErrorAnswer, sandbox.LateAnswer} {
			t.Run(step+" "+string(kind), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				ch := w.channel("desk")
				root := must(w.c.Post(w.ctx, post(ch, "root", "m0")))
				for _, by := range []*chat.Credential{nil, w.in.Person} {
					var kept string
					p := parcel(ch, &kept)
					p.Thread, p.By = root.ID, by
					_, err := w.c.Post(w.struck(sandbox.Fault{Kind: kind, Count: 1, Method: step, Delay: sandbox.Duration(time.Minute)}), p)
					wantKind(t, "first try", err, desk.Unavailable)
					p.Tried, p.Kept = time.Now(), kept
					at := must(w.c.Post(w.ctx, p))
					p.Kept = kept
					want(t, "and again", must(w.c.Post(w.ctx, p)), at)
				}
				shown := w.parcels(ch, root.ID)
				want(t, "shown", len(shown), 2)
				for _, m := range shown {
					want(t, "files", len(m.Files), 2)
				}
			})
		}
	}
}

// Files that were kept and never completed are completed. Those that are gone are
// uploaded again.
func TestFilesThatWereKept(t *testing.T) {
	w := newWorld(t)
	ch := w.channel("desk")
	var kept string
	p := parcel(ch, &kept)
	crash := errors.New("crash")
	p.Keep = func(s string) error { kept = s; return crash }
	if _, err := w.c.Post(w.ctx, p); !errors.Is(err, crash) {
		t.Fatal(err)
	}
	before := kept
	p = parcel(ch, &kept)
	p.Tried, p.Kept = time.Now(), kept
	must(w.c.Post(w.ctx, p))
	shown := w.parcels(ch, "")
	want(t, "completed", []any{len(shown), shown[0].Files[0].ID + "," + shown[0].Files[1].ID, kept}, []any{1, before, before})

	p.Kept = "F0,F1"
	must(w.c.Post(w.ctx, p))
	want(t, "uploaded again", []any{len(w.parcels(ch, "")), kept != before}, []any{2, true})
}

// The earlier try may complete between our check and our completion.
func TestFilesAreCompletedMeanwhile(t *testing.T) {
	completed := false
	c := served(t, func(rw http.ResponseWriter, r *http.Request) {
		switch method := strings.TrimPrefix(r.URL.Path, "/api/"); {
		case method == "files.completeUploadExternal":
			completed = true
			fmt.Fprint(rw, `{"ok":false,"error":"file_not_found"}`)
		case method == "files.info" && completed:
			fmt.Fprint(rw, `{"ok":true,"file":{"id":"F1","shares":{"public":{"C1":[{"ts":"1718000001.000000"}]}}}}`)
		case method == "files.info":
			fmt.Fprint(rw, `{"ok":false,"error":"file_not_found"}`)
		default:
			t.Errorf("%s was called", method)
		}
	})
	p := post("C1", "hi", "m1")
	p.Files, p.Keep = []chat.Upload{upload("a.txt", "alpha")}, func(string) error { return nil }
	p.Tried, p.Kept = time.Now(), "F1"
	want(t, "message", must(c.Post(t.Context(), p)), chat.Ref{Channel: "C1", ID: "1718000001.000000"})
}

// Slack shares files after it has answered, when it has examined them.
func TestFilesAreSharedLate(t *testing.T) {
	looks := 0
	c := served(t, func(rw http.ResponseWriter, r *http.Request) {
		switch strings.TrimPrefix(r.URL.Path, "/api/") {
		case "files.getUploadURLExternal":
			fmt.Fprintf(rw, `{"ok":true,"file_id":"F1","upload_url":"http://%s/upload"}`, r.Host)
		case "files.info":
			looks++
			share := `{}`
			if looks == 3 {
				share = `{"private":{"C9":[{"ts":"1717000000.000000"}],"C1":[{"ts":"1718000005.000000"},{"ts":"1718000001.000000"}]}}`
			}
			fmt.Fprint(rw, `{"ok":true,"file":{"id":"F1","shares":`+share+`}}`)
		default:
			fmt.Fprint(rw, `{"ok":true}`)
		}
	})
	p := post("C1", "hi", "m1")
	p.Files, p.Keep = []chat.Upload{upload("a.txt", "alpha")}, func(string) error { return nil }
	want(t, "message", must(c.Post(t.Context(), p)), chat.Ref{Channel: "C1", ID: "1718000001.000000"})
	want(t, "looks", looks, 3)
}

// We do not wait forever for a file that is never shared.
func TestFilesAreNeverShared(t *testing.T) {
	c := served(t, func(rw http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(rw, `{"ok":true,"file_id":"F1","upload_url":"http://%s/upload","file":{"id":"F1"}}`, r.Host)
	})
	p := post("C1", "hi", "m1")
	p.Files, p.Keep = []chat.Upload{upload("a.txt", "alpha")}, func(string) error { return nil }
	w := &world{t: t, ctx: t.Context()}
	_, err := c.Post(w.within(2*time.Second), p)
	wantKind(t, "post", err, desk.Unavailable)
}

// People's files go to Slack and nowhere else.
func TestUploadElsewhere(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s was sent a file", r.URL) }))
	defer other.Close()
	for _, address := range []string{other.URL + "/upload", "http://169.254.169.254/upload", "://", ""} {
		c := faked(t, map[string]string{"files.getUploadURLExternal": fmt.Sprintf(`{"ok":true,"file_id":"F1","upload_url":%q}`, address)})
		p := post("C1", "hi", "m1")
		p.Files, p.Keep = []chat.Upload{upload("a.txt", "alpha")}, func(string) error { return nil }
		_, err := c.Post(t.Context(), p)
		wantKind(t, address, err, desk.Unavailable)
	}
}
