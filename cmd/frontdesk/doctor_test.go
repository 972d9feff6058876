package main

import (
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	neturl "net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/job"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// diagnose runs the doctor, and returns what it found.
func (i *installation) diagnose(args ...string) (all []finding, code int) {
	i.t.Helper()
	out, errs, code := i.run(append([]string{"doctor", "--json"}, args...)...)
	var read struct{ Findings []finding }
	if err := json.Unmarshal([]byte(out), &read); err != nil {
		i.t.Fatalf("%v: %s%s", err, out, errs)
	}
	return read.Findings, code
}

// wantFinding fails the test unless one of the findings has a level and says something.
func wantFinding(t *testing.T, all []finding, l level, check, says string) {
	t.Helper()
	if !slices.ContainsFunc(all, func(f finding) bool { return f.Level == l && f.Check == check && strings.Contains(f.Says, says) }) {
		t.Errorf("the doctor does not say: %s %s %q. It says:\n%s", l, check, says, listed(all))
	}
}

func listed(all []finding) (text string) {
	for _, f := range all {
		text += fmt.Sprintf("%s\t%s\t%s → %s\n", f.Level, f.Check, f.Says, f.Do)
	}
	return text
}

// In a set-up that works, the doctor finds nothing wrong, on both engines. It changes no
// file.
func TestDoctorOfAHealthyServer(t *testing.T) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, url string) {
		if u, err := neturl.Parse(url); err == nil && u.Scheme != "" { // the server for tests does not wait for its disk
			q := u.Query()
			q.Set("synchronous_commit", "on")
			u.RawQuery = q.Encode()
			url = u.String()
		}
		in := install(t, url)
		in.account()
		p := in.start()
		must(t, os.Chmod(in.dir, 0o700))
		before := files(t, in.dir)
		await(t, "nothing left undone", func() bool {
			all, _ := in.diagnose("--addr", strings.TrimPrefix(p.url, "http://"), "--url", p.url)
			return slices.ContainsFunc(all, func(f finding) bool { return f == ok("background work", "Nothing is left undone.") })
		})
		all, code := in.diagnose("--addr", strings.TrimPrefix(p.url, "http://"), "--url", p.url)
		if code != 0 || slices.ContainsFunc(all, func(f finding) bool { return f.Level == isWrong }) {
			t.Errorf("exit %d:\n%s", code, listed(all))
		}
		wantFinding(t, all, isOK, "settings", "Every setting can be read.")
		wantFinding(t, all, isOK, "data folder", "can be written to")
		wantFinding(t, all, isOK, "database", "its schema is up to date")
		wantFinding(t, all, isOK, "key", "The key is that of this database.")
		wantFinding(t, all, isOK, "address", p.url+" answers")
		wantFinding(t, all, isNote, "chat", "No Slack app")
		wantFinding(t, all, isNote, "mail", "There is no mail")
		if sqldb.EngineOf(url) == sqldb.Postgres {
			wantFinding(t, all, isNote, "attachments", "other nodes cannot read")
			wantFinding(t, all, isOK, "clock", "agree")
		} else {
			wantFinding(t, all, isOK, "attachments", "takes files and gives them back")
		}
		if after := files(t, in.dir); !slices.Equal(after, before) {
			t.Errorf("files before: %q, after: %q", before, after)
		}
		out, _, _ := in.run("doctor")
		if !strings.Contains(out, "note") || !strings.Contains(out, "→ Set FRONTDESK_URL") {
			t.Errorf("it prints:\n%s", out)
		}
	})
}

// files lists what is in a folder, without what SQLite keeps beside a database.
func files(t *testing.T, dir string) (names []string) {
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !strings.HasSuffix(path, "-wal") && !strings.HasSuffix(path, "-shm") {
			names = append(names, path)
		}
		return err
	}))
	return names
}

// Before the first start there is nothing to find, and the doctor creates nothing.
func TestDoctorBeforeTheFirstStart(t *testing.T) {
	t.Parallel()
	in := install(t, filepath.Join(t.TempDir(), "frontdesk.db"))
	data := filepath.Join(in.dir, "data")
	all, code := in.diagnose("--data", data)
	if code != 0 {
		t.Errorf("exit %d", code)
	}
	for _, check := range []string{"data folder", "database", "key", "attachments"} {
		wantFinding(t, all, isNote, check, "first start creates")
	}
	if _, err := os.Stat(data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the doctor created the data folder: %v", err)
	}
}

