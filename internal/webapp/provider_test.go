package webapp

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb/dbtest"
)

// issuer is an OpenID provider with discovery, keys, tokens and userinfo. Each user
// who comes to it has the identity that the test has set.
type issuer struct {
	*httptest.Server
	key *rsa.PrivateKey

	mu     sync.Mutex
	codes  map[string]url.Values // what was asked for, by code; each works once
	claims map[string]any        // of the user who signs in
	info   map[string]any        // what userinfo returns
	change func(claims map[string]any)
	sign   *rsa.PrivateKey // a key other than key, to sign with
	down   bool
}

// issuersKey takes a while to generate.
var issuersKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := issuersKey()
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{key: key, sign: key, codes: map[string]url.Values{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, r *http.Request) {
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.down {
			http.Error(w, "down", http.StatusServiceUnavailable)
			return
		}
		i.json(w, map[string]any{"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token", "jwks_uri": i.URL + "/keys",
			"userinfo_endpoint": i.URL + "/userinfo", "id_token_signing_alg_values_supported": []string{"RS256"}})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, r *http.Request) {
		i.json(w, map[string]any{"keys": []any{map[string]any{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "1",
			"n": b64(key.N.Bytes()), "e": b64(big.NewInt(int64(key.E)).Bytes())}}})
	})
	mux.HandleFunc("GET /authorize", func(w http.ResponseWriter, r *http.Request) {
		i.mu.Lock()
		defer i.mu.Unlock()
		code := random()
		i.codes[code] = r.URL.Query()
		http.Redirect(w, r, r.URL.Query().Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {r.URL.Query().Get("state")}}.Encode(), http.StatusFound)
	})
	mux.HandleFunc("POST /token", i.token)
	mux.HandleFunc("GET /userinfo", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer access" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		i.mu.Lock()
		defer i.mu.Unlock()
		i.json(w, i.info)
	})
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) json(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// token exchanges a code according to RFC 6749 and 7636.
func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	asked, known := i.codes[r.FormValue("code")]
	delete(i.codes, r.FormValue("code"))
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	id, secret, _ := r.BasicAuth()
	if !known || asked.Get("code_challenge_method") != "S256" || asked.Get("code_challenge") != b64(sum[:]) ||
		id != "desk" || secret != "shh" || r.FormValue("redirect_uri") != asked.Get("redirect_uri") || r.FormValue("grant_type") != "authorization_code" {
		w.WriteHeader(http.StatusBadRequest)
		i.json(w, map[string]any{"error": "invalid_grant"})
		return
	}
	claims := map[string]any{"iss": i.URL, "aud": "desk", "nonce": asked.Get("nonce"), "iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix()}
	for name, v := range i.claims {
		claims[name] = v
	}
	if i.change != nil {
		i.change(claims)
	}
	i.json(w, map[string]any{"access_token": "access", "token_type": "Bearer", "id_token": i.signed(claims)})
}

func (i *issuer) signed(claims map[string]any) string {
	header, _ := json.Marshal(map[string]any{"alg": "RS256", "kid": "1", "typ": "JWT"})
	body, _ := json.Marshal(claims)
	text := b64(header) + "." + b64(body)
	sum := sha256.Sum256([]byte(text))
	mark, err := rsa.SignPKCS1v15(rand.Reader, i.sign, crypto.SHA256, sum[:])
	if err != nil {
		panic(err)
	}
	return text + "." + b64(mark)
}

// is sets who signs in.
func (i *issuer) is(claims map[string]any) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.claims, i.info, i.change, i.sign = claims, nil, nil, i.key
}

func providerSite(t *testing.T) (*site, *issuer) {
	t.Helper()
	i := newIssuer(t)
	return openSite(t, siteConfig{provider: Provider{Issuer: i.URL, ClientID: "desk", ClientSecret: "shh", Name: "Acme SSO"}}), i
}

// walk goes to the provider and back, with a change to the way back, and returns
// where it ends.
func (s *site) walk(change func(back *url.URL)) string {
	s.t.Helper()
	r := s.do("GET", "/auth/provider", "")
	to := s.follow(r.Get("Location"))
	if r.status != 302 || to.Path != "/authorize" {
		return r.Get("Location")
	}
	w, err := s.Get(to.String())
	if err != nil {
		s.t.Fatal(err)
	}
	w.Body.Close()
	back := s.follow(w.Header.Get("Location"))
	if back.Path != callbackPath || !strings.HasPrefix(back.String(), s.url) {
		s.t.Fatalf("the provider sends back to %s", back)
	}
	if change != nil {
		change(back)
	}
	return s.do("GET", back.RequestURI(), "").Get("Location")
}

