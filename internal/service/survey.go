package service

import (
	"context"
	"encoding/binary"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// SendSurvey sends a survey for a request that the caller may see. It returns
// Refused if there already is one, or if the collection has surveys off.
func (s *Service) SendSurvey(ctx context.Context, c Caller, id desk.RequestID) (desk.ShownSurvey, error) {
	return write(ctx, s, c, desk.SendSurvey, func(tx *store.Tx) (shown desk.ShownSurvey, err error) {
		r, err := tx.Request(id, c.reach(desk.SendSurvey))
		if err != nil {
			return shown, err
		}
		col, err := change.CollectionOf(tx, r)
		if err != nil {
			return shown, err
		}
		if err := r.Surveyable(col.Surveys); err != nil {
			return shown, err
		}
		survey, nonce, err := change.AskSurvey(tx, c.Actor, col.Surveys, r)
		return desk.ShownSurvey{Survey: survey, URL: s.change.SurveyURL(tx.Account, survey.ID, nonce)}, err
	})
}

// errNoSurvey is the answer for everything that is not a link to a survey. It does
// not say why.
var errNoSurvey = desk.Errorf(desk.NotFound, "This link is not valid. It may have been cut off on its way to you.")

// surveyLink reads a link that change.Setup.SurveyURL made. It returns NotFound for
// anything else.
func (s *Service) surveyLink(token string) (account desk.AccountID, id desk.SurveyID, nonce string, err error) {
	body, ok := change.OpenLink(s.change.Links, token)
	if !ok {
		return 0, 0, "", errNoSurvey
	}
	a, n := binary.Uvarint(body)
	i, m := binary.Uvarint(body[max(n, 0):])
	if n <= 0 || m <= 0 {
		return 0, 0, "", errNoSurvey
	}
	return desk.AccountID(a), desk.SurveyID(i), string(body[n+m:]), nil
}

// SurveyPage returns what somebody with the link to a survey sees. It returns
// NotFound if the link is not valid.
func (s *Service) SurveyPage(ctx context.Context, token string) (page desk.SurveyPage, err error) {
	account, id, nonce, err := s.surveyLink(token)
	if err != nil {
		return page, err
	}
	return transact(ctx, account, s.store.Read, func(tx *store.Tx) (desk.SurveyPage, error) {
		page, _, err := surveyPage(tx, id, nonce)
		return page, err
	})
}

func surveyPage(tx *store.Tx, id desk.SurveyID, nonce string) (page desk.SurveyPage, r desk.Request, err error) {
	survey, its, err := tx.Survey(id)
	if desk.KindOf(err) == desk.NotFound || err == nil && its != nonce {
		return page, r, errNoSurvey
	}
	if err != nil {
		return page, r, err
	}
	r, err = tx.Request(survey.Asked, desk.Everything)
	return desk.SurveyPage{Survey: survey, Title: r.Title, Open: survey.Open(tx.Now)}, r, err
}

// AnswerSurvey saves the answer of somebody with the link to a survey. It returns
// NotFound if the link is not valid, Refused if it is too late, and Invalid if
// something is wrong with the answer.
func (s *Service) AnswerSurvey(ctx context.Context, token string, a desk.SurveyAnswer) error {
	account, id, nonce, err := s.surveyLink(token)
	if err != nil {
		return err
	}
	a.Channel = desk.AnsweredOnPage
	return s.store.Write(ctx, account, func(tx *store.Tx) error {
		page, r, err := surveyPage(tx, id, nonce)
		if err != nil {
			return err
		}
		return change.AnswerSurvey(tx, desk.Actor{Name: change.RequesterName(r.Author), Email: r.Author.Email, Source: desk.SourcePage}, &page.Survey, a)
	})
}
