package trackertest

import (
	"context"
	"errors"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

// methods calls every method of a tracker and returns the errors by name.
func (r *room) methods(ctx context.Context, ticket string) map[string]error {
	const address = "https://desk.test/hooks/1"
	errs := map[string]error{}
	_, errs["ticket"] = r.tracker.Ticket(ctx, ticket)
	_, errs["comments"] = r.tracker.Comments(ctx, ticket, "")
	_, errs["say"] = r.tracker.Say(ctx, ticket, said("Hello"))
	again := said("Hello")
	again.Again = true
	_, errs["say again"] = r.tracker.Say(ctx, ticket, again)
	_, errs["set"] = r.tracker.SetStatus(ctx, ticket, desk.Solved)
	_, errs["place"] = r.tracker.Place(ctx)
	_, errs["watch"] = r.tracker.Watch(ctx, address)
	errs["unwatch"] = r.tracker.Unwatch(ctx, address)
	return errs
}

func check(r *room) {
	r.must(r.System.Check(r.Credential))
	c := r.Credential
	c.Token = ""
	r.kind("no token", r.System.Check(c), desk.Invalid)
	if r.System.Name() == "" {
		r.t.Error("it has no name")
	}
}

func errorNotFound(r *room) {
	r.Delete(r.ticket.ID)
	errs := r.methods(r.ctx, r.ticket.ID)
	for _, name := range []string{"ticket", "comments", "say", "say again", "set"} {
		r.kind(name, errs[name], desk.NotFound)
	}
	for _, name := range []string{"place", "watch", "unwatch"} {
		r.must(errs[name])
	}
}

func errorLost(r *room) {
	r.Revoke()
	for name, err := range r.methods(r.ctx, r.ticket.ID) {
		if !errors.Is(err, tracker.ErrLost) || desk.KindOf(err) != desk.Refused {
			r.t.Errorf("%s: got %v", name, err)
		}
	}
}

// If the context ends before the pause, nothing is done, and the error says when to
// try again.
func errorBusy(r *room) {
	r.Pause(30 * time.Minute)
	for range 2 {
		ctx, cancel := context.WithTimeout(r.ctx, 5*time.Second)
		for name, err := range r.methods(ctx, r.ticket.ID) {
			r.kind(name, err, desk.Busy)
			if e := (*desk.Error)(nil); as(err, &e) && (e.RetryAfter < time.Second || e.RetryAfter > time.Hour) {
				r.t.Errorf("%s: retry after %v", name, e.RetryAfter)
			}
		}
		cancel()
	}
	if n, _ := r.count("Hello"); n != 0 {
		r.t.Error("it was said")
	}
}

// If the context lasts longer, the call waits for the pause and is then done once.
func errorPause(r *room) {
	r.Pause(2 * time.Second)
	r.once("Hello", r.say(said("Hello")))
}

func errorUnknown(r *room) {
	for _, f := range []Fault{LoseCall, ErrorAnswer} {
		r.Misbehave(f, 1)
		_, err := r.tracker.Say(r.ctx, r.ticket.ID, said("Hello"))
		if r.Struck() && err != nil {
			r.kind("say", err, desk.Unavailable)
		}
		r.known()
	}
}

// A caller that has given up gets its answer at once.
func errorCancelled(r *room) {
	ctx, cancel := context.WithCancel(r.ctx)
	cancel()
	began := time.Now()
	for name, err := range r.methods(ctx, r.ticket.ID) {
		if err == nil {
			r.t.Errorf("%s was done", name)
		}
	}
	if took := time.Since(began); took > 10*time.Second {
		r.t.Errorf("it took %v", took)
	}
	if n, _ := r.count("Hello"); n != 0 {
		r.t.Error("it was said")
	}
}
