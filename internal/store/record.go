package store

import (
	"fmt"

	"frontdesk/internal/chain"
	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

// topicEvents rings when there is work for the sequencer.
const topicEvents = "events"

// Record records what was done, in the transaction that did it: one row in the
// audit log and, if the change names an event, one in the feed. In a turn both get
// their numbers at its end, otherwise from the sequencer after the commit.
func (tx *Tx) Record(ch desk.Change) error {
	// Encode once for both, because encoding a request takes longer than writing
	// it.
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
	if ch.Event == "" {
		return nil
	}
	noun := after
	if noun.text == nil {
		noun = before // a removed thing, in its last state
	}
	data := wire.EventData(noun.name, *noun.text, ch.Request)
	if ch.Beside != nil {
		beside, err := encode(ch.Beside)
		if err != nil {
			return err
		}
		data = wire.Beside(data, beside.name, *beside.text)
	}
	tx.noted.events = append(tx.noted.events, notedEvent{ch.Event, ch.By.Source, ch.Subject(), data})
	return tx.unlessInTurn()
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
	resource, id := ch.Of()
	e := chain.Entry{Account: int64(tx.Account), At: ms(tx.Now), Actor: string(actor), Action: ch.Action, ResourceType: resource, ResourceID: id,
		Source: string(ch.By.Source), IP: ch.By.IP, Before: before, After: after, ActorID: (*int64)(actorID(ch.By))}
	tx.noted.entries = append(tx.noted.entries, e)
	return tx.unlessInTurn()
}

// encoded is a noun as the API shows it; text is nil if there is none.
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

// logged returns the form of a noun in the audit log: as the API shows it, but
// without what people said. The log forgets nothing, and people's words may have to
// be forgotten.
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
