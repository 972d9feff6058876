package service

import (
	"context"
	"fmt"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/insights"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// QueryInsights answers a question about the requests that the caller can see. It
// gives Refused where the chat system knows nobody with the caller's email.
func (s *Service) QueryInsights(ctx context.Context, c Caller, q desk.InsightsQuery) ([]desk.InsightsRow, error) {
	if err := c.may(desk.QueryInsights); err != nil {
		return nil, err
	}
	question, err := read(ctx, s, c, func(tx *store.Tx) (question insights.Question, err error) {
		user, err := tx.UserIDByEmail(c.Actor.Email)
		if err != nil {
			return question, err
		}
		if user == nil {
			return question, desk.Errorf(desk.Refused, "The email %s belongs to no user of the chat system. Insights are for people who have a profile there.", c.Actor.Email)
		}
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
		question = insights.Question{Account: c.Account, Query: q, Fields: map[desk.CustomFieldID]desk.CustomField{}, Reach: c.reach(desk.QueryInsights), Now: tx.Now, Zone: zone}
		for _, f := range fields {
			question.Fields[f.ID] = f
		}
		return question, nil
	})
	if err != nil {
		return nil, err
	}
	return s.insights.Answer(ctx, s.store.DB(), question)
}

// InsightsMeta describes what can be asked.
func (s *Service) InsightsMeta(ctx context.Context, c Caller) (desk.InsightsMeta, error) {
	if err := c.may(desk.GetInsightsMeta); err != nil {
		return desk.InsightsMeta{}, err
	}
	return read(ctx, s, c, func(tx *store.Tx) (desk.InsightsMeta, error) {
		fields, err := tx.CustomFields(desk.EntityRequest)
		return insights.Meta(fields), err
	})
}

// rebuildPiece is how many requests are looked at in one transaction: others wait
// for it.
const rebuildPiece = 100

// RebuildInsights makes the facts that insights are answered from anew for an
// account, beside whatever else happens, and tells after each piece how many
// requests it has looked at and of how many something was wrong.
func (s *Service) RebuildInsights(ctx context.Context, account desk.AccountID, told func(looked, wrong int)) error {
	looked, wrong := 0, 0
	for last := desk.RequestID(0); ; {
		var n, mended int
		err := s.store.Write(ctx, account, func(tx *store.Tx) (err error) {
			last, n, mended, err = tx.RebuildFacts(last, rebuildPiece)
			return err
		})
		if err != nil {
			return fmt.Errorf("rebuild insights: %w", err)
		}
		if n == 0 {
			return nil
		}
		looked, wrong = looked+n, wrong+mended
		told(looked, wrong)
	}
}

// rebuildInsights does so after an upgrade.
type rebuildInsights struct{ Account desk.AccountID }

func (rebuildInsights) Kind() string { return "insights.rebuild" }

func (s *Service) rebuildInsights(ctx context.Context, _ *job.Job, r rebuildInsights) error {
	return s.RebuildInsights(ctx, r.Account, func(int, int) {})
}
