package chattest

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"frontdesk/internal/chat"
)

func presence(r *room) {
	if _, ok := r.Connector.(chat.Presence); ok != r.Can.Presence {
		r.t.Fatalf("whether the connector is a Presence: %v, want %v", ok, r.Can.Presence)
	}
	if !r.Can.Presence {
		return
	}
	now := time.Now()
	everybody := []string{r.owner.ID, r.agent.ID, r.customer.ID}
	r.absent("at first", everybody)

	r.must(r.agent.Leave(true))
	r.must(r.customer.Rest(now.Add(-time.Hour), now.Add(time.Hour)))
	r.must(r.owner.Rest(now.Add(time.Hour), now.Add(2*time.Hour)))
	r.absent("one away, one at rest, one later", everybody, r.agent.ID, r.customer.ID)
	r.absent("of one", []string{r.customer.ID}, r.customer.ID)
	r.absent("of another", []string{r.owner.ID})
	r.absent("twice", []string{r.agent.ID, r.owner.ID, r.agent.ID}, r.agent.ID)
	r.absent("with some that are nobody", []string{"U0NOSUCH", "", r.agent.ID}, r.agent.ID)
	before := r.Calls()
	r.absent("of nobody", nil)
	if r.Calls() > before+1 {
		r.t.Errorf("to ask of nobody took %d calls", r.Calls()-before)
	}

	r.must(r.customer.Leave(true))
	r.absent("away and at rest", everybody, r.agent.ID, r.customer.ID)
	r.must(r.customer.Leave(false))
	r.must(r.agent.Leave(false))
	r.must(r.customer.Rest(now.Add(-2*time.Hour), now.Add(-time.Hour)))
	r.absent("afterwards", everybody)
}

// absent fails the test if not exactly these of the users are absent. It uses a
// fresh connector, so that pacing does not slow the suite down.
func (r *room) absent(what string, users []string, want ...string) {
	r.t.Helper()
	got, err := r.Restart().(chat.Presence).Absent(r.ctx, users)
	r.must(err)
	maps.DeleteFunc(got, func(_ string, is bool) bool { return !is })
	if !same(slices.Collect(maps.Keys(got)), want...) {
		r.t.Errorf("absent %s: got %s, want %s", what, fmt.Sprint(got), want)
	}
}