// Each set-up has one thing wrong, and the doctor says which.
func TestDoctorFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	elsewhere := freeAddr(t)
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	open, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { open.Close() })
	for name, c := range map[string]struct {
		args  []string
		spoil func(t *testing.T, in *installation)
		level level
		check string
		says  string
	}{
		"half a Slack app":      {[]string{"--slack-client-id", "1.2"}, nil, isWrong, "settings", "set all three"},
		"two chat systems":      {[]string{"--slack-client-id", "1.2", "--sandbox"}, nil, isWrong, "settings", "Choose between the sandbox and a Slack app"},
		"half a provider":       {[]string{"--oidc-issuer", "https://id.test"}, nil, isWrong, "settings", "FRONTDESK_OIDC_CLIENT_ID"},
		"half a model":          {[]string{"--ai-url", "https://ai.test"}, nil, isWrong, "settings", "FRONTDESK_AI_MODEL"},
		"a bad proxy":           {[]string{"--trusted-proxies", "proxy"}, nil, isWrong, "settings", "FRONTDESK_TRUSTED_PROXIES"},
		"half a certificate":    {[]string{"--mail-tls-cert", file}, nil, isWrong, "settings", "FRONTDESK_MAIL_TLS_KEY"},
		"mail without a domain": {[]string{"--mail-listen", ":25"}, nil, isWrong, "settings", "FRONTDESK_MAIL_DOMAIN"},
		"bad peers":             {[]string{"--mail-peers", "x"}, nil, isWrong, "settings", "FRONTDESK_MAIL_PEERS"},
		"a bad outbound proxy":  {[]string{"--outbound-proxy", "ftp://x"}, nil, isWrong, "settings", "FRONTDESK_OUTBOUND_PROXY"},
		"data is a file":        {[]string{"--data", file}, nil, isWrong, "data folder", "is not a folder"},
		"data is open":          {nil, func(t *testing.T, in *installation) { must(t, os.Chmod(in.dir, 0o755)) }, isNote, "data folder", "Other users"},
		"another kind of URL":   {[]string{"--database-url", "mysql://x"}, nil, isWrong, "database", "must begin with postgres://"},
		"no database there":     {[]string{"--database-url", "postgres://x@" + elsewhere + "/x"}, nil, isWrong, "database", elsewhere},
		"not a database": {nil, func(t *testing.T, in *installation) {
			spoilFile(t, in, "frontdesk.db", strings.Repeat("no database", 99))
		}, isWrong, "database", "not a database"},
		"an old schema":           {nil, setSchemaVersion(-1), isNote, "database", "older version"},
		"a new schema":            {nil, setSchemaVersion(1), isWrong, "database", "use the program that wrote it"},
		"another key":             {nil, func(t *testing.T, in *installation) { spoilFile(t, in, "key", newKeyText(t)) }, isWrong, "key", "not that of this database"},
		"half a key":              {nil, func(t *testing.T, in *installation) { spoilFile(t, in, "key", "abc") }, isWrong, "key", "is not a key"},
		"no key":                  {nil, func(t *testing.T, in *installation) { must(t, os.Remove(filepath.Join(in.dir, "key"))) }, isWrong, "key", "There is no key file"},
		"an open key":             {nil, func(t *testing.T, in *installation) { must(t, os.Chmod(filepath.Join(in.dir, "key"), 0o644)) }, isNote, "key", "can read"},
		"not an address":          {[]string{"--url", "desk.test"}, nil, isWrong, "address", "is not an address"},
		"http":                    {[]string{"--url", "http://desk.test"}, nil, isWrong, "address", "is not https"},
		"a proxy without trust":   {[]string{"--url", "https://desk.test"}, nil, isWrong, "address", "FRONTDESK_TRUSTED_PROXIES is not set"},
		"nobody there":            {[]string{"--url", "http://" + elsewhere, "--addr", elsewhere}, nil, isNote, "address", "No server answers"},
		"metrics for all":         {[]string{"--url", "http://" + elsewhere, "--addr", elsewhere, "--operations-addr", "0.0.0.0:8081"}, nil, isNote, "address", "Metrics and profiles"},
		"attachments in a file":   {[]string{"--attachments", file}, nil, isWrong, "attachments", "cannot be used"},
		"no bucket":               {[]string{"--s3-endpoint", elsewhere, "--s3-bucket", "b", "--s3-access-key", "a", "--s3-secret-key", "s", "--s3-insecure"}, nil, isWrong, "attachments", "cannot be used"},
		"no backups":              {nil, nil, isNote, "backups", "There are no backups"},
		"no place yet":            {[]string{"--backup-to", file + ".none"}, nil, isNote, "backups", "The first backup creates it"},
		"an empty place":          {[]string{"--backup-to", t.TempDir()}, nil, isNote, "backups", "has no backup yet"},
		"backups in a file":       {[]string{"--backup-to", file}, nil, isWrong, "backups", "not a directory"},
		"an odd place":            {[]string{"--backup-to", "ftp://host/x"}, nil, isWrong, "backups", "folder or to s3"},
		"no bucket for backups":   {[]string{"--backup-to", "s3://a:s@" + elsewhere + "/b?insecure=true"}, nil, isWrong, "backups", "Backups: the store cannot be used"},
		"no backup key":           {[]string{"--backup-to", t.TempDir(), "--backup-key-file", file + ".none"}, nil, isWrong, "backups", "Read the backup key"},
		"half a backup key":       {[]string{"--backup-to", t.TempDir(), "--backup-key-file", file}, nil, isWrong, "backups", "32 random bytes"},
		"keeping nothing":         {[]string{"--backup-keep", "forever"}, nil, isWrong, "settings", "FRONTDESK_BACKUP_KEEP"},
		"backups too often":       {[]string{"--backup-every", "1s"}, nil, isWrong, "settings", "FRONTDESK_BACKUP_EVERY"},
		"the sandbox for all":     {[]string{"--sandbox-remote", "--url", "https://desk.test", "--trusted-proxies", "127.0.0.1"}, nil, isWrong, "chat", "Everybody"},
		"the sandbox":             {[]string{"--sandbox"}, nil, isNote, "chat", "instead of Slack"},
		"Slack without https":     {[]string{"--slack-client-id", "1", "--slack-client-secret", "2", "--slack-signing-secret", "3"}, nil, isWrong, "chat", "https"},
		"Slack":                   {[]string{"--slack-client-id", "1", "--slack-client-secret", "2", "--slack-signing-secret", "3", "--url", "https://desk.test"}, nil, isOK, "chat", "Slack app is set"},
		"no relay there":          {[]string{"--mail-domain", "reply.test", "--mail-relay", "smtp://" + elsewhere}, nil, isWrong, "mail", "does not take mail"},
		"no relay":                {[]string{"--mail-domain", "reply.test"}, nil, isNote, "mail", "No mail is sent"},
		"mail from mailboxes":     {[]string{"--mail-domain", "reply.test"}, nil, isNote, "mail", "only from mailboxes"},
		"no outbound proxy there": {[]string{"--outbound-proxy", "http://" + elsewhere}, nil, isWrong, "outbound proxy", "cannot be reached"},
		"an outbound proxy":       {[]string{"--outbound-proxy", "http://" + open.Addr().String()}, nil, isOK, "outbound proxy", "can be reached"},
		"a dead job":              {nil, addJobs("dead_at = run_at"), isWrong, "background work", "Jobs that failed for good: 1."},
		"a job that waits":        {nil, addJobs("attempt = 0"), isWrong, "background work", "Jobs that should have run: 1, the first of them 1h0m0s ago"},
		"events that wait":        {nil, unnumber, isWrong, "background work", "after more than a minute: 1."},
		"a search index behind":   {nil, forgetIndex, isNote, "search", "behind: 1."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := install(t, dbtest.URL(t, sqldb.SQLite))
			in.account()
			if c.spoil != nil {
				c.spoil(t, in)
			}
			all, code := in.diagnose(c.args...)
			wantFinding(t, all, c.level, c.check, c.says)
			for _, f := range all {
				if f.Level == isWrong && f.Do == "" && f.Check != "database" {
					t.Errorf("it does not say what to do: %+v", f)
				}
			}
			if c.level == isWrong && code != exitFailed {
				t.Errorf("exit %d", code)
			}
		})
	}
}

