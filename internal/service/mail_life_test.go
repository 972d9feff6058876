package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/mail"
	"frontdesk/internal/mail/relay"
	"frontdesk/internal/store"
	"frontdesk/internal/worker"
)

// The same mail that comes twice is one message, whoever hands it over and to which
// collection.
func TestMailTwice(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		_, err := o.CreateCollection(ctx, o.caller(), desk.NewCollection{Name: "Sales", Kind: desk.EmailCollection,
			Email: desk.Just(desk.EmailConfigChange{Address: ptr("sales@" + mailDomain)})})
		must(t, err)
		l := letter{from: "jo@customer.example", to: "support@" + mailDomain, cc: "sales@" + mailDomain, subject: "The door", body: "Closed.", id: "one@customer.example",
			envelope: []string{"support@" + mailDomain, "sales@" + mailDomain}}
		o.receives(l)
		l.envelope, l.header = []string{"sales+x@" + mailDomain}, "X-Other-Way: yes"
		o.receives(l)
		if r := o.only(); r.Collection.ID != o.collection.ID {
			t.Errorf("it is in %s", r.Collection.Name)
		}
		l.body = "Closed again."
		o.receives(l)
		if n := len(o.requests()); n != 2 {
			t.Errorf("another text with the same id: %d requests", n)
		}
	})
}

// An answer to a closed request begins another one, which takes further answers. A
// thank you reopens nothing.
func TestMailToClosedRequest(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		r, m := began(o)
		reply := letter{from: "jo@customer.example", to: m.ReplyTo[0].Email, subject: "Re: The door", inReplyTo: "<" + m.MessageID + ">"}
		set := func(id desk.RequestID, s desk.State) {
			_, err := o.UpdateRequest(ctx, o.caller(), id, desk.RequestChange{State: &s})
			must(t, err)
		}
		set(r.ID, desk.Solved)
		reply.body = "Thank you!"
		o.receives(reply)
		if got := o.only(); *got.State != desk.Solved || len(got.Messages) != 3 {
			t.Errorf("after a thank you: %s, %d messages", *got.State, len(got.Messages))
		}
		set(r.ID, desk.Closed)
		reply.body = "It is stuck again, please help."
		o.receives(reply)
		reply.body = "Could you come today?"
		o.receives(reply)
		all := o.requests()
		if len(all) != 2 || all[1].Parent == nil || *all[1].Parent != r.ID || len(all[1].Messages) != 2 || *all[1].State != desk.Open || len(all[0].Messages) != 3 {
			t.Fatalf("%+v", all)
		}
		o.answers(all[1].ID, "On our way.")
		if mails := o.post.take(); len(mails) != 1 || mails[0].Subject != "Re: The door" || mails[0].to != "jo@customer.example" {
			t.Errorf("%+v", mails)
		}
	})
}

// Who was removed from a request stays out, also by the address that led to the one
// before it.
func TestRemovedFromMail(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		o.receives(letter{from: "jo@customer.example", to: "support@" + mailDomain, cc: "kim@customer.example", subject: "The door", body: "It does not open."})
		r := o.only()
		o.answers(r.ID, "Push it.")
		kims := o.post.take()[1]
		closed := desk.Closed
		_, err := o.UpdateRequest(ctx, o.caller(), r.ID, desk.RequestChange{State: &closed})
		must(t, err)
		o.receives(letter{from: "jo@customer.example", to: "support@" + mailDomain, subject: "Re: The door", references: "<" + kims.References[0] + ">", body: "It is stuck again, please help."})
		next := o.requests()[1]
		_, err = o.RemoveParticipant(ctx, o.caller(), next.ID, "kim@customer.example")
		must(t, err)
		o.receives(letter{from: "kim@customer.example", to: kims.ReplyTo[0].Email, subject: "Re: The door", body: "And what about me?"})
		next = o.requests()[1]
		if last := next.Messages[len(next.Messages)-1]; len(next.Messages) != 2 || !last.Unproven() || !last.Private {
			t.Errorf("%+v", next.Messages)
		}
	})
}

