package main

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/smtp"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emersion/go-msgauth/dkim"

	"frontdesk/internal/mail"
	"frontdesk/internal/mail/mailtest"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// mailTown is a town with mail. Postfix is the mail server of everybody else: it takes our
// mail, and hands us theirs by LMTP. Dovecot has the mailboxes of two collections.
type mailTown struct {
	*town
	smtp    string // where the server takes mail
	postfix *mailtest.SMTP
	dovecot *mailtest.IMAP
	room    string // the channel in which requests have a thread
	dkim    string // the record with the key that signs our mail
}

const (
	mailDomain = "reply.desk.example"
	support    = "support@" + mailDomain
	sales      = "sales@mailbox.example"   // a mailbox that also has sales+anything
	billing    = "billing@mailbox.example" // a mailbox that has not
)

func newMailTown(t *testing.T) *mailTown {
	m := &mailTown{smtp: freeAddr(t), dovecot: mailtest.Dovecot(t)}
	lmtp := freeAddr(t)
	m.postfix = mailtest.Postfix(t, lmtp, mailDomain)
	key := filepath.Join(t.TempDir(), "dkim.pem")
	m.writeKey(t, key)
	m.town = newTown(t, dbtest.URL(t, sqldb.SQLite), 1, true, "FRONTDESK_MAIL_DOMAIN="+mailDomain, "FRONTDESK_MAIL_LISTEN="+m.smtp, "FRONTDESK_MAIL_LMTP="+lmtp,
		"FRONTDESK_MAIL_RELAY=smtp://"+m.postfix.Address, "FRONTDESK_MAIL_ALLOW_PRIVATE=true",
		"FRONTDESK_MAIL_DKIM_KEY="+key, "FRONTDESK_MAIL_DKIM_SELECTOR=desk")
	m.room = m.rooms(1)[0]
	must(t, m.workspace.As(m.owner.id).Invite(t.Context(), m.room, m.agents[0].id))
	responders := map[string]any{"responders": []any{map[string]any{"user_id": m.agents[0].id}}}
	m.ask("/collections", map[string]any{"name": "Help", "kind": "email", "request_channel_id": m.room, "triage_channel_id": m.triage, "config": responders,
		"email_config": map[string]any{"address": support, "from_name": "Acme Support"}}, &struct{}{})
	for address, plus := range map[string]bool{sales: true, billing: false} {
		user, _, _ := strings.Cut(address, "@")
		m.dovecot.Folder(user, "INBOX")
		m.ask("/collections", map[string]any{"name": user, "kind": "email", "email_config": map[string]any{"address": address,
			"mailbox": map[string]any{"kind": "imap", "host": m.dovecot.Host, "port": m.dovecot.Port, "tls": "none", "user": user, "password": m.dovecot.Password, "plus_addressing": plus}}}, &struct{}{})
	}
	await(t, "the beginning of reading mailboxes", func() bool { return count(t, m.db, "SELECT count(*) FROM mailboxes WHERE uid IS NOT NULL") == 2 })
	return m
}

// writeKey makes a key to sign mail with.
func (m *mailTown) writeKey(t *testing.T, path string) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	must(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(private)
	must(t, err)
	must(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600))
	m.dkim, err = mail.DKIMRecord(public)
	must(t, err)
}

// TestMail sends mail to a running server by every way in, and reads what it sends.
func TestMail(t *testing.T) {
	t.Parallel()
	m := newMailTown(t)
	m.round()
	for _, address := range []string{sales, billing} {
		m.roundOfMailbox(address)
	}
	m.injectHeaders()
	m.forge()
	m.mustBeQuiet()
}

// mailedRequest is a request as the API shows it.
type mailedRequest struct {
	ID       int64
	Title    string
	Author   string           `json:"author_email"`
	Thread   *threadOfRequest `json:"request_thread"`
	Card     *threadOfRequest `json:"triage_thread"`
	Messages []struct {
		HTML      string `json:"html_body"`
		Responder bool   `json:"is_responder"`
		Private   bool   `json:"is_private"`
		Email     *struct {
			Direction, Status string
		}
	}
}

type threadOfRequest struct {
	Channel string `json:"channel_id"`
	TS      string `json:"thread_ts"`
}

// requestOf waits for the request with a title.
func (m *mailTown) requestOf(title string) (r mailedRequest) {
	m.t.Helper()
	await(m.t, "the request "+title, func() bool {
		var got struct{ Requests []mailedRequest }
		m.server.get(m.t, m.token, "/requests?include=messages", &got)
		i := slices.IndexFunc(got.Requests, func(r mailedRequest) bool { return r.Title == title })
		if i >= 0 {
			r = got.Requests[i]
		}
		return i >= 0
	})
	return r
}

