package sandbox

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Handler serves the sandbox below /sandbox. Besides the holder of the code, admins
// may use the doors that need no token; nil means there are none.
func (s *Sandbox) Handler(admins Admins) http.Handler {
	// A browser sends its session whoever causes the request, so requests from
	// pages elsewhere must be refused.
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
	mux.HandleFunc("GET /sandbox/oauth/v2/authorize", s.showAuthorize(admins))
	mux.Handle("POST /sandbox/oauth/v2/authorize", ours.Handler(s.authorize(admins)))
	mux.Handle("POST /sandbox/apps", ours.Handler(s.operated(admins, s.serveApps)))

	// What operates the faults stays reachable while the rest is down.
	outer := http.NewServeMux()
	outer.Handle("/sandbox/faults", ours.Handler(s.operated(admins, s.serveFaults)))
	outer.Handle("GET /sandbox/settled", ours.Handler(s.operated(admins, s.serveSettled)))
	outer.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if now := s.clock.Now(); s.faults.downUntil(now).After(now) {
			hangUp(w)
			return
		}
		mux.ServeHTTP(w, r)
	})
	return s.guard(outer)
}

// serveFaults shows the faults, replaces them or ends them.
func (s *Sandbox) serveFaults(w http.ResponseWriter, r *http.Request, _ pass) {
	switch r.Method {
	case http.MethodGet:
	case http.MethodPost, http.MethodDelete:
		var p FaultPlan // ends them all
		var err error
		if r.Method == http.MethodPost {
			d := json.NewDecoder(io.LimitReader(r.Body, maxBody))
			d.DisallowUnknownFields()
			if err = d.Decode(&p); err == nil {
				err = p.check()
			}
		}
		if err != nil {
			http.Error(w, "The faults cannot be set: "+err.Error()+".", http.StatusBadRequest)
			return
		}
		if err := s.SetFaults(p); err != nil {
			s.broken(w, err)
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
// apps.manifest.create does. Credentials are shown once, for a new app. Only the
// operator may update the manifest of an existing app, because it says where the
// app's events go.
func (s *Sandbox) serveApps(w http.ResponseWriter, r *http.Request, p pass) {
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
	app, made, err := s.register(r.Context(), AppConfig{Manifest: raw}, p.operator)
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
	shown := object{"ok": true, "app_id": app.ID, "oauth_authorize_url": s.AuthorizeURL(app, "")}
	if made {
		shown["credentials"] = object{"client_id": app.ClientID, "client_secret": app.ClientSecret,
			"signing_secret": app.SigningSecret, "verification_token": app.VerificationToken}
	}
	s.answer(w, shown)
}

// AuthorizeURL returns the address of the page where an app is authorised. It asks
// for everything in its manifest.
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
