package store

import (
	"errors"
	"fmt"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// surveyColumns are the columns of a survey except the request that shows it.
const surveyColumns = "id, asked_id, type, has_comment, triggered_at, answered_at, changed_at, value, comment, answered_by, channel"

func scanSurvey(scan scanner) (s desk.Survey, err error) {
	err = scan(&s.ID, &s.Asked, &s.Type, &s.HasComment, inMS(&s.TriggeredAt), inMSOrNil(&s.AnsweredAt), inMSOrNil(&s.ChangedAt), orZero(&s.Value),
		&s.Comment, &s.AnsweredBy, orZero(&s.Channel))
	return s, err
}

// scanWholeSurvey reads request_id, then surveyColumns.
func scanWholeSurvey(scan scanner) (desk.Survey, error) {
	var shows desk.RequestID
	s, err := scanSurvey(func(dest ...any) error { return scan(append([]any{&shows}, dest...)...) })
	s.Request = shows
	return s, err
}

// AddSurvey inserts a new survey and sets its id. nonce is a part of the link to
// its page.
func (tx *Tx) AddSurvey(s *desk.Survey, nonce string) error {
	err := tx.Row(`INSERT INTO surveys (account_id, request_id, asked_id, type, has_comment, nonce, triggered_at, comment, answered_by)
		SELECT $1, id, id, $3, $4, $5, $6, '', '' FROM requests WHERE account_id = $1 AND id = $2
		RETURNING id`, tx.Account, s.Request, s.Type, s.HasComment, nonce, ms(s.TriggeredAt)).Scan(&s.ID)
	if err != nil {
		return fmt.Errorf("add survey: %w", Missing(err, "Request"))
	}
	tx.touch(s.Request)
	return nil
}

// Survey returns one survey, with the nonce of its link.
func (tx *Tx) Survey(id desk.SurveyID) (s desk.Survey, nonce string, err error) {
	s, err = scanWholeSurvey(func(dest ...any) error {
		return tx.Row("SELECT nonce, request_id, "+surveyColumns+" FROM surveys WHERE account_id = $1 AND id = $2", tx.Account, id).
			Scan(append([]any{&nonce}, dest...)...)
	})
	return s, nonce, Missing(err, "Survey")
}

// SurveyAskedOf returns the survey that a request's requester was asked to answer,
// whichever request shows it now; ok is false if there is none.
func (tx *Tx) SurveyAskedOf(id desk.RequestID) (s desk.Survey, nonce string, ok bool, err error) {
	s, err = scanWholeSurvey(func(dest ...any) error {
		return tx.Row("SELECT nonce, request_id, "+surveyColumns+" FROM surveys WHERE account_id = $1 AND asked_id = $2", tx.Account, id).
			Scan(append([]any{&nonce}, dest...)...)
	})
	if errors.Is(err, sqldb.ErrNoRows) {
		return s, "", false, nil
	}
	return s, nonce, err == nil, err
}

// SaveSurvey saves the answer of a survey.
func (tx *Tx) SaveSurvey(s desk.Survey) error {
	tx.touch(s.Request)
	return tx.Do(`UPDATE surveys SET answered_at = $1, changed_at = $2, value = $3, comment = $4, answered_by = $5, channel = $6
		WHERE account_id = $7 AND id = $8`,
		OptionalMS(s.AnsweredAt), OptionalMS(s.ChangedAt), unlessZero(s.Value), s.Comment, s.AnsweredBy, unlessZero(s.Channel), tx.Account, s.ID)
}

// RenewSurvey queues a refresh of what the chat system shows of a survey, and
// reports whether it shows anything.
func (tx *Tx) RenewSurvey(s desk.Survey) (bool, error) {
	n, err := tx.Exec("UPDATE posts SET wanted = wanted + 1 WHERE account_id = $1 AND request_id = $2 AND kind = 'survey'", tx.Account, s.Asked)
	return n > 0, err
}
