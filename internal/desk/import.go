package desk

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// ImportedRequest is a request of another system, imported with its history. Its
// times are those of that system.
type ImportedRequest struct {
	Body
	ExternalID      *string // its id there; nil for none
	Title           *string
	Description     *string   // HTML, as sent
	Requester       Requester // the parts that were given
	Assignee        *string   // a user's id or email
	State           *State
	Priority        *Priority
	Tags            []string
	Customer        *CustomerID
	Values          FieldInput
	CreatedAt       *time.Time
	UpdatedAt       *time.Time
	FirstResponseAt *time.Time
	SolvedAt        *time.Time
	ClosedAt        *time.Time
	Messages        []ImportedMessage
}

// ImportedMessage is one of its messages. It is HTML or plain text.
type ImportedMessage struct {
	HTML      *string
	Text      *string
	Author    Requester // empty for a requester's message: then it is the requester
	Responder *bool
	Private   bool
	CreatedAt *time.Time
}

// Imported is the result for an imported request.
type Imported struct {
	Request    RequestID
	ExternalID string // empty for none
	Exists     bool   // whether it had been imported before
}

const (
	// MostImported bounds the requests of one import.
	MostImported = 50
	// MostImportedMessages bounds the messages of one request, and
	// MostImportedHistory those of all, because one transaction stores them.
	MostImportedMessages = 1000
	MostImportedHistory  = 10_000
	// MostImportedText is the maximum length of a message, in characters as sent.
	// It is the largest that the systems we import from allow.
	MostImportedText = 131_072
	mostExternalID   = 255
	MostPersonName   = 200
	mostPersonID     = 255
)

// oldest is earlier than any real history. An older time was never set.
var oldest = time.Unix(0, 0).UTC()

// ImportError combines the problems of several imported requests, in order, and
// returns nil without any. It reports a limited number, because there may be a
// hundred thousand.
func ImportError(problems []Problems) error {
	const most = 1000
	e := &Error{Kind: Invalid}
	bad := 0
	for i, p := range problems {
		if len(p.fields) > 0 {
			bad++
		}
		for _, f := range p.fields {
			if len(e.Items) < most {
				e.Items = append(e.Items, ItemError{i, f})
			}
		}
	}
	if bad == 0 {
		return nil
	}
	e.Message = fmt.Sprintf("%d of %d requests cannot be imported, so none were.", bad, len(problems))
	return e
}

// Check returns what is wrong with the request on its own, and trims it.
func (n *ImportedRequest) Check(rules RequestRules, now time.Time) error {
	p := n.problems()
	optionalText(&p, "external_id", &n.ExternalID, 1, mostExternalID)
	optionalText(&p, "title", &n.Title, 1, MostTitle)
	optionalText(&p, "assignee", &n.Assignee, 1, mostPersonID)
	if n.Description != nil {
		p.sent("description", *n.Description, mostDescription)
	}
	if n.Title == nil && n.Description == nil && len(n.Messages) == 0 {
		p.Add("", "must have a title, a description or messages")
	}
	if p.person("requester", &n.Requester); n.Requester == (Requester{}) {
		p.Add("requester", "must have an email, an id or a name")
	}
	optionalOneOf(&p, "priority", n.Priority, Priorities...)
	n.Tags = p.tags("tags", n.Tags)
	n.checkState(&p, rules)
	n.checkTimes(&p, now)
	for i := range n.Messages {
		n.Messages[i].check(&p, fmt.Sprintf("messages[%d].", i), now)
	}
	return p.Err()
}

// sent checks a text that is stored as sent: nothing is trimmed, and tags count.
func (p *Problems) sent(field, text string, most int) {
	switch n := length(text); {
	case !Storable(text):
		p.Add(field, "must be valid UTF-8 without the character U+0000")
	case n < 1 || n > most:
		p.Add(field, "must have 1 to %d characters; it has %d", most, n)
	}
}

// person checks a named person and trims the fields. It does not check whether a
// user has the id.
func (p *Problems) person(field string, who *Requester) {
	p.Text(field+".name", &who.Name, 0, MostPersonName)
	p.Text(field+".id", &who.User, 0, mostPersonID)
	if who.Email != "" {
		p.Email(field+".email", &who.Email)
	}
}

func (n ImportedRequest) checkState(p *Problems, rules RequestRules) {
	if n.State == nil {
		return
	}
	OneOf(p, "state", *n.State, States...)
	if *n.State == OnHold && !rules.OnHoldAllowed {
		p.Add("state", "cannot be on_hold: the account does not allow it")
	}
	if n.ClosedAt != nil && *n.State != Closed {
		p.Add("closed_at", "cannot be given in the state %s, because a closed request stays closed", *n.State)
	}
}

