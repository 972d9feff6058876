package sqldb_test

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// A proxy stands between a DB and PostgreSQL, to be cut, to fall silent, or to
// lose an answer.
type proxy struct {
	listener net.Listener
	target   string
	ended    sync.WaitGroup

	mu           sync.Mutex
	conns        map[net.Conn]bool
	taken        int  // connections so far
	cut          bool // refuse every connection
	silent       bool // take in everything and answer nothing
	losesCommits bool // let a COMMIT through, then cut instead of answering
}

// startProxy returns a proxy and the address of the database behind it.
func startProxy(t *testing.T, address string) (*proxy, string) {
	t.Helper()
	u, err := url.Parse(address)
	must(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	p := &proxy{listener: l, target: u.Host, conns: map[net.Conn]bool{}}
	p.ended.Go(p.serve)
	t.Cleanup(func() {
		l.Close()
		p.set(func() { p.cut = true })
		p.ended.Wait()
	})
	u.Host = l.Addr().String()
	return p, u.String()
}

// set changes how the proxy behaves. When it is cut, what is open is closed.
func (p *proxy) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	if p.cut {
		p.closeAll()
	}
}

// drop closes what is open and lets new connections in.
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

func (p *proxy) serve() {
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
		p.taken++
		p.conns[client], p.conns[server] = true, true
		if p.cut {
			p.closeAll()
		}
		p.mu.Unlock()
		commits := make(chan struct{}, 1)
		p.ended.Go(func() { p.pass(server, client, commits, nil) })
		p.ended.Go(func() { p.pass(client, server, nil, commits) })
	}
}

// pass copies one direction: the client's, which tells of a COMMIT in it, or
// the server's, which may lose the answer to one.
func (p *proxy) pass(to, from net.Conn, tell chan<- struct{}, told <-chan struct{}) {
	defer to.Close()
	defer from.Close()
	for buf := make([]byte, 1<<16); ; {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		p.mu.Lock()
		silent, loses := p.silent, p.losesCommits
		p.mu.Unlock()
		if silent {
			continue
		}
		if tell != nil && bytes.Contains(buf[:n], []byte("commit\x00")) {
			tell <- struct{}{}
		}
		select {
		case <-told:
			if loses {
				return
			}
		default:
		}
		if _, err := io.Copy(to, bytes.NewReader(buf[:n])); err != nil {
			return
		}
	}
}
