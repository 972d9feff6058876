package webapp

import (
	"net/http"
	"time"

	"frontdesk/internal/desk"
)

// The cookies besides the session.
const (
	errandCookie = "frontdesk_provider" // while the user is at the OpenID provider
	deviceCookie = "frontdesk_device"   // who has signed in with this browser before
	proofCookie  = "frontdesk_accounts" // the identity of a user who has several accounts

	deviceKept = 365 * 24 * time.Hour
)

// cookie returns the value of a cookie, or an empty string if there is none.
func (s *server) cookie(r *http.Request, name string) string {
	c, err := r.Cookie(desk.CookieName(name, s.secure))
	if err != nil {
		return ""
	}
	return c.Value
}

// setCookie sets a cookie, or deletes it if the value is empty.
func (s *server) setCookie(w http.ResponseWriter, name, value string, kept time.Duration) {
	age := int(kept.Seconds())
	if value == "" {
		age = -1
	}
	http.SetCookie(w, &http.Cookie{Name: desk.CookieName(name, s.secure), Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode})
}

// setProof sets the cookie that opens several accounts, or deletes it.
func (s *server) setProof(w http.ResponseWriter, r *http.Request, proof string, kept time.Duration) {
	if proof != "" || s.cookie(r, proofCookie) != "" {
		s.setCookie(w, proofCookie, proof, kept)
	}
}
