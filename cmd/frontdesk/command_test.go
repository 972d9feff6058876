package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// The first steps of a new user with an empty folder, and of an operator with
// PostgreSQL: create an account and a token, serve, use the API, back up, stop, and
// run the copy.
func TestFromAnEmptyFolderToABackup(t *testing.T) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, url string) {
		in := install(t, url)
		out := in.mustRun("account", "create", "--name", "Acme Support", "--email", "mira@acme.test", "--person", "Mira")
		if !strings.Contains(out, "frontdesk token create --email mira@acme.test") {
			t.Errorf("account create does not say what comes next: %s", out)
		}
		token := in.mustRun("token", "create", "--email", "MIRA@acme.test", "--scope", "read_write", "--expires", "720h")
		if !regexp.MustCompile(`^fd_[a-z0-9]{34}\n$`).MatchString(token) {
			t.Fatalf("token create printed %q, not a token alone", token)
		}
		token = strings.TrimSpace(token)

		p := in.start("--url", "https://desk.acme.test")
		wantHTTPS(t, p, "max-age=31536000")
		var account struct {
			Account struct {
				Name      string
				KeyPrefix string `json:"key_prefix"`
				PublicURL string `json:"public_url"`
			}
		}
		p.get(t, token, "/account", &account)
		if a := account.Account; a.Name != "Acme Support" || a.KeyPrefix != "ACME" || a.PublicURL != "https://desk.acme.test" {
			t.Errorf("account: %+v", a)
		}
		// The command line works on the same data while the server runs.
		second := strings.TrimSpace(in.mustRun("token", "create", "--email", "mira@acme.test", "--scope", "read_only"))
		p.get(t, second, "/members", &struct{}{})

		path := filepath.Join(t.TempDir(), "copy.db")
		if out := in.mustRun("backup", path); !strings.Contains(out, "key") {
			t.Errorf("backup does not mention the key: %s", out)
		}
		must(t, p.Process.Signal(syscall.SIGTERM))
		if err := p.Wait(); err != nil {
			t.Errorf("stopped with %v:\n%s", err, p.logs)
		}

		// The copy works as an installation, together with the key.
		restored := install(t, filepath.Join(t.TempDir(), "frontdesk.db"))
		copyFile(t, path, filepath.Join(restored.dir, "frontdesk.db"))
		copyFile(t, filepath.Join(in.dir, "key"), filepath.Join(restored.dir, "key"))
		p = restored.start()
		wantHTTPS(t, p, "") // its address is not https
		p.get(t, token, "/account", &account)
		if account.Account.Name != "Acme Support" {
			t.Errorf("the restored account: %+v", account)
		}
	})
}

// Only the owner can read the files, whatever the umask. The next start closes files
// that an earlier version left open to others.
func TestFilesAreForTheirOwnerAlone(t *testing.T) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, url string) {
		in := install(t, url)
		in.dir = t.TempDir()
		data, backups := filepath.Join(in.dir, "new", "data"), filepath.Join(in.dir, "backups")
		in.env = append(in.env, "FRONTDESK_DATA="+data)
		in.umask = "000"
		wantPrivate := func(when string, names ...string) {
			t.Helper()
			for _, name := range names {
				if _, err := os.Stat(filepath.Join(in.dir, name)); err != nil {
					t.Errorf("%s: %v", when, err)
				}
			}
			must(t, filepath.WalkDir(in.dir, func(path string, d fs.DirEntry, err error) error {
				if err != nil || path == in.dir {
					return err
				}
				info, err := d.Info()
				if errors.Is(err, fs.ErrNotExist) {
					return nil // a temporary file
				}
				want := fs.FileMode(0o600)
				if d.IsDir() {
					want = 0o700
				}
				if err == nil && info.Mode().Perm() != want {
					t.Errorf("%s: %s has the mode %s, want %s", when, path, info.Mode().Perm(), want)
				}
				return err
			}))
		}
		kept := []string{"new/data/key"}
		if sqldb.EngineOf(url) == sqldb.SQLite {
			kept = append(kept, "new/data/frontdesk.db")
		}
		in.account()
		wantPrivate("an account is made", kept...)
		in.mustRun("backup", filepath.Join(backups, "copy.db"))
		wantPrivate("a backup", "backups/copy.db")
		for _, name := range kept {
			must(t, os.Chmod(filepath.Join(in.dir, name), 0o644))
		}
		in.start("--sandbox")
		if len(kept) > 1 {
			kept = append(kept, "new/data/frontdesk.db-wal", "new/data/frontdesk.db-shm")
		}
		wantPrivate("the server runs", append(kept, "new/data/sandbox.db", "new/data/sandbox.db-wal")...)
	})
}

