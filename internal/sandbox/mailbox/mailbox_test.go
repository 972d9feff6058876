package mailbox

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/mail"
)

// answerTo is a mail of the product that answers another.
func answerTo(m mail.Mail, html string) mail.Draft {
	return mail.Draft{
		From: mail.Address{Name: "Acme Support", Email: "support@acme.test"}, ReplyTo: mail.Address{Name: "Acme Support", Email: "reply+abc@acme.test"},
		To: m.From, Cc: m.Cc, Subject: "Re: " + m.Subject, Date: time.Date(2026, 5, 4, 9, 30, 0, 0, time.UTC), MessageID: mail.NewMessageID("acme.test"),
		InReplyTo: m.MessageID, References: []string{"root@acme.test", m.MessageID}, HTML: html,
	}
}

func TestRound(t *testing.T) {
	w := newWorld(t)
	w.mustSend(Draft{From: ines, To: []string{"support@acme.test"}, Cc: []string{oskar}, Subject: "Grüße vom Drucker", Text: "It prints nothing.\n\nNot <b>one</b> label."}, "log.txt", "paper jam")

	got := <-w.product.got
	want(t, "envelope", []any{got.Envelope.From, got.Envelope.To}, []any{ines, []string{"support@acme.test"}})
	want(t, "from", got.Mail.From, []mail.Address{{Name: "Ines Duarte", Email: ines}})
	want(t, "cc", got.Cc, []mail.Address{{Name: "Oskar Nyman", Email: oskar}})
	want(t, "subject", got.Subject, "Grüße vom Drucker")
	want(t, "text", got.Written(nil), "<p>It prints nothing.</p><p>Not &lt;b&gt;one&lt;/b&gt; label.</p>")
	want(t, "file", []string{got.Files[0].Name, string(got.Files[0].Content)}, []string{"log.txt", "paper jam"})
	want(t, "sent", w.list(ines, sent), []string{"Grüße vom Drucker 1/0"})
	want(t, "who was sent a copy", w.list(oskar, inbox), []string{"Grüße vom Drucker 1/1"})

	// The answer arrives in the same thread of both.
	if err := w.deliver(answerTo(got.Mail, "<p>Is it <strong>on</strong>?</p>"), ines, oskar); err != nil {
		t.Fatal(err)
	}
	want(t, "inbox", w.list(ines, inbox), []string{"Grüße vom Drucker 2/1"})
	want(t, "inbox of the other", w.list(oskar, inbox), []string{"Grüße vom Drucker 2/2"})
	_, people := w.call("GET", "/people")
	want(t, "people", people["people"], []any{
		map[string]any{"name": "Ines Duarte", "email": ines, "company": "Harbor & Pine", "unread": 1.0},
		map[string]any{"name": "Oskar Nyman", "email": oskar, "company": "Harbor & Pine", "unread": 2.0},
	})
	answer := w.newest(ines, inbox)
	if code, _ := w.call("POST", "/threads/"+itoa(answer.thread)+"/read", "owner", ines); code != 200 {
		t.Error(code)
	}
	want(t, "read", w.list(ines, inbox), []string{"Grüße vom Drucker 2/0"})
	want(t, "the other's are not read", w.list(oskar, inbox), []string{"Grüße vom Drucker 2/2"})

	// A reply goes to Reply-To, refers to what it answers and quotes it.
	d := must(w.box.Answer(t.Context(), ines, answer.ID, reply))
	want(t, "reply", []any{d.From, d.To, d.Cc, d.Subject}, []any{"Ines Duarte <" + ines + ">", []string{"Acme Support <reply+abc@acme.test>"}, []string{}, "Re: Grüße vom Drucker"})
	all := must(w.box.Answer(t.Context(), ines, answer.ID, replyAll))
	want(t, "reply all", []any{all.To, all.Cc}, []any{d.To, []string{"Oskar Nyman <" + oskar + ">"}})
	all.Text = "Of course."
	w.mustSend(all)
	back := <-w.product.got
	want(t, "refers to", []any{back.InReplyTo, back.References}, []any{[]string{parse(t, w, answer).MessageID}, []string{"root@acme.test", got.MessageID, parse(t, w, answer).MessageID}})
	want(t, "to", back.Envelope.To, []string{"reply+abc@acme.test"})
	want(t, "what is new", back.Written(nil), "<p>Of course.</p>")
	if !strings.Contains(back.source, "\r\n> Is it on?\r\n") {
		t.Errorf("the text does not quote:\n%s", back.source)
	}
	quote := "<p>On 4 May 2026 09:30 UTC, Acme Support &lt;support@acme.test&gt; wrote:</p>\n<blockquote type=\"cite\"><p>Is it <strong>on</strong>?</p></blockquote>"
	if !strings.Contains(back.HTML, quote) {
		t.Errorf("the HTML does not quote:\n%s", back.HTML)
	}
	want(t, "thread", w.list(ines, inbox), []string{"Grüße vom Drucker 3/0"})
	want(t, "thread of the other", w.list(oskar, inbox), []string{"Grüße vom Drucker 3/3"})
}

