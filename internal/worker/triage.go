package worker

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"html"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// pressButton does what a button of a card says, as the user who pressed it.
// Everybody who can see a triage channel belongs to the team.
func (w *Worker) pressButton(ctx context.Context, c store.AccountIntegration, a chat.Action) error {
	n, err := strconv.ParseInt(a.Value, 10, 64)
	if err != nil {
		return nil // not a button of ours
	}
	if points, ok := strings.CutPrefix(a.Button, ButtonRate); ok {
		return w.rateSurvey(ctx, c, desk.SurveyID(n), points, a)
	}
	id := desk.RequestID(n)
	if a.Button == ButtonEdit {
		return w.openEditForm(ctx, c, id, a)
	}
	ch := desk.RequestChange{}
	switch a.Button {
	case ButtonTake:
		ch.Assignee = desk.Just(a.User)
	case ButtonSolve:
		solved := desk.Solved
		ch.State = &solved
	case ButtonNone:
		ch.NotARequest = desk.Just(desk.Temporary)
	default:
		return nil
	}
	return w.tellPresser(ctx, c, a, w.ChangeInTriage(ctx, c.Account, id, a.At.Channel, a.User, ch))
}

// tellPresser tells the user who pressed a button why that did nothing. It returns
// err unless it is one that concerns them.
func (w *Worker) tellPresser(ctx context.Context, c store.AccountIntegration, a chat.Action, err error) error {
	if e := concerns(err); e != nil {
		return w.store.Write(ctx, c.Account, func(tx *store.Tx) error {
			return notifyInChannelSoon(tx, a.At.Channel, a.Thread, a.User, e.Message)
		})
	}
	return err
}

// concerns returns an error that is about what a person did, or nil if err is
// another.
func concerns(err error) *desk.Error {
	if e := (*desk.Error)(nil); errors.As(err, &e) && e.Kind != desk.Unavailable && e.Kind != desk.Internal {
		return e
	}
	return nil
}

// ChangeInTriage changes a request as a user of the channel that its card is in. It
// returns a NotFound error if the card is elsewhere, and the errors of
// desk.Request.Apply.
func (w *Worker) ChangeInTriage(ctx context.Context, account desk.AccountID, id desk.RequestID, channel, user string, ch desk.RequestChange) error {
	return w.store.Write(ctx, account, func(tx *store.Tx) error {
		r, err := requestWithCard(tx, id, channel)
		if err != nil {
			return err
		}
		_, by, err := actorOf(tx, user)
		if err != nil {
			return err
		}
		if ch.Assignee.Value != nil && !desk.Same(r.Assignee, ch.Assignee.Value) {
			var p desk.Problems
			if err := change.CheckAssignee(tx, &p, InputAssignee, *ch.Assignee.Value); err != nil {
				return err
			}
			if err := p.Err(); err != nil {
				return err
			}
		}
		account, err := tx.ThisAccount()
		if err != nil {
			return err
		}
		ch := ch                                     // the transaction may run again
		if ch.Title != nil && *ch.Title == r.Title { // a form sends all values, even those that nobody changed
			ch.Title = nil
		}
		if ch.Priority != nil && *ch.Priority == r.Priority {
			ch.Priority = nil
		}
		before := r.Clone()
		if err := r.Apply(ch, desk.RequestRules{OnHoldAllowed: account.OnHoldAllowed}, tx.Now); err != nil {
			return err
		}
		if before.SameAs(r) {
			return nil // the button was pressed twice
		}
		return w.change.SaveRequest(tx, by, before, &r)
	})
}

// requestWithCard returns a request if its card is in a channel. A button from
// another channel cannot be trusted, so it returns a NotFound error. A button may
// be pressed before we know where the card was posted. Then the triage channel of
// the collection counts.
func requestWithCard(tx *store.Tx, id desk.RequestID, channel string) (desk.Request, error) {
	r, err := tx.Request(id, desk.Everything)
	if err != nil {
		return r, err
	}
	var shown *string
	if r.Triage != nil {
		shown = &r.Triage.Channel
	} else {
		col, err := tx.Collection(r.Collection.ID)
		if err != nil {
			return r, err
		}
		shown = col.TriageChannel
	}
	if shown == nil || *shown != channel {
		return r, desk.Missing("Request")
	}
	return r, nil
}

// actorOf returns a chat user as an actor.
func actorOf(tx *store.Tx, user string) (desk.Responding, desk.Actor, error) {
	person, u, err := tx.Responding(user)
	return person, chatActor(user, u.Name, u.Email), err
}

// chatActor returns the actor of something done in the chat system. If the
// directory does not know the user yet, the id serves as the name.
func chatActor(id, name, email string) desk.Actor {
	return desk.Actor{Name: cmp.Or(name, id, "somebody in the chat system"), Email: email, Source: desk.SourceChat}
}

// The ids of the form that changes a request and of its inputs.
const (
	FormEdit      = "edit"
	InputTitle    = "title"
	InputState    = "state"
	InputPriority = "priority"
	InputAssignee = "assignee"
)

