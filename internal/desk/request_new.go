package desk

import "time"

// NewRequest is the input for a new request made through the API.
type NewRequest struct {
	Body
	// Collection names an API collection; nil means the account's. A request that
	// names one must have a title.
	Collection  *CollectionID
	Title       *string
	Description string  // HTML, as sent
	Requester   *string // an email; nil means the caller
	Priority    *Priority
	Assignee    *string
	Tags        []string
	Metadata    []byte // JSON: an object
	Files       []NewFile

	// Fields that only a form asks for.
	Form         *TicketFormID
	State        *State // nil means open
	Team         *TeamID
	Contributors []string
	Values       FieldValues // without its files
}

// Check returns what is wrong with the input on its own, and trims it.
func (n *NewRequest) Check() error {
	p := n.problems()
	if optionalText(&p, "title", &n.Title, 1, MostTitle); n.Title == nil && n.Collection != nil {
		p.Add("title", "is required")
	}
	p.description(n.Description)
	if n.Requester != nil {
		email := *n.Requester
		p.Email("requester_email", &email)
		n.Requester = &email
	}
	optionalOneOf(&p, "priority", n.Priority, Priorities...)
	n.Tags = p.tags("tags", n.Tags)
	return p.Err()
}

// description checks a description as sent: nothing is trimmed, and tags count.
func (p *Problems) description(sent string) {
	checked := sent
	p.Text("description", &checked, 1, mostDescription)
	if length(sent) > mostDescription && length(checked) <= mostDescription {
		p.Add("description", "must have 1 to %d characters; it has %d", mostDescription, length(sent))
	}
}

// Request makes the request from the input and the known facts about the requester.
// It is open unless the input says otherwise. title and priority are the rules'
// suggestions and are used if none was given.
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
	if n.Requester != nil {
		r.MailSubject, r.MailsRequester = new(string), true
	}
	if c.RequestChannel != nil {
		r.Channel = &ChannelRef{ID: *c.RequestChannel}
	}
	state := Open
	set(&state, n.State)
	r.enter(state, now)
	return r
}

// CreatedRequest is a new request. Flat says that the answer has the form of an API
// ticket.
type CreatedRequest struct {
	Request
	Flat bool
}
