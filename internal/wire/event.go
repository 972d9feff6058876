package wire

import (
	"encoding/json"
	"fmt"

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

// NewEvent is how an event looks.
func NewEvent(e desk.Event) Event {
	return Event{ID: e.ID, Type: e.Type, Timestamp: NewTime(e.At), Source: e.Source, Data: e.Data}
}

// EventData is the data of an event of a noun: {"member": {…}}. One that does not
// say which request it belongs to has the request's id beside it; 0 is none.
func EventData(name, noun string, request desk.RequestID) string {
	if request == 0 {
		return `{"` + name + `":` + noun + `}`
	}
	return fmt.Sprintf(`{%q:%s,"request_id":%d}`, name, noun, request)
}

// Beside is the data of an event with a second noun in it.
func Beside(data, name, noun string) string {
	return data[:len(data)-1] + `,"` + name + `":` + noun + `}`
}

// Payload is an event as a webhook is told of it. Its id is in a header.
type Payload struct {
	Type      desk.EventType  `json:"type"`
	Timestamp Time            `json:"timestamp"`
	Data      json.RawMessage `json:"data"`
}

// NewPayload is how an event looks to a webhook.
func NewPayload(e desk.Event) Payload {
	return Payload{Type: e.Type, Timestamp: NewTime(e.At), Data: e.Data}
}
