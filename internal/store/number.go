package store

import (
	"errors"
	"fmt"
	"slices"

	"frontdesk/internal/chain"
	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// What is recorded in a turn of an account gets its numbers in the same
// transaction. An account has one turn at a time across all processes, and the turn
// ends with the commit. So numbers become visible in order, and no reader can skip
// one that appears later. What is recorded outside a turn has no numbers yet; see
// sequencer.go.

// noted holds what was recorded but not written yet.
type noted struct {
	events  []notedEvent
	entries []chain.Entry
}

type notedEvent struct {
	what    desk.EventType
	source  desk.Source
	subject string
	data    string
}

// unlessInTurn writes what was recorded outside a turn at once, without numbers.
func (tx *Tx) unlessInTurn() error {
	if tx.inTurn {
		return nil
	}
	return tx.writeNoted(nil)
}

// number writes what was recorded in a turn, with numbers, and queues deliveries to
// webhooks.
func (tx *Tx) number() error {
	events, entries := len(tx.noted.events), len(tx.noted.entries)
	if events+entries == 0 {
		return tx.rename()
	}
	last, err := tx.takeNumbers(events, entries)
	if errors.Is(err, sqldb.ErrNoRows) { // somebody deleted the sequences row: the records wait until it is restored
		return tx.writeNoted(nil)
	}
	if err != nil {
		return fmt.Errorf("number events: %w", err)
	}
	tx.news = News{}
	for _, e := range tx.noted.events {
		tx.news[e.what] = true
	}
	if err := tx.writeNoted(&last); err != nil || events == 0 {
		return err
	}
	tx.Ring(TopicFeed)
	if !last.followed {
		return nil
	}
	return tx.store.queueDeliveries(tx.Tx, map[desk.AccountID]News{tx.Account: tx.news})
}

// lastNumbers are the numbers of an account's last event and audit log entry.
type lastNumbers struct {
	event    int64
	chain    chain.End
	followed bool // whether there are enabled webhooks; if not, they are not looked up
}

// rename advances the epoch of names if a table with names was written.
func (tx *Tx) rename() error {
	if !tx.Wrote(named...) {
		return nil
	}
	return tx.Later("UPDATE sequences SET names = names + 1 WHERE account_id = $1", tx.Account)
}

// takeNumbers takes the next numbers of the account and returns the last ones
// before them. Nobody else can take any until the transaction ends.
func (tx *Tx) takeNumbers(events, entries int) (last lastNumbers, err error) {
	renamed := 0
	if tx.Wrote(named...) {
		renamed = 1
	}
	err = tx.Row(`UPDATE sequences SET event_seq = event_seq + $1, audit_seq = audit_seq + $2, names = names + $4 WHERE account_id = $3
		RETURNING event_seq, audit_seq, audit_mac, EXISTS (SELECT 1 FROM webhooks WHERE account_id = $3 AND removed_at IS NULL AND is_enabled)`,
		events, entries, tx.Account, renamed).Scan(&last.event, &last.chain.Seq, &last.chain.Mark, &last.followed)
	last.event -= int64(events)
	last.chain.Seq -= int64(entries)
	return last, err
}

// writeNoted writes what was recorded: numbered after last, or without numbers if
// last is nil.
func (tx *Tx) writeNoted(last *lastNumbers) error {
	events, entries := tx.noted.events, tx.noted.entries
	tx.noted = noted{}
	if last == nil {
		tx.Ring(topicEvents)
	}
	list := newRows("INSERT INTO events (account_id, seq, type, source, at, subject, data) VALUES ", "(?, ?, ?, ?, ?, ?, ?)")
	for _, e := range events {
		var seq *int64
		if last != nil {
			last.event++
			n := last.event
			seq = &n
		}
		if err := list.add(tx, tx.Account, seq, e.what, e.source, ms(tx.Now), e.subject, e.data); err != nil {
			return fmt.Errorf("record %s: %w", e.what, err)
		}
	}
	if err := list.flush(tx); err != nil {
		return fmt.Errorf("record an event: %w", err)
	}
	if len(entries) == 0 {
		return nil
	}
	for part := range slices.Chunk(entries, 100) {
		if err := tx.writeEntries(part, last); err != nil {
			return fmt.Errorf("record %s: %w", part[0].Action, err)
		}
	}
	if last == nil {
		return nil
	}
	return chain.SaveEnd(tx.Tx, int64(tx.Account), last.chain)
}

// writeEntries writes entries of the audit log, either chained after last or with
// their writer's mark. The chained mark covers the entry's id, which is known only
// after the insert.
func (tx *Tx) writeEntries(entries []chain.Entry, last *lastNumbers) error {
	var q query
	q.add("INSERT INTO audit_logs (account_id, seq, at, actor_id, actor, action, resource_type, resource_id, source, ip, before, after, mac) VALUES ")
	at := map[int64]*chain.Entry{}
	for i := range entries {
		e := &entries[i]
		var seq *int64
		if last != nil {
			e.Seq = last.chain.Seq + int64(i) + 1
			seq = &e.Seq
			at[e.Seq] = e
		}
		if i > 0 {
			q.add(", ")
		}
		q.add("(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", e.Account, seq, e.At, e.ActorID, e.Actor, e.Action, e.ResourceType, e.ResourceID, e.Source, e.IP, e.Before, e.After, tx.store.chain.WrittenMark(*e))
	}
	if last == nil {
		return tx.Later(q.text.String(), q.args...)
	}
	q.add(" RETURNING id, seq")
	_, err := sqldb.Collect(tx.Tx, func(scan scanner) (id int64, err error) {
		var seq int64
		err = scan(&id, &seq)
		if e := at[seq]; e != nil {
			e.ID = id
		}
		return id, err
	}, q.text.String(), q.args...)
	if err != nil {
		return err
	}
	for i := range entries {
		tx.store.chain.Append(&last.chain, &entries[i])
	}
	return chain.Save(tx.Tx, entries, true)
}
