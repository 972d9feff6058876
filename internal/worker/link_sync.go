package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"strings"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/markup"
	"frontdesk/internal/store"
	"frontdesk/internal/tracker"
)

// One job for each link keeps a request and a ticket of another system in line. It
// posts pending messages as comments there, and reads the ticket and its comments.
// Whatever started the job (a change here, a call from there, or the clock), it
// looks at both sides as they are now. So a call that comes twice, late or not at
// all only changes how soon things happen. A state that we took over from the other
// side does not count as a change of ours.

const (
	// LinkEvery is how often linked tickets are read, in case nobody reported a
	// change.
	LinkEvery = 10 * time.Minute
	// mostComment is how many characters of a message a comment in another system
	// contains.
	mostComment = 20000
	// trackerSkew is by how much the clocks may differ. Some systems also store only
	// seconds.
	trackerSkew = 2 * time.Second
)

func (w *Worker) syncLink(ctx context.Context, j *job.Job, a change.SyncLink) error {
	var l desk.TicketLink
	err := w.store.Read(ctx, a.Account, func(tx *store.Tx) (err error) {
		l, err = tx.Link(a.Link)
		return err
	})
	if err != nil {
		return desk.IgnoreMissing(err) // it was removed while the job waited
	}
	return trackerJob(w.outside.WithTracker(ctx, a.Account, l.Ticket.Type, func(i desk.Integration, t tracker.Tracker) error {
		x := linkSync{w: w, account: a.Account, id: a.Link, in: i, tracker: t, holder: fmt.Sprintf("%s %d %d", w.process, j.ID, j.Attempt)}
		if _, err := x.hold(ctx); err != nil {
			return err
		}
		err := x.run(ctx)
		if desk.KindOf(err) == desk.NotFound {
			w.log.Warn("a linked ticket was not found", "account", int64(a.Account), "system", string(l.Ticket.Type), "ticket", l.Name)
		}
		if desk.KindOf(err) == desk.Unavailable {
			return err // the call may still take effect, so nobody may try before the hold ends
		}
		return errors.Join(err, x.release(ctx))
	}))
}

// linkSync is one run of the job that syncs a link.
type linkSync struct {
	w       *Worker
	account desk.AccountID
	id      desk.LinkID
	in      desk.Integration
	tracker tracker.Tracker
	holder  string
}

// hold reserves the ticket for this run, for longer than a call can last, and
// returns the link as it is now. It returns a Snooze if another run has it.
func (x linkSync) hold(ctx context.Context) (l desk.TicketLink, err error) {
	err = x.w.store.Write(ctx, x.account, func(tx *store.Tx) error {
		l, err = x.holdIn(tx)
		return err
	})
	return l, err
}

func (x linkSync) holdIn(tx *store.Tx) (desk.TicketLink, error) {
	held, err := tx.HoldLink(x.id, x.holder, tx.Now.Add(holdTime))
	if err != nil {
		return desk.TicketLink{}, err
	}
	if !held {
		return desk.TicketLink{}, job.Snooze(time.Second) // the holder may have read this side before our change
	}
	return tx.Link(x.id)
}

func (x linkSync) release(ctx context.Context) error {
	return x.w.store.Write(context.WithoutCancel(ctx), x.account, func(tx *store.Tx) error { return tx.ReleaseLink(x.id, x.holder) })
}

func (x linkSync) run(ctx context.Context) error {
	if err := x.identifyTicket(ctx); err != nil {
		return err
	}
	if err := x.postComments(ctx); err != nil {
		return err
	}
	if err := x.readComments(ctx); err != nil {
		return err
	}
	return x.compareStates(ctx)
}

// call makes one call with a time limit.
func call[R any](ctx context.Context, fn func(context.Context) (R, error)) (R, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return fn(ctx)
}

// noTicket is the status of a ticket that does not exist.
const noTicket = "not found"

