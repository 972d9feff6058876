package change

import (
	"crypto/rand"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/markup"
	"frontdesk/internal/store"
	"frontdesk/internal/suggest"
)

// CreateMessage checks a message, adds it to a request and does what follows from
// it. It returns a NotFound error if the author cannot see the request, and the
// errors of NewMessage.
func (s Setup) CreateMessage(tx *store.Tx, by desk.Actor, reach desk.Reach, id desk.RequestID, n desk.NewMessage) (m desk.Message, err error) {
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
	err = s.AddMessage(tx, by, col, &r, &m, Extras{Files: n.Files, state: n.State, AsBot: n.AsBot})
	return m, err
}

// NewMessage returns the message that n adds to a request, without saving it. It
// returns an Invalid error if the message is wrong, or a Refused error if the
// request cannot be changed.
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
			p.Add("html_body", "must contain text: nothing is left of it after HTML that is not allowed is removed")
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
	// A member counts as a responder, except in a request of their own.
	m.Responder = m.Author.User == "" || m.Author.User != r.Author.User
	if m.Author.User == "" {
		m.Responder = desk.FoldEmail(m.Author.Email) != desk.FoldEmail(r.Author.Email)
	}
	if n.Seen != nil {
		if err := answeredMeanwhile(tx, r, *n.Seen, m.Author); err != nil {
			return m, err
		}
	}
	m.Idle = !m.Responder && len(n.Files) == 0 && !suggest.Judge(m.HTML).IsRequest()
	return m, nil
}

// answeredMeanwhile returns Conflict if a colleague of the author has answered a request
// since the message that the author has seen last.
func answeredMeanwhile(tx *store.Tx, r desk.Request, seen desk.MessageID, author desk.Requester) error {
	answer, err := tx.AnswerUnseen(r.ID, seen, author)
	if err != nil || answer.ID == 0 {
		return err
	}
	return desk.AnsweredMeanwhile(answer, tx.Now)
}

// isThreadOf reports whether a message is in one of a request's threads. message is
// its id in the chat system, or the id that was made here.
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

// Extras is what comes with a message besides its text. The zero value means
// nothing.
type Extras struct {
	Files     []desk.NewFile
	state     *desk.State // the state that the request gets; nil leaves that to the message
	AsBot     bool        // post it under the name of the bot, not of its author
	FromLink  desk.LinkID // the linked ticket whose comment it is; 0 for none
	CommentID string      // the id of that comment
	// Filed is as in Beginning.
	Filed func(*store.Tx, *desk.Message) error
}

// AddMessage adds a message to a request with its files and does everything that
// follows from it: the request's state, clocks and assignee, the events, the posts
// in the chat system, the comments on linked tickets and the mails. Afterwards m is
// the message as stored.
func (s Setup) AddMessage(tx *store.Tx, by desk.Actor, col desk.Collection, r *desk.Request, m *desk.Message, with Extras) error {
	m.Request = r.ID
	mail, err := s.mailOf(tx, col, r, m)
	if err != nil {
		return err
	}
	if err := addMessage(tx, m, Beginning{Files: with.Files, Filed: with.Filed}); err != nil {
		return err
	}
	before := r.Clone()
	concerns, err := applyMessage(tx, col, r, *m)
	if err != nil {
		return err
	}
	// The given state wins over what the message does by itself. Both are one change,
	// so that one step undoes them.
	if with.state != nil && (r.State == nil || *r.State != *with.state) {
		if err := r.Apply(desk.RequestChange{State: with.state}, desk.RequestRules{OnHoldAllowed: true}, tx.Now); err != nil {
			return err
		}
	}
	if r.Source == desk.FromChat && !m.CreatedAt.After(r.CreatedAt) { // the request begins with this message
		if err := RenameByRules(tx, r); err != nil {
			return err
		}
	}
	if err := s.SuggestAgain(tx, before, r, *m); err != nil {
		return err
	}
	if err := s.SaveConversation(tx, by, before, r); err != nil {
		return err
	}
	kept, err := tx.Message(m.ID)
	if err != nil {
		return err
	}
	*m = kept
	if err := recordMessage(tx, by, *m); err != nil {
		return err
	}
	if err := tellOfMessage(tx, by, *r, *m, concerns); err != nil {
		return err
	}
	if err := forwardToLinks(tx, *r, *m, with); err != nil {
		return err
	}
	if err := s.queueMail(tx, *m, mail); err != nil {
		return err
	}
	return postElsewhere(tx, *r, *m, with.AsBot)
}

