package mailtest

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// SMTP is a Postfix that takes mail for anybody.
type SMTP struct {
	Address string // as in 127.0.0.1:2525

	server *server
}

// postfixConfig asks nobody's DNS. Mail for some domains goes by LMTP to where the test
// wants it, and all else into one Maildir.
const postfixConfig = `
compatibility_level = 3.6
queue_directory = %[1]s/queue
data_directory = %[1]s/data
maillog_file = /dev/stdout
myhostname = mail.mailtest.example
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
mydestination =
alias_maps =
local_recipient_maps =
fast_flush_domains =
disable_dns_lookups = yes
smtpd_peername_lookup = no
smtpd_relay_restrictions = permit_mynetworks, reject
message_size_limit = 0
relay_domains = %[2]s
transport_maps = %[3]s
default_transport = virtual
virtual_mailbox_domains =
virtual_mailbox_base = %[1]s/mail
virtual_mailbox_maps = static:all/
virtual_mailbox_limit = 0
virtual_uid_maps = static:%[4]d
virtual_gid_maps = static:%[5]d
`

// postfixServices are the parts of Postfix that work together.
const postfixServices = `
%d      inet       n - n -   - smtpd
cleanup unix       n - n -   0 cleanup
qmgr    unix       n - n 300 1 qmgr
rewrite unix       - - n -   - trivial-rewrite
bounce  unix       - - n -   0 bounce
defer   unix       - - n -   0 bounce
trace   unix       - - n -   0 bounce
error   unix       - - n -   - error
retry   unix       - - n -   - error
virtual unix       - n n -   - virtual
lmtp    unix       - - n -   - lmtp
postlog unix-dgram n - n -   1 postlogd
`

// Postfix starts a server that hands mail for some domains over by LMTP to an address on
// loopback. Mail for everybody else is in Delivered. A test is skipped if there is no
// Postfix on this machine; with CI set, it fails. It is also skipped if it does not run
// as root: Postfix changes between users.
func Postfix(t testing.TB, lmtp string, domains ...string) *SMTP {
	t.Helper()
	program := findProgram(t, "/usr/lib/postfix/sbin/master", "postfix")
	if os.Getuid() != 0 {
		t.Skip("Postfix can only be started by root")
	}
	// Whether a port is free is only known by taking it, which Postfix does itself.
	for range 10 {
		p := newPostfix(t, program, lmtp, domains)
		if p.server.greets(p.Address) {
			return p
		}
		if log := p.server.log(); !strings.Contains(log, "Address already in use") {
			t.Fatalf("Postfix does not start:\n%s", log)
		}
	}
	t.Fatal("Postfix finds no free port")
	return nil
}

func newPostfix(t testing.TB, program, lmtp string, domains []string) *SMTP {
	t.Helper()
	s := newServer(t, "postfix")
	postfix, err := user.Lookup("postfix")
	s.check(err)
	uid, _ := strconv.Atoi(postfix.Uid)
	folder := func(name string) string {
		path := filepath.Join(s.folder, name)
		s.check(os.MkdirAll(path, 0o755))
		return path
	}
	config := folder("config")
	folder("queue/pid")
	for _, name := range []string{"active", "bounce", "corrupt", "defer", "deferred", "hold", "incoming", "maildrop", "private", "public", "saved", "trace"} {
		s.check(os.Chown(folder("queue/"+name), uid, -1))
	}
	s.check(os.Chown(folder("data"), uid, -1))
	s.give(folder("mail"))
	host, port, _ := strings.Cut(lmtp, ":")
	routes := ""
	for _, d := range domains {
		routes += fmt.Sprintf("inline:{ {%s = lmtp:inet:[%s]:%s} } ", d, host, port)
	}
	socket, at := s.newListener()
	socket.Close()
	for name, content := range map[string]string{
		"main.cf":   fmt.Sprintf(postfixConfig, s.folder, strings.Join(domains, ", "), routes, s.owner.uid, s.owner.gid),
		"master.cf": fmt.Sprintf(postfixServices, at.Port),
	} {
		path, old := filepath.Join(config, name), time.Now().Add(-time.Hour)
		s.check(os.WriteFile(path, []byte(content), 0o644))
		s.check(os.Chtimes(path, old, old)) // Postfix waits until a file is older than some seconds
	}
	s.start(nil, nil, program, "-c", config, "-s")
	return &SMTP{Address: at.String(), server: s}
}

// Delivered waits for a mail to anybody whose mail is not handed over, and returns it. It
// begins with the fields Return-Path and Delivered-To, and its lines end as in a file.
func (p *SMTP) Delivered() string {
	s := p.server
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	at := filepath.Join(s.folder, "mail", "all", "new")
	for {
		files, _ := os.ReadDir(at) // which is there after the first mail
		for _, f := range files {
			path := filepath.Join(at, f.Name())
			content, err := os.ReadFile(path)
			s.check(err)
			s.check(os.Remove(path))
			return string(content)
		}
		select {
		case <-s.ended:
			s.t.Fatal("Postfix has ended")
		case <-ctx.Done():
			s.t.Fatal("Postfix delivers nothing")
		case <-time.After(5 * time.Millisecond):
		}
	}
}
