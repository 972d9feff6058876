package worker

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/mail"
	"frontdesk/internal/markup"
	"frontdesk/internal/store"
	"frontdesk/internal/suggest"
)

const (
	// mostMailText is how many characters of a mail a message has. The whole mail is
	// kept beside it.
	mostMailText = 131_072
	// autoReplyEvery is how long an address waits for its next automatic answer.
	autoReplyEvery = 24 * time.Hour
)

// take makes a message of the mail, in the thread that it belongs to or in a new
// request.
func (t *mailTaking) take(tx *store.Tx) error {
	if known, err := tx.HasMail(t.digest); err != nil || known {
		return err
	}
	if token := t.m.Header.Get(mail.TestHeader); token != "" {
		if taken, err := t.w.change.TakeTestMail(tx, token); err != nil || taken {
			return err
		}
	}
	if ours, err := t.isOurs(tx); err != nil || ours {
		return err
	}
	if t.to.bounce != nil {
		if done, err := t.takeBounce(tx); err != nil || done {
			return err
		}
	}
	p, err := t.findThread(tx)
	if err != nil {
		return err
	}
	if p.request != nil {
		return t.takeAnswer(tx, p)
	}
	col, err := tx.Collection(t.to.collection)
	if desk.KindOf(err) == desk.NotFound {
		return errNobody
	}
	if err != nil {
		return err
	}
	return t.beginRequest(tx, col, nil, t.verdict != mail.Fail)
}

// isOurs reports whether we sent the mail. A test mail that comes back late is ours,
// too. Anybody can write its header, so only the keyed mark in it counts.
func (t *mailTaking) isOurs(tx *store.Tx) (bool, error) {
	if _, isTest := t.w.change.Mail.Tokens.Open(mail.Test, t.m.Header.Get(mail.TestHeader)); isTest || t.m.MessageID == "" {
		return isTest, nil
	}
	return tx.SentMail(t.m.MessageID)
}

// place is where a mail belongs.
type place struct {
	request *desk.Request // nil if it belongs to no thread
	proven  bool          // it can be believed that somebody of the thread wrote it
}

// findThread finds the thread that a mail belongs to. A reply address leads to one
// even if somebody else uses it; then nothing is proven. Whoever only refers to a mail
// of a thread must take part in it.
func (t *mailTaking) findThread(tx *store.Tx) (place, error) {
	token := t.to.token
	if token == nil && t.to.bounce != nil {
		token = t.to.bounce // somebody answered the envelope's sender
	}
	if token != nil {
		r, part, err := t.follow(tx, token.Request)
		if err != nil {
			return place{}, err
		}
		theirs := t.w.change.Mail.Tokens.IsFor(*token, t.author.Email) || t.verdict == mail.Pass
		return place{&r, part && theirs && t.verdict != mail.Fail}, nil
	}
	ids := t.m.Answers()
	known, err := tx.RequestsOfMails(ids)
	if err != nil {
		return place{}, err
	}
	for _, id := range ids {
		request := known[id]
		if base, tag := mail.CutPlus(id); base == string(mail.Root) {
			if root, ok := t.w.change.Mail.Tokens.Open(mail.Root, tag); ok && root.Account == tx.Account {
				request = root.Request
			}
		}
		if request == 0 {
			continue
		}
		r, part, err := t.follow(tx, request)
		if err != nil {
			return place{}, err
		}
		if part {
			return place{&r, t.verdict != mail.Fail}, nil
		}
	}
	return place{}, nil
}

// follow returns the request that a thread has become: the one that it was merged
// into, or the one that continues a closed one. part says whether the author of the
// mail takes part in the thread.
func (t *mailTaking) follow(tx *store.Tx, id desk.RequestID) (r desk.Request, part bool, err error) {
	for range 100 { // a limit in case of a cycle, which should not exist
		if r, err = tx.Request(id, desk.Everything); err != nil {
			return r, false, err
		}
		takes, removed, err := t.takesPart(tx, r)
		if err != nil {
			return r, false, err
		}
		part = (part || takes) && !removed
		next := desk.RequestID(0)
		switch {
		case r.MergedInto != nil:
			next = *r.MergedInto
		case r.Closed():
			if next, err = tx.MailSuccessor(id); err != nil {
				return r, false, err
			}
		}
		if next == 0 {
			break
		}
		id = next
	}
	return r, part, nil
}