// checkTimes is strict only where a metric of the request would be negative.
// Histories are odd in other ways: a message may be older than its request, and an
// update older than a message.
func (n ImportedRequest) checkTimes(p *Problems, now time.Time) {
	if n.CreatedAt == nil {
		p.Add("created_at", "is required")
	}
	p.past("created_at", n.CreatedAt, now)
	for _, t := range []struct {
		field string
		at    *time.Time
	}{{"updated_at", n.UpdatedAt}, {"first_response_at", n.FirstResponseAt}, {"solved_at", n.SolvedAt}, {"closed_at", n.ClosedAt}} {
		p.past(t.field, t.at, now)
		if t.at != nil && n.CreatedAt != nil && t.at.Before(*n.CreatedAt) {
			p.Add(t.field, "must not be before created_at")
		}
	}
	if n.SolvedAt != nil && n.ClosedAt != nil && n.ClosedAt.Before(*n.SolvedAt) {
		p.Add("closed_at", "must not be before solved_at")
	}
}

// past checks that a time is in the past.
func (p *Problems) past(field string, at *time.Time, now time.Time) {
	switch {
	case at == nil:
	case at.After(now):
		p.Add(field, "must not be in the future")
	case at.Before(oldest):
		p.Add(field, "must not be before 1970")
	}
}

func (m *ImportedMessage) check(p *Problems, at string, now time.Time) {
	switch {
	case m.HTML != nil && m.Text != nil:
		p.Add(at+"text", "cannot be combined with html_body")
	case m.HTML != nil:
		p.sent(at+"html_body", *m.HTML, MostImportedText)
	case m.Text != nil:
		p.sent(at+"text", *m.Text, MostImportedText)
	default:
		p.Add(at+"html_body", "is required unless text is given")
	}
	p.person(at+"author", &m.Author)
	switch {
	case m.Responder == nil:
		p.Add(at+"is_responder", "is required")
	case *m.Responder && m.Author == (Requester{}):
		p.Add(at+"author", "must have an email, an id or a name, because it is a responder's message")
	}
	if m.CreatedAt == nil {
		p.Add(at+"created_at", "is required")
	}
	p.past(at+"created_at", m.CreatedAt, now)
}

// History sorts the messages by time, in place. The description comes first, unless
// the first message says the same.
func (n ImportedRequest) History(description *Message, said []Message) []Message {
	slices.SortStableFunc(said, func(a, b Message) int { return a.CreatedAt.Compare(b.CreatedAt) })
	if description == nil || len(said) > 0 && !said[0].Private && said[0].Text == description.Text {
		return said
	}
	first := *description
	if len(said) > 0 && said[0].CreatedAt.Before(first.CreatedAt) {
		first.CreatedAt = said[0].CreatedAt
	}
	return slices.Insert(said, 0, first)
}

// Request makes the request from its history and from the input, which has passed
// Check. title and priority are the rules' suggestions and are used if none was
// given. The caller fills in the people and things it names.
func (n ImportedRequest) Request(c CollectionRef, history []Message, title string, priority Priority) Request {
	state := n.state()
	r := Request{
		Title: title, TitleBy: ByRules, Priority: priority, PriorityBy: ByRules, State: &state, Collection: c, Tags: n.Tags, Source: FromImport,
		CreatedAt: *n.CreatedAt, LastMessageAt: *n.CreatedAt, FirstResponseAt: n.FirstResponseAt, FirstSolvedAt: n.SolvedAt,
	}
	if n.ExternalID != nil {
		r.ExternalID = *n.ExternalID
	}
	if n.Title != nil {
		r.Title, r.TitleBy = *n.Title, ByPerson
	}
	if n.Priority != nil {
		r.Priority, r.PriorityBy = *n.Priority, ByPerson
	}
	last := n.hear(&r, history)
	if state.Done() {
		r.SolvedAt = cmp.Or(n.SolvedAt, n.ClosedAt, n.UpdatedAt, &last)
		r.FirstSolvedAt = r.SolvedAt
	}
	for _, at := range []*time.Time{n.FirstResponseAt, n.SolvedAt, n.ClosedAt} {
		if at != nil {
			last = latest(last, *at)
		}
	}
	r.UpdatedAt = *cmp.Or(n.UpdatedAt, &last)
	return r
}

// state returns the given state, or else the one that the times imply.
func (n ImportedRequest) state() State {
	switch {
	case n.State != nil:
		return *n.State
	case n.ClosedAt != nil:
		return Closed
	case n.SolvedAt != nil:
		return Solved
	}
	return Open
}

// hear sets the last activity of the requester and, unless it is known, the first
// response from the messages. It returns the time of the last message. A message
// older than the request counts as said when the request was made.
func (n ImportedRequest) hear(r *Request, history []Message) (last time.Time) {
	last = r.CreatedAt
	for _, m := range history {
		at := latest(m.CreatedAt, r.CreatedAt)
		last = latest(last, at)
		switch {
		case m.Private:
		case !m.Responder:
			r.LastMessageAt = latest(r.LastMessageAt, at)
		case r.FirstResponseAt == nil:
			r.FirstResponseAt = &at
		}
	}
	return last
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
