package service

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/help"
	"frontdesk/internal/store"
	"frontdesk/internal/suggest"
)

// Help from a language model. Each operation reads what the model may be told in one
// transaction, asks after it has ended, and returns a draft. Nothing is stored, sent or
// recorded.

// errNoModel refuses help where there is no model.
var errNoModel = desk.Errorf(desk.Refused, "This server has no language model. Whoever runs it can configure one: see FRONTDESK_AI_URL in the operating guide.")

// mostAsking is how many questions of one account are answered at once, so that no
// account keeps the model from the others.
const mostAsking = 8

// askers counts the questions under way, for each account.
type askers struct {
	mu    sync.Mutex
	count map[desk.AccountID]int
}

// enter returns false if too many questions are under way.
func (a *askers) enter(account desk.AccountID) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.count[account] >= mostAsking {
		return false
	}
	if a.count == nil {
		a.count = map[desk.AccountID]int{}
	}
	a.count[account]++
	return true
}

func (a *askers) leave(account desk.AccountID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.count[account]--; a.count[account] == 0 {
		delete(a.count, account)
	}
}

// Summary returns a summary of what was said in a request. Internal notes are read for
// it, too. It returns NotFound if the caller cannot see the request, and Refused
// without a model or without anything to read.
func (s *Service) Summary(ctx context.Context, c Caller, id desk.RequestID, g help.GivenSummary) (help.Summary, error) {
	const op = desk.SummariseRequest
	q, err := read(ctx, s, c, op, func(tx *store.Tx) (question, error) {
		r, err := s.helped(tx, c, op, id)
		if err != nil {
			return question{}, err
		}
		if len(r.Messages) == 0 {
			return question{}, desk.Errorf(desk.Refused, "Nothing has been written in this request yet, so there is nothing to summarise.")
		}
		notes := slices.ContainsFunc(r.Messages, func(m desk.Message) bool { return m.Private })
		return question{Question: help.SummaryQuestion(r.Messages, g.Language), notes: notes}, g.Check()
	})
	if err != nil {
		return help.Summary{}, err
	}
	return answered(ctx, s, c, op, q, func(answer map[string]json.RawMessage, at time.Time) (help.Summary, error) {
		return q.ReadSummary(answer, q.notes, at)
	})
}

// DraftReply returns a draft of the next reply to the customer of a request. It is made
// from what the customer can read, and from quick replies and solved requests that the
// caller can read. Its errors are those of Summary.
func (s *Service) DraftReply(ctx context.Context, c Caller, id desk.RequestID) (help.Draft, error) {
	const op = desk.DraftReply
	q, err := read(ctx, s, c, op, func(tx *store.Tx) (question, error) {
		r, err := s.helped(tx, c, op, id)
		if err != nil {
			return question{}, err
		}
		switch {
		case r.Closed():
			return question{}, desk.ErrClosed
		case len(help.Public(r.Messages)) == 0:
			return question{}, desk.Errorf(desk.Refused, "There is nothing to reply to: the customer can read no message of this request.")
		}
		given, err := draftMaterial(tx, c, r)
		return question{Question: help.DraftQuestion(r.Messages, given), given: given}, err
	})
	if err != nil {
		return help.Draft{}, err
	}
	return answered(ctx, s, c, op, q, func(answer map[string]json.RawMessage, at time.Time) (help.Draft, error) {
		return q.ReadDraft(answer, q.given, at)
	})
}

// TranslateMessage returns a message in another language. It returns NotFound if the
// caller cannot see it, and Refused without a model, or if it is too long.
func (s *Service) TranslateMessage(ctx context.Context, c Caller, id desk.MessageID, g help.GivenTranslation) (help.Translation, error) {
	const op = desk.TranslateMessage
	var original string
	q, err := read(ctx, s, c, op, func(tx *store.Tx) (question, error) {
		m, _, err := mailMessage(tx, c.reach(op), id)
		switch {
		case err != nil:
			return question{}, err
		case s.model == nil:
			return question{}, errNoModel
		case m.Text == "":
			return question{}, desk.Errorf(desk.Refused, "This message has no text to translate.")
		case len([]rune(m.HTML)) > help.MostTranslated:
			return question{}, desk.Errorf(desk.Refused, "This message is too long to be translated: at most %d characters can be. Copy a part of it, and translate that.", help.MostTranslated)
		}
		if err := g.Check(); err != nil {
			return question{}, err
		}
		original = m.HTML
		return question{Question: help.TranslationQuestion(original, g.Language, nil)}, nil
	})
	if err != nil {
		return help.Translation{}, err
	}
	return answered(ctx, s, c, op, q, func(answer map[string]json.RawMessage, at time.Time) (help.Translation, error) {
		return q.ReadTranslation(answer, original, at)
	})
}

