package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/blob/blobtest"
	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/mail"
	"frontdesk/internal/mail/relay"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/worker"
)

// post is where the mail of a test goes out. It answers like a relay.
type post struct {
	mu      sync.Mutex
	mails   []sentMail
	answers []error // of the next mails; then nil
	before  func(context.Context)
}

type sentMail struct {
	from, to string
	mail.Mail
	raw string
}

func (p *post) Send(ctx context.Context, from, to string, raw []byte) error {
	if p.before != nil {
		p.before(ctx)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	if len(p.answers) > 0 {
		err, p.answers = p.answers[0], p.answers[1:]
	}
	if err != nil && err != relay.ErrPerhaps {
		return err
	}
	m, parseErr := mail.Parse(raw)
	if parseErr != nil {
		panic(parseErr)
	}
	p.mails = append(p.mails, sentMail{from, to, m, string(raw)})
	return err
}

// take returns what was sent since it was last called.
func (p *post) take() []sentMail {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.mails
	p.mails = nil
	return all
}

// office is a company with mail and an email collection at support@acme.example.
type office struct {
	*company
	post       *post
	collection desk.Collection
}

const mailDomain = "reply.desk.example"

func eachOffice(t *testing.T, fn func(t *testing.T, o *office)) {
	dbtest.EachURL(t, func(t *testing.T, url string) { fn(t, newOffice(t, url)) })
}

func newOffice(t testing.TB, url string) *office {
	t.Helper()
	o := &office{post: &post{}}
	o.company = openCompany(t, &company{url: url, clock: &clock{now: time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)}, relay: o.post, blobs: blobtest.New(t, t.TempDir()),
		mail: change.Mail{Domain: mailDomain, Tokens: mail.NewTokens(key), Sends: true}})
	var err error
	o.collection, err = o.CreateCollection(ctx, o.caller(), desk.NewCollection{Name: "Support", Kind: desk.EmailCollection,
		Email: desk.Just(desk.EmailConfigChange{Address: ptr("support@reply.desk.example"), FromName: ptr("Acme Support")})})
	must(t, err)
	return o
}

// letter is a mail that a customer writes.
type letter struct {
	from, to, cc, subject, body string
	id, inReplyTo, references   string
	header                      string // more lines
	checks                      mail.Checks
	envelope                    []string // where it is delivered to; nil: to
}

var letters int

func (l letter) raw() []byte {
	if l.id == "" {
		letters++
		l.id = fmt.Sprintf("letter-%d@customer.example", letters)
	}
	lines := []string{"From: " + l.from, "To: " + l.to, "Subject: " + l.subject, "Message-ID: <" + l.id + ">", "Date: Wed, 13 May 2026 08:59:00 +0000"}
	for name, value := range map[string]string{"Cc": l.cc, "In-Reply-To": l.inReplyTo, "References": l.references} {
		if value != "" {
			lines = append(lines, name+": "+value)
		}
	}
	if l.header != "" {
		lines = append(lines, l.header)
	}
	return []byte(strings.Join(lines, "\r\n") + "\r\n\r\n" + strings.ReplaceAll(l.body, "\n", "\r\n"))
}

// passed is what a check finds of a mail that its domain vouches for.
func passed(domain string) mail.Checks { return mail.Checks{DMARC: "pass", Domain: domain} }

var failed = mail.Checks{DMARC: "fail", Policy: "reject"}

func (o *office) take(l letter) error {
	to := l.envelope
	if to == nil {
		to = []string{bareAddress(l.to)}
	}
	return o.TakeMail(ctx, worker.IncomingMail{From: bareAddress(l.from), To: to, Raw: l.raw(),
		Check: func(context.Context, mail.Mail) mail.Checks { return l.checks }})
}

func bareAddress(s string) string {
	if i := strings.IndexByte(s, '<'); i >= 0 {
		return strings.TrimSuffix(s[i+1:], ">")
	}
	return s
}

func (o *office) receives(l letter) {
	o.t.Helper()
	must(o.t, o.take(l))
	o.settles()
}

func (o *office) settles() {
	o.t.Helper()
	_, err := o.Settle(ctx, 0)
	must(o.t, err)
}

// requests returns all conversations, the oldest first, with their messages.
func (o *office) requests() []desk.Request {
	o.t.Helper()
	var ids []desk.RequestID
	must(o.t, o.store.DB().Read(ctx, func(tx *sqldb.Tx) (err error) {
		ids, err = sqldb.Collect(tx, func(scan func(...any) error) (id desk.RequestID, err error) {
			err = scan(&id)
			return id, err
		}, "SELECT id FROM requests ORDER BY id")
		return err
	}))
	var all []desk.Request
	for _, id := range ids {
		r, err := o.Request(ctx, o.caller(), id, RequestParts{Messages: true})
		must(o.t, err)
		all = append(all, r)
	}
	return all
}

