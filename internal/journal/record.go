package journal

import (
	"fmt"
	"time"

	"frontdesk/internal/chain"
	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

// Notes are what a transaction has recorded and not written yet.
type Notes struct {
	events  []event
	entries []chain.Entry
}

type event struct {
	what    desk.EventType
	source  desk.Source
	subject string
	data    string
}

// Subjects yields what the events are about.
func (n *Notes) Subjects(yield func(string) bool) {
	for _, e := range n.events {
		if !yield(e.subject) {
			return
		}
	}
}

// Add adds what was done in an account: an entry of the audit log and, if the change
// names one, an event of the feed.
func (n *Notes) Add(account desk.AccountID, at time.Time, ch desk.Change) error {
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
		e, err := entryOf(ch, before, after)
		if err != nil {
			return fmt.Errorf("record %s: %w", ch.Action, err)
		}
		e.Account, e.At = int64(account), at.UnixMilli()
		n.entries = append(n.entries, e)
	}
	if ch.Event == "" {
		return nil
	}
	noun := after
	if noun.text == nil {
		noun = before // a removed thing, in its last state
	}
	data := wire.EventData(noun.name, *noun.text, ch.Request)
	for _, noun := range ch.Beside {
		beside, err := encode(noun)
		if err != nil {
			return err
		}
		data = wire.Beside(data, beside.name, *beside.text)
	}
	n.events = append(n.events, event{ch.Event, ch.By.Source, ch.Subject(), data})
	return nil
}

// entryOf returns a change as an entry of the audit log.
func entryOf(ch desk.Change, shownBefore, shownAfter encoded) (e chain.Entry, err error) {
	if e.Before, err = logged(ch.Before, shownBefore); err != nil {
		return e, err
	}
	if e.After, err = logged(ch.After, shownAfter); err != nil {
		return e, err
	}
	actor, err := wire.JSON(wire.NewActor(ch.By))
	if err != nil {
		return e, err
	}
	e.Actor, e.Action, e.Source, e.IP = string(actor), ch.Action, string(ch.By.Source), ch.By.IP
	e.ResourceType, e.ResourceID = ch.Of()
	if ch.By.ID != 0 {
		e.ActorID = (*int64)(&ch.By.ID)
	}
	return e, nil
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
