package rest

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

// listEvents reads the feed. Its cursor is the id of the last event that the caller
// has seen.
func (s *Server) listEvents(c *call) (any, error) {
	var p desk.Problems
	limit := int(c.integer(&p, "limit", desk.DefaultLimit, 1, desk.MostLimit))
	after := int64(0)
	// Every other list calls this parameter next_cursor. If it were ignored here, a
	// client that sends it would read the first page for ever.
	for _, name := range []string{"after", "next_cursor"} {
		if !c.query(&p).Has(name) {
			continue
		}
		seq, ok := s.service.EventPlace(c.caller, c.values.Get(name))
		if !ok {
			p.Add(name, "is not a position in this feed; give the id of an event, or response_metadata.next_cursor")
		}
		after = seq
	}
	if c.values.Has("after") && c.values.Has("next_cursor") {
		p.Add("next_cursor", "cannot be combined with after: they are two names for the same thing")
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	f, err := s.service.Events(c.ctx, c.caller, after, limit)
	if err != nil {
		return nil, err
	}
	l := listed{name: "events", items: desk.Each(f.Events, wire.NewEvent), count: len(f.Events)}
	if f.More {
		next := s.service.EventID(c.caller, f.To)
		l.next = &next
	}
	return l, nil
}
