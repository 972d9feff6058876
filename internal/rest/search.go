package rest

import (
	"maps"
	"net/url"
	"time"
	"unicode/utf8"

	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

func (s *Server) searchRequests(c *call) (any, error) {
	var p desk.Problems
	q := desk.RequestSearch{
		RequestFilter: c.requestFilter(&p), Query: c.text(&p, "query"),
		OnlyPublic: !c.query(&p).Has("only_public") || c.flag(&p, "only_public"),
	}
	switch n := utf8.RuneCountInString(q.Query); {
	case !c.values.Has("query"):
		p.Add("query", "is required")
	case n < 1 || n > desk.MostQuery:
		p.Add("query", "must have 1 to %d characters", desk.MostQuery)
	}
	if sort := c.values.Get("sort"); c.values.Has("sort") {
		desk.OneOf(&p, "sort", sort, "created_at", "rank")
		q.Rank = sort == "rank"
	}
	if filter := c.values.Get("filter_by"); c.values.Has("filter_by") && filter != "created_at" {
		p.Add("filter_by", "must be created_at, the only time that searches use")
	}
	if q.Rank && c.values.Has("sort_order") {
		p.Add("sort_order", "cannot be combined with sort=rank: the best match always comes first")
	}
	messages := c.includes(&p, "messages")
	c.order = searchOrder(c.values)
	page := c.page(&p)
	page.After = otherName(c, &p, "after", "created_after", page.After, floorMS)
	page.Before = otherName(c, &p, "before", "created_before", page.Before, ceilMS)
	if err := p.Err(); err != nil {
		return nil, err
	}
	l, err := s.service.SearchRequests(c.ctx, c.caller, q, page, messages)
	if err != nil {
		return nil, err
	}
	return listed{name: "requests", items: wire.FoundRequests{Items: l.Items, Form: listedForm(q.RequestFilter)}, next: c.cursorAt(l.Next), count: len(l.Items)}, nil
}

// searchOrder returns what the cursor of a search belongs to: all its parameters
// except the page size.
func searchOrder(asked url.Values) string {
	asked = maps.Clone(asked)
	for _, name := range []string{"limit", "include", "next_cursor"} {
		delete(asked, name)
	}
	return asked.Encode()
}

// otherName reads a time that has two names. Only one of them may be given.
func otherName(c *call, p *desk.Problems, name, other string, given *time.Time, rounded func(*time.Time) *time.Time) *time.Time {
	if !c.values.Has(other) {
		return given
	}
	if c.values.Has(name) {
		p.Add(other, "cannot be combined with %s: they are two names for the same thing", name)
	}
	return rounded(c.moment(p, other))
}
