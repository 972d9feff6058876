package desk

import (
	"strings"
	"testing"
)

// A link uses its own settings, and the stored ones where it has none. Comments
// that people see on their screen are copied here whatever the link says.
func TestTrackerSettingsWith(t *testing.T) {
	yes, no := true, false
	status, none := []NotifiableField{NotifyStatus}, []NotifiableField{}
	for _, c := range []struct {
		name                      string
		saved                     TrackerSettings
		link                      SyncConfig
		forward, backward, notify bool
	}{
		{"nothing said", TrackerSettings{Forward: true, Notifiable: status}, SyncConfig{}, true, false, true},
		{"nothing said, nothing saved", TrackerSettings{}, SyncConfig{}, false, false, false},
		{"by default", DefaultTrackerSettings(), SyncConfig{}, true, true, true},
		{"each said", TrackerSettings{Forward: true}, SyncConfig{Forward: &no, Backward: &yes, Notifiable: &status}, false, true, true},
		{"none told", DefaultTrackerSettings(), SyncConfig{Notifiable: &none}, true, true, false},
		{"backward not wanted", DefaultTrackerSettings(), SyncConfig{Backward: &no}, true, false, true},
		{"backward not wanted, but on the screen", TrackerSettings{Backward: true, ScreenBackward: true}, SyncConfig{Backward: &no}, false, true, false},
		{"on the screen alone", TrackerSettings{ScreenBackward: true}, SyncConfig{}, false, true, false},
	} {
		forward, backward, notify := c.saved.With(c.link)
		if forward != c.forward || backward != c.backward || notify != c.notify {
			t.Errorf("%s: forward %t, backward %t, notify %t", c.name, forward, backward, notify)
		}
	}
}

// A ticket has one name here, however people write it.
func TestTicketNames(t *testing.T) {
	for _, c := range []struct {
		system     TicketType
		text, want string
	}{
		{Zendesk, "4711", "4711"}, {Zendesk, " #4711 ", "4711"}, {Zendesk, "https://acme.zendesk.com/agent/tickets/4711", "https://acme.zendesk.com/agent/tickets/4711"},
		{Linear, "eng-17", "ENG-17"}, {Linear, "ENG-17", "ENG-17"}, {Linear, "0b8a6d1c-7a41-4f4e-9d4f-2f8f3c1f9a10", "0b8a6d1c-7a41-4f4e-9d4f-2f8f3c1f9a10"},
	} {
		n := NewLink{System: c.system, Ticket: c.text}
		if err := n.Check(); err != nil || n.Ticket != c.want {
			t.Errorf("%q is called %q, %v; want %q", c.text, n.Ticket, err, c.want)
		}
	}
	for length, good := range map[int]bool{200: true, 201: false} {
		n := NewLink{System: Zendesk, Ticket: strings.Repeat("x", length)}
		if err := n.Check(); (err == nil) != good {
			t.Errorf("%d characters: %v", length, err)
		}
	}
}