// ApplyMessage changes a request as a message in it requires. A conversation that
// becomes a request by this belongs to the author of the message, and its title and
// priority follow what they ask. A request that did not come from the chat system
// keeps its title, even if an older conversation was merged into it.
func ApplyMessage(tx *store.Tx, col desk.Collection, r *desk.Request, m desk.Message) error {
	_, err := applyMessage(tx, col, r, m)
	return err
}

// applyMessage is ApplyMessage, and reports whether what the requester says concerns a
// member.
func applyMessage(tx *store.Tx, col desk.Collection, r *desk.Request, m desk.Message) (concerns bool, err error) {
	answered, concerns, err := tx.AnsweredLater(m, r.Assignee)
	if err != nil {
		return false, err
	}
	return concerns, hearMessage(tx, col, r, m, answered)
}

// hearMessage changes a request as a message requires. answered says whether the other
// side has said something since.
func hearMessage(tx *store.Tx, col desk.Collection, r *desk.Request, m desk.Message, answered bool) (err error) {
	before := r.Clone()
	r.Hear(m, answered, tx.Now)
	if m.Responder && !m.Private && r.Assignee == nil && m.Author.User != "" && r.State != nil && col.AutoAssign == desk.AssignFirstResponder {
		if err := assignResponder(tx, r, m.Author.User); err != nil {
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

// recordMessage records a new message in the audit log and the feed. For a private
// note the event carries only ids: its own, and those of its request and author.
// Readers of the feed do not get even that.
func recordMessage(tx *store.Tx, by desk.Actor, m desk.Message) error {
	if !m.Private {
		return Record(tx, by, desk.MessageCreated, nil, m)
	}
	if err := tx.Record(desk.Change{By: by, Action: string(desk.MessageCreated), After: m}); err != nil {
		return err
	}
	return tx.Record(desk.Change{By: by, Event: desk.NoteCreated, After: desk.Message{ID: m.ID, Request: m.Request, Author: desk.Requester{User: m.Author.User}, Private: true}})
}

// SaveConversation saves a conversation that a message or a reaction has changed,
// and records what changed. If only times have changed, there is nothing to record.
// If the conversation became a request, it is recorded as a new request.
func (s Setup) SaveConversation(tx *store.Tx, by desk.Actor, before desk.Request, after *desk.Request) error {
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
		if err := Record(tx, by, desk.RequestCreated, nil, *after); err != nil {
			return err
		}
		return tellOfAssignment(tx, by, before, *after)
	}
	return s.SaveRequest(tx, by, before, after)
}

// RefreshCard queues a refresh of a request's card in the triage channel. It does
// nothing if the request has no card.
func RefreshCard(tx *store.Tx, id desk.RequestID) error {
	shown, err := tx.RenewCard(id)
	if err != nil || !shown {
		return err
	}
	return PostSoon(tx, id)
}

// postElsewhere queues posts of a message in the threads where it was not written.
// The requester's thread gets public messages; the triage thread gets all of them.
func postElsewhere(tx *store.Tx, r desk.Request, m desk.Message, asBot bool) error {
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

// MessageParts returns a message as we repeat it elsewhere, split into parts if it
// is long. Only people whom it mentions one by one are notified there.
func MessageParts(m desk.Message) []string { return markup.Split(markup.Quiet(m.HTML), MostPosted) }

// AddPostings queues posts of the parts of a message in a place, beginning with
// part from. A message without text has one part.
func AddPostings(tx *store.Tx, m desk.Message, place desk.PostingPlace, from int, asBot bool) error {
	for part := from; part < max(len(MessageParts(m)), 1); part++ {
		p := desk.Posting{Request: m.Request, Kind: desk.PostedMessage, Place: place, Message: m.ID, Part: part, User: m.Author.User, AsBot: asBot}
		if err := tx.AddPosting(p, rand.Text()); err != nil {
			return err
		}
	}
	return nil
}

// PostSoon queues a job that posts what is pending for a request.
func PostSoon(tx *store.Tx, id desk.RequestID) error {
	return job.Add(tx.Tx, PostRequest{tx.Account, id}, tx.Now, job.Key(requestKey(tx.Account, id)))
}

// AddTakenFiles adds the files that n names to the message. They belong to messages
// that the author has taken back. A problem with them goes into n.Problem, to be
// reported after the problems of the request.
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

// SendWaitingMessage is a job that adds a waiting message to its request when its
// time has come.
type SendWaitingMessage struct {
	Account desk.AccountID
	Message desk.WaitingMessageID
}

func (SendWaitingMessage) Kind() string { return "message.send" }
