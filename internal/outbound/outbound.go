// Package outbound is the one HTTP client for addresses that we were given,
// such as the endpoints of webhooks: whoever gave one must not reach what only
// this machine can reach. It looks at each address at the moment it is dialled,
// when names have been looked up, follows no redirect, and bounds what it reads.
// It knows neither accounts nor what is sent.
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
	"syscall"
	"time"
)

const (
	dialTime       = 5 * time.Second
	handshakeTime  = 5 * time.Second
	defaultTimeout = 30 * time.Second
	idleTime       = 90 * time.Second
	pingTime       = 15 * time.Second

	// An endpoint is called by as many workers at a time.
	idlePerHost = 16
	mostIdle    = 256

	mostHeader = 64 << 10
)

// Config says whom the client may call and how. The zero Config calls public
// https addresses alone.
type Config struct {
	// AllowPrivate lets it call this machine and private networks, and plain http.
	// Link-local addresses, where clouds keep the secrets of their machines, are
	// refused all the same.
	AllowPrivate bool
	// Proxy is what everything is sent through, as ParseProxy reads it; nil for
	// none, whatever the environment says. It is the operator's address and may be
	// private. It looks names up by itself: what they lead to is for the proxy to
	// refuse, and only addresses in numbers are still looked at here.
	Proxy *url.URL
	// RootCAs is whose certificates are believed. Defaults to the system's.
	RootCAs *x509.CertPool
	// Timeout bounds a whole exchange, beside its context. Defaults to 30 seconds.
	Timeout time.Duration
	// UserAgent is sent where a request has none. Defaults to Frontdesk.
	UserAgent string
}

// Client calls addresses that we were given. It is safe for concurrent use.
type Client struct {
	cfg       Config
	transport *http.Transport
	dialer    *net.Dialer

	// refusal says why an address must not be called, or nil. Tests have one that
	// takes an address of this machine for a public one.
	refusal func(netip.Addr) error
}

// New makes a client of a configuration.
func New(c Config) *Client {
	if c.Timeout == 0 {
		c.Timeout = defaultTimeout
	}
	if c.UserAgent == "" {
		c.UserAgent = "Frontdesk"
	}
	client := &Client{cfg: c}
	client.refusal = client.judge
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
		// What is read is what was sent: a small gzip may become anything.
		DisableCompression: true,
		// There is no limit of connections to a host: one endpoint that hangs must
		// not hold up another on the same host.
	}
	if c.Proxy == nil {
		client.dialer.ControlContext = client.look
	} else {
		// Then nothing but the proxy is ever dialled.
		client.transport.Proxy = http.ProxyURL(c.Proxy)
		client.transport.OnProxyConnectResponse = proxyAnswer
	}
	return client
}

// Close closes the connections that nobody uses.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Answer is what came back.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte // as it was sent, not decompressed
	Cut    bool   // there was more of the body than was asked for
}

// Do sends a request and reads at most so many bytes of the answer's body. The
// request's URL must pass CheckURL. A redirect is an answer like any other.
//
// Errors are of type *Error. Where an answer began and broke off, there are
// both: the Answer has its status and what came of the body.
func (c *Client) Do(ctx context.Context, req *http.Request, most int) (Answer, error) {
	u := *req.URL
	if err := c.check(&u); err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return Answer{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	out := req.Clone(ctx)
	out.URL, out.Host = &u, u.Host
	if out.Header == nil {
		out.Header = http.Header{}
	}
	if out.Header.Get("User-Agent") == "" {
		out.Header.Set("User-Agent", c.cfg.UserAgent)
	}
	// The transport by itself: no redirects, no cookies, and no error that repeats
	// the whole address, in which there may be a secret.
	res, err := c.transport.RoundTrip(out)
	if err != nil {
		return Answer{}, c.explain(ctx, &u, err)
	}
	defer res.Body.Close()
	answer := Answer{Status: res.StatusCode, Header: res.Header}
	if res.StatusCode == http.StatusSwitchingProtocols {
		return answer, nil // what follows is no body
	}
	// One byte more tells whether there is more.
	body, err := io.ReadAll(io.LimitReader(res.Body, int64(most)+1))
	if answer.Cut = len(body) > most; answer.Cut {
		body = body[:most]
	}
	answer.Body = body
	if err != nil && !answer.Cut {
		return answer, c.explain(ctx, &u, err)
	}
	return answer, nil
}

// look is called with each address before it is connected to: what a name led
// to by now, not what it led to when somebody last asked.
func (c *Client) look(_ context.Context, network, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return refuse("The address %s cannot be called.", address)
	}
	return c.refusal(at.Addr())
}