// hasMessages waits until a request has so many messages.
func (m *mailTown) hasMessages(id int64, n int) mailedRequest {
	m.t.Helper()
	var got struct{ Request mailedRequest }
	await(m.t, fmt.Sprintf("message %d of request %d", n, id), func() bool {
		m.server.get(m.t, m.token, fmt.Sprintf("/requests/%d?include=messages", id), &got)
		return len(got.Request.Messages) >= n
	})
	if len(got.Request.Messages) > n {
		m.t.Fatalf("%d messages, want %d: %+v", len(got.Request.Messages), n, got.Request.Messages)
	}
	return got.Request
}

// answer answers a request by the API.
func (m *mailTown) answer(id int64, html string) {
	m.t.Helper()
	m.ask(fmt.Sprintf("/requests/%d/message", id), map[string]any{"html_body": html}, &struct{}{})
}

// write sends a mail through a server, as a mail program does.
func (m *mailTown) write(server, from, to, raw string) {
	m.t.Helper()
	if err := smtp.SendMail(server, nil, from, []string{to}, []byte(raw)); err != nil {
		m.t.Fatalf("a mail of %s to %s: %v", from, to, err)
	}
}

func mailOf(lines ...string) string { return strings.Join(lines, "\r\n") + "\r\n" }

// delivered waits for mails of ours, and returns them by who got them.
func (m *mailTown) delivered(to ...string) map[string]mail.Mail {
	m.t.Helper()
	all := map[string]mail.Mail{}
	for range to {
		raw := m.postfix.Delivered()
		m.checkSignature(raw)
		got, err := mail.Parse([]byte(raw))
		must(m.t, err)
		for _, id := range append(slices.Clone(got.References), got.MessageID) {
			if !strings.HasSuffix(id, "@"+mailDomain) && !strings.HasSuffix(id, "@customer.example") {
				m.t.Errorf("the message id %s is nobody's", id)
			}
		}
		all[got.Header.Get("Delivered-To")] = got
	}
	for _, who := range to {
		if _, ok := all[who]; !ok {
			m.t.Fatalf("%s got no mail: %+v", who, all)
		}
	}
	return all
}

// checkSignature checks that our domain vouches for a mail, as it came to Postfix.
func (m *mailTown) checkSignature(raw string) {
	m.t.Helper()
	found, err := dkim.VerifyWithOptions(strings.NewReader(strings.ReplaceAll(raw, "\n", "\r\n")), &dkim.VerifyOptions{
		LookupTXT: func(name string) ([]string, error) {
			if name != "desk._domainkey."+mailDomain {
				m.t.Errorf("%s is asked for a key", name)
			}
			return []string{m.dkim}, nil
		}})
	if err != nil || len(found) != 1 || found[0].Err != nil || found[0].Domain != mailDomain {
		m.t.Errorf("the signatures are %+v, %v, of\n%s", found, err, raw)
	}
}

// programs are answers as different mail programs write them, by the name of a file of
// internal/mail/testdata/corpus.
var programs = []string{"gmail-top-posted", "outlook-desktop-en", "outlook-web", "apple-mail", "thunderbird", "iphone", "gmail-android", "quote-text-en"}

