package service

import (
	"context"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/insights"
	"frontdesk/internal/report"
	"frontdesk/internal/saved"
	"frontdesk/internal/store"
)

// Explorations returns the shared explorations and the caller's own, in order.
func (s *Service) Explorations(ctx context.Context, c Caller) ([]report.Exploration, error) {
	return look(ctx, s, c, desk.ListExplorations, func(tx *store.Tx) ([]report.Exploration, error) { return saved.Explorations(tx, c.Actor.ID) })
}

// CreateExploration adds an exploration, for the caller or for everyone. It returns
// Invalid if its query cannot be asked, or if there are too many.
func (s *Service) CreateExploration(ctx context.Context, c Caller, g report.GivenExploration) (report.Exploration, error) {
	return write(ctx, s, c, desk.CreateExploration, func(tx *store.Tx) (e report.Exploration, err error) {
		if err := report.MayKeep(c.Actor.ID, c.Role, c.Actor.ID, false, g.Shared != nil && *g.Shared); err != nil {
			return e, err
		}
		last, err := lastExploration(tx, c)
		if err != nil {
			return e, err
		}
		return addExploration(tx, c, g, last)
	})
}

// lastExploration returns the position of the last exploration that the caller sees.
func lastExploration(tx *store.Tx, c Caller) (int64, error) {
	seen, err := saved.Explorations(tx, c.Actor.ID)
	if err != nil || len(seen) == 0 {
		return 0, err
	}
	return seen[len(seen)-1].Position, nil
}

// addExploration adds an exploration after the last position.
func addExploration(tx *store.Tx, c Caller, g report.GivenExploration, last int64) (e report.Exploration, err error) {
	if e, err = g.Exploration(c.Actor.ID, last, tx.Now); err != nil {
		return e, err
	}
	if err := checkQuery(tx, e.Query); err != nil {
		return e, err
	}
	return added(tx, c, "exploration.created", e, func(n *report.Exploration) error { return saved.AddExploration(tx, n) })
}

// UpdateExploration changes an exploration of the caller. Admins can also change
// shared ones.
func (s *Service) UpdateExploration(ctx context.Context, c Caller, id report.ExplorationID, g report.GivenExploration) (report.Exploration, error) {
	return update(ctx, s, c, desk.UpdateExploration, "exploration.updated", id, c.ownExploration, func(tx *store.Tx, before report.Exploration, e *report.Exploration) error {
		if err := report.MayKeep(c.Actor.ID, c.Role, e.Member, e.Shared, g.Shared != nil && *g.Shared); err != nil {
			return err
		}
		if err := e.Apply(g, tx.Now); err != nil {
			return err
		}
		if g.Query != nil {
			if err := checkQuery(tx, e.Query); err != nil {
				return err
			}
		}
		if before.Shared != e.Shared {
			if err := tx.CheckRoom(*e); err != nil {
				return err
			}
		}
		return saved.SaveExploration(tx, *e)
	})
}

// DeleteExploration removes an exploration of the caller. Admins can also remove shared
// ones.
func (s *Service) DeleteExploration(ctx context.Context, c Caller, id report.ExplorationID) (None, error) {
	return remove(ctx, s, c, desk.DeleteExploration, "exploration.deleted", id, c.ownExploration, saved.RemoveExploration)
}

// RestoreExploration takes the removal of an exploration back, if it was not long ago.
func (s *Service) RestoreExploration(ctx context.Context, c Caller, id report.ExplorationID) (report.Exploration, error) {
	return restore(ctx, s, c, desk.RestoreExploration, "exploration.restored", id, c.removedExploration, saved.RestoreExploration)
}

// ownExploration finds a exploration that the caller may change.
func (c Caller) ownExploration(tx *store.Tx, id report.ExplorationID) (report.Exploration, error) {
	return c.ifOwnExploration(saved.Exploration(tx, id, c.Actor.ID))
}

// removedExploration finds one that was removed.
func (c Caller) removedExploration(tx *store.Tx, id report.ExplorationID) (report.Exploration, error) {
	return c.ifOwnExploration(saved.RemovedExploration(tx, id, c.Actor.ID))
}

func (c Caller) ifOwnExploration(e report.Exploration, err error) (report.Exploration, error) {
	if err == nil {
		err = report.MayKeep(c.Actor.ID, c.Role, e.Member, e.Shared, e.Shared)
	}
	return e, err
}

// checkQuery returns Invalid if a query cannot be asked in the account.
func checkQuery(tx *store.Tx, q desk.InsightsQuery) error {
	question, err := questionOf(tx, q)
	if err != nil {
		return err
	}
	return insights.Check(question)
}

// questionOf returns the question that a query is in the account, now. Whose requests
// count is not said yet.
func questionOf(tx *store.Tx, q desk.InsightsQuery) (question insights.Question, err error) {
	a, err := tx.ThisAccount()
	if err != nil {
		return question, err
	}
	zone, err := time.LoadLocation(a.TimeZone)
	if err != nil {
		return question, err
	}
	fields, err := tx.CustomFields(desk.EntityRequest)
	if err != nil {
		return question, err
	}
	question = insights.Question{Account: tx.Account, Query: q, Fields: map[desk.CustomFieldID]desk.CustomField{}, Now: tx.Now, Zone: zone}
	for _, f := range fields {
		question.Fields[f.ID] = f
	}
	return question, nil
}
