package service

import (
	"testing"

	"frontdesk/internal/desk"
)

// A member's own quick replies are limited, and so are the shared ones.
func TestQuickRepliesMost(t *testing.T) {
	c := newCompany(t)
	for _, shared := range []bool{false, true} {
		g := desk.GivenQuickReply{Name: ptr("x"), HTML: ptr("x"), Shared: &shared}
		for range desk.MostQuickReplies {
			_, err := c.CreateQuickReply(ctx, c.caller(), g)
			must(t, err)
		}
		if _, err := c.CreateQuickReply(ctx, c.caller(), g); desk.KindOf(err) != desk.Invalid {
			t.Errorf("one more, shared %v: %v", shared, err)
		}
	}
}