func parse(t *testing.T, w *world, c copyOf) mail.Mail { return must(w.box.parsed(t.Context(), c.ID)) }

func TestForward(t *testing.T) {
	w := newWorld(t)
	w.mustSend(Draft{From: "somebody@elsewhere.test", To: []string{ines}, Subject: "Offer", Text: "Buy it."}, "offer.pdf", "%PDF")
	d := must(w.box.Answer(t.Context(), ines, w.newest(ines, inbox).ID, forward))
	want(t, "draft", []any{d.Subject, d.To, d.Cc}, []any{"Fwd: Offer", []string{}, []string{}})
	d.To, d.Text = []string{"support@acme.test"}, "What is this?"
	w.mustSend(d)
	got := <-w.product.got
	author, ok := got.Forwarded()
	want(t, "whose mail it was", []any{author.Email, ok}, []any{"somebody@elsewhere.test", true})
	want(t, "files", got.Files[0].Name, "offer.pdf")
	want(t, "refers to nothing", len(got.References)+len(got.InReplyTo), 0)
	want(t, "everybody who has mail is listed", must(w.box.mailboxes(t.Context()))[2], mailboxOf{Email: "somebody@elsewhere.test"})
}

// Mails of one thread may come in any order, and refer to one that nobody has.
func TestThreads(t *testing.T) {
	w := newWorld(t)
	add := func(id string, refs ...string) {
		t.Helper()
		d := mail.Draft{From: mail.Address{Email: "a@b.test"}, To: []mail.Address{{Email: ines}}, Subject: id, Date: time.Now(), MessageID: id + "@x", References: refs, HTML: "<p>x</p>"}
		if err := w.deliver(d, ines); err != nil {
			t.Fatal(err)
		}
	}
	add("one", "root@x")
	add("two", "root@x")
	want(t, "same root", w.list(ines, inbox), []string{"one 2/2"})
	add("other")
	add("late", "unknown@x")
	want(t, "apart", w.list(ines, inbox), []string{"late 1/1", "other 1/1", "one 2/2"})
	add("both", "other@x", "unknown@x")
	want(t, "joined", w.list(ines, inbox), []string{"other 3/3", "one 2/2"})
	add("unknown")
	want(t, "the missing one", w.list(ines, inbox), []string{"other 4/4", "one 2/2"})
	want(t, "others have none", w.list(oskar, inbox), []string{})
}

func TestReplySubjectsAndOwnMail(t *testing.T) {
	for subject, answer := range map[string]string{"Printer": "Re: Printer", "Re: Printer": "Re: Printer", "RE:Printer": "RE:Printer", "": "Re:", "Ré": "Re: Ré", "é": "Re: é"} {
		want(t, subject, prefixed("Re: ", subject), answer)
	}
	w := newWorld(t)
	w.mustSend(Draft{From: ines, To: []string{"support@acme.test"}, Cc: []string{oskar}, Subject: "A"})
	d := must(w.box.Answer(t.Context(), ines, w.newest(ines, sent).ID, replyAll))
	want(t, "own mail", []any{d.To, d.Cc}, []any{[]string{"support@acme.test"}, []string{"Oskar Nyman <" + oskar + ">"}})
	w.mustSend(Draft{From: ines, To: []string{ines}, Subject: "Note"})
	note := w.newest(ines, inbox)
	want(t, "to oneself", must(w.box.Answer(t.Context(), ines, note.ID, reply)).To, []string{"Ines Duarte <" + ines + ">"})
	want(t, "shown once", len(must(w.box.thread(t.Context(), ines, note.thread))), 1)
}

// The answer to a mail may arrive before its sender knows that it was taken.
func TestQuickAnswer(t *testing.T) {
	w := newWorld(t)
	w.product.answer = func(m mail.Mail) {
		if err := w.deliver(answerTo(m, "<p>Quick</p>"), ines); err != nil {
			t.Error(err)
		}
	}
	w.mustSend(Draft{From: ines, To: []string{"support@acme.test"}, Subject: "A"})
	want(t, "the newest", w.newest(ines, inbox).Snippet, "Quick")
	want(t, "thread", w.list(ines, inbox), []string{"A 2/1"})
}