func spoilFile(t *testing.T, in *installation, name, text string) {
	must(t, os.WriteFile(filepath.Join(in.dir, name), []byte(text), 0o600))
}

func newKeyText(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "key")
	_, err := seal.LoadKey(path)
	must(t, err)
	text, err := os.ReadFile(path)
	must(t, err)
	return string(text)
}

// onDatabase changes the database of an installation.
func onDatabase(t *testing.T, in *installation, fn func(*sqldb.Tx) error) {
	t.Helper()
	db := dbtest.Open(t, sqldb.Config{URL: filepath.Join(in.dir, "frontdesk.db")})
	must(t, db.Write(t.Context(), fn))
	db.Close()
}

// setSchemaVersion makes the schema look older or newer than it is.
func setSchemaVersion(by int) func(*testing.T, *installation) {
	return func(t *testing.T, in *installation) {
		onDatabase(t, in, func(tx *sqldb.Tx) error {
			if by < 0 {
				return tx.Do("DELETE FROM schema_migrations WHERE version = (SELECT max(version) FROM schema_migrations)")
			}
			return tx.Do("INSERT INTO schema_migrations (version, name, applied_at) SELECT max(version) + 1, 'later', 0 FROM schema_migrations")
		})
	}
}

// aJob is a job that nobody works on.
type aJob struct{}