// round is a mail that becomes a request with a card, answers from four places, and what
// the customer answers with eight programs.
func (m *mailTown) round() {
	const jo, kim = "jo@customer.example", "kim@customer.example"
	t := m.t
	m.write(m.smtp, jo, support, mailOf("From: Jo Park <"+jo+">", "To: "+support, "Cc: Kim <"+kim+">, Eve <eve@elsewhere.example>",
		"Subject: AW: Export fails", "Message-ID: <first@customer.example>", "", "It fails since this morning, can you help?", "", "-- ", "Jo"))
	r := m.requestOf("Export fails")
	if r.Author != jo || len(r.Messages) != 1 || r.Messages[0].HTML != "<p>It fails since this morning, can you help?</p>" || r.Messages[0].Email.Status != "received" {
		t.Fatalf("the request is %+v", r)
	}
	await(t, "the thread and the card", func() bool {
		r = m.requestOf("Export fails")
		return r.Thread != nil && r.Card != nil
	})

	var thread []mail.Mail
	for _, place := range []struct {
		name string
		says func(text string)
	}{
		{"the chat thread", func(text string) { m.posts(m.room, r.Thread.TS, text) }},
		{"triage", func(text string) { m.posts(m.triage, r.Card.TS, text) }},
		{"the web app", func(text string) { m.answerInApp(r.ID, text) }},
		{"the API", func(text string) { m.answer(r.ID, text) }},
	} {
		text := "An answer from " + place.name
		place.says(text)
		got := m.delivered(jo, kim)
		thread = append(thread, got[jo])
		m.checkThread(thread, "first@customer.example")
		if got[kim].MessageID != got[jo].MessageID || !strings.HasPrefix(got[jo].Text, text) || !strings.HasPrefix(got[kim].Text, text) {
			t.Errorf("from %s: %+v and %+v", place.name, got[jo], got[kim])
		}
		if quotes := strings.Contains(got[jo].Text, "> It fails since this morning"); quotes != (len(thread) == 1) {
			t.Errorf("from %s: %s", place.name, got[jo].Text)
		}
		for _, field := range []func(mail.Mail) string{
			func(m mail.Mail) string { return m.ReplyTo[0].Email },
			func(m mail.Mail) string { return strings.Trim(m.Header.Get("Return-Path"), "<>") },
		} {
			if field(got[jo]) == field(got[kim]) {
				t.Errorf("from %s: both have %s", place.name, field(got[jo]))
			}
		}
	}
	m.checkParticipants(r, jo, kim)

	// Half of the answers come by LMTP from Postfix, and half directly.
	last := thread[len(thread)-1]
	for i, name := range programs {
		raw := m.corpus(name, "eml")
		raw = strings.NewReplacer("Support <support@desk.example>\n", fmt.Sprintf("Acme Support <%s>\n", last.ReplyTo[0].Email), "q1@reply.desk.example", last.MessageID,
			"root@reply.desk.example", last.References[0]).Replace(raw)
		m.write([]string{m.smtp, m.postfix.Address}[i%2], jo, last.ReplyTo[0].Email, strings.ReplaceAll(raw, "\n", "\r\n"))
		r = m.hasMessages(r.ID, 1+len(thread)+i+1)
		_, want, _ := strings.Cut(m.corpus(name, "golden"), "Written:\n")
		want, _, _ = strings.Cut(want, "\n\nWhole:")
		if got := r.Messages[len(r.Messages)-1]; got.HTML != want || got.Responder || got.Private || got.Email.Status != "received" {
			t.Errorf("written with %s: %+v, want %s", name, got, want)
		}
	}
	await(t, "all of it in the chat thread", func() bool {
		// What the agent wrote there is not the bot's.
		return count(t, m.box, "SELECT count(*) FROM messages WHERE conversation_id = $1 AND thread_ts <> 0 AND app_id <> ''", m.room) >= len(programs)+3
	})
	m.settle(patienceOfMail)
}

// checkThread checks the newest mail of a thread, in which the customer has written only
// the first. All mail programs must show them as one conversation.
func (m *mailTown) checkThread(thread []mail.Mail, first string) {
	m.t.Helper()
	got := thread[len(thread)-1]
	answered, root := first, thread[0].References[0]
	if len(thread) > 1 {
		answered = thread[len(thread)-2].MessageID
	}
	if got.Subject != "Re: Export fails" || !slices.Equal(got.InReplyTo, []string{answered}) || got.References[0] != root || got.References[len(got.References)-1] != answered || root == first {
		m.t.Errorf("mail %d of the thread: %s, in reply to %v, references %v; want %s, and the root %s", len(thread), got.Subject, got.InReplyTo, got.References, answered, root)
	}
	if from := got.From[0]; from.Email != support || from.Name != "Acme Support" || got.ReplyTo[0].Name != "Acme Support" || got.Automatic {
		m.t.Errorf("mail %d of the thread is %+v", len(thread), got)
	}
	reply, envelope := got.ReplyTo[0].Email, got.Header.Get("Return-Path")
	if !strings.HasPrefix(reply, "reply+") || !strings.HasSuffix(reply, "@"+mailDomain) || !strings.HasPrefix(envelope, "<bounce+") || !strings.HasSuffix(envelope, "@"+mailDomain+">") {
		m.t.Errorf("mail %d of the thread: Reply-To %s, envelope %s", len(thread), reply, envelope)
	}
}

