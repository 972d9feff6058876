// Package change makes the changes that operations and background work share, with
// everything that follows from them. A message changes its request; a request is
// saved with its clocks, its history and its event. Work that must happen outside
// the transaction is queued as a job, which package worker runs.
//
// Its functions take a transaction and do nothing outside the database. They get no
// context, so that they cannot call another system.
package change

import (
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/mail"
	"frontdesk/internal/seal"
	"frontdesk/internal/store"
	"frontdesk/internal/suggest"
)

// Setup is what changes depend on besides the rows in the database.
type Setup struct {
	PublicURL string      // where people reach the server, for links
	Links     seal.Signer // signs the links to surveys
	Files     seal.Signer // signs the links to files
	Model     bool        // whether a model makes suggestions; a job asks it
	Mail      Mail
}

// Mail is how the server takes part in mail. The zero value takes no part.
type Mail struct {
	Domain string // of the addresses that answers go to; empty: no mail
	Tokens mail.Tokens
	Sends  bool   // there is a relay
	Relay  string // its host name, which an SPF record names; may be empty
	DKIM   *DKIM  // nil: what we send is not signed
}

// DKIM is what a domain's DNS has to say about the key that signs what we send.
type DKIM struct {
	Selector string
	Record   string // the value of the TXT record; see mail.DKIMRecord
}

// NewSetup returns the setup of a server. Suggestions come from a model unless the
// provider is nil or suggest.Rules.
func NewSetup(s *store.Store, publicURL string, suggestions suggest.Provider, mail Mail) Setup {
	_, rules := suggestions.(suggest.Rules)
	return Setup{PublicURL: publicURL, Links: s.Signer("survey"), Files: s.Signer("file"), Model: suggestions != nil && !rules, Mail: mail}
}

// Record records what somebody did to a noun, in the audit log and, if the action
// is also the type of an event, in the feed. before is nil for a new noun, after for
// a removed one. For anything else there is tx.Record.
func Record[A ~string](tx *store.Tx, by desk.Actor, action A, before, after desk.Noun) error {
	ch := desk.Change{By: by, Action: string(action), Before: before, After: after}
	if e := desk.EventType(action); slices.Contains(desk.EventTypes, e) {
		ch.Event = e
	}
	return tx.Record(ch)
}
