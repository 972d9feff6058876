package rest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"path"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/limit"
	"frontdesk/internal/service"
)

// handler registers the routes in a mux. Each path also responds to the methods
// that it does not have. Everything else is not found. All these responses have our
// own format.
func (s *Server) handler(routes []route) http.Handler {
	mux := http.NewServeMux()
	methods := map[string][]string{}
	for _, r := range routes {
		mux.Handle(r.method+" "+prefix+r.path, s.endpoint(r))
		methods[r.path] = append(methods[r.path], r.method)
	}
	patterns := patternsOf(methods)
	for p, allowed := range methods {
		if slices.Contains(allowed, "GET") {
			allowed = append(allowed, "HEAD")
		}
		refuse := s.unknown(errMethod, strings.Join(allowed, ", "))
		if !inPattern(p, patterns) {
			mux.Handle(prefix+p, refuse)
			continue
		}
		// The mux rejects /customers/search for every method next to GET
		// /customers/{id}, because neither pattern is more specific. So it is
		// registered once per method.
		for _, method := range everyMethod {
			if !slices.Contains(allowed, method) {
				mux.Handle(method+" "+prefix+p, refuse)
			}
		}
	}
	mux.Handle(prefix+"/", s.unknown(errPath, ""))
	mux.Handle(prefix, s.unknown(errPath, "")) // otherwise the mux would redirect it to the path with a slash
	mux.HandleFunc("GET /v1/openapi.json", serveOpenAPI)
	mux.HandleFunc("/v1/openapi.json", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", "GET, HEAD")
		writeAnswer(w, errorAnswer(errMethod))
	})
	mux.Handle("GET /docs/", docsPage())
	mux.Handle("GET /docs", http.RedirectHandler("/docs/", http.StatusMovedPermanently))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeAnswer(w, errorAnswer(errPath))
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", requestID(r))
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if r.URL.Path != cleaned(r.URL.Path) {
			// The mux would send a redirect in its own format.
			writeAnswer(w, errorAnswer(errPath))
			return
		}
		aliased(r)
		mux.ServeHTTP(w, r)
	})
}

// aliased rewrites a path that some clients send under another name: they send the
// chat system's name where the API document says chat.
func aliased(r *http.Request) {
	for _, system := range []string{"slack", "mattermost"} {
		if rest, ok := strings.CutPrefix(r.URL.Path, prefix+"/requests/"+system+"/"); ok {
			r.URL.Path, r.URL.RawPath = prefix+"/requests/chat/"+rest, ""
		}
	}
}

var everyMethod = []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"}

// patternsOf returns the parts of the paths that have an id in them.
func patternsOf(methods map[string][]string) (patterns [][]string) {
	for path := range methods {
		if strings.Contains(path, "/{") {
			patterns = append(patterns, strings.Split(path, "/"))
		}
	}
	return patterns
}

// inPattern reports whether another path, with an id in it, also matches this path.
func inPattern(path string, patterns [][]string) bool {
	parts := strings.Split(path, "/")
	return slices.ContainsFunc(patterns, func(pattern []string) bool {
		return !slices.Equal(pattern, parts) && slices.EqualFunc(pattern, parts, func(own, part string) bool {
			return own == part || strings.HasPrefix(own, "{")
		})
	})
}

var (
	errPath   = desk.Errorf(desk.NotFound, "There is nothing at this path.")
	errMethod = desk.Errorf(desk.NotFound, "This path does not support this method.")
)

func cleaned(p string) string {
	c := path.Clean("/" + p)
	if strings.HasSuffix(p, "/") && c != "/" {
		c += "/"
	}
	return c
}

// unknown responds to paths and methods that do not exist. As everywhere, a caller
// without a token learns nothing else.
func (s *Server) unknown(err error, allow string) http.Handler {
	return s.endpoint(route{do: func(c *call) (any, error) {
		if allow != "" {
			c.w.Header().Set("Allow", allow)
		}
		return nil, err
	}})
}

// endpoint is the frame around a route. Its checks, in the order in which they may
// refuse a call:
//
//  1. The token is valid (403). If too many calls from the same address were refused,
//     an unknown token is not looked up (429).
//  2. The member is within their rate limit (429).
//  3. The token's scope and the member's role allow the operation (403).
//  4. The body has an accepted type and size (415, 413).
//  5. The idempotency key is new, or its stored response is sent again (409, 422).
//  6. The operation itself: 404, 406, then 400.
func (s *Server) endpoint(r route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		began := time.Now()
		c := &call{server: s, route: r, w: w, req: req, ctx: req.Context()}
		a := c.answer()
		switch {
		case a.file != nil:
			a.file.serve(w, req)
		case a.export != nil:
			// If the body ended normally, the client would think that it is
			// complete.
			if err := a.export.serve(w, req); err != nil {
				defer panic(http.ErrAbortHandler)
				if req.Context().Err() == nil { // otherwise the client has gone
					a.Status, c.failure = http.StatusInternalServerError, err
				}
			}
		case a.stream == nil:
			writeAnswer(w, a)
		}
		took := time.Since(began)
		s.observe(Observation{Operation: r.op, Method: req.Method, Status: a.Status, Took: took})
		s.logCall(c, a, took)
		c.linger()
		// A stream's duration is how long the client listened, not how fast we
		// responded.
		if a.stream != nil {
			a.stream.serve()
		}
	})
}