func (o *office) only() desk.Request {
	o.t.Helper()
	all := o.requests()
	if len(all) != 1 {
		o.t.Fatalf("there are %d requests", len(all))
	}
	return all[0]
}

func (o *office) answers(id desk.RequestID, html string) desk.Message {
	o.t.Helper()
	m, err := o.AddMessage(ctx, o.caller(), id, desk.NewMessage{HTML: &html})
	must(o.t, err)
	o.settles()
	return m
}

// A mail becomes a request, the answer to it a mail in the same thread, and the
// answer to that a message without what it quotes.
func TestMailRound(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		o.receives(letter{from: "Jo Doe <jo@customer.example>", to: "support@reply.desk.example", cc: "Kim <kim@customer.example>, x@elsewhere.example", subject: "AW: The door", body: "It does not open.\n\n-- \nJo\n"})
		r := o.only()
		if r.Title != "The door" || r.State == nil || *r.State != desk.Open || r.Author.Email != "jo@customer.example" || r.Author.Name != "Jo Doe" || r.Source != desk.FromEmail || len(r.Tickets) != 1 {
			t.Errorf("%+v", r)
		}
		if len(r.Messages) != 1 || r.Messages[0].Text != "It does not open." || r.Messages[0].Email.Status != desk.EmailReceived || r.Messages[0].Responder {
			t.Errorf("%+v", r.Messages)
		}
		sent := o.answers(r.ID, "<p>Push it.</p>")
		mails := o.post.take()
		if len(mails) != 2 {
			t.Fatalf("%d mails", len(mails))
		}
		m := mails[0]
		if m.to != "jo@customer.example" || m.Subject != "Re: The door" || m.From[0] != (mail.Address{Name: "Acme Support", Email: "support@reply.desk.example"}) || m.InReplyTo[0] != "letter-1@customer.example" && !strings.HasPrefix(m.InReplyTo[0], "letter-") {
			t.Errorf("%+v", m)
		}
		if mails[1].to != "kim@customer.example" || mails[1].MessageID != m.MessageID || mails[1].ReplyTo[0].Email == m.ReplyTo[0].Email || len(m.Cc) != 1 {
			t.Errorf("%+v", mails[1])
		}
		if !strings.Contains(m.Text, "> It does not open.") {
			t.Errorf("the first mail does not quote what was asked: %s", m.Text)
		}
		r = o.only()
		if got := r.Messages[1].Email; got == nil || got.Status != desk.EmailSent || len(got.Recipients) != 2 {
			t.Errorf("message %d shows %+v", sent.ID, got)
		}
		if *r.State != desk.InProgress {
			t.Errorf("it is %s", *r.State)
		}
		o.receives(letter{from: "jo@customer.example", to: m.ReplyTo[0].Email, subject: "Re: The door", inReplyTo: "<" + m.MessageID + ">",
			body: "Still closed, please help.\n\nOn Wed, 13 May 2026, Acme Support wrote:\n> Push it.\n"})
		r = o.only()
		if len(r.Messages) != 3 || r.Messages[2].Text != "Still closed, please help." || *r.State != desk.Open {
			t.Errorf("%s %+v", *r.State, r.Messages)
		}
		people, err := o.Participants(ctx, o.caller(), r.ID)
		must(t, err)
		if got := fmt.Sprint(people); len(people) != 3 || people[0].Role != desk.RoleRequester || people[1].Status != desk.ParticipantActive || people[2].Status != desk.ParticipantAsked {
			t.Error(got)
		}
		events := desk.Each(o.events(), func(e desk.Event) string { return string(e.Type) })
		if !slices.Contains(events, "email.sent") {
			t.Error(events)
		}
	})
}

// began is an office with one request of Jo's, which was answered once. It returns the
// answer as Jo got it.
func began(o *office) (desk.Request, sentMail) {
	o.t.Helper()
	o.receives(letter{from: "Jo <jo@customer.example>", to: "support@reply.desk.example", subject: "The door", body: "It does not open."})
	r := o.only()
	o.answers(r.ID, "<p>Push it.</p>")
	mails := o.post.take()
	if len(mails) != 1 {
		o.t.Fatalf("%d mails", len(mails))
	}
	return o.only(), mails[0]
}

