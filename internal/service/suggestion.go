package service

import (
	"cmp"
	"context"
	"slices"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
	"frontdesk/internal/suggest"
)

// What is suggested of a request follows what is said in it. What rules can say
// is said in the transaction that changes it, and costs next to nothing. A model
// is asked by a job, outside of any transaction: a run that answers after a later
// one is passed over, and a message that comes in the meantime has a run of its own.

const (
	// suggestSettle is how long a run waits, so that a burst of messages is one.
	suggestSettle = 5 * time.Second
	// suggestWorkers is how many questions are asked at once. Nothing else waits
	// for them: a model may take its time.
	suggestWorkers = 4
)

// suggestRequest computes what is suggested of a request anew.
type suggestRequest struct {
	Account desk.AccountID
	Request desk.RequestID
}

func (suggestRequest) Kind() string  { return "request.suggest" }
func (suggestRequest) Queue() string { return queueSuggestions }

// consider has what is suggested of a request follow what is said in it; said are
// its public messages, where they are at hand.
func (s *Service) consider(tx *store.Tx, r *desk.Request, said ...desk.Message) error {
	switch {
	case r.State == nil:
		return nil
	case s.asksModel():
		return job.Add(tx.Tx, suggestRequest{tx.Account, r.ID}, tx.Now, job.At(tx.Now.Add(suggestSettle)), job.Key(tellKey(tx.Account, r.ID)))
	}
	account, err := tx.ThisAccount()
	if err != nil {
		return err
	}
	if len(said) == 0 {
		if said, err = tx.Discussion(r.ID); err != nil || len(said) == 0 {
			return err
		}
	}
	r.AI, err = tx.SaveSuggested(r.ID, r.AI, byRules(tx, account, r.AI, said))
	return err
}

// byRules is what rules say where this was said.
func byRules(tx *store.Tx, account desk.Account, before desk.AIFields, said []desk.Message) desk.AIFields {
	about := suggest.Discussion{Account: tx.Account, Messages: discussed(said), Categories: account.Categories}
	next := fieldsOf(suggest.Rules{}.Suggest(tx.Context(), about), tx.Now)
	if !slices.ContainsFunc(said, func(m desk.Message) bool { return !m.Responder }) {
		next.Sentiment = before.Sentiment // the requester has said nothing
	}
	return next
}

// reconsider is consider after a public message has come, changed or gone. What
// becomes a request by it is considered when it is kept, and to the rules it makes
// no difference what responders answer.
func (s *Service) reconsider(tx *store.Tx, before desk.Request, r *desk.Request, m desk.Message) error {
	answers := m.Responder && m.CreatedAt.After(r.CreatedAt) && r.AI.Category != nil
	if m.Private || before.State == nil || answers && !s.asksModel() {
		return nil
	}
	return s.consider(tx, r)
}

// asksModel reports whether a model is configured.
func (s *Service) asksModel() bool {
	_, rules := s.suggestions.(suggest.Rules)
	return !rules
}

// rethink lets a model be asked once more for a title and a priority, before the
// message changes or goes that the request is named after. Until it answers,
// the rules name it: what is gone must not live on in a title.
func rethink(tx *store.Tx, r *desk.Request, m desk.Message) error {
	if r.TitleBy != desk.ByModel && r.PriorityBy != desk.ByModel {
		return nil
	}
	asked, err := tx.Asked(r.ID)
	if err != nil || asked.ID != m.ID {
		return desk.IgnoreMissing(err)
	}
	r.Unrefine()
	return nil
}

func (s *Service) suggest(ctx context.Context, _ *job.Job, a suggestRequest) error {
	about, err := s.beginSuggestion(ctx, a)
	if err != nil || len(about.Messages) == 0 {
		return desk.IgnoreMissing(err)
	}
	got := s.suggestions.Suggest(ctx, about.Discussion)
	if err := ctx.Err(); err != nil {
		return err // the rules answered because we are to stop, and that is no answer
	}
	if reason := cmp.Or(got.Title.Reason, got.Priority.Reason, got.Categories.Reason, got.Sentiment.Reason, got.Emotion.Reason); reason != "" {
		s.log.Warn("the rules answer for the model", "account", int64(a.Account), "request", int64(a.Request), "reason", reason)
	}
	return s.store.Write(ctx, a.Account, func(tx *store.Tx) error { return s.finishSuggestion(tx, a.Request, about, got) })
}

