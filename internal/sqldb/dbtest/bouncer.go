package dbtest

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// bouncerConfig gives each transaction whichever of a few connections is free.
const bouncerConfig = `[databases]
* = host=%s port=%s
[pgbouncer]
pool_mode = transaction
unix_socket_dir =
auth_type = trust
auth_file = %s
default_pool_size = 4
max_client_conn = 100
`

// untilEOF is a shell that becomes a server, which is handed its socket as systemd
// would. Beside it waits a process for the end of the test, which is the end of its
// input, however the test ends; and it ends the server.
const untilEOF = `exec 9<&0 </dev/null
(read -r _; kill -s KILL $$) <&9 &
exec 9<&-
LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"`

// StartBouncer returns the address of a database behind a real PgBouncer that pools
// transactions. It skips the test if there is no PgBouncer on this machine, or fails it
// if CI is set.
func StartBouncer(t testing.TB, address string) string {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program, err = exec.LookPath("/usr/sbin/pgbouncer") // not on everybody's PATH
	}
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("no pgbouncer: run `make test`, which installs Debian's package")
		}
		t.Skip("no pgbouncer: run `make test`, which installs Debian's package")
	}
	u, err := url.Parse(address)
	check(err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	socket, err := l.(*net.TCPListener).File()
	check(err)
	at := l.Addr().String()
	check(l.Close())
	defer socket.Close()
	// t.TempDir would not do, because nobody could not enter it.
	folder, err := os.MkdirTemp("", "pgbouncer")
	check(err)
	t.Cleanup(func() { os.RemoveAll(folder) })
	config := filepath.Join(folder, "pgbouncer.ini")
	users := filepath.Join(folder, "users")
	check(os.WriteFile(users, fmt.Appendf(nil, "%q \"\"\n", u.User.Username()), 0o644))
	check(os.WriteFile(config, fmt.Appendf(nil, bouncerConfig, u.Hostname(), u.Port(), users), 0o644))
	check(os.Chmod(folder, 0o755))

	cmd := exec.Command("sh", "-c", untilEOF, "sh", program, "-q", config)
	log, err := os.Create(filepath.Join(folder, "log"))
	check(err)
	defer log.Close()
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = "/", log, log, []*os.File{socket}
	input, err := cmd.StdinPipe()
	check(err)
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if os.Getuid() == 0 { // it refuses to run as root
		nobody, err := user.Lookup("nobody")
		check(err)
		uid, _ := strconv.Atoi(nobody.Uid)
		gid, _ := strconv.Atoi(nobody.Gid)
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	check(cmd.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	t.Cleanup(func() {
		input.Close()
		<-ended
	})
	u.Host = at
	return u.String()
}