// identifyTicket reads the ticket for the first time. If it does not exist, the
// team is told once; it may exist later.
func (x linkSync) identifyTicket(ctx context.Context) error {
	l, err := x.hold(ctx)
	if err != nil || l.External != "" {
		return err
	}
	t, err := call(ctx, func(ctx context.Context) (tracker.Ticket, error) { return x.tracker.Ticket(ctx, l.Name) })
	if desk.KindOf(err) == desk.NotFound {
		return errors.Join(err, x.w.store.Write(ctx, x.account, x.noteMissingTicket))
	}
	if err != nil {
		return err
	}
	return x.w.store.Write(ctx, x.account, func(tx *store.Tx) error {
		l, err := tx.Link(x.id)
		if err != nil {
			return err
		}
		l.External, l.Ticket.Key, l.Ticket.URL = desk.CleanText(t.ID), desk.CleanText(t.Key), desk.CleanText(t.URL)
		l.StatusID, l.StatusName = desk.CleanText(t.Status.ID), desk.CleanText(t.Status.Name)
		if err := tx.SaveLink(l); err != nil {
			return err
		}
		return change.RefreshCard(tx, l.Request)
	})
}

// noteMissingTicket adds a private note that there is no such ticket.
func (x linkSync) noteMissingTicket(tx *store.Tx) error {
	l, err := tx.Link(x.id)
	if err != nil || l.StatusName == noTicket {
		return err
	}
	l.StatusName = noTicket
	if err := tx.SaveLink(l); err != nil {
		return err
	}
	r, col, err := requestOf(tx, l.Request)
	if err != nil {
		return err
	}
	m := desk.Message{Author: desk.Requester{Name: l.Ticket.Type.SystemName()}, Private: true, Responder: true, Source: desk.SourceTracker, CreatedAt: tx.Now}
	m.HTML = markup.FromText(l.Ticket.Type.SystemName() + " has no ticket " + l.Name + ". Unlink it and link the right one.")
	m.Text = markup.PlainText(m.HTML)
	return x.w.change.AddMessage(tx, x.actor(l), col, &r, &m, change.Extras{AsBot: true})
}

// postComments posts the pending comments on the ticket, one after the other.
func (x linkSync) postComments(ctx context.Context) error {
	for {
		var l desk.TicketLink
		var c store.LinkComment
		var said *tracker.Said
		err := x.w.store.Write(ctx, x.account, func(tx *store.Tx) (err error) {
			said = nil
			if l, err = x.holdIn(tx); err != nil {
				return err
			}
			var more bool
			if c, more, err = tx.NextComment(x.id); err != nil || !more {
				return err
			}
			said = &tracker.Said{Key: c.Key, Again: c.Tried}
			said.HTML, err = x.composeComment(tx, c)
			return err
		})
		if err != nil || said == nil {
			return err
		}
		id, failure := "", "the message was removed or made private first"
		if said.HTML != "" {
			failure = ""
			id, err = call(ctx, func(ctx context.Context) (string, error) { return x.tracker.Say(ctx, l.External, *said) })
		}
		switch kind := desk.KindOf(err); {
		case errors.Is(err, tracker.ErrLost):
			return err
		case kind == desk.NotFound, kind == desk.Forbidden, kind == desk.Invalid, kind == desk.Refused, kind == desk.TooLarge:
			failure = err.Error()
			x.w.log.Warn("a message could not be added as a comment to a linked ticket", "account", int64(x.account), "ticket", l.Ticket.Key, "reason", err)
		case err != nil:
			return err
		}
		err = x.w.store.Write(ctx, x.account, func(tx *store.Tx) error { return tx.FinishComment(c, id, failure) })
		if err != nil {
			return err
		}
	}
}

// composeComment returns a message as a comment, with its author and the names of
// its files. It returns an empty string if the message was removed or made private.
func (x linkSync) composeComment(tx *store.Tx, c store.LinkComment) (string, error) {
	m, err := tx.Message(c.Message)
	if err != nil || m.Private {
		return "", desk.IgnoreMissing(err)
	}
	text := "<p><strong>" + html.EscapeString(change.RequesterName(m.Author)) + "</strong>:</p>" + firstPart(markup.Quiet(m.HTML), mostComment)
	var names []string
	for _, f := range m.Attachments {
		names = append(names, f.Name)
	}
	if len(names) > 0 {
		text += "<p>Files: " + html.EscapeString(strings.Join(names, ", ")) + "</p>"
	}
	return markup.Sanitize(text), nil
}

