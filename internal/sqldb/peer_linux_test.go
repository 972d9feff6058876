package sqldb_test

import (
	"context"
	"net"
	"syscall"
	"testing"

	"frontdesk/internal/sqldb"
)

// Our kernel must give up a server that is gone silently, whether we wait for it or
// send to it.
func TestWeAskForASilentServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	conn, err := sqldb.DialPeer(context.Background(), "tcp", l.Addr().String())
	must(t, err)
	defer conn.Close()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	must(t, err)
	const userTimeout = 0x12
	for option, want := range map[int]int{
		syscall.TCP_KEEPIDLE: 15, syscall.TCP_KEEPINTVL: 5, syscall.TCP_KEEPCNT: 3, userTimeout: 30_000,
	} {
		var got int
		must(t, raw.Control(func(fd uintptr) { got, err = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, option) }))
		must(t, err)
		if got != want {
			t.Errorf("option %d is %d, want %d", option, got, want)
		}
	}
}
