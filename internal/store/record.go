package store

import (
	"fmt"

	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

// topicEvents rings when there is something for the sequencer.
const topicEvents = "events"

// Record writes down what was done, in the transaction that did it: one row in
// the audit log and, where the change names an event, one in the feed. Both
// get their number from the sequencer after the commit.
func (tx *Tx) Record(ch desk.Change) error {
	// Once for both: to encode a request takes longer than to write it down.
	after, err := encode(ch.After)
	if err != nil {
		return err
	}
	var before encoded
	if ch.Action != "" || after.text == nil {
		if before, err = encode(ch.Before); err != nil {
			return err
		}
	}
	if ch.Action != "" {
		if err := tx.audit(ch, before, after); err != nil {
			return err
		}
	}
	tx.Ring(topicEvents)
	if ch.Event == "" {
		return nil
	}
	noun := after
	if noun.text == nil {
		noun = before // what was removed, as it was last
	}
	data := wire.EventData(noun.name, *noun.text, ch.Request)
	if ch.Beside != nil {
		beside, err := encode(ch.Beside)
		if err != nil {
			return err
		}
		data = wire.Beside(data, beside.name, *beside.text)
	}
	_, err = tx.Exec("INSERT INTO events (account_id, type, source, at, subject, data) VALUES ($1, $2, $3, $4, $5, $6)",
		tx.Account, ch.Event, ch.By.Source, ms(tx.Now), ch.Subject(), data)
	if err != nil {
		return fmt.Errorf("record %s: %w", ch.Event, err)
	}
	return nil
}

// audit writes a row of the audit log.
func (tx *Tx) audit(ch desk.Change, shownBefore, shownAfter encoded) error {
	before, err := logged(ch.Before, shownBefore)
	if err != nil {
		return err
	}
	after, err := logged(ch.After, shownAfter)
	if err != nil {
		return err
	}
	actor, err := wire.JSON(wire.NewActor(ch.By))
	if err != nil {
		return fmt.Errorf("record %s: %w", ch.Action, err)
	}
	e := chainEntry{account: int64(tx.Account), at: ms(tx.Now), actor: string(actor), action: ch.Action, resourceType: ch.Resource, resourceID: ch.ID,
		source: string(ch.By.Source), ip: ch.By.IP, before: before, after: after, actorID: (*int64)(actorID(ch.By))}
	_, err = tx.Exec(`INSERT INTO audit_logs (account_id, at, actor_id, actor, action, resource_type, resource_id, source, ip, before, after, mac)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		tx.Account, e.at, e.actorID, e.actor, e.action, e.resourceType, e.resourceID, e.source, e.ip, before, after, tx.store.writtenMark(e))
	if err != nil {
		return fmt.Errorf("record %s: %w", ch.Action, err)
	}
	return nil
}

// encoded is a noun as the API shows it; its text is nil for none.
type encoded struct {
	name string
	text *string
}

func encode(noun any) (e encoded, err error) {
	if noun == nil {
		return e, nil
	}
	name, v := wire.Of(noun)
	b, err := wire.JSON(v)
	if err != nil {
		return e, fmt.Errorf("record %s: %w", name, err)
	}
	text := string(b)
	return encoded{name, &text}, nil
}

// logged is how a noun looks in the audit log: as the API shows it, but for what
// somebody said. The log forgets nothing, and that may have to be forgotten.
func logged(noun any, shown encoded) (*string, error) {
	switch n := noun.(type) {
	case desk.Message:
		b, err := wire.JSON(wire.NewMessageMention(n))
		text := string(b)
		return &text, err
	case desk.WaitingMessage:
		b, err := wire.JSON(wire.NewWaitingMention(n))
		text := string(b)
		return &text, err
	case desk.Request:
		if n.Survey != nil && n.Survey.Comment != "" {
			silent := *n.Survey
			silent.Comment, n.Survey = "", &silent
			e, err := encode(n)
			return e.text, err
		}
	}
	return shown.text, nil
}

func actorID(a desk.Actor) *desk.MemberID {
	if a.ID == 0 {
		return nil
	}
	return &a.ID
}
