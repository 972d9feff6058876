package rest

import "frontdesk/internal/desk"

// emailConfig reads the email_config of a collection.
func emailConfig(b object) desk.Nullable[desk.EmailConfigChange] {
	return nullableInside(b, "email_config", func(o object) desk.EmailConfigChange {
		reply := o.inside("auto_reply")
		return desk.EmailConfigChange{
			Address: o.text("address"), FromName: o.text("from_name"), Signature: o.text("signature_html"), ForwardCC: o.flag("forward_cc"),
			AutoReply: desk.AutoReplyChange{Enabled: reply.flag("enabled"), HTML: reply.text("html")},
			Mailbox:   nullableInside(o, "mailbox", mailbox),
		}
	})
}

func mailbox(o object) desk.MailboxChange {
	return desk.MailboxChange{
		Kind: o.text("kind"), Host: o.text("host"), Port: member[int](o, "port", "a whole number"), TLS: member[desk.MailboxTLS](o, "tls", "a string"),
		User: o.text("user"), Password: o.text("password"), Folder: o.text("folder"),
		PollSeconds: member[int](o, "poll_seconds", "a whole number"), PlusAddressing: o.flag("plus_addressing"),
	}
}

// nullableInside reads a field that is an object or null.
func nullableInside[T any](o object, name string, read func(object) T) desk.Nullable[T] {
	if string(o.members[name]) == "null" {
		return desk.Null[T]()
	}
	in := o.inside(name)
	if in.members == nil {
		return desk.Nullable[T]{}
	}
	return desk.Just(read(in))
}

// newEmailTest reads a test of a collection's mail.
func newEmailTest(b object) desk.NewEmailTest {
	return desk.NewEmailTest{To: b.nullableText("to").Value}
}
