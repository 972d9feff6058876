package desk

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// EmailConfig is the mail of a collection of kind email.
type EmailConfig struct {
	Address   string // what customers write to; one collection of the server has it
	FromName  string
	Signature string // HTML, below every mail
	ForwardCC bool   // whether those in Cc of a mail get the answers to it
	AutoReply AutoReply
	Mailbox   *Mailbox // nil if mail comes in by SMTP or LMTP
	Tested    bool     // a test mail to Address came back
	Verified  bool     // mail may be sent as Address; not stored, because it depends on the server's mail domain
	Inbound   string   // the address in the server's mail domain to forward to; empty without a domain. It is not stored
}

// AutoReply answers the first mail of a request.
type AutoReply struct {
	Enabled bool
	HTML    string
}

// Mailbox is an IMAP folder that mail is read from.
type Mailbox struct {
	Host           string
	Port           int
	TLS            MailboxTLS
	User           string
	Folder         string
	PollSeconds    int
	PlusAddressing bool // local+anything of the address comes to it, too
	// Password is set when a caller gives one. It is stored apart and never read with the
	// collection.
	Password *string
}

// MailboxTLS says how a connection with an IMAP server is encrypted.
type MailboxTLS string

const (
	ImplicitTLS MailboxTLS = "implicit"
	StartTLS    MailboxTLS = "starttls"
	NoTLS       MailboxTLS = "none"
)

// Same reports whether two configurations read the same mail, so that what was read
// of one was read of the other.
func (m Mailbox) Same(o Mailbox) bool {
	return m.Host == o.Host && m.User == o.User && m.Folder == o.Folder
}

// reaches reports whether two configurations give the password to the same server in
// the same way.
func (m Mailbox) reaches(o Mailbox) bool {
	return m.Host == o.Host && m.Port == o.Port && m.TLS == o.TLS && m.User == o.User
}

const (
	mostEmailHTML   = 20_000
	mostMailboxText = 250
	leastPoll       = 10
	mostPoll        = 60 * 60
)

// EmailConfigChange is a change to the mail of a collection. A missing field stays as
// it is; in a new configuration it gets its default. HTML is already in the product's
// subset.
type EmailConfigChange struct {
	Address   *string
	FromName  *string
	Signature *string
	ForwardCC *bool
	AutoReply AutoReplyChange
	Mailbox   Nullable[MailboxChange]
}

// AutoReplyChange is a change to the automatic answer.
type AutoReplyChange struct {
	Enabled *bool
	HTML    *string
}

// MailboxChange is a change to the mailbox.
type MailboxChange struct {
	Kind           *string // always imap
	Host           *string
	Port           *int
	TLS            *MailboxTLS
	User           *string
	Password       *string
	Folder         *string
	PollSeconds    *int
	PlusAddressing *bool
}

// applyEmail changes the mail of the collection. It replaces what it changes, because
// others may share it.
func (c *Collection) applyEmail(given Nullable[EmailConfigChange], p *Problems) {
	switch {
	case !given.Given:
		return
	case given.Value == nil:
		c.Email = nil
		return
	case c.Kind != EmailCollection:
		p.Add("email_config", "is only for collections of kind email")
		return
	}
	ch := *given.Value
	next := EmailConfig{FromName: c.Name, ForwardCC: true}
	if c.Email != nil {
		next = *c.Email
	} else if ch.Address == nil {
		p.Add("email_config.address", "is required")
		return
	}
	set(&next.Address, ch.Address)
	set(&next.FromName, ch.FromName)
	set(&next.Signature, ch.Signature)
	set(&next.ForwardCC, ch.ForwardCC)
	set(&next.AutoReply.Enabled, ch.AutoReply.Enabled)
	set(&next.AutoReply.HTML, ch.AutoReply.HTML)
	next.applyMailbox(ch.Mailbox, p)
	next.check(p)
	c.Email = &next
}

