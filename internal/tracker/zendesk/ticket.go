package zendesk

import (
	"context"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

// ticket has the fields that we read.
type ticket struct {
	ID        int64     `json:"id"`
	Subject   string    `json:"subject"`
	Status    string    `json:"status"`
	UpdatedAt time.Time `json:"updated_at"`
}

// answered is an answer with a ticket. After a change it also has the audit of the
// change.
type answered struct {
	Ticket ticket `json:"ticket"`
	Audit  audit  `json:"audit"`
}

// Ticket returns a ticket by its number, its number with a leading #, or its
// address in the agent's pages.
func (p *place) Ticket(ctx context.Context, name string) (tracker.Ticket, error) {
	id, err := p.ticketID(name)
	if err != nil {
		return tracker.Ticket{}, err
	}
	t, err := p.ticket(ctx, id)
	if err != nil {
		return tracker.Ticket{}, err
	}
	number := strconv.FormatInt(t.ID, 10)
	return tracker.Ticket{
		ID: number, Key: "#" + number, URL: p.address + "/agent/tickets/" + number,
		Title: t.Subject, Status: statusOf(t.Status), UpdatedAt: t.UpdatedAt,
	}, nil
}

func (p *place) ticket(ctx context.Context, id string) (ticket, error) {
	var got answered
	if err := p.call(ctx, get("tickets/"+id, nil), &got); err != nil {
		return ticket{}, err
	}
	if got.Ticket.ID == 0 || got.Ticket.Status == "deleted" {
		return ticket{}, noTicket()
	}
	return got.Ticket, nil
}

var (
	numbers = regexp.MustCompile(`^[1-9][0-9]{0,17}$`)
	paths   = regexp.MustCompile(`^/(?:agent/(?:#/)?)?tickets/([1-9][0-9]{0,17})/?$`)
)

// ticketID returns the id of a ticket from the name that people use.
func (p *place) ticketID(name string) (id string, err error) {
	name = strings.TrimSpace(name)
	if u, err := url.Parse(name); err == nil && u.Host != "" {
		at := u.Path
		if u.Fragment != "" && at == "/agent/" { // older links look like this
			at += "#" + u.Fragment
		}
		if m := paths.FindStringSubmatch(at); m != nil && strings.EqualFold(u.Host, p.host()) {
			return m[1], nil
		}
		return "", noTicket()
	}
	return numbered(strings.TrimPrefix(name, "#"))
}

// numbered checks that an id is a number. Nothing else becomes part of an address.
func numbered(id string) (string, error) {
	if !numbers.MatchString(id) {
		return "", noTicket()
	}
	return id, nil
}

func noTicket() error { return desk.Errorf(desk.NotFound, "There is no such ticket in Zendesk.") }
