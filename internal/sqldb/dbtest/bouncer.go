package dbtest

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
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

// StartBouncer returns the address of a database behind a real PgBouncer that pools
// transactions. It skips the test if there is no PgBouncer on this machine, or fails it
// if CI is set.
func StartBouncer(t testing.TB, address string) string {
	t.Helper()
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
	check(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	socket, err := l.(*net.TCPListener).File()
	check(t, err)
	at := l.Addr().String()
	check(t, l.Close())
	defer socket.Close()
	folder := folderOfNobody(t)
	config := filepath.Join(folder, "pgbouncer.ini")
	users := filepath.Join(folder, "users")
	check(t, os.WriteFile(users, fmt.Appendf(nil, "%q \"\"\n", u.User.Username()), 0o644))
	check(t, os.WriteFile(config, fmt.Appendf(nil, bouncerConfig, u.Hostname(), u.Port(), users), 0o644))
	startAsNobody(t, folder, []*os.File{socket}, program, "-q", config)
	u.Host = at
	return u.String()
}
