// Package journal records what happens in accounts, in order: the events of an
// account's feed and the entries of its audit log. It writes and numbers them. It
// knows neither who reads them nor what else the transaction does.
package journal

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"time"

	"frontdesk/internal/chain"
	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
)

// Journal records what happens in all accounts of a database.
type Journal struct {
	Config
	ids     seal.Signer
	waiting waiting
}

// Config says what a journal works with.
type Config struct {
	DB    *sqldb.DB
	Key   *seal.Key
	Chain chain.Chain // of the audit logs
	Now   func() time.Time

	// Deliver is called in the transaction that numbers an account's events, and
	// queues what follows from them.
	Deliver func(tx *sqldb.Tx, account desk.AccountID, news News) error
	// Numbered is called after the sequencer has numbered an account's events. It is
	// called even after an error, because they may have been committed.
	Numbered func(account desk.AccountID, news News)
}

// New returns the journal of a database.
func New(c Config) *Journal { return &Journal{Config: c, ids: c.Key.Signer("event")} }

// TopicFeed rings when events have received their numbers and can be read.
const TopicFeed = "feed"

// topicEvents rings when there is work for the sequencer.
const topicEvents = "events"

// News holds the types of an account's events that have just received their
// numbers.
type News map[desk.EventType]bool

// Begin begins the journal of a new account.
func (j *Journal) Begin(tx *sqldb.Tx, account desk.AccountID) error {
	_, err := tx.Exec("INSERT INTO sequences (account_id, event_seq, audit_seq, audit_mac) VALUES ($1, 0, 0, $2)", account, j.Chain.EndMark(int64(account), 0, nil))
	return err
}

// An event's id is its signed place in the account's feed. The signature exposes an
// id that was made up or belongs to another account. Without it, such an id would
// be a silent gap.

// idMark is how many bytes of the signature an id carries.
const idMark = 8

// EventID returns the id of the event at a place in an account's feed. It names the
// place even if there is no event.
func (j *Journal) EventID(account desk.AccountID, seq int64) string {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 8+idMark), uint64(seq))
	return base64.RawURLEncoding.EncodeToString(append(b, j.ids.Sign(eventPlace(account), b)[:idMark]...))
}

func eventPlace(account desk.AccountID) []byte { return fmt.Appendf(nil, "%d", account) }

// EventSeq returns the place in an account's feed that an event's id names; ok is
// false if the id is invalid.
func (j *Journal) EventSeq(account desk.AccountID, id string) (seq int64, ok bool) {
	// Check the length of the text too, because the decoder skips line breaks.
	if len(id) != base64.RawURLEncoding.EncodedLen(8+idMark) {
		return 0, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(id)
	if err != nil || !j.ids.Check(b[8:], eventPlace(account), b[:8]) {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(b)), true
}
