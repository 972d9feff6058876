package rest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// This operation does what operations with forms do. It reads the parts as they
// arrive, texts as a whole and files as a stream, and creates a member from the
// part "email".
func formRoute(f *frame) route {
	return route{method: "POST", path: "/form", op: desk.CreateMember, body: formBody, status: 201, do: func(c *call) (any, error) {
		var n desk.NewMember
		for {
			p, err := c.form.next()
			if err == io.EOF {
				return f.service.CreateMember(c.ctx, c.caller, n)
			}
			if err != nil {
				return nil, err
			}
			switch {
			case p.isFile && p.name == "half": // the rest is skipped
				if _, err := io.CopyN(io.Discard, p.content, 3); err != nil && err != io.EOF {
					return nil, f.err(err)
				}
			case p.isFile:
				if _, err := io.Copy(io.Discard, p.content); err != nil {
					return nil, f.err(err)
				}
			default:
				text, err := p.text()
				if err != nil {
					return nil, err
				}
				if p.name == "email" {
					n.Email = text
				}
			}
		}
	}}
}

// err is how a handler reports a part that could not be read.
func (f *frame) err(err error) error {
	return &desk.Error{Kind: desk.Invalid, Message: "A file ended before it was complete.", Err: err}
}

// formPart is a part to send: a text, or a file if it has a file name.
type formPart struct {
	name, fileName, content string
}

// encodeForm writes parts with a boundary.
func encodeForm(boundary string, parts ...formPart) string {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err := w.SetBoundary(boundary); err != nil {
		panic(err)
	}
	for _, p := range parts {
		h := textproto.MIMEHeader{}
		disposition := fmt.Sprintf(`form-data; name="%s"`, p.name)
		if p.fileName != "" {
			disposition += fmt.Sprintf(`; filename="%s"`, strings.TrimSuffix(p.fileName, "-"))
			h.Set("Content-Type", "application/octet-stream")
		}
		h.Set("Content-Disposition", disposition)
		part, err := w.CreatePart(h)
		if err != nil {
			panic(err)
		}
		_, _ = io.WriteString(part, p.content) // to memory
	}
	_ = w.Close()
	return b.String()
}

func (f *frame) sendForm(key, boundary string, parts ...formPart) frameReply {
	f.t.Helper()
	return f.send("POST", "/v1/rest/form", encodeForm(boundary, parts...), "Content-Type: multipart/form-data; boundary="+boundary, "Idempotency-Key: "+key)
}

// A retry has another boundary and is the same call. A call with other parts, or
// with the same parts in another order, is not.
func TestFormReplays(t *testing.T) {
	f := frameOnSQLite(t, formRoute)
	binary := string([]byte{0, 255, 13, 10, '-', '-', 'x'})
	parts := func(change func(p []formPart) []formPart) []formPart {
		p := []formPart{{"email", "", "jo@acme.example"}, {"note", "", ""}, {"file", "a.bin", binary}, {"half", "b.txt", strings.Repeat("long ", 1000)}, {"note", "", "again"}}
		if change != nil {
			p = change(p)
		}
		return p
	}
	first := f.sendForm("k", "one", parts(nil)...)
	wantStatus(t, first, 201)
	wantReplay(t, f.sendForm("k", "one", parts(nil)...), first)
	wantReplay(t, f.sendForm("k", "----another.boundary_0123456789", parts(nil)...), first)
	for name, change := range map[string]func(p []formPart) []formPart{
		"another order":     func(p []formPart) []formPart { p[0], p[1] = p[1], p[0]; return p },
		"another name":      func(p []formPart) []formPart { p[1].name = "notes"; return p },
		"another file name": func(p []formPart) []formPart { p[2].fileName = "a.exe"; return p },
		"another text":      func(p []formPart) []formPart { p[4].content = "Again"; return p },
		"another byte in a file": func(p []formPart) []formPart {
			p[2].content = binary[:1] + "\xfe" + binary[2:]
			return p
		},
		"another byte where nobody looked":         func(p []formPart) []formPart { p[3].content += "."; return p },
		"a text in place of a file":                func(p []formPart) []formPart { p[3].fileName = ""; return p },
		"a file in place of a text":                func(p []formPart) []formPart { p[4].fileName = "note"; return p },
		"a file without a name in place of a text": func(p []formPart) []formPart { p[4].fileName = "-"; return p },
		"one part less":                            func(p []formPart) []formPart { return p[:4] },
		"one part more":                            func(p []formPart) []formPart { return append(p, formPart{"x", "", ""}) },
		"two parts for one":                        func(p []formPart) []formPart { p[4].content = "aga"; return append(p, formPart{"note", "", "in"}) },
		"nothing":                                  func(p []formPart) []formPart { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			wantProblem(t, f.sendForm("k", "two", parts(change)...), 422, "UNPROCESSABLE")
		})
	}
	f.wantMembers("jo@acme.example")

	// A text whose end looks like the next part is not taken for two parts.
	joined := []formPart{{"email", "", "al@acme.example"}, {"a", "", "1"}}
	wantStatus(t, f.sendForm("joined", "one", joined...), 201)
	wantProblem(t, f.sendForm("joined", "one", formPart{"email", "", "al@acme.examplea1"}), 422, "UNPROCESSABLE")
}

