package zendesk

import (
	"errors"
	"net/url"
)

// atMost is the largest page size.
const atMost = "100"

// paged returns the call for a page of a list: the first page, or the one that a
// cursor leads to.
func paged(path, cursor string) request {
	query := url.Values{"page[size]": {atMost}}
	if cursor != "" {
		query.Set("page[after]", cursor)
	}
	return get(path, query)
}

// paging is the part of a page that leads to the next.
type paging struct {
	HasMore     bool   `json:"has_more"`
	AfterCursor string `json:"after_cursor"`
}

// next returns the cursor of the next page, or an empty string if there is none.
// Zendesk may return a cursor even at the end of a list. If there is more but no
// way to it, next returns an error. Otherwise the rest would be missed.
func (p paging) next(r request, cursor string) (string, error) {
	switch {
	case !p.HasMore:
		return "", nil
	case p.AfterCursor == "" || p.AfterCursor == cursor:
		return "", unknownOutcome(r, errors.New("there is more, and nothing to go on from"))
	}
	return p.AfterCursor, nil
}
