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

// What was said in chat may be edited and removed there; this is what follows.

// editSettles is how long after an edit a history is believed to have the last
// of that second; clocks differ by less.
const editSettles = 2 * time.Second

// edited is when the message was edited last, zero if it never was, and whether
// that can be compared. A history knows the second only, and stands for the
// whole of it once that is over.
func (in *Incoming) edited() (at time.Time, sure bool) {
	at = in.EditedAt.Truncate(time.Millisecond) // as it is kept
	if at.IsZero() || in.AsOf.IsZero() {
		return at, true
	}
	if in.AsOf.Before(at.Add(editSettles)) {
		return at, false
	}
	return at.Truncate(time.Second).Add(time.Second - time.Millisecond), true
}

// readAgain has the message read once more, when the second of its last edit is
// over.
func (in *Incoming) readAgain(tx *store.Tx) error {
	return readThread(tx, in.Channel, cmp.Or(in.Thread, in.ID), tx.Now.Add(editSettles))
}

// edit follows what a message that we have has become. What is told late is
// older than what we have.
func (w *Worker) edit(tx *store.Tx, known desk.Message, m Incoming) error {
	at, sure := m.edited()
	html := markup.Sanitize(m.HTML)
	switch {
	case at.IsZero():
		return nil // told again
	case !sure && html == known.HTML && known.EditedAt != nil && known.EditedAt.After(at):
		return nil // an event has told it, and when
	case !sure:
		return m.readAgain(tx)
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
		// What was kept inside stays there; what is now to be goes there.
		var inside bool
		next.HTML, inside = withoutMark(next.HTML)
		next.Private = known.Private || inside
	}
	if next.HTML == known.HTML && next.Private == known.Private {
		return nil
	}
	next.Text = markup.PlainText(next.HTML)
	next.Idle = !next.Responder && len(m.Files) == 0 && !suggest.Judge(next.HTML).IsRequest()
	before, by := r.Clone(), inChat(next.Author.User, next.Author.Name, next.Author.Email)
	if err := rethink(tx, &r, known); err != nil {
		return err
	}
	if err := tx.EditMessage(next); err != nil {
		return err
	}
	if err := tx.Record(change.MessageChange(by, "message.updated", &known, &next)); err != nil {
		return err
	}
	if known.Idle && !next.Idle && (r.State == nil || *r.State != desk.Closed) { // it asks for something now
		if err := change.HearMessage(tx, col, &r, next); err != nil {
			return err
		}
	}
	if err := change.RenameByRules(tx, &r); err != nil {
		return err
	}
	if err := w.change.SuggestAgain(tx, before, &r, known); err != nil {
		return err
	}
	if err := showAgain(tx, next); err != nil {
		return err
	}
	return w.noteTouched(tx, by, before, r)
}

// remove follows the removal of a message. One that is not here yet must not
// come later. A request of which nothing is left, and that nobody has answered,
// is none.
func (w *Worker) remove(tx *store.Tx, gone chat.Removed) error {
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
		return nil // only where it was shown it is gone; it was said elsewhere
	}
	before, by := r.Clone(), inChat(m.Author.User, m.Author.Name, m.Author.Email)
	if err := rethink(tx, &r, m); err != nil {
		return err
	}
	if err := tx.RemoveMessage(m.ID); err != nil {
		return err
	}
	if err := showAgain(tx, m); err != nil {
		return err
	}
	if err := tx.Record(change.MessageChange(by, "message.deleted", &m, nil)); err != nil {
		return err
	}
	left, err := tx.HasMessages(r.ID)
	if err != nil {
		return err
	}
	if !left && r.State != nil && *r.State == desk.Open && r.FirstResponseAt == nil {
		r.Withdraw(tx.Now)
	}
	if err := change.RenameByRules(tx, &r); err != nil { // the title was what is gone
		return err
	}
	if err := w.change.SuggestAgain(tx, before, &r, m); err != nil {
		return err
	}
	return w.noteTouched(tx, by, before, r)
}

// showAgain has what we show of a message elsewhere follow it. It may have
// become longer than what is there.
func showAgain(tx *store.Tx, m desk.Message) error {
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

// noteTouched keeps a request one of whose messages has changed, and tells the
// feed, which has no event of its own for that.
func (w *Worker) noteTouched(tx *store.Tx, by desk.Actor, before, after desk.Request) error {
	if after.State != nil && *after.State == desk.Closed {
		return tx.Record(desk.Change{By: by, Event: desk.RequestUpdated, After: after})
	}
	after.UpdatedAt = tx.Now
	if !before.SameAs(after) {
		return w.change.SaveHeard(tx, by, before, &after)
	}
	if err := tx.SaveRequest(before, &after); err != nil {
		return err
	}
	return tx.Record(desk.Change{By: by, Event: desk.RequestUpdated, After: after})
}