// takesPart reports whether the author of the mail takes part in a request: as its
// requester, as a participant, or as one of the team who has proved it. removed says
// that somebody removed them there.
func (t *mailTaking) takesPart(tx *store.Tx, r desk.Request) (takes, removed bool, err error) {
	email := desk.FoldEmail(t.author.Email)
	if email == "" || email == desk.FoldEmail(r.Author.Email) {
		return email != "", false, nil
	}
	all, err := tx.Participants(r.ID)
	if err != nil {
		return false, false, err
	}
	for _, p := range all {
		if desk.FoldEmail(p.Email) == email {
			takes, removed = p.Status == desk.ParticipantActive, p.Status == desk.ParticipantRemoved
		}
	}
	if takes || t.verdict != mail.Pass {
		return takes, removed, nil
	}
	col, err := change.CollectionOf(tx, r)
	if err != nil {
		return false, false, err
	}
	team, err := change.TeamOf(tx, col, []string{email})
	return team[email], removed, err
}

// writer returns who wrote the mail. Only who has proved it is a user of the chat
// system. A name that looks like another address is left out.
func (t *mailTaking) writer(tx *store.Tx) (desk.Requester, desk.Actor, error) {
	from := desk.Requester{Name: change.CleanName(t.author), Email: t.author.Email}
	if t.verdict == mail.Pass {
		known, err := change.RequesterFor(tx, desk.Actor{}, &t.author.Email)
		if err != nil {
			return from, desk.Actor{}, err
		}
		known.Name = cmp.Or(known.Name, from.Name)
		from = known
	}
	return from, desk.Actor{Name: cmp.Or(from.Name, from.Email, "somebody"), Email: from.Email, Source: desk.SourceEmail}, nil
}

// message returns the mail as a message.
func (t *mailTaking) message(tx *store.Tx, proven bool) (m desk.Message, by desk.Actor, err error) {
	m.Author, by, err = t.writer(tx)
	status := desk.EmailReceived
	if !proven {
		status = desk.EmailUnverified
	}
	bare := func(all []mail.Address) []string {
		return desk.Each(all, func(a mail.Address) string { return mail.BlankTokens(a.Email) })
	}
	m.Email = &desk.MessageEmail{Direction: desk.EmailIn, Status: status, From: t.author.Email, To: bare(t.m.To), Cc: bare(t.m.Cc), Subject: t.m.Subject}
	m.Source, m.CreatedAt, m.Bot = desk.SourceEmail, tx.Now, t.m.Automatic
	m.HTML = t.written(nil)
	m.Text = markup.PlainText(m.HTML)
	m.Private = !proven
	return m, by, err
}

// written returns what the mail adds to a conversation. images has the addresses of
// its files, by content id.
func (t *mailTaking) written(images map[string]string) string {
	if t.unreadable != nil {
		return "<p>This mail could not be read: " + html.EscapeString(t.unreadable.Error()) + " It is attached as it came.</p>"
	}
	body := mail.BlankTokens(t.m.Written(images))
	parts := markup.Split(body, mostMailText)
	if len(parts) > 1 {
		body = parts[0] + "<p>… The mail is longer. All of it is shown with the mail.</p>"
	}
	if t.in.Cut {
		body += fmt.Sprintf("<p>The mail has more than %d MiB. Only its beginning is here; all of it is in the mailbox.</p>", mail.MostBytes>>20)
	}
	if body = markup.Sanitize(body); body == "" && len(t.m.Files) == 0 {
		return "<p>The mail has no text.</p>" // a message that shows nothing could not be posted in chat
	}
	return body
}

// fileMessage shows the images of the mail in its message, now that they have ids.
func (t *mailTaking) fileMessage(tx *store.Tx, m *desk.Message) error {
	if !slices.ContainsFunc(t.m.Files, func(f mail.File) bool { return f.Inline }) || t.unreadable != nil {
		return nil
	}
	kept, err := tx.Message(m.ID)
	if err != nil {
		return err
	}
	at := map[string]string{}
	for i, f := range t.m.Files {
		for _, a := range kept.Attachments {
			if f.Inline && a.Key == t.files[i].Key {
				at[f.ContentID] = markup.Attachments + desk.FormatID(a.ID)
			}
		}
	}
	m.HTML = t.written(at)
	m.Text = markup.PlainText(m.HTML)
	return tx.PublishMessage(*m)
}

