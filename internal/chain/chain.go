// Package chain keeps the audit logs of accounts from being changed unnoticed.
//
// An audit log is a chain. The mark of an entry is a keyed hash over the entry and
// the end of the chain before it. Someone with the database but without the key
// cannot change, remove or cut off entries unnoticed. Entries are chained when they
// get their numbers: in the turn that writes them, or by the sequencer.
//
// The end of the chain is a keyed hash over the last mark. It is stored next to the
// number of that entry. Storing the mark instead would not do: it is in the entry
// as well, so someone who cuts off entries could move the end back to an earlier
// one.
//
// Until it is chained, an entry carries its writer's mark, over the entry alone.
// Without it the sequencer would sign anything that somebody put into the table. An
// entry that was put there, or changed before it was chained, is chained as a
// stray. Later entries must not wait for it, and anyone who verifies the chain
// finds it.
//
// What an entry says about a person can be erased; see erase.go.
package chain

import (
	"fmt"

	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
)

// Chain makes the marks of audit logs.
type Chain struct{ signer seal.Signer }

// New returns the chain whose marks are made with a key.
func New(key *seal.Key) Chain { return Chain{key.Signer("audit")} }

// Entry is the part of an audit log entry that its mark covers.
type Entry struct {
	ID, Account, Seq, At                                int64
	Actor, Action, ResourceType, ResourceID, Source, IP string
	Before, After                                       *string
	ActorID                                             *int64
	Mark                                                []byte
	ErasedAt                                            *int64 // when a person's data was erased from it
	ErasedMark                                          []byte
}

const columns = "id, account_id, at, actor_id, actor, action, resource_type, resource_id, source, ip, before, after, mac, erased_at, erased_mac"

func (e *Entry) fields() []any {
	return []any{&e.ID, &e.Account, &e.At, &e.ActorID, &e.Actor, &e.Action, &e.ResourceType, &e.ResourceID, &e.Source, &e.IP, &e.Before, &e.After, &e.Mark, &e.ErasedAt, &e.ErasedMark}
}

func scanEntry(scan func(...any) error) (e Entry, err error) {
	err = scan(e.fields()...)
	return e, err
}

// mark returns the keyed hash of an entry that follows the given end of the chain.
func (c Chain) mark(e Entry, end []byte) []byte {
	return c.signer.Sign(append([][]byte{end}, e.parts()...)...)
}

// strayMark returns the mark of an entry that Frontdesk did not write in this form.
func (c Chain) strayMark(e Entry, end []byte) []byte {
	return c.signer.Sign(append([][]byte{[]byte("stray"), end}, e.parts()...)...)
}

// WrittenMark returns the mark of an entry that is not chained yet. Such an entry
// has no number, and at the time of writing no id.
func (c Chain) WrittenMark(e Entry) []byte {
	e.Seq, e.ID = 0, 0
	return c.signer.Sign(append([][]byte{[]byte("written")}, e.parts()...)...)
}

// IsWritten reports whether an unchained entry is as Frontdesk wrote it.
func (c Chain) IsWritten(e Entry) bool { return string(e.Mark) == string(c.WrittenMark(e)) }

// parts returns the parts of an entry that its marks cover.
func (e *Entry) parts() [][]byte {
	actorID := int64(0)
	if e.ActorID != nil {
		actorID = *e.ActorID
	}
	return [][]byte{fmt.Appendf(nil, "%d %d %d %d %d", e.Account, e.Seq, e.ID, e.At, actorID), []byte(e.Actor), []byte(e.Action),
		[]byte(e.ResourceType), []byte(e.ResourceID), []byte(e.Source), []byte(e.IP), orNull(e.Before), orNull(e.After)}
}

// End is the end of an account's chain.
type End struct {
	Seq  int64 // number of the last entry
	Mark []byte
}

func readEnd(tx *sqldb.Tx, account int64) (*End, error) {
	var e End
	err := tx.Row("SELECT audit_seq, audit_mac FROM sequences WHERE account_id = $1", account).Scan(&e.Seq, &e.Mark)
	return &e, err
}

// EndMark returns the keyed hash of the end of a chain whose last entry has this
// number and mark; 0 and nil for an empty chain.
func (c Chain) EndMark(account, seq int64, mac []byte) []byte {
	return c.signer.Sign([]byte("end"), fmt.Appendf(nil, "%d %d", account, seq), mac)
}

// orNull distinguishes a missing value from an empty one.
func orNull(s *string) []byte {
	if s == nil {
		return []byte("null")
	}
	return []byte(*s)
}

// Unchained selects the next entries to chain. If somebody removed the end of an
// account's chain, that account waits and the others do not. With account_id IN
// (SELECT …), SQLite would scan each account's whole log.
const Unchained = `/* every account: one sequencer for all */ SELECT ` + columns + ` FROM audit_logs
	WHERE seq IS NULL AND EXISTS (SELECT 1 FROM sequences WHERE sequences.account_id = audit_logs.account_id) ORDER BY id LIMIT $1`

// ReadUnchained returns the next entries to chain.
func ReadUnchained(tx *sqldb.Tx, limit int) ([]Entry, error) {
	return sqldb.Collect(tx, scanEntry, Unchained, limit)
}

// Append chains an entry at the end and moves the end behind it.
func (c Chain) Append(end *End, e *Entry) { c.append(end, e, c.mark) }

// AppendStray is Append for an entry that Frontdesk did not write in this form.
func (c Chain) AppendStray(end *End, e *Entry) { c.append(end, e, c.strayMark) }

func (c Chain) append(end *End, e *Entry, mark func(Entry, []byte) []byte) {
	end.Seq++
	e.Seq = end.Seq
	e.Mark = mark(*e, end.Mark)
	end.Mark = c.EndMark(e.Account, e.Seq, e.Mark)
}

// SaveEnd saves the end of a chain. Its number was taken before.
func SaveEnd(tx *sqldb.Tx, account int64, end End) error {
	return tx.Later("UPDATE sequences SET audit_mac = $1 WHERE account_id = $2", end.Mark, account)
}

// Save saves the marks of entries, and their numbers if they have none in the table
// yet. It is one statement, because on PostgreSQL each is a round trip.
func Save(tx *sqldb.Tx, entries []Entry, numbered bool) error {
	set := "seq = v.seq, mac = v.mac"
	if numbered {
		set = "mac = v.mac"
	}
	var q sqldb.Query
	q.Add("WITH v (id, seq, mac) AS (VALUES ")
	for i, e := range entries {
		if i > 0 {
			q.Add(", ")
		}
		q.Add("(CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS @blob))", e.ID, e.Seq, e.Mark)
	}
	q.Add(`) /* every account: ids of rows that were read above */
		UPDATE audit_logs SET ` + set + ` FROM v WHERE audit_logs.id = v.id`)
	return tx.Later(q.String(), q.Args()...)
}
