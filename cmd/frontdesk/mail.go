package main

import (
	"context"
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	netmail "net/mail"
	"net/netip"
	"os"
	"strings"
	"sync"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/mail"
	"frontdesk/internal/mail/listen"
	"frontdesk/internal/mail/relay"
	"frontdesk/internal/mail/verify"
	"frontdesk/internal/outbound"
	"frontdesk/internal/outside"
	"frontdesk/internal/worker"
)

// mailSettings say how mail comes in and goes out.
type mailSettings struct {
	Relay        string   `name:"mail-relay" placeholder:"URL" env:"FRONTDESK_MAIL_RELAY" help:"The mail server that sends our mail on: smtp://user:password@host:587 (with STARTTLS) or smtps://user:password@host:465. Without it, no mail is sent."`
	Domain       string   `name:"mail-domain" placeholder:"DOMAIN" env:"FRONTDESK_MAIL_DOMAIN" help:"The domain of the addresses that answers go to, such as reply.example.com. Without it, there is no mail."`
	Listen       string   `name:"mail-listen" placeholder:"ADDRESS" env:"FRONTDESK_MAIL_LISTEN" help:"The address on which to receive mail by SMTP, such as :25."`
	TLSCert      string   `name:"mail-tls-cert" placeholder:"FILE" env:"FRONTDESK_MAIL_TLS_CERT" help:"The certificate for STARTTLS, in PEM. It is read again when it changes."`
	TLSKey       string   `name:"mail-tls-key" placeholder:"FILE" env:"FRONTDESK_MAIL_TLS_KEY" help:"The key of that certificate."`
	LMTP         string   `name:"mail-lmtp" placeholder:"ADDRESS" env:"FRONTDESK_MAIL_LMTP" help:"The address or Unix socket on which a mail server beside us hands mail over by LMTP."`
	Peers        []string `name:"mail-peers" placeholder:"NETWORK" default:"127.0.0.0/8,::1/128" env:"FRONTDESK_MAIL_PEERS" help:"Networks of the mail servers that hand us mail by SMTP after checking it."`
	Authserv     string   `name:"mail-authserv" placeholder:"NAME" env:"FRONTDESK_MAIL_AUTHSERV" help:"The name under which those servers write Authentication-Results. They must remove such headers that others wrote."`
	DKIMKey      string   `name:"mail-dkim-key" placeholder:"FILE" env:"FRONTDESK_MAIL_DKIM_KEY" help:"The private key with which to sign mail, in PEM."`
	DKIMSelector string   `name:"mail-dkim-selector" placeholder:"NAME" env:"FRONTDESK_MAIL_DKIM_SELECTOR" help:"The selector under which the public key is in DNS."`
	AllowPrivate bool     `name:"mail-allow-private" env:"FRONTDESK_MAIL_ALLOW_PRIVATE" help:"Let IMAP mailboxes be on this machine and in private networks."`

	// These are for the demo, which chooses addresses itself.
	listener net.Listener // where mail comes in
	mailbox  net.Listener // where the mail of its customers comes in
}

// postOffice is the mail of this server. The zero value has none.
type postOffice struct {
	change.Mail
	pool   *relay.Pool
	relay  string       // its address, without user and password
	signer *mail.Signer // without a domain; nil: mail is not signed
}

// mailSessions is how many sessions with the relay a process has at most.
const mailSessions = 4

// openMail reads the settings of mail.
func (s *settings) openMail(o *resources) (p postOffice, err error) {
	m := s.Mail
	p.Domain = strings.ToLower(strings.TrimSuffix(m.Domain, "."))
	if p.Domain == "" {
		for name, value := range map[string]string{"FRONTDESK_MAIL_RELAY": m.Relay, "FRONTDESK_MAIL_LISTEN": m.Listen, "FRONTDESK_MAIL_LMTP": m.LMTP} {
			if value != "" {
				return p, fmt.Errorf("%s needs FRONTDESK_MAIL_DOMAIN, the domain of the addresses that answers go to", name)
			}
		}
		return p, nil
	}
	if a, err := netmail.ParseAddress("x@" + p.Domain); err != nil || a.Address != "x@"+p.Domain || !strings.Contains(p.Domain, ".") {
		return p, fmt.Errorf("FRONTDESK_MAIL_DOMAIN: %q is not a domain such as reply.example.com", m.Domain)
	}
	p.Tokens = mail.NewTokens(o.key)
	if m.Relay != "" {
		r, err := relay.Parse(m.Relay)
		if err != nil {
			return p, fmt.Errorf("FRONTDESK_MAIL_RELAY %w", err)
		}
		p.pool, p.Sends, p.Mail.Relay, p.relay = relay.NewPool(r, p.Domain, mailSessions), true, r.Host(), r.String()
	}
	if p.signer, err = m.signer(); err != nil || p.signer == nil {
		return p, err
	}
	p.DKIM = &change.DKIM{Selector: p.signer.Selector}
	p.DKIM.Record, err = mail.DKIMRecord(p.signer.Key.Public())
	return p, err
}

