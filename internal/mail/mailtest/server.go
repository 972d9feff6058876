// Package mailtest runs real mail servers for tests: Dovecot, which people read their
// mail from, and Postfix, which brings it. Each test has its own, on loopback, with all
// its files in a folder of its own. The package must not know what is in a mail.
package mailtest

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// patience is how long a server may take until it greets. Only a machine that stalls
// needs so much.
const patience = time.Minute

// findProgram returns the path of a program of a Debian package. Without it the test
// cannot run.
func findProgram(t testing.TB, name, debian string) string {
	t.Helper()
	for _, at := range []string{name, "/usr/sbin/" + name} { // not on everybody's PATH
		if path, err := exec.LookPath(at); err == nil {
			return path
		}
	}
	message := fmt.Sprintf("no %s: run `make test`, which installs Debian's package %s", name, debian)
	if os.Getenv("CI") != "" {
		t.Fatal(message)
	}
	t.Skip(message)
	return ""
}

// server is a program that runs until the test ends.
type server struct {
	t      testing.TB
	folder string
	owner  owner // of the folder
	cmd    *exec.Cmd
	ended  chan struct{}
}

// owner is somebody whom a server works for.
type owner struct {
	user, group string
	uid, gid    int
}

// newServer makes a folder for a server that works for us; or for nobody, because root
// has no mailbox. t.TempDir would not do: its path may be too long for a Unix socket, and
// nobody could not enter it.
func newServer(t testing.TB, name string) *server {
	t.Helper()
	me, err := user.Current()
	if err == nil && me.Uid == "0" {
		me, err = user.Lookup("nobody")
	}
	if err != nil {
		t.Fatal(err)
	}
	group, err := user.LookupGroupId(me.Gid)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp("", name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	s := &server{t: t, folder: folder, owner: owner{user: me.Username, group: group.Name}, ended: make(chan struct{})}
	s.owner.uid, _ = strconv.Atoi(me.Uid)
	s.owner.gid, _ = strconv.Atoi(me.Gid)
	s.check(os.Chmod(folder, 0o755))
	s.give(folder)
	return s
}

func (s *server) check(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// give makes the owner of the server that of a file.
func (s *server) give(path string) {
	s.t.Helper()
	if os.Getuid() == 0 {
		s.check(os.Lchown(path, s.owner.uid, s.owner.gid))
	}
}

// makeFolder makes a folder with all that it is in.
func (s *server) makeFolder(path string) {
	s.t.Helper()
	if _, err := os.Stat(path); err == nil {
		return
	}
	s.makeFolder(filepath.Dir(path))
	s.check(os.Mkdir(path, 0o755))
	s.give(path)
}

func (s *server) writeFile(path, content string) {
	s.t.Helper()
	s.check(os.WriteFile(path, []byte(content), 0o600))
	s.give(path)
}

// run is a shell that becomes the server. Beside it waits a process for the end of the
// test, which is the end of its input, however the test ends; and it ends all that the
// server has started. Sockets that the server is handed are for the process that
// LISTEN_PID names.
const run = `exec 9<&0 </dev/null
(read -r _; kill -s KILL -- -$$) <&9 &
exec 9<&-
LISTEN_PID=$$ exec "$@"`

// start runs the server with sockets that it is handed as systemd would.
func (s *server) start(as *syscall.Credential, sockets []*os.File, program ...string) {
	s.t.Helper()
	log, err := os.Create(filepath.Join(s.folder, "log"))
	s.check(err)
	defer log.Close()
	s.cmd = exec.Command("sh", append([]string{"-c", run, "sh"}, program...)...)
	s.cmd.Env = append(os.Environ(), fmt.Sprint("LISTEN_FDS=", len(sockets)))
	s.cmd.Dir, s.cmd.Stdout, s.cmd.Stderr, s.cmd.ExtraFiles = s.folder, log, log, sockets
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: as}
	input, err := s.cmd.StdinPipe()
	s.check(err)
	s.check(s.cmd.Start())
	go func() {
		s.cmd.Wait()
		close(s.ended)
	}()
	s.t.Cleanup(func() {
		if s.t.Failed() {
			s.t.Logf("the log of %s:\n%s", program[0], s.log())
		}
		syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
		<-s.ended
		input.Close()
	})
}

func (s *server) log() string {
	log, err := os.ReadFile(filepath.Join(s.folder, "log"))
	s.check(err)
	return string(log)
}

// greets reports whether the server says something at an address before it ends.
func (s *server) greets(at string) bool {
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	for {
		if conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", at); err == nil {
			stop := context.AfterFunc(ctx, func() { conn.Close() })
			_, err := bufio.NewReader(conn).ReadByte()
			stop()
			conn.Close()
			if err == nil {
				return true
			}
		}
		select {
		case <-s.ended:
			return false
		case <-ctx.Done():
			return false
		case <-time.After(5 * time.Millisecond): // nothing says when it listens
		}
	}
}

// newListener returns a socket for a server, and where it is.
func (s *server) newListener() (socket *os.File, at *net.TCPAddr) {
	s.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	s.check(err)
	defer l.Close()
	socket, err = l.(*net.TCPListener).File()
	s.check(err)
	return socket, l.Addr().(*net.TCPAddr)
}
