package webapp

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
	"frontdesk/internal/service"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

const goodPassword = "correct horse"

var built = fstest.MapFS{
	"index.html":          {Data: []byte(`<meta name="csp-nonce" content="__CSP_NONCE__"><script type="module" src="/assets/app-1a2b.js"></script>`)},
	"assets/app-1a2b.js":  {Data: []byte("app()")},
	"assets/app-1a2b.css": {Data: []byte("body{}")},
	"favicon.svg":         {Data: []byte("<svg/>")},
	".keep":               {Data: nil},
}

// site is the app as a browser sees it.
type site struct {
	*http.Client
	t       *testing.T
	url     string
	service *service.Service
	handler http.Handler
}

type siteConfig struct {
	files    fs.FS  // defaults to a built app
	public   string // its public URL; has a default
	wide     bool   // it listens on more than loopback
	database string // defaults to a fresh SQLite database
	refusals int    // how many calls without a valid session an address may make; 0 for any number
	provider Provider
}

// newSite starts a site without an account.
func newSite(t *testing.T, c siteConfig) *site {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	if c.database == "" {
		c.database = dbtest.URL(t, sqldb.SQLite)
	}
	db := dbtest.Open(t, sqldb.Config{URL: c.database})
	if c.files == nil {
		c.files = built
	}
	s := &site{t: t}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	if c.public == "" {
		c.public = server.URL
	}
	s.url, s.service = server.URL, service.New(service.Config{Store: store.New(db, seal.NewKey(), nil), PublicURL: c.public, RefusalLimit: c.refusals,
		PasswordCost: service.PasswordCost{Memory: 64, Passes: 1}, Log: quiet})
	s.handler = New(Config{Service: s.service, Files: c.files, PublicURL: c.public, Loopback: !c.wide, Provider: c.provider, Log: quiet})
	s.Client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	s.forget()
	return s
}

// openSite starts a site with an account and an owner who can sign in.
func openSite(t *testing.T, c siteConfig) *site {
	t.Helper()
	s := newSite(t, c)
	a, m, err := s.service.NewAccount(t.Context(), "Acme", desk.NewMember{Email: "jo@acme.example"})
	if err == nil {
		err = s.service.SetPassword(t.Context(), a.ID, m, goodPassword)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// forget clears the browser's cookies.
func (s *site) forget() { s.Jar, _ = cookiejar.New(nil) }

type reply struct {
	status int
	body   string
	http.Header
}

func (s *site) do(method, path, body string, headers ...string) reply {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
		if name == "Host" {
			r.Host = value
		}
	}
	w, err := s.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer w.Body.Close()
	b, err := io.ReadAll(w.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply{w.StatusCode, string(b), w.Header}
}

// want checks a call of /auth.
func (s *site) want(status int, method, path, body string, headers ...string) reply {
	s.t.Helper()
	r := s.do(method, path, body, headers...)
	if r.status != status || r.Get("Cache-Control") != "no-store" {
		s.t.Errorf("%s %s %s: %d %s %v, want %d", method, path, body, r.status, r.body, r.Header, status)
	}
	return r
}

// state checks what /auth returns.
func (s *site) state(want string) {
	s.t.Helper()
	if r := s.want(200, "GET", "/auth", ""); strings.TrimSpace(r.body) != want {
		s.t.Errorf("the state is %s, want %s", r.body, want)
	}
}

func object(members ...string) string {
	m := map[string]string{}
	for i := 0; i < len(members); i += 2 {
		m[members[i]] = members[i+1]
	}
	b, _ := json.Marshal(m)
	return string(b)
}

func TestSignIn(t *testing.T) {
	s := openSite(t, siteConfig{})
	s.state(`{"signed_in":false,"first_run":false,"provider":null}`)
	for _, body := range []string{object("email", "jo@acme.example", "password", "wrong horse"), object("email", "nobody@acme.example", "password", goodPassword), `{}`} {
		r := s.want(401, "POST", "/auth/sign-in", body)
		if strings.TrimSpace(r.body) != `{"message":"The email or the password is wrong.","error":"UNAUTHORIZED"}` || r.Get("Set-Cookie") != "" {
			t.Errorf("%s: %s %v", body, r.body, r.Header)
		}
	}
	s.want(204, "POST", "/auth/sign-in", object("email", "JO@acme.example", "password", goodPassword), "Sec-Fetch-Site: same-origin")
	s.state(`{"signed_in":true,"first_run":false,"provider":null}`)
	s.forget()
	for range 5 {
		s.want(401, "POST", "/auth/sign-in", object("email", "jo@acme.example", "password", "wrong horse"))
	}
	if r := s.want(429, "POST", "/auth/sign-in", object("email", "jo@acme.example", "password", goodPassword)); r.Get("Retry-After") != "180" && r.Get("Retry-After") != "179" ||
		!strings.Contains(r.body, "Try again in 3 minutes") {
		t.Errorf("Retry-After: %s, %s", r.Get("Retry-After"), r.body)
	}
}

// Ten wrong attempts from anywhere do not lock out a user with a known browser.
func TestStrangersDoNotLockTheOwnerOut(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, database string) {
		s := openSite(t, siteConfig{database: database})
		good := object("email", "jo@acme.example", "password", goodPassword)
		s.want(204, "POST", "/auth/sign-in", good)
		s.want(204, "POST", "/auth/sign-out", "")
		known := s.Jar
		s.forget()
		for range 20 {
			s.do("POST", "/auth/sign-in", object("email", "jo@acme.example", "password", "wrong horse"))
		}
		s.want(429, "POST", "/auth/sign-in", good)
		s.Jar = known
		s.want(204, "POST", "/auth/sign-in", good)
	})
}

