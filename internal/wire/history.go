package wire

import "frontdesk/internal/desk"

// HistoryEntry is a change of a request, on the wire. The creation of the request
// is not a change and has no id.
type HistoryEntry struct {
	ID       *desk.HistoryEntryID `json:"id"`
	At       Time                 `json:"at"`
	Actor    Actor                `json:"actor"`
	Source   desk.Source          `json:"source"`
	Action   string               `json:"action"`
	Changes  []FieldChange        `json:"changes"`
	Undoes   *desk.HistoryEntryID `json:"undoes,omitempty"`
	UndoneAt *Time                `json:"undone_at,omitempty"`
}

// FieldChange is a field of a request, before and after a change.
type FieldChange struct {
	Field string `json:"field"`
	From  any    `json:"from"`
	To    any    `json:"to"`
}

// NewHistoryEntry returns the wire form of an entry of a request's history.
func NewHistoryEntry(e desk.HistoryEntry) HistoryEntry {
	w := HistoryEntry{ID: orNull(e.ID), At: NewTime(e.At), Actor: NewActor(e.By), Source: e.By.Source, Action: e.Action,
		Changes: []FieldChange{}, Undoes: orNull(e.Undoes), UndoneAt: optional(e.UndoneAt)}
	for _, ch := range e.Changes() {
		w.Changes = append(w.Changes, FieldChange{ch.Field, newPastValue(ch.From), newPastValue(ch.To)})
	}
	return w
}
