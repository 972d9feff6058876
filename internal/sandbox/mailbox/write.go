package mailbox

import (
	"cmp"
	"context"
	"fmt"
	"html"
	netmail "net/mail"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/mail"
)

// Draft is a mail that somebody writes.
type Draft struct {
	From    string      `json:"from"` // an address, with or without a name, as all here
	To      []string    `json:"to"`
	Cc      []string    `json:"cc"`
	Subject string      `json:"subject"`
	Text    string      `json:"text"`
	Kind    string      `json:"kind"`    // reply, all or forward; empty for a new mail
	Answers int64       `json:"answers"` // the mail that is replied to or forwarded
	Quote   bool        `json:"quote"`   // whether a reply repeats the mail below its text
	Forged  bool        `json:"forged"`  // whether the sender's domain disowns it
	Files   []mail.File `json:"-"`
}

// Mistake is something in a draft that its writer can correct.
type Mistake string

func (m Mistake) Error() string { return string(m) }

// Send sends a mail: to the product through its server, and to everybody else here. If
// the server refuses it for anybody, it is sent to nobody, and Send returns a Refused.
func (m *Mailbox) Send(ctx context.Context, d Draft) error {
	composed, err := m.compose(ctx, d)
	if err != nil {
		return err
	}
	source, err := composed.Bytes()
	if err != nil {
		return Mistake(upperFirst(err.Error()) + ".")
	}
	from := composed.From.Email
	if m.cfg.Authserv != "" {
		source = append([]byte(m.authentication(from, d.Forged)), source...)
	}
	var to []string
	for _, a := range slices.Concat(composed.To, composed.Cc) {
		if err := (room{m}).Knows(ctx, a.Email); err != nil {
			return &Refused{Recipient: a.Email, Code: 550, Answer: err.Error()}
		}
		to = append(to, a.Email)
	}
	here, product := m.split(to)
	if len(product) > 0 {
		if err := m.submit(ctx, from, product, source); err != nil {
			return err
		}
	}
	// An answer may be here already, and belongs after it.
	return m.keep(ctx, composed.Date, source, ownerOf(from), here)
}

// authentication is the header with which the sender's mail server says whether the
// sender's domain vouches for a mail.
func (m *Mailbox) authentication(from string, forged bool) string {
	result := "pass"
	if forged {
		result = "fail (p=reject)"
	}
	return fmt.Sprintf("Authentication-Results: %s;\r\n dmarc=%s header.from=%s\r\n", m.cfg.Authserv, result, domainOf(from))
}

func (m *Mailbox) compose(ctx context.Context, d Draft) (mail.Draft, error) {
	from, err := m.parseAddress(d.From)
	if err != nil {
		return mail.Draft{}, err
	}
	out := mail.Draft{From: from, Subject: d.Subject, Date: time.Now(), MessageID: mail.NewMessageID(domainOf(from.Email)), Files: d.Files}
	for _, list := range []struct {
		typed []string
		into  *[]mail.Address
	}{{d.To, &out.To}, {d.Cc, &out.Cc}} {
		for _, text := range list.typed {
			a, err := m.parseAddress(text)
			if err != nil {
				return out, err
			}
			*list.into = append(*list.into, a)
		}
	}
	if len(out.To)+len(out.Cc) == 0 {
		return out, Mistake("A mail needs somebody to go to.")
	}
	out.HTML = mail.Mail{Text: d.Text}.Whole(nil)
	if d.Answers == 0 {
		return out, nil
	}
	original, err := m.parsed(ctx, d.Answers)
	if err != nil {
		return out, err
	}
	if d.Kind == forward {
		out.HTML += forwarded(original)
		out.Files = append(original.Files, out.Files...)
		return out, nil
	}
	if d.Quote {
		out.Quote = &mail.Quote{Author: authorOf(original), Date: cmp.Or(original.Date, out.Date), HTML: original.Whole(nil)}
	}
	if id := original.MessageID; id != "" {
		root := id
		if len(original.References) > 0 {
			root = original.References[0]
		}
		out.InReplyTo, out.References = id, mail.References(root, original.References, id)
	}
	return out, nil
}

func authorOf(m mail.Mail) string {
	if len(m.From) == 0 {
		return "somebody"
	}
	return showAddress(address(m.From[0]))
}

