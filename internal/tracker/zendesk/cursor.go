package zendesk

import (
	"encoding/base64"
	"encoding/json"

	"frontdesk/internal/desk"
)

// position is how far a ticket's audits were read.
//
// Zendesk's cursor leads from one page to the next. Its reference does not say
// whether a cursor from the last page stays valid, and warns that following the end
// of a list misses items. So we keep the cursor that the last page was read with,
// and the last audit on it. We then read the page again, and everything after that
// audit is new.
type position struct {
	After string `json:"a,omitempty"` // Zendesk's cursor for the page; empty for the first
	Last  int64  `json:"l,omitempty"` // the last audit that was read
	Begun bool   `json:"b,omitempty"` // the page was read up to Last
}

func (p position) String() string {
	b, _ := json.Marshal(p) // cannot fail
	return base64.RawURLEncoding.EncodeToString(b)
}

func parsePosition(cursor string) (p position, err error) {
	if cursor == "" {
		return p, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		err = json.Unmarshal(b, &p)
	}
	if err != nil {
		return p, &desk.Error{Kind: desk.Invalid, Message: "The cursor is not one of Zendesk's comments. Begin again.", Err: err}
	}
	return p, nil
}

// unread returns the audits of a page that come after the position.
func (p position) unread(page []audit) []audit {
	for i, a := range page {
		if a.ID == p.Last {
			return page[i+1:]
		}
	}
	if !p.Begun {
		return page
	}
	// The last audit is not on the page, because we have started at the first page
	// again.
	var later []audit
	for _, a := range page {
		if a.ID > p.Last {
			later = append(later, a)
		}
	}
	return later
}

// afterPage returns the position after a page. after is Zendesk's cursor, which is
// empty on the last page.
func (p position) afterPage(page []audit, after string) position {
	unread := p.unread(page)
	passed := len(unread) > 0 || !p.Begun
	for _, a := range page {
		passed = passed || a.ID == p.Last
	}
	if len(unread) > 0 {
		p.Last = unread[len(unread)-1].ID
	}
	if after == "" {
		p.Begun = p.Last != 0
		return p
	}
	p.After, p.Begun = after, !passed
	return p
}