func copyFile(t *testing.T, from, to string) {
	b, err := os.ReadFile(from)
	must(t, err)
	must(t, os.WriteFile(to, b, 0o600))
}

// wantHTTPS checks the header that tells browsers to use https, on every kind of path.
func wantHTTPS(t *testing.T, p *process, want string) {
	t.Helper()
	for _, path := range []string{"/", "/auth", "/v1/rest/account", "/docs/", "/survey/x", "/healthz", "/nothing"} {
		r, err := http.Get(p.url + path)
		must(t, err)
		r.Body.Close()
		if got := r.Header.Get("Strict-Transport-Security"); got != want {
			t.Errorf("%s says %q, want %q", path, got, want)
		}
	}
}

func TestShutdownFinishesWhatIsInFlight(t *testing.T) {
	t.Parallel()
	in := install(t, dbtest.URL(t, sqldb.SQLite))
	token := in.account()
	p := in.start()
	// A call whose body is still on its way when the signal arrives.
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	must(t, err)
	defer conn.Close()
	body := `{"email":"late@acme.test"}`
	_, err = io.WriteString(conn, "POST /v1/rest/members HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer "+token+
		"\r\nExpect: 100-continue\r\nContent-Length: 26\r\n\r\n")
	must(t, err)
	r := bufio.NewReader(conn)
	line, err := r.ReadString('\n') // the server asks for the body: the call is in flight
	must(t, err)
	if !strings.Contains(line, "100 Continue") {
		t.Fatalf("answered %q", line)
	}
	_, err = r.ReadString('\n')
	must(t, err)
	must(t, p.Process.Signal(syscall.SIGTERM))
	for { // until new connections are refused
		if c, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://")); err != nil {
			break
		} else {
			c.Close()
		}
	}
	_, err = io.WriteString(conn, body)
	must(t, err)
	answer, err := http.ReadResponse(r, nil)
	must(t, err)
	if answer.StatusCode != http.StatusCreated {
		t.Errorf("the call in flight was answered %s", answer.Status)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("stopped with %v:\n%s", err, p.logs)
	}
}

