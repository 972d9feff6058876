package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"time"

	"frontdesk/internal/blob"
	"frontdesk/internal/mail/relay"
	"frontdesk/internal/seal"
	"frontdesk/internal/store"
)

// callTime is how long the doctor waits for another system.
const callTime = 5 * time.Second

// checkSettings finds settings with which the server would not start.
func (e *examination) checkSettings(ctx context.Context) (all []finding) {
	refuse := func(err error) {
		if err != nil {
			all = append(all, wrong("settings", "Correct the setting; frontdesk help lists all of them.", "%s.", asSentence(err)))
		}
	}
	_, err := parseProxies(e.Server.TrustedProxies)
	refuse(err)
	refuse(e.SignIn.check())
	_, err = e.AI.provider(&store.Store{})
	refuse(err)
	_, err = e.Webhook.client()
	refuse(err)
	_, err = parsePeers(e.Mail.Peers)
	refuse(err)
	_, err = e.Mail.tlsConfig()
	refuse(err)
	_, err = e.Backup.check()
	refuse(err)
	_, err = e.openMail(&resources{key: seal.NewKey()}) // the right key does not matter for this
	refuse(err)
	chats := *e.settings
	hasSlack := chats.Chat.SlackClientID != "" || chats.Chat.SlackClientSecret != "" || chats.Chat.SlackSigningSecret != ""
	if hasSlack || !chats.Chat.Sandbox && !chats.Chat.SandboxRemote { // it would open the sandbox, and create it
		_, err = chats.openChats(ctx, "http://"+e.Server.Addr, false, quietLog)
		refuse(err)
	}
	if len(all) == 0 {
		all = append(all, ok("settings", "Every setting can be read."))
	}
	return all
}

// asSentence returns an error as the beginning of a sentence.
func asSentence(err error) string {
	text := strings.TrimSuffix(err.Error(), ".")
	return strings.ToUpper(text[:1]) + text[1:]
}

// checkFolder looks at the data folder.
func (e *examination) checkFolder(context.Context) []finding {
	const check = "data folder"
	at, err := os.Stat(e.Data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []finding{note(check, "If there should be one, set FRONTDESK_DATA to it.", "%s does not exist. The first start creates it.", e.Data)}
	case err != nil:
		return []finding{wrong(check, "Let the user of the server reach it.", "%s.", asSentence(err))}
	case !at.IsDir():
		return []finding{wrong(check, "Set FRONTDESK_DATA to a folder.", "%s is not a folder.", e.Data)}
	}
	f, err := os.CreateTemp(e.Data, ".doctor-*")
	if err != nil {
		return []finding{wrong(check, "Make the user of the server its owner.", "%s cannot be written to: %v.", e.Data, err)}
	}
	f.Close()
	os.Remove(f.Name())
	all := []finding{ok(check, "%s can be written to.", e.Data)}
	if at.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		all = append(all, note(check, "chmod 700 "+e.Data, "Other users of this machine may look into %s (its mode is %s).", e.Data, at.Mode().Perm()))
	}
	if free, err := freeSpace(e.Data); err == nil {
		all = append(all, judgeSpace(e.Data, free, "Make room. When the disk is full, changes are refused with 503 until there is room again."))
	}
	return all
}

// judgeSpace judges the free bytes of the disk of a folder.
func judgeSpace(folder string, free uint64, do string) finding {
	const check = "disk space"
	size := fmt.Sprintf("%.1f GB", float64(free)/1e9)
	switch {
	case free < 200<<20:
		return wrong(check, do, "The disk of %s has only %s left.", folder, size)
	case free < 2<<30:
		return note(check, do, "The disk of %s has %s left.", folder, size)
	}
	return ok(check, "The disk of %s has %s left.", folder, size)
}

