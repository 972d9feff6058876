package movein

import (
	"cmp"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

// writtenRequest is a request in our own export. Its fields are those that the API
// takes for an import, and more.
type writtenRequest struct {
	ExternalID        *string                    `json:"external_id"`
	Title             string                     `json:"title"`
	Requester         writtenPerson              `json:"requester"`
	Assignee          *string                    `json:"assignee"` // the email if it is known, otherwise the id
	State             *desk.State                `json:"state"`
	Priority          desk.Priority              `json:"priority"`
	Tags              []string                   `json:"tags"`
	CustomerID        *desk.CustomerID           `json:"customer_id"`
	CustomFieldValues map[desk.CustomFieldID]any `json:"custom_field_values"`
	CreatedAt         wire.Time                  `json:"created_at"`
	UpdatedAt         wire.Time                  `json:"updated_at"`
	FirstResponseAt   *wire.Time                 `json:"first_response_at"`
	SolvedAt          *wire.Time                 `json:"solved_at"`
	Messages          []writtenMessage           `json:"messages"`

	// What an import does not take.
	ID               desk.RequestID     `json:"id"`
	Key              string             `json:"key"`
	NotARequestState *desk.NotARequest  `json:"not_a_request_state"`
	CustomerName     *string            `json:"customer_name"`
	AssigneeID       *string            `json:"assignee_id"`
	AssigneeName     *string            `json:"assignee_name"`
	TeamID           *desk.TeamID       `json:"team_id"`
	TeamName         *string            `json:"team_name"`
	CollectionID     desk.CollectionID  `json:"collection_id"`
	CollectionName   string             `json:"collection_name"`
	ChannelID        *string            `json:"channel_id"`
	ParentID         *desk.RequestID    `json:"parent_id"`
	MergedInto       *desk.RequestID    `json:"merged_into"`
	Source           desk.RequestSource `json:"source"`
	LastMessageAt    wire.Time          `json:"last_message_at"`
	FirstSolvedAt    *wire.Time         `json:"first_solved_at"`
}

type writtenPerson struct {
	ID    *string `json:"id"`
	Name  *string `json:"name"`
	Email *string `json:"email"`
}

type writtenMessage struct {
	HTML      string        `json:"html_body"`
	Author    writtenPerson `json:"author"`
	Responder bool          `json:"is_responder"`
	Private   bool          `json:"is_private"`
	CreatedAt wire.Time     `json:"created_at"`

	// What an import does not take.
	ID       desk.MessageID `json:"id"`
	Bot      bool           `json:"is_bot"`
	Source   desk.Source    `json:"source"`
	EditedAt *wire.Time     `json:"edited_at"`
	Files    []writtenFile  `json:"files"`
}

type writtenFile struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Size int64  `json:"size"`
}

// names are the things that requests name by id.
type names struct {
	users     map[string]desk.User
	customers map[desk.CustomerID]string
}

func newWrittenRequest(r desk.Request, n names) writtenRequest {
	w := writtenRequest{
		ExternalID: optional(r.ExternalID), Title: r.Title, Requester: newWrittenPerson(r.Author), State: r.State, Priority: r.Priority, Tags: append([]string{}, r.Tags...),
		CustomerID: r.Customer, CustomFieldValues: wire.NewFieldValues(r.Values), CreatedAt: wire.NewTime(r.CreatedAt), UpdatedAt: wire.NewTime(r.UpdatedAt),
		FirstResponseAt: writtenTime(r.FirstResponseAt), SolvedAt: writtenTime(cmp.Or(r.SolvedAt, r.FirstSolvedAt)), Messages: []writtenMessage{},
		ID: r.ID, Key: r.Key, NotARequestState: r.NotARequest, TeamID: r.Team, TeamName: optional(r.TeamName), CollectionID: r.Collection.ID, CollectionName: r.Collection.Name,
		ParentID: r.Parent, MergedInto: r.MergedInto, Source: r.Source, LastMessageAt: wire.NewTime(r.LastMessageAt), FirstSolvedAt: writtenTime(r.FirstSolvedAt),
	}
	if r.Customer != nil {
		w.CustomerName = optional(n.customers[*r.Customer])
	}
	if r.Assignee != nil {
		w.AssigneeID, w.AssigneeName, w.Assignee = r.Assignee, optional(r.AssigneeName), r.Assignee
		if email := n.users[*r.Assignee].Email; email != "" {
			w.Assignee = &email
		}
	}
	if r.Channel != nil {
		w.ChannelID = &r.Channel.ID
	}
	for _, m := range r.Messages {
		w.Messages = append(w.Messages, newWrittenMessage(m))
	}
	return w
}