// sender returns what sends mail, or nil if there is no relay.
func (p postOffice) sender() outside.MailSender {
	if p.pool == nil {
		return nil
	}
	return p
}

// Send signs a mail as the domain of its From and hands it to the relay.
func (p postOffice) Send(ctx context.Context, from, to string, raw []byte) error {
	if p.signer != nil {
		m, err := netmail.ReadMessage(strings.NewReader(string(raw)))
		if err != nil {
			return err
		}
		author, err := netmail.ParseAddress(m.Header.Get("From"))
		if err != nil {
			return err
		}
		signer := *p.signer
		_, signer.Domain, _ = strings.Cut(author.Address, "@")
		if raw, err = signer.Sign(raw); err != nil {
			return err
		}
	}
	return p.pool.Send(ctx, from, to, raw)
}

// Close ends the sessions with the relay.
func (p postOffice) Close() {
	if p.pool != nil {
		p.pool.Close()
	}
}

// signer reads the key with which mail is signed. It returns nil if there is none.
func (m mailSettings) signer() (*mail.Signer, error) {
	if m.DKIMKey == "" && m.DKIMSelector == "" {
		return nil, nil
	}
	if m.DKIMKey == "" || m.DKIMSelector == "" {
		return nil, errors.New("FRONTDESK_MAIL_DKIM_KEY and FRONTDESK_MAIL_DKIM_SELECTOR belong together: set both")
	}
	text, err := os.ReadFile(m.DKIMKey)
	if err != nil {
		return nil, fmt.Errorf("FRONTDESK_MAIL_DKIM_KEY: %w", err)
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("FRONTDESK_MAIL_DKIM_KEY: %s is not a key in PEM", m.DKIMKey)
	}
	var key any
	if key, err = x509.ParsePKCS8PrivateKey(block.Bytes); err != nil {
		key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	}
	private, ok := key.(crypto.Signer)
	if err != nil || !ok {
		return nil, fmt.Errorf("FRONTDESK_MAIL_DKIM_KEY: %s is not an RSA or Ed25519 private key", m.DKIMKey)
	}
	return &mail.Signer{Selector: m.DKIMSelector, Key: private}, nil
}

// mailDoors are the listeners for mail of a running server.
type mailDoors struct {
	servers []*listen.Server
	on      []net.Listener
}

// openMailDoors opens the listeners that the settings name.
func (s *settings) openMailDoors(o *resources) (d mailDoors, err error) {
	defer func() {
		if err != nil {
			d.close()
		}
	}()
	peers, err := parsePeers(s.Mail.Peers)
	if err != nil {
		return d, err
	}
	certificate, err := s.Mail.tlsConfig()
	if err != nil {
		return d, err
	}
	room := worker.Mailroom{Worker: o.worker, Name: o.mail.Domain, Authserv: s.Mail.Authserv, Verifier: verify.New(net.DefaultResolver)}
	options := listen.Options{Name: o.mail.Domain, TLS: certificate, Peers: peers, Log: o.log}
	if l := s.Mail.listener; l != nil {
		d.add(l, listen.New(room, options))
	} else if s.Mail.Listen != "" {
		l, err := net.Listen("tcp", s.Mail.Listen)
		if err != nil {
			return d, fmt.Errorf("%w; choose another address with --mail-listen or FRONTDESK_MAIL_LISTEN", err)
		}
		d.add(l, listen.New(room, options))
	}
	if s.Mail.LMTP != "" {
		l, err := listenLMTP(s.Mail.LMTP)
		if err != nil {
			return d, fmt.Errorf("%w; choose another address with --mail-lmtp or FRONTDESK_MAIL_LMTP", err)
		}
		options.LMTP = true
		d.add(l, listen.New(room, options))
	}
	return d, nil
}

