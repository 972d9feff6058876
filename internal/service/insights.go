package service

import (
	"context"

	"frontdesk/internal/desk"
	"frontdesk/internal/insights"
	"frontdesk/internal/store"
)

// QueryInsights answers a question about the requests that the caller can see. It
// returns Refused if the chat system has no user with the caller's email.
func (s *Service) QueryInsights(ctx context.Context, c Caller, q desk.InsightsQuery) ([]desk.InsightsRow, error) {
	question, err := read(ctx, s, c, desk.QueryInsights, func(tx *store.Tx) (question insights.Question, err error) {
		user, err := tx.UserIDByEmail(c.Actor.Email)
		if err != nil {
			return question, err
		}
		if user == nil {
			return question, errNoProfile(c)
		}
		question, err = questionOf(tx, q)
		question.Reach = c.reach(desk.QueryInsights)
		return question, err
	})
	if err != nil {
		return nil, err
	}
	return s.insights.Answer(reading(ctx, desk.QueryInsights), s.store.DB(), question)
}

// InsightsMeta describes what can be asked.
func (s *Service) InsightsMeta(ctx context.Context, c Caller) (desk.InsightsMeta, error) {
	return read(ctx, s, c, desk.GetInsightsMeta, func(tx *store.Tx) (desk.InsightsMeta, error) {
		fields, err := tx.CustomFields(desk.EntityRequest)
		return insights.Meta(fields), err
	})
}

// Insights returns what answers questions, for reports.
func (s *Service) Insights() insights.Engine { return s.insights }

// InsightsAnswered counts the questions that were answered from columns in memory and
// by SQL, for metrics.
func (s *Service) InsightsAnswered() (columns, sql uint64) { return s.insights.Answered() }