// After a second sign-in, the session that the browser had before has ended.
func TestSignInEndsTheSessionBefore(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, database string) {
		s := openSite(t, siteConfig{database: database})
		signIn := func() string {
			t.Helper()
			r := s.want(204, "POST", "/auth/sign-in", object("email", "jo@acme.example", "password", goodPassword))
			return strings.Split(strings.TrimPrefix(r.Get("Set-Cookie"), desk.SessionCookie(false)+"="), ";")[0]
		}
		is := func(secret, want string) {
			t.Helper()
			s.forget()
			if r := s.do("GET", "/auth", "", "Cookie: "+desk.SessionCookie(false)+"="+secret); !strings.Contains(r.body, `"signed_in":`+want) {
				t.Errorf("a session: %s, want %s", r.body, want)
			}
		}
		first := signIn()
		second := signIn()
		is(first, "false")
		is(second, "true")
		third := signIn() // another browser
		is(second, "true")
		is(third, "true")
	})
}

// A user with one email and one password in two accounts chooses one, and switches.
func TestChooseAnAccount(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, database string) {
		s := openSite(t, siteConfig{database: database})
		a, m, err := s.service.NewAccount(t.Context(), "Globex", desk.NewMember{Email: "jo@acme.example"})
		if err == nil {
			err = s.service.SetPassword(t.Context(), a.ID, m, goodPassword)
		}
		if err != nil {
			t.Fatal(err)
		}
		s.want(403, "POST", "/auth/account", `{"account_id": 1}`)
		s.accounts()
		if r := s.want(200, "POST", "/auth/sign-in", object("email", "jo@acme.example", "password", goodPassword)); strings.Contains(strings.Join(r.Values("Set-Cookie"), ""), desk.SessionCookie(false)) {
			t.Errorf("there is a session: %v", r.Header)
		}
		s.state(`{"signed_in":false,"first_run":false,"provider":null}`)
		all := s.accounts("Acme", "Globex")
		s.want(404, "POST", "/auth/account", `{"account_id": 4711}`)
		s.want(400, "POST", "/auth/account", `{"account_id": "1"}`)
		enter := func(i int) string {
			t.Helper()
			r := s.want(204, "POST", "/auth/account", fmt.Sprintf(`{"account_id": %d}`, all[i]))
			return strings.Split(strings.TrimPrefix(r.Get("Set-Cookie"), desk.SessionCookie(false)+"="), ";")[0]
		}
		globex := enter(1)
		s.accounts("Acme", "Globex, current")
		enter(0)
		s.accounts("Acme, current", "Globex")
		stale := &http.Client{CheckRedirect: s.CheckRedirect}
		own := s.Client
		s.Client = stale
		if r := s.do("GET", "/auth", "", "Cookie: "+desk.SessionCookie(false)+"="+globex); !strings.Contains(r.body, `"signed_in":false`) {
			t.Errorf("the session in the other account goes on: %s", r.body)
		}
		s.Client = own
		s.want(204, "POST", "/auth/sign-out", "")
		s.accounts()
		s.want(403, "POST", "/auth/account", fmt.Sprintf(`{"account_id": %d}`, all[1]))
		// A user who signs in again for one account names it.
		s.want(204, "POST", "/auth/sign-in", fmt.Sprintf(`{"email": "jo@acme.example", "password": %q, "account_id": %d}`, goodPassword, all[1]))
		s.accounts("Acme", "Globex, current")
	})
}