// What answers the envelope's sender and is no report keeps its files. A mail whose
// sender is gone says so.
func TestMailToTheEnvelope(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		r, m := began(o)
		o.receives(letter{from: "jo@customer.example", to: m.from, subject: "Away", header: "Auto-Submitted: auto-replied\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b",
			body: "--b\nContent-Type: text/plain\n\nI am away.\n--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename=plan.txt\n\nhere\n--b--\n"})
		if r = o.only(); len(r.Messages) != 3 || !r.Messages[2].Private || len(r.Messages[2].Attachments) != 1 {
			t.Errorf("%+v", r.Messages)
		}
		_, err := o.AddMessage(ctx, o.caller(), r.ID, desk.NewMessage{HTML: ptr("Who sends this?")})
		must(t, err)
		_, err = o.DeleteCollection(ctx, o.caller(), o.collection.ID)
		must(t, err)
		o.settles()
		if got := o.status(r.ID); got != "failed The account has no email collection any more, so nobody could send it." {
			t.Error(got)
		}
	})
}

// status returns what the last message of a request shows of its mail.
func (o *office) status(id desk.RequestID) string {
	o.t.Helper()
	r, err := o.Request(ctx, o.caller(), id, RequestParts{Messages: true})
	must(o.t, err)
	e := r.Messages[len(r.Messages)-1].Email
	if e == nil {
		return "none"
	}
	return strings.TrimSpace(fmt.Sprint(e.Status, " ", e.Error))
}

// later moves the clock, and lets happen what is due.
func (o *office) later(d time.Duration) {
	o.t.Helper()
	o.clock.move(d)
	o.settles()
}

var busy = desk.Errorf(desk.Busy, "The mail server asks to try later: 451 greylisted")

// A mail is tried until the relay has it or refuses it. If nobody knows, it is not
// sent again until somebody says so.
func TestMailOutcomes(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		r, _ := began(o)
		answer := func(answers ...error) desk.Message {
			o.post.answers = answers
			return o.answers(r.ID, "<p>Another try.</p>")
		}
		want := func(status string, mails int) {
			t.Helper()
			if got := o.status(r.ID); got != status {
				t.Errorf("it is %q, want %q", got, status)
			}
			if sent := o.post.take(); len(sent) != mails {
				t.Errorf("%d mails, want %d", len(sent), mails)
			}
		}
		shows := func(want desk.EmailStatus) {
			t.Helper()
			if got, err := o.Request(ctx, o.caller(), r.ID, RequestParts{}); err != nil || got.MailStatus != want {
				t.Errorf("the request shows %q, want %q; %v", got.MailStatus, want, err)
			}
		}
		m := answer(desk.Errorf(desk.Refused, "The mail server answers: 550 no such user"))
		want("failed The mail server answers: 550 no such user", 0)
		shows(desk.EmailFailed)
		_, err := o.RetryEmail(ctx, o.caller(), m.ID)
		must(t, err)
		o.settles()
		want("sent", 1)
		shows("")
		_, err = o.RetryEmail(ctx, o.caller(), m.ID)
		wantKind(t, err, desk.Refused)

		answer(busy, busy)
		want("waiting", 0)
		o.later(4 * time.Second)
		want("waiting", 0)
		o.later(2 * time.Second)
		want("waiting", 0)
		o.later(10 * time.Second)
		want("sent", 1)

		m = answer(relay.ErrPerhaps)
		want("perhaps_sent", 1)
		shows(desk.EmailPerhapsSent)
		o.later(50 * time.Hour)
		want("perhaps_sent", 0)
		_, err = o.RetryEmail(ctx, o.caller(), m.ID)
		must(t, err)
		o.settles()
		want("sent", 1)

		answer(slices.Repeat([]error{busy}, 100)...)
		for range 100 {
			o.later(time.Hour)
		}
		want("failed It could not be sent for 48 hours. The mail server asks to try later: 451 greylisted", 0)

		answer(slices.Repeat([]error{relay.ErrLost}, 60)...)
		for range 70 {
			o.later(time.Hour)
		}
		want("sent", 1)

		events := 0
		f, err := o.Events(ctx, o.caller(), 0, 1000)
		must(t, err)
		for _, e := range f.Events {
			if e.Type == desk.EmailFailedEvent {
				events++
			}
		}
		if events != 3 {
			t.Errorf("%d failures are in the feed", events)
		}
	})
}

// bounce is the report of a mail server.
const bounce = `Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b
Content-Type: text/plain

Sorry.
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.customer.example

Final-Recipient: rfc822; jo@customer.example
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 no such user

--b
Content-Type: text/rfc822-headers

Message-ID: <%s>

--b--
`