func newWrittenMessage(m desk.Message) writtenMessage {
	sent := wire.NewMessage(m)
	w := writtenMessage{HTML: sent.HTMLBody, Author: newWrittenPerson(m.Author), Responder: m.Responder, Private: m.Private, CreatedAt: sent.CreatedAt,
		ID: m.ID, Bot: m.Bot, Source: m.Source, EditedAt: writtenTime(m.EditedAt), Files: []writtenFile{}}
	for _, a := range m.Attachments {
		w.Files = append(w.Files, writtenFile{a.Name, a.Type, a.Size})
	}
	return w
}

func newWrittenPerson(who desk.Requester) writtenPerson {
	return writtenPerson{optional(who.User), optional(who.Name), optional(who.Email)}
}

func writtenTime(at *time.Time) *wire.Time {
	if at == nil {
		return nil
	}
	t := wire.NewTime(*at)
	return &t
}

// frontdesk reads our own export. Ids of people, customers and custom fields are not
// read: in another account, they may be somebody or something else.
type frontdesk struct{}

func (frontdesk) lists() map[string]kind { return map[string]kind{"requests": request} }

func (frontdesk) kindOf(o object) kind {
	if o.has("requester") || o.has("messages") {
		return request
	}
	return unknown
}

func (frontdesk) learn(kind, object) {}

func (f frontdesk) request(o object) Item {
	it := Item{ID: o.id("id"), Organization: o.text("customer_name")}
	switch {
	case o.has("merged_into"):
		it.LeftOut = "merged"
		return it
	case o.has("not_a_request_state") && !o.has("state"):
		it.LeftOut = "not a request"
		return it
	}
	n := &it.Request
	n.ExternalID, n.Title = optional(o.text("external_id")), optional(o.text("title"))
	n.Requester = f.person(o, "requester")
	if n.Assignee = optional(o.text("assignee")); n.Assignee != nil && !strings.Contains(*n.Assignee, "@") {
		n.Assignee = assigneeOf(person(o.text("assignee_name"), ""))
	}
	n.State, n.Priority = (*desk.State)(optional(o.text("state"))), (*desk.Priority)(optional(o.text("priority")))
	n.Tags = o.texts("tags")
	n.CreatedAt, n.UpdatedAt = o.moment("created_at"), o.moment("updated_at")
	n.FirstResponseAt, n.SolvedAt, n.ClosedAt = o.moment("first_response_at"), o.moment("solved_at"), o.moment("closed_at")
	it.HasValues = len(o.inside("custom_field_values").fields) > 0
	for _, m := range o.list("messages") {
		n.Messages = append(n.Messages, f.message(&it, m))
	}
	return it
}

func (frontdesk) person(o object, name string) desk.Requester {
	in := o.inside(name)
	who := person(in.text("name"), in.text("email"))
	if who == (desk.Requester{}) {
		who = person(in.text("id"), "")
	}
	return who
}

func (f frontdesk) message(it *Item, o object) desk.ImportedMessage {
	responder := o.flag("is_responder", false)
	m := desk.ImportedMessage{Author: f.person(o, "author"), Responder: &responder, Private: o.flag("is_private", false), CreatedAt: o.moment("created_at")}
	if responder && m.Author == (desk.Requester{}) {
		m.Author.Name = "Unknown"
	}
	if html := o.text("html_body"); html != "" {
		m.HTML = &html
	} else {
		text := o.text("text")
		m.Text = &text
	}
	var files []string
	for _, a := range o.list("files") {
		files = append(files, a.text("name"))
	}
	it.mention(&m, files)
	return m
}
