package service

import (
	"context"
	"crypto/rand"
	"strconv"

	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/markup"
	"frontdesk/internal/store"
	"frontdesk/internal/suggest"
)

// AddMessage adds a message to a request that the caller may see, as who calls.
// It gives Refused for one that is closed, whatever is said.
func (s *Service) AddMessage(ctx context.Context, c Caller, id desk.RequestID, n desk.NewMessage) (desk.Message, error) {
	if err := c.may(desk.AddMessage); err != nil {
		return desk.Message{}, err
	}
	return write(ctx, s, c, func(tx *store.Tx) (desk.Message, error) {
		return s.addMessage(tx, c.Actor, c.reach(desk.AddMessage), id, n)
	})
}

// addMessage adds a message to a request that its author reaches.
func (s *Service) addMessage(tx *store.Tx, by desk.Actor, reach desk.Reach, id desk.RequestID, n desk.NewMessage) (m desk.Message, err error) {
	r, err := tx.Request(id, reach)
	if err != nil {
		return m, err
	}
	if err := withTaken(tx, by, &n); err != nil {
		return m, err
	}
	if m, err = newMessage(tx, by, r, n); err != nil {
		return m, err
	}
	col, err := collectionOf(tx, r)
	if err != nil {
		return m, err
	}
	err = s.say(tx, by, col, &r, &m, aside{files: n.Files, state: n.State, asBot: n.AsBot})
	return m, err
}

// CheckAnswer says whether AddMessage would refuse a message to a request,
// whatever is said, for who is about to send much.
func (s *Service) CheckAnswer(ctx context.Context, c Caller, id desk.RequestID) error {
	if err := c.may(desk.AddMessage); err != nil {
		return err
	}
	// As lists have it, which is kept for when the message comes.
	found, err := read(ctx, s, c, func(tx *store.Tx) ([]desk.Request, error) {
		return tx.Rows([]desk.RequestID{id}, c.reach(desk.AddMessage), 0)
	})
	switch {
	case err != nil:
		return err
	case len(found) == 0:
		return desk.Missing("Request")
	case found[0].State != nil && *found[0].State == desk.Closed:
		return desk.ErrClosed
	}
	return nil
}

// newMessage checks a message that is to be added to a request, and makes it.
func newMessage(tx *store.Tx, by desk.Actor, r desk.Request, n desk.NewMessage) (m desk.Message, err error) {
	if err := r.Changeable(); err != nil {
		return m, err
	}
	if err := n.Check(); err != nil {
		return m, err
	}
	var p desk.Problems
	if n.HTML != nil {
		m.HTML = formatted(*n.HTML)
		if m.Text = markup.PlainText(m.HTML); m.Text == "" && len(n.Files) == 0 {
			p.Add("html_body", "must say something: nothing is left of it when what is not allowed is taken out")
		}
	}
	if n.State != nil && *n.State == desk.OnHold {
		account, err := tx.ThisAccount()
		if err != nil {
			return m, err
		}
		if !account.OnHoldAllowed {
			p.Add("state", "cannot be on_hold: the account does not allow it")
		}
	}
	if n.Thread != "" {
		ours, err := isThreadOf(tx, r, n.Thread)
		if err != nil {
			return m, err
		}
		if !ours {
			p.Add("thread_ts", "is not in a thread of this request")
		}
	}
	if err := p.Err(); err != nil {
		return m, err
	}
	if m.Author, err = requester(tx, by, nil); err != nil {
		return m, err
	}
	m.Private, m.Source, m.CreatedAt = n.Private, by.Source, tx.Now
	// Members answer; only in what they have asked themselves they do not.
	m.Responder = m.Author.User == "" || m.Author.User != r.Author.User
	if m.Author.User == "" {
		m.Responder = desk.FoldEmail(m.Author.Email) != desk.FoldEmail(r.Author.Email)
	}
	m.Idle = !m.Responder && len(n.Files) == 0 && !suggest.Judge(m.HTML).IsRequest()
	return m, nil
}

// isThreadOf reports whether a message is in one of the request's threads: by its
// id in the chat system, or by the one that was made here.
func isThreadOf(tx *store.Tx, r desk.Request, message string) (bool, error) {
	if r.Triage != nil && r.Triage.Message == message {
		return true, nil
	}
	if ours, err := tx.HasMade(r.ID, message); ours || err != nil || r.Channel == nil {
		return ours, err
	}
	id, err := tx.PublicRequestAt(r.Channel.ID, message)
	return id == r.ID, err
}

// aside is what comes with a message.
type aside struct {
	files []desk.NewFile
	state *desk.State // that the request is to have
	asBot bool        // it is not to be shown as its author's
	from  desk.LinkID // the linked ticket that it was said about, 0 for none
	as    string      // its id there
}

// say keeps a message and does what follows from it: for the request's state,
// clocks and assignee, for the feed, for what the chat system shows, and for
// linked tickets. The message becomes as it is kept, with its files.
func (s *Service) say(tx *store.Tx, by desk.Actor, col desk.Collection, r *desk.Request, m *desk.Message, with aside) error {
	m.Request = r.ID
	if err := tx.AddMessage(m); err != nil {
		return err
	}
	for _, f := range with.files {
		if err := tx.AddAttachment(*m, f); err != nil {
			return err
		}
	}
	before := r.Clone()
	if err := heed(tx, col, r, *m); err != nil {
		return err
	}
	// Over what the message does by itself, and in one change with it: to undo it is one step too.
	if with.state != nil && (r.State == nil || *r.State != *with.state) {
		if err := r.Apply(desk.RequestChange{State: with.state}, desk.RequestRules{OnHoldAllowed: true}, tx.Now); err != nil {
			return err
		}
	}
	if r.Source == desk.FromChat && !m.CreatedAt.After(r.CreatedAt) { // it begins with it
		if err := rename(tx, r); err != nil {
			return err
		}
	}
	if err := s.reconsider(tx, before, r, *m); err != nil {
		return err
	}
	if err := s.saveHeard(tx, by, before, r); err != nil {
		return err
	}
	kept, err := tx.Message(m.ID)
	if err != nil {
		return err
	}
	*m = kept
	if err := recordSaid(tx, by, *m); err != nil {
		return err
	}
	if err := forward(tx, *r, *m, with); err != nil {
		return err
	}
	return spread(tx, *r, *m, with.asBot)
}

