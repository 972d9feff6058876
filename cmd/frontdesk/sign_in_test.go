package main

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"frontdesk/internal/sqldb/dbtest"
)

// Anyone with the link in the log can claim a new server. The command line lets members
// in who are locked out.
func TestSignInByTheBinary(t *testing.T) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, url string) {
		in := install(t, url)
		p := in.start()
		var code string
		await(t, "the address of the first run", func() bool {
			_, rest, _ := strings.Cut(p.logs.String(), p.url+"/first-run#")
			before, _, ok := strings.Cut(rest, "\n")
			code = before
			return ok
		})
		if status, _ := post(t, p.url+"/auth/first-run", `{"code":"`+code+`","account_name":"Acme","email":"jo@acme.test","password":"first password"}`); status != 204 {
			t.Fatalf("the first run: %d\n%s", status, p.logs)
		}
		signs := func(password string, want int) (cookie string) {
			t.Helper()
			status, cookie := post(t, p.url+"/auth/sign-in", `{"email":"jo@acme.test","password":"`+password+`"}`)
			if status != want {
				t.Errorf("%s: %d, want %d", password, status, want)
			}
			return cookie
		}
		cookie := signs("first password", 204)
		r, err := http.NewRequest("GET", p.url+"/v1/rest/me", nil)
		must(t, err)
		r.Header.Set("Cookie", cookie)
		w, err := http.DefaultClient.Do(r)
		must(t, err)
		body, err := io.ReadAll(w.Body)
		must(t, err)
		w.Body.Close()
		if w.StatusCode != 200 || !strings.Contains(string(body), `"email":"jo@acme.test"`) {
			t.Errorf("/me: %d %s", w.StatusCode, body)
		}

		in.stdin = "second password\n"
		if out := in.mustRun("member", "password", "--email", "jo@acme.test"); !strings.Contains(out, "Set the password of jo@acme.test.") {
			t.Errorf("it says %s", out)
		}
		signs("first password", 401)
		signs("second password", 204)
		link := strings.TrimSpace(in.mustRun("member", "invite", "--email", "jo@acme.test"))
		_, invitation, ok := strings.Cut(link, "/welcome#")
		if !ok {
			t.Fatalf("the link is %s", link)
		}
		if status, _ := post(t, p.url+"/auth/welcome", `{"invitation":"`+invitation+`","password":"third password"}`); status != 204 {
			t.Errorf("welcome: %d", status)
		}
		signs("third password", 204)

		in.stdin = "a good password"
		if out := in.mustRun("account", "create", "--name", "Globex", "--email", "ada@globex.test", "--password"); !strings.Contains(out, "can sign in") {
			t.Errorf("it says %s", out)
		}
		if status, _ := post(t, p.url+"/auth/sign-in", `{"email":"ada@globex.test","password":"a good password"}`); status != 204 {
			t.Errorf("the admin of an account that was made here: %d", status)
		}
		in.stdin = "short\n"
		if _, errs, code := in.run("account", "create", "--name", "Initech", "--email", "x@initech.test", "--password"); code != 1 || !strings.Contains(errs, "10 to 200 characters") {
			t.Errorf("a short password: %d %s", code, errs)
		}
		in.stdin = ""
		if _, errs, code := in.run("member", "password", "--email", "jo@acme.test"); code != 1 || !strings.Contains(errs, "standard input") {
			t.Errorf("no password: %d %s", code, errs)
		}
	})
}

func post(t *testing.T, url, body string) (status int, cookie string) {
	t.Helper()
	w, err := http.Post(url, "application/json", bytes.NewBufferString(body))
	must(t, err)
	w.Body.Close()
	cookie, _, _ = strings.Cut(w.Header.Get("Set-Cookie"), ";")
	return w.StatusCode, cookie
}

func TestHalfAProvider(t *testing.T) {
	t.Parallel()
	in := install(t, t.TempDir()+"/x.db")
	if _, errs, code := in.run("serve", "--addr", "127.0.0.1:0", "--operations-addr=", "--oidc-issuer", "https://id.example"); code != 1 || !strings.Contains(errs, "FRONTDESK_OIDC_CLIENT_ID") {
		t.Errorf("%d %s", code, errs)
	}
}