func TestRefused(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct {
		name   string
		d      Draft
		status int
		said   string
	}{
		{"unknown recipient", Draft{From: ines, To: []string{oskar, "support@acme.test", "who@acme.test"}, Subject: "A"}, 422,
			"The mail server refused mail for who@acme.test: 550 5.1.1 Nobody here has this address."},
		{"refused mail", Draft{From: ines, To: []string{oskar, "support@acme.test"}, Subject: "Spam"}, 422,
			"The mail server refused the mail: 550 5.6.0 We do not want this."},
		{"missing person", Draft{From: ines, To: []string{"Nobody@harborpine.test"}}, 422,
			"The mail server refused mail for Nobody@harborpine.test: 550 There is no mailbox with this address."},
		{"no address", Draft{From: ines, To: []string{"ines"}}, 422, `"ines" is not an email address.`},
		{"nobody to send to", Draft{From: ines}, 422, "A mail needs somebody to go to."},
		{"no sender", Draft{To: []string{oskar}}, 422, `"" is not an email address.`},
		{"a mail that is not there", Draft{From: ines, To: []string{oskar}, Kind: reply, Answers: 12345}, 404, "This mail is not there any more."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, said := w.send(tt.d)
			want(t, "answer", []any{status, said}, []any{tt.status, tt.said})
		})
	}
	want(t, "nothing was sent", []any{len(w.product.got), w.list(ines, sent), w.list(oskar, inbox)}, []any{0, []string{}, []string{}})

	// The product is told, too, and a server that is away is no refusal.
	d := mail.Draft{From: mail.Address{Email: "support@acme.test"}, To: []mail.Address{{Email: ines}}, Date: time.Now(), MessageID: "1@x", HTML: "x"}
	if err := w.deliver(d, "nobody@harborpine.test"); err == nil || !strings.Contains(err.Error(), "There is no mailbox with this address.") {
		t.Error(err)
	}
	if err := w.deliver(d, "who@acme.test"); err == nil || !strings.Contains(err.Error(), "5.6.0 Nobody here has this address.") {
		t.Error(err)
	}
	w.box.cfg.Server = "127.0.0.1:1"
	status, said := w.send(Draft{From: ines, To: []string{"support@acme.test"}})
	want(t, "no server", []any{status, said}, []any{502, "The mail server does not answer."})
	if err := w.deliver(d, "support@acme.test"); err == nil || !strings.HasPrefix(err.Error(), "451 ") {
		t.Error(err)
	}
}

// What the product sends to its own addresses comes back to it, unchanged.
func TestHandOn(t *testing.T) {
	w := newWorld(t)
	d := mail.Draft{From: mail.Address{Email: "support@acme.test"}, To: []mail.Address{{Email: "Support@ACME.test"}}, Subject: "Test", Date: time.Now(), MessageID: "1@x", HTML: "<p>.</p>"}
	if err := w.deliver(d, "support@ACME.test", ines); err != nil {
		t.Fatal(err)
	}
	got := <-w.product.got
	want(t, "envelope", []any{got.Envelope.From, got.Envelope.To}, []any{"bounce+1@acme.test", []string{"support@ACME.test"}})
	want(t, "mail", got.source, string(must(d.Bytes())))
	want(t, "the others", w.list(ines, inbox), []string{"Test 1/1"})
	want(t, "nobody else", len(must(w.box.mailboxes(t.Context()))), 2)
}

func TestAuthenticationResults(t *testing.T) {
	w := newWorld(t, func(c *Config) {
		c.Authserv = "mx.acme.test"
		c.Contacts = func(context.Context) ([]string, error) { return []string{"support@acme.test"}, nil }
	})
	_, got := w.call("GET", "/people")
	want(t, "what the page is told", []any{got["contacts"], got["can_forge"]}, []any{[]any{"support@acme.test"}, true})
	for _, tt := range []struct {
		forged bool
		want   mail.Verdict
	}{{false, mail.Pass}, {true, mail.Fail}} {
		w.mustSend(Draft{From: ines, To: []string{"support@acme.test"}, Forged: tt.forged})
		got := <-w.product.got
		want(t, "verdict", mail.Judge(got.Author(), mail.ReadChecks(got.Header, "mx.acme.test")), tt.want)
	}
}

