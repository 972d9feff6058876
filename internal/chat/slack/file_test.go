package slack

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/sandbox"
)

func TestFile(t *testing.T) {
	w := newWorld(t)
	ch := w.channel("desk")
	page := must(w.s.As(w.owner).Upload(w.ctx, ch, sandbox.Upload{Name: "page.html", Content: []byte("<p>hi</p>")}))
	f := must(w.c.File(w.ctx, page.Files[0].ID))
	want(t, "a page", string(must(io.ReadAll(f))), "<p>hi</p>")
	w.check(f.Close())

	_, err := w.c.File(w.ctx, "F0")
	wantKind(t, "none", err, desk.NotFound)
	secret := must(w.s.As(w.owner).CreateChannel(w.ctx, "secret", true)).ID
	hidden := must(w.s.As(w.owner).Upload(w.ctx, secret, sandbox.Upload{Name: "a.txt", Content: []byte("a")}))
	_, err = w.c.File(w.ctx, hidden.Files[0].ID)
	wantKind(t, "that we may not see", err, desk.NotFound)

	w.faults(sandbox.Fault{Kind: sandbox.ErrorAnswer, Method: "download", Count: 1})
	_, err = w.c.File(w.ctx, page.Files[0].ID)
	wantKind(t, "an error", err, desk.Unavailable)
	w.faults(sandbox.Fault{Kind: sandbox.DropAnswer, Method: "download"})
	_, err = w.c.File(w.ctx, page.Files[0].ID)
	wantKind(t, "a cut connection", err, desk.Unavailable)

	w.faults()
	// Without the scope the download leads to a sign-in page.
	w.in.Bot.Token = w.in.Person.Token
	a := w.app.Connector(w.in).(*connector)
	_, err = w.app.download(w.ctx, a.bot(), &file{URL: page.Files[0].URLPrivate, Mimetype: "text/html"})
	wantKind(t, "without the scope", err, desk.Forbidden)
}

// A token is sent to Slack and nowhere else.
func TestFileElsewhere(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s was asked with %q", r.URL, r.Header.Get("Authorization"))
	}))
	defer other.Close()
	var address, kind, answer string
	c := served(t, func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/files.info":
			if address == "" {
				address = "http://" + r.Host + "/download"
			}
			fmt.Fprintf(rw, `{"ok":true,"file":{"id":"F1","mimetype":"image/png","url_private":%q}}`, address)
		case "/redirect":
			http.Redirect(rw, r, other.URL, http.StatusFound)
		default:
			rw.Header().Set("Content-Type", kind)
			if strings.Contains(answer, "short") {
				rw.Header().Set("Content-Length", "100")
			}
			io.WriteString(rw, answer)
		}
	})
	kind, answer = "text/html; charset=utf-8", "<title>Sign in</title>"
	_, err := c.File(t.Context(), "F1")
	wantKind(t, "a page instead of a picture", err, desk.Forbidden)
	own := address
	address = other.URL + "/a.png"
	_, err = c.File(t.Context(), "F1")
	wantKind(t, "another host", err, desk.Forbidden)
	address = strings.Replace(own, "/download", "/redirect", 1)
	_, err = c.File(t.Context(), "F1")
	wantKind(t, "a redirect to another host", err, desk.Forbidden)
	address = "://"
	_, err = c.File(t.Context(), "F1")
	wantKind(t, "no address", err, desk.Forbidden)

	address, kind, answer = own, "image/png", "short"
	f := must(c.File(t.Context(), "F1"))
	_, err = io.ReadAll(f)
	wantKind(t, "cut off", err, desk.Unavailable)
	f.Close()
}

func TestTrusts(t *testing.T) {
	a := New(Config{})
	for address, trusted := range map[string]bool{
		"https://files.slack.com/files-pri/T1-F1/a.png": true, "https://slack.com/x": true, "https://acme.enterprise.slack.com/x": true,
		"http://files.slack.com/x": false, "https://slack.com.evil.test/x": false, "https://evilslack.com/x": false, "https://files.slack.com:8443/x": false,
		"https://files.slack.com@evil.test/x": false, "https://drive.google.com/x": false, "": false, "file:///etc/passwd": false,
	} {
		want(t, address, a.trusts(address), trusted)
	}
	var _ chat.System = a
}