// checkParticipants checks who takes part, and that the card shows them.
func (m *mailTown) checkParticipants(r mailedRequest, jo, kim string) {
	m.t.Helper()
	var got struct {
		Participants []struct{ Email, Role, Status string }
	}
	m.server.get(m.t, m.token, fmt.Sprintf("/requests/%d/participants", r.ID), &got)
	if want := fmt.Sprintf("[{%s requester active} {eve@elsewhere.example cc asked} {%s cc active}]", jo, kim); fmt.Sprint(got.Participants) != want {
		m.t.Errorf("%v take part, want %s", got.Participants, want)
	}
	await(m.t, "a card with To and CC", func() bool {
		var body string
		must(m.t, m.box.Read(m.t.Context(), func(tx *sqldb.Tx) error {
			return tx.Row("SELECT body FROM messages WHERE conversation_id = $1 AND thread_ts = 0 AND app_id <> ''", m.triage).Scan(&body)
		}))
		return strings.Contains(body, "*To*") && strings.Contains(body, "*CC*") && strings.Contains(body, kim) && strings.Contains(body, "eve@elsewhere.example (gets no mail)")
	})
}

// posts posts in a thread of the workspace as an agent.
func (m *mailTown) posts(channel, thread, text string) {
	m.t.Helper()
	if _, ok := m.does(m.t.Context(), m.agents[0], "chat.postMessage", url.Values{"channel": {channel}, "thread_ts": {thread}, "text": {text}}); !ok {
		m.t.Fatal("a post was not taken")
	}
}

// answerInApp answers as the web app does: in a session, and after a while in which one
// can think better of it.
func (m *mailTown) answerInApp(id int64, text string) {
	m.t.Helper()
	app := &http.Client{Timeout: m.client.Timeout}
	app.Jar, _ = cookiejar.New(nil) // it never fails
	m.postIn(app, "/auth/sign-in", map[string]string{"email": "admin@acme.test", "password": townPassword}, http.StatusNoContent)
	m.postIn(app, fmt.Sprintf("/v1/rest/requests/%d/message", id), map[string]any{"html_body": text, "delay_seconds": 1}, http.StatusAccepted)
}

func (m *mailTown) postIn(app *http.Client, path string, body any, want int) {
	m.t.Helper()
	b, err := json.Marshal(body)
	must(m.t, err)
	r, err := app.Post(m.server.url+path, "application/json", bytes.NewReader(b))
	must(m.t, err)
	defer r.Body.Close()
	if said, _ := io.ReadAll(r.Body); r.StatusCode != want {
		m.t.Fatalf("POST %s: %s %s", path, r.Status, said)
	}
}

func (m *mailTown) corpus(name, kind string) string {
	m.t.Helper()
	b, err := os.ReadFile("../../internal/mail/testdata/corpus/" + name + "." + kind)
	must(m.t, err)
	return string(b)
}

// roundOfMailbox is a mail in a mailbox that becomes a request, and an answer that leads
// back to it through the mailbox.
func (m *mailTown) roundOfMailbox(address string) {
	const ada = "ada@customer.example"
	t := m.t
	user, domain, _ := strings.Cut(address, "@")
	put := func(to, subject, id, refers, text string) {
		m.dovecot.Put(user, "INBOX", mailOf("From: Ada <"+ada+">", "To: "+to, "Subject: "+subject, "Message-ID: <"+id+"@customer.example>", "References: "+refers, "", text))
	}
	title := "A question for " + user
	put(address, title, user+"-1", "", "What does it cost?")
	r := m.requestOf(title)
	m.answer(r.ID, "Nothing.")
	got := m.delivered(ada)[ada]
	reply := got.ReplyTo[0].Email
	plus := strings.HasPrefix(reply, user+"+") && strings.HasSuffix(reply, "@"+domain)
	if address == sales && !plus || address == billing && reply != billing {
		t.Errorf("answers to mail of %s go to %s", address, reply)
	}
	// Nobody has shown that the address is ours, so we do not write as it.
	if got.From[0].Email != "no-reply@"+mailDomain || got.Subject != "Re: "+title || got.InReplyTo[0] != user+"-1@customer.example" {
		t.Errorf("the answer is %+v", got)
	}
	refers := "<" + got.MessageID + ">"
	if plus {
		refers = "" // the address alone leads to the request
	}
	put(reply, "Re: "+title, user+"-2", refers, "Then I take two.")
	if r = m.hasMessages(r.ID, 3); r.Messages[2].HTML != "<p>Then I take two.</p>" || r.Messages[2].Private {
		t.Errorf("the answer is %+v", r.Messages[2])
	}
	if n := m.dovecot.Seen(user, "INBOX"); n != 0 {
		t.Errorf("%d mails of %s are marked as read", n, address)
	}
}

