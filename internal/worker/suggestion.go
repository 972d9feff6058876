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

// suggestWorkers is how many questions are asked at the same time. A model may be
// slow, but nothing else waits for it.
const suggestWorkers = 4

// dropModelTitle lets a model suggest a title and a priority again. It is called
// before the message that the request is named after is changed or removed. Until
// the model answers, the rules name the request, because removed text must not live
// on in a title.
func dropModelTitle(tx *store.Tx, r *desk.Request, m desk.Message) error {
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
		return err // rules answered only because we must stop, so this does not count
	}
	if reason := cmp.Or(got.Title.Reason, got.Priority.Reason, got.Categories.Reason, got.Sentiment.Reason, got.Emotion.Reason); reason != "" {
		w.log.Warn("rules made suggestions in place of the model", "account", int64(a.Account), "request", int64(a.Request), "reason", reason)
	}
	return w.store.Write(ctx, a.Account, func(tx *store.Tx) error { return w.finishSuggestion(tx, a.Request, about, got) })
}

// question is what a provider is asked, and the run that it belongs to.
type question struct {
	suggest.Discussion
	run   store.SuggestionRun
	heard bool // whether the requester has said something since the sentiment was computed
}

// beginSuggestion starts a run and reads what to ask. If there are no messages,
// there is nothing to ask.
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
		about.addMessages(said)
		return nil
	})
	return about, err
}

// addMessages takes over the messages. A message of the requester is new if the
// sentiment was computed from another one, or if it was edited since.
func (q *question) addMessages(said []desk.Message) {
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

// finishSuggestion saves the answers. The title and the priority belong to the
// request, so a model's answer is a change of the request. The AI fields do not.
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
	refined := r.Refine(modelAnswer[string](got.Title), modelAnswer[desk.Priority](got.Priority), tx.Now)
	switch {
	case refined && !before.SameAs(r):
		return w.change.SaveRequest(tx, change.ByAI, before, &r)
	case refined: // the model agrees with what is there
		err = tx.SaveRequest(before, &r)
	}
	if err != nil {
		return err
	}
	return change.RecordSuggested(tx, was, r)
}

// modelAnswer returns an answer of a model, or nil if the rules gave it: theirs is
// in place already.
func modelAnswer[T, A ~string](a suggest.Answer[A]) *T {
	if a.Source != suggest.FromModel {
		return nil
	}
	v := T(a.Value)
	return &v
}