// A report that a mail did not arrive counts only if it comes to the address that only
// that mail had.
func TestBounce(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		r, m := began(o)
		report := func(to string) {
			head, body, _ := strings.Cut(fmt.Sprintf(bounce, m.MessageID), "\n\n")
			o.receives(letter{from: "MAILER-DAEMON@mx.customer.example", to: to, subject: "Undeliverable", header: head, body: body})
		}
		report("support@" + mailDomain)
		if got := o.status(r.ID); got != "sent" {
			t.Errorf("a report to the collection: %s", got)
		}
		report(m.from)
		if got := o.status(r.ID); got != "failed 550 5.1.1 no such user" {
			t.Errorf("it is %s", got)
		}
		report(m.from)
		if got, err := o.Request(ctx, o.caller(), r.ID, RequestParts{Messages: true}); err != nil || len(got.Messages) != 2 || *got.State != desk.InProgress {
			t.Errorf("%+v %v", got, err)
		}
	})
}

// Programs are not answered and reopen nothing. People get an automatic answer once a
// day.
func TestAutomaticMail(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		_, err := o.UpdateCollection(ctx, o.caller(), o.collection.ID, desk.CollectionChange{Email: desk.Just(desk.EmailConfigChange{
			AutoReply: desk.AutoReplyChange{Enabled: ptr(true), HTML: ptr("<p>We have it.</p>")}})})
		must(t, err)
		first := letter{from: "jo@customer.example", to: "support@" + mailDomain, subject: "The door", body: "It does not open."}
		o.receives(first)
		mails := o.post.take()
		if len(mails) != 1 || !mails[0].Automatic || mails[0].Header.Get("X-Auto-Response-Suppress") != "All" || strings.Contains(mails[0].raw, "does not open") || !strings.Contains(mails[0].Text, "We have it.") {
			t.Fatalf("%+v", mails)
		}
		r := o.only()
		o.answers(r.ID, "Push it.")
		m := o.post.take()[0]
		o.receives(letter{from: "jo@customer.example", to: m.ReplyTo[0].Email, subject: "Out of office", header: "Auto-Submitted: auto-replied", body: "I am away, please help yourself."})
		if r = o.only(); len(r.Messages) != 3 || !r.Messages[2].Private || r.Messages[2].Unproven() || *r.State != desk.InProgress {
			t.Errorf("%s %+v", *r.State, r.Messages)
		}
		o.receives(first)
		o.receives(letter{from: "alarm@customer.example", to: "support@" + mailDomain, subject: "Disk", header: "Precedence: bulk", body: "Disk is full."})
		if mails := o.post.take(); len(mails) > 0 {
			t.Errorf("%d more automatic answers", len(mails))
		}
		o.later(25 * time.Hour)
		o.receives(first)
		if mails := o.post.take(); len(mails) != 1 {
			t.Errorf("%d automatic answers the next day", len(mails))
		}
		for after, want := range []int{1, 1, 0} {
			must(t, o.Do(ctx, &job.Job{Attempt: 1}, worker.SweepMail{}))
			if got := o.count("SELECT count(*) FROM auto_replies"); got != want {
				t.Errorf("%d addresses are remembered after %d days", got, after)
			}
			o.clock.move(25 * time.Hour)
		}
	})
}

// Nobody can have their mail taken for a test of ours, which is ignored, by its header.
func TestMailThatSaysItIsATest(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		says := func(token string) {
			t.Helper()
			o.receives(letter{from: "jo@customer.example", to: "support@" + mailDomain, subject: "A test", header: mail.TestHeader + ": " + token, body: "Did it come?"})
		}
		for i, token := range []string{"yes", mail.NewTokens(key).MakeInbox(o.account.ID, o.collection.ID)} {
			says(token)
			if all := o.requests(); len(all) != i+1 {
				t.Errorf("with %q there are %d requests", token, len(all))
			}
		}
	})
}

