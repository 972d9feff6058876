package zendesktest

import (
	"slices"
	"time"
)

// These methods do what people do in the account's own pages, not through the API.
// A mistake in a call is the test's fault, and panics.

// Ticket is a ticket as a test sees it.
type Ticket struct {
	ID        int64
	Subject   string
	Status    string
	UpdatedAt time.Time
}

// Comment is a comment as a test sees it.
type Comment struct {
	ID     int64
	Author int64
	HTML   string // as it was given, without Zendesk's wrapping
	Public bool
	Custom string // the metadata.custom of its update, as JSON; empty for none
}

// AddTicket creates a ticket for a requester. A ticket is new at first.
func (z *Zendesk) AddTicket(requester *User, subject, html string) int64 {
	z.mu.Lock()
	defer z.mu.Unlock()
	at := z.now()
	t := &ticket{id: int64(len(z.tickets) + 1), subject: subject, status: "new", requester: requester.ID, created: at}
	z.tickets = append(z.tickets, t)
	a := z.open(requester, "web")
	a.changes = []change{{"subject", "", subject}, {"status", "", "new"}}
	a.comment = z.say(a, requester, html, true)
	z.keep(t, a)
	return t.id
}

// Say adds a comment to a ticket. Only an agent can do so privately.
func (z *Zendesk) Say(ticket int64, by *User, html string, public bool) (comment int64) {
	z.mu.Lock()
	defer z.mu.Unlock()
	t := z.must(ticket)
	switch {
	case !public && by.Role == "end-user":
		panic("zendesktest: an end user says nothing privately")
	case t.status == "closed":
		panic("zendesktest: the ticket is closed")
	}
	a := z.open(by, "web")
	a.comment = z.say(a, by, html, public)
	// The ticket reopens if the requester says more.
	if by.Role == "end-user" && (t.status == "pending" || t.status == "solved") {
		a.changes = []change{{"status", t.status, "open"}}
		t.status = "open"
	}
	z.keep(t, a)
	return a.comment.id
}

// SetStatus changes a ticket's status.
func (z *Zendesk) SetStatus(ticket int64, by *User, status string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	t := z.must(ticket)
	if !slices.Contains(z.statuses(), status) {
		panic("zendesktest: no status " + status)
	}
	a := z.open(by, "web")
	a.changes = []change{{"status", t.status, status}}
	t.status = status
	z.keep(t, a)
}

// Delete deletes a ticket.
func (z *Zendesk) Delete(ticket int64) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.must(ticket).deleted = true
}

// Ticket returns the current state of a ticket.
func (z *Zendesk) Ticket(id int64) Ticket {
	z.mu.Lock()
	defer z.mu.Unlock()
	t := z.must(id)
	return Ticket{t.id, t.subject, t.status, t.updated}
}

// Comments returns the comments on a ticket, oldest first.
func (z *Zendesk) Comments(ticket int64) (all []Comment) {
	z.mu.Lock()
	defer z.mu.Unlock()
	for _, c := range z.must(ticket).comments() {
		all = append(all, Comment{c.id, c.author, c.html, c.public, string(c.audit.custom)})
	}
	return all
}

// must returns a ticket, and panics if there is none.
func (z *Zendesk) must(id int64) *ticket {
	t := z.ticket(id)
	if t == nil {
		panic("zendesktest: no such ticket")
	}
	return t
}
