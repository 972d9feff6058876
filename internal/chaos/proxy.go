package main

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// mode is what a proxy does with traffic.
type mode string

const (
	pass    mode = "pass"
	refuse  mode = "refuse"  // new connections are closed at once, and so are the old ones
	swallow mode = "swallow" // everything is read and nothing passed on: a cable that was pulled
)

// proxy is a node's way to the database. It passes on TCP connections, until it is told not to.
type proxy struct {
	mu        sync.Mutex
	mode      mode
	conns     map[net.Conn]bool
	listeners []net.Listener
	running   sync.WaitGroup
}

// newProxy returns a proxy that passes everything on.
func newProxy() *proxy { return &proxy{mode: pass, conns: map[net.Conn]bool{}} }

// to returns an address that leads to the target.
func (p *proxy) to(target string) (address string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	p.mu.Lock()
	p.listeners = append(p.listeners, l)
	p.mu.Unlock()
	p.running.Go(func() { p.serve(l, target) })
	return l.Addr().String(), nil
}

func (p *proxy) close() {
	p.mu.Lock()
	for _, l := range p.listeners {
		l.Close()
	}
	p.closeAll()
	p.mu.Unlock()
	p.running.Wait()
}

// set changes what the proxy does with traffic, also that of open connections. What was swallowed is lost, so a connection
// that has lost something ends when the traffic passes again.
func (p *proxy) set(m mode) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m == refuse || p.mode == swallow {
		p.closeAll()
	}
	p.mode = m
}

// drop closes all connections once.
func (p *proxy) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closeAll()
}

func (p *proxy) closeAll() {
	for c := range p.conns {
		c.Close()
	}
	clear(p.conns)
}

func (p *proxy) serve(l net.Listener, target string) {
	for {
		client, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(10 * time.Millisecond) // out of files for a moment
			continue
		}
		p.running.Go(func() { p.connect(client, target) })
	}
}

func (p *proxy) connect(client net.Conn, target string) {
	server, err := net.DialTimeout("tcp", target, 2*time.Second)
	if err != nil {
		client.Close()
		return
	}
	p.mu.Lock()
	p.conns[client], p.conns[server] = true, true
	if p.mode == refuse {
		client.Close()
		server.Close()
	}
	p.mu.Unlock()
	p.running.Go(func() { p.copy(server, client) })
	p.copy(client, server)
}

func (p *proxy) copy(to, from net.Conn) {
	defer func() {
		to.Close()
		from.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.conns, from)
	}()
	for buffer := make([]byte, 1<<15); ; {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		p.mu.Lock()
		m := p.mode
		p.mu.Unlock()
		if m == swallow {
			continue
		}
		if _, err := to.Write(buffer[:n]); err != nil && !errors.Is(err, io.ErrShortWrite) {
			return
		}
	}
}
