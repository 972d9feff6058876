package zendesk

import (
	"encoding/base64"
	"encoding/json"

	"frontdesk/internal/desk"
)

// position is how far a ticket's audits were read.
//
// Zendesk's cursor leads from a page to the next. It says nothing of what a
// cursor is good for that was given with the last page, and where it speaks of
// following the end of a list, it says that some will be missed. So we keep the
// cursor that the last page itself was read with, and which audit was the last on
// it: the page is read again, and what stands behind that one is new.
type position struct {
	After string `json:"a,omitempty"` // Zendesk's cursor before the page; empty for the first
	Last  int64  `json:"l,omitempty"` // the last audit that was read
	Begun bool   `json:"b,omitempty"` // the page was read as far as Last
}

func (p position) String() string {
	b, _ := json.Marshal(p) // nothing in it can fail
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

// unread are those of a page's audits that a position is before.
func (p position) unread(page []audit) []audit {
	for i, a := range page {
		if a.ID == p.Last {
			return page[i+1:]
		}
	}
	if !p.Begun {
		return page
	}
	// The one that was last is not on the page: we have begun at the first again.
	var later []audit
	for _, a := range page {
		if a.ID > p.Last {
			later = append(later, a)
		}
	}
	return later
}

// behind is the position behind a page; after is Zendesk's cursor, empty with the
// last page.
func (p position) behind(page []audit, after string) position {
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
