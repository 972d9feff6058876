package worker

import (
	"cmp"
	"context"
	"strings"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/heard"
	"frontdesk/internal/markup"
	"frontdesk/internal/store"
	"frontdesk/internal/suggest"
)

// Messages from the chat system come in here. An event reports them or a history
// contains them; both lead to the same transaction. A message is identified by its
// channel and id, so a second report changes nothing. What follows from messages
// does not depend on the order in which they are reported.

// takeEventMessage takes in a message of an event, unless it is one of ours.
func (w *Worker) takeEventMessage(ctx context.Context, c store.AccountIntegration, m chat.Message) error {
	if m.Own {
		return nil
	}
	in := Incoming{Message: m, Workspace: c.Integration.ExternalID}
	return w.store.Write(ctx, c.Account, func(tx *store.Tx) error { return w.TakeMessage(tx, in) })
}

// TakeMessage takes in a message that is not one of ours. What it becomes depends
// on its channel and thread.
func (w *Worker) TakeMessage(tx *store.Tx, m Incoming) error {
	if err := takeCopyReply(tx, m.Message); err != nil {
		return err
	}
	uses, err := tx.ChannelUses([]string{m.Channel})
	if err != nil || len(uses) == 0 {
		return err
	}
	switch known, removed, err := tx.MessageAt(m.Channel, m.ID); {
	case desk.KindOf(err) == desk.NotFound:
	case err != nil || removed:
		return err
	default:
		return w.editMessage(tx, known, m)
	}
	if not, err := isOutOfScope(tx, m); err != nil || not {
		return err
	}
	in := &m // a copy, because the transaction may run again
	in.use = uses[0]
	switch {
	case in.use.Purpose == desk.ForTriage && m.Thread != "":
		err = w.takeTriageReply(tx, in)
	case in.use.Purpose == desk.ForTriage, in.use.Purpose == desk.ForRequests && m.Thread == "":
		return nil // the team talks among themselves
	case m.Thread != "":
		err = w.takeReply(tx, in)
	default:
		err = w.takeTopLevel(tx, in)
	}
	if err != nil || in.stored.ID == 0 {
		return err
	}
	return w.takeFilesAndReactions(tx, in)
}

// chatSkew is by how much the clocks of the chat system and of this machine may
// differ.
const chatSkew = 5 * time.Minute

// isOutOfScope reports whether a message that we do not have must stay out. Either
// it was removed, or it is from before the channel belonged to a collection and is
// reported only because it was edited or answered.
func isOutOfScope(tx *store.Tx, m Incoming) (bool, error) {
	if gone, err := tx.Forgotten(m.Channel, m.ID); err != nil || gone {
		return gone, err
	}
	if m.AsOf.IsZero() && m.EditedAt.IsZero() {
		return false, nil // an event reports it as it is written
	}
	read, err := heard.ReadingOf(tx, m.Channel)
	if desk.KindOf(err) == desk.NotFound {
		return false, nil
	}
	return m.At.Before(read.Since.Add(-chatSkew)), err
}

// Incoming is a message of the chat system on its way in.
type Incoming struct {
	chat.Message
	Workspace string
	use       desk.ChannelUse // what the channel is for
	AsOf      time.Time       // when its history was read; zero if an event reported it
	read      bool            // it comes from the history of its thread, which includes the beginning
	ours      bool            // the thread begins with a message of ours

	col    desk.Collection
	by     desk.Actor
	stored desk.Message // as we store it; without an id until it is stored
	ignore bool         // it is from a bot, and the collection does not allow bots
}

// convert reads who wrote the message and turns it into a message of a collection.
func (in *Incoming) convert(tx *store.Tx, col desk.Collection) error {
	person, user, err := tx.Responding(in.Author)
	if err != nil {
		return err
	}
	if user.ID == "" && in.Author != "" { // a new user, who is not in our directory yet
		if err := change.SyncDirectoryAt(tx, tx.Now.Add(change.SyncSettle), chat.People); err != nil {
			return err
		}
	}
	in.col = col
	in.ignore = (in.Bot || person.IsBot || in.Author == "") && !col.AllowBots
	in.by = chatActor(desk.CleanText(in.Author), user.Name, user.Email)
	in.stored = desk.Message{
		Author: desk.Requester{User: desk.CleanText(in.Author), Name: user.Name, Email: user.Email, Avatar: user.Avatar},
		HTML:   markup.Sanitize(in.HTML), Responder: col.IsResponder(person), Bot: in.Bot || person.IsBot, Source: desk.SourceChat,
		Channel: in.Channel, External: in.ID, Thread: in.Thread, CreatedAt: in.At,
	}
	if at, _ := in.editTime(); !at.IsZero() {
		in.stored.EditedAt = &at
	}
	in.setMeaning()
	return nil
}