// injectHeaders writes a mail whose name and subject hold line ends. They reach no header
// of the answer.
func (m *mailTown) injectHeaders() {
	const mallory = "mallory@customer.example"
	t := m.t
	m.write(m.smtp, mallory, support, mailOf("From: =?utf-8?q?Mallory=0D=0ABcc:_bcc@evil.example=0D=0A?= <"+mallory+">", "To: "+support,
		"Cc: =?utf-8?b?"+"S2ltDQpCY2M6IGJjY0BldmlsLmV4YW1wbGU="+"?= <kim@customer.example>",
		"Subject: =?utf-8?q?Inject=0D=0ABcc:_bcc@evil.example=0D=0A=0D=0AFirst_line?=", "Message-ID: <inject\tBcc: bcc@evil.example@customer.example>", "", "Does it work, too?"))
	var r mailedRequest
	await(t, "the request with odd letters", func() bool {
		var got struct{ Requests []mailedRequest }
		m.server.get(t, m.token, "/requests", &got)
		for _, r = range got.Requests {
			if r.Author == mallory {
				return true
			}
		}
		return false
	})
	m.answer(r.ID, "No.")
	for range 2 {
		raw := m.postfix.Delivered()
		header, _, _ := strings.Cut(raw, "\n\n")
		fields, err := textproto.NewReader(bufio.NewReader(strings.NewReader(header + "\n\n"))).ReadMIMEHeader()
		must(t, err)
		if !strings.Contains(header, "Bcc: bcc@evil.example") { // as text, in the subject
			t.Errorf("the test shows nothing:\n%s", header)
		}
		if fields["Bcc"] != nil || len(fields["Subject"]) != 1 || len(fields["To"]) != 1 || len(fields["Cc"]) != 1 || !strings.HasPrefix(fields.Get("Subject"), "Re: Inject") {
			t.Errorf("the header of what we send is\n%s", header)
		}
	}
}

