package wire

import (
	"encoding/json"

	"frontdesk/internal/desk"
)

// Event is an event on the wire. Its id is also the cursor behind it.
type Event struct {
	ID        string          `json:"id"`
	Type      desk.EventType  `json:"type"`
	Timestamp Time            `json:"timestamp"`
	Source    desk.Source     `json:"source"`
	Data      json.RawMessage `json:"data"`
}

// NewEvent is how an event with this id looks.
func NewEvent(id string, e desk.Event) Event {
	return Event{ID: id, Type: e.Type, Timestamp: NewTime(e.At), Source: e.Source, Data: e.Data}
}
