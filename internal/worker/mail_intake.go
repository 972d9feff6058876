package worker

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"slices"

	"frontdesk/internal/blob"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/mail"
	"frontdesk/internal/store"
)

// Mail comes in here, from whichever server handed it over. Its bytes and its files
// are stored first, and then one transaction makes a message of it. A mail is
// identified by what it says, so the same mail that comes twice is one message.

// IncomingMail is a mail on its way in.
type IncomingMail struct {
	From string   // the envelope's sender; empty for a report
	To   []string // the envelope's recipients
	Raw  []byte
	// Check finds out who wrote a mail. nil means that nothing is known.
	Check func(context.Context, mail.Mail) mail.Checks
	// Mailbox is the collection whose mailbox it is in; nil if it came to us directly. A
	// mail in a mailbox cannot be refused, and any address may be among To.
	Mailbox *store.AccountCollection
	Cut     bool // Raw is only the beginning of a mail that is too large
}

// errNobody refuses a mail for an address that we do not have. It is the same for
// every such address.
var errNobody = mail.Refusal{Reason: "There is no such address here."}

// mostHops is how many servers a mail may have passed. More means that two of them send
// it to each other.
const mostHops = 50

var errLoop = mail.Refusal{Reason: "The mail has passed too many servers: it goes round in circles."}

// Knows returns nil if mail for an address is for somebody here, and a mail.Refusal
// if it is not.
func (w *Worker) Knows(ctx context.Context, address string) error {
	_, err := w.mailDestinations(ctx, []string{address}, true)
	return err
}

// destination is where a mail goes in one account.
type destination struct {
	account    desk.AccountID
	token      *mail.Token       // of the reply address that it was sent to
	bounce     *mail.Token       // of the address that reports are sent to
	collection desk.CollectionID // 0 if there is none
}

// mailDestinations returns where a mail for some addresses goes, one destination for
// each account. An address that is not ours is left out, or with strict returns
// errNobody.
func (w *Worker) mailDestinations(ctx context.Context, to []string, strict bool) (all []destination, err error) {
	known, err := w.store.CollectionsAt(ctx, lookedUp(to))
	if err != nil {
		return nil, err
	}
	for _, address := range to {
		d, ok := w.destinationOf(address, known)
		if !ok && strict {
			return nil, errNobody
		}
		if !ok || d.account == 0 {
			continue
		}
		i := slices.IndexFunc(all, func(o destination) bool { return o.account == d.account })
		switch {
		case i < 0:
			all = append(all, d)
		case all[i].token == nil && all[i].bounce == nil && (d.token != nil || d.bounce != nil): // a thread comes before a collection
			all[i] = d
		}
	}
	return all, nil
}

// lookedUp returns the addresses by which collections are found, folded. support+a@
// leads to support@.
func lookedUp(to []string) (addresses []string) {
	for _, address := range to {
		folded := desk.FoldEmail(address)
		addresses = append(addresses, folded)
		if base, tag := mail.CutPlus(folded); tag != "" {
			addresses = append(addresses, base+"@"+desk.EmailDomain(folded))
		}
	}
	return addresses
}

// destinationOf returns where mail for one address goes. Mail for the server's
// postmaster has no account.
func (w *Worker) destinationOf(address string, known map[string]store.AccountCollection) (d destination, ok bool) {
	folded := desk.FoldEmail(address)
	base, tag := mail.CutPlus(folded)
	s := w.change.Mail
	if desk.EmailDomain(folded) == s.Domain && s.Domain != "" {
		switch mail.Purpose(base) {
		case mail.Reply, mail.Bounce:
			token, ok := s.Tokens.Open(mail.Purpose(base), tag)
			d := destination{account: token.Account, token: &token}
			if mail.Purpose(base) == mail.Bounce {
				d.token, d.bounce = nil, &token
			}
			return d, ok
		case mail.Inbox:
			d.account, d.collection, ok = s.Tokens.OpenInbox(tag)
			return d, ok
		case "postmaster", "abuse":
			return d, true
		}
	}
	if c, ok := known[folded]; ok {
		return destination{account: c.Account, collection: c.Collection}, true
	}
	if c, ok := known[base+"@"+desk.EmailDomain(folded)]; ok && tag != "" {
		d := destination{account: c.Account, collection: c.Collection}
		if token, ok := s.Tokens.Open(mail.Reply, tag); ok && token.Account == c.Account {
			d.token = &token
		}
		return d, true
	}
	return d, false
}

// TakeMail takes in a mail. When it returns nil, what follows from the mail is on
// disk. It returns a mail.Refusal if the mail is past a limit or for nobody here. The
// same mail may come several times.
func (w *Worker) TakeMail(ctx context.Context, in IncomingMail) error {
	all, err := w.mailDestinations(ctx, in.To, in.Mailbox == nil)
	if err != nil {
		return err
	}
	if in.Mailbox != nil {
		all = w.mailboxDestination(in, all)
	}
	t := mailTaking{w: w, in: in}
	if t.m, err = mail.Parse(in.Raw); err != nil {
		if refused := (mail.Refusal{}); errors.As(err, &refused) && in.Mailbox == nil {
			return err
		}
		t.unreadable = err
	}
	if len(t.m.Header.All("Received")) > mostHops && in.Mailbox == nil {
		return errLoop
	}
	t.digest = mailDigest(t.m, in.Raw)
	t.author = t.m.Author()
	t.m.Subject = mail.BlankTokens(t.m.Subject)
	if in.Check != nil {
		t.verdict = mail.Judge(t.author, in.Check(ctx, t.m))
	}
	if err := t.tellPostmaster(ctx); err != nil {
		return err
	}
	for _, d := range all {
		t.to = d
		if err := t.takeInto(ctx, d.account); err != nil {
			return err
		}
	}
	return nil
}

