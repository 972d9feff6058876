package desk

import (
	"time"
	"unicode/utf8"
)

type QuickReplyID int64

// QuickReply is a saved text for frequent answers. A member keeps it for themselves
// or shares it with the account.
type QuickReply struct {
	ID     QuickReplyID
	Member MemberID // its creator
	Mine   bool     // whether that is the member who looks at it
	Name   string
	HTML   string // in the product's HTML subset
	Shared bool

	CreatedAt time.Time
	UpdatedAt time.Time
}

func (r QuickReply) Named() (resource, id string) { return "QuickReply", FormatID(r.ID) }

const (
	// MostQuickReplies bounds the shared quick replies, and the private ones of
	// each member.
	MostQuickReplies = 500

	mostQuickReply = 20_000
)

// GivenQuickReply is a quick reply as a caller gave it, for a new one or for a
// change. In a change a nil field stays as it is. Its HTML is already in the
// product's subset.
type GivenQuickReply struct {
	Body
	Name   *string
	HTML   *string
	Shared *bool
}

// QuickReply checks the input and makes the quick reply of a member.
func (g GivenQuickReply) QuickReply(by MemberID, now time.Time) (QuickReply, error) {
	return create(QuickReply{Member: by, Mine: true, CreatedAt: now, UpdatedAt: now}, g.Body, g.fill, "name", "html")
}

// Apply makes the whole change, or returns Invalid and changes nothing.
func (r *QuickReply) Apply(g GivenQuickReply, now time.Time) error {
	return amend(r, g.Body, func(next *QuickReply, p *patch) {
		g.fill(next, p)
		next.UpdatedAt = now
	})
}

func (g GivenQuickReply) fill(r *QuickReply, p *patch) {
	takeName(p, &r.Name, g.Name)
	if take(p, "html", &r.HTML, g.HTML) {
		switch {
		case r.HTML == "":
			p.Add("html", "must contain text: nothing is left of it after HTML that is not allowed is removed")
		case utf8.RuneCountInString(r.HTML) > mostQuickReply:
			p.Add("html", "must have at most %d characters", mostQuickReply)
		}
	}
	take(p, "shared", &r.Shared, g.Shared)
}
