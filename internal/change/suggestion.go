package change

import (
	"slices"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
	"frontdesk/internal/suggest"
)

// The suggestions for a request follow its messages. Rules compute them in the
// transaction that changes the request, which costs next to nothing. A model is
// asked by a job, outside of any transaction. If a run answers after a later one,
// its answer is ignored. A message that comes while a run is under way gets a run
// of its own.

// SuggestSettle is how long a run waits, so that a burst of messages causes only
// one.
const SuggestSettle = 5 * time.Second

// SuggestRequest is a job that asks a model for new suggestions for a request.
type SuggestRequest struct {
	Account desk.AccountID
	Request desk.RequestID
}

func (SuggestRequest) Kind() string  { return "request.suggest" }
func (SuggestRequest) Queue() string { return QueueSuggestions }

// Suggest updates the suggestions for a request, at once by rules or with a job
// that asks the model. said are the request's public messages; if there are none,
// Suggest reads them. It does nothing for a conversation that is not a request.
func (s Setup) Suggest(tx *store.Tx, r *desk.Request, said ...desk.Message) error {
	switch {
	case r.State == nil:
		return nil
	case s.Model:
		return job.Add(tx.Tx, SuggestRequest{tx.Account, r.ID}, tx.Now, job.At(tx.Now.Add(SuggestSettle)), job.Key(requestKey(tx.Account, r.ID)))
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
	r.AI, err = tx.SaveSuggested(r.ID, r.AI, SuggestByRules(tx, account, r.AI, said))
	return err
}

// SuggestByRules returns what the rules suggest for a request with these messages.
// before are its current suggestions.
func SuggestByRules(tx *store.Tx, account desk.Account, before desk.AIFields, said []desk.Message) desk.AIFields {
	about := suggest.Discussion{Account: tx.Account, Messages: SuggestMessages(said), Categories: account.Categories}
	next := SuggestedFields(suggest.ByRules(about), tx.Now)
	if !slices.ContainsFunc(said, func(m desk.Message) bool { return !m.Responder }) {
		next.Sentiment = before.Sentiment // the requester has said nothing
	}
	return next
}

// SuggestAgain calls Suggest after a public message was added, changed or removed.
// It leaves out a conversation that only now becomes a request, because saving that
// calls Suggest. It also leaves out replies of responders if only rules are used,
// because rules ignore them.
func (s Setup) SuggestAgain(tx *store.Tx, before desk.Request, r *desk.Request, m desk.Message) error {
	answers := m.Responder && m.CreatedAt.After(r.CreatedAt) && r.AI.Category != nil
	if m.Private || before.State == nil || answers && !s.Model {
		return nil
	}
	return s.Suggest(tx, r)
}

// SuggestMessages returns messages in the form that suggestions are made from.
func SuggestMessages(said []desk.Message) []suggest.Message {
	all := make([]suggest.Message, len(said))
	for i, m := range said {
		all[i] = suggest.Message{HTML: m.HTML, Responder: m.Responder}
	}
	return all
}

// ByAI is the actor of changes to suggestions.
var ByAI = desk.Actor{Name: "AI fields", Source: desk.SourceSystem}

// RecordSuggested records an event if the suggestions for a request have changed.
// The caller uses it when nothing else has changed.
func RecordSuggested(tx *store.Tx, was desk.AIFields, r desk.Request) error {
	if was.SameAs(r.AI) {
		return nil
	}
	return tx.Record(desk.Change{By: ByAI, Event: desk.RequestUpdated, After: r})
}

// SuggestedFields returns suggestions as a request stores them.
func SuggestedFields(s suggest.Suggestion, now time.Time) desk.AIFields {
	return desk.AIFields{
		Category:  suggestedField(s.Categories, s.Categories.Value, now),
		Sentiment: suggestedField(s.Sentiment, string(s.Sentiment.Value), now),
		Emotion:   suggestedField(s.Emotion, string(s.Emotion.Value), now),
	}
}

// suggestedField returns one suggestion as a request stores it.
func suggestedField[T, A any](a suggest.Answer[A], value T, now time.Time) *desk.Suggested[T] {
	return &desk.Suggested[T]{Value: value, By: desk.Origin(a.Source), Reason: a.Reason, At: now}
}

// QueueSuggestions is the queue of questions to a model, which must not hold up
// other work.
const QueueSuggestions = "suggest"
