package dbtest

import (
	"context"
	"database/sql"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// Server is a PostgreSQL server of a test's own, for what would disturb other tests at
// the one that they share. It listens at a socket in its folder.
type Server struct {
	URL  string
	data string
	bin  string
	stop func()
}

// StartServer starts a server with settings such as fsync=off. It has the version of the
// server that tests share.
func StartServer(t testing.TB, settings ...string) *Server {
	t.Helper()
	admin, err := sql.Open("pgx", shared(t))
	check(t, err)
	defer admin.Close()
	s := &Server{data: filepath.Join(folderOfNobody(t), "data")}
	check(t, admin.QueryRow("SELECT setting FROM pg_config WHERE name = 'BINDIR'").Scan(&s.bin))
	s.run(t, "initdb", "--pgdata="+s.data, "--username=frontdesk", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
	s.start(t, append(settings, "fsync=off", "full_page_writes=off", "autovacuum=off", "jit=off"))
	return s
}

// StartReplica starts a standby of the server, with a copy of its data.
func (s *Server) StartReplica(t testing.TB, settings ...string) *Server {
	t.Helper()
	r := &Server{data: filepath.Join(folderOfNobody(t), "data"), bin: s.bin}
	r.run(t, "pg_basebackup", "--pgdata="+r.data, "--dbname="+s.URL, "--write-recovery-conf", "--checkpoint=fast", "--no-sync")
	r.start(t, append(settings, "fsync=off", "jit=off"))
	return r
}

// start starts the server, and waits until it takes connections.
func (s *Server) start(t testing.TB, settings []string) {
	t.Helper()
	folder := filepath.Dir(s.data)
	args := []string{"-D", s.data, "-c", "listen_addresses=", "-c", "unix_socket_directories=" + folder}
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	s.stop = startAsNobody(t, folder, nil, filepath.Join(s.bin, "postgres"), args...)
	s.URL = (&url.URL{Scheme: "postgres", User: url.User("frontdesk"), Path: "/postgres", RawQuery: url.Values{"host": {folder}, "sslmode": {"disable"}}.Encode()}).String()
	db, err := sql.Open("pgx", s.URL)
	check(t, err)
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for db.PingContext(ctx) != nil {
		if ctx.Err() != nil {
			log, _ := os.ReadFile(filepath.Join(folder, "log"))
			t.Fatalf("PostgreSQL did not start:\n%s", log)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Kill ends the server as a power cut would.
func (s *Server) Kill() { s.stop() }

// run runs a program of PostgreSQL.
func (s *Server) run(t testing.TB, program string, args ...string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(s.bin, program), args...)
	cmd.Dir, cmd.SysProcAttr = "/", asNobody(t)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
}

// folderOfNobody makes a folder for a server. t.TempDir would not do, because nobody
// could not enter it.
func folderOfNobody(t testing.TB) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "server")
	check(t, err)
	t.Cleanup(func() { os.RemoveAll(folder) })
	if c := asNobody(t).Credential; c != nil {
		check(t, os.Chown(folder, int(c.Uid), int(c.Gid)))
	}
	return folder
}

// asNobody lets root start a server that refuses to run as root.
func asNobody(t testing.TB) *syscall.SysProcAttr {
	t.Helper()
	if os.Getuid() != 0 {
		return &syscall.SysProcAttr{}
	}
	nobody, err := user.Lookup("nobody")
	check(t, err)
	uid, err := strconv.Atoi(nobody.Uid)
	check(t, err)
	gid, err := strconv.Atoi(nobody.Gid)
	check(t, err)
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}

// untilEOF is a shell that becomes a server, which is handed its socket as systemd
// would. Beside it waits a process for the end of the test, which is the end of its
// input, however the test ends; and it ends the server.
const untilEOF = `exec 9<&0 </dev/null
(read -r _; kill -s KILL $$) <&9 &
exec 9<&-
LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"`

// startAsNobody starts a server, which writes to log in the folder and ends with the
// test, or before, by stop.
func startAsNobody(t testing.TB, folder string, files []*os.File, program string, args ...string) (stop func()) {
	t.Helper()
	cmd := exec.Command("sh", append([]string{"-c", untilEOF, "sh", program}, args...)...)
	log, err := os.Create(filepath.Join(folder, "log"))
	check(t, err)
	defer log.Close()
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles, cmd.SysProcAttr = "/", log, log, files, asNobody(t)
	input, err := cmd.StdinPipe()
	check(t, err)
	check(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	stop = func() {
		input.Close()
		<-ended
	}
	t.Cleanup(stop)
	return stop
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