// accounts checks which accounts there are to choose from, and returns their ids.
func (s *site) accounts(want ...string) (ids []int) {
	s.t.Helper()
	var got struct {
		Accounts []struct {
			ID      int
			Name    string
			Current bool `json:"is_current"`
		}
	}
	if err := json.Unmarshal([]byte(s.want(200, "GET", "/auth/accounts", "").body), &got); err != nil {
		s.t.Fatal(err)
	}
	var names []string
	for _, a := range got.Accounts {
		if a.Current {
			a.Name += ", current"
		}
		ids, names = append(ids, a.ID), append(names, a.Name)
	}
	if !slices.Equal(names, want) {
		s.t.Fatalf("to choose from: %q, want %q", names, want)
	}
	return ids
}

func TestSignOut(t *testing.T) {
	s := openSite(t, siteConfig{})
	s.want(204, "POST", "/auth/sign-out", "") // nobody was signed in
	r := s.want(204, "POST", "/auth/sign-in", object("email", "jo@acme.example", "password", goodPassword))
	secret := strings.Split(strings.TrimPrefix(r.Get("Set-Cookie"), desk.SessionCookie(false)+"="), ";")[0]
	s.state(`{"signed_in":true,"first_run":false,"provider":null}`)
	if r := s.want(204, "POST", "/auth/sign-out", ""); !strings.Contains(r.Get("Set-Cookie"), "Max-Age=0") {
		t.Errorf("the cookie stays: %v", r.Header)
	}
	s.state(`{"signed_in":false,"first_run":false,"provider":null}`)
	if r := s.do("GET", "/auth", "", "Cookie: "+desk.SessionCookie(false)+"="+secret); strings.Contains(r.body, `"signed_in":true`) {
		t.Error("the session goes on without the cookie")
	}
}

func TestOtherSitesAreKeptOut(t *testing.T) {
	s := openSite(t, siteConfig{public: "https://desk.example"})
	good := object("email", "jo@acme.example", "password", goodPassword)
	for _, header := range []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site", "Origin: https://evil.example", "Origin: null"} {
		if r := s.want(403, "POST", "/auth/sign-in", good, header); r.Get("Set-Cookie") != "" {
			t.Errorf("%s: %v", header, r.Header)
		}
		s.want(403, "POST", "/auth/sign-out", "", header)
	}
	// It does not matter if a proxy passes on a different host.
	s.want(204, "POST", "/auth/sign-in", good, "Origin: https://desk.example")
}

