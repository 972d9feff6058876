package stored

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

type emailConfig struct {
	Address   string         `json:"address"`
	FromName  string         `json:"from_name"`
	Signature string         `json:"signature_html,omitempty"`
	ForwardCC bool           `json:"forward_cc,omitempty"`
	AutoReply wire.AutoReply `json:"auto_reply,omitzero"`
	Mailbox   *wire.Mailbox  `json:"mailbox,omitempty"`
	Tested    bool           `json:"verified,omitempty"`
}

// EmailConfig is the mail of a collection, which may have none.
func EmailConfig(c **desk.EmailConfig) Column {
	return column("a collection's mail", func() any {
		if *c == nil {
			return nil
		}
		is := **c
		return emailConfig{is.Address, is.FromName, is.Signature, is.ForwardCC, wire.AutoReply(is.AutoReply), wire.NewMailbox(is.Mailbox), is.Tested}
	}, func(w emailConfig) error {
		is := &desk.EmailConfig{Address: w.Address, FromName: w.FromName, Signature: w.Signature, ForwardCC: w.ForwardCC, AutoReply: desk.AutoReply(w.AutoReply), Tested: w.Tested}
		if m := w.Mailbox; m != nil {
			is.Mailbox = &desk.Mailbox{Host: m.Host, Port: m.Port, TLS: m.TLS, User: m.User, Folder: m.Folder, PollSeconds: m.PollSeconds, PlusAddressing: m.PlusAddressing}
		}
		*c = is
		return nil
	})
}
