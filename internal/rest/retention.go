package rest

import "frontdesk/internal/desk"

// retention reads the retention of a collection.
func retention(b object) desk.RetentionChange {
	in := b.inside("retention")
	return desk.RetentionChange{
		MessagesDays: nullable[int](in, "messages_days", "a whole number"),
		FilesDays:    nullable[int](in, "files_days", "a whole number"),
	}
}

// previewRetention says what a retention would delete: the one in the query or, if
// there is none, the collection's own.
func (s *Server) previewRetention(c *call) (any, error) {
	id, err := id[desk.CollectionID](c, "id")
	if err != nil {
		return nil, err
	}
	var p desk.Problems
	var given *desk.Retention
	messages, files := c.days(&p, "messages_days"), c.days(&p, "files_days")
	if messages != nil || files != nil {
		given = &desk.Retention{MessagesDays: messages, FilesDays: files}
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	return s.service.PreviewRetention(c.ctx, c.caller, id, given)
}

// days reads an optional number of days.
func (c *call) days(p *desk.Problems, name string) *int {
	n := int(c.integer(p, name, 0, 1, desk.MostRetention))
	if n == 0 {
		return nil
	}
	return &n
}
