package desk

import (
	"reflect"
	"strings"
	"testing"
)

// mailOf makes a collection of kind email with mail.
func mailOf(t *testing.T, ch EmailConfigChange) Collection {
	t.Helper()
	c, err := NewCollection{Name: "Help", Kind: EmailCollection, Email: Just(ch)}.Collection(early)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEmailConfigDefaults(t *testing.T) {
	c := mailOf(t, EmailConfigChange{Address: ptr(" help@Acme.example ")})
	if want := (EmailConfig{Address: "help@Acme.example", FromName: "Help", ForwardCC: true}); !reflect.DeepEqual(*c.Email, want) {
		t.Errorf("got %+v, want %+v", *c.Email, want)
	}
	for tls, port := range map[MailboxTLS]int{ImplicitTLS: 993, StartTLS: 143, NoTLS: 143} {
		c := mailOf(t, EmailConfigChange{Address: ptr("help@acme.example"), Mailbox: Just(MailboxChange{Host: ptr("IMAP.acme.example"), User: ptr("u"), Password: ptr(" p "), TLS: &tls})})
		want := Mailbox{Host: "imap.acme.example", Port: port, TLS: tls, User: "u", Folder: "INBOX", PollSeconds: 60, Password: ptr(" p ")}
		if !reflect.DeepEqual(*c.Email.Mailbox, want) {
			t.Errorf("got %+v, want %+v", *c.Email.Mailbox, want)
		}
	}
}

// Every limit is tried from both sides, in a new collection and in a change.
func TestEmailConfigLimits(t *testing.T) {
	long := func(n int) *string { return ptr(strings.Repeat("語", n)) }
	address := func(s string) EmailConfigChange { return EmailConfigChange{Address: &s} }
	box := func(change func(*MailboxChange)) EmailConfigChange {
		m := MailboxChange{Kind: ptr("imap"), Host: ptr("imap.acme.example"), User: ptr("help"), Password: ptr("secret")}
		change(&m)
		return EmailConfigChange{Mailbox: Just(m)}
	}
	for _, c := range []struct {
		name   string
		change EmailConfigChange
		fields []string
	}{
		{"an address", address("help@acme.example"), nil},
		{"the longest local part", address(strings.Repeat("a", 64) + "@acme.example"), nil},
		{"a longer one", address(strings.Repeat("a", 65) + "@acme.example"), []string{"email_config.address"}},
		{"a tag", address("help+tag@acme.example"), []string{"email_config.address"}},
		{"no domain", address("help@localhost"), []string{"email_config.address"}},
		{"an IP address", address("help@[192.0.2.1]"), []string{"email_config.address"}},
		{"no address", address("help"), []string{"email_config.address"}},
		{"nothing", address(""), []string{"email_config.address"}},
		{"a name", address("Help <help@acme.example>"), []string{"email_config.address"}},
		{"another script", address("hélp@acme.example"), []string{"email_config.address"}},
		{"another script in the domain", address("help@äcme.example"), []string{"email_config.address"}},
		{"a line", address("help@acme.example\r\nBcc: x@y.example"), []string{"email_config.address"}},
		{"the longest name", EmailConfigChange{FromName: long(200)}, nil},
		{"a longer name", EmailConfigChange{FromName: long(201)}, []string{"email_config.from_name"}},
		{"an empty name", EmailConfigChange{FromName: ptr(" ")}, []string{"email_config.from_name"}},
		{"a name with a line", EmailConfigChange{FromName: ptr("Help\r\nBcc: x")}, []string{"email_config.from_name"}},
		{"a name with anything else", EmailConfigChange{FromName: ptr(`<b>"Help", 'Desk'; </b>`)}, nil},
		{"the longest signature", EmailConfigChange{Signature: long(20_000)}, nil},
		{"a longer signature", EmailConfigChange{Signature: long(20_001)}, []string{"email_config.signature_html"}},
		{"no signature", EmailConfigChange{Signature: ptr("")}, nil},
		{"an answer", EmailConfigChange{AutoReply: AutoReplyChange{Enabled: ptr(true), HTML: long(20_000)}}, nil},
		{"a longer answer", EmailConfigChange{AutoReply: AutoReplyChange{HTML: long(20_001)}}, []string{"email_config.auto_reply.html"}},
		{"an answer that says nothing", EmailConfigChange{AutoReply: AutoReplyChange{Enabled: ptr(true)}}, []string{"email_config.auto_reply.html"}},
		{"a mailbox", box(func(*MailboxChange) {}), nil},
		{"no mailbox", EmailConfigChange{Mailbox: Null[MailboxChange]()}, nil},
		{"an empty mailbox", EmailConfigChange{Mailbox: Just(MailboxChange{})},
			[]string{"email_config.mailbox.host", "email_config.mailbox.user", "email_config.mailbox.password"}},
		{"another kind", box(func(m *MailboxChange) { m.Kind = ptr("pop3") }), []string{"email_config.mailbox.kind"}},
		{"an IPv4 address", box(func(m *MailboxChange) { m.Host = ptr("192.0.2.1") }), nil},
		{"an IPv6 address", box(func(m *MailboxChange) { m.Host = ptr("2001:db8::1") }), nil},
		{"a short name", box(func(m *MailboxChange) { m.Host = ptr("dovecot") }), nil},
		{"the longest host", box(func(m *MailboxChange) { m.Host = ptr(strings.Repeat("a", 253)) }), nil},
		{"a longer host", box(func(m *MailboxChange) { m.Host = ptr(strings.Repeat("a", 254)) }), []string{"email_config.mailbox.host"}},
		{"a host with a port", box(func(m *MailboxChange) { m.Host = ptr("imap.acme.example:993") }), []string{"email_config.mailbox.host"}},
		{"a host with a path", box(func(m *MailboxChange) { m.Host = ptr("imap.acme.example/x") }), []string{"email_config.mailbox.host"}},
		{"the least port", box(func(m *MailboxChange) { m.Port = ptr(1) }), nil},
		{"a smaller one", box(func(m *MailboxChange) { m.Port = ptr(0) }), []string{"email_config.mailbox.port"}},
		{"the last port", box(func(m *MailboxChange) { m.Port = ptr(65535) }), nil},
		{"a larger one", box(func(m *MailboxChange) { m.Port = ptr(65536) }), []string{"email_config.mailbox.port"}},
		{"another tls", box(func(m *MailboxChange) { m.TLS = ptr(MailboxTLS("ssl")) }), []string{"email_config.mailbox.tls"}},
		{"the longest user", box(func(m *MailboxChange) { m.User = long(250) }), nil},
		{"a longer user", box(func(m *MailboxChange) { m.User = long(251) }), []string{"email_config.mailbox.user"}},
		{"a user with a line", box(func(m *MailboxChange) { m.User = ptr("a\nb") }), []string{"email_config.mailbox.user"}},
		{"the longest password", box(func(m *MailboxChange) { m.Password = long(250) }), nil},
		{"a longer password", box(func(m *MailboxChange) { m.Password = long(251) }), []string{"email_config.mailbox.password"}},
		{"an empty password", box(func(m *MailboxChange) { m.Password = ptr("") }), []string{"email_config.mailbox.password"}},
		{"a password with a line", box(func(m *MailboxChange) { m.Password = ptr("a\rb") }), []string{"email_config.mailbox.password"}},
		{"the longest folder", box(func(m *MailboxChange) { m.Folder = long(250) }), nil},
		{"a longer folder", box(func(m *MailboxChange) { m.Folder = long(251) }), []string{"email_config.mailbox.folder"}},
		{"no folder", box(func(m *MailboxChange) { m.Folder = ptr("") }), []string{"email_config.mailbox.folder"}},
		{"the shortest poll", box(func(m *MailboxChange) { m.PollSeconds = ptr(10) }), nil},
		{"a shorter one", box(func(m *MailboxChange) { m.PollSeconds = ptr(9) }), []string{"email_config.mailbox.poll_seconds"}},
		{"the longest poll", box(func(m *MailboxChange) { m.PollSeconds = ptr(3600) }), nil},
		{"a longer one", box(func(m *MailboxChange) { m.PollSeconds = ptr(3601) }), []string{"email_config.mailbox.poll_seconds"}},
	} {
		col := mailOf(t, EmailConfigChange{Address: ptr("first@acme.example")})
		before, was := col, *col.Email
		err := col.Apply(CollectionChange{Email: Just(c.change)}, later)
		if !reflect.DeepEqual(fieldsOf(t, err), c.fields) {
			t.Errorf("%s: %v, want a problem with %v", c.name, err, c.fields)
		}
		if err != nil && (!reflect.DeepEqual(col, before) || *col.Email != was) {
			t.Errorf("%s changed the collection: %+v", c.name, *col.Email)
		}
		if *before.Email != was {
			t.Errorf("%s changed what others share", c.name)
		}
		if c.change.Address == nil {
			c.change.Address = ptr("first@acme.example")
		}
		if _, err := (NewCollection{Name: "Help", Kind: EmailCollection, Email: Just(c.change)}).Collection(early); !reflect.DeepEqual(fieldsOf(t, err), c.fields) {
			t.Errorf("%s, in a new collection: %v, want a problem with %v", c.name, err, c.fields)
		}
	}
}

func TestEmailConfigIsForEmailCollections(t *testing.T) {
	for _, kind := range CollectionKinds {
		_, err := NewCollection{Name: "A", Kind: kind, Email: Just(EmailConfigChange{Address: ptr("help@acme.example")})}.Collection(early)
		var want []string
		if kind != EmailCollection {
			want = []string{"email_config"}
		}
		if !reflect.DeepEqual(fieldsOf(t, err), want) {
			t.Errorf("%s: %v", kind, err)
		}
		c, err := NewCollection{Name: "A", Kind: kind, Email: Null[EmailConfigChange]()}.Collection(early)
		if err != nil || c.Email != nil {
			t.Errorf("%s with null: %v", kind, err)
		}
	}
}

// A change of some fields keeps the others.
func TestEmailConfigIsMerged(t *testing.T) {
	c := mailOf(t, EmailConfigChange{Address: ptr("help@acme.example"), FromName: ptr("N"), Signature: ptr("S"), ForwardCC: ptr(false),
		AutoReply: AutoReplyChange{Enabled: ptr(true), HTML: ptr("A")},
		Mailbox:   Just(MailboxChange{Host: ptr("h"), User: ptr("u"), Password: ptr("p"), PlusAddressing: ptr(true)})})
	want := EmailConfig{Address: "help@acme.example", FromName: "N", Signature: "S", AutoReply: AutoReply{true, "A"},
		Mailbox: &Mailbox{Host: "h", Port: 993, TLS: ImplicitTLS, User: "u", Folder: "INBOX", PollSeconds: 60, PlusAddressing: true}}
	for _, step := range []struct {
		change EmailConfigChange
		make   func()
	}{
		{EmailConfigChange{}, func() {}},
		{EmailConfigChange{FromName: ptr("M")}, func() { want.FromName = "M" }},
		{EmailConfigChange{AutoReply: AutoReplyChange{Enabled: ptr(false)}}, func() { want.AutoReply.Enabled = false }},
		{EmailConfigChange{Mailbox: Just(MailboxChange{Folder: ptr("F")})}, func() { want.Mailbox.Folder = "F" }},
		{EmailConfigChange{Mailbox: Just(MailboxChange{PlusAddressing: ptr(false)})}, func() { want.Mailbox.PlusAddressing = false }},
		{EmailConfigChange{ForwardCC: ptr(true)}, func() { want.ForwardCC = true }},
		{EmailConfigChange{Mailbox: Null[MailboxChange]()}, func() { want.Mailbox = nil }},
	} {
		c.Email.Mailbox = forgetPassword(c.Email.Mailbox)
		if err := c.Apply(CollectionChange{Email: Just(step.change)}, later); err != nil {
			t.Fatal(err)
		}
		if step.make(); !reflect.DeepEqual(*c.Email, want) {
			t.Errorf("%+v: got %+v, want %+v", step.change, *c.Email, want)
		}
	}
	if err := c.Apply(CollectionChange{Email: Null[EmailConfigChange]()}, later); err != nil || c.Email != nil {
		t.Errorf("got %+v, %v", c.Email, err)
	}
}

// forgetPassword returns a mailbox as it is read.
func forgetPassword(m *Mailbox) *Mailbox {
	if m == nil {
		return nil
	}
	read := *m
	read.Password = nil
	return &read
}

// A password goes only to the server for which it was entered.
func TestMailboxPasswordIsAskedAgain(t *testing.T) {
	for _, c := range []struct {
		name   string
		change MailboxChange
		asked  bool
	}{
		{"host", MailboxChange{Host: ptr("evil.example")}, true},
		{"port", MailboxChange{Port: ptr(1)}, true},
		{"tls", MailboxChange{TLS: ptr(NoTLS)}, true},
		{"user", MailboxChange{User: ptr("other")}, true},
		{"the same host", MailboxChange{Host: ptr("H.example ")}, false},
		{"folder", MailboxChange{Folder: ptr("Other")}, false},
		{"poll", MailboxChange{PollSeconds: ptr(20)}, false},
	} {
		col := mailOf(t, EmailConfigChange{Address: ptr("help@acme.example"), Mailbox: Just(MailboxChange{Host: ptr("h.example"), User: ptr("u"), Password: ptr("p")})})
		col.Email.Mailbox = forgetPassword(col.Email.Mailbox)
		err := col.Apply(CollectionChange{Email: Just(EmailConfigChange{Mailbox: Just(c.change)})}, later)
		if (err != nil) != c.asked {
			t.Errorf("%s: %v", c.name, err)
		}
		c.change.Password = ptr("new")
		if err := col.Apply(CollectionChange{Email: Just(EmailConfigChange{Mailbox: Just(c.change)})}, later); err != nil {
			t.Errorf("%s with a password: %v", c.name, err)
		}
	}
}

// An address of the mail domain is verified at once, unless the server uses it itself.
// Elsewhere it is verified by a test, and stays so until it becomes another one.
func TestSettleEmail(t *testing.T) {
	const domain = "Reply.desk.example"
	tested := &EmailConfig{Address: "help@acme.example", Tested: true}
	for _, c := range []struct {
		name, address string
		domain        string
		before        *EmailConfig
		verified, bad bool
	}{
		{"in the mail domain", "help@reply.DESK.example", domain, nil, true, false},
		{"below it", "help@sub.reply.desk.example", domain, nil, false, false},
		{"above it", "help@desk.example", domain, nil, false, false},
		{"elsewhere", "help@acme.example", domain, nil, false, false},
		{"without a mail domain", "help@acme.example", "", nil, false, false},
		{"verified before", "HELP@acme.example", domain, tested, true, false},
		{"another one was verified", "sales@acme.example", domain, tested, false, false},
		{"not verified before", "help@acme.example", domain, &EmailConfig{Address: "help@acme.example"}, false, false},
		{"replies", "Reply@reply.desk.example", domain, nil, false, true},
		{"bounces", "bounce@reply.desk.example", domain, nil, false, true},
		{"forwarded mail", "in@reply.desk.example", domain, nil, false, true},
		{"postmaster", "PostMaster@reply.desk.example", domain, nil, false, true},
		{"abuse", "abuse@reply.desk.example", domain, nil, false, true},
		{"no-reply", "no-reply@reply.desk.example", domain, nil, false, true},
		{"postmaster elsewhere", "postmaster@acme.example", domain, nil, false, false},
		{"a longer name", "replying@reply.desk.example", domain, nil, true, false},
	} {
		given := &EmailConfig{Address: c.address, Tested: true} // whatever was there does not count
		col := Collection{Kind: EmailCollection, Email: given}
		err := col.SettleEmail(c.before, c.domain)
		if (err != nil) != c.bad || err == nil && col.Email.MaySendAs(c.domain) != c.verified {
			t.Errorf("%s: %+v, %v", c.name, col.Email, err)
		}
		if ours := c.verified && c.before == nil; ours && col.Email.MaySendAs("other.example") {
			t.Errorf("%s: still verified in another mail domain", c.name)
		}
		if !given.Tested {
			t.Errorf("%s: what others share was changed", c.name)
		}
	}
	var none Collection
	if err := none.SettleEmail(tested, domain); err != nil || none.Email != nil {
		t.Errorf("got %+v, %v", none.Email, err)
	}
}