// forge tries what a server must not allow who speaks SMTP with anybody.
func (m *mailTown) forge() {
	t := m.t
	m.settle(patienceOfMail)
	jo := m.requestOf("Export fails")
	m.answer(jo.ID, "One more.")
	reply := m.delivered("jo@customer.example", "kim@customer.example")["jo@customer.example"].ReplyTo[0].Email
	m.settle(patienceOfMail)
	before := count(t, m.db, "SELECT count(*) FROM messages")
	hello, from, to, data := "EHLO x.example\r\n", "MAIL FROM:<eve@evil.example>\r\n", "RCPT TO:<"+support+">\r\n", "DATA\r\n"
	at := strings.IndexByte(reply, '+') + 9
	altered := reply[:at] + string('a'+(reply[at]-'a'+1)%26) + reply[at+1:]
	const nobody = "550 5.1.1 There is no such address here."
	letter := func(header, body string) string {
		return "From: eve@evil.example\r\nTo: " + support + "\r\nSubject: Evil\r\n" + header + "\r\n" + body + "\r\n.\r\n"
	}
	parts := func(n int) string { return strings.Repeat("--b\r\n\r\nx\r\n", n) + "--b--" }
	nested := "x"
	for i := range 12 {
		nested = fmt.Sprintf("--%d\r\nContent-Type: multipart/mixed; boundary=%d\r\n\r\n%s\r\n--%d--", i, i-1, nested, i)
	}
	for name, c := range map[string]struct {
		says []string
		want string // the last answer begins so
		ends bool   // and the server ends the connection
	}{
		"a good one, so that the others show something": {[]string{hello, from, to, "RCPT TO:<" + reply + ">\r\n"}, "250 ", false},
		"a guessed reply address":                       {[]string{hello, from, "RCPT TO:<reply+abcdefghijklmnopqrstuvwxyz234567@" + mailDomain + ">\r\n"}, nobody, false},
		"an altered reply address":                      {[]string{hello, from, "RCPT TO:<" + altered + ">\r\n"}, nobody, false},
		"a reply address as one for reports":            {[]string{hello, from, "RCPT TO:<bounce" + strings.TrimPrefix(reply, "reply") + ">\r\n"}, nobody, false},
		"an unknown recipient":                          {[]string{hello, from, "RCPT TO:<nobody@" + mailDomain + ">\r\n"}, nobody, false},
		"relaying":                                      {[]string{hello, from, "RCPT TO:<somebody@elsewhere.example>\r\n"}, nobody, false},
		"relaying with a percent sign":                  {[]string{hello, from, "RCPT TO:<somebody%elsewhere.example@" + mailDomain + ">\r\n"}, nobody, false},
		"relaying with a route":                         {[]string{hello, from, "RCPT TO:<@" + mailDomain + ":somebody@elsewhere.example>\r\n"}, nobody, false},
		"a mail smuggled by LF":                         {[]string{hello, from, to, data, "Subject: Evil\r\n\r\nx\n.\n" + from + to + data + letter("", "x")}, "550 5.6.0", true},
		"a mail smuggled by CR":                         {[]string{hello, from, to, data, "Subject: Evil\r\n\r\nx\r.\r" + from + to + data + letter("", "x")}, "550 5.6.0", true},
		"a mail smuggled by CRLF.LF":                    {[]string{hello, from, to, data, "Subject: Evil\r\n\r\nx\r\n.\n" + from + to + data + letter("", "x")}, "550 5.6.0", true},
		"a mail smuggled by LF.CRLF":                    {[]string{hello, from, to, data, "Subject: Evil\r\n\r\nx\n.\r\n" + from + to + data + letter("", "x")}, "550 5.6.0", true},
		"a command that LF ends":                        {[]string{hello, "MAIL FROM:<eve@evil.example>\n"}, "550 5.6.0", true},
		"a mail that says how large it is":              {[]string{hello, "MAIL FROM:<eve@evil.example> SIZE=50000000\r\n"}, "552 5.3.4 A mail may have at most 40 MiB.", false},
		"a mail that is as large":                       {[]string{hello, from, to, data, letter("", strings.Repeat(strings.Repeat("x", 1022)+"\r\n", 41<<10))}, "552 5.3.4 A mail may have at most 40 MiB.", false},
		"too many parts":                                {[]string{hello, from, to, data, letter("Content-Type: multipart/mixed; boundary=b\r\n", parts(51))}, "550 5.6.0 The mail has more than 50 parts.", false},
		"too many levels":                               {[]string{hello, from, to, data, letter("Content-Type: multipart/mixed; boundary=11\r\n", nested)}, "550 5.6.0 The mail has more than 10 levels", false},
		"too many recipients":                           {[]string{hello, from, to, data, letter("Cc: a@x.example"+strings.Repeat(",\r\n a@x.example", 100)+"\r\n", "x")}, "550 5.6.0 The mail has more than 100 recipients.", false},
		"too many header lines":                         {[]string{hello, from, to, data, letter(strings.Repeat("X-A: b\r\n", 1001), "x")}, "550 5.6.0 The mail has more than 1000 header lines.", false},
		"too large a header":                            {[]string{hello, from, to, data, letter(strings.Repeat("X-A: "+strings.Repeat("b", 900)+"\r\n", 300), "x")}, "550 5.6.0 The mail has more than 256 KiB of headers.", false},
	} {
		if got, ended := m.talk(c.says...); !strings.HasPrefix(got, c.want) || ended != c.ends {
			t.Errorf("%s: %q, ended: %t; want %q and %t", name, got, ended, c.want, c.ends)
		}
	}
	m.settle(patienceOfMail)
	if after := count(t, m.db, "SELECT count(*) FROM messages"); after != before {
		t.Errorf("there are %d messages, %d before", after, before)
	}
}

// talk speaks SMTP with the server. It returns the last answer, and whether the server
// ended the connection with it.
func (m *mailTown) talk(says ...string) (answer string, ended bool) {
	m.t.Helper()
	conn, err := net.Dial("tcp", m.smtp)
	must(m.t, err)
	defer conn.Close()
	in := textproto.NewReader(bufio.NewReader(conn))
	heard := func() (string, error) {
		code, text, err := in.ReadResponse(0)
		return fmt.Sprint(code, " ", text), err
	}
	if _, err := heard(); err != nil {
		m.t.Fatal(err)
	}
	for _, line := range says {
		// The server may end the connection before it has read everything.
		if _, err := io.WriteString(conn, line); err != nil && line != says[len(says)-1] {
			m.t.Fatalf("%.80q: %v", line, err)
		}
		if answer, err = heard(); err != nil {
			m.t.Fatalf("%.80q: %v", line, err)
		}
	}
	io.WriteString(conn, "NOOP\r\n")
	_, err = heard()
	return answer, err != nil
}
