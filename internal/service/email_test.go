package service

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/mail"
	"frontdesk/internal/outside"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// postman keeps what was sent.
type postman struct {
	mu   sync.Mutex
	sent []posted
	took func(mail.Mail) // called with each mail; may be nil
}

type posted struct {
	from, to string
	mail.Mail
}

func (p *postman) Send(_ context.Context, from, to string, raw []byte) error {
	m, err := mail.Parse(raw)
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.sent = append(p.sent, posted{from, to, m})
	p.mu.Unlock()
	if p.took != nil {
		p.took(m)
	}
	return nil
}

// withMail returns a service of the company that takes part in mail.
func (c *company) withMail(sender outside.MailSender, domain string, wait time.Duration) *Service {
	return New(Config{Store: c.Service.store, Outside: outside.New(outside.Config{Store: c.Service.store, Mail: sender}), PublicURL: "https://desk.example",
		Mail: change.Mail{Domain: domain, Tokens: mail.NewTokens(key)}, MailTestTime: wait, Log: quiet})
}

// newMailbox adds a collection with an address.
func newMailbox(t testing.TB, s *Service, c Caller, address string) desk.Collection {
	t.Helper()
	col, err := s.CreateCollection(ctx, c, desk.NewCollection{Name: "Help", Kind: desk.EmailCollection, Email: desk.Just(desk.EmailConfigChange{Address: &address})})
	must(t, err)
	return col
}

func takeTest(t testing.TB, s *Service, c Caller, token string) (taken bool) {
	t.Helper()
	must(t, s.store.Write(ctx, c.Account, func(tx *store.Tx) (err error) {
		taken, err = s.change.TakeTestMail(tx, token)
		return err
	}))
	return taken
}

// A server that sends no mail says which setting is missing.
func TestMailTestWithoutMail(t *testing.T) {
	c := newCompany(t)
	for missing, s := range map[string]*Service{
		"FRONTDESK_MAIL_RELAY":  c.withMail(nil, "reply.desk.example", time.Millisecond),
		"FRONTDESK_MAIL_DOMAIN": c.withMail(new(postman), "", time.Millisecond),
	} {
		col := newMailbox(t, s, c.caller(), strings.ToLower(missing)+"@acme.example")
		got, err := s.TestCollectionEmail(ctx, c.caller(), col.ID, desk.NewEmailTest{})
		if err != nil || got.Verified || len(got.Steps) != 1 || got.Steps[0].OK || got.Steps[0].Step != desk.StepSent || !strings.Contains(got.Steps[0].Detail, missing) {
			t.Errorf("without %s: %+v, %v", missing, got, err)
		}
	}
}

// Only the mail to the address itself has the token. Who asks for a copy could
// otherwise verify an address that is not theirs.
func TestMailTestCopies(t *testing.T) {
	c := newCompany(t)
	p := new(postman)
	s := c.withMail(p, "reply.desk.example", time.Millisecond)
	col := newMailbox(t, s, c.caller(), "help@acme.example")
	to := "Mira@acme.example"
	_, err := s.TestCollectionEmail(ctx, c.caller(), col.ID, desk.NewEmailTest{To: &to})
	must(t, err)
	same := "HELP@acme.example"
	_, err = s.TestCollectionEmail(ctx, c.caller(), col.ID, desk.NewEmailTest{To: &same})
	must(t, err)
	if len(p.sent) != 3 {
		t.Fatalf("sent %d mails", len(p.sent))
	}
	for i, want := range []struct {
		to    string
		token bool
	}{{"help@acme.example", true}, {to, false}, {"help@acme.example", true}} {
		m := p.sent[i]
		if m.to != want.to || len(m.To) != 1 || m.To[0].Email != want.to || (m.Header.Get(mail.TestHeader) != "") != want.token {
			t.Errorf("mail %d is to %s %v with the token %q", i, m.to, m.To, m.Header.Get(mail.TestHeader))
		}
		if m.from != "no-reply@reply.desk.example" || m.Author() != (mail.Address{Name: "Help", Email: "no-reply@reply.desk.example"}) || !m.Automatic {
			t.Errorf("mail %d is from %s %v", i, m.from, m.From)
		}
	}
	if p.sent[0].Header.Get(mail.TestHeader) == p.sent[2].Header.Get(mail.TestHeader) {
		t.Error("two tests have the same token")
	}
}