// An event stream would never end by itself. A shutdown ends it at once.
func TestShutdownEndsStreams(t *testing.T) {
	t.Parallel()
	in := install(t, dbtest.URL(t, sqldb.SQLite))
	token := in.account()
	p := in.start("--shutdown-grace", "1h")
	req, err := http.NewRequest("GET", p.url+"/v1/rest/events/stream", nil)
	must(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	w, err := http.DefaultClient.Do(req)
	must(t, err)
	defer w.Body.Close()
	r := bufio.NewReader(w.Body)
	if line, err := r.ReadString('\n'); err != nil || !strings.HasPrefix(line, "retry:") {
		t.Fatalf("the stream begins with %q: %v", line, err)
	}
	must(t, p.Process.Signal(syscall.SIGTERM))
	if _, err := io.ReadAll(r); err != nil {
		t.Errorf("the stream broke off: %v", err)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("stopped with %v:\n%s", err, p.logs)
	}
}

func TestHealthMetricsAndProfiles(t *testing.T) {
	t.Parallel()
	in := install(t, dbtest.URL(t, sqldb.SQLite))
	token := in.account()
	operations := freeAddr(t)
	p := in.start("--operations-addr", operations, "--operations-hosts", "metrics.acme.test", "--log-format", "json", "--log-level", "debug")
	p.get(t, token, "/account", &struct{}{})
	for path, want := range map[string]string{
		p.url + "/healthz":                             "ok",
		p.url + "/readyz":                              "ok",
		"http://" + operations + "/healthz":            "ok",
		"http://" + operations + "/metrics":            `frontdesk_http_call_duration_seconds_count{method="GET",operation="getAccount",status="200"} 1`,
		"http://" + operations + "/debug/pprof/":       "goroutine",
		"http://" + operations + "/debug/pprof/symbol": "num_symbols",
	} {
		r, err := http.Get(path)
		must(t, err)
		b, err := io.ReadAll(r.Body)
		must(t, err)
		r.Body.Close()
		if r.StatusCode != 200 || !strings.Contains(string(b), want) {
			t.Errorf("GET %s: %s, without %q", path, r.Status, want)
		}
	}
	// A page of another site could point its own name at this address.
	for host, want := range map[string]int{"evil.example": 403, "127.0.0.1.evil.example:80": 403, "localhost.": 200, "LOCALHOST:1": 200, "[::1]:1": 200, "10.1.2.3": 200, "frontdesk:8081": 200, "Metrics.acme.test:8081": 200} {
		for _, path := range []string{"/metrics", "/debug/pprof/cmdline", "/healthz"} {
			r, err := http.NewRequest("GET", "http://"+operations+path, nil)
			must(t, err)
			r.Host = host
			w, err := http.DefaultClient.Do(r)
			must(t, err)
			w.Body.Close()
			if w.StatusCode != want {
				t.Errorf("%s called as %s: %s, want %d", path, host, w.Status, want)
			}
		}
	}
	// The public address does not serve profiles and metrics.
	for _, path := range []string{"/metrics", "/debug/pprof/"} {
		r, err := http.Get(p.url + path)
		must(t, err)
		r.Body.Close()
		if r.StatusCode != 404 {
			t.Errorf("%s on the public address: %s", path, r.Status)
		}
	}
	if !regexp.MustCompile(`"request_id":"[a-z0-9]{16}","method":"GET","path":"/v1/rest/account","status":200`).MatchString(p.logs.String()) {
		t.Errorf("the log has no structured line with a request id:\n%s", p.logs)
	}
	if strings.Contains(p.logs.String(), token) {
		t.Error("the log shows a token")
	}
}

func TestEveryWrongUseIsAPlainSentence(t *testing.T) {
	t.Parallel()
	in := install(t, dbtest.URL(t, sqldb.SQLite))
	in.account()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer taken.Close()
	closed := freeAddr(t)
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, []byte("FRONTDESK_COLOUR=red\n"), 0o600))
	for name, c := range map[string]struct {
		env  string
		args []string
		code int
		want string
	}{
		"unknown command":      {args: []string{"sreve"}, code: 2, want: "frontdesk help"},
		"missing flag":         {args: []string{"account", "create"}, code: 2, want: "missing flags: --email"},
		"bad email":            {args: []string{"account", "create", "--name", "x", "--email", "nobody"}, code: 1, want: "email must be an email address"},
		"unknown person":       {args: []string{"token", "create", "--email", "no@acme.test", "--scope", "read_only"}, code: 1, want: "frontdesk account create"},
		"bad scope":            {args: []string{"token", "create", "--email", "admin@acme.test", "--scope", "all"}, code: 2, want: "read_only"},
		"token in the past":    {args: []string{"token", "create", "--email", "admin@acme.test", "--scope", "read_only", "--expires=-1h"}, code: 1, want: "in the future"},
		"port taken":           {args: []string{"serve", "--addr", taken.Addr().String()}, code: 1, want: "--addr"},
		"operations taken":     {args: []string{"serve", "--addr", closed, "--operations-addr", taken.Addr().String()}, code: 1, want: "--operations-addr"},
		"broken key":           {env: "FRONTDESK_KEY=short", args: []string{"token", "create", "--email", "admin@acme.test", "--scope", "read_only"}, code: 1, want: "openssl rand -base64 32"},
		"SQLite by URL":        {env: "FRONTDESK_DATABASE_URL=sqlite:x", args: []string{"migrate"}, code: 1, want: "FRONTDESK_DATA"},
		"bad PostgreSQL URL":   {env: "FRONTDESK_DATABASE_URL=postgres://u:secret@[bad/x", args: []string{"migrate"}, code: 1, want: "postgres://user:password@host"},
		"PostgreSQL is away":   {env: "FRONTDESK_DATABASE_URL=postgres://u:secret@" + closed + "/x", args: []string{"serve", "--database-wait", "100ms"}, code: 1, want: closed},
		"settings unknown":     {env: "FRONTDESK_CONFIG=" + file, args: []string{"version"}, code: 2, want: "no setting FRONTDESK_COLOUR"},
		"settings missing":     {env: "FRONTDESK_CONFIG=" + file + "x", args: []string{"version"}, code: 2, want: "no such file"},
		"nothing to retry":     {args: []string{"jobs", "retry"}, code: 1, want: "frontdesk jobs dead"},
		"no such job":          {args: []string{"jobs", "retry", "7"}, code: 1, want: "job 7"},
		"backup on a backup":   {args: []string{"backup", file}, code: 1, want: "choose another name"},
		"data is a file":       {env: "FRONTDESK_DATA=" + file, args: []string{"migrate"}, code: 1, want: "file"},
		"a bad number":         {env: "FRONTDESK_RATE_LIMIT=many", args: []string{"version"}, code: 2, want: "rate-limit"},
		"two chat systems":     {env: "FRONTDESK_SLACK_CLIENT_ID=1.2", args: []string{"serve", "--addr", closed, "--sandbox"}, code: 1, want: "choose between the sandbox and a Slack app"},
		"half a Slack app":     {env: "FRONTDESK_SLACK_CLIENT_ID=1.2", args: []string{"serve", "--addr", closed}, code: 1, want: "set all three"},
		"half a model":         {env: "FRONTDESK_AI_KEY=sk-secret", args: []string{"serve", "--addr", closed, "--ai-url", "https://ai.test/v1"}, code: 1, want: "FRONTDESK_AI_MODEL"},
		"a model nowhere":      {env: "FRONTDESK_AI_KEY=sk-secret", args: []string{"serve", "--addr", closed, "--ai-url", "ai.test", "--ai-model", "m"}, code: 1, want: "http:// or https://"},
		"a model for less":     {args: []string{"serve", "--addr", closed, "--ai-url", "https://ai.test/v1", "--ai-model", "m", "--ai-budget=-1"}, code: 1, want: "FRONTDESK_AI_BUDGET"},
		"no proxy":             {env: "FRONTDESK_TRUSTED_PROXIES=proxy", args: []string{"serve", "--addr", closed}, code: 1, want: "neither an address nor a network"},
		"manifest of nowhere":  {args: []string{"slack", "manifest"}, code: 1, want: "FRONTDESK_URL"},
		"no such chat system":  {args: []string{"account", "create", "--name", "x", "--email", "a@b.test", "--chat", "irc"}, code: 2, want: "sandbox"},
		"a second of one name": {args: []string{"account", "create", "--name", "  ", "--email", "a@b.test"}, code: 1, want: "name must not be empty"},
	} {
		t.Run(name, func(t *testing.T) {
			one := *in
			one.t = t
			if c.env != "" {
				one.env = append(append([]string{}, in.env...), c.env)
			}
			out, errs, code := one.run(c.args...)
			if code != c.code || !strings.Contains(errs, c.want) {
				t.Errorf("exit %d, want %d; said %q, want %q in it", code, c.code, errs, c.want)
			}
			if strings.Contains(errs, "secret") || strings.Contains(errs, "goroutine") || out != "" {
				t.Errorf("said too much: %q %q", out, errs)
			}
		})
	}
}

