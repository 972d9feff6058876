package wire

import (
	"encoding/json"
	"fmt"

	"frontdesk/internal/desk"
)

// Event is an event on the wire. Its id is also the cursor of its position.
type Event struct {
	ID        string          `json:"id"`
	Type      desk.EventType  `json:"type"`
	Timestamp Time            `json:"timestamp"`
	Source    desk.Source     `json:"source"`
	Data      json.RawMessage `json:"data"`
}

// NewEvent returns the wire form of an event.
func NewEvent(e desk.Event) Event {
	return Event{ID: e.ID, Type: e.Type, Timestamp: NewTime(e.At), Source: e.Source, Data: e.Data}
}

// EventData returns the data of an event about a noun: {"member": {…}}. If the noun
// does not say which request it belongs to, the request's id is added. 0 means no
// request.
func EventData(name, noun string, request desk.RequestID) string {
	if request == 0 {
		return `{"` + name + `":` + noun + `}`
	}
	return fmt.Sprintf(`{%q:%s,"request_id":%d}`, name, noun, request)
}

// Beside adds another noun to the data of an event.
func Beside(data, name, noun string) string {
	return data[:len(data)-1] + `,"` + name + `":` + noun + `}`
}

// Payload is the body of an event in a webhook. The event's id is in a header.
type Payload struct {
	Type      desk.EventType  `json:"type"`
	Timestamp Time            `json:"timestamp"`
	Data      json.RawMessage `json:"data"`
}

// NewPayload returns the webhook form of an event.
func NewPayload(e desk.Event) Payload {
	return Payload{Type: e.Type, Timestamp: NewTime(e.At), Data: e.Data}
}
