package rest

import (
	"time"

	"frontdesk/internal/desk"
)

// page reads the common list parameters: limit, sort_order, after, before and
// next_cursor.
func (c *call) page(p *desk.Problems) desk.Page {
	pg := desk.Page{
		Limit:  c.limit(p),
		After:  floorMS(c.moment(p, "after")),
		Before: ceilMS(c.moment(p, "before")),
	}
	switch c.text(p, "sort_order") {
	case "asc":
		pg.Ascending = true
	case "desc":
	case "":
		if c.values.Has("sort_order") {
			p.Add("sort_order", "must be one of asc, desc")
		}
	default:
		p.Add("sort_order", "must be one of asc, desc")
	}
	pg.From = c.from(p, pg.Ascending)
	return pg
}

// limit reads the maximum number of records.
func (c *call) limit(p *desk.Problems) int {
	return int(c.integer(p, "limit", desk.DefaultLimit, 1, desk.MostLimit))
}

// from reads where the previous page ended. nil means the beginning.
func (c *call) from(p *desk.Problems, ascending bool) *desk.Position {
	c.ascending = ascending
	if !c.query(p).Has("next_cursor") {
		return nil
	}
	return c.position(p, c.values.Get("next_cursor"))
}

// position decodes a cursor of the requested list.
func (c *call) position(p *desk.Problems, cursor string) *desk.Position {
	at, ok := c.server.cursors.position(c.listing(c.ascending), cursor)
	if !ok {
		p.Add("next_cursor", "is not a cursor of this list; take it from response_metadata.next_cursor of the previous page")
	}
	return &at
}

// pageIn reads the common list parameters from a body.
func (c *call) pageIn(b object) desk.Page {
	pg := desk.Page{Limit: desk.DefaultLimit, After: floorMS(b.instant("after")), Before: ceilMS(b.instant("before"))}
	const want = "a whole number from 1 to 100"
	if limit := member[int](b, "limit", want); limit != nil {
		if pg.Limit = *limit; pg.Limit < 1 || pg.Limit > desk.MostLimit {
			b.problems.Add(b.at+"limit", "must be "+want)
		}
	}
	if order := b.text("sort_order"); order != nil {
		desk.OneOf(b.problems, b.at+"sort_order", *order, "asc", "desc")
		pg.Ascending = *order == "asc"
	}
	c.ascending = pg.Ascending
	if cursor := b.nullableText("next_cursor").Value; cursor != nil {
		pg.From = c.position(b.problems, *cursor)
	}
	return pg
}

// cursorAt returns the cursor of the page that begins at a position.
func (c *call) cursorAt(at *desk.Position) *string {
	if at == nil {
		return nil
	}
	text := c.server.cursors.at(c.listing(c.ascending), *at)
	return &text
}

func (c *call) listing(ascending bool) listing {
	return listing{account: c.caller.Account, op: c.route.op, ascending: ascending, order: c.order}
}

// Records have whole milliseconds. For them, "strictly after 33.1234 s" means
// strictly after 33.123 s, and "strictly before 33.1234 s" means strictly before
// 33.124 s.
func floorMS(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	f := t.Truncate(time.Millisecond)
	return &f
}

func ceilMS(t *time.Time) *time.Time {
	f := floorMS(t)
	if f != nil && f.Before(*t) {
		*f = f.Add(time.Millisecond)
	}
	return f
}
