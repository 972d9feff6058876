package desk

import "time"

// NewRequest is what a request is made from through the API.
type NewRequest struct {
	Body
	// Collection names an API collection; nil is the account's. A request that
	// names one must have a title.
	Collection  *CollectionID
	Title       *string
	Description string  // HTML, as it was sent
	Requester   *string // an email; nil is who calls
	Priority    *Priority
	Assignee    *string
	Tags        []string
	Metadata    []byte // JSON: an object
	Files       []NewFile

	// What only a form asks for.
	Form         *TicketFormID
	State        *State // nil is open
	Team         *TeamID
	Contributors []string
	Values       FieldValues // without its files
}

// Check says what is wrong with the input by itself, and trims it.
func (n *NewRequest) Check() error {
	if n.Problem != nil {
		return n.Problem
	}
	var p Problems
	if n.Title != nil {
		title := *n.Title
		p.Text("title", &title, 1, mostTitle)
		n.Title = &title
	} else if n.Collection != nil {
		p.Add("title", "is required")
	}
	p.description(n.Description)
	if n.Requester != nil {
		email := *n.Requester
		p.Email("requester_email", &email)
		n.Requester = &email
	}
	if n.Priority != nil {
		OneOf(&p, "priority", *n.Priority, Priorities...)
	}
	n.Tags = p.tags("tags", n.Tags)
	return p.Err()
}

// description checks a description as it was sent: nothing is trimmed, and tags
// count.
func (p *Problems) description(sent string) {
	checked := sent
	p.Text("description", &checked, 1, mostDescription)
	if length(sent) > mostDescription && length(checked) <= mostDescription {
		p.Add("description", "must have 1 to %d characters; it has %d", mostDescription, length(sent))
	}
}

// Request makes the request, open unless it says otherwise, with what is known of who asks. title and
// priority are what rules suggest, for where none was given.
func (n NewRequest) Request(c Collection, from Requester, title string, priority Priority, now time.Time) Request {
	r := Request{
		Title: title, TitleBy: ByRules, Priority: priority, PriorityBy: ByRules, Author: from, Assignee: n.Assignee,
		Collection: CollectionRef{ID: c.ID, Name: c.Name}, Tags: n.Tags, Metadata: n.Metadata, Source: FromAPI,
		Team: n.Team, Contributors: n.Contributors, Values: n.Values,
		CreatedAt: now, UpdatedAt: now, LastMessageAt: now,
	}
	if n.Title != nil {
		r.Title, r.TitleBy = *n.Title, ByPerson
	}
	if n.Priority != nil {
		r.Priority, r.PriorityBy = *n.Priority, ByPerson
	}
	if c.RequestChannel != nil {
		r.Channel = &ChannelRef{ID: *c.RequestChannel}
	}
	state := Open
	set(&state, n.State)
	r.enter(state, now)
	return r
}

// CreatedRequest is a request that was just made. Flat says that it is to be
// answered as an API ticket.
type CreatedRequest struct {
	Request
	Flat bool
}
