package main

import (
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// A container has no shell and no curl: the binary itself says whether the server
// is ready. systemd is told when it is, and when it stops.
func TestHealthAndSystemd(t *testing.T) {
	t.Parallel()
	in := install(t, dbtest.URL(t, sqldb.SQLite))
	socket := filepath.Join(in.dir, "notify")
	systemd, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	must(t, err)
	defer systemd.Close()
	wantState := func(want string) {
		t.Helper()
		b := make([]byte, 100)
		n, err := systemd.Read(b)
		must(t, err)
		if got := string(b[:n]); got != want {
			t.Errorf("systemd is told %q, want %q", got, want)
		}
	}
	in.env = append(in.env, "NOTIFY_SOCKET="+socket, "HTTP_PROXY=http://127.0.0.1:1")
	addr := freeAddr(t)
	if out, errs, code := in.run("health", "--addr", addr); code != exitFailed || out != "" || !strings.Contains(errs, "the server does not answer") {
		t.Errorf("health without a server: exit %d, %q, %q", code, out, errs)
	}
	_, port, _ := net.SplitHostPort(addr)
	p := in.startAt(addr)
	wantState("READY=1")
	for _, addr := range []string{addr, ":" + port, "0.0.0.0:" + port} {
		if out := in.mustRun("health", "--addr", addr); out != "ready\n" {
			t.Errorf("health at %s: %q", addr, out)
		}
	}
	must(t, p.Process.Signal(syscall.SIGTERM))
	wantState("STOPPING=1")
	must(t, p.Wait())
}