// checkAddress looks at the public address, and at what is in front of the server.
func (e *examination) checkAddress(ctx context.Context) (all []finding) {
	const check = "address"
	if e.URL == "" {
		return append(all, note(check, "Set FRONTDESK_URL to the https address that people open.", "FRONTDESK_URL is not set, so links lead to http://%s.", e.Server.Addr))
	}
	u, err := url.Parse(e.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return append(all, wrong(check, "Set FRONTDESK_URL to an address such as https://desk.example.com.", "FRONTDESK_URL is not an address: %q.", e.URL))
	}
	local := isThisMachine(u.Host)
	if u.Scheme == "http" && !local {
		all = append(all, wrong(check, "Put a proxy with TLS in front of the server, and set FRONTDESK_URL to its https address.", "%s is not https: passwords and tokens can be read on the way.", e.URL))
	}
	if u.Scheme == "https" && !local && len(e.Server.TrustedProxies) == 0 {
		all = append(all, wrong(check, "Set FRONTDESK_TRUSTED_PROXIES to the address of the proxy.", "FRONTDESK_TRUSTED_PROXIES is not set, so every caller has the address of the proxy: they share the limits of sign-in, and the audit log does not know them apart."))
	}
	public, here := callHealth(ctx, e.URL), callHealth(ctx, "http://"+localAddr(e.Server.Addr))
	switch {
	case public == nil:
		all = append(all, ok(check, "%s answers.", e.URL))
	case here == nil:
		all = append(all, wrong(check, "Look at the name in DNS, the certificate and the proxy.", "The server runs, but %s does not lead to it: %v.", e.URL, public))
	default:
		all = append(all, note(check, "Start the server, and ask again.", "No server answers at %s or %s.", e.URL, e.Server.Addr))
	}
	if host, _, err := net.SplitHostPort(e.Server.OperationsAddr); err == nil && !isThisMachine(host) {
		all = append(all, note(check, "Let only your monitoring reach it.", "Metrics and profiles are served at %s, which other machines may reach.", e.Server.OperationsAddr))
	}
	return all
}

// localAddr is where this machine reaches an address that a server listens on.
func localAddr(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return addr
}

// callHealth returns nil if a Frontdesk answers at an address.
func callHealth(ctx context.Context, at string) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(at, "/")+"/healthz", nil)
	if err != nil {
		return err
	}
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		return errors.Unwrap(err) // without the method and the address
	}
	defer w.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(w.Body, 100))
	if w.StatusCode != http.StatusOK || strings.TrimSpace(string(body)) != "ok" {
		return fmt.Errorf("it answers %s", w.Status)
	}
	return nil
}

// checkAttachments stores a file, reads it and removes it.
func (e *examination) checkAttachments(ctx context.Context) []finding {
	const check = "attachments"
	ctx, cancel := context.WithTimeout(ctx, 4*callTime)
	defer cancel()
	if e.Blob.S3Endpoint != "" {
		if _, err := e.openBlobs(ctx); err != nil {
			return []finding{wrong(check, "Look at the settings that begin with FRONTDESK_S3_, and at the rights of the access key.", "%s.", asSentence(err))}
		}
		return []finding{ok(check, "The bucket %s at %s takes files and gives them back.", e.Blob.S3Bucket, e.Blob.S3Endpoint)}
	}
	path := e.attachmentsFolder()
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return []finding{note(check, "", "%s does not exist. The first start creates it.", path)}
	}
	if err := tryFolder(ctx, path); err != nil {
		return []finding{wrong(check, "Make the user of the server the owner of the folder and of everything in it.", "%s.", asSentence(err))}
	}
	if e.DatabaseURL != "" {
		return []finding{note(check, "With several nodes, store attachments in an S3-compatible store: FRONTDESK_S3_ENDPOINT.", "Attachments are in %s, which other nodes cannot read.", path)}
	}
	return []finding{ok(check, "%s takes files and gives them back.", path)}
}

func tryFolder(ctx context.Context, path string) error {
	folder, err := blob.OpenFolder(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	key, content := blob.NewKey(1), []byte("Frontdesk looks whether it can use this folder.\n")
	if _, _, err := folder.Put(ctx, key, bytes.NewReader(content), 1<<10); err != nil {
		return err
	}
	defer folder.Remove(ctx, key)
	r, err := folder.Open(ctx, key)
	if err != nil {
		return err
	}
	defer r.Close()
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, content) {
		return fmt.Errorf("%s gave back something else than it was given: %v", path, err)
	}
	return nil
}

// checkChat looks at the chat system.
func (e *examination) checkChat(context.Context) (all []finding) {
	const check = "chat"
	c := e.Chat
	switch {
	case c.Sandbox || c.SandboxRemote:
		if c.SandboxRemote && !isThisMachine(urlHost(e.URL)) {
			all = append(all, wrong(check, "Unset FRONTDESK_SANDBOX_REMOTE, or make sure that only people whom you trust reach this server.", "Everybody who reaches this server can use its built-in chat workspace."))
		}
		if e.DatabaseURL != "" {
			all = append(all, note(check, "Run only this node, or connect Slack.", "The built-in chat workspace lives in this node's data folder. Other nodes cannot use it."))
		}
		if len(all) == 0 {
			all = append(all, note(check, "Connect Slack when you are done with trials.", "The built-in chat workspace is used instead of Slack."))
		}
	case c.SlackClientID == "":
		all = append(all, note(check, "docs/operating.md says how to connect Slack.", "No Slack app is set."))
	case !strings.HasPrefix(e.URL, "https://"):
		all = append(all, wrong(check, "Set FRONTDESK_URL to the https address at which Slack reaches this server.", "Slack sends events only to an https address."))
	default:
		all = append(all, ok(check, "A Slack app is set."))
	}
	return all
}

