package change

import (
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

// SuggestSettle is how long a run waits, so that a burst of messages is one.
const SuggestSettle = 5 * time.Second

// SuggestRequest computes what is suggested of a request anew.
type SuggestRequest struct {
	Account desk.AccountID
	Request desk.RequestID
}

func (SuggestRequest) Kind() string  { return "request.suggest" }
func (SuggestRequest) Queue() string { return QueueSuggestions }

// Suggest has what is suggested of a request follow what is said in it; said are
// its public messages, where they are at hand.
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

// SuggestByRules is what rules say where this was said.
func SuggestByRules(tx *store.Tx, account desk.Account, before desk.AIFields, said []desk.Message) desk.AIFields {
	about := suggest.Discussion{Account: tx.Account, Messages: SuggestMessages(said), Categories: account.Categories}
	next := SuggestedFields(suggest.ByRules(about), tx.Now)
	if !slices.ContainsFunc(said, func(m desk.Message) bool { return !m.Responder }) {
		next.Sentiment = before.Sentiment // the requester has said nothing
	}
	return next
}

// SuggestAgain is consider after a public message has come, changed or gone. What
// becomes a request by it is considered when it is kept, and to the rules it makes
// no difference what responders answer.
func (s Setup) SuggestAgain(tx *store.Tx, before desk.Request, r *desk.Request, m desk.Message) error {
	answers := m.Responder && m.CreatedAt.After(r.CreatedAt) && r.AI.Category != nil
	if m.Private || before.State == nil || answers && !s.Model {
		return nil
	}
	return s.Suggest(tx, r)
}

func SuggestMessages(said []desk.Message) []suggest.Message {
	all := make([]suggest.Message, len(said))
	for i, m := range said {
		all[i] = suggest.Message{HTML: m.HTML, Responder: m.Responder}
	}
	return all
}

// ByAI is who changes what is suggested.
var ByAI = desk.Actor{Name: "AI fields", Source: desk.SourceSystem}

// RecordSuggested tells the feed where nothing but what is suggested has changed.
func RecordSuggested(tx *store.Tx, was desk.AIFields, r desk.Request) error {
	if was.SameAs(r.AI) {
		return nil
	}
	return tx.Record(desk.Change{By: ByAI, Event: desk.RequestUpdated, After: r})
}

// SuggestedFields are answers as a request keeps them.
func SuggestedFields(s suggest.Suggestion, now time.Time) desk.AIFields {
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

// QueueSuggestions is the queue of questions to a model, which must not hold up
// other work.
const QueueSuggestions = "suggest"
