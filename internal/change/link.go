package change

import (
	"crypto/rand"
	"fmt"
	"html"

	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
	"github.com/google/uuid"
)

// Link saves a link and its effect on the request, announces and records it, and
// has the other system asked about the ticket.
func (s Setup) Link(tx *store.Tx, by desk.Actor, r desk.Request, n desk.NewLink) error {
	settings, err := settingsOf(tx, n.System)
	if err != nil {
		return err
	}
	l := desk.TicketLink{Request: r.ID, Ticket: desk.Ticket{Type: n.System, Key: n.Ticket}, Name: n.Ticket, Task: n.Task, CreatedAt: tx.Now}
	l.Forward, l.Backward, l.NotifyStatus = settings.With(n.Sync)
	if !n.Task {
		if r, err = s.transfer(tx, by, r); err != nil {
			return err
		}
	}
	if r.State != nil {
		l.State = *r.State
	}
	if err := tx.AddLink(&l); err != nil {
		return err
	}
	if n.Sync.Alert == nil || *n.Sync.Alert {
		if err := PostAlert(tx, r, "<p>Linked to "+TicketHTML(l)+".</p>"); err != nil {
			return err
		}
	}
	if err := RefreshCard(tx, r.ID); err != nil {
		return err
	}
	if err := SyncLinkSoon(tx, l.ID); err != nil {
		return err
	}
	if err := tx.Record(desk.Change{By: by, Action: string(desk.TicketLinked), After: l}); err != nil {
		return err
	}
	return tx.Record(desk.Change{By: by, Event: desk.TicketLinked, After: l.Ticket, Request: r.ID})
}

// transfer puts a request on hold while others work on it, if the account uses that
// state.
func (s Setup) transfer(tx *store.Tx, by desk.Actor, r desk.Request) (desk.Request, error) {
	account, err := tx.ThisAccount()
	if err != nil || !account.OnHoldAllowed || r.State == nil || *r.State == desk.OnHold {
		return r, err
	}
	before, state := r.Clone(), desk.OnHold
	if err := r.Apply(desk.RequestChange{State: &state}, desk.RequestRules{OnHoldAllowed: true}, tx.Now); err != nil {
		return r, err
	}
	err = s.SaveRequest(tx, by, before, &r)
	return r, err
}

// settingsOf returns the settings for links to a system.
func settingsOf(tx *store.Tx, system desk.TicketType) (desk.TrackerSettings, error) {
	i, err := tx.Tracker(system)
	if desk.KindOf(err) == desk.NotFound {
		return desk.DefaultTrackerSettings(), nil
	}
	return i.Settings, err
}

// PostAlert queues a post in a request's thread about something that happened to
// the request. It does nothing if the request has no thread and will get none.
func PostAlert(tx *store.Tx, r desk.Request, text string) error {
	if !r.InChat() {
		return nil
	}
	p := desk.Posting{Request: r.ID, Kind: desk.PostedAlert, Place: desk.InThread, Text: text, AsBot: true}
	if err := tx.AddPosting(p, rand.Text()); err != nil {
		return err
	}
	return PostSoon(tx, r.ID)
}

// TicketHTML returns the name of a linked ticket as HTML, with a link if its
// address is known.
func TicketHTML(l desk.TicketLink) string {
	name := html.EscapeString(l.Ticket.Type.SystemName() + " " + l.Ticket.Key)
	if l.Ticket.URL == "" {
		return name
	}
	return `<a href="` + html.EscapeString(l.Ticket.URL) + `">` + name + "</a>"
}

// SyncLink is a job that brings a request and a linked ticket in line.
type SyncLink struct {
	Account desk.AccountID
	Link    desk.LinkID
}

func (SyncLink) Kind() string { return "link.sync" }

// SyncLinkSoon queues a job that brings a linked ticket and its request in line.
func SyncLinkSoon(tx *store.Tx, id desk.LinkID) error {
	return job.Add(tx.Tx, SyncLink{tx.Account, id}, tx.Now, job.Key(fmt.Sprintf("%d %d", tx.Account, id)))
}

// hasLinks reports whether a request has linked tickets, without reading the
// database.
func hasLinks(r desk.Request) bool {
	for _, t := range r.Tickets {
		if t.Type != desk.Native {
			return true
		}
	}
	return false
}

// forwardToLinks queues a message as a comment on the linked tickets of a request,
// except on the one that it came from. Private messages are not forwarded.
func forwardToLinks(tx *store.Tx, r desk.Request, m desk.Message, with Extras) error {
	if !hasLinks(r) {
		return nil
	}
	links, err := tx.Links(r.ID)
	if err != nil {
		return err
	}
	for _, l := range links {
		switch {
		case l.ID == with.FromLink:
			err = tx.KeepComment(l.ID, m.ID, with.CommentID)
		case l.Forward && !m.Private:
			if err = tx.AddComment(l.ID, m.ID, uuid.NewString()); err == nil {
				err = SyncLinkSoon(tx, l.ID)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// syncLinkStates queues a sync of the linked tickets when a request becomes done or
// is no longer done.
func syncLinkStates(tx *store.Tx, before, after desk.Request) error {
	if !hasLinks(after) || before.State == nil || after.State == nil || before.State.Done() == after.State.Done() {
		return nil
	}
	links, err := tx.Links(after.ID)
	if err != nil {
		return err
	}
	for _, l := range links {
		if l.Task {
			continue
		}
		if err := SyncLinkSoon(tx, l.ID); err != nil {
			return err
		}
	}
	return nil
}

// ReadLinks is a job that reads the linked tickets of every connected account that
// were not read for some time.
type ReadLinks struct{}

func (ReadLinks) Kind() string { return "link.read-all" }
