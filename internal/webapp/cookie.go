package webapp

import (
	"net/http"
	"time"

	"frontdesk/internal/desk"
)

// What a browser keeps beside its session.
const (
	errandCookie = "frontdesk_provider" // while somebody is at the OpenID provider
	deviceCookie = "frontdesk_device"   // who has signed in with it before
	proofCookie  = "frontdesk_accounts" // who somebody is who is in several accounts

	deviceKept = 365 * 24 * time.Hour
)

// cookie is the value of a cookie, empty for none.
func (s *server) cookie(r *http.Request, name string) string {
	c, err := r.Cookie(desk.CookieName(name, s.secure))
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
	http.SetCookie(w, &http.Cookie{Name: desk.CookieName(name, s.secure), Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode})
}

// setProof has a browser keep what opens several accounts, or forget it.
func (s *server) setProof(w http.ResponseWriter, r *http.Request, proof string, kept time.Duration) {
	if proof != "" || s.cookie(r, proofCookie) != "" {
		s.setCookie(w, proofCookie, proof, kept)
	}
}
