package dbtest

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
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
	ended    sync.WaitGroup
	mu       sync.Mutex
	conns    map[net.Conn]bool
}

// StartProxy returns a proxy and the address of the database behind it.
func StartProxy(t testing.TB, address string) (*Proxy, string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{listener: l, target: u.Host, conns: map[net.Conn]bool{}}
	p.ended.Go(p.serve)
	t.Cleanup(func() {
		l.Close()
		p.Set(func() { p.Cut = true })
		p.ended.Wait()
	})
	u.Host = l.Addr().String()
	return p, u.String()
}

// Set changes how the proxy behaves. If the change sets Cut, it closes all open
// connections.
func (p *Proxy) Set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	if p.Cut {
		p.closeAll()
	}
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
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			client.Close()
			continue
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
			p.ended.Go(func() { p.refuse(client) })
			continue
		}
		lose := make(chan struct{})
		p.ended.Go(func() { p.pass(server, client, func(sent []byte) { p.watch(sent, lose) }, nil) })
		p.ended.Go(func() { p.pass(client, server, nil, lose) })
	}
}

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
