package zendesktest

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// mostPage is the largest page size.
const mostPage = 100

// item is an entry of a list, with an id that grows.
type item struct {
	id     int64
	author int64
	json   object
}

// listComments serves GET /api/v2/tickets/{id}/comments.
func (z *Zendesk) listComments(c *call, t *ticket) reply {
	var all []item
	for _, com := range t.comments() {
		all = append(all, item{com.id, com.author, com.json()})
	}
	return z.list(c, "comments", all)
}

// listAudits serves GET /api/v2/tickets/{id}/audits.
func (z *Zendesk) listAudits(c *call, t *ticket) reply {
	var all []item
	for _, a := range t.audits {
		all = append(all, item{a.id, a.author, a.json(t)})
	}
	return z.list(c, "audits", all)
}

// list returns a page of items, oldest first, with their authors if the call asks
// for them. The parameters decide which kind of page it is.
func (z *Zendesk) list(c *call, name string, all []item) reply {
	var r reply
	var page []item
	if c.query.Has("page[size]") || c.query.Has("page[after]") || c.query.Has("page[before]") {
		r, page = cursorPage(c, name, all)
	} else {
		r, page = offsetPage(c, name, all)
	}
	if r.status == http.StatusOK && c.includes("users") {
		var ids []int64
		for _, i := range page {
			ids = append(ids, i.author)
		}
		r.body.(object)["users"] = z.people(c, ids)
	}
	return r
}

// cursorPage returns a page for page[size] and page[after] or page[before].
func cursorPage(c *call, name string, all []item) (reply, []item) {
	size := mostPage
	if c.query.Has("page[size]") {
		n, err := strconv.Atoi(c.query.Get("page[size]"))
		if err != nil || n < 1 || n > mostPage {
			return invalidPage("page[size] must be a number from 1 to 100"), nil
		}
		size = n
	}
	descending := strings.HasPrefix(c.query.Get("sort"), "-")
	if descending {
		slices.Reverse(all)
	}
	from := 0
	switch {
	case c.query.Has("page[after]") && c.query.Has("page[before]"):
		return invalidPage("page[after] and page[before] exclude each other"), nil
	case c.query.Has("page[after]"):
		id, ok := fromCursor(c.query.Get("page[after]"))
		if !ok {
			return invalidPage("page[after] is not valid"), nil
		}
		for from < len(all) && (!descending && all[from].id <= id || descending && all[from].id >= id) {
			from++
		}
	case c.query.Has("page[before]"):
		id, ok := fromCursor(c.query.Get("page[before]"))
		if !ok {
			return invalidPage("page[before] is not valid"), nil
		}
		end := 0
		for end < len(all) && (!descending && all[end].id < id || descending && all[end].id > id) {
			end++
		}
		from = max(0, end-size)
		all = all[:end]
	}
	page := all[from:min(from+size, len(all))]
	more := from+size < len(all)
	meta, links := object{"has_more": more, "after_cursor": nil, "before_cursor": nil}, object{"next": nil, "prev": nil}
	if len(page) > 0 {
		before, after := cursor(page[0].id), cursor(page[len(page)-1].id)
		meta["before_cursor"], meta["after_cursor"] = before, after
		links["prev"] = c.link("page[before]", before, size)
		if more {
			links["next"] = c.link("page[after]", after, size)
		}
	}
	return reply{http.StatusOK, object{name: jsonOf(page), "meta": meta, "links": links}}, page
}

// offsetPage returns a page for page and per_page.
func offsetPage(c *call, name string, all []item) (reply, []item) {
	number, size := 1, mostPage
	if n, err := strconv.Atoi(c.query.Get("page")); err == nil && n > 0 {
		number = n
	}
	if n, err := strconv.Atoi(c.query.Get("per_page")); err == nil && n > 0 {
		size = min(n, mostPage)
	}
	if c.query.Get("sort_order") == "desc" {
		slices.Reverse(all)
	}
	from := min((number-1)*size, len(all))
	page := all[from:min(from+size, len(all))]
	out := object{name: jsonOf(page), "count": len(all), "next_page": nil, "previous_page": nil}
	if from+size < len(all) {
		out["next_page"] = c.page(number + 1)
	}
	if number > 1 {
		out["previous_page"] = c.page(number - 1)
	}
	return reply{http.StatusOK, out}, page
}

func jsonOf(page []item) []object {
	out := []object{}
	for _, i := range page {
		out = append(out, i.json)
	}
	return out
}

// A cursor is opaque to the caller.
func cursor(id int64) string {
	return base64.RawURLEncoding.EncodeToString([]byte("o=id&v=" + strconv.FormatInt(id, 10)))
}

func fromCursor(s string) (int64, bool) {
	b, _ := base64.RawURLEncoding.DecodeString(s)
	v, ok := strings.CutPrefix(string(b), "o=id&v=")
	id, err := strconv.ParseInt(v, 10, 64)
	return id, ok && err == nil
}

// link returns the address of the list with another cursor.
func (c *call) link(parameter, cursor string, size int) string {
	q := url.Values{}
	for name, values := range c.query {
		if !strings.HasPrefix(name, "page[") {
			q[name] = values
		}
	}
	q.Set("page[size]", strconv.Itoa(size))
	q.Set(parameter, cursor)
	return c.origin() + c.r.URL.Path + "?" + q.Encode()
}

func (c *call) page(number int) string {
	q := c.r.URL.Query()
	q.Set("page", strconv.Itoa(number))
	return c.origin() + c.r.URL.Path + "?" + q.Encode()
}