func TestSettingsFlagOverEnvironmentOverFile(t *testing.T) {
	t.Parallel()
	in := install(t, dbtest.URL(t, sqldb.SQLite))
	token := in.account()
	file := filepath.Join(t.TempDir(), "settings")
	must(t, os.WriteFile(file, []byte("# what is public\nFRONTDESK_URL = https://file.test\nFRONTDESK_RATE_BURST=7\n"), 0o600))
	in.env = append(in.env, "FRONTDESK_CONFIG="+file)
	url := func(p *process) string {
		var a struct {
			Account struct {
				PublicURL string `json:"public_url"`
			}
		}
		p.get(t, token, "/account", &a)
		p.Process.Kill()
		p.Wait()
		return a.Account.PublicURL
	}
	if got := url(in.start()); got != "https://file.test" {
		t.Errorf("from the file: %s", got)
	}
	in.env = append(in.env, "FRONTDESK_URL=https://environment.test")
	if got := url(in.start()); got != "https://environment.test" {
		t.Errorf("from the environment: %s", got)
	}
	if got := url(in.start("--url", "https://flag.test")); got != "https://flag.test" {
		t.Errorf("from the flag: %s", got)
	}
}

func TestHelpNamesEverySettingAndCommand(t *testing.T) {
	t.Parallel()
	in := install(t, filepath.Join(t.TempDir(), "frontdesk.db"))
	out := in.mustRun("help")
	for _, want := range []string{"serve", "demo", "account create", "token create", "audit verify", "audit export", "insights rebuild", "migrate", "reindex", "backup", "version",
		"FRONTDESK_ADDR", "127.0.0.1:8080", "FRONTDESK_DATA", "FRONTDESK_DATABASE_URL", "FRONTDESK_RATE_LIMIT", "600", "FRONTDESK_RATE_BURST", "FRONTDESK_URL"} {
		if !strings.Contains(out, want) {
			t.Errorf("help does not name %s", want)
		}
	}
	if out := in.mustRun("help", "token", "create"); !strings.Contains(out, "--scope") {
		t.Errorf("help token create: %s", out)
	}
	if out := in.mustRun("version"); !strings.HasPrefix(out, "frontdesk ") {
		t.Errorf("version: %s", out)
	}
}

