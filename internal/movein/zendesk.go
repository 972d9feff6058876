package movein

import (
	"html"
	"strings"

	"frontdesk/internal/desk"
)

// zendesk reads tickets as Zendesk's JSON export and its API have them, with their
// comments. Users and organisations come in lists of their own, or inside the ticket.
type zendesk struct {
	people        map[string]zendeskUser
	organizations map[string]string
}

type zendeskUser struct {
	name, email string
	agent       bool
}

func newZendesk() *zendesk {
	return &zendesk{people: map[string]zendeskUser{}, organizations: map[string]string{}}
}

func (*zendesk) lists() map[string]kind {
	return map[string]kind{"tickets": request, "ticket": request, "users": user, "organizations": organization}
}

func (*zendesk) kindOf(o object) kind {
	switch {
	case o.has("requester_id") || o.has("requester") || o.has("subject"):
		return request
	case o.has("role") || o.has("email"):
		return user
	case o.has("domain_names") || o.has("name") && o.has("id"):
		return organization
	}
	return unknown
}

func (z *zendesk) learn(k kind, o object) {
	id, name := o.id("id"), o.text("name")
	switch {
	case id == "":
	case k == user:
		z.people[id] = zendeskUser{strings.Clone(name), strings.Clone(o.text("email")), isZendeskAgent(o.text("role"))}
	default:
		z.organizations[id] = strings.Clone(name)
	}
}

func isZendeskAgent(role string) bool { return role == "agent" || role == "admin" }

// zendeskPerson is somebody that a ticket or a comment names.
type zendeskPerson struct {
	desk.Requester
	id    string
	known bool // whether we know what they are
	agent bool
}

// person reads somebody who is named by id, or is in the record as an object.
func (z *zendesk) person(o object, name string) zendeskPerson {
	in := o.inside(name)
	id := o.id(name + "_id")
	if id == "" {
		id = in.id("id")
	}
	u, known := z.people[id]
	if text := in.text("name"); text != "" {
		u.name = text
	}
	if text := in.text("email"); text != "" {
		u.email = text
	}
	if role := in.text("role"); role != "" {
		u.agent, known = isZendeskAgent(role), true
	}
	who := zendeskPerson{Requester: person(u.name, u.email), id: id, known: known, agent: u.agent}
	if who.Requester == (desk.Requester{}) && id != "" && id != "-1" { // -1 is Zendesk itself
		who.Name = "Zendesk user " + id
	}
	return who
}

var zendeskStates = map[string]desk.State{
	"new": desk.Open, "open": desk.Open, "pending": desk.Pending, "hold": desk.OnHold, "solved": desk.Solved, "closed": desk.Closed,
}

func (z *zendesk) request(o object) Item {
	it := Item{ID: o.id("id")}
	n := &it.Request
	status := o.text("status")
	if status == "deleted" {
		it.LeftOut = status
		return it
	}
	state, known := zendeskStates[status]
	if !known && status != "" {
		o.wrong("status", "must be a status of Zendesk; %.50q is not", status)
	}
	if known {
		n.State = &state
	}
	n.Title = optional(o.text("subject"))
	n.Priority = priorityOf(o, "priority", map[string]desk.Priority{"low": desk.Low, "normal": desk.Normal, "high": desk.High, "urgent": desk.Urgent})
	n.Tags = o.texts("tags")
	n.CreatedAt, n.UpdatedAt = o.moment("created_at"), o.moment("updated_at")
	from, assignee := z.person(o, "requester"), z.person(o, "assignee")
	n.Requester, n.Assignee = from.Requester, assigneeOf(assignee.Requester)
	it.Organization = z.organizations[o.id("organization_id")]
	if name := o.inside("organization").text("name"); name != "" {
		it.Organization = name
	}
	for _, c := range o.list("comments") {
		n.Messages = append(n.Messages, z.comment(&it, c, from))
	}
	if text := o.text("description"); len(n.Messages) == 0 && text != "" {
		responder := false
		n.Messages = append(n.Messages, desk.ImportedMessage{Text: &text, Responder: &responder, CreatedAt: n.CreatedAt})
	}
	return it
}

// priorityOf reads a priority by its name there. One that is not known counts as none.
func priorityOf(o object, name string, known map[string]desk.Priority) *desk.Priority {
	if p, ok := known[o.text(name)]; ok {
		return &p
	}
	return nil
}

// comment reads a comment. If nothing says what its author is, it is an agent unless it
// is the requester.
func (z *zendesk) comment(it *Item, o object, from zendeskPerson) desk.ImportedMessage {
	author := z.person(o, "author")
	if author.id != "" && author.id == from.id {
		author = from // the ticket may say more about the requester
	}
	m := desk.ImportedMessage{Private: !o.flag("public", true), CreatedAt: o.moment("created_at")}
	responder := author.agent
	if !author.known {
		responder = m.Private || author.Requester != from.Requester
	}
	m.Responder = &responder
	if m.Author = author.Requester; m.Author == (desk.Requester{}) && responder {
		m.Author.Name = "Zendesk"
	}
	var files []string
	for _, a := range o.list("attachments") {
		files = append(files, a.text("file_name"))
	}
	if text := o.text("html_body"); text != "" {
		m.HTML = &text
	} else {
		text := o.text("body")
		if text == "" {
			text = o.text("plain_body")
		}
		m.Text = &text
	}
	it.mention(&m, files)
	return m
}

// mention adds the names of a message's files to its text, because the files stay
// behind.
func (it *Item) mention(m *desk.ImportedMessage, files []string) {
	it.Files += len(files)
	if len(files) == 0 {
		return
	}
	names := "Not imported: " + strings.Join(files, ", ")
	if m.HTML != nil {
		*m.HTML += "<p>" + html.EscapeString(names) + "</p>"
		return
	}
	*m.Text = strings.TrimSpace(*m.Text + "\n\n" + names)
}
