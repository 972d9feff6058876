package movein

import (
	"frontdesk/internal/desk"
)

// chatwoot reads conversations as Chatwoot's API returns them, each with all its
// messages in the field messages.
type chatwoot struct{}

func (chatwoot) lists() map[string]kind {
	return map[string]kind{"data": inside, "payload": request, "conversations": request}
}

func (chatwoot) kindOf(o object) kind {
	if o.has("message_type") || o.has("messages") || o.has("status") {
		return request
	}
	return unknown
}

func (chatwoot) learn(kind, object) {}

var chatwootStates = map[string]desk.State{
	"open": desk.Open, "pending": desk.Pending, "snoozed": desk.Pending, "resolved": desk.Solved,
}

var chatwootPriorities = map[string]desk.Priority{
	"low": desk.Low, "medium": desk.Normal, "high": desk.High, "urgent": desk.Urgent,
}

func (c chatwoot) request(o object) Item {
	it := Item{ID: o.id("id")}
	if o.has("message_type") {
		o.wrong("message_type", "belongs to a message: put the messages into the field messages of their conversation")
		return it
	}
	n := &it.Request
	status := o.text("status")
	if state, known := chatwootStates[status]; known {
		n.State = &state
	} else if status != "" {
		o.wrong("status", "must be a status of Chatwoot; %.50q is not", status)
	}
	n.Title = optional(o.inside("additional_attributes").text("mail_subject"))
	n.Priority = priorityOf(o, "priority", chatwootPriorities)
	n.Tags = o.texts("labels")
	n.CreatedAt, n.UpdatedAt, n.FirstResponseAt = o.moment("created_at"), o.moment("last_activity_at"), o.moment("first_reply_created_at")
	contact := o.inside("meta").inside("sender")
	n.Requester = person(contact.text("name"), contact.text("email"))
	if n.Requester == (desk.Requester{}) {
		n.Requester = person(contact.text("phone_number"), "")
	}
	agent := o.inside("meta").inside("assignee")
	n.Assignee = assigneeOf(person(agent.text("name"), agent.text("email")))
	it.Organization = contact.inside("additional_attributes").text("company_name")
	for _, m := range o.list("messages") {
		if kind := c.messageType(m); kind != activity {
			n.Messages = append(n.Messages, c.message(&it, m, kind))
		}
	}
	return it
}

// messageType says what a message is.
type messageType int

const (
	incoming messageType = iota
	outgoing
	activity // what the system noted, such as an assignment
	template // what the system said, such as a greeting
)

// messageType reads the type, which is a number in the API and a word in webhooks.
func (chatwoot) messageType(o object) messageType {
	switch o.id("message_type") {
	case "0", "incoming":
		return incoming
	case "1", "outgoing":
		return outgoing
	case "2", "activity":
		return activity
	case "3", "template":
		return template
	}
	o.wrong("message_type", "must be 0 to 3")
	return activity
}

func (c chatwoot) message(it *Item, o object, kind messageType) desk.ImportedMessage {
	text, responder := o.text("content"), kind != incoming
	m := desk.ImportedMessage{Text: &text, Responder: &responder, Private: o.flag("private", false), CreatedAt: o.moment("created_at")}
	from := o.inside("sender")
	m.Author = person(from.text("name"), from.text("email"))
	if responder && m.Author == (desk.Requester{}) {
		m.Author.Name = "Chatwoot"
	}
	var files []string
	for _, a := range o.list("attachments") {
		name := a.text("data_url")
		if name == "" {
			name = "a file"
		}
		files = append(files, name)
	}
	it.mention(&m, files)
	return m
}