func (d *mailDoors) add(l net.Listener, s *listen.Server) {
	d.on, d.servers = append(d.on, l), append(d.servers, s)
}

func (d mailDoors) close() {
	for _, l := range d.on {
		l.Close()
	}
}

// serve receives mail until shutdown.
func (d mailDoors) serve(running *sync.WaitGroup, log *slog.Logger) {
	for i, s := range d.servers {
		log.Info("mail is received", "address", d.on[i].Addr().String())
		running.Go(func() {
			if err := s.Serve(d.on[i]); err != nil {
				log.Error("mail is no longer received", "error", err)
			}
		})
	}
}

// turnAway asks mail servers to come again later, or to another node.
func (d mailDoors) turnAway() {
	for _, s := range d.servers {
		s.TurnAway()
	}
}

// shutdown ends the listening, and waits for mails that are being received.
func (d mailDoors) shutdown(ctx context.Context) (err error) {
	for _, s := range d.servers {
		if s.Shutdown(ctx) != nil {
			err = errors.New("mails were still being received")
		}
	}
	return err
}

// listenLMTP listens on an address, or on a Unix socket if it is a path.
func listenLMTP(address string) (net.Listener, error) {
	if !strings.Contains(address, "/") {
		return net.Listen("tcp", address)
	}
	if info, err := os.Lstat(address); err == nil && info.Mode().Type() == fs.ModeSocket {
		os.Remove(address) // of a process that died
	}
	l, err := net.Listen("unix", address)
	if err != nil {
		return nil, err
	}
	return l, os.Chmod(address, 0o666) // the mail server is another user; who may reach the folder may reach the socket
}

// parsePeers reads networks, or single addresses.
func parsePeers(texts []string) (peers []netip.Prefix, err error) {
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if p, err := netip.ParsePrefix(text); err == nil {
			peers = append(peers, p.Masked())
			continue
		}
		a, err := netip.ParseAddr(text)
		if err != nil {
			return nil, fmt.Errorf("FRONTDESK_MAIL_PEERS: %q is not a network such as 192.0.2.0/24", text)
		}
		peers = append(peers, netip.PrefixFrom(a, a.BitLen()))
	}
	return peers, nil
}

// tlsConfig returns the configuration for STARTTLS, or nil if there is no certificate.
func (m mailSettings) tlsConfig() (*tls.Config, error) {
	if m.TLSCert == "" && m.TLSKey == "" {
		return nil, nil
	}
	if m.TLSCert == "" || m.TLSKey == "" {
		return nil, errors.New("FRONTDESK_MAIL_TLS_CERT and FRONTDESK_MAIL_TLS_KEY belong together: set both")
	}
	c := &certificateFile{cert: m.TLSCert, key: m.TLSKey}
	if _, err := c.load(nil); err != nil {
		return nil, fmt.Errorf("FRONTDESK_MAIL_TLS_CERT: %w", err)
	}
	return &tls.Config{GetCertificate: c.load, MinVersion: tls.VersionTLS12}, nil
}

// certificateFile is a certificate that is read again when its file has changed, as
// programs do that renew it.
type certificateFile struct {
	cert, key string
	mu        sync.Mutex
	read      int64 // when the file was last changed
	is        *tls.Certificate
}

func (c *certificateFile) load(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	info, err := os.Stat(c.cert)
	if err == nil && c.is != nil && info.ModTime().UnixNano() == c.read {
		return c.is, nil
	}
	next, loadErr := tls.LoadX509KeyPair(c.cert, c.key)
	if loadErr != nil {
		if c.is != nil {
			return c.is, nil // it is being renewed
		}
		return nil, loadErr
	}
	c.is = &next
	if err == nil {
		c.read = info.ModTime().UnixNano()
	}
	return c.is, nil
}

// readMailboxes reads the mailboxes of collections until ctx ends.
func (s *settings) readMailboxes(ctx context.Context, running *sync.WaitGroup, o *resources) {
	if o.mail.Domain == "" {
		return
	}
	client := outbound.New(outbound.Config{AllowPrivate: s.Mail.AllowPrivate})
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := client.Dial(ctx, network, address)
		if refused := (*outbound.Error)(nil); errors.As(err, &refused) {
			return nil, &desk.Error{Kind: desk.Refused, Message: refused.Message, Err: err}
		}
		return conn, err
	}
	running.Go(func() { o.worker.ReadMailboxes(ctx, dial, s.Mail.Authserv) })
}
