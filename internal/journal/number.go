package journal

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/chain"
	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// What is recorded in a turn of an account gets its numbers in the same
// transaction. An account has one turn at a time across all processes, and the turn
// ends with the commit. So numbers become visible in order, and no reader can skip
// one that appears later. What is recorded outside a turn has no numbers yet; see
// sequencer.go.

// Number writes what was noted in a turn of an account, with numbers, and queues
// deliveries to webhooks. renamed advances the account's epoch of names, which is in
// the same row as the last numbers.
func (j *Journal) Number(tx *sqldb.Tx, account desk.AccountID, at time.Time, n *Notes, renamed bool) (news News, err error) {
	events, entries := len(n.events), len(n.entries)
	if events+entries == 0 {
		if renamed {
			err = tx.Later("UPDATE sequences SET names = names + 1 WHERE account_id = $1", account)
		}
		return nil, err
	}
	last, err := takeNumbers(tx, account, events, entries, renamed)
	if errors.Is(err, sqldb.ErrNoRows) { // somebody deleted the sequences row: the records wait until it is restored
		return nil, j.Write(tx, account, at, n)
	}
	if err != nil {
		return nil, fmt.Errorf("number events: %w", err)
	}
	news = News{}
	for _, e := range n.events {
		news[e.what] = true
	}
	if err := j.write(tx, account, at, n, &last); err != nil || events == 0 {
		return news, err
	}
	tx.Ring(TopicFeed)
	if !last.followed {
		return news, nil
	}
	return news, j.Deliver(tx, account, news)
}

// Write writes what was noted outside a turn, without numbers.
func (j *Journal) Write(tx *sqldb.Tx, account desk.AccountID, at time.Time, n *Notes) error {
	tx.Ring(topicEvents)
	return j.write(tx, account, at, n, nil)
}

// lastNumbers are the numbers of an account's last event and audit log entry.
type lastNumbers struct {
	event    int64
	chain    chain.End
	followed bool // whether there are enabled webhooks; if not, they are not looked up
}

// takeNumbers takes the next numbers of the account and returns the last ones
// before them. Nobody else can take any until the transaction ends.
func takeNumbers(tx *sqldb.Tx, account desk.AccountID, events, entries int, renamed bool) (last lastNumbers, err error) {
	names := 0
	if renamed {
		names = 1
	}
	err = tx.Row(`UPDATE sequences SET event_seq = event_seq + $1, audit_seq = audit_seq + $2, names = names + $4 WHERE account_id = $3
		RETURNING event_seq, audit_seq, audit_mac, EXISTS (SELECT 1 FROM webhooks WHERE account_id = $3 AND removed_at IS NULL AND is_enabled)`,
		events, entries, account, names).Scan(&last.event, &last.chain.Seq, &last.chain.Mark, &last.followed)
	last.event -= int64(events)
	last.chain.Seq -= int64(entries)
	return last, err
}

// write writes what was noted: numbered after last, or without numbers if last is
// nil.
func (j *Journal) write(tx *sqldb.Tx, account desk.AccountID, at time.Time, n *Notes, last *lastNumbers) error {
	events, entries := n.events, n.entries
	*n = Notes{}
	list := sqldb.NewInsert(tx, "INSERT INTO events (account_id, seq, type, source, at, subject, data) VALUES ")
	for _, e := range events {
		var seq *int64
		if last != nil {
			last.event++
			n := last.event
			seq = &n
		}
		list.Add(account, seq, e.what, e.source, at.UnixMilli(), e.subject, e.data)
	}
	if err := list.Flush(); err != nil {
		return fmt.Errorf("record an event: %w", err)
	}
	if len(entries) == 0 {
		return nil
	}
	for part := range slices.Chunk(entries, 100) {
		if err := j.writeEntries(tx, part, last); err != nil {
			return fmt.Errorf("record %s: %w", part[0].Action, err)
		}
	}
	if last == nil {
		return nil
	}
	return chain.SaveEnd(tx, int64(account), last.chain)
}

// writeEntries writes entries of the audit log, either chained after last or with
// their writer's mark. The chained mark covers the entry's id, which is known only
// after the insert.
func (j *Journal) writeEntries(tx *sqldb.Tx, entries []chain.Entry, last *lastNumbers) error {
	var q sqldb.Query
	q.Add("INSERT INTO audit_logs (account_id, seq, at, actor_id, actor, action, resource_type, resource_id, source, ip, before, after, mac) VALUES ")
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
			q.Add(", ")
		}
		q.Add("(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", e.Account, seq, e.At, e.ActorID, e.Actor, e.Action, e.ResourceType, e.ResourceID, e.Source, e.IP, e.Before, e.After, j.Chain.WrittenMark(*e))
	}
	if last == nil {
		return tx.Later(q.String(), q.Args()...)
	}
	q.Add(" RETURNING id, seq")
	err := tx.Each(func(scan func(...any) error) error {
		var id, seq int64
		err := scan(&id, &seq)
		if e := at[seq]; e != nil {
			e.ID = id
		}
		return err
	}, q.String(), q.Args()...)
	if err != nil {
		return err
	}
	for i := range entries {
		j.Chain.Append(&last.chain, &entries[i])
	}
	return chain.Save(tx, entries, true)
}