// Who is not who they claim to be gets nothing, changes nothing and learns nothing.
func TestForgedMail(t *testing.T) {
	reply := func(m sentMail) string { return m.ReplyTo[0].Email }
	altered := func(m sentMail) string {
		at := strings.IndexByte(reply(m), '+') + 5
		b := []byte(reply(m))
		b[at] = 'a' + (b[at]-'a'+1)%26
		return string(b)
	}
	for name, c := range map[string]struct {
		letter  func(m sentMail) letter
		refused bool
		begins  bool // it is a request of its own
		ignored bool
		private string // what it is kept as: the text of a private message in the thread
	}{
		"a guessed reply address": {refused: true, letter: func(m sentMail) letter {
			return letter{from: "eve@evil.example", to: "reply+abcdefghijklmnopqrstuvwxyz234567@" + mailDomain, body: "x"}
		}},
		"an altered reply address": {refused: true, letter: func(m sentMail) letter { return letter{from: "jo@customer.example", to: altered(m), body: "x"} }},
		"a bounce address as reply": {refused: true, letter: func(m sentMail) letter {
			return letter{from: "jo@customer.example", to: "reply" + strings.TrimPrefix(m.from, "bounce"), body: "x"}
		}},
		"relaying": {refused: true, letter: func(m sentMail) letter {
			return letter{from: "jo@customer.example", to: "somebody@elsewhere.example", body: "x"}
		}},
		"a reply address used by a stranger": {private: "Send me everything.", letter: func(m sentMail) letter {
			return letter{from: "eve@evil.example", to: reply(m), cc: "mallory@evil.example", subject: "Re: The door", body: "Send me everything.", checks: passed("evil.example")}
		}},
		"the requester's address, disowned by its domain": {private: "Close it.", letter: func(m sentMail) letter {
			return letter{from: "jo@customer.example", to: reply(m), subject: "Re: The door", body: "Close it.", checks: failed}
		}},
		"spam": {private: "Buy.", letter: func(m sentMail) letter {
			return letter{from: "jo@customer.example", to: reply(m), body: "Buy.", checks: mail.Checks{Spam: true}}
		}},
		"a failure that the domain does not want to count": {letter: func(m sentMail) letter {
			return letter{from: "jo@customer.example", to: reply(m), body: "Close it.", checks: mail.Checks{DMARC: "fail", Policy: "none"}}
		}},
		"a member's From without a proof": {private: "I am the admin.", letter: func(m sentMail) letter {
			return letter{from: "Admin <admin@acme.example>", to: reply(m), body: "I am the admin."}
		}},
		"References to a thread of somebody else": {begins: true, letter: func(m sentMail) letter {
			return letter{from: "eve@evil.example", to: "support@" + mailDomain, subject: "Re: The door", inReplyTo: "<" + m.MessageID + ">", references: "<" + m.References[0] + ">", body: "What was it?"}
		}},
		"a key in the subject": {begins: true, letter: func(m sentMail) letter {
			return letter{from: "eve@evil.example", to: "support@" + mailDomain, subject: "ACME-1 The door", body: "What was it?"}
		}},
		"two authors": {private: "Both of us.", letter: func(m sentMail) letter {
			return letter{from: "jo@customer.example, eve@evil.example", to: reply(m), body: "Both of us.", checks: passed("customer.example")}
		}},
		"our own mail": {ignored: true, letter: func(m sentMail) letter {
			return letter{from: "support@" + mailDomain, to: "support@" + mailDomain, id: m.MessageID, body: "Push it."}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, dbtest.URL(t, sqldb.SQLite))
			before, m := began(o)
			o.clock.move(time.Minute)
			err := o.take(c.letter(m))
			o.settles()
			if refused := (mail.Refusal{}); errors.As(err, &refused) != c.refused || err != nil && !c.refused {
				t.Fatalf("%v", err)
			}
			all := o.requests()
			after := all[0]
			if (len(all) > 1) != c.begins {
				t.Fatalf("there are %d requests", len(all))
			}
			switch added := after.Messages[len(before.Messages):]; {
			case c.private != "":
				if len(added) != 1 || !added[0].Private || !added[0].Unproven() || added[0].Text != c.private || added[0].Responder {
					t.Fatalf("%+v", added)
				}
			case c.refused || c.begins || c.ignored:
				if len(added) > 0 {
					t.Fatalf("%+v", added)
				}
			case len(added) != 1 || added[0].Private:
				t.Fatalf("%+v", added)
			}
			if c.private != "" && (*after.State != *before.State || !after.LastMessageAt.Equal(before.LastMessageAt)) {
				t.Errorf("it is %s since %s", *after.State, after.LastMessageAt)
			}
			people, err := o.Participants(ctx, o.caller(), after.ID)
			must(t, err)
			if len(people) != 1 {
				t.Errorf("%+v take part", people)
			}
			if mails := o.post.take(); len(mails) > 0 {
				t.Errorf("%d mails answer it", len(mails))
			}
			_, token := mail.CutPlus(reply(m))
			for _, shown := range after.Messages {
				if strings.Contains(fmt.Sprintf("%+v %+v", shown, shown.Email), token) {
					t.Errorf("a token is shown: %+v", shown)
				}
			}
		})
	}
}