// Bodies that are not forms, or end too early, are refused and leave the key free.
func TestFormProblems(t *testing.T) {
	f := frameOnSQLite(t, formRoute)
	whole := encodeForm("b", formPart{"email", "", "jo@acme.example"}, formPart{"file", "a.bin", "content"}, formPart{"note", "", "text"})
	const form = "multipart/form-data; boundary=b"
	for i, c := range []struct {
		name, kind, body string
		status           int
		code             string
	}{
		{"JSON", "application/json", frameMember("jo@acme.example"), 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"no type", "", whole, 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"no boundary", "multipart/form-data", whole, 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"an empty boundary", `multipart/form-data; boundary=""`, whole, 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"another multipart", "multipart/mixed; boundary=b", whole, 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"a broken type", "multipart/form-data; boundary", whole, 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"url-encoded", "application/x-www-form-urlencoded", "email=jo@acme.example", 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"another boundary", "multipart/form-data; boundary=c", whole, 400, "BAD_REQUEST"},
		{"no body", form, " ", 400, "BAD_REQUEST"},
		{"no form", form, strings.Repeat("x", 100_000), 400, "BAD_REQUEST"},
		{"cut in a header", form, whole[:len("--b\r\nContent-Dispo")], 400, "BAD_REQUEST"},
		{"cut in a text", form, whole[:strings.Index(whole, "acme")], 400, "BAD_REQUEST"},
		{"cut in a file", form, whole[:strings.Index(whole, "tent\r\n")], 400, "BAD_REQUEST"},
		{"cut behind a part", form, whole[:strings.Index(whole, "--b\r\nContent-Disposition: form-data; name=\"note\"")], 400, "BAD_REQUEST"},
		{"cut before the end mark", form, strings.TrimSuffix(whole, "--b--\r\n"), 400, "BAD_REQUEST"},
		{"cut in the end mark", form, strings.TrimSuffix(whole, "--\r\n"), 400, "BAD_REQUEST"},
		{"a text over 1 MiB", form, encodeForm("b", formPart{"email", "", strings.Repeat("x", mostText+1)}), 413, "PAYLOAD_TOO_LARGE"},
		{"a text that is no UTF-8", form, encodeForm("b", formPart{"email", "", "\xff"}), 400, "BAD_REQUEST"},
		{"a text with U+0000", form, encodeForm("b", formPart{"email", "", "a\x00"}), 400, "BAD_REQUEST"},
		{"a name that is no UTF-8", form, encodeForm("b", formPart{"\xff", "", "a"}), 400, "BAD_REQUEST"},
		{"a file name that is no UTF-8", form, encodeForm("b", formPart{"f", "\xff", "a"}), 400, "BAD_REQUEST"},
		{"nothing in it", form, "--b--\r\n", 400, "BAD_REQUEST"}, // email is missing
	} {
		t.Run(c.name, func(t *testing.T) {
			key := fmt.Sprint("Idempotency-Key: k", i)
			r := f.send("POST", "/v1/rest/form", c.body, "Content-Type: "+c.kind, key)
			wantProblem(t, r, c.status, c.code)
			again := f.send("POST", "/v1/rest/form", c.body, "Content-Type: "+c.kind, key)
			if again.String() != r.String() {
				t.Errorf("again: %v, want %v", again, r)
			}
		})
	}
	f.wantMembers()
	// A form that was cut off can be sent again, complete, with the same key.
	for i := 10; i <= 15; i++ {
		r := f.send("POST", "/v1/rest/form", strings.ReplaceAll(whole, "jo@", fmt.Sprintf("jo%d@", i)), "Content-Type: "+form, fmt.Sprint("Idempotency-Key: k", i))
		wantStatus(t, r, 201)
	}
	wantStatus(t, f.sendForm("most", "b", formPart{"email", "", "most@acme.example"}, formPart{"x", "", strings.Repeat("é", mostText/2)}), 201)
}

