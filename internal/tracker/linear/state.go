package linear

import (
	"context"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

// state is a state of a team's workflow. Teams choose the names. The type is the
// meaning.
type state struct {
	ID, Name, Type string
	Position       float64
}

// means maps a type of workflow state to the request states that match it.
var means = map[string][]desk.State{
	"triage":    {desk.Open},
	"backlog":   {desk.Open},
	"unstarted": {desk.Open},
	"started":   {desk.InProgress, desk.Pending, desk.OnHold},
	"completed": {desk.Solved, desk.Closed},
	"canceled":  {desk.Solved, desk.Closed},
	"duplicate": {desk.Solved, desk.Closed}, // canceled in favour of another
}

// types maps a request state to types of workflow states, best first. A reopened
// issue is to be done, and is not triaged again.
var types = map[desk.State][]string{
	desk.Open:       {"unstarted", "backlog", "triage"},
	desk.InProgress: {"started"},
	desk.Pending:    {"started"},
	desk.OnHold:     {"started"},
	desk.Solved:     {"completed", "canceled"},
	desk.Closed:     {"completed", "canceled"},
}

func (s state) status() tracker.Status {
	m := means[s.Type]
	if m == nil { // an unknown type
		m = []desk.State{desk.Open}
	}
	return tracker.Status{ID: s.ID, Name: s.Name, Means: slices.Clone(m)}
}

// choose returns the workflow state for a request state.
func choose(all []state, wanted desk.State) (state, bool) {
	for _, kind := range types[wanted] {
		best, found := state{}, false
		for _, s := range all {
			if s.Type == kind && (!found || s.Position < best.Position) {
				best, found = s, true
			}
		}
		if found {
			return best, true
		}
	}
	return state{}, false
}

const (
	workflowQuery = `query Workflow($id: String!) {
  issue(id: $id) { id state { id name type } team { states(first: 250) { nodes { id name type position } } } }
}`
	moveMutation = `mutation Move($id: String!, $input: IssueUpdateInput!) {
  issueUpdate(id: $id, input: $input) { success issue { state { id name type } } }
}`
)

// SetStatus moves an issue to the first state of its team's workflow that means
// wanted, unless it already is in one.
func (w *workspace) SetStatus(ctx context.Context, ticket string, wanted desk.State) (tracker.Status, error) {
	var told struct {
		Issue struct {
			ID    string
			State state
			Team  struct{ States struct{ Nodes []state } }
		}
	}
	if err := w.call(ctx, "Workflow", workflowQuery, object{"id": ticket}, &told); err != nil {
		return tracker.Status{}, err
	}
	now := told.Issue.State.status()
	to, found := choose(told.Issue.Team.States.Nodes, wanted)
	if slices.Contains(now.Means, wanted) || !found {
		return now, nil
	}
	var moved struct {
		IssueUpdate struct {
			Success bool
			Issue   struct{ State state }
		}
	}
	if err := w.call(ctx, "Move", moveMutation, object{"id": told.Issue.ID, "input": object{"stateId": to.ID}}, &moved); err != nil {
		return tracker.Status{}, err
	}
	if !moved.IssueUpdate.Success {
		return tracker.Status{}, desk.Errorf(desk.Refused, "Linear did not move the issue to %s.", to.Name)
	}
	return moved.IssueUpdate.Issue.State.status(), nil
}
