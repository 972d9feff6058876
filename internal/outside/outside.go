// Package outside lets operations and background work talk to the systems that an
// account is connected to: its chat system, its trackers, and the place where files
// are stored. It finds the connection and its credential, and notes when the other
// side no longer lets us in.
package outside

import (
	"frontdesk/internal/blob"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
	"frontdesk/internal/tracker"
)

// Config is what Systems are made of. Store is required.
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
}

// Systems are the systems that accounts can be connected to. They are safe for
// concurrent use.
type Systems struct {
	Store    *store.Store
	Chats    map[desk.IntegrationKind]chat.System
	Trackers map[desk.IntegrationKind]tracker.System
	Sandbox  chat.Sandbox // nil: none
	Blobs    blob.Store   // nil: none
}

// New returns the systems of a server.
func New(c Config) *Systems {
	s := &Systems{Store: c.Store, Sandbox: c.Sandbox, Blobs: c.Blobs,
		Chats: map[desk.IntegrationKind]chat.System{}, Trackers: map[desk.IntegrationKind]tracker.System{}}
	for _, system := range c.Chats {
		s.Chats[desk.IntegrationKind(system.Name())] = system
	}
	for _, system := range c.Trackers {
		s.Trackers[desk.IntegrationKind(system.Name())] = system
	}
	return s
}
