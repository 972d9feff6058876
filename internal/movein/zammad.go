package movein

import (
	"net/mail"
	"strings"

	"frontdesk/internal/desk"
)

// zammad reads tickets as Zammad's API returns them with expand=true, each with its
// articles in the field articles.
type zammad struct{}

func (zammad) lists() map[string]kind { return map[string]kind{"tickets": request} }

func (zammad) kindOf(o object) kind {
	if o.has("title") || o.has("articles") || o.has("number") {
		return request
	}
	return unknown
}

func (zammad) learn(kind, object) {}

// zammadStates are the states of a new installation. A team can add its own.
var zammadStates = map[string]desk.State{
	"new": desk.Open, "open": desk.Open, "pending reminder": desk.Pending, "pending close": desk.Pending, "closed": desk.Solved,
}

var zammadPriorities = map[string]desk.Priority{
	"1 low": desk.Low, "2 normal": desk.Normal, "3 high": desk.High,
}

func (z zammad) request(o object) Item {
	it := Item{ID: o.id("id")}
	n := &it.Request
	state := o.text("state")
	switch state {
	case "merged", "removed":
		it.LeftOut = state
		return it
	case "":
		if o.has("state_id") {
			o.wrong("state", "is missing: get the tickets with expand=true")
		}
	}
	n.Title = optional(o.text("title"))
	n.Priority = priorityOf(o, "priority", zammadPriorities)
	n.Tags = o.texts("tags")
	n.CreatedAt, n.UpdatedAt, n.FirstResponseAt = o.moment("created_at"), o.moment("updated_at"), o.moment("first_response_at")
	is, known := zammadStates[state]
	closed := o.moment("close_at")
	if !known {
		if is = desk.Open; closed != nil {
			is = desk.Solved
		}
	}
	if is == desk.Solved {
		n.SolvedAt = closed // a ticket that was opened again keeps its time
	}
	n.State = &is
	n.Requester = zammadPerson(o, "customer")
	if owner := zammadPerson(o, "owner"); owner != (desk.Requester{}) {
		n.Assignee = assigneeOf(owner)
	}
	if it.Organization = o.text("organization"); it.Organization == "-" {
		it.Organization = ""
	}
	for _, a := range o.list("articles") {
		m := z.article(&it, a)
		if !*m.Responder && n.Requester.Name == "" && desk.FoldEmail(m.Author.Email) == desk.FoldEmail(n.Requester.Email) {
			n.Requester.Name = m.Author.Name // the ticket has only the login
		}
		n.Messages = append(n.Messages, m)
	}
	return it
}

// zammadPerson reads a person that is named by login, which is mostly an email address.
// The login - is Zammad itself.
func zammadPerson(o object, name string) desk.Requester {
	login := strings.TrimSpace(o.text(name))
	if login == "" || login == "-" {
		return desk.Requester{}
	}
	who := person("", login)
	if who.Email == "" {
		who = person(login, "")
	}
	return who
}

func (z zammad) article(it *Item, o object) desk.ImportedMessage {
	m := desk.ImportedMessage{Private: o.flag("internal", false), CreatedAt: o.moment("created_at")}
	from := o.text("sender")
	if from == "" {
		o.wrong("sender", "is missing: get the articles with expand=true")
	}
	responder := from != "Customer"
	m.Responder = &responder
	m.Author = sender(o.text("from"))
	// An agent's mail is from the address of the group, and the name is "Tarek via
	// Support". Who wrote it is in created_by.
	if by := zammadPerson(o, "created_by"); by.Email != "" && (responder || m.Author.Email == "") {
		m.Author.Email = by.Email
		m.Author.Name, _, _ = strings.Cut(m.Author.Name, " via ")
	}
	if responder && m.Author == (desk.Requester{}) {
		m.Author.Name = "Zammad"
	}
	text := o.text("body")
	if strings.HasPrefix(o.text("content_type"), "text/html") {
		m.HTML = &text
	} else {
		m.Text = &text
	}
	var files []string
	for _, a := range o.list("attachments") {
		files = append(files, a.text("filename"))
	}
	it.mention(&m, files)
	return m
}

// sender reads the From of a mail, which may be only a name.
func sender(from string) desk.Requester {
	if a, err := mail.ParseAddress(from); err == nil {
		return person(a.Name, a.Address)
	}
	return person(from, "")
}