// A mail that a member forwards makes its author the requester; a stranger's does not.
func TestForwardedMail(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		l := letter{from: "admin@acme.example", to: "support@" + mailDomain, subject: "Fwd: The door",
			body: "Please look.\n\n---------- Forwarded message ---------\nFrom: Jo Doe <jo@customer.example>\nDate: Tue, 12 May 2026\nSubject: The door\nTo: <admin@acme.example>\n\nIt does not open.\n"}
		o.receives(l)
		l.checks = passed("acme.example")
		l.body += "!"
		o.receives(l)
		got := desk.Each(o.requests(), func(r desk.Request) string { return r.Author.Email })
		if !slices.Equal(got, []string{"admin@acme.example", "jo@customer.example"}) {
			t.Error(got)
		}
	})
}

// An unverified mail is seen by the team alone until somebody accepts it.
func TestAcceptMail(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		r, m := began(o)
		o.receives(letter{from: "Kim <kim@customer.example>", to: m.ReplyTo[0].Email, subject: "Re: The door", body: "I am Jo's colleague. Please come."})
		r = o.only()
		note := r.Messages[2]
		got, err := o.AcceptEmail(ctx, o.caller(), note.ID, desk.AcceptedEmail{Participant: true})
		must(t, err)
		if got.Private || got.Email.Status != desk.EmailReceived {
			t.Errorf("%+v", got)
		}
		if r = o.only(); *r.State != desk.Open || r.Author.Email != "jo@customer.example" || r.Messages[2].Private {
			t.Errorf("%+v", r)
		}
		_, err = o.AcceptEmail(ctx, o.caller(), note.ID, desk.AcceptedEmail{})
		wantKind(t, err, desk.Refused)
		o.answers(r.ID, "We come.")
		if to := desk.Each(o.post.take(), func(m sentMail) string { return m.to }); !slices.Equal(to, []string{"jo@customer.example", "kim@customer.example"}) {
			t.Error(to)
		}

		o.receives(letter{from: "eve@bank.example", to: "support@" + mailDomain, subject: "My money", body: "Where is it?", checks: failed})
		all := o.requests()
		if len(all) != 2 || all[1].State != nil || !all[1].Messages[0].Private || len(all[1].Tickets) != 0 {
			t.Fatalf("%+v", all)
		}
		_, err = o.AcceptEmail(ctx, o.caller(), all[1].Messages[0].ID, desk.AcceptedEmail{})
		must(t, err)
		o.settles()
		all = o.requests()
		if all[1].State == nil || *all[1].State != desk.Open || len(all[1].Tickets) != 1 || all[1].Title != "My money" {
			t.Errorf("%+v", all[1])
		}
		o.answers(all[1].ID, "In the safe.")
		if mails := o.post.take(); len(mails) != 1 || mails[0].Subject != "Re: My money" || mails[0].to != "eve@bank.example" {
			t.Errorf("%+v", mails)
		}
	})
}

// Images that a mail shows are shown in the message, and those of an answer in the
// mail. A file too large for a mail becomes a link.
func TestMailFiles(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		o.receives(letter{from: "jo@customer.example", to: "support@" + mailDomain, subject: "The door", header: "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b",
			body: "--b\nContent-Type: text/html\n\n<p>Look: <img src=\"cid:one@x\" alt=\"door\"><img src=\"https://track.example/pixel.png\"></p>\n--b\nContent-Type: image/png\nContent-ID: <one@x>\nContent-Disposition: inline; filename=door.png\n\nPNG\n--b--\n"})
		r := o.only()
		m := r.Messages[0]
		if len(m.Attachments) != 1 || !strings.Contains(m.HTML, fmt.Sprintf(`src="/v1/rest/attachments/%d"`, m.Attachments[0].ID)) || strings.Contains(m.HTML, "track.example") {
			t.Errorf("%s %+v", m.HTML, m.Attachments)
		}
		small, err := o.StoreFile(ctx, o.caller(), "plan.txt", "text/plain", strings.NewReader("here"))
		must(t, err)
		large, err := o.StoreFile(ctx, o.caller(), "film.bin", "application/octet-stream", io.LimitReader(zeros{}, mail.MostAttached+1))
		must(t, err)
		_, err = o.AddMessage(ctx, o.caller(), r.ID, desk.NewMessage{HTML: ptr("See the files."), Files: []desk.NewFile{large, small}})
		must(t, err)
		o.settles()
		sent := o.post.take()[0]
		if len(sent.Files) != 1 || sent.Files[0].Name != "plan.txt" || !strings.Contains(sent.Text, "film.bin (15.0 MB): https://desk.example/file/") {
			t.Fatalf("%s %d files", sent.Text, len(sent.Files))
		}
		_, link, _ := strings.Cut(sent.Text, "/file/")
		link = strings.Fields(link)[0]
		f, bytes, err := o.LinkedFile(ctx, link)
		must(t, err)
		bytes.Close()
		if f.Name != "film.bin" {
			t.Errorf("%+v", f)
		}
		_, _, err = o.LinkedFile(ctx, link[:len(link)-1]+"x")
		wantKind(t, err, desk.NotFound)
		o.clock.move(31 * 24 * time.Hour)
		_, _, err = o.LinkedFile(ctx, link)
		wantKind(t, err, desk.NotFound)
	})
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

