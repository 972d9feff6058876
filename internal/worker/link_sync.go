package worker

import (
	"cmp"
	"context"
	"html"
	"maps"
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
		x := &linkSync{w: w, account: a.Account, id: a.Link, in: i, tracker: t}
		return carrier{w: w, account: a.Account, holder: w.holderOf(j), next: x.next, refused: x.logRefusal}.run(ctx)
	}))
}

// linkSync composes what brings a link in line.
type linkSync struct {
	w       *Worker
	account desk.AccountID
	id      desk.LinkID
	in      desk.Integration
	tracker tracker.Tracker

	missing, read, compared bool        // how far this run is
	wish                    *desk.State // the state that the ticket should get
}

// next composes the next step: find the ticket, post pending messages as comments,
// read comments, and compare the states.
func (x *linkSync) next(tx *store.Tx) (*act, error) {
	l, err := tx.Link(x.id)
	if err != nil || x.missing {
		return nil, err
	}
	if l.External == "" {
		return x.identifyTicket(l), nil
	}
	c, ok, err := tx.NextComment(x.id)
	switch {
	case err != nil:
		return nil, err
	case ok:
		return x.postComment(tx, l, c)
	case !x.read:
		return x.readComments(l), nil
	case !x.compared:
		return x.compareStates(l), nil
	case x.wish != nil:
		return x.setStatus(l), nil
	}
	return nil, nil
}

func (x *linkSync) lane() store.Lane { return store.Lane{Kind: store.LinkLane, ID: int64(x.id)} }

func (x *linkSync) logRefusal(a *act, reason error) {
	x.w.log.Warn("a message could not be added as a comment to a linked ticket", "account", int64(x.account), "link", int64(x.id), "comment", a.effect.ID, "reason", reason)
}

// noTicket is the status of a ticket that does not exist.
const noTicket = "not found"

// identifyTicket reads the ticket for the first time. If it does not exist, the
// team is told once; it may exist later.
func (x *linkSync) identifyTicket(l desk.TicketLink) *act {
	var t tracker.Ticket
	find := func(ctx context.Context) (err error) {
		t, err = x.tracker.Ticket(ctx, l.Name)
		if x.missing = desk.KindOf(err) == desk.NotFound; x.missing {
			x.w.log.Warn("a linked ticket was not found", "account", int64(x.account), "system", string(l.Ticket.Type), "ticket", l.Name)
			return nil
		}
		return err
	}
	return &act{lane: x.lane(), do: find, repeatable: true, settle: func(tx *store.Tx) error {
		l, err := tx.Link(x.id)
		if err != nil {
			return err
		}
		if x.missing {
			return x.noteMissingTicket(tx, l)
		}
		l.External, l.Ticket.Key, l.Ticket.URL = desk.CleanText(t.ID), desk.CleanText(t.Key), desk.CleanText(t.URL)
		l.StatusID, l.StatusName = desk.CleanText(t.Status.ID), desk.CleanText(t.Status.Name)
		if err := tx.SaveLink(l); err != nil {
			return err
		}
		return change.RefreshCard(tx, l.Request)
	}}
}