// checkMail looks at how mail goes out and comes in.
func (e *examination) checkMail(ctx context.Context) (all []finding) {
	const check = "mail"
	m := e.Mail
	if m.Domain == "" {
		return []finding{note(check, "docs/email.md says how to set it up.", "There is no mail: FRONTDESK_MAIL_DOMAIN is not set.")}
	}
	if m.Relay == "" {
		all = append(all, note(check, "Set FRONTDESK_MAIL_RELAY.", "No mail is sent: there is no relay."))
	} else if r, err := relay.Parse(m.Relay); err == nil { // otherwise checkSettings has said so
		ctx, cancel := context.WithTimeout(ctx, callTime)
		defer cancel()
		if session, err := r.Open(ctx, m.Domain); err != nil {
			all = append(all, wrong(check, "Look at FRONTDESK_MAIL_RELAY, and whether the relay runs. Mail waits for it for 48 hours.", "The relay %s does not take mail: %s.", r, asSentence(err)))
		} else {
			session.Close()
			all = append(all, ok(check, "The relay %s takes mail. To try it: frontdesk mail check --to ADDRESS", r))
		}
	}
	if m.DKIMKey == "" && m.Relay != "" {
		all = append(all, note(check, "Set FRONTDESK_MAIL_DKIM_KEY and FRONTDESK_MAIL_DKIM_SELECTOR, unless the relay signs.", "Mail is not signed."))
	}
	if m.Listen == "" && m.LMTP == "" {
		all = append(all, note(check, "Set FRONTDESK_MAIL_LISTEN or FRONTDESK_MAIL_LMTP, unless every collection reads a mailbox.", "Answers come in only from mailboxes."))
	}
	if m.TLSCert != "" {
		if pair, err := tls.LoadX509KeyPair(m.TLSCert, m.TLSKey); err == nil {
			all = append(all, judgeCertificate(m.TLSCert, pair.Leaf, time.Now()))
		}
	}
	return all
}

// judgeCertificate judges how long a certificate is still valid.
func judgeCertificate(file string, c *x509.Certificate, now time.Time) finding {
	const check, do = "mail", "Renew the certificate. The server reads the new one by itself."
	left := c.NotAfter.Sub(now)
	switch day := c.NotAfter.Format(time.DateOnly); {
	case left <= 0:
		return wrong(check, do, "The certificate %s ended on %s.", file, day)
	case left < 14*24*time.Hour:
		return note(check, do, "The certificate %s ends on %s.", file, day)
	default:
		return ok(check, "The certificate %s is valid until %s.", file, day)
	}
}

// checkProxy looks at the proxy for calls to addresses that users entered.
func (e *examination) checkProxy(ctx context.Context) []finding {
	u, err := url.Parse(e.Webhook.Proxy)
	if e.Webhook.Proxy == "" || err != nil || u.Host == "" {
		return nil
	}
	const check = "outbound proxy"
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "socks5": "1080"}[u.Scheme]
	}
	conn, err := (&net.Dialer{Timeout: callTime}).DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return []finding{wrong(check, "Look at FRONTDESK_OUTBOUND_PROXY. Webhooks wait until the proxy is back.", "The proxy cannot be reached: %v.", err)}
	}
	conn.Close()
	return []finding{ok(check, "The proxy %s can be reached.", u.Host)}
}

// checkMachine looks at what the machine gives a process.
func (e *examination) checkMachine(context.Context) (all []finding) {
	const check = "this machine"
	if _, err := time.LoadLocation("America/New_York"); err != nil {
		all = append(all, wrong(check, "Use the binary as it was built.", "There are no time zones: %v.", err))
	}
	if files, err := openFiles(); err == nil {
		all = append(all, judgeFiles(files))
	}
	if limit, ok := memoryBound(); ok {
		all = append(all, judgeMemory(limit))
	}
	return all
}

// judgeFiles judges how many files a process may have open. A connection is one.
func judgeFiles(n uint64) finding {
	if n < 4096 {
		return note("this machine", "Raise it for the server, with ulimit -n or LimitNOFILE.", "A process may open %d files. Every connection and event stream is one.", n)
	}
	return ok("this machine", "A process may open %d files.", n)
}

// judgeMemory judges how much memory the group of this process may use.
func judgeMemory(limit uint64) finding {
	size := fmt.Sprintf("%d MB", limit>>20)
	if limit < 256<<20 {
		return note("this machine", "Give the server at least 256 MB, or 512 MB if it has 100,000 requests.", "Processes here may use %s. A busy server with 100,000 requests needs about 200 MB, and as much again now and then.", size)
	}
	return ok("this machine", "Processes here may use %s.", size)
}

// quietLog is the log of the doctor, which says everything itself.
var quietLog = slog.New(slog.DiscardHandler)