// mailboxDestination returns where a mail from a mailbox goes: to its collection, or
// to a thread of that account which the header names.
func (w *Worker) mailboxDestination(in IncomingMail, named []destination) []destination {
	d := destination{account: in.Mailbox.Account, collection: in.Mailbox.Collection}
	for _, n := range named {
		if n.account == d.account && n.token != nil {
			d.token = n.token
		}
	}
	return []destination{d}
}

// mailDigest returns what is the same for the same mail: its Message-ID, From,
// subject and body. Servers on the way add only to the header. A mail without a
// Message-ID also has its date, because alarms may repeat every word.
func mailDigest(m mail.Mail, raw []byte) string {
	id := m.MessageID
	if id == "" {
		id = m.Header.Get("Date")
	}
	body := raw
	for _, blank := range []string{"\r\n\r\n", "\n\n"} {
		if _, after, ok := bytes.Cut(raw, []byte(blank)); ok && len(after) < len(body) {
			body = after
		}
	}
	h := sha256.New()
	for _, part := range []string{id, m.Header.Get("From"), m.Header.Get("Subject")} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	h.Write(bytes.TrimRight(body, "\r\n"))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// mailTaking is a mail that is being taken into an account.
type mailTaking struct {
	w          *Worker
	in         IncomingMail
	to         destination
	m          mail.Mail
	unreadable error // why the mail could not be read; nil if it could
	digest     string
	author     mail.Address
	verdict    mail.Verdict

	source string         // the key of the blob with the mail
	files  []desk.NewFile // its files, in the order of m.Files
}

// takeInto takes the mail into one account.
func (t *mailTaking) takeInto(ctx context.Context, account desk.AccountID) error {
	known := false
	err := t.w.store.Look(ctx, account, func(tx *store.Tx) (err error) {
		known, err = tx.HasMail(t.digest)
		return err
	})
	if err != nil || known {
		return err
	}
	if err := t.storeFiles(ctx, account); err != nil {
		return err
	}
	return t.w.store.Write(ctx, account, t.take)
}

// storeFiles stores the bytes of the mail and of its files. The transaction that
// follows names them; what it does not name is swept.
func (t *mailTaking) storeFiles(ctx context.Context, account desk.AccountID) error {
	if t.w.outside.Blobs == nil {
		return desk.Errorf(desk.Unavailable, "This server does not store attachments.")
	}
	key := blob.NewKey(account)
	if _, _, err := t.w.outside.Blobs.Put(ctx, key, bytes.NewReader(t.in.Raw), int64(len(t.in.Raw))); err != nil {
		return err
	}
	t.source, t.files = key.String(), nil
	if _, isReport := t.m.Bounce(); isReport && t.to.bounce != nil {
		return nil
	}
	for _, f := range t.m.Files {
		stored, err := t.w.outside.StoreFile(ctx, account, f.Name, f.Type, bytes.NewReader(f.Content))
		if err != nil {
			return err
		}
		t.files = append(t.files, stored)
	}
	if t.unreadable != nil {
		stored, err := t.w.outside.StoreFile(ctx, account, "mail.eml", "message/rfc822", bytes.NewReader(t.in.Raw))
		t.files = []desk.NewFile{stored}
		return err
	}
	return nil
}

const (
	// mostPostmaster is how many mails for the postmaster are kept, and mostOfOne how
	// many bytes of each.
	mostPostmaster = 1000
	mostOfOne      = 256 << 10
)

// tellPostmaster keeps a mail for the server's postmaster, for its operators to read.
func (t *mailTaking) tellPostmaster(ctx context.Context) error {
	for _, to := range t.in.To {
		base, _ := mail.CutPlus(desk.FoldEmail(to))
		if base != "postmaster" && base != "abuse" || desk.EmailDomain(to) != t.w.change.Mail.Domain {
			continue
		}
		m := store.PostmasterMail{Recipient: to, Sender: desk.CleanText(t.in.From), Subject: t.m.Subject, Raw: t.in.Raw[:min(len(t.in.Raw), mostOfOne)]}
		t.w.log.WarnContext(ctx, "mail for the postmaster came in: frontdesk mail postmaster shows it", "from", m.Sender, "subject", m.Subject)
		return t.w.store.AddPostmasterMail(ctx, m, mostPostmaster)
	}
	return nil
}

// mailNotesKept is how long tests of mail and automatic answers are remembered: longer
// than anybody asks for them.
const mailNotesKept = 2 * autoReplyEvery

// SweepMail is a job that forgets old tests of mail and automatic answers.
type SweepMail struct{}

func (SweepMail) Kind() string { return "mail.sweep" }

func (w *Worker) sweepMail(ctx context.Context, _ *job.Job, _ SweepMail) error {
	return w.eachAccount(ctx, func(a desk.AccountID) error {
		return w.store.Write(ctx, a, func(tx *store.Tx) error { return tx.SweepMail(tx.Now.Add(-mailNotesKept)) })
	})
}
