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
	"frontdesk/internal/seal"
	"frontdesk/internal/store"
	"frontdesk/internal/suggest"
)

// Setup is what changes depend on besides the rows in the database.
type Setup struct {
	PublicURL string      // where people reach the server, for links
	Links     seal.Signer // signs the links to surveys
	Model     bool        // whether a model makes suggestions; a job asks it
}

// NewSetup returns the setup of a server. Suggestions come from a model unless the
// provider is nil or suggest.Rules.
func NewSetup(s *store.Store, publicURL string, suggestions suggest.Provider) Setup {
	_, rules := suggestions.(suggest.Rules)
	return Setup{PublicURL: publicURL, Links: s.Signer("survey"), Model: suggestions != nil && !rules}
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
