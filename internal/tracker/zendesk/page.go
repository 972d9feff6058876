package zendesk

import (
	"errors"
	"net/url"
)

// atMost is the longest page.
const atMost = "100"

// paged is the call for a page of a list: the first, or the one that a cursor leads
// to.
func paged(path, cursor string) request {
	query := url.Values{"page[size]": {atMost}}
	if cursor != "" {
		query.Set("page[after]", cursor)
	}
	return get(path, query)
}

// paging is what a page says of the next.
type paging struct {
	HasMore     bool   `json:"has_more"`
	AfterCursor string `json:"after_cursor"`
}

// next is the cursor of the next page, empty where there is none. At the end of a
// list Zendesk may well give a cursor. It gives an error where there is more, and
// no way to it: who then took this for the end would miss it.
func (p paging) next(r request, cursor string) (string, error) {
	switch {
	case !p.HasMore:
		return "", nil
	case p.AfterCursor == "" || p.AfterCursor == cursor:
		return "", unknown(r, 0, errors.New("there is more, and nothing to go on from"))
	}
	return p.AfterCursor, nil
}
