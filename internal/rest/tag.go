package rest

import (
	"unicode/utf8"

	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

// listTags returns the first tags, in alphabetical order, that begin with a text.
// There are no further pages: to find other tags, add a letter.
func (s *Server) listTags(c *call) (any, error) {
	var p desk.Problems
	w := desk.TagQuery{Text: c.text(&p, "query"), Limit: c.limit(&p)}
	if utf8.RuneCountInString(w.Text) > desk.MostQuery {
		p.Add("query", "must have at most %d characters", desk.MostQuery)
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	tags, err := s.service.Tags(c.ctx, c.caller, w)
	return list(c, "tags", wire.NewTag, desk.List[desk.Tag]{Items: tags}, err)
}
