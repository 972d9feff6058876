package worker

import (
	"cmp"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/markup"
	"frontdesk/internal/store"
	"frontdesk/internal/suggest"
)

// Messages in chat may be edited and removed there. This file handles what follows
// from that.

// editSettles is how long after an edit a history contains the last edit of that
// second. The clocks differ by less.
const editSettles = 2 * time.Second

// editTime returns when the message was last edited, or zero if never. sure says
// whether that time can be compared. A history has only the second of an edit. Once
// that second is over, the message in the history is the last one of the second.
func (in *Incoming) editTime() (at time.Time, sure bool) {
	at = in.EditedAt.Truncate(time.Millisecond) // as it is stored
	if at.IsZero() || in.AsOf.IsZero() {
		return at, true
	}
	if in.AsOf.Before(at.Add(editSettles)) {
		return at, false
	}
	return at.Truncate(time.Second).Add(time.Second - time.Millisecond), true
}

// readAgainLater queues reading the message again after the second of its last edit
// is over.
func (in *Incoming) readAgainLater(tx *store.Tx) error {
	return readThreadAt(tx, in.Channel, cmp.Or(in.Thread, in.ID), tx.Now.Add(editSettles))
}

// editMessage handles the edit of a message that we have. An edit that is reported
// late is older than what we have, and is ignored.
func (w *Worker) editMessage(tx *store.Tx, known desk.Message, m Incoming) error {
	at, sure := m.editTime()
	html := markup.Sanitize(m.HTML)
	switch {
	case at.IsZero():
		return nil // the same message was reported again
	case !sure && html == known.HTML && known.EditedAt != nil && known.EditedAt.After(at):
		return nil // an event has reported this edit with its exact time
	case !sure:
		return m.readAgainLater(tx)
	case known.EditedAt != nil && at.Before(*known.EditedAt):
		return nil
	}
	r, col, err := requestOf(tx, known.Request)
	if err != nil {
		return err
	}
	next := known
	next.HTML, next.EditedAt = html, &at
	if r.Triage != nil && known.Channel == r.Triage.Channel {
		// A private note stays private. A message that now has the mark becomes private.
		var inside bool
		next.HTML, inside = cutPrivateMark(next.HTML)
		next.Private = known.Private || inside
	}
	if next.HTML == known.HTML && next.Private == known.Private {
		return nil
	}
	next.Text = markup.PlainText(next.HTML)
	next.Idle = !next.Responder && len(m.Files) == 0 && !suggest.Judge(next.HTML).IsRequest()
	before, by := r.Clone(), chatActor(next.Author.User, next.Author.Name, next.Author.Email)
	if err := dropModelTitle(tx, &r, known); err != nil {
		return err
	}
	if err := tx.EditMessage(next); err != nil {
		return err
	}
	if err := change.Record(tx, by, "message.updated", known, next); err != nil {
		return err
	}
	if known.Idle && !next.Idle && !r.Closed() { // now the message asks for something
		if err := change.ApplyMessage(tx, col, &r, next); err != nil {
			return err
		}
	}
	if err := change.RenameByRules(tx, &r); err != nil {
		return err
	}
	if err := w.change.SuggestAgain(tx, before, &r, known); err != nil {
		return err
	}
	if err := refreshPosts(tx, next); err != nil {
		return err
	}
	return w.saveTouchedRequest(tx, by, before, r)
}

// removeMessage handles the removal of a message. If we do not have the message
// yet, it must not be added later. A request without any messages left that nobody
// has answered is no longer a request.
func (w *Worker) removeMessage(tx *store.Tx, gone chat.Removed) error {
	if err := removeCopyReply(tx, gone); err != nil {
		return err
	}
	uses, err := tx.ChannelUses([]string{gone.Channel})
	if err != nil || len(uses) == 0 {
		return err
	}
	m, removed, err := tx.MessageAt(gone.Channel, gone.ID)
	switch {
	case desk.KindOf(err) == desk.NotFound:
		return tx.ForgetMessage(gone.Channel, gone.ID)
	case err != nil || removed:
		return err
	}
	r, err := tx.Request(m.Request, desk.Everything)
	if err != nil {
		return err
	}
	if r.Source != desk.FromChat && r.Thread != nil && r.Thread.Channel == m.Channel && r.Thread.Message == m.External {
		return nil // only our copy is gone; the message was written elsewhere
	}
	before, by := r.Clone(), chatActor(m.Author.User, m.Author.Name, m.Author.Email)
	if err := dropModelTitle(tx, &r, m); err != nil {
		return err
	}
	if err := tx.RemoveMessage(m.ID); err != nil {
		return err
	}
	if err := refreshPosts(tx, m); err != nil {
		return err
	}
	if err := change.Record(tx, by, "message.deleted", m, nil); err != nil {
		return err
	}
	left, err := tx.HasMessages(r.ID)
	if err != nil {
		return err
	}
	if !left && r.In(desk.Open) && r.FirstResponseAt == nil {
		r.Withdraw(tx.Now)
	}
	if err := change.RenameByRules(tx, &r); err != nil { // the title may come from the removed message
		return err
	}
	if err := w.change.SuggestAgain(tx, before, &r, m); err != nil {
		return err
	}
	return w.saveTouchedRequest(tx, by, before, r)
}

// refreshPosts queues updates of what we show of a message elsewhere. An edited
// message may have become longer and need more posts.
func refreshPosts(tx *store.Tx, m desk.Message) error {
	shown, err := tx.RenewPostings(m.ID)
	if err != nil || !shown {
		return err
	}
	for _, place := range []desk.PostingPlace{desk.InThread, desk.InTriage} {
		have, err := tx.PostedParts(m.ID, place)
		if err != nil {
			return err
		}
		if have == 0 {
			continue
		}
		if err := change.AddPostings(tx, m, place, have, false); err != nil {
			return err
		}
	}
	return change.PostSoon(tx, m.Request)
}

// saveTouchedRequest saves a request after one of its messages was edited or
// removed. It records an update of the request, because the feed has no event for
// such a message.
func (w *Worker) saveTouchedRequest(tx *store.Tx, by desk.Actor, before, after desk.Request) error {
	if after.Closed() {
		return tx.Record(desk.Change{By: by, Event: desk.RequestUpdated, After: after})
	}
	after.UpdatedAt = tx.Now
	if !before.SameAs(after) {
		return w.change.SaveConversation(tx, by, before, &after)
	}
	if err := tx.SaveRequest(before, &after); err != nil {
		return err
	}
	return tx.Record(desk.Change{By: by, Event: desk.RequestUpdated, After: after})
}
