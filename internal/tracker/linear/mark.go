package linear

import (
	"maps"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/desk"
)

// stampLayout is Linear's time format.
const stampLayout = "2006-01-02T15:04:05.000Z"

// mark is a position in the comments of an issue. Everything before since was read,
// and after it the comments in read. The zero mark is the beginning.
type mark struct {
	since time.Time
	read  map[string]time.Time
}

// String returns the mark as a cursor: the time, then each comment with its own
// time, in milliseconds after the first.
func (m mark) String() string {
	if m.since.IsZero() {
		return ""
	}
	parts := []string{m.since.Format(stampLayout)}
	for _, id := range slices.Sorted(maps.Keys(m.read)) {
		parts = append(parts, id+"+"+m.read[id].Sub(m.since).String())
	}
	return strings.Join(parts, " ")
}

// readMark parses a cursor.
func readMark(cursor string) (mark, error) {
	m := mark{read: map[string]time.Time{}}
	if cursor == "" {
		return m, nil
	}
	wrong := desk.Errorf(desk.Invalid, "The cursor is no longer good. Begin again.")
	parts := strings.Split(cursor, " ")
	var err error
	if m.since, err = time.Parse(stampLayout, parts[0]); err != nil {
		return mark{}, wrong
	}
	for _, p := range parts[1:] {
		id, after, ok := strings.Cut(p, "+")
		d, err := time.ParseDuration(after)
		if !ok || err != nil {
			return mark{}, wrong
		}
		m.read[id] = m.since.Add(d)
	}
	return m, nil
}

func (m mark) has(id string) bool {
	_, read := m.read[id]
	return read
}

// add records that a comment was read, and moves since to a little before it.
// Comments before since are dropped.
func (m *mark) add(id string, at time.Time) {
	m.read[id] = at
	since := at.Add(-settle).UTC().Truncate(time.Millisecond)
	if !since.After(m.since) {
		return
	}
	m.since = since
	maps.DeleteFunc(m.read, func(_ string, at time.Time) bool { return at.Before(since) })
}
