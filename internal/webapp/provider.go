package webapp

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"frontdesk/internal/desk"
	"frontdesk/internal/service"
)

// Provider is an OpenID provider that people may sign in with, such as their
// company's. The zero value means none.
type Provider struct {
	Issuer       string // https://accounts.example.com
	ClientID     string
	ClientSecret string
	Name         string // on the button. Defaults to the host of the issuer.
	// Client makes the calls to the provider. Defaults to one with a timeout of ten
	// seconds.
	Client *http.Client
}

const (
	callbackPath = "/auth/provider/callback"
	// providerTime is how long a call to the provider may take, and signInTime is
	// how long a person may take there.
	providerTime = 10 * time.Second
	signInTime   = 10 * time.Minute
)

// provider asks the issuer for its addresses at the first use, so that the server
// starts even while the issuer is down.
type provider struct {
	Provider
	redirect string

	mu    sync.Mutex
	found *oidc.Provider
}

func newProvider(p Provider, publicURL string) *provider {
	if p.Issuer == "" {
		return nil
	}
	if p.Client == nil {
		p.Client = &http.Client{Timeout: providerTime}
	}
	if p.Name == "" {
		p.Name = p.Issuer
		if u, err := url.Parse(p.Issuer); err == nil && u.Host != "" {
			p.Name = u.Host
		}
	}
	return &provider{Provider: p, redirect: strings.TrimSuffix(publicURL, "/") + callbackPath}
}

// discover returns the provider as it describes itself.
func (p *provider) discover() (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found == nil {
		// Not the context of the call, because the keys are fetched with this one
		// later too.
		found, err := oidc.NewProvider(oidc.ClientContext(context.Background(), p.Client), p.Issuer)
		if err != nil {
			return nil, fmt.Errorf("ask the OpenID provider for its addresses: %w", err)
		}
		p.found = found
	}
	return p.found, nil
}

func (p *provider) oauth(found *oidc.Provider) *oauth2.Config {
	return &oauth2.Config{ClientID: p.ClientID, ClientSecret: p.ClientSecret, Endpoint: found.Endpoint(), RedirectURL: p.redirect,
		Scopes: []string{oidc.ScopeOpenID, "email", "profile"}}
}

// errand is what a browser keeps while the user is at the provider. The state shows
// that the same browser comes back. The nonce shows that the token was issued for
// this sign-in. The verifier ensures that no other client can use the code.
type errand struct{ state, nonce, verifier string }

// toProvider sends the user to the provider.
func (s *server) toProvider(w http.ResponseWriter, r *http.Request) {
	if s.provider == nil {
		s.fail(w, r, errNothing)
		return
	}
	found, err := s.provider.discover()
	if err != nil {
		s.redirectToSignIn(w, r, err)
		return
	}
	e := errand{random(), random(), oauth2.GenerateVerifier()}
	s.setCookie(w, errandCookie, e.state+"."+e.nonce+"."+e.verifier, signInTime)
	http.Redirect(w, r, s.provider.oauth(found).AuthCodeURL(e.state, oidc.Nonce(e.nonce), oauth2.S256ChallengeOption(e.verifier)), http.StatusFound)
}

// fromProvider handles the user's return from the provider.
func (s *server) fromProvider(w http.ResponseWriter, r *http.Request) {
	if s.provider == nil {
		s.fail(w, r, errNothing)
		return
	}
	e, ok := s.errand(r)
	s.setCookie(w, errandCookie, "", 0) // it works only once
	if !ok || subtle.ConstantTimeCompare([]byte(r.URL.Query().Get("state")), []byte(e.state)) != 1 {
		s.redirectToSignIn(w, r, errors.New("somebody comes from the OpenID provider whom we have not sent there"))
		return
	}
	if problem := r.URL.Query().Get("error"); problem != "" {
		s.redirectToSignIn(w, r, fmt.Errorf("the OpenID provider says %q", problem))
		return
	}
	who, err := s.provider.identity(r.Context(), r.URL.Query().Get("code"), e)
	if err != nil {
		s.redirectToSignIn(w, r, err)
		return
	}
	in, err := s.service.SignInWith(r.Context(), s.visitor(r), who)
	if err == nil && in.Choice != nil {
		s.setProof(w, r, in.Proof, desk.ChoiceKept)
		http.Redirect(w, r, "/accounts", http.StatusFound)
		return
	}
	if err := s.startSession(w, r, in, err); err != nil {
		s.redirectToSignIn(w, r, err)
		return
	}
	http.Redirect(w, r, "/", http.StatusFound)
}

func (s *server) errand(r *http.Request) (e errand, ok bool) {
	parts := strings.Split(s.cookie(r, errandCookie), ".")
	if len(parts) != 3 || parts[0] == "" || parts[1] == "" || parts[2] == "" {
		return e, false
	}
	return errand{parts[0], parts[1], parts[2]}, true
}

// identity exchanges a code for the identity of the user.
func (p *provider) identity(ctx context.Context, code string, e errand) (who desk.Identity, err error) {
	found, err := p.discover()
	if err != nil {
		return who, err
	}
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, p.Client), 2*providerTime)
	defer cancel()
	token, err := p.oauth(found).Exchange(ctx, code, oauth2.VerifierOption(e.verifier))
	if err != nil {
		return who, fmt.Errorf("exchange the code of the OpenID provider: %w", err)
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := found.Verifier(&oidc.Config{ClientID: p.ClientID}).Verify(ctx, raw)
	if err != nil {
		return who, fmt.Errorf("verify the token of the OpenID provider: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(e.nonce)) != 1 {
		return who, errors.New("the token of the OpenID provider was made for something else")
	}
	who = desk.Identity{Issuer: id.Issuer, Subject: id.Subject}
	claims := emailClaims{}
	if err := id.Claims(&claims); err != nil {
		return who, fmt.Errorf("read the token of the OpenID provider: %w", err)
	}
	if claims.Email == "" && found.UserInfoEndpoint() != "" { // some providers return it only from userinfo
		info, err := found.UserInfo(ctx, oauth2.StaticTokenSource(token))
		if err != nil {
			return who, fmt.Errorf("ask the OpenID provider for an email: %w", err)
		}
		if info.Subject != id.Subject {
			return who, errors.New("the OpenID provider tells of somebody else")
		}
		if err := info.Claims(&claims); err != nil {
			return who, fmt.Errorf("read the email of the OpenID provider: %w", err)
		}
	}
	who.Email, who.Verified = claims.Email, claims.verified()
	return who, nil
}

// emailClaims is what a provider says about a user's email.
type emailClaims struct {
	Email    string `json:"email"`
	Verified any    `json:"email_verified"` // true, or "true" from some providers
}

func (c emailClaims) verified() bool { return c.Verified == true || c.Verified == "true" }

// redirectToSignIn sends the user to the sign-in page, with a word that says why. All other
// details go to the log.
func (s *server) redirectToSignIn(w http.ResponseWriter, r *http.Request, err error) {
	problem := "provider_failed"
	switch {
	case errors.Is(err, service.ErrNotMember), errors.Is(err, service.ErrSignIn):
		problem = "not_a_member"
	case errors.Is(err, service.ErrUnverified):
		problem = "email_not_verified"
	case errors.Is(err, service.ErrForeignEmail):
		problem = "email_not_plain"
	default:
		s.log.WarnContext(r.Context(), "a sign-in with the OpenID provider failed", "error", err)
	}
	http.Redirect(w, r, "/sign-in?problem="+problem, http.StatusFound)
}
