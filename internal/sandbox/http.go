package sandbox

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Handler serves the sandbox below /sandbox.
func (s *Sandbox) Handler() http.Handler {
	// What has no token is for people at this machine: a page from elsewhere
	// must not have a browser call it.
	ours := http.NewCrossOriginProtection()
	mux := http.NewServeMux()
	mux.HandleFunc("/sandbox/api/{method}", s.serveMethod)
	mux.HandleFunc("POST /sandbox/upload/v1/{key}", s.faulty("upload", s.serveUpload))
	mux.HandleFunc("PUT /sandbox/upload/v1/{key}", s.faulty("upload", s.serveUpload))
	mux.HandleFunc("GET /sandbox/files-pri/{file}/{name}", s.faulty("download", s.serveFile))
	mux.HandleFunc("GET /sandbox/files-pri/{file}/download/{name}", s.faulty("download", s.serveFile))
	mux.HandleFunc("GET /sandbox/signin", serveSignIn)
	mux.HandleFunc("GET /sandbox/avatars/{picture}", s.serveAvatar)
	mux.HandleFunc("POST /sandbox/actions/{team}/{key}", s.faulty("response_url", s.serveResponseURL))
	mux.HandleFunc("POST /sandbox/act/{act}", s.serveAct)
	mux.HandleFunc("GET /sandbox/stream", s.serveStream)
	mux.HandleFunc("GET /sandbox/oauth/v2/authorize", s.serveAuthorize)
	mux.Handle("POST /sandbox/oauth/v2/authorize", ours.Handler(http.HandlerFunc(s.serveAuthorize)))
	mux.Handle("POST /sandbox/apps", ours.Handler(http.HandlerFunc(s.serveApps)))

	// The switches stay within reach while the rest is down.
	outer := http.NewServeMux()
	outer.Handle("/sandbox/faults", ours.Handler(http.HandlerFunc(s.serveFaults)))
	outer.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if now := s.clock.Now(); s.faults.downUntil(now).After(now) {
			hangUp(w)
			return
		}
		mux.ServeHTTP(w, r)
	})
	return s.guard(outer)
}

// guard serves only this machine unless the operator said otherwise. The name
// by which it was called is looked at too: a page on the net may have its name
// point here; and so is for whom a proxy on this machine says that it asks.
func (s *Sandbox) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.cfg.AllowRemote && !(isLoopback(r.RemoteAddr) && s.isOwnName(r.Host) && !passedOn(r)) {
			http.Error(w, "The sandbox serves only this machine, unless its operator allows other addresses.", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// passedOn reports whether a proxy asks for somebody at another machine. Whoever
// writes the header themselves only keeps themselves out.
func passedOn(r *http.Request) bool {
	for _, line := range r.Header.Values("X-Forwarded-For") {
		for hop := range strings.SplitSeq(line, ",") {
			if !isLoopback(strings.TrimSpace(hop)) {
				return true
			}
		}
	}
	return false
}

func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func (s *Sandbox) isOwnName(host string) bool {
	if own, err := url.Parse(s.cfg.URL); err == nil && strings.EqualFold(own.Host, host) {
		return true
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.EqualFold(host, "localhost") || isLoopback(strings.Trim(host, "[]"))
}

// serveFaults shows the faults, replaces them or ends them.
func (s *Sandbox) serveFaults(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
	case http.MethodDelete:
		s.SetFaults(FaultPlan{})
	case http.MethodPost:
		var p FaultPlan
		d := json.NewDecoder(io.LimitReader(r.Body, maxBody))
		d.DisallowUnknownFields()
		err := d.Decode(&p)
		if err == nil {
			err = s.SetFaults(p)
		}
		if err != nil {
			http.Error(w, "The faults cannot be set: "+err.Error()+".", http.StatusBadRequest)
			return
		}
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		http.Error(w, "The faults can be read, set and deleted.", http.StatusMethodNotAllowed)
		return
	}
	s.answer(w, asObject(s.Faults()))
}

// serveApps registers the app of a manifest and answers as Slack's
// apps.manifest.create does.
func (s *Sandbox) serveApps(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		http.Error(w, "The manifest did not arrive whole.", http.StatusBadRequest)
		return
	}
	var wrapped struct{ Manifest json.RawMessage }
	if json.Unmarshal(raw, &wrapped) == nil && wrapped.Manifest != nil {
		raw = wrapped.Manifest
		var text string
		if json.Unmarshal(raw, &text) == nil {
			raw = []byte(text)
		}
	}
	app, err := s.RegisterApp(r.Context(), AppConfig{Manifest: raw})
	if err != nil {
		var e *Error
		if errors.As(err, &e) {
			wrong := []object{}
			for _, m := range e.Messages {
				wrong = append(wrong, object{"message": m})
			}
			s.answer(w, object{"ok": false, "error": e.Code, "errors": wrong})
			return
		}
		s.broken(w, err)
		return
	}
	s.answer(w, object{"ok": true, "app_id": app.ID, "oauth_authorize_url": s.AuthorizeURL(app, ""), "credentials": object{
		"client_id": app.ClientID, "client_secret": app.ClientSecret,
		"signing_secret": app.SigningSecret, "verification_token": app.VerificationToken}})
}

// AuthorizeURL is the address of the page where an app is let in, asking for
// all that its manifest does.
func (s *Sandbox) AuthorizeURL(app App, state string) string {
	q := url.Values{"client_id": {app.ClientID}}
	for name, scopes := range map[string][]string{"scope": app.Manifest.OAuth.Scopes.Bot, "user_scope": app.Manifest.OAuth.Scopes.User} {
		if len(scopes) > 0 {
			q.Set(name, strings.Join(scopes, ","))
		}
	}
	if state != "" {
		q.Set("state", state)
	}
	return s.url("/oauth/v2/authorize?%s", q.Encode())
}