// TranslateText returns a text that the caller writes to the customer of a request in
// the language that the customer writes, or in another one. Its errors are those of
// Summary.
func (s *Service) TranslateText(ctx context.Context, c Caller, id desk.RequestID, g help.GivenText) (help.Translation, error) {
	const op = desk.TranslateText
	if g.HTML != nil {
		html := change.FormatHTML(*g.HTML)
		g.HTML = &html
	}
	q, err := read(ctx, s, c, op, func(tx *store.Tx) (question, error) {
		r, err := s.helped(tx, c, op, id)
		switch {
		case err != nil:
			return question{}, err
		case g.Language == nil && !help.Speaks(r.Messages):
			return question{}, desk.Errorf(desk.Refused, "The customer has written nothing yet, so their language is not known. Choose a language.")
		}
		if err := g.Check(); err != nil {
			return question{}, err
		}
		return question{Question: help.TranslationQuestion(*g.HTML, g.Language, r.Messages)}, nil
	})
	if err != nil {
		return help.Translation{}, err
	}
	return answered(ctx, s, c, op, q, func(answer map[string]json.RawMessage, at time.Time) (help.Translation, error) {
		return q.ReadTranslation(answer, *g.HTML, at)
	})
}

// question is what a model is asked, and what its answer is read with.
type question struct {
	help.Question
	notes bool
	given []help.Material
}

// helped returns the request that the caller wants help with, with its messages.
func (s *Service) helped(tx *store.Tx, c Caller, op desk.Operation, id desk.RequestID) (desk.Request, error) {
	r, err := rowWith(tx, c, id, c.reach(op), RequestParts{Messages: true})
	if err == nil && s.model == nil {
		err = errNoModel
	}
	return r, err
}

// answered asks the model and reads its answer.
func answered[R any](ctx context.Context, s *Service, c Caller, op desk.Operation, q question, readAnswer func(map[string]json.RawMessage, time.Time) (R, error)) (r R, err error) {
	if !s.asking.enter(c.Account) {
		return r, &desk.Error{Kind: desk.Busy, RetryAfter: 5 * time.Second, Message: "The language model is busy with other questions of your team. Try again in a few seconds."}
	}
	defer s.asking.leave(c.Account)
	answer, err := s.model.Ask(ctx, suggest.Prompt{Account: c.Account, Instructions: q.Instructions, Matter: q.Matter, Answer: q.Answer})
	if err != nil {
		return r, during(op, s.noAnswer(err))
	}
	if r, err = readAnswer(answer, s.store.Now()); err != nil {
		return r, s.noAnswer(err)
	}
	return r, nil
}

// noAnswer says to people why there is no answer, and what to do about it.
func (s *Service) noAnswer(err error) error {
	switch {
	case errors.Is(err, suggest.ErrOverBudget):
		now := s.store.Now().UTC()
		tomorrow := now.Truncate(24 * time.Hour).Add(24 * time.Hour)
		return &desk.Error{Kind: desk.Busy, RetryAfter: tomorrow.Sub(now), Err: err,
			Message: "Too little is left of what your team may ask the language model today. There will be more at midnight (UTC); whoever runs the server can raise FRONTDESK_AI_BUDGET."}
	case errors.Is(err, suggest.ErrCancelled):
		return &desk.Error{Kind: desk.Refused, Message: "The call was cancelled.", Err: err} // nobody reads this
	}
	why := "The language model could not be asked. Try again, and tell whoever runs the server if that does not help."
	switch {
	case errors.Is(err, suggest.ErrSlow):
		why = "The language model took too long. Try again."
	case errors.Is(err, suggest.ErrUnusable), errors.Is(err, help.ErrUnusable):
		why = "The language model’s answer could not be used. Try again."
	}
	return &desk.Error{Kind: desk.Unavailable, Message: why, RetryAfter: 2 * time.Second, Err: err}
}