// While a form arrives slowly, its key is held. A second call is told so at once,
// without having to send its own form, and the lease does not expire.
func TestFormTrickles(t *testing.T) {
	url := dbtest.URL(t, sqldb.SQLite)
	synctest.Test(t, func(t *testing.T) {
		f := newFrame(t, dbtest.Open(t, sqldb.Config{URL: url}), formRoute)
		whole := encodeForm("b", formPart{"email", "", "jo@acme.example"}, formPart{"file", "a.bin", strings.Repeat("0123456789", 20)})
		const form = "Content-Type: multipart/form-data; boundary=b"
		reader, writer := io.Pipe()
		first := make(chan frameReply)
		slow := f.request("POST", "/v1/rest/form", reader, form, "Idempotency-Key: k")
		go func() { first <- f.do(slow) }()
		const piece = 20
		for ; len(whole) > piece; whole = whole[piece:] {
			_, err := io.WriteString(writer, whole[:piece])
			f.must(err)
			synctest.Wait()
			// The second call's body never arrives, and nobody waits for it.
			silent, _ := io.Pipe()
			r := f.do(f.request("POST", "/v1/rest/form", silent, form, "Idempotency-Key: k"))
			wantProblem(t, r, 409, "CONFLICT")
			if r.header.Get("Retry-After") == "" {
				t.Error("it is not said when to try again")
			}
			time.Sleep(desk.KeyLease / 2)
		}
		_, err := io.WriteString(writer, whole)
		f.must(err)
		f.must(writer.Close())
		done := <-first
		wantStatus(t, done, 201)
		f.wantMembers("jo@acme.example")
		wantReplay(t, f.sendForm("k", "other", formPart{"email", "", "jo@acme.example"}, formPart{"file", "a.bin", strings.Repeat("0123456789", 20)}), done)
	})
}

// A client that disconnects in the middle of its form leaves nothing but a free
// key.
func TestFormAborted(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		begun := make(chan struct{}, 10)
		f := newFrame(t, db, func(f *frame) route {
			r := formRoute(f)
			read := r.do
			r.do = func(c *call) (any, error) {
				begun <- struct{}{}
				return read(c)
			}
			return r
		}).serve()
		parts := []formPart{{"email", "", "jo@acme.example"}, {"file", "a.bin", strings.Repeat("x", 100_000)}}
		whole := encodeForm("b", parts...)
		conn, err := net.Dial("tcp", strings.TrimPrefix(f.url, "http://"))
		f.must(err)
		_, err = fmt.Fprintf(conn, "POST /v1/rest/form HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nIdempotency-Key: k\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s",
			f.secret, len(whole), whole[:50_000])
		f.must(err)
		// The key is held while the form is open.
		<-begun
		wantProblem(t, f.sendForm("k", "other", formPart{"email", "", "x@acme.example"}), 409, "CONFLICT")
		f.answered()
		f.must(conn.Close())
		if o := f.answered(); o.Status != 400 {
			t.Errorf("observed %+v", o)
		}
		f.wantMembers()
		r := f.sendForm("k", "other", parts...)
		if r.status != 201 || r.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("the key is not free: %v", r)
		}
		f.wantMembers("jo@acme.example")
	})
}

