// Package outbound is the one HTTP client for addresses that users give us, such as
// the endpoints of webhooks. A user must not reach through it what only this
// machine can reach. The client checks each address at the moment it is dialled,
// after the name lookup. It follows no redirects and limits how much it reads. It
// knows neither accounts nor the content that it sends.
package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"syscall"
	"time"
)

const (
	dialTime       = 5 * time.Second
	handshakeTime  = 5 * time.Second
	defaultTimeout = 30 * time.Second
	idleTime       = 90 * time.Second
	pingTime       = 15 * time.Second

	// So many workers can call one endpoint at a time.
	idlePerHost = 16
	mostIdle    = 256

	mostHeader = 64 << 10
)

// Config says which addresses the client may call and how. The zero Config calls
// only public https addresses.
type Config struct {
	// AllowPrivate allows calls to this machine, to private networks, and over
	// plain http. Link-local addresses, where clouds serve the secrets of their
	// machines, are still refused.
	AllowPrivate bool
	// Proxy is the proxy for all calls, as ParseProxy returns it. If it is nil
	// there is none, whatever the environment says. The operator sets it, so it may
	// have a private address. It looks names up itself and must refuse names that
	// lead to private addresses. Only numeric addresses are still checked here.
	Proxy *url.URL
	// RootCAs are the trusted certificate authorities. Defaults to the system's.
	RootCAs *x509.CertPool
	// Timeout bounds a whole exchange, in addition to its context. Defaults to 30
	// seconds.
	Timeout time.Duration
	// UserAgent is sent if a request has none. Defaults to Frontdesk.
	UserAgent string
}

// Client calls addresses that users give us. It is safe for concurrent use.
type Client struct {
	cfg       Config
	transport *http.Transport
	dialer    *net.Dialer

	// refusal returns an error that says why an address must not be called, or nil.
	// Tests replace it to treat an address of this machine as public.
	refusal func(netip.Addr) error
}

// New makes a client from a configuration.
func New(c Config) *Client {
	if c.Timeout == 0 {
		c.Timeout = defaultTimeout
	}
	if c.UserAgent == "" {
		c.UserAgent = "Frontdesk"
	}
	client := &Client{cfg: c}
	client.refusal = client.checkAddress
	client.dialer = &net.Dialer{Timeout: dialTime}
	client.transport = &http.Transport{
		DialContext:            client.dialer.DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: c.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    handshakeTime,
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingTime, PingTimeout: pingTime},
		IdleConnTimeout:        idleTime,
		MaxIdleConns:           mostIdle,
		MaxIdleConnsPerHost:    idlePerHost,
		MaxResponseHeaderBytes: mostHeader,
		// Read the bytes as they were sent, because a small gzip can expand to any
		// size.
		DisableCompression: true,
		// The number of connections to a host is not limited. An endpoint that
		// hangs must not hold up another on the same host.
	}
	if c.Proxy == nil {
		client.dialer.ControlContext = client.checkDialled
	} else {
		// Then only the proxy is ever dialled.
		client.transport.Proxy = http.ProxyURL(c.Proxy)
		client.transport.OnProxyConnectResponse = proxyAnswer
	}
	return client
}

// Close closes idle connections.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Answer is the answer to a request.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte // as sent, not decompressed
	Cut    bool   // the body was longer than the limit
}

// Do sends a request and reads at most so many bytes of the answer's body. The
// request's URL must pass CheckURL. A redirect is an answer like any other.
//
// Errors are of type *Error. If an answer began and broke off, Do returns both an
// error and an Answer with the status and the part of the body that arrived.
func (c *Client) Do(ctx context.Context, req *http.Request, most int) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	res, err := c.RoundTrip(req.WithContext(ctx))
	if err != nil {
		return Answer{}, err
	}
	defer res.Body.Close()
	answer := Answer{Status: res.StatusCode, Header: res.Header}
	if res.StatusCode == http.StatusSwitchingProtocols {
		return answer, nil // such an answer has no body
	}
	// One byte more shows whether there is more.
	body, err := io.ReadAll(io.LimitReader(res.Body, int64(most)+1))
	if answer.Cut = len(body) > most; answer.Cut {
		body = body[:most]
	}
	answer.Body = body
	if err != nil && !answer.Cut {
		return answer, c.explain(ctx, res.Request.URL, err)
	}
	return answer, nil
}

// RoundTrip makes the client the transport of an http.Client, which then calls only
// what Do would call. Limits of time and size are up to that client and its caller.
func (c *Client) RoundTrip(req *http.Request) (*http.Response, error) {
	u := *req.URL
	if err := c.check(&u); err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	out := req.Clone(req.Context())
	out.URL, out.Host = &u, u.Host
	if out.Header == nil {
		out.Header = http.Header{}
	}
	if out.Header.Get("User-Agent") == "" {
		out.Header.Set("User-Agent", c.cfg.UserAgent)
	}
	// Use the transport directly: no redirects, no cookies, and no error that
	// repeats the whole address, which may contain a secret.
	res, err := c.transport.RoundTrip(out)
	if err != nil {
		return nil, c.explain(req.Context(), &u, err)
	}
	return res, nil
}

// RetryAfter returns how long an answer asks us to wait, 0 if it does not say. The
// header has seconds or a date.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	said := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(said, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(said); err == nil {
		return max(date.Sub(now), 0)
	}
	return 0
}

// Dial connects with an address for another protocol than HTTP, if it may be called. It
// uses no proxy.
func (c *Client) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := *c.dialer
	dialer.ControlContext = c.checkDialled
	conn, err := dialer.DialContext(ctx, network, address)
	return conn, err
}

// checkDialled checks each address before the client connects to it. It sees the address
// that the name leads to now, not at an earlier lookup.
func (c *Client) checkDialled(_ context.Context, network, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return refuse("The address %s cannot be called.", address)
	}
	return c.refusal(at.Addr())
}
