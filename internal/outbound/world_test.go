package outbound

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// names is a DNS server. Names that were not set do not exist.
type names struct {
	mu      sync.Mutex
	answers map[string][][]netip.Addr // one list per lookup; the last is for all further lookups
	asked   map[string]int            // lookups by name
}

// newNames starts a server and returns a resolver that asks it.
func newNames(t *testing.T) (*names, *net.Resolver) {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &names{answers: map[string][][]netip.Addr{}, asked: map[string]int{}}
	var done sync.WaitGroup
	done.Go(func() {
		b := make([]byte, 1500)
		for {
			size, from, err := conn.ReadFrom(b)
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if answer := n.answer(b[:size]); answer != nil {
				conn.WriteTo(answer, from)
			}
		}
	})
	t.Cleanup(func() { conn.Close(); done.Wait() })
	return n, &net.Resolver{PreferGo: true, StrictErrors: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// set sets what a name leads to at the first lookup, the second, and so on.
func (n *names) set(name string, answers ...[]netip.Addr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.answers[name] = answers
}

func (n *names) lookups(name string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked[name]
}

func (n *names) answer(question []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(question) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	m.Response, m.Additionals = true, nil
	m.Answers = nil
	name := strings.TrimSuffix(q.Name.String(), ".")
	n.mu.Lock()
	defer n.mu.Unlock()
	lists, ok := n.answers[name]
	if !ok {
		m.RCode = dnsmessage.RCodeNameError
	}
	if ok {
		at := min(n.asked[name], len(lists)-1)
		// Each lookup asks for both kinds of address, in any order. Only one of the
		// two is counted. Both use the same list, as long as a list has addresses
		// of one kind.
		for _, a := range lists[at] {
			head := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
			switch {
			case q.Type == dnsmessage.TypeA && a.Is4():
				m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AResource{A: a.As4()}})
			case q.Type == dnsmessage.TypeAAAA && a.Is6():
				m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
			}
		}
		if q.Type == dnsmessage.TypeA {
			n.asked[name]++
		}
	}
	b, err := m.Pack()
	if err != nil {
		return nil
	}
	return b
}

func addrs(list ...string) (out []netip.Addr) {
	for _, s := range list {
		out = append(out, netip.MustParseAddr(s))
	}
	return out
}

// host is the name in httptest's certificate.
const host = "example.com"

// world is a client, a DNS server, and a server at host.
type world struct {
	*Client
	t      *testing.T
	names  *names
	server *httptest.Server

	mu     sync.Mutex
	looked []netip.Addr // addresses that the client has checked
}

// standIn is the address of this machine that counts as public.
var standIn = netip.MustParseAddr("127.0.0.1")

// newWorld starts a server. Its address counts as public, so that tests can see how
// public addresses are treated. No other address gets this exception.
func newWorld(t *testing.T, c Config, h http.HandlerFunc) *world {
	t.Helper()
	w := &world{t: t, server: httptest.NewUnstartedServer(h)}
	w.server.EnableHTTP2 = true
	w.server.StartTLS()
	t.Cleanup(w.server.Close)
	c.RootCAs = x509.NewCertPool()
	c.RootCAs.AddCert(w.server.Certificate())
	w.Client = New(c)
	t.Cleanup(w.Client.Close)
	w.names, w.dialer.Resolver = newNames(t)
	w.names.set(host, addrs("127.0.0.1"))
	w.refusal = func(a netip.Addr) error {
		w.mu.Lock()
		w.looked = append(w.looked, a)
		w.mu.Unlock()
		if a == standIn {
			return nil
		}
		return w.checkAddress(a)
	}
	return w
}

// at returns a URL of the server, or of another name at its port.
func (w *world) at(name, path string) string {
	u, err := url.Parse(w.server.URL)
	if err != nil {
		w.t.Fatal(err)
	}
	return "https://" + net.JoinHostPort(name, u.Port()) + path
}

// get reads at most so many bytes from an address.
func (w *world) get(ctx context.Context, address string, most int) (Answer, error) {
	w.t.Helper()
	return get(ctx, w.t, w.Client, address, most)
}

func get(ctx context.Context, t *testing.T, c *Client, address string, most int) (Answer, error) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c.Do(ctx, req, most)
}