func TestProvider(t *testing.T) {
	s, i := providerSite(t)
	s.state(`{"signed_in":false,"first_run":false,"provider":{"name":"Acme SSO"}}`)
	signsIn := func(what string) {
		t.Helper()
		s.forget()
		if to := s.walk(nil); to != "/" {
			t.Errorf("%s: it leads to %s", what, to)
		}
		s.state(`{"signed_in":true,"first_run":false,"provider":{"name":"Acme SSO"}}`)
	}
	i.is(map[string]any{"sub": "1", "email": "JO@acme.example", "email_verified": true})
	signsIn("by email")
	i.is(map[string]any{"sub": "1", "email": "other@acme.example", "email_verified": false})
	signsIn("by subject")

	// Some providers say it in other ways.
	_, _, err := s.service.NewAccount(t.Context(), "Globex", desk.NewMember{Email: "text@globex.example"})
	if err != nil {
		t.Fatal(err)
	}
	i.is(map[string]any{"sub": "2", "email": "text@globex.example", "email_verified": "true"})
	signsIn("verified in a text")
	i.is(map[string]any{"sub": "1"})
	i.info = map[string]any{"sub": "1", "email": "jo@acme.example", "email_verified": true}
	signsIn("an email that userinfo tells")
}

// Some letters look like others only under Unicode's rules. An address with such
// letters belongs to somebody else, and it stays that way.
func TestProviderEmailLooksLikeAnothers(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, database string) {
		i := newIssuer(t)
		s := openSite(t, siteConfig{database: database, provider: Provider{Issuer: i.URL, ClientID: "desk", ClientSecret: "shh", Name: "Acme SSO"}})
		// An admin whose email has the plain letters, and a user whose email is not
		// ASCII.
		for _, email := range []string{"skimin@acme.test", "jürgen@acme.test"} {
			if _, _, err := s.service.NewAccount(t.Context(), "Globex", desk.NewMember{Email: email}); err != nil {
				t.Fatal(err)
			}
		}
		for _, email := range []string{"skımin@acme.test", "ſkimin@acme.test", "s\u212Aimin@acme.test", "skimin@acme.teſt", "skımın@acme.teſt", "SKİMİN@acme.test", "jürgen@acme.test", "JÜRGEN@acme.test"} {
			s.forget()
			i.is(map[string]any{"sub": "intruder", "email": email, "email_verified": true})
			if to := s.walk(nil); to != "/sign-in?problem=email_not_plain" {
				t.Errorf("%s: it leads to %s", email, to)
			}
			s.state(`{"signed_in":false,"first_run":false,"provider":{"name":"Acme SSO"}}`)
		}
		s.forget()
		i.is(map[string]any{"sub": "owner", "email": "SKIMIN@Acme.TEST", "email_verified": true})
		if to := s.walk(nil); to != "/" {
			t.Errorf("their owner: it leads to %s", to)
		}
	})
}

// A user with one email in two accounts is in neither until they choose.
func TestProviderOfTwoAccounts(t *testing.T) {
	s, i := providerSite(t)
	if _, _, err := s.service.NewAccount(t.Context(), "Globex", desk.NewMember{Email: "jo@acme.example"}); err != nil {
		t.Fatal(err)
	}
	for _, first := range []bool{true, false} { // before they are linked, and after
		s.forget()
		i.is(map[string]any{"sub": "1", "email": "jo@acme.example", "email_verified": true})
		if to := s.walk(nil); to != "/accounts" {
			t.Fatalf("it leads to %s", to)
		}
		s.state(`{"signed_in":false,"first_run":false,"provider":{"name":"Acme SSO"}}`)
		all := s.accounts("Acme", "Globex")
		s.want(204, "POST", "/auth/account", fmt.Sprintf(`{"account_id": %d}`, all[1]))
		s.state(`{"signed_in":true,"first_run":false,"provider":{"name":"Acme SSO"}}`)
		s.accounts("Acme", "Globex, current")
		if first {
			s.want(204, "POST", "/auth/account", fmt.Sprintf(`{"account_id": %d}`, all[0]))
			s.accounts("Acme, current", "Globex")
		}
	}
}

