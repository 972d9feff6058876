package wire

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/markup"
)

// EmailConfig is the mail of a collection on the wire.
type EmailConfig struct {
	Address   string    `json:"address"`
	FromName  string    `json:"from_name"`
	Signature string    `json:"signature_html"`
	ForwardCC bool      `json:"forward_cc"`
	AutoReply AutoReply `json:"auto_reply"`
	Mailbox   *Mailbox  `json:"mailbox"`
	Inbound   *string   `json:"inbound_address"`
	Verified  bool      `json:"verified"`
}

// AutoReply answers the first mail of a request.
type AutoReply struct {
	Enabled bool   `json:"enabled"`
	HTML    string `json:"html"`
}

// Mailbox is an IMAP folder, without its password.
type Mailbox struct {
	Kind           string          `json:"kind"`
	Host           string          `json:"host"`
	Port           int             `json:"port"`
	TLS            desk.MailboxTLS `json:"tls"`
	User           string          `json:"user"`
	Folder         string          `json:"folder"`
	PollSeconds    int             `json:"poll_seconds"`
	PlusAddressing bool            `json:"plus_addressing"`
}

// newEmailConfig returns the wire form of a configuration. Its HTML is sanitised
// again, like a message's.
func newEmailConfig(c *desk.EmailConfig) *EmailConfig {
	if c == nil {
		return nil
	}
	return &EmailConfig{
		Address: c.Address, FromName: c.FromName, Signature: markup.Outgoing(c.Signature), ForwardCC: c.ForwardCC,
		AutoReply: AutoReply{c.AutoReply.Enabled, markup.Outgoing(c.AutoReply.HTML)},
		Mailbox:   NewMailbox(c.Mailbox), Inbound: orNull(c.Inbound), Verified: c.Verified,
	}
}

// NewMailbox returns the wire form of a mailbox; nil for none.
func NewMailbox(m *desk.Mailbox) *Mailbox {
	if m == nil {
		return nil
	}
	return &Mailbox{Kind: "imap", Host: m.Host, Port: m.Port, TLS: m.TLS, User: m.User, Folder: m.Folder, PollSeconds: m.PollSeconds, PlusAddressing: m.PlusAddressing}
}

// EmailTest is what a test of a collection's mail has shown.
type EmailTest struct {
	Steps    []EmailTestStep `json:"steps"`
	Verified bool            `json:"verified"`
}

// EmailTestStep is one step of a test.
type EmailTestStep struct {
	Step   desk.EmailStep `json:"step"`
	OK     bool           `json:"ok"`
	Detail string         `json:"detail"`
}

// NewEmailTest returns the wire form of a test.
func NewEmailTest(t desk.EmailTest) EmailTest {
	return EmailTest{Steps: desk.Each(t.Steps, func(s desk.EmailTestStep) EmailTestStep { return EmailTestStep(s) }), Verified: t.Verified}
}

// DNSRecord is a record that a domain has to have for its mail.
type DNSRecord struct {
	Type    desk.DNSType `json:"type"`
	Name    string       `json:"name"`
	Value   string       `json:"value"`
	Purpose string       `json:"purpose"`
	Found   *bool        `json:"found"`
	Detail  string       `json:"detail"`
}

// NewDNSRecord returns the wire form of a record.
func NewDNSRecord(r desk.DNSRecord) DNSRecord { return DNSRecord(r) }