func (c *EmailConfig) check(p *Problems) {
	checkMailAddress(p, "email_config.address", &c.Address)
	checkLine(p, "email_config.from_name", &c.FromName, mostName)
	p.markup("email_config.signature_html", c.Signature, mostEmailHTML)
	p.markup("email_config.auto_reply.html", c.AutoReply.HTML, mostEmailHTML)
	if c.AutoReply.Enabled && c.AutoReply.HTML == "" {
		p.Add("email_config.auto_reply.html", "must contain text while the automatic answer is enabled")
	}
}

// checkMailAddress checks an address that we receive mail for. Everything after a + in
// the local part is ours, so the address itself has none.
func checkMailAddress(p *Problems, field string, s *string) {
	before := len(p.fields)
	p.Email(field, s)
	local, domain, _ := strings.Cut(*s, "@")
	switch {
	case len(p.fields) > before:
	case len(local) > 64 || !PlainEmail(*s) || !domainShape.MatchString(lowerASCII(domain)):
		p.Add(field, "must be an email address of ASCII characters, such as help@example.com")
	case strings.Contains(local, "+"):
		p.Add(field, "must have no + before the @: mail to help+anything@example.com comes to help@example.com")
	}
}

// checkLine checks a text that stands in one line of a header or a command.
func checkLine(p *Problems, field string, s *string, most int) {
	before := len(p.fields)
	p.Text(field, s, 1, most)
	if len(p.fields) == before && strings.ContainsFunc(*s, unicode.IsControl) {
		p.Add(field, "must not contain control characters")
	}
}

// markup checks the length of sanitised HTML.
func (p *Problems) markup(field, html string, most int) {
	if length(html) > most {
		p.Add(field, "must have at most %d characters", most)
	}
}

// applyMailbox changes the mailbox.
func (c *EmailConfig) applyMailbox(given Nullable[MailboxChange], p *Problems) {
	if !given.Given || given.Value == nil {
		if given.Given {
			c.Mailbox = nil
		}
		return
	}
	ch := *given.Value
	next := Mailbox{TLS: ImplicitTLS, Folder: "INBOX", PollSeconds: 60}
	if c.Mailbox != nil {
		next = *c.Mailbox
	}
	set(&next.Host, ch.Host)
	set(&next.TLS, ch.TLS)
	if c.Mailbox == nil {
		next.Port = 993
		if next.TLS != ImplicitTLS {
			next.Port = 143
		}
	}
	set(&next.Port, ch.Port)
	set(&next.User, ch.User)
	set(&next.Folder, ch.Folder)
	set(&next.PollSeconds, ch.PollSeconds)
	set(&next.PlusAddressing, ch.PlusAddressing)
	next.Password = ch.Password
	if ch.Kind != nil {
		OneOf(p, "email_config.mailbox.kind", *ch.Kind, "imap")
	}
	next.check(p)
	// A password is given only to the server for which somebody entered it. Otherwise
	// whoever may change the host could have it sent to a host of their own.
	if ch.Password == nil && (c.Mailbox == nil || !c.Mailbox.reaches(next)) {
		p.Add("email_config.mailbox.password", "is required with a new host, port, tls or user")
	}
	c.Mailbox = &next
}

