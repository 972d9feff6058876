package change

import (
	"crypto/rand"
	"slices"
	"strconv"

	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/markup"
	"frontdesk/internal/store"
	"frontdesk/internal/suggest"
)

// AddMessage adds a message to a request that its author reaches.
func (s Setup) AddMessage(tx *store.Tx, by desk.Actor, reach desk.Reach, id desk.RequestID, n desk.NewMessage) (m desk.Message, err error) {
	r, err := tx.Request(id, reach)
	if err != nil {
		return m, err
	}
	if err := AddTakenFiles(tx, by, &n); err != nil {
		return m, err
	}
	if m, err = NewMessage(tx, by, r, n); err != nil {
		return m, err
	}
	col, err := CollectionOf(tx, r)
	if err != nil {
		return m, err
	}
	err = s.Say(tx, by, col, &r, &m, Extras{files: n.Files, state: n.State, AsBot: n.AsBot})
	return m, err
}

// NewMessage checks a message that is to be added to a request, and makes it.
func NewMessage(tx *store.Tx, by desk.Actor, r desk.Request, n desk.NewMessage) (m desk.Message, err error) {
	if err := r.Changeable(); err != nil {
		return m, err
	}
	if err := n.Check(); err != nil {
		return m, err
	}
	var p desk.Problems
	if n.HTML != nil {
		m.HTML = FormatHTML(*n.HTML)
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
	if m.Author, err = RequesterFor(tx, by, nil); err != nil {
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

// Extras is what comes with a message.
type Extras struct {
	files []desk.NewFile
	state *desk.State // that the request is to have
	AsBot bool        // it is not to be shown as its author's
	From  desk.LinkID // the linked ticket that it was said about, 0 for none
	As    string      // its id there
}

// Say keeps a message and does what follows from it: for the request's state,
// clocks and assignee, for the feed, for what the chat system shows, and for
// linked tickets. The message becomes as it is kept, with its files.
func (s Setup) Say(tx *store.Tx, by desk.Actor, col desk.Collection, r *desk.Request, m *desk.Message, with Extras) error {
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
	if err := HearMessage(tx, col, r, *m); err != nil {
		return err
	}
	// Over what the message does by itself, and in one change with it: to undo it is one step too.
	if with.state != nil && (r.State == nil || *r.State != *with.state) {
		if err := r.Apply(desk.RequestChange{State: with.state}, desk.RequestRules{OnHoldAllowed: true}, tx.Now); err != nil {
			return err
		}
	}
	if r.Source == desk.FromChat && !m.CreatedAt.After(r.CreatedAt) { // it begins with it
		if err := RenameByRules(tx, r); err != nil {
			return err
		}
	}
	if err := s.SuggestAgain(tx, before, r, *m); err != nil {
		return err
	}
	if err := s.SaveHeard(tx, by, before, r); err != nil {
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
	if err := forwardToLinks(tx, *r, *m, with); err != nil {
		return err
	}
	return postEverywhere(tx, *r, *m, with.AsBot)
}

// HearMessage does to a request what a message in it says. One that becomes a request
// by that is its author's, and goes by what they ask; one that was made in another
// way has its title, also where what was merged into it is older.
func HearMessage(tx *store.Tx, col desk.Collection, r *desk.Request, m desk.Message) error {
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
		if r.Customer, err = CustomerFor(tx, *r); err != nil {
			return err
		}
	}
	if r.Source == desk.FromChat {
		if err := RenameByRules(tx, r); err != nil {
			return err
		}
	}
	return BecomeRequest(tx, col, r)
}

// recordSaid tells the audit log and the feed of a message. Of a private note the
// feed learns nothing but that there is one, and whoever reads it not even that.
func recordSaid(tx *store.Tx, by desk.Actor, m desk.Message) error {
	ch := MessageChange(by, "message.created", nil, &m)
	if !m.Private {
		ch.Event = desk.MessageCreated
		return tx.Record(ch)
	}
	if err := tx.Record(ch); err != nil {
		return err
	}
	return tx.Record(desk.Change{By: by, Event: desk.NoteCreated, After: desk.Message{ID: m.ID, Request: m.Request, Private: true}})
}

func MessageChange(by desk.Actor, action string, before, after *desk.Message) desk.Change {
	ch := desk.Change{By: by, Action: action, Resource: "Message"}
	if before != nil {
		ch.Before, ch.ID = *before, strconv.FormatInt(int64(before.ID), 10)
	}
	if after != nil {
		ch.After, ch.ID = *after, strconv.FormatInt(int64(after.ID), 10)
	}
	return ch
}

// SaveHeard keeps a request that a message has changed. Where only its times
// have, that is no news.
func (s Setup) SaveHeard(tx *store.Tx, by desk.Actor, before desk.Request, after *desk.Request) error {
	switch {
	case before.SameAs(*after):
		if err := tx.SaveRequest(before, after); err != nil {
			return err
		}
		if err := moveClocks(tx, before, after, false); err != nil {
			return err
		}
		if err := AlertBreaches(tx, after); err != nil {
			return err
		}
		return RecordSuggested(tx, before.AI, *after)
	case before.State == nil && before.NotARequest == nil && after.State != nil: // it has become a request
		if err := s.Suggest(tx, after); err != nil {
			return err
		}
		if err := tx.SaveRequest(before, after); err != nil {
			return err
		}
		if err := moveClocks(tx, before, after, false); err != nil {
			return err
		}
		return tx.Record(RequestChange(by, desk.RequestCreated, nil, after))
	}
	return s.SaveRequest(tx, by, before, after)
}

// RefreshCard has the chat system show what became of a request.
func RefreshCard(tx *store.Tx, id desk.RequestID) error {
	shown, err := tx.RenewCard(id)
	if err != nil || !shown {
		return err
	}
	return PostSoon(tx, id)
}

// postEverywhere has a message shown where it was not said: what is public in the
// requester's thread, everything in the team's.
func postEverywhere(tx *store.Tx, r desk.Request, m desk.Message, asBot bool) error {
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
		if err := AddPostings(tx, m, place, 0, asBot); err != nil {
			return err
		}
	}
	if len(places) == 0 {
		return nil
	}
	return PostSoon(tx, r.ID)
}

// PartsOf is a message as it is repeated elsewhere, in parts where it is long.
// It calls nobody there but those it names one by one.
func PartsOf(m desk.Message) []string { return markup.Split(markup.Quiet(m.HTML), MostPosted) }

// AddPostings has the parts of a message shown in a place, from one of them on.
func AddPostings(tx *store.Tx, m desk.Message, place desk.PostingPlace, from int, asBot bool) error {
	for part := from; part < max(len(PartsOf(m)), 1); part++ {
		p := desk.Posting{Request: m.Request, Kind: desk.PostedMessage, Place: place, Message: m.ID, Part: part, User: m.Author.User, AsBot: asBot}
		if err := tx.AddPosting(p, rand.Text()); err != nil {
			return err
		}
	}
	return nil
}

// PostSoon has the chat system show what is to be shown of a request.
func PostSoon(tx *store.Tx, id desk.RequestID) error {
	return job.Add(tx.Tx, PostRequest{tx.Account, id}, tx.Now, job.Key(requestKey(tx.Account, id)))
}

// AddTakenFiles adds to a message the files of those that its author has taken back.
// What is wrong with them is said in its turn, after what is wrong with the
// request.
func AddTakenFiles(tx *store.Tx, by desk.Actor, n *desk.NewMessage) error {
	if n.Problem != nil || len(n.Taken) == 0 {
		return nil
	}
	if len(n.Files)+len(n.Taken) > desk.MostFiles {
		n.Problem = desk.TooManyFiles("attachment_ids")
		return nil
	}
	taken, err := tx.TakenFiles(by.ID, n.Taken)
	if err != nil {
		return err
	}
	n.Files = slices.Clone(n.Files)
	for _, id := range n.Taken {
		at := slices.IndexFunc(taken, func(f desk.WaitingFile) bool { return f.ID == id })
		if at < 0 {
			var p desk.Problems
			p.Add("attachment_ids", "must be files of messages that you have taken back, each once; %d is not", id)
			n.Problem = p.Err()
			return nil
		}
		n.Files = append(n.Files, taken[at].NewFile)
		taken = slices.Delete(taken, at, at+1)
	}
	return nil
}

// SendWaiting says a message whose time has come.
type SendWaiting struct {
	Account desk.AccountID
	Message desk.WaitingMessageID
}

func (SendWaiting) Kind() string { return "message.send" }