// A page whose own name leads to this machine has the same origin. It is kept out
// because of the name.
func TestOtherNamesOfThisMachine(t *testing.T) {
	good := object("email", "jo@acme.example", "password", goodPassword)
	if r := openSite(t, siteConfig{wide: true}).do("POST", "/auth/sign-in", good, "Host: desk.lan"); r.status != 204 {
		t.Errorf("where others reach it: %d %s", r.status, r.body)
	}
	var s *site
	var public string
	for _, tt := range []struct {
		public, host string
		status       int
	}{
		{"http://127.0.0.1:8080", "evil.example:8080", 403},
		{"http://127.0.0.1:8080", "127.0.0.1.evil.example", 403},
		{"http://127.0.0.1:8080", "", 403},
		{"http://127.0.0.1:8080", "localhost:8080", 204},
		{"http://127.0.0.1:8080", "[::1]:9", 204},
		{"http://localhost:8080", "evil.example", 403},
		{"https://desk.example", "10.0.0.1:8080", 204}, // as a proxy calls it
	} {
		if s == nil || tt.public != public {
			s, public = openSite(t, siteConfig{public: tt.public}), tt.public
		}
		r := httptest.NewRequest("POST", "/auth/sign-in", strings.NewReader(good))
		r.Host = tt.host
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, r)
		if w.Code != tt.status {
			t.Errorf("%s called as %q: %d %s, want %d", tt.public, tt.host, w.Code, w.Body, tt.status)
		}
	}
}

func TestBadBodies(t *testing.T) {
	s := openSite(t, siteConfig{})
	for _, path := range []string{"/auth/sign-in", "/auth/welcome", "/auth/invitation"} {
		s.want(415, "POST", path, "email=jo", "Content-Type: application/x-www-form-urlencoded")
		s.want(415, "POST", path, "{}", "Content-Type: text/plain")
		s.want(400, "POST", path, "{")
		s.want(400, "POST", path, "[]")
		s.want(413, "POST", path, object("email", strings.Repeat("x", mostBody)))
	}
	s.want(400, "POST", "/auth/sign-in", `{"email": 7}`)
	s.want(404, "POST", "/auth/nothing", "{}")
	s.want(404, "GET", "/auth/sign-in", "")
	s.want(404, "GET", "/auth/provider", "")
	s.want(404, "GET", "/auth/provider/callback", "")
	s.want(404, "POST", "/auth/first-run", object("code", s.service.FirstRunCode(), "account_name", "Mine", "email", "m@evil.example", "password", goodPassword))
}

func TestCookieFlags(t *testing.T) {
	for public, want := range map[string]string{
		"http://127.0.0.1:8080": `^frontdesk_session=fs_[a-z2-7]{34}; Path=/; Max-Age=7776000; HttpOnly; SameSite=Lax$`,
		"https://desk.example":  `^__Host-frontdesk_session=fs_[a-z2-7]{34}; Path=/; Max-Age=7776000; HttpOnly; Secure; SameSite=Lax$`,
	} {
		s := openSite(t, siteConfig{public: public})
		r := s.want(204, "POST", "/auth/sign-in", object("email", "jo@acme.example", "password", goodPassword))
		if got := r.Get("Set-Cookie"); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s: %s", public, got)
		}
		// Over https no other name is accepted, because a host below the same
		// domain could have set the cookie.
		secret, https := regexp.MustCompile("fs_[a-z2-7]{34}").FindString(r.Get("Set-Cookie")), strings.HasPrefix(public, "https")
		s.forget()
		for _, name := range []string{"frontdesk_session", "__Host-frontdesk_session"} {
			r := s.want(200, "GET", "/auth", "", "Cookie: "+name+"="+secret)
			if in := strings.Contains(r.body, `"signed_in":true`); in != (name == desk.SessionCookie(https)) {
				t.Errorf("%s: with %s signed in is %t", public, name, in)
			}
		}
	}
}

// Invalid sessions are counted by address. A valid session still works.
func TestStrangersAreToldToWait(t *testing.T) {
	s := openSite(t, siteConfig{refusals: 2})
	s.want(204, "POST", "/auth/sign-in", object("email", "jo@acme.example", "password", goodPassword))
	s.state(`{"signed_in":true,"first_run":false,"provider":null}`)
	stranger := "Cookie: " + desk.SessionCookie(false) + "=fs_" + strings.Repeat("a", 34)
	jar := s.Jar
	s.forget()
	s.want(200, "GET", "/auth", "", stranger)
	if r := s.do("GET", "/requests", "", stranger); r.status != 302 {
		t.Errorf("the second is answered %d", r.status)
	}
	for _, path := range []string{"/auth", "/requests"} {
		if r := s.want(429, "GET", path, "", stranger); r.Get("Retry-After") == "" || !strings.Contains(r.body, "RATE_LIMITED") {
			t.Errorf("%s: %s %v", path, r.body, r.Header)
		}
	}
	s.state(`{"signed_in":false,"first_run":false,"provider":null}`) // a call without a cookie is not counted
	s.Jar = jar
	s.state(`{"signed_in":true,"first_run":false,"provider":null}`)
}

