package dbtest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"
)

// Proxy stands between a DB and PostgreSQL. It can refuse connections, as the network
// or the server does, stop answering, or lose an answer. Change its fields only inside
// Set.
type Proxy struct {
	Cut    bool // refuse every connection
	Silent bool // read everything and answer nothing
	// LoseCommit counts down with each COMMIT. At 0 the proxy passes the COMMIT on
	// and closes the connection instead of answering. A negative value does this
	// for every COMMIT.
	LoseCommit int
	Refuse     int // how many of the next connections the server refuses, because it has too many
	Taken      int // connections accepted so far

	listener net.Listener
	target   string
	silent   bool // as it was when somebody last called Set
	ended    sync.WaitGroup
	mu       sync.Mutex
	conns    map[net.Conn]bool
}

// NewProxy starts a proxy that leads to a target, both as addresses with a port.
// Close it.
func NewProxy(target string) (p *Proxy, address string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	p = &Proxy{listener: l, target: target, conns: map[net.Conn]bool{}}
	p.ended.Go(p.serve)
	return p, l.Addr().String(), nil
}

// StartProxy returns a proxy and the address of the database behind it.
func StartProxy(t testing.TB, address string) (*Proxy, string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	p, at, err := NewProxy(u.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	u.Host = at
	return p, u.String()
}

// Close ends the proxy and its connections.
func (p *Proxy) Close() {
	p.listener.Close()
	p.Set(func() { p.Cut = true })
	p.ended.Wait()
}

// Set changes how the proxy behaves. If the change sets Cut, or ends Silent, it closes
// all open connections: what was not passed on is lost to them.
func (p *Proxy) Set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	if p.Cut || p.silent && !p.Silent {
		p.closeAll()
	}
	p.silent = p.Silent
}

// Drop closes all open connections. New connections still work.
func (p *Proxy) Drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closeAll()
}

func (p *Proxy) closeAll() {
	for c := range p.conns {
		c.Close()
	}
	clear(p.conns)
}

func (p *Proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(10 * time.Millisecond) // out of files for a moment
			continue
		}
		p.ended.Go(func() { p.connect(client) })
	}
}

func (p *Proxy) connect(client net.Conn) {
	server, err := net.DialTimeout("tcp", p.target, dialTimeout)
	if err != nil {
		client.Close()
		return
	}
	p.mu.Lock()
	p.Taken++
	p.conns[client], p.conns[server] = true, true
	if p.Cut {
		p.closeAll()
	}
	refused := p.Refuse > 0
	if refused {
		p.Refuse--
		delete(p.conns, server)
	}
	p.mu.Unlock()
	if refused {
		server.Close()
		p.refuse(client)
		return
	}
	lose := make(chan struct{})
	p.ended.Go(func() { p.pass(server, client, func(sent []byte) { p.watch(sent, lose) }, nil) })
	p.pass(client, server, nil, lose)
}

// dialTimeout bounds the wait for a server that does not answer.
const dialTimeout = 2 * time.Second

// refuse answers the beginning of a connection as a server does that has no room.
func (p *Proxy) refuse(client net.Conn) {
	defer client.Close()
	if _, err := client.Read(make([]byte, 1<<12)); err != nil {
		return
	}
	fields := "SFATAL\x00VFATAL\x00C53300\x00Msorry, too many clients already\x00\x00"
	answer := binary.BigEndian.AppendUint32([]byte{'E'}, uint32(4+len(fields)))
	_, _ = client.Write(append(answer, fields...))
}

// watch closes lose just before the proxy passes on a COMMIT whose answer should be
// lost.
func (p *Proxy) watch(sent []byte, lose chan struct{}) {
	if !bytes.Contains(sent, []byte("commit\x00")) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.LoseCommit > 0 {
		if p.LoseCommit--; p.LoseCommit > 0 {
			return
		}
	} else if p.LoseCommit == 0 {
		return
	}
	close(lose)
}

// pass copies one direction. It calls watch with what the client sends, or stops
// once lose is closed for what the server sends.
func (p *Proxy) pass(to, from net.Conn, watch func([]byte), lose <-chan struct{}) {
	defer func() {
		to.Close()
		from.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.conns, from)
	}()
	for buf := make([]byte, 1<<16); ; {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		p.mu.Lock()
		silent := p.Silent
		p.mu.Unlock()
		if silent {
			continue
		}
		if watch != nil {
			watch(buf[:n])
		}
		select {
		case <-lose:
			return
		default:
		}
		if _, err := io.Copy(to, bytes.NewReader(buf[:n])); err != nil {
			return
		}
	}
}
