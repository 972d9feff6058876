package service

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/mail"
	"frontdesk/internal/mail/mailtest"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
	"frontdesk/internal/worker"
)

// A mailbox is read from the moment at which it was first looked at, by one process at a
// time, and goes on where it stopped. Each mail is one request, although a process dies
// after it has taken a mail in and before it has noted that.
func TestMailboxOnce(t *testing.T) {
	dovecot := mailtest.Dovecot(t)
	users := 0
	eachOffice(t, func(t *testing.T, o *office) {
		users++
		user := fmt.Sprint("help", users)
		mails := 0
		put := func(n int) {
			for range n {
				dovecot.Put(user, "INBOX", string(letter{from: "jo@customer.example", to: "help@elsewhere.example", subject: fmt.Sprint("Mail ", mails), body: "How does it work?"}.raw()))
				mails++
			}
		}
		put(2) // the past
		tls := desk.NoTLS
		_, err := o.CreateCollection(ctx, o.caller(), desk.NewCollection{Name: "Help", Kind: desk.EmailCollection, Email: desk.Just(desk.EmailConfigChange{
			Address: ptr("help@elsewhere.example"), Mailbox: desk.Just(desk.MailboxChange{Host: &dovecot.Host, Port: &dovecot.Port, TLS: &tls, User: &user, Password: &dovecot.Password})})})
		must(t, err)
		stop := readMailboxes(o.process, o.another())
		eventually(t, "the first look", func() bool { return o.count("SELECT count(*) FROM mailboxes WHERE uid IS NOT NULL") == 1 })
		put(10)
		eventually(t, "ten requests", func() bool { return o.count("SELECT count(*) FROM requests") >= 10 })
		stop()

		put(1)
		must(t, o.store.DB().Write(ctx, func(tx *sqldb.Tx) error {
			_, err := tx.Exec("UPDATE mailboxes SET uid = uid - 5")
			return err
		}))
		stop = readMailboxes(o.another())
		eventually(t, "the mail that came in between", func() bool { return o.count("SELECT count(*) FROM requests WHERE title = 'Mail 12'") == 1 })
		stop()
		o.settles()
		var titles []string
		for _, r := range o.requests() {
			titles = append(titles, r.Title)
		}
		slices.Sort(titles)
		if want := "[Mail 10 Mail 11 Mail 12 Mail 2 Mail 3 Mail 4 Mail 5 Mail 6 Mail 7 Mail 8 Mail 9]"; fmt.Sprint(titles) != want {
			t.Errorf("%v, want %s", titles, want)
		}
		if n := dovecot.Seen(user, "INBOX"); n > 0 {
			t.Errorf("%d mails are marked as read", n)
		}
	})
}

// A running process reads a mailbox that is added, and reads it anew when only its port is
// corrected.
func TestMailboxIsCorrected(t *testing.T) {
	dovecot := mailtest.Dovecot(t)
	users := 0
	eachOffice(t, func(t *testing.T, o *office) {
		users++
		user := fmt.Sprint("help", users)
		dovecot.Folder(user, "INBOX")
		defer readMailboxes(o.process)()
		tls, wrong := desk.NoTLS, 1
		set := desk.MailboxChange{Host: &dovecot.Host, Port: &wrong, TLS: &tls, User: &user, Password: &dovecot.Password}
		col, err := o.CreateCollection(ctx, o.caller(), desk.NewCollection{Name: "Help", Kind: desk.EmailCollection,
			Email: desk.Just(desk.EmailConfigChange{Address: ptr("help@elsewhere.example"), Mailbox: desk.Just(set)})})
		must(t, err)
		eventually(t, "the failure", func() bool { return o.count("SELECT count(*) FROM mailboxes WHERE failure <> ''") == 1 })
		set.Port = &dovecot.Port
		_, err = o.UpdateCollection(ctx, o.caller(), col.ID, desk.CollectionChange{Email: desk.Just(desk.EmailConfigChange{Mailbox: desk.Just(set)})})
		must(t, err)
		eventually(t, "the first look", func() bool {
			return o.count("SELECT count(*) FROM mailboxes WHERE uid IS NOT NULL AND failure = ''") == 1
		})
		dovecot.Put(user, "INBOX", string(letter{from: "jo@customer.example", to: "help@elsewhere.example", subject: "Hello", body: "How does it work?"}.raw()))
		eventually(t, "the request", func() bool { return o.count("SELECT count(*) FROM requests") == 1 })
	})
}

// readMailboxes reads the mailboxes with some processes until stop is called.
func readMailboxes(by ...process) (stop func()) {
	reading, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	for _, p := range by {
		running.Go(func() { p.ReadMailboxes(reading, (&net.Dialer{}).DialContext, "") })
	}
	return func() { cancel(); running.Wait() }
}

// count returns the number that a statement selects.
func (o *office) count(statement string) (n int) {
	o.t.Helper()
	must(o.t, o.store.DB().Read(ctx, func(tx *sqldb.Tx) error { return tx.Row(statement).Scan(&n) }))
	return n
}

// Every mail of the corpus is taken in, however broken it is: one that could not be taken
// would stop its mailbox for good. By SMTP it may be refused, but is never put off.
func TestOddMailIsTaken(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../mail/testdata/corpus/*.eml", "../mail/testdata/fuzz/FuzzParse/*"} {
		found, err := filepath.Glob(pattern)
		must(t, err)
		if len(found) < 20 {
			t.Fatalf("%s has only %d files", pattern, len(found))
		}
		files = append(files, found...)
	}
	eachOffice(t, func(t *testing.T, o *office) {
		box := store.AccountCollection{Account: o.account.ID, Collection: o.collection.ID}
		for _, name := range files {
			raw := readMail(t, name)
			if err := o.TakeMail(ctx, worker.IncomingMail{To: []string{"support@" + mailDomain}, Raw: raw, Mailbox: &box}); err != nil {
				t.Errorf("%s in a mailbox: %v", name, err)
			}
			raw = append([]byte("X-Again: yes\r\n"), append(raw, "\r\nAnd more.\r\n"...)...) // or it would be the same mail
			err := o.TakeMail(ctx, worker.IncomingMail{From: "jo@customer.example", To: []string{"support@" + mailDomain}, Raw: raw})
			if refused := (mail.Refusal{}); err != nil && !errors.As(err, &refused) {
				t.Errorf("%s by SMTP: %v", name, err)
			}
		}
		o.settles()
		for _, r := range o.requests() {
			for _, m := range r.Messages {
				if m.HTML == "" && len(m.Attachments) == 0 {
					t.Errorf("nothing is shown of %s: %+v", r.Title, m.Email)
				}
			}
		}
		t.Logf("%d mails, %d requests", 2*len(files), len(o.requests()))
	})
}

// readMail reads a mail from a file, or the input of a fuzzer that is one.
func readMail(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	must(t, err)
	if input, ok := strings.CutPrefix(string(b), "go test fuzz v1\n[]byte("); ok {
		text, err := strconv.Unquote(strings.TrimSuffix(strings.TrimSpace(input), ")"))
		must(t, err)
		return []byte(text)
	}
	return b
}