// noteMissingTicket adds a private note that there is no such ticket.
func (x *linkSync) noteMissingTicket(tx *store.Tx, l desk.TicketLink) error {
	if l.StatusName == noTicket {
		return nil
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

// postComment posts a pending message as a comment on the ticket.
func (x *linkSync) postComment(tx *store.Tx, l desk.TicketLink, c store.LinkComment) (*act, error) {
	body, err := x.composeComment(tx, c)
	if err != nil {
		return nil, err
	}
	a := &act{lane: x.lane(), effect: &c.Effect}
	if body == "" {
		a.failure = "The message was removed or made private first."
	}
	said := tracker.Said{Key: c.Mark, Again: !c.TriedAt.IsZero(), HTML: body}
	a.do = func(ctx context.Context) (err error) {
		c.External, err = x.tracker.Say(ctx, l.External, said)
		return err
	}
	return a, nil
}

// composeComment returns a message as a comment, with its author and the names of
// its files. It returns an empty string if the message was removed or made private.
func (x *linkSync) composeComment(tx *store.Tx, c store.LinkComment) (string, error) {
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

// readComments takes over a page of comments that were added since the ticket was
// last read.
func (x *linkSync) readComments(l desk.TicketLink) *act {
	var page tracker.Comments
	read := func(ctx context.Context) (err error) {
		page, err = x.tracker.Comments(ctx, l.External, l.Cursor)
		return err
	}
	return &act{lane: x.lane(), do: read, repeatable: true, settle: func(tx *store.Tx) error {
		l, err := tx.Link(x.id)
		if err != nil {
			return err
		}
		for _, c := range page.Comments {
			if err := x.takeComment(tx, l, c); err != nil {
				return err
			}
		}
		x.read = !page.More
		if l.Cursor = page.Next; l.Cursor == "" && !page.More {
			return nil
		}
		return tx.SaveLink(l)
	}}
}

// takeComment takes over one comment unless we have it. Comments from before the
// request was linked are not part of its conversation.
func (x *linkSync) takeComment(tx *store.Tx, l desk.TicketLink, c tracker.Comment) error {
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
func (x *linkSync) actor(l desk.TicketLink) desk.Actor {
	return desk.Actor{Name: l.Ticket.Type.SystemName(), Source: desk.SourceTracker}
}

// compareStates looks at the state of both sides, and updates the side that has not
// changed since they were last compared. If both have changed, the ticket decides.
func (x *linkSync) compareStates(l desk.TicketLink) *act {
	var t tracker.Ticket
	look := func(ctx context.Context) (err error) {
		t, err = x.tracker.Ticket(ctx, l.External)
		return err
	}
	return &act{lane: x.lane(), do: look, repeatable: true, settle: func(tx *store.Tx) (err error) {
		x.compared = true
		x.wish, err = x.compareStatesIn(tx, t)
		return err
	}}
}

// setStatus gives the ticket the state of the request. If the other system refuses,
// the ticket keeps its status.
func (x *linkSync) setStatus(l desk.TicketLink) *act {
	wish, status := *x.wish, tracker.Status{ID: l.StatusID, Name: l.StatusName}
	set := func(ctx context.Context) error {
		got, err := x.tracker.SetStatus(ctx, l.External, wish)
		if kind := desk.KindOf(err); isRefusal(err) && kind != desk.NotFound && kind != desk.TooLarge {
			x.w.log.Warn("the status of a linked ticket could not be set", "account", int64(x.account), "ticket", l.Ticket.Key, "reason", err)
			return nil
		}
		if err == nil {
			status = got
		}
		return err
	}
	return &act{lane: x.lane(), do: set, settle: func(tx *store.Tx) error {
		x.wish = nil
		l, err := tx.Link(x.id)
		if err != nil {
			return err
		}
		l.StatusID, l.StatusName, l.State = desk.CleanText(status.ID), desk.CleanText(status.Name), wish
		return tx.SaveLink(l)
	}}
}

// compareStatesIn applies the status of a ticket to the request. It returns the
// state that the ticket should get, or nil if it should stay as it is.
func (x *linkSync) compareStatesIn(tx *store.Tx, t tracker.Ticket) (wish *desk.State, err error) {
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
		case r.State.Done() == done || r.Closed() && !ours:
		case theirs && !r.Closed():
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
	if r.Closed() {
		next = tx.Now.AddDate(100, 0, 0) // from now on only when a change is reported
	}
	return wish, tx.ReadLink(l.ID, next)
}

// followTicket gives a request the state that the status of its ticket means.
func (x *linkSync) followTicket(tx *store.Tx, l desk.TicketLink, r desk.Request, state desk.State) (desk.Request, error) {
	before := r.Clone()
	if err := r.Apply(desk.RequestChange{State: &state}, desk.RequestRules{OnHoldAllowed: true}, tx.Now); err != nil {
		return r, err
	}
	err := x.w.change.SaveRequest(tx, x.actor(l), before, &r)
	return r, err
}

func (w *Worker) readLinks(ctx context.Context, _ *job.Job, _ change.ReadLinks) error {
	return w.eachConnected(ctx, maps.Keys(w.outside.Trackers), func(a desk.AccountID, system desk.IntegrationKind) error {
		unread := func(tx *store.Tx, after desk.LinkID, limit int) ([]desk.LinkID, error) {
			return tx.UnreadLinks(desk.TicketType(system), tx.Now.Add(-LinkEvery), after, limit)
		}
		return queueAll(ctx, w, a, unread, change.SyncLinkSoon)
	})
}