// forwarded returns a mail below another, with the header that mail programs write
// above it.
func forwarded(m mail.Mail) string {
	var out strings.Builder
	out.WriteString("<p>---------- Forwarded message ----------")
	line := func(name, value string) {
		if value != "" {
			out.WriteString("<br>" + name + ": " + html.EscapeString(value))
		}
	}
	line("From", authorOf(m))
	if !m.Date.IsZero() {
		line("Date", m.Date.Format("Mon, 2 Jan 2006 15:04 -0700"))
	}
	line("Subject", m.Subject)
	line("To", showAddresses(m.To))
	line("Cc", showAddresses(m.Cc))
	out.WriteString("</p>" + m.Whole(nil))
	return out.String()
}

// Kinds of answers to a mail.
const (
	reply    = "reply"
	replyAll = "all"
	forward  = "forward"
)

// Answer returns the beginning of an answer to a copy of a mail by its owner: to whom,
// and about what.
func (m *Mailbox) Answer(ctx context.Context, owner string, id int64, kind string) (Draft, error) {
	original, err := m.parsed(ctx, id)
	if err != nil {
		return Draft{}, err
	}
	d := Draft{From: m.nameOwner(owner), Subject: original.Subject, Kind: kind, Answers: id, Quote: true, To: []string{}, Cc: []string{}}
	if kind == forward {
		d.Subject = prefixed("Fwd: ", d.Subject)
		return d, nil
	}
	d.Subject = prefixed("Re: ", d.Subject)
	to := original.From
	if len(original.ReplyTo) > 0 {
		to = original.ReplyTo
	}
	// Who answers their own mail writes to the same people again.
	if slices.ContainsFunc(original.From, func(a mail.Address) bool { return a.Is(owner) }) {
		to = original.To
	}
	used := []string{ownerOf(owner)}
	add := func(list *[]string, all []mail.Address) {
		for _, a := range all {
			if key := ownerOf(a.Email); !slices.Contains(used, key) {
				used = append(used, key)
				*list = append(*list, showAddress(address(a)))
			}
		}
	}
	add(&d.To, to)
	if len(d.To) == 0 { // a mail to oneself
		d.To = []string{m.nameOwner(owner)}
	}
	if kind == replyAll {
		add(&d.Cc, slices.Concat(original.To, original.Cc))
	}
	return d, nil
}

// prefixed puts Re: or Fwd: before a subject that does not have it.
func prefixed(prefix, subject string) string {
	if len(subject) >= len(prefix)-1 && strings.EqualFold(subject[:len(prefix)-1], strings.TrimSpace(prefix)) {
		return subject
	}
	return strings.TrimSpace(prefix + subject)
}

// nameOwner returns the address of a mailbox with its owner's name, if that is known.
func (m *Mailbox) nameOwner(owner string) string {
	for _, p := range m.cfg.People {
		if ownerOf(p.Email) == ownerOf(owner) {
			return showAddress(address{Name: p.Name, Email: p.Email})
		}
	}
	return owner
}

// parseAddress reads an address that somebody typed. People's names need not be typed.
func (m *Mailbox) parseAddress(text string) (mail.Address, error) {
	parsed, err := netmail.ParseAddress(text)
	if err != nil {
		return mail.Address{}, Mistake(fmt.Sprintf("%q is not an email address.", text))
	}
	if parsed.Name != "" {
		return mail.Address{Name: parsed.Name, Email: parsed.Address}, nil
	}
	for _, p := range m.cfg.People {
		if ownerOf(p.Email) == ownerOf(parsed.Address) {
			return mail.Address{Name: p.Name, Email: p.Email}, nil
		}
	}
	return mail.Address{Email: parsed.Address}, nil
}

// showAddress writes an address as people type it.
func showAddress(a address) string {
	switch {
	case a.Name == "":
		return a.Email
	case strings.ContainsAny(a.Name, "\"\\,;:<>@()[]"):
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(a.Name) + `" <` + a.Email + ">"
	}
	return a.Name + " <" + a.Email + ">"
}

func showAddresses(list []mail.Address) string {
	var all []string
	for _, a := range list {
		all = append(all, showAddress(address(a)))
	}
	return strings.Join(all, ", ")
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
