package change

import (
	"net/netip"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/mail"
	"frontdesk/internal/markup"
	"frontdesk/internal/store"
)

// Inbound returns the address of the mail domain to which mail for a collection can be
// forwarded. It is empty if the server takes no part in mail.
func (m Mail) Inbound(account desk.AccountID, collection desk.CollectionID) string {
	if m.Domain == "" {
		return ""
	}
	return mail.Inbox.Address(m.Tokens.MakeInbox(account, collection), m.Domain)
}

// From returns as whom mail of a collection is sent: its own address once that is
// verified, so that no account writes as another.
func (m Mail) From(c desk.EmailConfig) mail.Address {
	if c.MaySendAs(m.Domain) {
		return mail.Address{Name: c.FromName, Email: c.Address}
	}
	return mail.Address{Name: c.FromName, Email: m.NoReply()}
}

// NoReply is the address of the mail domain as which mail is sent that nobody answers.
func (m Mail) NoReply() string { return "no-reply@" + m.Domain }

// WithInbound sets what depends on the mail domain, which is a setting of the server,
// and so is not stored: the address to which mail for a collection can be forwarded,
// and whether mail may be sent as the collection's own.
func (s Setup) WithInbound(account desk.AccountID, c desk.Collection) desk.Collection {
	if c.Email != nil {
		config := *c.Email // which may be shared
		config.Inbound, config.Verified = s.Mail.Inbound(account, c.ID), config.MaySendAs(s.Mail.Domain)
		c.Email = &config
	}
	return c
}

// Records returns the DNS records that mail as an address needs: those of the mail
// domain, which is also the envelope's sender, and those of the address's domain. host
// is the name of this server.
func (m Mail) Records(address, host string) (all []desk.DNSRecord) {
	add := func(kind desk.DNSType, name, value, purpose string) {
		all = append(all, desk.DNSRecord{Type: kind, Name: name, Value: value, Purpose: purpose})
	}
	if m.Domain != "" {
		senders := "mx"
		if m.Relay != "" {
			senders = "a:" + m.Relay
		}
		purpose := "Answers to our mail, and mail that is forwarded to us, come to this server."
		if _, err := netip.ParseAddr(host); err == nil { // which cannot stand in an MX record
			purpose += " The record needs a name: give the mail domain an address record with " + host + ", or set FRONTDESK_URL to the name of this server."
			host = m.Domain
		}
		add(desk.MX, m.Domain, "10 "+host, purpose)
		add(desk.TXT, m.Domain, "v=spf1 "+senders+" ~all", "SPF: which servers send mail for the domain. A provider that sends your mail says what to include here.")
	}
	domains := []string{m.Domain, desk.EmailDomain(address)}
	for i, domain := range domains {
		if domain == "" || i > 0 && domain == domains[0] {
			continue
		}
		if m.DKIM != nil {
			add(desk.TXT, m.DKIM.Selector+"._domainkey."+domain, m.DKIM.Record, "DKIM: the key with which we sign mail as "+domain+".")
		}
		add(desk.TXT, "_dmarc."+domain, "v=DMARC1; p=none", "DMARC: what others do with mail as "+domain+" that is not signed by its key.")
	}
	return all
}

// TestDraft returns the mail that a test of a collection's mail sends. The token is
// only in the copy for the address itself: who has it can verify the address.
func (m Mail) TestDraft(c desk.EmailConfig, to, token string, now time.Time) mail.Draft {
	return mail.Draft{
		From: m.From(c), To: []mail.Address{{Email: to}}, Subject: "Test of " + c.Address, Date: now, MessageID: mail.NewMessageID(m.Domain),
		HTML:      markup.FromText("This mail was sent to see whether mail for " + c.Address + " reaches the help desk. You need not do anything."),
		Automatic: true, Test: token,
	}
}

// FormatEmailConfig returns a change to the mail of a collection with its HTML reduced
// to the product's subset.
func FormatEmailConfig(given desk.Nullable[desk.EmailConfigChange]) desk.Nullable[desk.EmailConfigChange] {
	if given.Value == nil {
		return given
	}
	ch := *given.Value
	for _, html := range []**string{&ch.Signature, &ch.AutoReply.HTML} {
		if *html != nil {
			formatted := FormatHTML(**html)
			*html = &formatted
		}
	}
	return desk.Just(ch)
}

// SenderOf returns the email collection as which a collection writes: itself if it is
// one, else the account's. It returns nil if there is none, or if the server takes no
// part in mail.
func (s Setup) SenderOf(tx *store.Tx, c desk.Collection) (*desk.Collection, error) {
	switch {
	case s.Mail.Domain == "":
		return nil, nil
	case c.Email != nil:
		return &c, nil
	}
	a, err := tx.ThisAccount()
	if err != nil || a.EmailCollection == nil {
		return nil, err
	}
	sender, err := tx.Collection(*a.EmailCollection)
	if err != nil || sender.Email == nil {
		return nil, desk.IgnoreMissing(err)
	}
	return &sender, nil
}

// TakeTestMail ends the test to which a mail belongs that came in. If the address that
// it was sent to still is the collection's, the collection is verified: only who reads
// mail for the address can know the token. It returns false if the account has no such
// test, or had it more than an hour ago.
func (s Setup) TakeTestMail(tx *store.Tx, token string) (bool, error) {
	test, err := tx.MailTest(token)
	if err != nil {
		return false, desk.IgnoreMissing(err)
	}
	if err := tx.EndMailTest(test.ID); err != nil {
		return false, err
	}
	c, err := tx.Collection(test.Collection)
	if err != nil || c.Email == nil || c.Email.MaySendAs(s.Mail.Domain) || desk.FoldEmail(c.Email.Address) != desk.FoldEmail(test.Address) {
		return true, desk.IgnoreMissing(err)
	}
	before := s.WithInbound(tx.Account, c)
	after, config := before, *before.Email
	config.Tested, config.Verified = true, true
	after.Email, after.UpdatedAt = &config, tx.Now
	if err := tx.SaveCollection(after); err != nil {
		return false, err
	}
	return true, Record(tx, desk.Actor{Name: "email", Source: desk.SourceEmail}, "collection.updated", before, after)
}