// answer runs the call and turns its result or error into a response.
func (c *call) answer() (a answer) {
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				panic(p)
			}
			c.failure = errors.New("panic")
			c.server.log.ErrorContext(c.ctx, "panic", "request_id", c.requestID(), "panic", p, "stack", string(debug.Stack()))
			a = errorAnswer(desk.Errorf(desk.Internal, ""))
		}
	}()
	a, err := c.admitted()
	if err != nil {
		c.failure = err
		a = errorAnswer(err)
	}
	return a
}

func (c *call) admitted() (a answer, err error) {
	if c.caller, err = c.authenticate(); err != nil {
		return a, err
	}
	if err := c.server.limits.take(c.caller, c.w.Header()); err != nil {
		return a, err
	}
	// This also holds for paths that do not exist: a read-only token gets the same
	// response to every call that would change something.
	if changes(c.req.Method) && c.caller.Scope != desk.ReadWrite {
		return a, desk.ErrReadOnlyToken
	}
	if c.route.op == "" {
		_, err := c.route.do(c)
		return a, err
	}
	if err := desk.May(c.route.op, c.caller.Role, c.caller.Scope); err != nil {
		return a, err
	}
	if err := c.checkBody(); err != nil {
		return a, err
	}
	return c.once(func() (answer, error) {
		result, err := c.route.do(c)
		if err != nil {
			return answer{}, err
		}
		if c.kept != nil {
			return *c.kept, nil
		}
		return c.route.answer(result)
	})
}

func changes(method string) bool {
	switch method {
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return true
	}
	return false
}

func (c *call) authenticate() (service.Caller, error) {
	caller, err := c.server.callerOf(c.ctx, c.req)
	if errors.Is(err, service.ErrNoToken) || errors.Is(err, service.ErrNoSession) {
		c.w.Header().Set("WWW-Authenticate", "Bearer")
	}
	return caller, err
}

var errElsewhere = desk.Errorf(desk.Forbidden, "This call came from a page of another site. With a session, only the web app can make changes.")

// callerOf returns who makes a request. They are identified by a token or, if there
// is none, by the session cookie of the web app. A browser sends the cookie no
// matter which page makes the request, so requests from pages of other sites are
// refused.
func (s *Server) callerOf(ctx context.Context, r *http.Request) (service.Caller, error) {
	given := r.Header.Get("Authorization")
	from := limit.ClientIP(r)
	cookie, err := r.Cookie(s.cookie)
	if given != "" || err != nil {
		scheme, secret, _ := strings.Cut(given, " ")
		if !strings.EqualFold(scheme, "Bearer") { // HTTP matches scheme names without regard to case
			secret = ""
		}
		return s.service.AuthenticateFrom(ctx, from, strings.TrimSpace(secret))
	}
	caller, err := s.service.AuthenticateSessionFrom(ctx, from, cookie.Value)
	if err == nil && s.guard.Check(r) != nil {
		return service.Caller{Actor: desk.Actor{IP: from}}, errElsewhere
	}
	return caller, err
}

var requestIDShape = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// requestID adopts the id that a proxy or client sent, if it is harmless. So one id
// follows the call through every log.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); requestIDShape.MatchString(id) {
		return id
	}
	return strings.ToLower(rand.Text()[:16])
}

func (c *call) requestID() string { return c.w.Header().Get("X-Request-Id") }

// logCall writes one line per call. Our own faults are logged at Error, with their
// cause. Refused callers are logged at Info, but only as many as a log can bear.
// All other calls are logged at Debug.
func (s *Server) logCall(c *call, a answer, took time.Duration) {
	ctx := context.WithoutCancel(c.ctx)
	attrs := []any{"request_id", c.requestID(), "method", c.req.Method, "path", c.req.URL.Path,
		"status", a.Status, "ms", float64(took.Microseconds()) / 1000, "account", int64(c.caller.Account)}
	if c.failure != nil && a.Status >= 500 {
		s.log.ErrorContext(ctx, "call failed", append(attrs, "error", c.failure)...)
		return
	}
	if refusals[a.Status] && c.failure != nil {
		s.logRefusal(ctx, c, a)
	}
	s.log.DebugContext(ctx, "call", attrs...)
}

// refusals are the statuses that tell an operator about a possible attack.
var refusals = map[int]bool{http.StatusUnauthorized: true, http.StatusForbidden: true, http.StatusTooManyRequests: true}

func (s *Server) logRefusal(ctx context.Context, c *call, a answer) {
	ip := limit.ClientIP(c.req)
	key := service.Network(ip)
	if c.caller.Actor.ID != 0 {
		key = fmt.Sprint("member ", c.caller.Actor.ID)
	}
	s.refused.Info(ctx, key, "a call was refused", "status", a.Status, "why", limit.Short(c.failure.Error()),
		"method", limit.Short(c.req.Method), "path", limit.Short(c.req.URL.Path), "ip", ip,
		"account", int64(c.caller.Account), "member", int64(c.caller.Actor.ID), "token", int64(c.caller.Token), "request_id", c.requestID())
}
