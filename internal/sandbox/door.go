package sandbox

import (
	"context"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Doors. What people and apps do here, they do with a token. Three things take
// none, because there is nobody yet whose token it could be: registering an app,
// letting one in, and switching faults. These are for
//
//  1. whoever runs the sandbox, who has the code that is shown where it is started,
//  2. admins of the process that the sandbox is part of, in their own workspaces
//     alone. What touches every workspace is theirs only while nobody else uses one.
//
// In front of everything, unless the operator opened it to others, is a guard that
// serves this machine alone. It cannot tell a proxy on this machine that says
// nothing of itself from a person here: so it never lets anybody do more than
// knock.

// Admins says which workspaces the person who makes a request administers, by
// something that the sandbox knows nothing of, such as a session. ok is false for
// who is no admin; one may have no workspace yet.
type Admins func(*http.Request) (workspaces []string, ok bool, err error)

// pass is what somebody may do at the doors that take no token. The zero pass
// opens nothing.
type pass struct {
	operator   bool     // they have the code
	admin      bool     // they are an admin
	workspaces []string // of these
}

func (p pass) opens(workspace string) bool {
	return p.operator || slices.Contains(p.workspaces, workspace)
}

// Code opens the doors that take no token. It is for the eyes of whoever runs the
// sandbox: show it where it is started, and nowhere else.
func (s *Sandbox) Code() string { return s.cfg.Code }

// passOf is what a request may do. typed is a code that came in another way than
// the Authorization header: from a form.
func (s *Sandbox) passOf(r *http.Request, admins Admins, typed string) (pass, error) {
	for _, given := range []string{bearerToken(r), typed} {
		if subtle.ConstantTimeCompare([]byte(given), []byte(s.cfg.Code)) == 1 {
			return pass{operator: true}, nil
		}
	}
	if admins == nil {
		return pass{}, nil
	}
	own, ok, err := admins(r)
	return pass{admin: ok, workspaces: own}, err
}

// operated serves what touches every workspace to who may do that.
func (s *Sandbox) operated(admins Admins, next func(http.ResponseWriter, *http.Request, pass)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p, err := s.passOf(r, admins, "")
		var others bool
		if err == nil && p.admin {
			others, err = s.usedByOthers(r.Context(), p)
		}
		switch {
		case err != nil:
			s.broken(w, err)
		case !p.operator && !p.admin:
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "This needs the code that was shown when the sandbox was started, as Authorization: Bearer CODE, or the session of an admin.", http.StatusUnauthorized)
		case others:
			http.Error(w, "Others use this sandbox, too, and this would touch their workspaces. It needs the code that was shown when the sandbox was started, as Authorization: Bearer CODE.", http.StatusForbidden)
		default:
			next(w, r, p)
		}
	}
}

// usedByOthers reports whether an app is installed in a workspace that a pass does
// not open.
func (s *Sandbox) usedByOthers(ctx context.Context, p pass) (others bool, err error) {
	err = s.read(ctx, func(t *tx) error {
		all, err := t.workspaces()
		others = false // this may run again
		for _, w := range all {
			if p.opens(w.ID) {
				continue
			}
			apps, err := t.installations(w.ID)
			if err != nil {
				return err
			}
			others = others || slices.ContainsFunc(apps, func(in *installation) bool { return in.Active })
		}
		return err
	})
	return others, err
}

// guard serves only this machine unless the operator said otherwise. The name
// by which it was called is looked at, too: a page on the net may have its name
// point here.
func (s *Sandbox) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.cfg.AllowRemote && !(isLoopback(r.RemoteAddr) && s.isOwnName(r.Host) && !passedOn(r)) {
			http.Error(w, "The sandbox serves only this machine, and not through a proxy, unless its operator allows other addresses.", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// proxyHeaders are what proxies say of themselves or of whom they ask for, beside
// those that begin with X-Forwarded. What they say is not looked at: somebody at
// this machine comes without a proxy.
var proxyHeaders = []string{
	"Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip",
	"Cf-Ray", "Fastly-Client-Ip", "Fly-Client-Ip", "X-Original-Forwarded-For", "X-Original-Host", "X-Original-Url", "X-Envoy-External-Address",
	"X-Azure-Clientip", "X-Appengine-User-Ip", "X-Proxyuser-Ip", "Forwarded-For", "X-Forward-For",
}

// passedOn reports whether a proxy has passed a request on. Whoever writes such a
// header themselves only keeps themselves out.
func passedOn(r *http.Request) bool {
	for name := range r.Header {
		if strings.HasPrefix(name, "X-Forwarded") || slices.Contains(proxyHeaders, name) {
			return true
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