// readComments takes over comments that were added since the ticket was last read.
func (x linkSync) readComments(ctx context.Context) error {
	for {
		l, err := x.hold(ctx)
		if err != nil {
			return err
		}
		page, err := call(ctx, func(ctx context.Context) (tracker.Comments, error) {
			return x.tracker.Comments(ctx, l.External, l.Cursor)
		})
		if err != nil {
			return err
		}
		err = x.w.store.Write(ctx, x.account, func(tx *store.Tx) error {
			l, err := tx.Link(x.id)
			if err != nil {
				return err
			}
			for _, c := range page.Comments {
				if err := x.takeComment(tx, l, c); err != nil {
					return err
				}
			}
			if l.Cursor = page.Next; l.Cursor == "" && !page.More {
				return nil
			}
			return tx.SaveLink(l)
		})
		if err != nil || !page.More {
			return err
		}
	}
}

// takeComment takes over one comment unless we have it. Comments from before the
// request was linked are not part of its conversation.
func (x linkSync) takeComment(tx *store.Tx, l desk.TicketLink, c tracker.Comment) error {
	if known, err := tx.KnowsComment(l.ID, c.ID, c.Key); err != nil || known || !l.Backward || c.At.Before(l.CreatedAt.Add(-trackerSkew)) {
		return err
	}
	r, col, err := requestOf(tx, l.Request)
	if err != nil {
		return err
	}
	m := desk.Message{Author: desk.Requester{Name: desk.CleanText(c.Author.Name), Email: desk.CleanText(c.Author.Email)}, Private: c.Private || l.Ticket.Type.TalksInside(), Source: desk.SourceTracker, CreatedAt: commentTime(c.At, tx.Now)}
	if m.Author.Name == "" && m.Author.Email == "" {
		m.Author.Name = l.Ticket.Type.SystemName()
	}
	m.HTML = markup.Sanitize(c.HTML)
	if m.Text = markup.PlainText(m.HTML); m.Text == "" {
		return nil // nothing is left that we could show
	}
	m.Responder = m.Author.Email == "" || desk.FoldEmail(m.Author.Email) != desk.FoldEmail(r.Author.Email)
	by := desk.Actor{Name: cmp.Or(m.Author.Name, m.Author.Email), Email: m.Author.Email, Source: desk.SourceTracker}
	return x.w.change.AddMessage(tx, by, col, &r, &m, change.Extras{AsBot: true, FromLink: l.ID, CommentID: desk.CleanText(c.ID)})
}

// commentTime returns when a comment was written. Some systems store only seconds;
// then it returns the end of that second, so that the comment comes after what was
// said here in the same second.
func commentTime(at, now time.Time) time.Time {
	if at.Nanosecond() == 0 {
		at = at.Add(time.Second - time.Millisecond)
	}
	if at.After(now) {
		return now
	}
	return at
}

// actor returns the actor of changes for which the other system names nobody.
func (x linkSync) actor(l desk.TicketLink) desk.Actor {
	return desk.Actor{Name: l.Ticket.Type.SystemName(), Source: desk.SourceTracker}
}

// compareStates looks at the state of both sides, and updates the side that has not
// changed since they were last compared. If both have changed, the ticket decides.
func (x linkSync) compareStates(ctx context.Context) error {
	l, err := x.hold(ctx)
	if err != nil {
		return err
	}
	t, err := call(ctx, func(ctx context.Context) (tracker.Ticket, error) { return x.tracker.Ticket(ctx, l.External) })
	if err != nil {
		return err
	}
	var wish *desk.State
	err = x.w.store.Write(ctx, x.account, func(tx *store.Tx) (err error) {
		wish, err = x.compareStatesIn(tx, t)
		return err
	})
	if err != nil || wish == nil {
		return err
	}
	status, err := call(ctx, func(ctx context.Context) (tracker.Status, error) { return x.tracker.SetStatus(ctx, l.External, *wish) })
	if kind := desk.KindOf(err); kind == desk.Refused || kind == desk.Invalid || kind == desk.Forbidden {
		x.w.log.Warn("the status of a linked ticket could not be set", "account", int64(x.account), "ticket", l.Ticket.Key, "reason", err)
		status, err = t.Status, nil // the ticket keeps its status
	}
	if err != nil {
		return err
	}
	return x.w.store.Write(ctx, x.account, func(tx *store.Tx) error {
		l, err := tx.Link(x.id)
		if err != nil {
			return err
		}
		l.StatusID, l.StatusName, l.State = desk.CleanText(status.ID), desk.CleanText(status.Name), *wish
		return tx.SaveLink(l)
	})
}