func TestFirstRun(t *testing.T) {
	s := newSite(t, siteConfig{})
	s.state(`{"signed_in":false,"first_run":true,"provider":null}`)
	if r := s.do("GET", "/", ""); r.status != 302 || r.Get("Location") != "/first-run" {
		t.Errorf("/ leads to %d %s", r.status, r.Get("Location"))
	}
	if r := s.do("GET", "/first-run", ""); r.status != 200 {
		t.Errorf("the page: %d", r.status)
	}
	code := s.service.FirstRunCode()
	if want := s.url + "/first-run#" + code; s.service.FirstRunURL() != want {
		t.Errorf("the address is %s", s.service.FirstRunURL())
	}
	body := func(code, password string) string {
		return object("code", code, "account_name", "Acme", "name", "Jo", "email", "jo@acme.example", "password", password)
	}
	s.want(403, "POST", "/auth/first-run", body("", goodPassword))
	s.want(403, "POST", "/auth/first-run", body("guess", goodPassword))
	if r := s.want(400, "POST", "/auth/first-run", body(code, "short")); !strings.Contains(r.body, `"errors":[{"field":"password"`) {
		t.Errorf("%s", r.body)
	}
	s.want(204, "POST", "/auth/first-run", body(code, goodPassword))
	s.state(`{"signed_in":true,"first_run":false,"provider":null}`)
	s.want(404, "POST", "/auth/first-run", body(code, goodPassword))
	if r := s.do("GET", "/first-run", ""); r.status != 302 || r.Get("Location") != "/" {
		t.Errorf("the page afterwards: %d %s", r.status, r.Get("Location"))
	}
	s.forget()
	s.want(204, "POST", "/auth/sign-in", object("email", "jo@acme.example", "password", goodPassword))
}

func TestWelcome(t *testing.T) {
	s := openSite(t, siteConfig{})
	found, err := s.service.MembersByEmail(t.Context(), "jo@acme.example")
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	i, err := s.service.NewInvitation(t.Context(), found[0].Account, found[0].Member.ID)
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(i.URL, "#")
	s.want(404, "POST", "/auth/invitation", object("invitation", "nothing"))
	if r := s.want(200, "POST", "/auth/invitation", object("invitation", code)); strings.TrimSpace(r.body) != `{"email":"jo@acme.example","name":"jo","account_name":"Acme"}` {
		t.Errorf("it is for %s", r.body)
	}
	s.want(400, "POST", "/auth/welcome", object("invitation", code, "password", "short"))
	s.want(204, "POST", "/auth/welcome", object("invitation", code, "password", "another horse", "name", "Jo"))
	s.state(`{"signed_in":true,"first_run":false,"provider":null}`)
	s.want(404, "POST", "/auth/welcome", object("invitation", code, "password", "another horse"))
}

