// Package webapp serves the web app to browsers: its pages and files, and the few
// calls that come before a session, below /auth. The app does everything else
// through the API. The package knows HTTP, cookies and OpenID Connect, and contains
// no rule of the product.
package webapp

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"

	"frontdesk/internal/desk"
	"frontdesk/internal/limit"
	"frontdesk/internal/service"
)

// Config configures the web app. Service and Files are required.
type Config struct {
	Service *service.Service
	// Files are the files of the built app. Without index.html, a sentence says
	// that the app is missing.
	Files fs.FS
	// PublicURL is where people reach the server. If it is an https address,
	// cookies are sent only over https.
	PublicURL string
	// Loopback says that the server listens only on loopback. If the public URL is
	// a loopback address too, nobody can sign in under another name of this
	// machine.
	Loopback bool
	// Provider is the OpenID provider that people may sign in with. Without an
	// issuer there is none.
	Provider Provider
	// Log defaults to slog.Default().
	Log *slog.Logger
}

type server struct {
	service  *service.Service
	public   string
	secure   bool
	local    bool      // it can be reached only from this machine
	provider *provider // nil if there is none
	files    fs.FS
	index    []byte   // nil if the app is not in the binary
	packed   sync.Map // compressed files by name
	log      *slog.Logger
	refused  *limit.Log
}

// New returns the handler of all pages and of the calls below /auth.
func New(c Config) http.Handler {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	s := &server{service: c.Service, public: strings.TrimSuffix(c.PublicURL, "/"), secure: strings.HasPrefix(c.PublicURL, "https://"),
		local: c.Loopback && isLoopback(hostOf(c.PublicURL)), files: c.Files, provider: newProvider(c.Provider, c.PublicURL), log: c.Log, refused: limit.NewLog(c.Log)}
	if index, err := fs.ReadFile(c.Files, "index.html"); err == nil {
		s.index = index
	}
	auth := http.NewServeMux()
	auth.HandleFunc("GET /auth", s.answer(s.state))
	auth.HandleFunc("POST /auth/sign-in", s.answer(s.signIn))
	auth.HandleFunc("POST /auth/sign-out", s.answer(s.signOut))
	auth.HandleFunc("GET /auth/accounts", s.answer(s.listAccounts))
	auth.HandleFunc("POST /auth/account", s.answer(s.chooseAccount))
	auth.HandleFunc("POST /auth/first-run", s.answer(s.firstRun))
	auth.HandleFunc("POST /auth/invitation", s.answer(s.invitation))
	auth.HandleFunc("POST /auth/welcome", s.answer(s.welcome))
	auth.HandleFunc("GET /auth/provider", s.toProvider)
	auth.HandleFunc("GET /auth/provider/callback", s.fromProvider)
	auth.HandleFunc("/auth/", s.answer(func(http.ResponseWriter, *http.Request) (any, error) { return nil, errNothing }))

	mux := http.NewServeMux()
	mux.Handle("/auth", auth)
	mux.Handle("/auth/", auth)
	mux.HandleFunc("/", s.servePage)
	return s.protect(mux)
}

// protect keeps pages of other sites from signing people in or out, and sets the
// headers that every answer has.
func (s *server) protect(next http.Handler) http.Handler {
	guard := http.NewCrossOriginProtection()
	if u, err := url.Parse(s.public); err == nil && u.Host != "" {
		_ = guard.AddTrustedOrigin(u.Scheme + "://" + u.Host) // a proxy may pass on a different host
	}
	guard.SetDenyHandler(s.answer(func(http.ResponseWriter, *http.Request) (any, error) { return nil, errElsewhere }))
	misdirected := s.answer(func(http.ResponseWriter, *http.Request) (any, error) { return nil, errHost })
	protected := guard.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if s.local && !isLoopback(r.Host) && strings.HasPrefix(r.URL.Path, "/auth/") {
			misdirected(w, r)
			return
		}
		protected.ServeHTTP(w, r)
	})
}

var (
	errNothing   = desk.Errorf(desk.NotFound, "There is nothing at this path.")
	errElsewhere = desk.Errorf(desk.Forbidden, "This call came from a page of another site.")
	errHost      = desk.Errorf(desk.Forbidden, "This server is for the machine it runs on: open it as 127.0.0.1 or localhost. To reach it by another name, set FRONTDESK_URL to the address that people open.")
)

// isLoopback reports whether a host, with or without a port, always means this
// machine. A page of another site can point its own name at this machine, and would
// then have the same origin. Everyone knows the password of the demo.
func isLoopback(host string) bool {
	name := (&url.URL{Host: host}).Hostname()
	a, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && a.IsLoopback()
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// caller returns the signed-in user. ok is false if nobody is signed in.
func (s *server) caller(r *http.Request) (c service.Caller, ok bool, err error) {
	cookie, err := r.Cookie(desk.SessionCookie(s.secure))
	if err != nil {
		return c, false, nil
	}
	c, err = s.service.AuthenticateSessionFrom(r.Context(), limit.ClientIP(r), cookie.Value)
	if errors.Is(err, service.ErrNoSession) {
		return c, false, nil
	}
	return c, err == nil, err
}

// startSession gives the browser its session and ends the one that it came with,
// unless signing in failed. The
// cookie outlasts the session, however much that is used. The server decides when
// the session is over.
func (s *server) startSession(w http.ResponseWriter, r *http.Request, made desk.Entrance, err error) error {
	if err != nil {
		return err
	}
	if err := s.endPresented(r, made.ID); err != nil {
		return err
	}
	s.setCookie(w, desk.SessionName, made.Secret, desk.MostSession)
	s.setCookie(w, deviceCookie, made.Device, deviceKept)
	s.setProof(w, r, made.Proof, desk.MostSession)
	return nil
}

// endPresented ends the session that a browser came with before it starts another.
// The browser forgets the old one, so nobody else would end it.
func (s *server) endPresented(r *http.Request, but desk.TokenID) error {
	c, ok, err := s.caller(r)
	if err != nil || !ok || c.Token == but {
		return err
	}
	if err = s.service.SignOut(r.Context(), c); desk.KindOf(err) == desk.NotFound {
		return nil // a new password has already ended it
	}
	return err
}

func (s *server) visitor(r *http.Request) desk.Visitor {
	return desk.Visitor{Browser: r.UserAgent(), IP: limit.ClientIP(r), Device: s.cookie(r, deviceCookie)}
}

func random() string { return strings.ToLower(rand.Text()) }