// record keeps the mail beside its message.
func (t *mailTaking) record(tx *store.Tx, request desk.RequestID, message desk.MessageID) error {
	return tx.AddMail(&store.Mail{Request: request, Message: message, Direction: desk.EmailIn, External: t.m.MessageID, Digest: t.digest, Source: t.source})
}

// takeAnswer adds the mail to a thread. If the request is closed, it begins a new one.
func (t *mailTaking) takeAnswer(tx *store.Tx, p place) error {
	r := *p.request
	col, err := change.CollectionOf(tx, r)
	if err != nil {
		return err
	}
	if r.Closed() {
		return t.beginRequest(tx, col, &r, p.proven)
	}
	m, by, err := t.message(tx, p.proven)
	if err != nil {
		return err
	}
	m.Private = m.Private || t.m.Automatic
	if m.Responder, err = t.isResponder(tx, col, r); err != nil {
		return err
	}
	m.Idle = !m.Responder && len(t.files) == 0 && !suggest.Judge(m.HTML).IsRequest()
	if err := t.w.change.AddMessage(tx, by, col, &r, &m, change.Extras{Files: t.files, Filed: t.fileMessage}); err != nil {
		return err
	}
	if err := t.record(tx, r.ID, m.ID); err != nil || m.Private {
		return err
	}
	return t.addParticipants(tx, col, r)
}

// isResponder reports whether the author of the mail answers here: somebody of the
// team who has proved it, in a request of somebody else.
func (t *mailTaking) isResponder(tx *store.Tx, col desk.Collection, r desk.Request) (bool, error) {
	email := desk.FoldEmail(t.author.Email)
	if t.verdict != mail.Pass || email == desk.FoldEmail(r.Author.Email) {
		return false, nil
	}
	team, err := change.TeamOf(tx, col, []string{email})
	return team[email], err
}

// beginRequest makes a request of the mail. parent is the closed one that it answers,
// or nil. If nothing is proven, it is only a conversation, which the team sees.
func (t *mailTaking) beginRequest(tx *store.Tx, col desk.Collection, parent *desk.Request, proven bool) error {
	account, err := tx.ThisAccount()
	if err != nil {
		return err
	}
	m, by, err := t.message(tx, proven)
	if err != nil {
		return err
	}
	if err := t.nameForwarded(tx, parent, &m); err != nil {
		return err
	}
	m.Idle = parent != nil && len(t.files) == 0 && !suggest.Judge(m.HTML).IsRequest()
	title, priority := change.TitleAndPriority(tx.Account, m.HTML)
	title = cmp.Or(desk.Shorten(mail.Title(t.m.Subject, account.KeyPrefix), desk.MostTitle), title)
	if t.unreadable != nil {
		title = "A mail that could not be read"
	}
	r := desk.MailRequest(col, m, title, priority, mail.ReplySubject(t.m.Subject), proven && !m.Idle && (parent == nil || !t.m.Automatic), tx.Now)
	if parent != nil {
		r.Parent = &parent.ID
	}
	if r.Customer, err = change.CustomerFor(tx, r); err != nil {
		return err
	}
	with := change.Beginning{Files: t.files, Filed: t.fileMessage}
	if r, err = t.w.change.BeginMailRequest(tx, by, col, r, &m, with); err != nil {
		return err
	}
	if err := t.record(tx, r.ID, m.ID); err != nil || !proven {
		return err
	}
	if parent != nil {
		if err := t.keepParticipants(tx, *parent, r); err != nil {
			return err
		}
	}
	if err := t.addParticipants(tx, col, r); err != nil {
		return err
	}
	return t.autoReply(tx, col, r)
}

// nameForwarded makes the author of a mail that a member forwarded the author of the
// message.
func (t *mailTaking) nameForwarded(tx *store.Tx, parent *desk.Request, m *desk.Message) error {
	author, ok := t.m.Forwarded()
	if !ok || parent != nil || t.verdict != mail.Pass || author.Email == "" {
		return nil
	}
	email := desk.FoldEmail(t.author.Email)
	members, err := tx.MemberEmails([]string{email})
	if err != nil || !members[email] {
		return err
	}
	m.Author = desk.Requester{Name: change.CleanName(author), Email: author.Email}
	return nil
}