func TestRestartKeepsMails(t *testing.T) {
	w := newWorld(t)
	w.mustSend(Draft{From: oskar, To: []string{ines}, Subject: "Kept", Text: "Hello"}, "a.txt", "x")
	before := w.newest(ines, inbox)
	_, source := w.fetch("/mails/" + itoa(before.ID) + "/source")
	w.close()
	w.open()
	want(t, "mail", w.newest(ines, inbox), before)
	_, after := w.fetch("/mails/" + itoa(before.ID) + "/source")
	want(t, "source", after, source)
	w.mustSend(must(w.box.Answer(t.Context(), ines, before.ID, reply)))
	want(t, "thread", w.list(oskar, inbox), []string{"Kept 2/1"})
}

func TestOldMailsGo(t *testing.T) {
	w := newWorld(t)
	w.box.mostOfOne = 3
	for _, subject := range []string{"1", "2", "3", "4", "5"} {
		w.mustSend(Draft{From: oskar, To: []string{ines}, Subject: subject, Text: strings.Repeat("word ", 1000)})
	}
	want(t, "inbox", w.list(ines, inbox), []string{"5 1/1", "4 1/1", "3 1/1"})
	first := w.newest(ines, inbox)
	w.box.mostBytes = 30_000 // two of them
	w.mustSend(Draft{From: oskar, To: []string{ines}, Subject: "6", Text: strings.Repeat("word ", 1000)})
	want(t, "what has room", w.list(ines, inbox), []string{"6 1/1", "5 1/1"})
	want(t, "sent", w.list(oskar, sent), []string{"6 1/0", "5 1/0"})
	w.box.mostBytes = 1
	w.mustSend(Draft{From: oskar, To: []string{ines}, Subject: "7"})
	code, said := w.call("GET", "/mails/"+itoa(first.ID)+"/answer", "owner", ines)
	want(t, "a mail that is gone", []any{code, said["message"]}, []any{404, "This mail is not there any more."})
}

func TestStreamTellsOfNewMail(t *testing.T) {
	w := newWorld(t)
	response := must(http.Get(w.http.URL + "/mailbox/stream"))
	defer response.Body.Close()
	next := func() string {
		t.Helper()
		b := make([]byte, len("data: changed\n\n"))
		must(io.ReadFull(response.Body, b))
		return string(b)
	}
	want(t, "first", next(), "data: changed\n\n")
	w.mustSend(Draft{From: oskar, To: []string{ines}})
	want(t, "after a mail", next(), "data: changed\n\n")
	w.box.EndStreams()
	rest, err := io.ReadAll(response.Body)
	want(t, "end", []any{string(rest), err}, []any{"", nil})
}

func TestWhoMayCall(t *testing.T) {
	w := newWorld(t)
	serve := func(h http.Handler, method, path, remote, host string, headers ...string) int {
		r := httptest.NewRequest(method, path, nil)
		r.RemoteAddr, r.Host = remote, host
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		return rec.Code
	}
	h := w.box.Handler("/mailbox", nil)
	want(t, "here", serve(h, "GET", "/mailbox/people", "127.0.0.1:1", "localhost"), 200)
	want(t, "elsewhere", serve(h, "GET", "/mailbox/people", "192.0.2.1:1", "localhost"), 403)
	want(t, "another name", serve(h, "GET", "/mailbox/people", "127.0.0.1:1", "evil.test"), 403)
	want(t, "through a proxy", serve(h, "GET", "/mailbox/people", "127.0.0.1:1", "localhost", "X-Forwarded-For", "1.1.1.1"), 403)
	want(t, "a page elsewhere", serve(h, "POST", "/mailbox/threads/1/read", "127.0.0.1:1", "localhost", "Sec-Fetch-Site", "cross-site"), 403)
	want(t, "our page", serve(h, "POST", "/mailbox/threads/1/read", "127.0.0.1:1", "localhost", "Sec-Fetch-Site", "same-origin"), 200)
	in := w.box.Handler("/mailbox", func(r *http.Request) (bool, error) { return r.Header.Get("Cookie") == "yes", nil })
	want(t, "nobody", serve(in, "GET", "/mailbox/people", "127.0.0.1:1", "localhost"), 403)
	want(t, "somebody", serve(in, "GET", "/mailbox/people", "127.0.0.1:1", "localhost", "Cookie", "yes"), 200)
	failing := w.box.Handler("/mailbox", func(r *http.Request) (bool, error) { return true, context.DeadlineExceeded })
	want(t, "who cannot be asked for", serve(failing, "GET", "/mailbox/people", "127.0.0.1:1", "localhost"), 500)
	w.box.cfg.AllowRemote = true
	want(t, "allowed", serve(w.box.Handler("/mailbox", nil), "GET", "/mailbox/people", "192.0.2.1:1", "desk.test"), 200)
}