// compareStatesIn applies the status of a ticket to the request. It returns the
// state that the ticket should get, or nil if it should stay as it is.
func (x linkSync) compareStatesIn(tx *store.Tx, t tracker.Ticket) (wish *desk.State, err error) {
	l, err := tx.Link(x.id)
	if err != nil {
		return nil, err
	}
	r, err := tx.Request(l.Request, desk.Everything)
	if err != nil {
		return nil, err
	}
	theirs := l.StatusID != "" && l.StatusID != desk.CleanText(t.Status.ID)
	l.Ticket.Key, l.Ticket.URL, l.StatusID, l.StatusName = desk.CleanText(t.Key), desk.CleanText(t.URL), desk.CleanText(t.Status.ID), desk.CleanText(t.Status.Name)
	if theirs && l.NotifyStatus {
		if err := change.PostAlert(tx, r, "<p>"+change.TicketHTML(l)+" is now <strong>"+html.EscapeString(l.StatusName)+"</strong>.</p>"); err != nil {
			return nil, err
		}
	}
	if r.State != nil && !l.Task && x.in.Settings.Status {
		ours, done := *r.State != l.State, t.Status.Means[0].Done()
		switch {
		case r.State.Done() == done || *r.State == desk.Closed && !ours:
		case theirs && *r.State != desk.Closed:
			if r, err = x.followTicket(tx, l, r, t.Status.Means[0]); err != nil {
				return nil, err
			}
		case ours:
			wish = r.State
		}
	}
	if r.State != nil && wish == nil {
		l.State = *r.State
	}
	if err := tx.SaveLink(l); err != nil {
		return nil, err
	}
	next := tx.Now
	if r.State != nil && *r.State == desk.Closed {
		next = tx.Now.AddDate(100, 0, 0) // from now on only when a change is reported
	}
	return wish, tx.ReadLink(l.ID, next)
}

// followTicket gives a request the state that the status of its ticket means.
func (x linkSync) followTicket(tx *store.Tx, l desk.TicketLink, r desk.Request, state desk.State) (desk.Request, error) {
	before := r.Clone()
	if err := r.Apply(desk.RequestChange{State: &state}, desk.RequestRules{OnHoldAllowed: true}, tx.Now); err != nil {
		return r, err
	}
	err := x.w.change.SaveRequest(tx, x.actor(l), before, &r)
	return r, err
}

func (w *Worker) readLinks(ctx context.Context, _ *job.Job, _ change.ReadLinks) error {
	for kind := range w.outside.Trackers {
		connected, err := w.store.Connected(ctx, kind)
		if err != nil {
			return err
		}
		for _, c := range connected {
			if err := w.readLinksOf(ctx, c.Account, desk.TicketType(kind)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *Worker) readLinksOf(ctx context.Context, account desk.AccountID, system desk.TicketType) error {
	const atOnce = 200
	for after := desk.LinkID(0); ; {
		var ids []desk.LinkID
		err := w.store.Write(ctx, account, func(tx *store.Tx) (err error) {
			if ids, err = tx.UnreadLinks(system, tx.Now.Add(-LinkEvery), after, atOnce); err != nil {
				return err
			}
			for _, id := range ids {
				if err := change.SyncLinkSoon(tx, id); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || len(ids) < atOnce {
			return err
		}
		after = ids[len(ids)-1]
	}
}
