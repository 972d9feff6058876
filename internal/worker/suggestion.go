package worker

import (
	"cmp"
	"context"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
	"frontdesk/internal/suggest"
)

// suggestWorkers is how many questions are asked at once. Nothing else waits for
// them: a model may take its time.
const suggestWorkers = 4

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

func (w *Worker) suggest(ctx context.Context, _ *job.Job, a change.SuggestRequest) error {
	about, err := w.beginSuggestion(ctx, a)
	if err != nil || len(about.Messages) == 0 {
		return desk.IgnoreMissing(err)
	}
	got := w.suggestions.Suggest(ctx, about.Discussion)
	if err := ctx.Err(); err != nil {
		return err // the rules answered because we are to stop, and that is no answer
	}
	if reason := cmp.Or(got.Title.Reason, got.Priority.Reason, got.Categories.Reason, got.Sentiment.Reason, got.Emotion.Reason); reason != "" {
		w.log.Warn("the rules answer for the model", "account", int64(a.Account), "request", int64(a.Request), "reason", reason)
	}
	return w.store.Write(ctx, a.Account, func(tx *store.Tx) error { return w.finishSuggestion(tx, a.Request, about, got) })
}

// question is what a provider is asked, and of which reading it is.
type question struct {
	suggest.Discussion
	run   store.SuggestionRun
	heard bool // whether the requester has said something since the sentiment was computed
}

// beginSuggestion reads a request. Without messages there is nothing to ask.
func (w *Worker) beginSuggestion(ctx context.Context, a change.SuggestRequest) (about question, err error) {
	err = w.store.Write(ctx, a.Account, func(tx *store.Tx) error {
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
	q.Messages = change.SuggestMessages(said)
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

// finishSuggestion keeps the answers. Title and priority are the request's own,
// so that a model's are a change of it; the AI fields are not.
func (w *Worker) finishSuggestion(tx *store.Tx, id desk.RequestID, about question, got suggest.Suggestion) error {
	r, err := tx.Request(id, desk.Everything)
	if err != nil {
		return err
	}
	if kept, err := tx.FinishSuggestion(id, about.run); err != nil || !kept {
		return err
	}
	was, next := r.AI, change.SuggestedFields(got, tx.Now)
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
		return w.change.SaveRequest(tx, change.ByAI, before, &r)
	case refined: // the model would have said the same
		err = tx.SaveRequest(before, &r)
	}
	if err != nil {
		return err
	}
	return change.RecordSuggested(tx, was, r)
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
