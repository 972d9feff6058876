package store

import (
	"fmt"
	"maps"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// The audit log is a chain. The mark of an entry is a keyed hash over the entry and
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

// chainEntry is the part of an audit log entry that its mark covers.
type chainEntry struct {
	id, account, seq, at                                int64
	actor, action, resourceType, resourceID, source, ip string
	before, after                                       *string
	actorID                                             *int64
	mac                                                 []byte
}

const chainColumns = "id, account_id, at, actor_id, actor, action, resource_type, resource_id, source, ip, before, after, mac"

func (e *chainEntry) columns() []any {
	return []any{&e.id, &e.account, &e.at, &e.actorID, &e.actor, &e.action, &e.resourceType, &e.resourceID, &e.source, &e.ip, &e.before, &e.after, &e.mac}
}

func scanChainEntry(scan scanner) (e chainEntry, err error) {
	err = scan(e.columns()...)
	return e, err
}

// mark returns the keyed hash of an entry that follows the given end of the chain.
func (s *Store) mark(e chainEntry, end []byte) []byte {
	return s.audit.Sign(append([][]byte{end}, e.parts()...)...)
}

// strayMark returns the mark of an entry that Frontdesk did not write in this form.
func (s *Store) strayMark(e chainEntry, end []byte) []byte {
	return s.audit.Sign(append([][]byte{[]byte("stray"), end}, e.parts()...)...)
}

// writtenMark returns the mark of an entry that is not chained yet. Such an entry
// has no number, and at the time of writing no id.
func (s *Store) writtenMark(e chainEntry) []byte {
	e.seq, e.id = 0, 0
	return s.audit.Sign(append([][]byte{[]byte("written")}, e.parts()...)...)
}

// isWritten reports whether an unchained entry is as Frontdesk wrote it.
func (s *Store) isWritten(e chainEntry) bool { return string(e.mac) == string(s.writtenMark(e)) }

// parts returns the parts of an entry that its marks cover.
func (e *chainEntry) parts() [][]byte {
	actorID := int64(0)
	if e.actorID != nil {
		actorID = *e.actorID
	}
	return [][]byte{fmt.Appendf(nil, "%d %d %d %d %d", e.account, e.seq, e.id, e.at, actorID), []byte(e.actor), []byte(e.action),
		[]byte(e.resourceType), []byte(e.resourceID), []byte(e.source), []byte(e.ip), orNull(e.before), orNull(e.after)}
}

// chainEnd is the end of an account's chain.
type chainEnd struct {
	seq int64 // number of the last entry
	mac []byte
}

func readChainEnd(tx *sqldb.Tx, account int64) (*chainEnd, error) {
	var e chainEnd
	err := tx.Row("SELECT audit_seq, audit_mac FROM sequences WHERE account_id = $1", account).Scan(&e.seq, &e.mac)
	return &e, err
}

// endMark returns the keyed hash of the end of a chain whose last entry has this
// number and mark; 0 and nil for an empty chain.
func (s *Store) endMark(account, seq int64, mac []byte) []byte {
	return s.audit.Sign([]byte("end"), fmt.Appendf(nil, "%d %d", account, seq), mac)
}

// orNull distinguishes a missing value from an empty one.
func orNull(s *string) []byte {
	if s == nil {
		return []byte("null")
	}
	return []byte(*s)
}

// unchained selects the next entries to chain. If somebody removed the end of an
// account's chain, that account waits and the others do not. With account_id IN
// (SELECT …), SQLite would scan each account's whole log.
const unchained = `/* every account: one sequencer for all */ SELECT ` + chainColumns + ` FROM audit_logs
	WHERE seq IS NULL AND EXISTS (SELECT 1 FROM sequences WHERE sequences.account_id = audit_logs.account_id) ORDER BY id LIMIT $1`

func (s *Store) chainAuditLogs(tx *sqldb.Tx) (int, error) {
	entries, err := sqldb.Collect(tx, scanChainEntry, unchained, sequencerBatch)
	if err != nil || len(entries) == 0 {
		return 0, err
	}
	of := map[int64]int{}
	for _, e := range entries {
		of[e.account]++
	}
	ends := map[int64]*chainEnd{}
	for _, account := range slices.Sorted(maps.Keys(of)) {
		last, err := s.tx(tx, desk.AccountID(account)).takeNumbers(0, of[account])
		if err != nil {
			return 0, err
		}
		ends[account] = &last.chain
	}
	for i := range entries {
		e := &entries[i]
		last := ends[e.account]
		if s.isWritten(*e) {
			last.take(s, e)
		} else {
			last.takeStray(s, e)
		}
	}
	for part := range slices.Chunk(entries, 100) {
		if err := saveChain(tx, part, "seq = v.seq, mac = v.mac"); err != nil {
			return 0, err
		}
	}
	for account, last := range ends {
		if err := saveChainEnd(tx, account, *last); err != nil {
			return 0, err
		}
	}
	return len(entries), nil
}

// take chains an entry at the end and moves the end behind it.
func (c *chainEnd) take(s *Store, e *chainEntry) { c.put(s, e, s.mark) }

// takeStray is take for an entry that Frontdesk did not write in this form.
func (c *chainEnd) takeStray(s *Store, e *chainEntry) { c.put(s, e, s.strayMark) }

func (c *chainEnd) put(s *Store, e *chainEntry, mark func(chainEntry, []byte) []byte) {
	c.seq++
	e.seq = c.seq
	e.mac = mark(*e, c.mac)
	c.mac = s.endMark(e.account, e.seq, e.mac)
}

// saveChainEnd saves the end of a chain. Its number was taken before.
func saveChainEnd(tx *sqldb.Tx, account int64, end chainEnd) error {
	return tx.Later("UPDATE sequences SET audit_mac = $1 WHERE account_id = $2", end.mac, account)
}

// saveChain updates many entries with one statement, because on PostgreSQL each
// statement is a round trip.
func saveChain(tx *sqldb.Tx, entries []chainEntry, set string) error {
	var q query
	q.add("WITH v (id, seq, mac) AS (VALUES ")
	for i, e := range entries {
		if i > 0 {
			q.add(", ")
		}
		q.add("(CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS @blob))", e.id, e.seq, e.mac)
	}
	q.add(`) /* every account: ids of rows that were read above */
		UPDATE audit_logs SET ` + set + ` FROM v WHERE audit_logs.id = v.id`)
	return tx.Later(q.text.String(), q.args...)
}