func TestPages(t *testing.T) {
	s := openSite(t, siteConfig{})
	for path, want := range map[string]string{
		"/":                         "/sign-in",
		"/requests/17":              "/sign-in?next=%2Frequests%2F17",
		"/requests?state=open&x=//": "/sign-in?next=%2Frequests%3Fstate%3Dopen%26x%3D%2F%2F",
		"/first-run":                "/",
		"/sign-in":                  "",
		"/sign-in?next=%2Frequests": "",
		"/welcome":                  "",
		"/accounts":                 "",
		"/index.html":               "/sign-in?next=%2Findex.html",
		"/.keep":                    "/sign-in?next=%2F.keep",
	} {
		r := s.do("GET", path, "")
		if want == "" && r.status != 200 || want != "" && (r.status != 302 || r.Get("Location") != want) {
			t.Errorf("%s: %d %s, want %q", path, r.status, r.Get("Location"), want)
		}
	}
	s.want(204, "POST", "/auth/sign-in", object("email", "jo@acme.example", "password", goodPassword))
	nonces := map[string]bool{}
	for _, path := range []string{"/", "/requests/17", "/requests/a.b", "/sign-in", "/index.html"} {
		r := s.do("GET", path, "")
		nonce := regexp.MustCompile(`content="([A-Za-z0-9_-]{24})"`).FindStringSubmatch(r.body)
		if r.status != 200 || nonce == nil || nonces[nonce[1]] {
			t.Fatalf("%s: %d %s", path, r.status, r.body)
		}
		nonces[nonce[1]] = true
		policy := r.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self' 'nonce-" + nonce[1] + "'", "style-src-attr 'unsafe-inline'", "img-src 'self' data: blob: https:",
			"connect-src 'self'", "font-src 'self' data:", "frame-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
			if !strings.Contains(policy+";", part+";") {
				t.Errorf("%s: the policy %s misses %s", path, policy, part)
			}
		}
		if r.Get("Cache-Control") != "no-store" || r.Get("X-Content-Type-Options") != "nosniff" || r.Get("Referrer-Policy") != "same-origin" || !strings.HasPrefix(r.Get("Content-Type"), "text/html") {
			t.Errorf("%s: %v", path, r.Header)
		}
	}
	if r := s.do("HEAD", "/requests", ""); r.status != 200 || r.body != "" {
		t.Errorf("HEAD: %d %s", r.status, r.body)
	}
	if r := s.do("POST", "/requests", "{}"); r.status != 405 || r.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d %v", r.status, r.Header)
	}
}

func TestFiles(t *testing.T) {
	s := openSite(t, siteConfig{})
	for path, want := range map[string]string{
		"/assets/app-1a2b.js": "app()", "/assets/app-1a2b.css": "body{}", "/favicon.svg": "<svg/>",
	} {
		r := s.do("GET", path, "")
		cache := "no-cache"
		if strings.HasPrefix(path, "/assets/") {
			cache = "public, max-age=31536000, immutable"
		}
		if r.status != 200 || r.body != want || r.Get("Cache-Control") != cache || r.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %s %v", path, r.status, r.body, r.Header)
		}
	}
	for _, path := range []string{"/assets/app-old.js", "/assets/", "/assets/x/y.css", "/metrics", "/debug/pprof/", "/debug"} {
		if r := s.do("GET", path, ""); r.status != 404 || strings.Contains(r.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d %v", path, r.status, r.Header)
		}
	}
}

func TestFilesAreCompressed(t *testing.T) {
	s := openSite(t, siteConfig{})
	for range 2 { // the second answer comes from the cache
		r := s.do("GET", "/assets/app-1a2b.js", "", "Accept-Encoding: br, gzip")
		z, err := gzip.NewReader(strings.NewReader(r.body))
		if err != nil {
			t.Fatalf("%v: %v", r.Header, err)
		}
		plain, err := io.ReadAll(z)
		if err != nil || string(plain) != "app()" || r.Get("Content-Encoding") != "gzip" || r.Get("Vary") != "Accept-Encoding" || !strings.Contains(r.Get("Content-Type"), "javascript") {
			t.Errorf("%q %v %v", plain, r.Header, err)
		}
	}
	if r := s.do("GET", "/assets/app-1a2b.js", "", "Accept-Encoding: identity"); r.body != "app()" || r.Get("Content-Encoding") != "" || r.Get("Vary") != "Accept-Encoding" {
		t.Errorf("%s %v", r.body, r.Header)
	}
}

func TestWithoutTheApp(t *testing.T) {
	s := openSite(t, siteConfig{files: fstest.MapFS{".keep": {}}})
	for _, path := range []string{"/", "/sign-in", "/requests"} {
		if r := s.do("GET", path, ""); r.status != 404 || strings.TrimSpace(r.body) != "The web app is not in this binary: build it with make build." {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	s.want(204, "POST", "/auth/sign-in", object("email", "jo@acme.example", "password", goodPassword))
}

// follow returns where a redirect leads.
func (s *site) follow(address string) *url.URL {
	s.t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		s.t.Fatal(err)
	}
	return u
}