// The lines that the demo prints work when pasted. A demo that other machines can
// reach does not use the well-known password, and calls no private addresses.
func TestDemoPrintsWhatWorks(t *testing.T) {
	t.Parallel()
	in := install(t, filepath.Join(t.TempDir(), "frontdesk.db"))
	addr := freeAddr(t)
	var cookie string
	for start, args := range [][]string{{}, {}, {"--url", "https://desk.example"}} { // each start continues with the same data
		p := in.command(append([]string{"demo", "--addr", addr, "--operations-addr="}, args...)...)
		out, err := p.StdoutPipe()
		must(t, err)
		must(t, p.Start())
		var lines []string
		for s := bufio.NewScanner(out); s.Scan(); {
			lines = append(lines, s.Text())
			if strings.Contains(s.Text(), "Ctrl-C") {
				break
			}
		}
		var pasted []string
		for _, line := range lines {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "T=") || strings.HasPrefix(line, "curl ") {
				pasted = append(pasted, line)
			}
		}
		if len(pasted) < 6 {
			t.Fatalf("the demo printed:\n%s", strings.Join(lines, "\n"))
		}
		answers := shell(t, strings.Join(pasted, "\n"))
		for _, want := range []string{`{"requests":[`, `"email":"ines@harborpine.test"`, `"name":"harbor-and-pine"`, `{"collection":{"id":`, `"name":"Partners"`} {
			if !strings.Contains(answers, want) {
				t.Errorf("pasted, the lines gave %s, without %s", answers, want)
			}
		}
		sign := regexp.MustCompile(`Sign in as (\S+) with the password (\S+)`).FindStringSubmatch(strings.Join(lines, "\n"))
		if sign == nil {
			t.Fatalf("the demo has no sign-in:\n%s", strings.Join(lines, "\n"))
		}
		sessions := func() string { return shell(t, "curl -s -H 'Cookie: "+cookie+"' http://"+addr+"/auth") }
		public := start == 2
		for _, email := range []string{sign[1], "maya@acme.test"} {
			status, signedIn := post(t, "http://"+addr+"/auth/sign-in", fmt.Sprintf(`{"email":%q,"password":%q}`, email, sign[2]))
			if status != 204 || cookie != "" && !public && sessions() != `{"signed_in":true,"first_run":false,"provider":null}`+"\n" {
				t.Errorf("%s: %d, or the session of the first start is over", email, status)
			}
			if known, _ := post(t, "http://"+addr+"/auth/sign-in", fmt.Sprintf(`{"email":%q,"password":"frontdesk-demo"}`, email)); (known == 204) == public {
				t.Errorf("at an address that is public: %t: with the password that everybody knows %s gets %d", public, email, known)
			}
			if !public {
				cookie = signedIn
			}
		}
		if public && !strings.Contains(sessions(), `"signed_in":false`) {
			t.Errorf("who signed in with the password that everybody knows still is: %s", sessions())
		}
		status := shell(t, pasted[0]+`
			curl -s -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $T" -H 'Content-Type: application/json' http://`+addr+`/v1/rest/webhooks -d '{"name":"near","url":"http://10.0.0.1/hook","events":["request.created"]}'`)
		if want := map[bool]string{false: "201", true: "400"}[public]; status != want {
			t.Errorf("at an address that is public: %t: a webhook to a private address gets %s, not %s", public, status, want)
		}
		must(t, p.Process.Signal(os.Interrupt))
		if err := p.Wait(); err != nil {
			t.Errorf("Ctrl-C ended the demo with %v", err)
		}
	}
}