// openEditForm shows the form. A trigger is valid only for seconds, so a job could
// not retry this. A user who sees no form presses the button again.
func (w *Worker) openEditForm(ctx context.Context, c store.AccountIntegration, id desk.RequestID, a chat.Action) error {
	var f chat.Form
	err := w.store.Read(ctx, c.Account, func(tx *store.Tx) error {
		r, err := requestWithCard(tx, id, a.At.Channel)
		if err != nil {
			return err
		}
		account, err := tx.ThisAccount()
		if err != nil {
			return err
		}
		f = editForm(r, account, a.At.Channel)
		return nil
	})
	if desk.KindOf(err) == desk.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	err = w.outside.WithChat(ctx, c.Account, func(_ desk.Integration, conn chat.Connector) error { return conn.Show(ctx, a.Trigger, f) })
	if err != nil {
		w.log.WarnContext(ctx, "the edit form of a request could not be shown", "account", int64(c.Account), "request", int64(id), "error", err)
	}
	return nil
}

func editForm(r desk.Request, account desk.Account, channel string) chat.Form {
	states := make([]chat.Option, 0, len(desk.States))
	for _, st := range desk.States {
		if st != desk.OnHold || account.OnHoldAllowed {
			states = append(states, chat.Option{Value: string(st), Label: label(string(st))})
		}
	}
	priorities := make([]chat.Option, 0, len(desk.Priorities))
	for _, p := range desk.Priorities {
		priorities = append(priorities, chat.Option{Value: string(p), Label: label(string(p))})
	}
	f := chat.Form{ID: FormEdit, State: formState(r.ID, channel), Title: "Edit request", Submit: "Save", Inputs: []chat.Input{
		{ID: InputTitle, Label: "Title", Kind: chat.Line, Value: r.Title},
		{ID: InputState, Label: "State", Kind: chat.Choice, Options: states, Optional: r.State == nil},
		{ID: InputPriority, Label: "Priority", Kind: chat.Choice, Value: string(r.Priority), Options: priorities},
		{ID: InputAssignee, Label: "Assignee", Kind: chat.Person, Optional: true},
	}}
	if r.State != nil {
		f.Inputs[1].Value = string(*r.State)
	}
	if r.Assignee != nil {
		f.Inputs[3].Value = *r.Assignee
	}
	return f
}

// label returns a word of the API as a person reads it.
func label(word string) string {
	return strings.ToUpper(word[:1]) + strings.ReplaceAll(word[1:], "_", " ")
}

// submitForm handles a form that was filled in. Problems are shown in the form.
func (w *Worker) submitForm(ctx context.Context, c store.AccountIntegration, sub chat.Submission) error {
	if sub.Form == FormComment {
		return w.commentOnSurvey(ctx, c, sub)
	}
	if sub.Form != FormEdit {
		return nil
	}
	n, channel, ok := readFormState(sub)
	if !ok {
		return nil
	}
	ch := desk.RequestChange{Title: submitted[string](sub, InputTitle), State: submitted[desk.State](sub, InputState), Priority: submitted[desk.Priority](sub, InputPriority)}
	if ch.Assignee = desk.Null[string](); sub.Values[InputAssignee] != "" {
		ch.Assignee = desk.Just(sub.Values[InputAssignee])
	}
	return rejection(w.ChangeInTriage(ctx, c.Account, desk.RequestID(n), channel, sub.User, ch), InputTitle)
}

// submitted returns the value of an input, or nil if it has none.
func submitted[T ~string](sub chat.Submission, input string) *T {
	v, given := sub.Values[input]
	if !given {
		return nil
	}
	value := T(v)
	return &value
}

// formState returns the state of a form: the id of what it is about, and the channel
// that it was opened in.
func formState[ID ~int64](id ID, channel string) string { return desk.FormatID(id) + " " + channel }

// readFormState reads what formState wrote. ok is false for a form that is not ours.
func readFormState(sub chat.Submission) (id int64, channel string, ok bool) {
	number, channel, ok := strings.Cut(sub.State, " ")
	id, err := strconv.ParseInt(number, 10, 64)
	return id, channel, ok && err == nil
}

// rejection returns the problems to show in a form, if err concerns the person who
// sent it, and otherwise err. If the error names no field, its message is shown at
// the given input.
func rejection(err error, at string) error {
	e := concerns(err)
	if e == nil {
		return err
	}
	said := chat.Rejection{}
	for _, f := range e.Fields {
		said[f.Field] = f.Message
	}
	if len(said) == 0 {
		said[at] = e.Message
	}
	return said
}

// notifyInChannel is a job that tells one person something in a channel that is of
// use only now.
type notifyInChannel struct {
	Account desk.AccountID
	Channel string
	Thread  string
	User    string
	Text    string
}

func (notifyInChannel) Kind() string { return "chat.whisper" }

func notifyInChannelSoon(tx *store.Tx, channel, thread, user, text string) error {
	return job.Add(tx.Tx, notifyInChannel{tx.Account, channel, thread, user, text}, tx.Now)
}

func (w *Worker) notifyInChannel(ctx context.Context, j *job.Job, a notifyInChannel) error {
	if w.store.Now().Sub(j.CreatedAt) > 5*time.Minute {
		return nil
	}
	err := w.outside.WithChat(ctx, a.Account, func(_ desk.Integration, c chat.Connector) error {
		_, err := c.Post(ctx, chat.Post{Channel: a.Channel, Thread: a.Thread, Only: a.User, Mark: rand.Text(),
			Content: chat.Content{HTML: "<p>" + html.EscapeString(a.Text) + "</p>"}})
		return err
	})
	if kind := desk.KindOf(err); kind == desk.NotFound || kind == desk.Forbidden || kind == desk.Invalid {
		return nil // they are no longer there
	}
	return chatJob(err)
}
