package mailtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// IMAP is a Dovecot. Whoever signs in with the Password has a mailbox there.
type IMAP struct {
	Host      string
	Port      int // with STARTTLS, and without encryption for those who do not ask for it
	TLSPort   int // encrypted from the first byte
	Password  string
	Authority *x509.CertPool // of its certificate, which is for the Host

	server *server
	put    int // how many mails were put in
}

// dovecotConfig is for Dovecot 2.3 that works for one ordinary user. It keeps mail in
// Maildirs. Dovecot punishes whoever mistypes a password with seconds of waiting; here
// nobody has the time.
const dovecotConfig = `
base_dir = %[1]s/run
state_dir = %[1]s/state
log_path = /dev/stderr
protocols = imap
listen = 127.0.0.1
default_internal_user = %[2]s
default_internal_group = %[3]s
default_login_user = %[2]s
first_valid_uid = 1
ssl = yes
ssl_cert = <%[1]s/certificate.pem
ssl_key = <%[1]s/key.pem
disable_plaintext_auth = no
auth_failure_delay = 0
mail_location = maildir:~/Maildir
mail_fsync = never
passdb {
  driver = static
  args = password=%[6]s
}
userdb {
  driver = static
  args = uid=%[2]s gid=%[3]s home=%[1]s/home/%%u
}
service anvil {
  chroot =
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service stats {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = %[4]d
  }
  inet_listener imaps {
    port = %[5]d
  }
}
`

// Dovecot starts a server. A test is skipped if there is no Dovecot on this machine; with
// CI set, it fails.
func Dovecot(t testing.TB) *IMAP {
	t.Helper()
	program := findProgram(t, "dovecot", "dovecot-imapd")
	s := newServer(t, "dovecot")
	d := &IMAP{Host: "127.0.0.1", Password: "secret", server: s}
	d.Authority = s.writeCertificate()
	plain, at := s.newListener()
	defer plain.Close()
	encrypted, atTLS := s.newListener()
	defer encrypted.Close()
	d.Port, d.TLSPort = at.Port, atTLS.Port
	config := filepath.Join(s.folder, "dovecot.conf")
	s.writeFile(config, fmt.Sprintf(dovecotConfig, s.folder, s.owner.user, s.owner.group, d.Port, d.TLSPort, d.Password))
	var as *syscall.Credential
	if os.Getuid() == 0 {
		as = &syscall.Credential{Uid: uint32(s.owner.uid), Gid: uint32(s.owner.gid)}
	}
	s.start(as, []*os.File{plain, encrypted}, program, "-F", "-c", config)
	plain.Close() // or a Dovecot that ends would leave its clients waiting
	encrypted.Close()
	if !s.greets(at.String()) {
		t.Fatalf("Dovecot does not start:\n%s", s.log())
	}
	return d
}

// Folder returns where the mails of a folder are, in the subfolders new and cur. It makes
// the folder if there is none.
func (d *IMAP) Folder(user, folder string) string {
	d.server.t.Helper()
	path := filepath.Join(d.server.folder, "home", user, "Maildir")
	if folder != "INBOX" {
		path = filepath.Join(path, "."+folder)
	}
	for _, sub := range []string{"tmp", "new", "cur"} {
		d.server.makeFolder(filepath.Join(path, sub))
	}
	return path
}

// Put puts a mail into a folder, as a mail server does that delivers one.
func (d *IMAP) Put(user, folder, mail string) {
	d.server.t.Helper()
	path := d.Folder(user, folder)
	d.put++
	name := fmt.Sprintf("1700000000.M%06d.mailtest", d.put)
	d.server.writeFile(filepath.Join(path, "tmp", name), mail)
	d.server.check(os.Rename(filepath.Join(path, "tmp", name), filepath.Join(path, "new", name)))
}

// Seen returns how many mails of a folder somebody has marked as read.
func (d *IMAP) Seen(user, folder string) (seen int) {
	d.server.t.Helper()
	files, err := os.ReadDir(filepath.Join(d.Folder(user, folder), "cur"))
	d.server.check(err)
	for _, f := range files {
		if _, flags, _ := strings.Cut(f.Name(), ":2,"); strings.Contains(flags, "S") {
			seen++
		}
	}
	return seen
}

// writeCertificate makes a certificate for loopback, and returns whom to trust.
func (s *server) writeCertificate() *x509.CertPool {
	s.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	s.check(err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	s.check(err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	s.check(err)
	s.writeFile(filepath.Join(s.folder, "certificate.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})))
	s.writeFile(filepath.Join(s.folder, "key.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})))
	parsed, err := x509.ParseCertificate(certificate)
	s.check(err)
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return pool
}