// setMeaning sets what follows from the text of the message.
func (in *Incoming) setMeaning() {
	in.stored.Text = markup.PlainText(in.stored.HTML)
	in.stored.Idle = !in.stored.Responder && len(in.Files) == 0 && !suggest.Judge(in.stored.HTML).IsRequest()
}

// takeTopLevel takes in a message at the top level of a channel. It continues what
// its author is saying there, or begins a conversation. That conversation may exist
// already, if a reply to the message was reported first.
func (w *Worker) takeTopLevel(tx *store.Tx, in *Incoming) error {
	begun, err := tx.RequestAt(in.Channel, in.ID)
	if err != nil {
		return err
	}
	if begun != 0 {
		return w.takeAnswer(tx, in, begun)
	}
	col, err := tx.Collection(in.use.Collection)
	if err != nil {
		return err
	}
	if err := in.convert(tx, col); err != nil || in.ignore {
		return err
	}
	r, found, err := w.findContinued(tx, in)
	if err != nil {
		return err
	}
	if !found {
		return w.beginConversation(tx, in, nil)
	}
	if err := in.becomeFirst(tx, &r); err != nil {
		return err
	}
	return w.change.AddMessage(tx, in.by, col, &r, &in.stored, change.Extras{})
}

// becomeFirst makes the message the first of a conversation if it was written
// before all others but is reported only now. If somebody has answered, the thread
// stays where it is.
func (in *Incoming) becomeFirst(tx *store.Tx, r *desk.Request) error {
	if !in.At.Before(r.CreatedAt) {
		return nil
	}
	r.CreatedAt = in.At
	if r.FirstResponseAt == nil {
		r.Thread = &desk.Thread{Workspace: in.Workspace, Channel: in.Channel, Message: in.ID, URL: in.Link}
	}
	return tx.BackdateRequest(r.ID, in.At)
}

// findContinued finds the conversation that a top-level message continues: the
// nearest one of its author, before or after, that nobody had answered by then. It
// looks after the message too, because messages may be reported out of order.
func (w *Worker) findContinued(tx *store.Tx, in *Incoming) (r desk.Request, found bool, err error) {
	window := time.Duration(in.col.GroupingMinutes) * time.Minute
	if window <= 0 || in.Author == "" {
		return r, false, nil
	}
	before, after, err := tx.Beside(in.Channel, in.Author, in.At)
	if err != nil {
		return r, false, err
	}
	for _, id := range []desk.RequestID{before, after} {
		if id == 0 {
			continue
		}
		if r, err = tx.Request(id, desk.Everything); err != nil {
			return r, false, err
		}
		if !r.Continues(in.stored, window) {
			continue
		}
		if answered, err := tx.Answered(r, in.At); err != nil || !answered {
			return r, err == nil, err
		}
	}
	return r, false, nil
}

// beginConversation starts a conversation with a message, at the top level or in
// the thread of a closed one. The closed one is then its parent.
func (w *Worker) beginConversation(tx *store.Tx, in *Incoming, parent *desk.Request) error {
	title, priority := change.TitleAndPriority(tx.Account, in.stored.HTML)
	thread := desk.Thread{Workspace: in.Workspace, Channel: in.Channel, Message: cmp.Or(in.Thread, in.ID), URL: in.Link}
	if parent != nil && parent.Thread != nil {
		thread.URL = parent.Thread.URL
	}
	r := desk.Conversation(in.col, desk.ChannelRef{ID: in.Channel}, thread, in.stored, title, priority, tx.Now)
	if parent != nil {
		r.Parent = &parent.ID
	}
	var err error
	if r.Customer, err = change.CustomerFor(tx, r); err != nil {
		return err
	}
	if err := tx.AddRequest(&r); err != nil {
		return err
	}
	in.stored.Request = r.ID
	if err := tx.AddMessage(&in.stored); err != nil {
		return err
	}
	if r.State == nil {
		return change.Record(tx, in.by, desk.MessageCreated, nil, in.stored)
	}
	before := r.Clone()
	if err := change.BecomeRequest(tx, in.col, &r); err != nil {
		return err
	}
	if err := w.change.Suggest(tx, &r, in.stored); err != nil {
		return err
	}
	if !before.SameAs(r) {
		if err := tx.SaveRequest(before, &r); err != nil {
			return err
		}
	}
	if err := change.StartClocks(tx, &r, true); err != nil {
		return err
	}
	if r, err = tx.Made(r); err != nil {
		return err
	}
	return change.Record(tx, in.by, desk.RequestCreated, nil, r)
}