// What cannot be read is kept whole. By SMTP, what is past a limit is refused.
func TestUnreadableMail(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		raw := []byte("From: jo@customer.example\r\nTo: support@" + mailDomain + "\r\nSubject: Deep\r\n" + strings.Repeat("X: y\r\n", mail.MostHeaderLines) + "\r\nHello\r\n")
		in := worker.IncomingMail{From: "jo@customer.example", To: []string{"support@" + mailDomain}, Raw: raw}
		if err := o.TakeMail(ctx, in); err == nil || !strings.Contains(err.Error(), "header lines") {
			t.Errorf("%v", err)
		}
		in.Mailbox = &store.AccountCollection{Account: o.account.ID, Collection: o.collection.ID}
		must(t, o.TakeMail(ctx, in))
		must(t, o.TakeMail(ctx, in))
		r := o.only()
		if r.Title != "A mail that could not be read" || len(r.Messages[0].Attachments) != 1 || r.Messages[0].Attachments[0].Size != int64(len(raw)) || !strings.Contains(r.Messages[0].Text, "header lines") {
			t.Errorf("%+v", r)
		}
	})
}

// Answers in a request that was made with a requester's address go by mail, too.
// Notes and edits never do.
func TestMailOfRequestsElsewhere(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		_, err := o.CreateCollection(ctx, o.caller(), desk.NewCollection{Name: "API", Kind: desk.APICollection})
		must(t, err)
		made, err := o.CreateRequest(ctx, o.caller(), desk.NewRequest{Title: ptr("The door\r\nBcc: x@y.example"), Description: "<p>It does not open.</p>", Requester: ptr("ines@somewhere.example")})
		must(t, err)
		own, err := o.CreateRequest(ctx, o.caller(), desk.NewRequest{Title: ptr("Mine"), Description: "For me"})
		must(t, err)
		o.answers(own.ID, "Nobody mails this.")
		_, err = o.AddMessage(ctx, o.caller(), made.ID, desk.NewMessage{HTML: ptr("Between us"), Private: true})
		must(t, err)
		o.settles()
		if mails := o.post.take(); len(mails) > 0 {
			t.Fatalf("%+v", mails)
		}
		o.answers(made.ID, "<p>Push it.</p>")
		_, err = o.UpdateRequest(ctx, o.caller(), made.ID, desk.RequestChange{Title: ptr("Another title")})
		must(t, err)
		o.answers(made.ID, "<p>Harder.</p>")
		mails := o.post.take()
		if len(mails) != 2 {
			t.Fatalf("%d mails", len(mails))
		}
		for i, m := range mails {
			if m.Subject != "ACME-1 The door Bcc: x@y.example" || m.Header.Get("Bcc") != "" || m.to != "ines@somewhere.example" || m.References[0] != mails[0].References[0] || strings.Contains(m.Text, "> It does not open.") != (i == 0) {
				t.Errorf("%+v", m)
			}
		}
		if !slices.Contains(mails[1].References, mails[0].MessageID) || mails[1].InReplyTo[0] != mails[0].MessageID {
			t.Errorf("%+v", mails[1].References)
		}
		o.receives(letter{from: "ines@somewhere.example", to: "support@" + mailDomain, subject: "Re: ACME-1", references: "<" + mails[0].References[0] + ">", body: "It works now, but the window is stuck."})
		r, err := o.Request(ctx, o.caller(), made.ID, RequestParts{Messages: true})
		must(t, err)
		if len(r.Messages) != 5 || r.Messages[4].Text != "It works now, but the window is stuck." || *r.State != desk.Open {
			t.Errorf("%+v", r.Messages)
		}
	})
}

