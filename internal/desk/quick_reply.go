package desk

import (
	"time"
	"unicode/utf8"
)

// QuickReply is a saved text for frequent answers. A member keeps it for themselves
// or shares it with the account.
type QuickReply struct {
	ID     QuickReplyID
	Member MemberID // its creator
	Name   string
	HTML   string // in the product's HTML subset
	Shared bool

	CreatedAt time.Time
	UpdatedAt time.Time
}

func (r QuickReply) Named() (resource, id string) { return "QuickReply", FormatID(r.ID) }

// ShownQuickReply is a quick reply as one member sees it.
type ShownQuickReply struct {
	QuickReply
	Mine bool
}

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
	if g.Problem != nil {
		return QuickReply{}, g.Problem
	}
	r := QuickReply{Member: by, CreatedAt: now, UpdatedAt: now}
	var p Problems
	if g.Name == nil {
		p.Add("name", "is required")
	}
	if g.HTML == nil {
		p.Add("html", "is required")
	}
	r.take(&p, g)
	err := p.Err()
	return r, err
}

// Apply makes the whole change, or returns Invalid and changes nothing.
func (r *QuickReply) Apply(g GivenQuickReply, now time.Time) error {
	if g.Problem != nil {
		return g.Problem
	}
	if g.Name == nil && g.HTML == nil && g.Shared == nil {
		return Errorf(Invalid, "Nothing to change: give at least one of name, html, shared.")
	}
	next := *r
	var p Problems
	next.take(&p, g)
	if err := p.Err(); err != nil {
		return err
	}
	next.UpdatedAt = now
	*r = next
	return nil
}

func (r *QuickReply) take(p *Problems, g GivenQuickReply) {
	if g.Name != nil {
		r.Name = *g.Name
		p.Text("name", &r.Name, 1, mostName)
	}
	if g.HTML != nil {
		switch r.HTML = *g.HTML; {
		case r.HTML == "":
			p.Add("html", "must contain text: nothing is left of it after HTML that is not allowed is removed")
		case utf8.RuneCountInString(r.HTML) > mostQuickReply:
			p.Add("html", "must have at most %d characters", mostQuickReply)
		}
	}
	if g.Shared != nil {
		r.Shared = *g.Shared
	}
}
