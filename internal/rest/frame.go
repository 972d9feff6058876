package rest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
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

// handler hangs the routes into a mux. Each path also answers the methods it
// does not have, and everything else is not found, always in our own form.
func (s *Server) handler(routes []route) http.Handler {
	mux := http.NewServeMux()
	methods := map[string][]string{}
	for _, r := range routes {
		mux.Handle(r.method+" "+prefix+r.path, s.endpoint(r))
		methods[r.path] = append(methods[r.path], r.method)
	}
	for p, allowed := range methods {
		if slices.Contains(allowed, "GET") {
			allowed = append(allowed, "HEAD")
		}
		refuse := s.unknown(errMethod, strings.Join(allowed, ", "))
		if !inPattern(p, methods) {
			mux.Handle(prefix+p, refuse)
			continue
		}
		// Beside GET /customers/{id} the mux takes no /customers/search for every
		// method: it could not say which of the two is meant.
		for _, method := range everyMethod {
			if !slices.Contains(allowed, method) {
				mux.Handle(method+" "+prefix+p, refuse)
			}
		}
	}
	mux.Handle(prefix+"/", s.unknown(errPath, ""))
	mux.Handle(prefix, s.unknown(errPath, "")) // or the mux would send it to the path with a slash
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
			// The mux would answer with a redirect of its own form.
			writeAnswer(w, errorAnswer(errPath))
			return
		}
		aliased(r)
		mux.ServeHTTP(w, r)
	})
}

// aliased gives a path that clients send under another name its own: of the
// chat systems, where the API document says chat.
func aliased(r *http.Request) {
	for _, system := range []string{"slack", "mattermost"} {
		if rest, ok := strings.CutPrefix(r.URL.Path, prefix+"/requests/"+system+"/"); ok {
			r.URL.Path, r.URL.RawPath = prefix+"/requests/chat/"+rest, ""
		}
	}
}

var everyMethod = []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"}

// inPattern reports whether a path is one of those that another, with an id in
// it, stands for.
func inPattern[T any](path string, paths map[string]T) bool {
	parts := strings.Split(path, "/")
	for other := range paths {
		others := strings.Split(other, "/")
		if other == path || len(others) != len(parts) {
			continue
		}
		fits := true
		for i := range parts {
			fits = fits && (parts[i] == others[i] || strings.HasPrefix(others[i], "{"))
		}
		if fits {
			return true
		}
	}
	return false
}

var (
	errPath   = desk.Errorf(desk.NotFound, "There is nothing at this path.")
	errMethod = desk.Errorf(desk.NotFound, "This path does not take this method.")
)

func cleaned(p string) string {
	c := path.Clean("/" + p)
	if strings.HasSuffix(p, "/") && c != "/" {
		c += "/"
	}
	return c
}

// unknown answers for paths and methods that are not there. As everywhere, who
// has no token learns nothing but that.
func (s *Server) unknown(err error, allow string) http.Handler {
	return s.endpoint(route{do: func(c *call) (any, error) {
		if allow != "" {
			c.w.Header().Set("Allow", allow)
		}
		return nil, err
	}})
}

// endpoint is the frame around a route. Its steps, in the order in which they
// may refuse:
//
//  1. the token is valid (403); whose address was refused too often is not
//     looked at, unless the token is known (429)
//  2. the member is within their rate (429)
//  3. the token's scope and the member's role allow the operation (403)
//  4. the body is of a kind and size that is taken (415, 413)
//  5. the idempotency key is new, or its answer is given again (409, 422)
//  6. the operation: 404, 406, then 400
func (s *Server) endpoint(r route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		began := time.Now()
		c := &call{server: s, route: r, w: w, req: req, ctx: req.Context()}
		a := c.answer()
		switch {
		case a.file != nil:
			a.file.serve(w, req)
		case a.export != nil:
			// A body that ended well would look whole.
			if err := a.export.serve(w, req); err != nil {
				defer panic(http.ErrAbortHandler)
				if req.Context().Err() == nil { // else it is the client who has gone
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
		// How long somebody listens says nothing of how soon they were answered.
		if a.stream != nil {
			a.stream.serve()
		}
	})
}

// answer runs the call and turns whatever happens into an answer.
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
	// Also where there is nothing: a read-only token gets one answer to every
	// call that would change something.
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

var errElsewhere = desk.Errorf(desk.Forbidden, "This call came from a page of another site. With a session, calls that change something are made by the web app alone.")

// callerOf is who makes a request: by a token or, where it names none, by the
// session of the web app. A browser sends that along whoever asks it to, so that
// pages of other sites are kept from it.
func (s *Server) callerOf(ctx context.Context, r *http.Request) (service.Caller, error) {
	given := r.Header.Get("Authorization")
	from := clientIP(r)
	cookie, err := r.Cookie(s.cookie)
	if given != "" || err != nil {
		scheme, secret, _ := strings.Cut(given, " ")
		if !strings.EqualFold(scheme, "Bearer") { // HTTP wants the name matched without regard to case
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

func clientIP(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

var requestIDShape = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// requestID takes over the id that a proxy or client has given, if it is
// harmless, so that one id follows the call through every log.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); requestIDShape.MatchString(id) {
		return id
	}
	return strings.ToLower(rand.Text()[:16])
}

func (c *call) requestID() string { return c.w.Header().Get("X-Request-Id") }

// logCall writes one line: at Error for our own faults, with their cause; at Info
// for who was refused, as many of those as a log can bear; else at Debug.
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

// refusals are the answers that an operator should see who may be under attack.
var refusals = map[int]bool{http.StatusUnauthorized: true, http.StatusForbidden: true, http.StatusTooManyRequests: true}

func (s *Server) logRefusal(ctx context.Context, c *call, a answer) {
	ip := clientIP(c.req)
	key := service.Network(ip)
	if c.caller.Actor.ID != 0 {
		key = fmt.Sprint("member ", c.caller.Actor.ID)
	}
	s.refused.Info(ctx, key, "a call was refused", "status", a.Status, "why", limit.Short(c.failure.Error()),
		"method", limit.Short(c.req.Method), "path", limit.Short(c.req.URL.Path), "ip", ip,
		"account", int64(c.caller.Account), "member", int64(c.caller.Actor.ID), "token", int64(c.caller.Token), "request_id", c.requestID())
}
