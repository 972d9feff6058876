package worker

import (
	"context"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/heard"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// takeReaction takes in a reaction. If its message comes later, the message looks
// for it then.
func (w *Worker) takeReaction(tx *store.Tx, r desk.Reaction) error {
	uses, err := tx.ChannelUses([]string{r.Channel})
	if err != nil {
		return err
	}
	announced, err := heard.IsCopy(tx, r.Channel, r.Message)
	if err != nil || len(uses) == 0 && !announced {
		return err
	}
	// A reaction to an announcement is about the announcement, whatever was asked in
	// its thread.
	if news, err := heard.PutReaction(tx, r); err != nil || !news || !r.On || announced {
		return err
	}
	return w.applyReaction(tx, r)
}

// applyReactions applies all reactions to a message that we have only now.
func (w *Worker) applyReactions(tx *store.Tx, channel, message string) error {
	waiting, err := heard.ReactionsAt(tx, channel, message)
	if err != nil {
		return err
	}
	for _, r := range waiting {
		if err := w.applyReaction(tx, r); err != nil {
			return err
		}
	}
	return nil
}

// applyReaction applies a reaction according to the emoji rules of the collection.
// Most rules are for responders. Anybody may mark something as urgent, or as a
// request.
func (w *Worker) applyReaction(tx *store.Tx, re desk.Reaction) error {
	id, err := tx.RequestAt(re.Channel, re.Message)
	if err == nil && id == 0 {
		id, err = tx.PostedAt(re.Channel, re.Message)
	}
	if err != nil || id == 0 {
		return err
	}
	r, col, err := requestOf(tx, id)
	if err != nil || r.Closed() {
		return err
	}
	person, user, err := tx.Responding(re.User)
	if err != nil || person.Deleted || person.IsBot {
		return err
	}
	responds := col.IsResponder(person) || r.Triage != nil && r.Triage.Channel == re.Channel
	before, now := r.Clone(), tx.Now
	at := re.At // when they reacted, if that is known
	if at.IsZero() || at.After(now) || at.Before(r.CreatedAt) {
		at = now
	}
	by := chatActor(re.User, user.Name, user.Email)
	means := func(names []string) bool { return slices.Contains(names, re.Emoji) }
	switch {
	case means(col.Emoji.Request):
		r.Convert(now)
		if before.State == nil {
			if err := change.BecomeRequest(tx, col, &r); err != nil {
				return err
			}
		}
	case means(col.Emoji.Urgent) && r.State != nil:
		r.Priority, r.PriorityBy = desk.Urgent, desk.ByPerson
	case !responds || r.State == nil:
		return nil
	case means(col.Emoji.Take) && person.External:
		r.Acknowledge(at) // guests may answer, but requests cannot be assigned to them
	case means(col.Emoji.Take):
		r.Take(re.User, at)
	case means(col.Emoji.Solve):
		solved := desk.Solved
		if err := r.Apply(desk.RequestChange{State: &solved}, desk.RequestRules{}, at); err != nil {
			return err
		}
	case means(col.Emoji.Ticket):
		if err := job.Add(tx.Tx, MakeTicket{tx.Account, id, by}, now, job.Key(fmt.Sprintf("%d %d", tx.Account, id))); err != nil {
			return err
		}
		r.Acknowledge(at)
	}
	if before.SameAs(r) {
		return nil
	}
	r.UpdatedAt = now
	return w.change.SaveConversation(tx, by, before, &r)
}

// MakeTicket is a job that gives a request a native ticket if it has none.
type MakeTicket struct {
	Account desk.AccountID
	Request desk.RequestID
	By      desk.Actor
}

func (MakeTicket) Kind() string { return "request.ticket" }

func (w *Worker) makeTicket(ctx context.Context, _ *job.Job, a MakeTicket) error {
	return w.store.Write(ctx, a.Account, func(tx *store.Tx) error {
		r, err := tx.Request(a.Request, desk.Everything)
		if err != nil || slices.ContainsFunc(r.Tickets, func(t desk.Ticket) bool { return t.Type == desk.Native }) {
			return err
		}
		ticket, err := w.change.AddNativeTicket(tx, r, nil)
		if err != nil {
			return err
		}
		return tx.Record(change.TicketChange(a.By, r.ID, ticket))
	})
}

// reactions returns the reactions to a message from a history. Nobody knows when
// people reacted, so they count as of when it was read.
func reactions(m chat.Message, read time.Time) (all []desk.Reaction) {
	for _, r := range m.Reactions {
		for _, user := range r.Users {
			all = append(all, desk.Reaction{Channel: m.Channel, Message: m.ID, User: desk.CleanText(user), Emoji: desk.EmojiName(desk.CleanText(r.Emoji)), On: true, At: read})
		}
	}
	return all
}
