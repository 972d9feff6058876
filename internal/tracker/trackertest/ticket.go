package trackertest

import (
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

func place(r *room) {
	p, err := r.tracker.Place(r.ctx)
	r.must(err)
	if p.ID == "" || p.Name == "" || p.URL == "" || p.User == "" {
		r.t.Errorf("the place is %+v", p)
	}
	r.restart()
	if again, err := r.tracker.Place(r.ctx); err != nil || again != p {
		r.t.Errorf("then it is %+v: %v", again, err)
	}
}

// known returns the ticket as the tracker has it.
func (r *room) known() tracker.Ticket {
	r.t.Helper()
	known, err := r.tracker.Ticket(r.ctx, r.ticket.ID)
	r.must(err)
	return known
}

func ticketByName(r *room) {
	named, err := r.tracker.Ticket(r.ctx, r.ticket.Name)
	r.must(err)
	known := r.known()
	if named.ID != known.ID || named.Key != known.Key || named.URL != known.URL || named.Title != known.Title || named.Status.ID != known.Status.ID {
		r.t.Errorf("it is %+v, and %+v", named, known)
	}
	if known.ID != r.ticket.ID || known.Key == "" || known.URL == "" || known.Title != r.ticket.Title || known.UpdatedAt.IsZero() {
		r.t.Errorf("it is %+v, and should be %+v", known, r.ticket)
	}
	if known.Status.ID != r.Status(r.ticket.ID) || known.Status.Name == "" || len(known.Status.Means) == 0 {
		r.t.Errorf("its status is %+v", known.Status)
	}
	other := r.Open("Another")
	if got, err := r.tracker.Ticket(r.ctx, other.Name); err != nil || got.ID != other.ID || got.ID == known.ID {
		r.t.Errorf("another is %+v: %v", got, err)
	}
}

func ticketNotFound(r *room) {
	for _, name := range append(r.Missing, "", " ", "../1", "1/2", "?", "\x00") {
		_, err := r.tracker.Ticket(r.ctx, name)
		r.kind("ticket "+name, err, desk.NotFound)
	}
}

func statusRead(r *room) {
	for _, s := range r.States {
		r.Move(r.ticket.ID, s)
		got := r.known()
		if got.Status.ID != r.Status(r.ticket.ID) || !slices.Contains(got.Status.Means, s) {
			r.t.Errorf("%s is %+v", s, got.Status)
		}
	}
}

// everyState lists all states of a request, in an order in which each is a change.
// Closed is last, because a closed ticket may be closed for good.
var everyState = []desk.State{desk.InProgress, desk.Open, desk.Pending, desk.Solved, desk.OnHold, desk.Solved, desk.Open, desk.Closed}

func statusSet(r *room) {
	for _, s := range everyState {
		before := r.Status(r.ticket.ID)
		got, err := r.tracker.SetStatus(r.ctx, r.ticket.ID, s)
		r.must(err)
		if len(got.Means) == 0 || got.ID != r.Status(r.ticket.ID) {
			r.t.Errorf("to %s: it says %+v, and is %s", s, got, r.Status(r.ticket.ID))
		}
		has := slices.Contains(r.States, s)
		if has && !slices.Contains(got.Means, s) {
			r.t.Errorf("to %s: it is %+v", s, got)
		}
		if !has && !slices.Contains(got.Means, s) && got.ID != before {
			r.t.Errorf("to %s, which there is not: it went from %s to %+v", s, before, got)
		}
		if known, err := r.tracker.Ticket(r.ctx, r.ticket.ID); err != nil || known.Status.ID != got.ID {
			r.t.Errorf("to %s: then it is %+v: %v", s, known.Status, err)
		}
	}
}

// A status that means the state stays, even if SetStatus would choose another one.
func statusLeftAlone(r *room) {
	for _, s := range r.States {
		r.Move(r.ticket.ID, s)
		before := r.Status(r.ticket.ID)
		known := r.known()
		for _, m := range known.Status.Means {
			got, err := r.tracker.SetStatus(r.ctx, r.ticket.ID, m)
			r.must(err)
			if got.ID != before || r.Status(r.ticket.ID) != before {
				r.t.Errorf("%s was %s, and %s made it %s", s, before, m, got.ID)
			}
		}
		if after, err := r.tracker.Ticket(r.ctx, r.ticket.ID); err != nil || !after.UpdatedAt.Equal(known.UpdatedAt) {
			r.t.Errorf("%s: it was changed at %v, and then at %v: %v", s, known.UpdatedAt, after.UpdatedAt, err)
		}
	}
}

// steps is more than the number of calls that any method makes.
const steps = 8

func statusAtEachStep(r *room) {
	for _, f := range []Fault{LoseAnswer, LoseCall, ErrorAnswer} {
		for n := 1; n <= steps; n++ {
			to := []desk.State{desk.Open, desk.Solved}[n%2]
			r.Misbehave(f, n)
			_, err := r.tracker.SetStatus(r.ctx, r.ticket.ID, to)
			if err != nil {
				r.kind("set", err, desk.Unavailable)
				_, err = r.tracker.SetStatus(r.ctx, r.ticket.ID, to)
				r.must(err)
			}
			struck := r.Struck()
			got := r.known()
			if !slices.Contains(got.Status.Means, to) {
				r.t.Errorf("to %s, with call %d gone wrong: it is %+v", to, n, got.Status)
			}
			if !struck {
				break
			}
		}
	}
}