// heed does to a request what a message in it says. One that becomes a request
// by that is its author's, and goes by what they ask; one that was made in another
// way has its title, also where what was merged into it is older.
func heed(tx *store.Tx, col desk.Collection, r *desk.Request, m desk.Message) error {
	answered, err := tx.AnsweredLater(m)
	if err != nil {
		return err
	}
	before := r.Clone()
	r.Hear(m, answered, tx.Now)
	if m.Responder && !m.Private && r.Assignee == nil && m.Author.User != "" && r.State != nil && col.AutoAssign == desk.AssignFirstResponder {
		if err := assignTo(tx, r, m.Author.User); err != nil {
			return err
		}
	}
	if before.State != nil || r.State == nil {
		return nil
	}
	if r.Author.User != before.Author.User {
		if r.Customer, err = customerFor(tx, *r); err != nil {
			return err
		}
	}
	if r.Source == desk.FromChat {
		if err := rename(tx, r); err != nil {
			return err
		}
	}
	return becomeRequest(tx, col, r)
}

// recordSaid tells the audit log and the feed of a message. Of a private note the
// feed learns nothing but that there is one, and whoever reads it not even that.
func recordSaid(tx *store.Tx, by desk.Actor, m desk.Message) error {
	ch := messageChange(by, "message.created", nil, &m)
	if !m.Private {
		ch.Event = desk.MessageCreated
		return tx.Record(ch)
	}
	if err := tx.Record(ch); err != nil {
		return err
	}
	return tx.Record(desk.Change{By: by, Event: desk.NoteCreated, After: desk.Message{ID: m.ID, Request: m.Request, Private: true}})
}

func messageChange(by desk.Actor, action string, before, after *desk.Message) desk.Change {
	ch := desk.Change{By: by, Action: action, Resource: "Message"}
	if before != nil {
		ch.Before, ch.ID = *before, strconv.FormatInt(int64(before.ID), 10)
	}
	if after != nil {
		ch.After, ch.ID = *after, strconv.FormatInt(int64(after.ID), 10)
	}
	return ch
}

// saveHeard keeps a request that a message has changed. Where only its times
// have, that is no news.
func (s *Service) saveHeard(tx *store.Tx, by desk.Actor, before desk.Request, after *desk.Request) error {
	switch {
	case before.SameAs(*after):
		if err := tx.SaveRequest(before, after); err != nil {
			return err
		}
		if err := moveClocks(tx, before, after, false); err != nil {
			return err
		}
		if err := tellLate(tx, after); err != nil {
			return err
		}
		return noteSuggested(tx, before.AI, *after)
	case before.State == nil && before.NotARequest == nil && after.State != nil: // it has become a request
		if err := s.consider(tx, after); err != nil {
			return err
		}
		if err := tx.SaveRequest(before, after); err != nil {
			return err
		}
		if err := moveClocks(tx, before, after, false); err != nil {
			return err
		}
		return tx.Record(requestChange(by, desk.RequestCreated, nil, after))
	}
	return s.saveRequest(tx, by, before, after)
}

// showCard has the chat system show what became of a request.
func showCard(tx *store.Tx, id desk.RequestID) error {
	shown, err := tx.RenewCard(id)
	if err != nil || !shown {
		return err
	}
	return tellSoon(tx, id)
}

// spread has a message shown where it was not said: what is public in the
// requester's thread, everything in the team's.
func spread(tx *store.Tx, r desk.Request, m desk.Message, asBot bool) error {
	var places []desk.PostingPlace
	if inThread := r.Channel != nil && m.Channel == r.Channel.ID; !m.Private && !inThread && r.InChat() {
		places = append(places, desk.InThread)
	}
	triaged, err := tx.HasCard(r.ID)
	if err != nil {
		return err
	}
	if inTriage := r.Triage != nil && m.Channel == r.Triage.Channel; triaged && !inTriage {
		places = append(places, desk.InTriage)
	}
	for _, place := range places {
		if err := addParts(tx, m, place, 0, asBot); err != nil {
			return err
		}
	}
	if len(places) == 0 {
		return nil
	}
	return tellSoon(tx, r.ID)
}

// partsOf is a message as it is repeated elsewhere, in parts where it is long.
// It calls nobody there but those it names one by one.
func partsOf(m desk.Message) []string { return markup.Split(markup.Quiet(m.HTML), mostPosted) }

// addParts has the parts of a message shown in a place, from one of them on.
func addParts(tx *store.Tx, m desk.Message, place desk.PostingPlace, from int, asBot bool) error {
	for part := from; part < max(len(partsOf(m)), 1); part++ {
		p := desk.Posting{Request: m.Request, Kind: desk.PostedMessage, Place: place, Message: m.ID, Part: part, User: m.Author.User, AsBot: asBot}
		if err := tx.AddPosting(p, rand.Text()); err != nil {
			return err
		}
	}
	return nil
}

// tellSoon has the chat system show what is to be shown of a request.
func tellSoon(tx *store.Tx, id desk.RequestID) error {
	return job.Add(tx.Tx, tellRequest{tx.Account, id}, tx.Now, job.Key(tellKey(tx.Account, id)))
}