// takeReply takes in a reply in the thread of a conversation, or the first reply in
// the thread of an announcement. If the beginning of the thread was not reported
// yet, it queues reading the thread.
func (w *Worker) takeReply(tx *store.Tx, in *Incoming) error {
	id, err := tx.RequestAt(in.Channel, in.Thread)
	if err != nil {
		return err
	}
	announced, err := heard.IsCopy(tx, in.Channel, in.Thread)
	if err != nil {
		return err
	}
	switch {
	case id == 0 && in.use.Purpose == desk.ForRequests:
		return nil // not about a request, or about one whose post we do not know yet; then the thread is read later
	case id == 0 && announced:
		return w.beginReply(tx, in)
	case id == 0 && !in.read:
		return readThreadSoon(tx, in.Channel, in.Thread)
	case id == 0 && in.ours:
		return nil // we do not know yet that our post is there; then the thread is read again
	case id == 0: // the beginning of the thread is gone
		return w.beginReply(tx, in)
	}
	return w.takeAnswer(tx, in, id)
}

// takeAnswer takes in a message of an existing conversation.
func (w *Worker) takeAnswer(tx *store.Tx, in *Incoming, id desk.RequestID) error {
	r, col, err := requestOf(tx, id)
	if err != nil {
		return err
	}
	if err := in.convert(tx, col); err != nil || in.ignore {
		return err
	}
	if r.Closed() {
		return w.beginConversation(tx, in, &r)
	}
	return w.change.AddMessage(tx, in.by, col, &r, &in.stored, change.Extras{})
}

// requestOf returns a request and its collection.
func requestOf(tx *store.Tx, id desk.RequestID) (desk.Request, desk.Collection, error) {
	r, err := tx.Request(id, desk.Everything)
	if err != nil {
		return r, desk.Collection{}, err
	}
	col, err := change.CollectionOf(tx, r)
	return r, col, err
}

// beginReply starts a conversation with a reply.
func (w *Worker) beginReply(tx *store.Tx, in *Incoming) error {
	col, err := tx.Collection(in.use.Collection)
	if err != nil {
		return err
	}
	if err := in.convert(tx, col); err != nil || in.ignore {
		return err
	}
	return w.beginConversation(tx, in, nil)
}

// privateMark is the mark with which private notes in a triage thread begin.
const privateMark = "//"

// takeTriageReply takes in a reply in the thread of a card. Only the team writes
// there. The requester gets the reply unless it is a private note.
func (w *Worker) takeTriageReply(tx *store.Tx, in *Incoming) error {
	id, err := tx.TriagedAt(in.Channel, in.Thread)
	if err != nil || id == 0 {
		return err
	}
	r, col, err := requestOf(tx, id)
	if err != nil {
		return err
	}
	if err := in.convert(tx, col); err != nil || in.ignore {
		return err
	}
	in.stored.Responder, in.stored.Idle = true, false
	in.stored.HTML, in.stored.Private = cutPrivateMark(in.stored.HTML)
	in.stored.Text = markup.PlainText(in.stored.HTML)
	if r.Closed() {
		if err := tx.ForgetMessage(in.Channel, in.ID); err != nil { // so that a second report does not notify them again
			return err
		}
		return notifyInChannelSoon(tx, in.Channel, in.Thread, in.Author, "This request is closed, so your reply was not sent. Undo the closing first, or write to the requester in a new thread.")
	}
	return w.change.AddMessage(tx, in.by, col, &r, &in.stored, change.Extras{})
}

// cutPrivateMark returns a text of the triage thread without the mark of a private
// note, and whether it is one.
func cutPrivateMark(html string) (rest string, inside bool) {
	if rest, inside = markup.CutPrefix(html, privateMark); inside {
		return rest, true
	}
	// A text that only looks marked must not get out either.
	return html, strings.HasPrefix(strings.TrimSpace(markup.PlainText(html)), privateMark)
}

// takeFilesAndReactions takes in what came with a message: its files, which are
// fetched later, and reactions that were reported before it.
func (w *Worker) takeFilesAndReactions(tx *store.Tx, in *Incoming) error {
	if _, sure := in.editTime(); !sure {
		if err := in.readAgainLater(tx); err != nil {
			return err
		}
	}
	for _, f := range in.Files {
		file := store.IncomingFile{Message: in.stored.ID, External: desk.CleanText(f.ID), Name: desk.FileName(desk.CleanText(f.Name)), Type: desk.FileType(f.Type)}
		if err := tx.AddIncomingFile(in.stored.Request, file); err != nil {
			return err
		}
	}
	if len(in.Files) > 0 {
		if err := change.PostSoon(tx, in.stored.Request); err != nil {
			return err
		}
	}
	return w.applyReactions(tx, in.Channel, in.ID)
}