var hostShape = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$`)

func (m *Mailbox) check(p *Problems) {
	const at = "email_config.mailbox."
	m.Host = lowerASCII(strings.TrimSpace(m.Host))
	if _, err := netip.ParseAddr(m.Host); err != nil && (len(m.Host) > mostDomain || !hostShape.MatchString(m.Host)) {
		p.Add(at+"host", "must be the name or address of a mail server, such as imap.example.com")
	}
	wholeNumber(p, at+"port", m.Port, 1, 65535)
	OneOf(p, at+"tls", m.TLS, ImplicitTLS, StartTLS, NoTLS)
	checkLine(p, at+"user", &m.User, mostMailboxText)
	checkLine(p, at+"folder", &m.Folder, mostMailboxText)
	wholeNumber(p, at+"poll_seconds", m.PollSeconds, leastPoll, mostPoll)
	if s := m.Password; s != nil && (*s == "" || length(*s) > mostMailboxText || strings.ContainsFunc(*s, unicode.IsControl)) {
		p.Add(at+"password", "must have 1 to %d characters, none of them control characters", mostMailboxText)
	}
}

// reservedLocals are the addresses of the mail domain that the server uses itself.
// Each of them also stands for itself with a + behind it.
var reservedLocals = []string{"reply", "bounce", "in", "postmaster", "abuse", "no-reply"}

// SettleEmail decides about the collection's address what depends on the server's mail
// domain: whether it may be used, and whether a test of it still counts. An address of
// the mail domain needs none. If the domain becomes another one, it does. before is the
// collection as it was.
func (c *Collection) SettleEmail(before *EmailConfig, domain string) error {
	if c.Email == nil {
		return nil
	}
	next := *c.Email
	ours := next.isIn(domain)
	local, _, _ := strings.Cut(FoldEmail(next.Address), "@")
	if ours && slices.Contains(reservedLocals, local) {
		return Wrong("email_config.address", "is an address that the server uses itself")
	}
	same := before != nil && FoldEmail(before.Address) == FoldEmail(next.Address)
	next.Tested = !ours && same && before.Tested
	c.Email = &next
	return nil
}

// isIn reports whether the address is in the server's mail domain.
func (c EmailConfig) isIn(domain string) bool {
	return domain != "" && EmailDomain(c.Address) == lowerASCII(domain)
}

// MaySendAs reports whether mail may be sent as the address: at once if it is in the
// server's mail domain, elsewhere after a test mail to it came back.
func (c EmailConfig) MaySendAs(domain string) bool { return c.Tested || c.isIn(domain) }

// EmailDirection says whether a mail came or went.
type EmailDirection string

const (
	EmailIn  EmailDirection = "in"
	EmailOut EmailDirection = "out"
)

// EmailStatus is what became of a mail, or of one copy of it.
type EmailStatus string

const (
	EmailWaiting     EmailStatus = "waiting"
	EmailSent        EmailStatus = "sent"
	EmailPerhapsSent EmailStatus = "perhaps_sent" // the relay may have it; nobody knows
	EmailFailed      EmailStatus = "failed"
	EmailReceived    EmailStatus = "received"
	EmailUnverified  EmailStatus = "unverified" // it came, but nothing shows who wrote it
)

// emailStatuses are the statuses of mail out, the worst last.
var emailStatuses = []EmailStatus{EmailSent, EmailWaiting, EmailPerhapsSent, EmailFailed}

// MessageEmail is what a message shows of its mail. Addresses are bare.
type MessageEmail struct {
	Direction  EmailDirection
	Status     EmailStatus // of a mail out: the worst of its recipients
	From       string
	To, Cc     []string
	Subject    string
	Error      string
	Recipients []EmailRecipient // of a mail out
}

// EmailRecipient is one copy of a mail out.
type EmailRecipient struct {
	Email  string
	Status EmailStatus
	Error  string
}

// Participant is somebody who takes part in a request by mail.
type Participant struct {
	Request RequestID
	Email   string
	Name    string
	Role    ParticipantRole
	Status  ParticipantStatus
	AddedAt time.Time
}

// ParticipantRole says why they take part.
type ParticipantRole string

const (
	RoleRequester ParticipantRole = "requester"
	RoleCC        ParticipantRole = "cc"
)

// ParticipantStatus says whether they get answers.
type ParticipantStatus string

const (
	ParticipantActive  ParticipantStatus = "active"
	ParticipantAsked   ParticipantStatus = "asked" // shown to the team, not mailed
	ParticipantRemoved ParticipantStatus = "removed"
)

// MostParticipants bounds those who take part in a request.
const MostParticipants = 30