func (aJob) Kind() string { return "test.doctor" }

// addJobs adds a job that should have run an hour ago, and changes it.
func addJobs(set string) func(*testing.T, *installation) {
	return func(t *testing.T, in *installation) {
		onDatabase(t, in, func(tx *sqldb.Tx) error {
			if err := tx.Do("DELETE FROM jobs"); err != nil {
				return err
			}
			ago := time.Now().Add(-time.Hour)
			if err := job.Add(tx, aJob{}, ago); err != nil {
				return err
			}
			return tx.Do("UPDATE jobs SET "+set+" WHERE run_at <= $1", ago.UnixMilli())
		})
	}
}

// unnumber makes one event look as if nobody had numbered it.
func unnumber(t *testing.T, in *installation) {
	onDatabase(t, in, func(tx *sqldb.Tx) error {
		return tx.Do("UPDATE events SET seq = NULL, at = $1 WHERE id = (SELECT max(id) FROM events)", time.Now().Add(-2*time.Minute).UnixMilli())
	})
}

func forgetIndex(t *testing.T, in *installation) {
	onDatabase(t, in, func(tx *sqldb.Tx) error { return tx.Do("DELETE FROM search_progress") })
}

// The doctor knows how old the newest backup is, and whether it can be read. It leaves
// the place as it is.
func TestDoctorLooksAtBackups(t *testing.T) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, url string) {
		in := install(t, url)
		in.account()
		place, key := filepath.Join(t.TempDir(), "backups"), newKeyFile(t)
		in.env = append(in.env, "FRONTDESK_BACKUP_TO="+place, "FRONTDESK_BACKUP_KEY_FILE="+key)
		in.mustRun("backup")
		before := files(t, place)
		all, _ := in.diagnose()
		wantFinding(t, all, isOK, "backups", "The newest one is of 20")
		wantFinding(t, all, isNote, "backups", "is on the disk of the data folder")
		all, _ = in.diagnose("--backup-every", "0")
		wantFinding(t, all, isNote, "backups", "FRONTDESK_BACKUP_EVERY is 0")
		must(t, os.Chmod(key, 0o644))
		all, _ = in.diagnose()
		wantFinding(t, all, isNote, "backups", "can read "+key)
		all, code := in.diagnose("--backup-key-file", newKeyFile(t))
		wantFinding(t, all, isWrong, "backups", "another key")
		if code != exitFailed {
			t.Errorf("exit %d", code)
		}
		all, _ = in.diagnose("--backup-key-file", "")
		wantFinding(t, all, isWrong, "backups", "is encrypted")
		if after := files(t, place); !slices.Equal(after, before) {
			t.Errorf("files before: %q, after: %q", before, after)
		}
	})
}

// A relay that takes mail is found.
func TestDoctorFindsTheRelay(t *testing.T) {
	t.Parallel()
	in := install(t, dbtest.URL(t, sqldb.SQLite))
	mail := freeAddr(t)
	in.start("--mail-domain", "reply.test", "--mail-listen", mail) // it speaks SMTP as a relay does
	all, _ := in.diagnose("--mail-domain", "reply.test", "--mail-relay", "smtp://"+mail)
	wantFinding(t, all, isOK, "mail", "takes mail")
	wantFinding(t, all, isNote, "mail", "not signed")
}

