// Package webapp serves the web app to browsers: its pages and files, and the few
// calls that come before a session, below /auth. Everything else that the app
// does goes through the API. It knows HTTP, cookies and OpenID Connect, and
// decides no rule of the product.
package webapp

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"

	"frontdesk/internal/desk"
	"frontdesk/internal/limit"
	"frontdesk/internal/service"
)

// Config is what the app is served with. Service and Files are required.
type Config struct {
	Service *service.Service
	// Files are those of the built app; without index.html, a sentence says that it
	// is not there.
	Files fs.FS
	// PublicURL is where people reach the service. By https, cookies go by https
	// alone.
	PublicURL string
	// Loopback says that the server listens on loopback alone. Where the public URL
	// is there, too, nobody signs in by another name of this machine.
	Loopback bool
	// Provider is the OpenID provider that people may sign in with; without an
	// issuer there is none.
	Provider Provider
	// Log defaults to slog.Default().
	Log *slog.Logger
}

type server struct {
	service  *service.Service
	public   string
	secure   bool
	local    bool      // it is reached on this machine alone
	provider *provider // nil for none
	files    fs.FS
	index    []byte   // nil when the app is not in the binary
	packed   sync.Map // compressed files by their names
	log      *slog.Logger
	refused  *limit.Log
}

// New returns the handler of all pages and of what is below /auth.
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
	auth.HandleFunc("GET /auth/accounts", s.answer(s.accounts))
	auth.HandleFunc("POST /auth/account", s.answer(s.account))
	auth.HandleFunc("POST /auth/first-run", s.answer(s.firstRun))
	auth.HandleFunc("POST /auth/invitation", s.answer(s.invitation))
	auth.HandleFunc("POST /auth/welcome", s.answer(s.welcome))
	auth.HandleFunc("GET /auth/provider", s.toProvider)
	auth.HandleFunc("GET /auth/provider/callback", s.fromProvider)
	auth.HandleFunc("/auth/", s.answer(func(http.ResponseWriter, *http.Request) (any, error) { return nil, errNothing }))

	mux := http.NewServeMux()
	mux.Handle("/auth", auth)
	mux.Handle("/auth/", auth)
	mux.HandleFunc("/", s.page)
	return s.guarded(mux)
}

// guarded keeps pages of other sites from signing people in or out, and says to
// browsers what holds for every answer.
func (s *server) guarded(next http.Handler) http.Handler {
	guard := http.NewCrossOriginProtection()
	if u, err := url.Parse(s.public); err == nil && u.Host != "" {
		_ = guard.AddTrustedOrigin(u.Scheme + "://" + u.Host) // where a proxy gives us another host
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

// isLoopback reports whether a host, with or without a port, is this machine to
// whoever names it. A page of another site can have its own name lead here, and
// would be of the same origin then; the demo's password is known to everybody.
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

// caller is who is signed in; ok is false for nobody.
func (s *server) caller(r *http.Request) (c service.Caller, ok bool, err error) {
	cookie, err := r.Cookie(desk.SessionCookie(s.secure))
	if err != nil {
		return c, false, nil
	}
	c, err = s.service.AuthenticateSessionFrom(r.Context(), clientIP(r), cookie.Value)
	if errors.Is(err, service.ErrNoSession) {
		return c, false, nil
	}
	return c, err == nil, err
}

// signedIn gives the browser its session, in place of one that it came with. The
// cookie outlasts it, however much it is used: when it is over, the server knows.
func (s *server) signedIn(w http.ResponseWriter, r *http.Request, made desk.Entrance) error {
	if err := s.endPresented(r, made.ID); err != nil {
		return err
	}
	http.SetCookie(w, &http.Cookie{Name: desk.SessionCookie(s.secure), Value: made.Secret, Path: "/", MaxAge: int(desk.MostSession.Seconds()),
		HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode})
	s.setCookie(w, deviceCookie, made.Device, deviceKept)
	s.setProof(w, r, made.Proof, desk.MostSession)
	return nil
}

// endPresented ends the session that a browser came with to begin another: nobody
// would end it otherwise, since no browser has it any more.
func (s *server) endPresented(r *http.Request, but desk.TokenID) error {
	c, ok, err := s.caller(r)
	if err != nil || !ok || c.Token == but {
		return err
	}
	if err = s.service.SignOut(r.Context(), c); desk.KindOf(err) == desk.NotFound {
		return nil // a new password has ended it
	}
	return err
}

func (s *server) signedOut(w http.ResponseWriter) {
	http.SetCookie(w, &http.Cookie{Name: desk.SessionCookie(s.secure), Path: "/", MaxAge: -1, HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode})
}

func (s *server) visitor(r *http.Request) desk.Visitor {
	return desk.Visitor{Browser: r.UserAgent(), IP: clientIP(r), Device: s.cookie(r, deviceCookie)}
}

func clientIP(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

func random() string { return strings.ToLower(rand.Text()) }