// keepParticipants lets those who took part in a closed request take part in the one
// that continues it.
func (t *mailTaking) keepParticipants(tx *store.Tx, parent, r desk.Request) error {
	all, err := tx.Participants(parent.ID)
	if err != nil {
		return err
	}
	all = slices.Insert(all, 0, desk.Participant{Email: parent.Author.Email, Name: parent.Author.Name, Status: desk.ParticipantActive})
	for _, p := range all[:min(len(all), desk.MostParticipants)] {
		if p.Request = r.ID; p.Email == "" || desk.FoldEmail(p.Email) == desk.FoldEmail(r.Author.Email) {
			continue
		}
		if err := tx.PutParticipant(p); err != nil {
			return err
		}
	}
	return nil
}

// addParticipants adds those in To and Cc of the mail to the request.
func (t *mailTaking) addParticipants(tx *store.Tx, col desk.Collection, r desk.Request) error {
	return t.w.change.AddAddressees(tx, col, r, t.author.Email, t.verdict == mail.Pass, slices.Concat(t.m.To, t.m.Cc))
}

// autoReply answers the first mail of a request, if the collection wants that. It
// never answers a program, and nobody twice a day.
func (t *mailTaking) autoReply(tx *store.Tx, col desk.Collection, r desk.Request) error {
	if col.Email == nil || !col.Email.AutoReply.Enabled || t.m.Automatic || t.in.From == "" && t.in.Mailbox == nil || !t.w.change.Mail.Sends || t.author.Email == "" {
		return nil
	}
	may, err := tx.MayAutoReply(t.author.Email, tx.Now.Add(-autoReplyEvery))
	if err != nil || !may {
		return err
	}
	return t.w.change.AddMail(tx, store.Mail{Request: r.ID, Body: col.Email.AutoReply.HTML}, []string{t.author.Email}, nil)
}

const (
	// mostBounced is how many mails of a request are searched for the one that a report
	// is about.
	mostBounced = 50
	// mostReason is how many characters of a report's reason are shown.
	mostReason = 500
)

// takeBounce takes in a report that a mail of ours did not arrive. It came to an
// address that only that mail had. done is false if the mail is no report.
func (t *mailTaking) takeBounce(tx *store.Tx) (done bool, err error) {
	report, ok := t.m.Bounce()
	if !ok {
		return false, nil
	}
	request, err := tx.MergedInto(t.to.bounce.Request)
	if err != nil {
		return false, err
	}
	all, err := tx.MailsBefore(request, 0, mostBounced)
	if err != nil {
		return false, err
	}
	slices.Reverse(all)
	for _, m := range all {
		if m.Direction != desk.EmailOut || report.MessageID != "" && m.External != report.MessageID {
			continue
		}
		copies, err := tx.MailCopies(m.ID)
		if err != nil {
			return false, err
		}
		for _, c := range copies {
			if t.w.change.Mail.Tokens.IsFor(*t.to.bounce, c.Email) {
				return true, t.failCopy(tx, m, c, report)
			}
		}
	}
	return true, t.record(tx, request, 0)
}

// failCopy records that a copy did not arrive. A delay is no failure.
func (t *mailTaking) failCopy(tx *store.Tx, m store.Mail, c store.MailCopy, report mail.Report) error {
	if err := t.record(tx, m.Request, 0); err != nil {
		return err
	}
	for _, f := range report.Recipients {
		if f.Delayed {
			continue
		}
		reason := desk.CleanText(f.Detail)
		if !strings.Contains(reason, f.Status) {
			reason = f.Status + " " + reason
		}
		reason = desk.Shorten(strings.TrimSpace(reason), mostReason)
		reason = cmp.Or(reason, "The mail server of the recipient refused it.")
		if err := tx.FailMailCopy(c, reason); err != nil || m.Message == 0 {
			return err
		}
		return change.SetRecipient(tx, m.Message, desk.EmailRecipient{Email: c.Email, Status: desk.EmailFailed, Error: reason})
	}
	return nil
}