// question is what a provider is asked, and of which reading it is.
type question struct {
	suggest.Discussion
	run   store.SuggestionRun
	heard bool // whether the requester has said something since the sentiment was computed
}

// beginSuggestion reads a request. Without messages there is nothing to ask.
func (s *Service) beginSuggestion(ctx context.Context, a suggestRequest) (about question, err error) {
	err = s.store.Write(ctx, a.Account, func(tx *store.Tx) error {
		about = question{Discussion: suggest.Discussion{Account: a.Account}}
		r, err := tx.Request(a.Request, desk.Everything)
		if err != nil || r.State == nil {
			return err
		}
		account, err := tx.ThisAccount()
		if err != nil {
			return err
		}
		said, err := tx.Discussion(a.Request)
		if err != nil {
			return err
		}
		if about.run, err = tx.BeginSuggestion(a.Request); err != nil {
			return err
		}
		about.Categories = account.Categories
		about.take(said)
		return nil
	})
	return about, err
}

// take takes over what was said. A message of the requester's is new when it is
// another than the sentiment is of, or was edited since.
func (q *question) take(said []desk.Message) {
	q.Messages = discussed(said)
	var latest desk.Message
	for _, m := range said {
		if !m.Responder {
			latest = m
		}
	}
	if latest.ID == 0 || latest.ID == q.run.Heard && desk.Same(latest.EditedAt, q.run.HeardEditedAt) {
		return
	}
	q.heard, q.run.Heard, q.run.HeardEditedAt = true, latest.ID, latest.EditedAt
}

func discussed(said []desk.Message) []suggest.Message {
	all := make([]suggest.Message, len(said))
	for i, m := range said {
		all[i] = suggest.Message{HTML: m.HTML, Responder: m.Responder}
	}
	return all
}

// finishSuggestion keeps the answers. Title and priority are the request's own,
// so that a model's are a change of it; the AI fields are not.
func (s *Service) finishSuggestion(tx *store.Tx, id desk.RequestID, about question, got suggest.Suggestion) error {
	r, err := tx.Request(id, desk.Everything)
	if err != nil {
		return err
	}
	if kept, err := tx.FinishSuggestion(id, about.run); err != nil || !kept {
		return err
	}
	was, next := r.AI, fieldsOf(got, tx.Now)
	if !about.heard {
		next.Sentiment = was.Sentiment
	}
	if r.AI, err = tx.SaveSuggested(id, was, next); err != nil {
		return err
	}
	before := r.Clone()
	refined := r.Refine(offered[string](got.Title), offered[desk.Priority](got.Priority), tx.Now)
	switch {
	case refined && !before.SameAs(r):
		return s.saveRequest(tx, aiFields, before, &r)
	case refined: // the model would have said the same
		err = tx.SaveRequest(before, &r)
	}
	if err != nil {
		return err
	}
	return noteSuggested(tx, was, r)
}

// aiFields is who changes what is suggested.
var aiFields = desk.Actor{Name: "AI fields", Source: desk.SourceSystem}

// noteSuggested tells the feed where nothing but what is suggested has changed.
func noteSuggested(tx *store.Tx, was desk.AIFields, r desk.Request) error {
	if was.SameAs(r.AI) {
		return nil
	}
	return tx.Record(desk.Change{By: aiFields, Event: desk.RequestUpdated, After: r})
}

// fieldsOf are answers as a request keeps them.
func fieldsOf(s suggest.Suggestion, now time.Time) desk.AIFields {
	return desk.AIFields{
		Category:  answered(s.Categories, s.Categories.Value, now),
		Sentiment: answered(s.Sentiment, string(s.Sentiment.Value), now),
		Emotion:   answered(s.Emotion, string(s.Emotion.Value), now),
	}
}

// answered is an answer as a request keeps it.
func answered[T, A any](a suggest.Answer[A], value T, now time.Time) *desk.Suggested[T] {
	return &desk.Suggested[T]{Value: value, By: desk.Origin(a.Source), Reason: a.Reason, At: now}
}

// offered is an answer that a model gave, nil where the rules did: theirs is
// there already.
func offered[T, A ~string](a suggest.Answer[A]) *T {
	if a.Source != suggest.FromModel {
		return nil
	}
	v := T(a.Value)
	return &v
}
