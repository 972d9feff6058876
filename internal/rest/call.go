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

// call is one call of the API, with what the frame and its handler need.
type call struct {
	server *Server
	route  route
	w      http.ResponseWriter
	req    *http.Request
	ctx    context.Context
	caller service.Caller

	raw       []byte     // a JSON body, read completely
	form      *form      // a multipart body, read as a stream
	unread    *steady    // a body that was refused for its length alone
	items     *items     // a JSON body with a long list, read as a stream
	values    url.Values // the query, parsed when it is first needed
	ascending bool       // the order that was asked for
	order     string     // what else determines the order; empty for most lists
	kept      *answer    // the response that was stored in the operation's transaction
	failure   error      // why the call failed, for the log
}

// id reads an id from the path. An id that is not a number is Invalid. Whether it
// belongs to anything is checked elsewhere.
func id[T ~int64](c *call, name string) (T, error) {
	n, err := strconv.ParseInt(c.req.PathValue(name), 10, 64)
	// A number larger than any id is still a number. ParseInt returns the largest
	// int64 for it, which is no thing's id either.
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, &desk.Error{Kind: desk.Invalid, Message: name + " must be a number.",
			Fields: []desk.FieldError{{Field: name, Message: "must be a number"}}}
	}
	return T(n), nil
}

// query returns the query parameters. It reports a malformed query once.
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

// text reads a query parameter. It returns "" if it is not given.
func (c *call) text(p *desk.Problems, name string) string {
	s := c.query(p).Get(name)
	if !desk.Storable(s) {
		p.Add(name, "must be valid UTF-8 without the character U+0000")
	}
	return s
}

// texts reads a query parameter that may be repeated or comma-separated. It returns
// nil if it is not given. An empty value adds nothing to the list.
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

// ids reads a query parameter that holds ids and may be repeated or
// comma-separated. It returns nil if it is not given.
func ids[T ~int64](c *call, p *desk.Problems, name string) []T {
	given := c.texts(p, name)
	if given == nil {
		return nil
	}
	all := make([]T, 0, len(given))
	for _, text := range given {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) { // a number larger than any id names nothing, but is valid
			p.Add(name, "must be numbers; %.40q is not", text)
			return nil
		}
		all = append(all, T(n))
	}
	return all
}

// flag reads a query parameter that is true or false. It returns false if it is not
// given.
func (c *call) flag(p *desk.Problems, name string) bool {
	switch s := c.query(p).Get(name); {
	case s == "true":
		return true
	case s != "false" && c.values.Has(name):
		p.Add(name, "must be true or false")
	}
	return false
}

// includes reports whether the include parameter asks for an optional part. Such
// lists have only one part, and its name must match exactly.
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

// integer reads a numeric query parameter within bounds. It returns def if it is
// not given.
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

// moment reads a time from the query: a date or a timestamp, in UTC unless it has a
// zone. It returns nil if it is not given.
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