// A proxy that leads elsewhere is told from a server that does not run.
func TestDoctorFindsAProxyThatLeadsElsewhere(t *testing.T) {
	t.Parallel()
	in := install(t, dbtest.URL(t, sqldb.SQLite))
	p := in.start()
	proxy := httptest.NewServer(http.NotFoundHandler())
	defer proxy.Close()
	all, code := in.diagnose("--addr", strings.TrimPrefix(p.url, "http://"), "--url", proxy.URL)
	wantFinding(t, all, isWrong, "address", "does not lead to it: it answers 404 Not Found")
	if code != exitFailed {
		t.Errorf("exit %d", code)
	}
}

// What the doctor says about a PostgreSQL server, without one for each case.
func TestDoctorJudgesPostgres(t *testing.T) {
	t.Parallel()
	good := postgresState{version: 170004, connections: 100, reserved: 3, synchronous: "on", readOnly: "off", statementTimeout: "0", idleSessions: "0"}
	for _, c := range []struct {
		change func(*postgresState)
		level  level
		says   string
	}{
		{func(*postgresState) {}, isOK, "enough for 4 nodes"},
		{func(p *postgresState) { p.version = 130011 }, isNote, "Version 13 is old"},
		{func(p *postgresState) { p.replica = true }, isWrong, "does not take changes"},
		{func(p *postgresState) { p.readOnly = "on" }, isWrong, "does not take changes"},
		{func(p *postgresState) { p.synchronous = "off" }, isWrong, "acknowledged can be gone"},
		{func(p *postgresState) { p.connections = 26 }, isWrong, "allows 23 connections"},
		{func(p *postgresState) { p.connections = 27 }, isNote, "enough for one node"},
		{func(p *postgresState) { p.connections = 51 }, isOK, "enough for 2 nodes"},
		{func(p *postgresState) { p.statementTimeout = "30s" }, isNote, "statement_timeout is 30s"},
		{func(p *postgresState) { p.idleSessions = "5min" }, isNote, "idle_session_timeout is 5min"},
	} {
		p := good
		c.change(&p)
		all := p.judge(24)
		wantFinding(t, all, c.level, "PostgreSQL", c.says)
		if c.level == isOK && len(all) != 1 {
			t.Errorf("more than one thing about a good server:\n%s", listed(all))
		}
	}
}

// A copy of the database must fit beside it.
func TestDoctorJudgesTheRoomForACopy(t *testing.T) {
	t.Parallel()
	if all := judgeCopyRoom("x", 2<<30, 1<<30); len(all) > 0 {
		t.Errorf("with enough room: %s", listed(all))
	}
	wantFinding(t, judgeCopyRoom("x", 1<<30, 1<<30), isWrong, "backups", "needs room for a copy")
}

func TestDoctorJudgesNumbers(t *testing.T) {
	t.Parallel()
	now := time.Now()
	certificate := func(left time.Duration) *x509.Certificate { return &x509.Certificate{NotAfter: now.Add(left)} }
	for _, c := range []struct {
		got  finding
		want level
	}{
		{judgeSpace("x", 100<<20, ""), isWrong},
		{judgeSpace("x", 1<<30, ""), isNote},
		{judgeSpace("x", 3<<30, ""), isOK},
		{judgeBackup(now.Add(-49*time.Hour), now, 24*time.Hour), isWrong},
		{judgeBackup(now.Add(-47*time.Hour), now, 24*time.Hour), isOK},
		{judgeBackup(now, now, 0), isNote},
		{judgeSkew(-2*time.Minute, 0), isWrong},
		{judgeReplica(nil), isOK},
		{judgeReplica(errors.New("it is away")), isNote},
		{judgeSkew(3*time.Second, time.Millisecond), isNote},
		{judgeSkew(3*time.Second, 2*time.Second), isOK}, // the answer took so long
		{judgeSkew(time.Second, 0), isOK},
		{judgeCertificate("x", certificate(-time.Hour), now), isWrong},
		{judgeCertificate("x", certificate(24*time.Hour), now), isNote},
		{judgeCertificate("x", certificate(90*24*time.Hour), now), isOK},
		{judgeFiles(1024), isNote},
		{judgeFiles(1 << 20), isOK},
		{judgeMemory(128 << 20), isNote},
		{judgeMemory(512 << 20), isOK},
	} {
		if c.got.Level != c.want {
			t.Errorf("got %+v, want %s", c.got, c.want)
		}
	}
}
