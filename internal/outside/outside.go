// Package outside lets operations and background work talk to the systems that an
// account is connected to: its chat system, its trackers, the place where files are
// stored, mail and name servers. It finds the connection and its credential, calls the
// system between transactions, and marks a connection as lost when the other side no
// longer accepts the credential.
package outside

import (
	"net"

	"frontdesk/internal/blob"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
	"frontdesk/internal/tracker"
)

// Config is the configuration of Systems. Store is required.
type Config struct {
	Store *store.Store
	// Chats are the chat systems that accounts can be connected to.
	Chats []chat.System
	// Sandbox is the built-in chat system, if that is the one in Chats. nil means
	// none.
	Sandbox chat.Sandbox
	// Trackers are the ticket systems that accounts can be connected to.
	Trackers []tracker.System
	// Blobs stores the bytes of attachments. nil means that none are accepted.
	Blobs blob.Store
	// Mail sends mail. nil means that none is sent.
	Mail MailSender
	// DNS asks name servers. Defaults to those of the machine.
	DNS Resolver
}

// Systems gives access to the systems that accounts can be connected to. It is safe
// for concurrent use.
type Systems struct {
	Store    *store.Store
	Chats    map[desk.IntegrationKind]chat.System
	Trackers map[desk.IntegrationKind]tracker.System
	Sandbox  chat.Sandbox // nil if it is not in Chats
	Blobs    blob.Store   // nil if the server accepts no files
	Mail     MailSender   // nil if the server sends no mail
	DNS      Resolver
}

// New returns the systems of a server.
func New(c Config) *Systems {
	s := &Systems{Store: c.Store, Sandbox: c.Sandbox, Blobs: c.Blobs, Mail: c.Mail, DNS: c.DNS,
		Chats: map[desk.IntegrationKind]chat.System{}, Trackers: map[desk.IntegrationKind]tracker.System{}}
	if s.DNS == nil {
		s.DNS = net.DefaultResolver
	}
	for _, system := range c.Chats {
		s.Chats[desk.IntegrationKind(system.Name())] = system
	}
	for _, system := range c.Trackers {
		s.Trackers[desk.IntegrationKind(system.Name())] = system
	}
	return s
}
