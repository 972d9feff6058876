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

// A request and a ticket of another system are kept in line by one job a link. It
// says there what is to be said, and reads the ticket and what was said about it;
// whatever made it run, a change here, a call from there or the clock, it looks at
// both sides as they are. So a call that comes twice, late or not at all changes
// nothing but the moment, and what was done by the other side's wish is no wish
// of ours.

const (
	// LinkEvery is how often linked tickets are read, for what nobody told us.
	LinkEvery = 10 * time.Minute
	// mostComment is how much of a message is said in another system.
	mostComment = 20000
	// clockSlack is how far the clocks may be apart; some systems also keep seconds
	// only.
	clockSlack = 2 * time.Second
)

func (w *Worker) syncLink(ctx context.Context, j *job.Job, a change.SyncLink) error {
	var l desk.TicketLink
	err := w.store.Read(ctx, a.Account, func(tx *store.Tx) (err error) {
		l, err = tx.Link(a.Link)
		return err
	})
	if err != nil {
		return err
	}
	return trackerJob(w.outside.WithTracker(ctx, a.Account, l.Ticket.Type, func(i desk.Integration, t tracker.Tracker) error {
		x := exchange{w: w, account: a.Account, id: a.Link, in: i, tracker: t, holder: fmt.Sprintf("%s %d %d", w.process, j.ID, j.Attempt)}
		if _, err := x.hold(ctx); err != nil {
			return err
		}
		err := x.run(ctx)
		if desk.KindOf(err) == desk.NotFound {
			w.log.Warn("a linked ticket is not there", "account", int64(a.Account), "system", string(l.Ticket.Type), "ticket", l.Name)
		}
		if desk.KindOf(err) == desk.Unavailable {
			return err // it may still be on its way: nobody is to try before the hold ends
		}
		return errors.Join(err, x.release(ctx))
	}))
}

// exchange is one run of the job.
type exchange struct {
	w       *Worker
	account desk.AccountID
	id      desk.LinkID
	in      desk.Integration
	tracker tracker.Tracker
	holder  string
}

// hold makes this run the one that talks about the ticket, for longer than a call
// can last, and gives the link as it is.
func (x exchange) hold(ctx context.Context) (l desk.TicketLink, err error) {
	err = x.w.store.Write(ctx, x.account, func(tx *store.Tx) error {
		l, err = x.holdIn(tx)
		return err
	})
	return l, err
}

func (x exchange) holdIn(tx *store.Tx) (desk.TicketLink, error) {
	held, err := tx.HoldLink(x.id, x.holder, tx.Now.Add(holdTime))
	if err != nil {
		return desk.TicketLink{}, err
	}
	if !held {
		return desk.TicketLink{}, job.Snooze(time.Second) // who holds it may have looked already
	}
	return tx.Link(x.id)
}

func (x exchange) release(ctx context.Context) error {
	return x.w.store.Write(context.WithoutCancel(ctx), x.account, func(tx *store.Tx) error { return tx.ReleaseLink(x.id, x.holder) })
}

func (x exchange) run(ctx context.Context) error {
	if err := x.meet(ctx); err != nil {
		return err
	}
	if err := x.say(ctx); err != nil {
		return err
	}
	if err := x.hear(ctx); err != nil {
		return err
	}
	return x.compare(ctx)
}

// call lets fn make one call.
func call[R any](ctx context.Context, fn func(context.Context) (R, error)) (R, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return fn(ctx)
}

// noTicket is the status of a ticket that is not there.
const noTicket = "not found"

// meet learns what the ticket is, the first time. Of one that is not there the team
// is told, once; it may be there later.
func (x exchange) meet(ctx context.Context) error {
	l, err := x.hold(ctx)
	if err != nil || l.External != "" {
		return err
	}
	t, err := call(ctx, func(ctx context.Context) (tracker.Ticket, error) { return x.tracker.Ticket(ctx, l.Name) })
	if desk.KindOf(err) == desk.NotFound {
		return errors.Join(err, x.w.store.Write(ctx, x.account, x.tellMissing))
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

// tellMissing notes for the team that there is no such ticket.
func (x exchange) tellMissing(tx *store.Tx) error {
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
	m.HTML = markup.FromText(l.Ticket.Type.SystemName() + " has no ticket " + l.Name + ". Unlink it, and link the right one.")
	m.Text = markup.PlainText(m.HTML)
	return x.w.change.Say(tx, x.actor(l), col, &r, &m, change.Extras{AsBot: true})
}

// say says there what is to be said, one after the other.
func (x exchange) say(ctx context.Context) error {
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
			said.HTML, err = x.comment(tx, c)
			return err
		})
		if err != nil || said == nil {
			return err
		}
		id, failure := "", "it was removed before"
		if said.HTML != "" {
			failure = ""
			id, err = call(ctx, func(ctx context.Context) (string, error) { return x.tracker.Say(ctx, l.External, *said) })
		}
		switch kind := desk.KindOf(err); {
		case errors.Is(err, tracker.ErrLost):
			return err
		case kind == desk.NotFound, kind == desk.Forbidden, kind == desk.Invalid, kind == desk.Refused, kind == desk.TooLarge:
			failure = err.Error()
			x.w.log.Warn("a message is not said about a linked ticket", "account", int64(x.account), "ticket", l.Ticket.Key, "reason", err)
		case err != nil:
			return err
		}
		err = x.w.store.Write(ctx, x.account, func(tx *store.Tx) error { return tx.FinishComment(c, id, failure) })
		if err != nil {
			return err
		}
	}
}

