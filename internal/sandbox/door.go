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

// Doors. What people and apps do here, they do with a token. Three things need
// none, because there is nobody yet whose token it could be: registering an app,
// authorising one, and switching faults. They are open to
//
//  1. the operator of the sandbox, who has the code that is shown at the start,
//  2. admins of the process that the sandbox is part of, but only in their own
//     workspaces. They may do what affects every workspace only while nobody else
//     uses one.
//
// In front of everything, unless the operator opened it to others, a guard serves
// only this machine. It cannot distinguish a person here from a proxy on this
// machine that does not identify itself. So passing the guard never permits
// anything on its own.

// Admins returns the workspaces that the person behind a request administers. It
// uses something that the sandbox does not know, such as a session. ok is false if
// they are not an admin. An admin may have no workspace yet.
type Admins func(*http.Request) (workspaces []string, ok bool, err error)

// pass is what a person may do at the doors that need no token. The zero pass
// allows nothing.
type pass struct {
	operator   bool     // whether they have the code
	admin      bool     // whether they are an admin
	workspaces []string // the workspaces they administer
}

func (p pass) opens(workspace string) bool {
	return p.operator || slices.Contains(p.workspaces, workspace)
}

// Code returns the code for the doors that need no token. Only the operator may see
// it: show it where the sandbox is started, and nowhere else.
func (s *Sandbox) Code() string { return s.cfg.Code }

// passOf returns what a request may do. typed is a code from a form instead of the
// Authorization header.
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

// operated serves what affects every workspace, if the caller may do that.
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

// usedByOthers reports whether an app is installed in a workspace that the pass
// does not cover.
func (s *Sandbox) usedByOthers(ctx context.Context, p pass) (bool, error) {
	return reading(ctx, s, func(t *tx) (others bool, err error) {
		for _, w := range t.workspaces() {
			others = others || !p.opens(w.ID) && slices.ContainsFunc(t.installations(w.ID), func(in *installation) bool { return in.Active })
		}
		return others, nil
	})
}

// guard serves only this machine unless the operator said otherwise.
func (s *Sandbox) guard(next http.Handler) http.Handler {
	if s.cfg.AllowRemote {
		return next
	}
	return ThisMachine(s.cfg.URL, next)
}

// ThisMachine serves only this machine, and not through a proxy. It also checks the
// host name of a request, which must be that of address or mean this machine, because a
// page on the internet may point its own name here.
func ThisMachine(address string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLoopback(r.RemoteAddr) || !isOwnName(address, r.Host) || passedOn(r) {
			http.Error(w, "The sandbox serves only this machine, and not through a proxy, unless its operator allows other addresses.", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// proxyHeaders are the headers with which proxies identify themselves or their
// client, besides those that begin with X-Forwarded. Their values do not matter: a
// person at this machine comes without a proxy.
var proxyHeaders = []string{
	"Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip",
	"Cf-Ray", "Fastly-Client-Ip", "Fly-Client-Ip", "X-Original-Forwarded-For", "X-Original-Host", "X-Original-Url", "X-Envoy-External-Address",
	"X-Azure-Clientip", "X-Appengine-User-Ip", "X-Proxyuser-Ip", "Forwarded-For", "X-Forward-For",
}

// passedOn reports whether a proxy has forwarded a request. A client that sets such
// a header itself only locks itself out.
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

func isOwnName(address, host string) bool {
	if own, err := url.Parse(address); err == nil && strings.EqualFold(own.Host, host) {
		return true
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.EqualFold(host, "localhost") || isLoopback(strings.Trim(host, "[]"))
}
