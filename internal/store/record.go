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
	if ch.Action != "" {
		if err := tx.audit(ch); err != nil {
			return err
		}
	}
	tx.Ring(topicEvents)
	if ch.Event == "" {
		return nil
	}
	data, err := wire.EventData(ch)
	if err != nil {
		return err
	}
	_, err = tx.Exec("INSERT INTO events (account_id, type, source, at, subject, data) VALUES ($1, $2, $3, $4, $5, $6)",
		tx.Account, ch.Event, ch.By.Source, ms(tx.Now), ch.Subject(), string(data))
	if err != nil {
		return fmt.Errorf("record %s: %w", ch.Event, err)
	}
	return nil
}

// audit writes a row of the audit log.
func (tx *Tx) audit(ch desk.Change) error {
	before, err := encoded(ch.Before)
	if err != nil {
		return err
	}
	after, err := encoded(ch.After)
	if err != nil {
		return err
	}
	actor, err := wire.JSON(wire.NewActor(ch.By))
	if err != nil {
		return fmt.Errorf("record %s: %w", ch.Action, err)
	}
	_, err = tx.Exec(`INSERT INTO audit_logs (account_id, at, actor_id, actor, action, resource_type, resource_id, source, ip, before, after)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		tx.Account, ms(tx.Now), actorID(ch.By), string(actor), ch.Action, ch.Resource, ch.ID, ch.By.Source, ch.By.IP, before, after)
	if err != nil {
		return fmt.Errorf("record %s: %w", ch.Action, err)
	}
	return nil
}

// encoded is a noun as the API shows it, nil for none.
func encoded(noun any) (*string, error) {
	if noun == nil {
		return nil, nil
	}
	name, v := wire.Of(noun)
	b, err := wire.JSON(v)
	if err != nil {
		return nil, fmt.Errorf("record %s: %w", name, err)
	}
	text := string(b)
	return &text, nil
}

func actorID(a desk.Actor) *desk.MemberID {
	if a.ID == 0 {
		return nil
	}
	return &a.ID
}
