package webapp

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"frontdesk/internal/desk"
)

// publicPages lists the pages for users who are not signed in.
var publicPages = []string{"/sign-in", "/accounts", "/first-run", "/welcome"}

// noPages lists first path segments that only programs ask for, so that the app
// would be of no use to them: files of another version, and paths that only the
// operations address serves.
var noPages = []string{"assets", "metrics", "debug"}

// servePage serves a file of the app, or the app itself, which then shows the page of
// the path.
func (s *server) servePage(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "A page can be opened, and nothing else.", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	if info, err := fs.Stat(s.files, name); err == nil && !info.IsDir() && name != "index.html" && !strings.HasPrefix(path.Base(name), ".") {
		s.serveFile(w, r, name)
		return
	}
	if first, _, _ := strings.Cut(name, "/"); slices.Contains(noPages, first) {
		http.NotFound(w, r)
		return
	}
	if s.index == nil {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		http.Error(w, "The web app is not in this binary: build it with make build.", http.StatusNotFound)
		return
	}
	to, err := s.redirectTarget(r)
	if desk.KindOf(err) == desk.Busy {
		s.fail(w, r, err)
		return
	}
	if err != nil {
		http.Error(w, "The service is not available at the moment. Please try again.", http.StatusServiceUnavailable)
		return
	}
	if to != "" {
		http.Redirect(w, r, to, http.StatusFound)
		return
	}
	s.serveApp(w)
}

// redirectTarget returns the page that the user must visit first, to create the first
// account or to sign in. It is empty if the user is in the right place.
func (s *server) redirectTarget(r *http.Request) (string, error) {
	at := path.Clean(r.URL.Path)
	first, err := s.service.FirstRun(r.Context())
	switch {
	case err != nil:
		return "", err
	case first && at != "/first-run":
		return "/first-run", nil
	case first:
		return "", nil
	case at == "/first-run":
		return "/", nil
	case slices.Contains(publicPages, at):
		return "", nil
	}
	_, signedIn, err := s.caller(r)
	if err != nil || signedIn {
		return "", err
	}
	if at == "/" {
		return "/sign-in", nil
	}
	return "/sign-in?next=" + url.QueryEscape(r.URL.RequestURI()), nil
}

// nonceMark marks where the nonce goes in index.html.
const nonceMark = "__CSP_NONCE__"

// serveApp serves the app. The styles that it adds at run time carry a nonce, which is
// different each time.
func (s *server) serveApp(w http.ResponseWriter) {
	b := make([]byte, 18)
	rand.Read(b)
	nonce := base64.RawURLEncoding.EncodeToString(b)
	h := w.Header()
	h.Set("Content-Security-Policy", strings.Join([]string{
		"default-src 'none'",
		"script-src 'self'",
		"style-src 'self' 'nonce-" + nonce + "'",
		"style-src-attr 'unsafe-inline'",
		"img-src 'self' data: blob: https:",
		"connect-src 'self'",
		"font-src 'self' data:",
		"frame-src 'self'", // the mails of the demo's mailbox
		"manifest-src 'self'",
		"frame-ancestors 'none'",
		"base-uri 'none'",
		"form-action 'self'",
	}, "; "))
	h.Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(bytes.ReplaceAll(s.index, []byte(nonceMark), []byte(nonce))) // fails only if the client has gone away
}
