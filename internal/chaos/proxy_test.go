package main

import (
	"io"
	"net"
	"testing"
	"time"
)

// echo starts a server that answers with what it gets.
func echo(t *testing.T) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				io.Copy(conn, conn)
			}()
		}
	}()
	return l.Addr().String()
}

// A proxy passes traffic on, swallows it, or refuses it. A connection that lost something ends when traffic passes again.
func TestProxy(t *testing.T) {
	t.Parallel()
	var p proxies
	address, err := p.to(echo(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.close)
	dial := func() net.Conn {
		t.Helper()
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	answers := func(c net.Conn) bool {
		c.Write([]byte("x"))
		n, err := c.Read(make([]byte, 1))
		return n == 1 && err == nil
	}
	c := dial()
	if !answers(c) {
		t.Fatal("traffic does not pass")
	}
	p.set(swallow)
	c.SetReadDeadline(time.Now().Add(50 * time.Millisecond)) // there is no other sign that nothing comes
	if answers(c) {
		t.Error("what is to be swallowed passes")
	}
	p.set(pass)
	c.SetReadDeadline(time.Time{})
	if answers(c) {
		t.Error("a connection that lost something goes on")
	}
	c = dial()
	if !answers(c) {
		t.Error("traffic does not pass again")
	}
	p.set(refuse)
	if answers(c) || answers(dial()) {
		t.Error("a connection is not refused")
	}
	p.set(pass)
	c = dial()
	if !answers(c) {
		t.Error("traffic does not pass after a refusal")
	}
	p.drop()
	if answers(c) || !answers(dial()) {
		t.Error("connections are not dropped once")
	}
}
