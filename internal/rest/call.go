package rest

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/service"
)

// call is one call of the API on its way through the frame and its handler.
type call struct {
	server *Server
	route  route
	w      http.ResponseWriter
	req    *http.Request
	ctx    context.Context
	caller service.Caller

	raw       []byte     // a JSON body, read whole
	form      *form      // a multipart body, read as it comes
	unread    *steady    // one that was refused for its length alone
	items     *items     // a JSON body with a long list, likewise
	values    url.Values // the query, parsed at the first look
	ascending bool       // the order of the list that was asked for
	order     string     // what else orders it; empty for most
	kept      *answer    // made inside the operation's transaction
	failure   error      // why there is no success, for the log
}

// id reads an id from the path. One that is not a number is Invalid; one that
// names nothing is not this function's business.
func id[T ~int64](c *call, name string) (T, error) {
	n, err := strconv.ParseInt(c.req.PathValue(name), 10, 64)
	// A number beyond all ids is a number nonetheless. ParseInt gives the
	// largest for it, which is nothing's id either.
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, &desk.Error{Kind: desk.Invalid, Message: name + " must be a number.",
			Fields: []desk.FieldError{{Field: name, Message: "must be a number"}}}
	}
	return T(n), nil
}

// query returns the query parameters, noting a malformed query once.
func (c *call) query(p *desk.Problems) url.Values {
	if c.values == nil {
		values, err := url.ParseQuery(c.req.URL.RawQuery)
		if err != nil {
			p.Add("", "The query string is malformed")
		}
		c.values = values
	}
	return c.values
}

// text reads a query parameter; without it, it is empty.
func (c *call) text(p *desk.Problems, name string) string {
	s := c.query(p).Get(name)
	if !desk.Storable(s) {
		p.Add(name, "must be valid UTF-8 without the character U+0000")
	}
	return s
}

// texts reads a query parameter that may be repeated or comma-separated. Without
// it, it is nil; an empty value names nothing.
func (c *call) texts(p *desk.Problems, name string) []string {
	given, ok := c.query(p)[name]
	if !ok {
		return nil
	}
	texts := []string{}
	for _, text := range given {
		for part := range strings.SplitSeq(text, ",") {
			if part = strings.TrimSpace(part); part != "" && !slices.Contains(texts, part) {
				texts = append(texts, part)
			}
			if !desk.Storable(part) {
				p.Add(name, "must be valid UTF-8 without the character U+0000")
			}
		}
	}
	return texts
}

// ids reads a query parameter with ids, which may be repeated or
// comma-separated. Without it, it is nil.
func ids[T ~int64](c *call, p *desk.Problems, name string) []T {
	given := c.texts(p, name)
	if given == nil {
		return nil
	}
	all := make([]T, 0, len(given))
	for _, text := range given {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) { // beyond all ids is nothing's id, either
			p.Add(name, "must be numbers; %.40q is none", text)
			return nil
		}
		all = append(all, T(n))
	}
	return all
}

// flag reads a query parameter that is true or false; without it, it is false.
func (c *call) flag(p *desk.Problems, name string) bool {
	switch s := c.query(p).Get(name); {
	case s == "true":
		return true
	case s != "false" && c.values.Has(name):
		p.Add(name, "must be true or false")
	}
	return false
}

// includes reads whether a part that is given on request is asked for. There is
// one such part, and its name is taken literally.
func (c *call) includes(p *desk.Problems, part string) bool {
	asked := false
	for _, s := range c.query(p)["include"] {
		if asked = true; s != part {
			p.Add("include", "must be %s", part)
			break
		}
	}
	return asked
}

// integer reads a numeric query parameter within bounds, def without it.
func (c *call) integer(p *desk.Problems, name string, def, least, most int64) int64 {
	s := c.query(p).Get(name)
	if s == "" && !c.values.Has(name) {
		return def
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < least || n > most {
		p.Add(name, "must be a whole number from %d to %d", least, most)
		return def
	}
	return n
}

// moment reads a time from the query: a date or a timestamp, UTC without a
// zone. Without it, it is nil.
func (c *call) moment(p *desk.Problems, name string) *time.Time {
	s := c.query(p).Get(name)
	if s == "" && !c.values.Has(name) {
		return nil
	}
	t, ok := parseTime(s)
	if !ok {
		p.Add(name, "must be an ISO 8601 date or timestamp, such as 2026-05-13 or 2026-05-13T09:12:33Z")
		return nil
	}
	return &t
}