// A copy whose attempt nobody settled, because the process died, is perhaps sent. That
// is shown after less than a minute, although a relay may take longer for a mail.
func TestMailSentByProcessThatDied(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		r, _ := began(o)
		died := make(chan struct{})
		o.post.before = func(ctx context.Context) {
			o.post.before = nil
			close(died)
			panic("the process dies here")
		}
		_, err := o.AddMessage(ctx, o.caller(), r.ID, desk.NewMessage{HTML: ptr("Did it arrive?")})
		must(t, err)
		func() {
			defer func() { recover() }()
			o.settles()
		}()
		<-died
		o.later(20 * time.Second)
		o.later(25 * time.Second)
		if got := o.status(r.ID); got != "perhaps_sent" {
			t.Errorf("it is %s", got)
		}
		if mails := o.post.take(); len(mails) > 0 {
			t.Errorf("%d mails", len(mails))
		}
	})
}

// Merged requests share their mail, until the merge is undone.
func TestMailOfMergedRequests(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		o.receives(letter{from: "jo@customer.example", to: "support@" + mailDomain, subject: "The door", body: "It does not open."})
		o.receives(letter{from: "kim@customer.example", to: "support@" + mailDomain, cc: "lee@customer.example", subject: "Same door", body: "It is stuck."})
		all := o.requests()
		o.answers(all[1].ID, "We look.")
		kims := o.post.take()
		_, err := o.MergeRequests(ctx, o.caller(), all[0].ID, desk.Merge{Requests: []desk.RequestID{all[1].ID}})
		must(t, err)
		o.answers(all[0].ID, "Push it.")
		to := func() []string { return desk.Each(o.post.take(), func(m sentMail) string { return m.to }) }
		if got := to(); !slices.Equal(got, []string{"jo@customer.example", "kim@customer.example", "lee@customer.example"}) {
			t.Errorf("after the merge: %v", got)
		}
		o.receives(letter{from: "kim@customer.example", to: kims[0].ReplyTo[0].Email, subject: "Re: Same door", body: "It works, please close it."})
		r, err := o.Request(ctx, o.caller(), all[0].ID, RequestParts{Messages: true})
		must(t, err)
		if n := len(r.Messages); n != 5 || r.Messages[4].Private {
			t.Errorf("%d messages: %+v", n, r.Messages)
		}
		for range 3 { // the answers to both messages changed its state
			_, err = o.UndoRequest(ctx, o.caller(), all[0].ID, desk.Undo{})
			must(t, err)
		}
		o.answers(all[0].ID, "And you?")
		if got := to(); !slices.Equal(got, []string{"jo@customer.example"}) {
			t.Errorf("after the undo: %v", got)
		}
		o.answers(all[1].ID, "And you two?")
		if got := to(); !slices.Equal(got, []string{"kim@customer.example", "lee@customer.example"}) {
			t.Errorf("after the undo: %v", got)
		}
	})
}

// A mail from several servers in a circle is refused, and a test mail that comes back
// late is no request.
func TestMailThatIsNoRequest(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		err := o.take(letter{from: "jo@customer.example", to: "support@" + mailDomain, header: strings.TrimSuffix(strings.Repeat("Received: from a by b\r\n", 51), "\r\n"), body: "x"})
		if refused := (mail.Refusal{}); !errors.As(err, &refused) {
			t.Errorf("%v", err)
		}
		o.receives(letter{from: "no-reply@" + mailDomain, to: "support@" + mailDomain, header: mail.TestHeader + ": " + mail.NewTokens(key).MakeTest(o.account.ID, o.collection.ID), body: "A test"})
		must(t, o.take(letter{from: "somebody@elsewhere.example", to: "Postmaster@" + mailDomain, subject: "Spam from you", body: "Stop it."}))
		if n := len(o.requests()); n != 0 {
			t.Errorf("%d requests", n)
		}
		mails, err := o.store.PostmasterMails(ctx, 10)
		must(t, err)
		if len(mails) != 1 || mails[0].Subject != "Spam from you" || mails[0].Sender != "somebody@elsewhere.example" {
			t.Errorf("%+v", mails)
		}
		raw, err := o.store.PostmasterMail(ctx, mails[0].ID)
		must(t, err)
		if !strings.Contains(string(raw), "Stop it.") {
			t.Errorf("%s", raw)
		}
	})
}