// A test is woken when its mail comes back to another process.
func TestMailTestIsWoken(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		c := companyAt(t, dbtest.URL(t, db.Engine()))
		other := c.another()
		p := new(postman)
		s := c.withMail(p, "reply.desk.example", 5*time.Minute)
		var delivering sync.WaitGroup
		defer delivering.Wait()
		p.took = func(m mail.Mail) {
			delivering.Go(func() {
				err := other.Service.store.Write(ctx, c.account.ID, func(tx *store.Tx) error {
					_, err := s.change.TakeTestMail(tx, m.Header.Get(mail.TestHeader))
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		col := newMailbox(t, s, c.caller(), "help@acme.example")
		got, err := s.TestCollectionEmail(ctx, c.caller(), col.ID, desk.NewEmailTest{})
		if err != nil || !got.Verified || len(got.Steps) != 2 || !got.Steps[0].OK || !got.Steps[1].OK {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

// A caller who leaves ends the test.
func TestMailTestEndsWithItsCaller(t *testing.T) {
	c := newCompany(t)
	leaving, leave := context.WithCancel(ctx)
	s := c.withMail(&postman{took: func(mail.Mail) { leave() }}, "reply.desk.example", 5*time.Minute)
	col := newMailbox(t, s, c.caller(), "help@acme.example")
	if _, err := s.TestCollectionEmail(leaving, c.caller(), col.ID, desk.NewEmailTest{}); err == nil {
		t.Error("the test went on")
	}
}

// A test mail that comes back within an hour verifies the address that it was sent to.
func TestMailThatComesBackLater(t *testing.T) {
	c := newCompany(t)
	p := new(postman)
	s := c.withMail(p, "reply.desk.example", time.Millisecond)
	col := newMailbox(t, s, c.caller(), "help@acme.example")
	test := func() (token string) {
		t.Helper()
		got, err := s.TestCollectionEmail(ctx, c.caller(), col.ID, desk.NewEmailTest{})
		if err != nil || got.Verified || len(got.Steps) != 2 || got.Steps[1].OK || !strings.Contains(got.Steps[1].Detail, col.Email.Inbound) {
			t.Fatalf("got %+v, %v", got, err)
		}
		return p.sent[len(p.sent)-1].Header.Get(mail.TestHeader)
	}
	is := func(what string, want bool) {
		t.Helper()
		got, err := s.Collection(ctx, c.caller(), col.ID, false)
		must(t, err)
		if got.Email.Verified != want {
			t.Errorf("%s: verified is %v", what, got.Email.Verified)
		}
	}
	change := func(address string) {
		t.Helper()
		_, err := s.UpdateCollection(ctx, c.caller(), col.ID, desk.CollectionChange{Email: desk.Just(desk.EmailConfigChange{Address: &address})})
		must(t, err)
	}

	late := test()
	c.clock.move(store.MailTestTime + time.Millisecond)
	if takeTest(t, s, c.caller(), late) {
		t.Error("a mail came back after more than an hour")
	}
	is("after more than an hour", false)
	if takeTest(t, s, c.caller(), "guessed") || takeTest(t, s, c.caller(), "") {
		t.Error("a token that is none was taken")
	}
	is("with a guessed token", false)

	outdated := test()
	change("sales@acme.example")
	if !takeTest(t, s, c.caller(), outdated) {
		t.Error("the test mail of another address is not known")
	}
	is("with the mail of another address", false)

	token := test()
	c.clock.move(store.MailTestTime)
	for range 2 {
		if !takeTest(t, s, c.caller(), token) {
			t.Error("the mail was not taken, or not a second time")
		}
	}
	is("after an hour", true)
	change("SALES@acme.example")
	is("in other letters", true)
	change("help@acme.example")
	is("with another address", false)
}

// An address of the mail domain is verified only as long as that is the mail domain.
func TestMailDomainBecomesAnother(t *testing.T) {
	c := newCompany(t)
	p := new(postman)
	before, after := c.withMail(p, "reply.desk.example", time.Millisecond), c.withMail(p, "mail.desk.example", time.Millisecond)
	col := newMailbox(t, before, c.caller(), "help@reply.desk.example")
	for _, s := range []*Service{before, after, before} {
		got, err := s.Collection(ctx, c.caller(), col.ID, false)
		must(t, err)
		from := map[bool]string{true: "help@reply.desk.example", false: "no-reply@mail.desk.example"}[s == before]
		if got.Email.Verified != (s == before) || s.change.Mail.From(*got.Email).Email != from {
			t.Errorf("in %s: %+v", s.change.Mail.Domain, got.Email)
		}
	}
	test, err := after.TestCollectionEmail(ctx, c.caller(), col.ID, desk.NewEmailTest{})
	if err != nil || test.Verified {
		t.Fatalf("got %+v, %v", test, err)
	}
	takeTest(t, after, c.caller(), p.sent[len(p.sent)-1].Header.Get(mail.TestHeader))
	if got, err := after.Collection(ctx, c.caller(), col.ID, false); err != nil || !got.Email.Verified {
		t.Errorf("got %+v, %v", got.Email, err)
	}
}

// An MX record names a server. If only an address of ours is known, the record says what
// to do about that.
func TestRecordOfServerWithoutName(t *testing.T) {
	m := change.Mail{Domain: "reply.desk.example"}
	for host, want := range map[string]string{"desk.example": "10 desk.example", "127.0.0.1": "10 reply.desk.example", "::1": "10 reply.desk.example"} {
		mx := m.Records("help@acme.example", host)[0]
		if mx.Type != desk.MX || mx.Value != want || strings.Contains(mx.Purpose, host) != (host != "desk.example") {
			t.Errorf("at %s: %+v", host, mx)
		}
	}
}

// A collection writes as itself or as the account's email collection, and as nobody on
// a server without mail.
func TestSenderOf(t *testing.T) {
	c := newCompany(t)
	s, silent := c.withMail(nil, "reply.desk.example", 0), c.withMail(nil, "", 0)
	chat, err := s.CreateCollection(ctx, c.caller(), desk.NewCollection{Name: "Chat", Kind: desk.ChatCollection})
	must(t, err)
	sender := func(s *Service, of desk.Collection) (id desk.CollectionID) {
		t.Helper()
		must(t, s.store.Read(ctx, c.account.ID, func(tx *store.Tx) error {
			col, err := s.change.SenderOf(tx, of)
			if col != nil {
				id = col.ID
			}
			return err
		}))
		return id
	}
	if got := sender(s, chat); got != 0 {
		t.Errorf("without mail, %d writes", got)
	}
	first, second := newMailbox(t, s, c.caller(), "a@acme.example"), newMailbox(t, s, c.caller(), "b@acme.example")
	for _, want := range []struct{ of, is desk.Collection }{{chat, first}, {first, first}, {second, second}} {
		if got := sender(s, want.of); got != want.is.ID {
			t.Errorf("collection %d writes as %d, want %d", want.of.ID, got, want.is.ID)
		}
		if got := sender(silent, want.of); got != 0 {
			t.Errorf("without a mail domain, collection %d writes as %d", want.of.ID, got)
		}
	}
	_, err = s.UpdateAccount(ctx, c.caller(), desk.AccountChange{EmailCollection: desk.Null[desk.CollectionID]()})
	must(t, err)
	if got := sender(s, chat); got != 0 {
		t.Errorf("an account without mail writes as %d", got)
	}
	if got := sender(s, second); got != second.ID {
		t.Errorf("a collection with mail of its own writes as %d", got)
	}
	if from := s.change.Mail.From(desk.EmailConfig{Address: "a@acme.example", FromName: "A", Tested: true}); from != (mail.Address{Name: "A", Email: "a@acme.example"}) {
		t.Errorf("a verified address is not the sender, but %v", from)
	}
}