// A handler that leaves part of its form unread would make the transaction wait for
// the client. It gets an error before it has changed anything.
func TestFormLeftUnread(t *testing.T) {
	f := frameOnSQLite(t, func(f *frame) route {
		return route{method: "POST", path: "/hasty", op: desk.CreateMember, body: formBody, status: 201, do: func(c *call) (any, error) {
			p, err := c.form.next()
			if err != nil {
				return nil, err
			}
			email, err := p.text()
			if err != nil {
				return nil, err
			}
			return f.service.CreateMember(c.ctx, c.caller, desk.NewMember{Email: email})
		}}
	})
	body := encodeForm("b", formPart{"email", "", "jo@acme.example"}, formPart{"rest", "", "x"})
	r := f.send("POST", "/v1/rest/hasty", body, "Content-Type: multipart/form-data; boundary=b", "Idempotency-Key: k")
	wantProblem(t, r, 500, "INTERNAL")
	f.wantMembers()
	if !strings.Contains(f.log.String(), errFormLeft.Error()) {
		t.Error("the log does not say so")
	}
	r = f.send("POST", "/v1/rest/hasty", body, "Content-Type: multipart/form-data; boundary=b") // without a key there is nothing to wait for
	wantStatus(t, r, 201)
}

// The behaviour of forms themselves, without calls.
func TestFormParts(t *testing.T) {
	read := func(body string) ([]string, error) {
		r, err := http.NewRequest("POST", "/", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		c := &call{req: r, w: httptest.NewRecorder(), server: &Server{bodyTime: bodyTime}}
		if err := c.checkForm(); err != nil {
			return nil, err
		}
		var seen []string
		for {
			p, err := c.form.next()
			if err != nil {
				if _, again := c.form.next(); again != err {
					t.Errorf("after %v comes %v", err, again)
				}
				if errors.Is(err, io.EOF) {
					err = nil
				}
				return seen, err
			}
			text, err := p.text()
			if err != nil {
				return seen, err
			}
			seen = append(seen, fmt.Sprintf("%s %q %v %s", p.name, p.fileName, p.isFile, text))
		}
	}
	head := func(disposition string) string {
		return "--b\r\nContent-Disposition: " + disposition + "\r\n\r\nx\r\n--b--\r\n"
	}
	for _, c := range []struct{ name, body, want string }{
		{"text", head(`form-data; name="a"`), `a "" false x`},
		{"file", head(`form-data; name="a"; filename="f.txt"`), `a "f.txt" true x`},
		{"file without a name", head(`form-data; name="a"; filename=""`), `a "" true x`},
		{"file name in another script", head(`form-data; name="a"; filename="файл.txt"`), `a "файл.txt" true x`},
		{"file name as RFC 5987 has it", head(`form-data; name="a"; filename*=utf-8''%C3%A9.txt`), `a "é.txt" true x`},
		{"a path in the file name", head(`form-data; name="a"; filename="../../etc/passwd"`), `a "passwd" true x`},
		{"no name", head(`form-data`), ` "" false x`},
		{"another disposition", head(`attachment; name="a"`), ` "" false x`},
		{"no disposition", "--b\r\nX: y\r\n\r\nx\r\n--b--\r\n", ` "" false x`},
		{"a transfer encoding is not undone", "--b\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=41\r\n--b--\r\n", `a "" false =41`},
		{"words before the first and behind the last", "preamble\r\n" + head(`form-data; name="a"`) + "epilogue", `a "" false x`},
		{"bare line feeds", "--b\nContent-Disposition: form-data; name=\"a\"\n\nx\n--b--\n", `a "" false x`},
	} {
		seen, err := read(c.body)
		if got := strings.Join(seen, "; "); got != c.want || err != nil {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}

func FuzzForm(f *testing.F) {
	f.Add(encodeForm("b", formPart{"a", "", "x"}, formPart{"f", "n", "\x00\xff"}))
	f.Add("--b\r\n\r\n")
	f.Add("--b\nContent-Disposition: form-data; name=a; name=b\n\nx\n--b--")
	f.Fuzz(func(t *testing.T, body string) {
		r, err := http.NewRequest("POST", "/", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		c := &call{req: r, route: route{body: formBody}, w: httptest.NewRecorder(), server: &Server{bodyTime: bodyTime}}
		if err := c.checkForm(); err != nil {
			t.Fatal(err)
		}
		first, err := c.fingerprint()
		if err != nil && desk.KindOf(err) == desk.Internal {
			t.Fatalf("it is our fault: %v", err)
		}
		second, again := c.fingerprint()
		if !bytes.Equal(first, second) || (err == nil) != (again == nil) {
			t.Fatalf("%x, %v and then %x, %v", first, err, second, again)
		}
	})
}
