package service

import (
	"cmp"
	"context"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
	"frontdesk/internal/suggest"
)

// What is suggested of a request follows what is said in it: every public
// message that is added, changed or removed adds a job in its own transaction.
// The provider is asked outside of any. A run that answers after a later one is
// passed over, and a message that comes in the meantime has a run of its own.

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

// suggestSoon has a request's AI fields follow its messages.
func suggestSoon(tx *store.Tx, id desk.RequestID) error {
	return job.Add(tx.Tx, suggestRequest{tx.Account, id}, tx.Now, job.At(tx.Now.Add(suggestSettle)), job.Key(tellKey(tx.Account, id)))
}

// suggestAfter is suggestSoon where a message makes a difference to them: not a
// private note, and not in what is no request.
func suggestAfter(tx *store.Tx, r desk.Request, public bool) error {
	if !public || r.State == nil {
		return nil
	}
	return suggestSoon(tx, r.ID)
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
		return ifMissing(err, func() {})
	}
	r.Unrefine()
	return nil
}

func (s *Service) suggest(ctx context.Context, _ *job.Job, a suggestRequest) error {
	about, err := s.beginSuggestion(ctx, a)
	if err != nil || len(about.Messages) == 0 {
		return ifMissing(err, func() {})
	}
	provider := s.suggestions
	if about.imported {
		provider = suggest.Rules{}
	}
	got := provider.Suggest(ctx, about.Discussion)
	if err := ctx.Err(); err != nil {
		return err // the rules answered because we are to stop, and that is no answer
	}
	if reason := cmp.Or(got.Title.Reason, got.Priority.Reason, got.Categories.Reason, got.Sentiment.Reason, got.Emotion.Reason); reason != "" {
		s.log.Warn("the rules answer for the model", "account", int64(a.Account), "request", int64(a.Request), "reason", reason)
	}
	return s.store.Write(ctx, a.Account, func(tx *store.Tx) error { return finishSuggestion(tx, a.Request, about, got) })
}

// question is what a provider is asked, and of which reading it is.
type question struct {
	suggest.Discussion
	run   store.SuggestionRun
	heard bool // whether the requester has said something since the sentiment was computed
	// imported is a request as it was imported. The rules are enough for those: a
	// whole past would cost a model's budget and keep it from who asks now.
	imported bool
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
		about.imported = r.Source == desk.FromImport && r.AI.Category == nil
		about.take(said)
		return nil
	})
	return about, err
}

// take takes over what was said. A message of the requester's is new when it is
// another than the sentiment is of, or was edited since.
func (q *question) take(said []desk.Message) {
	var latest desk.Message
	for _, m := range said {
		q.Messages = append(q.Messages, suggest.Message{HTML: m.HTML, Responder: m.Responder})
		if !m.Responder {
			latest = m
		}
	}
	if latest.ID == 0 || latest.ID == q.run.Heard && same(latest.EditedAt, q.run.HeardEditedAt) {
		return
	}
	q.heard, q.run.Heard, q.run.HeardEditedAt = true, latest.ID, latest.EditedAt
}

// finishSuggestion keeps the answers. Title and priority are the request's own,
// so that a model's are a change of it; the AI fields are not.
func finishSuggestion(tx *store.Tx, id desk.RequestID, about question, got suggest.Suggestion) error {
	r, err := tx.Request(id, desk.Everything)
	if err != nil {
		return err
	}
	was, next := r.AI, desk.AIFields{Category: answered(got.Categories, got.Categories.Value, tx.Now), Emotion: answered(got.Emotion, string(got.Emotion.Value), tx.Now)}
	if about.heard {
		next.Sentiment = answered(got.Sentiment, string(got.Sentiment.Value), tx.Now)
	}
	if kept, err := tx.SaveSuggestion(id, about.run, next); err != nil || !kept {
		return err
	}
	if next.Sentiment == nil {
		next.Sentiment = was.Sentiment
	}
	r.AI = next
	before, by := r.Clone(), desk.Actor{Name: "AI fields", Source: desk.SourceSystem}
	if about.imported {
		by.Source = desk.SourceImport // which nobody but the feed is told of
	}
	refined := r.Refine(offered[string](got.Title), offered[desk.Priority](got.Priority), tx.Now)
	switch {
	case refined && !before.SameAs(r):
		return saveRequest(tx, by, before, &r)
	case refined: // the model would have said the same
		err = tx.SaveRequest(before, &r)
	}
	if err != nil || was.SameAs(next) {
		return err
	}
	return tx.Record(desk.Change{By: by, Event: desk.RequestUpdated, After: r})
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