func TestProviderRefuses(t *testing.T) {
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	good := map[string]any{"sub": "1", "email": "jo@acme.example", "email_verified": true}
	claim := func(name string, v any) func(*issuer) {
		return func(i *issuer) { i.change = func(c map[string]any) { c[name] = v } }
	}
	back := func(name, v string) func(*url.URL) {
		return func(u *url.URL) {
			q := u.Query()
			q.Set(name, v)
			u.RawQuery = q.Encode()
		}
	}
	s, i := providerSite(t)
	for _, tt := range []struct {
		name   string
		issuer func(*issuer)
		back   func(*url.URL)
		want   string
	}{
		{"no member", claim("email", "nobody@acme.example"), nil, "not_a_member"},
		{"not verified", claim("email_verified", false), nil, "email_not_verified"},
		{"verified by another word", claim("email_verified", "yes"), nil, "email_not_verified"},
		{"no email", claim("email", ""), nil, "provider_failed"}, // userinfo returns nothing
		{"another nonce", claim("nonce", "x"), nil, "provider_failed"},
		{"for another", claim("aud", "other"), nil, "provider_failed"},
		{"by another", claim("iss", "https://evil.example"), nil, "provider_failed"},
		{"expired", claim("exp", time.Now().Add(-time.Hour).Unix()), nil, "provider_failed"},
		{"another key", func(i *issuer) { i.sign = other }, nil, "provider_failed"},
		{"somebody else in userinfo", func(i *issuer) {
			i.change = func(c map[string]any) { delete(c, "email") }
			i.info = map[string]any{"sub": "2", "email": "jo@acme.example", "email_verified": true}
		}, nil, "provider_failed"},
		{"another state", nil, back("state", "x"), "provider_failed"},
		{"no state", nil, back("state", ""), "provider_failed"},
		{"another code", nil, back("code", "x"), "provider_failed"},
		{"refused there", nil, back("error", "access_denied"), "provider_failed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.t = t
			s.forget()
			i.is(good)
			if tt.issuer != nil {
				tt.issuer(i)
			}
			if to := s.walk(tt.back); to != "/sign-in?problem="+tt.want {
				t.Errorf("it leads to %s", to)
			}
			s.state(`{"signed_in":false,"first_run":false,"provider":{"name":"Acme SSO"}}`)
		})
	}
	t.Run("another browser", func(t *testing.T) {
		s.t = t
		s.forget()
		i.is(good)
		if to := s.walk(func(*url.URL) { s.forget() }); to != "/sign-in?problem=provider_failed" {
			t.Errorf("it leads to %s", to)
		}
	})
	t.Run("twice", func(t *testing.T) {
		s.t = t
		s.forget()
		i.is(good)
		var again string
		if to := s.walk(func(u *url.URL) { again = u.RequestURI() }); to != "/" {
			t.Fatalf("it leads to %s", to)
		}
		s.forget()
		if to := s.do("GET", again, "").Get("Location"); to != "/sign-in?problem=provider_failed" {
			t.Errorf("the second time it leads to %s", to)
		}
	})
	t.Run("down, and up again", func(t *testing.T) {
		s, i := providerSite(t)
		i.is(good)
		i.down = true
		if to := s.walk(nil); to != "/sign-in?problem=provider_failed" {
			t.Errorf("it leads to %s", to)
		}
		i.down = false
		if to := s.walk(nil); to != "/" {
			t.Errorf("later it leads to %s", to)
		}
	})
}

func TestProviderDefaults(t *testing.T) {
	p := newProvider(Provider{Issuer: "https://id.acme.example/realms/x"}, "https://desk.example/")
	if p.Name != "id.acme.example" || p.redirect != "https://desk.example/auth/provider/callback" || p.Client == nil || p.Client.Timeout == 0 {
		t.Errorf("%+v", p)
	}
	s := openSite(t, siteConfig{public: "https://desk.example", provider: Provider{Issuer: newIssuer(t).URL, ClientID: "desk"}})
	if c := s.do("GET", "/auth/provider", "").Get("Set-Cookie"); !strings.HasPrefix(c, "__Host-frontdesk_provider=") || !strings.HasSuffix(c, "; Path=/; Max-Age=600; HttpOnly; Secure; SameSite=Lax") {
		t.Errorf("the cookie is %s", c)
	}
}
