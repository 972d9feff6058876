package webapp

import (
	"net/http"
	"time"
)

// What a browser keeps beside its session.
const (
	errandCookie = "frontdesk_provider" // while somebody is at the OpenID provider
	deviceCookie = "frontdesk_device"   // who has signed in with it before
	proofCookie  = "frontdesk_accounts" // who somebody is who is in several accounts

	deviceKept = 365 * 24 * time.Hour
)

// cookieName is the name of a cookie of ours. By https no other host can set it.
func (s *server) cookieName(name string) string {
	if s.secure {
		return "__Host-" + name
	}
	return name
}

// cookie is the value of a cookie, empty for none.
func (s *server) cookie(r *http.Request, name string) string {
	c, err := r.Cookie(s.cookieName(name))
	if err != nil {
		return ""
	}
	return c.Value
}

// setCookie has a browser keep something, or forget it where the value is empty.
func (s *server) setCookie(w http.ResponseWriter, name, value string, kept time.Duration) {
	age := int(kept.Seconds())
	if value == "" {
		age = -1
	}
	http.SetCookie(w, &http.Cookie{Name: s.cookieName(name), Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode})
}

// setProof has a browser keep what opens several accounts, or forget it.
func (s *server) setProof(w http.ResponseWriter, r *http.Request, proof string, kept time.Duration) {
	if proof != "" || s.cookie(r, proofCookie) != "" {
		s.setCookie(w, proofCookie, proof, kept)
	}
}
