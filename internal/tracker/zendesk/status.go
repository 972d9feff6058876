package zendesk

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/remote"
	"frontdesk/internal/tracker"
)

// statuses are Zendesk's status categories. An account may define its own statuses,
// and Zendesk tells the category of each.
var statuses = map[string]tracker.Status{
	"new":     {ID: "new", Name: "New", Means: []desk.State{desk.Open, desk.InProgress}},
	"open":    {ID: "open", Name: "Open", Means: []desk.State{desk.Open, desk.InProgress}},
	"pending": {ID: "pending", Name: "Pending", Means: []desk.State{desk.Pending}},
	"hold":    {ID: "hold", Name: "On-hold", Means: []desk.State{desk.OnHold}},
	"solved":  {ID: "solved", Name: "Solved", Means: []desk.State{desk.Solved, desk.Closed}},
	"closed":  {ID: "closed", Name: "Closed", Means: []desk.State{desk.Solved, desk.Closed}},
}

// meaning maps a state to the status that we set. We never close a ticket. A closed
// ticket takes no more comments, and Zendesk closes it in its own time.
var meaning = map[desk.State]string{
	desk.Open: "open", desk.InProgress: "open", desk.Pending: "pending", desk.OnHold: "hold", desk.Solved: "solved", desk.Closed: "solved",
}

// statusOf returns a status by its id. An unknown status counts as in progress.
func statusOf(id string) tracker.Status {
	s, known := statuses[id]
	if !known {
		s = tracker.Status{ID: id, Name: id, Means: []desk.State{desk.Open}}
	}
	s.Means = slices.Clone(s.Means)
	return s
}

// SetStatus sets a status. If the account has no status for on hold, the ticket
// becomes open.
func (p *place) SetStatus(ctx context.Context, ticket string, state desk.State) (tracker.Status, error) {
	id, err := numbered(ticket)
	if err != nil {
		return tracker.Status{}, err
	}
	wanted, known := meaning[state]
	if !known {
		return tracker.Status{}, desk.Errorf(desk.Invalid, "There is no state %q.", state)
	}
	t, err := p.ticket(ctx, id)
	if err != nil {
		return tracker.Status{}, err
	}
	now := statusOf(t.Status)
	if slices.Contains(now.Means, state) {
		return now, nil
	}
	set, err := p.setStatus(ctx, id, wanted)
	if wanted == "hold" && noHold(err) {
		if slices.Contains(now.Means, desk.Open) {
			return now, nil
		}
		return p.setStatus(ctx, id, "open")
	}
	return set, err
}

// setStatus gives a ticket a status and returns the status that it has afterwards,
// because a rule of the account may have changed it again.
func (p *place) setStatus(ctx context.Context, id, status string) (tracker.Status, error) {
	var got answered
	err := p.call(ctx, request{method: http.MethodPut, path: "tickets/" + id, body: map[string]any{
		"ticket": map[string]any{"status": status},
	}}, &got)
	if err != nil {
		return tracker.Status{}, err
	}
	return statusOf(got.Ticket.Status), nil
}

// noHold reports whether a call was refused because the account does not have the
// status on-hold. Zendesk then complains about the status and nothing else.
func noHold(err error) bool {
	r := (*remote.Refusal)(nil)
	return refused(err, http.StatusUnprocessableEntity) && errors.As(err, &r) &&
		!slices.ContainsFunc(r.Fields, func(field string) bool { return field != "status" && field != "base" })
}