// comment is a message as it is said elsewhere: with who said it, and the names of
// its files. It is empty where the message was removed, or made private.
func (x exchange) comment(tx *store.Tx, c store.LinkComment) (string, error) {
	m, err := tx.Message(c.Message)
	if err != nil || m.Private {
		return "", desk.IgnoreMissing(err)
	}
	text := "<p><strong>" + html.EscapeString(change.NameOf(m.Author)) + "</strong>:</p>" + firstPart(markup.Quiet(m.HTML), mostComment)
	var names []string
	for _, f := range m.Attachments {
		names = append(names, f.Name)
	}
	if len(names) > 0 {
		text += "<p>Files: " + html.EscapeString(strings.Join(names, ", ")) + "</p>"
	}
	return markup.Sanitize(text), nil
}

// hear takes over what was said there since it was last read.
func (x exchange) hear(ctx context.Context) error {
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
				if err := x.take(tx, l, c); err != nil {
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

// take takes over one comment, unless it is here. What was said there before the
// request was linked is not part of its conversation.
func (x exchange) take(tx *store.Tx, l desk.TicketLink, c tracker.Comment) error {
	if known, err := tx.KnowsComment(l.ID, c.ID, c.Key); err != nil || known || !l.Backward || c.At.Before(l.CreatedAt.Add(-clockSlack)) {
		return err
	}
	r, col, err := requestOf(tx, l.Request)
	if err != nil {
		return err
	}
	m := desk.Message{Author: desk.Requester{Name: desk.CleanText(c.Author.Name), Email: desk.CleanText(c.Author.Email)}, Private: c.Private || l.Ticket.Type.TalksInside(), Source: desk.SourceTracker, CreatedAt: saidAt(c.At, tx.Now)}
	if m.Author.Name == "" && m.Author.Email == "" {
		m.Author.Name = l.Ticket.Type.SystemName()
	}
	m.HTML = markup.Sanitize(c.HTML)
	if m.Text = markup.PlainText(m.HTML); m.Text == "" {
		return nil // nothing that we could show
	}
	m.Responder = m.Author.Email == "" || desk.FoldEmail(m.Author.Email) != desk.FoldEmail(r.Author.Email)
	by := desk.Actor{Name: cmp.Or(m.Author.Name, m.Author.Email), Email: m.Author.Email, Source: desk.SourceTracker}
	return x.w.change.Say(tx, by, col, &r, &m, change.Extras{AsBot: true, From: l.ID, As: desk.CleanText(c.ID)})
}

// saidAt is when something was said elsewhere. Some systems keep seconds only: the
// end of one is behind what was said here before it in the same.
func saidAt(at, now time.Time) time.Time {
	if at.Nanosecond() == 0 {
		at = at.Add(time.Second - time.Millisecond)
	}
	if at.After(now) {
		return now
	}
	return at
}

// actor is who changes something where the system does not tell who did.
func (x exchange) actor(l desk.TicketLink) desk.Actor {
	return desk.Actor{Name: l.Ticket.Type.SystemName(), Source: desk.SourceTracker}
}

// compare looks at how both sides stand, and brings the one in line that has not
// changed since they were last compared. Where both have, the ticket decides.
func (x exchange) compare(ctx context.Context) error {
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
		wish, err = x.compareIn(tx, t)
		return err
	})
	if err != nil || wish == nil {
		return err
	}
	status, err := call(ctx, func(ctx context.Context) (tracker.Status, error) { return x.tracker.SetStatus(ctx, l.External, *wish) })
	if kind := desk.KindOf(err); kind == desk.Refused || kind == desk.Invalid || kind == desk.Forbidden {
		x.w.log.Warn("a linked ticket does not follow", "account", int64(x.account), "ticket", l.Ticket.Key, "reason", err)
		status, err = t.Status, nil // it stays as it is
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

// compareIn does what a ticket's status means for the request, and returns the
// state that the ticket is to have, if it is to have another.
func (x exchange) compareIn(tx *store.Tx, t tracker.Ticket) (wish *desk.State, err error) {
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
			if r, err = x.follow(tx, l, r, t.Status.Means[0]); err != nil {
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
		next = tx.Now.AddDate(100, 0, 0) // only when somebody tells of it
	}
	return wish, tx.ReadLink(l.ID, next)
}

// follow gives a request the state that its ticket means.
func (x exchange) follow(tx *store.Tx, l desk.TicketLink, r desk.Request, state desk.State) (desk.Request, error) {
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
