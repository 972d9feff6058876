package rest

import (
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/service"
	"frontdesk/internal/wire"
)

func (s *Server) listRequests(c *call) (any, error) {
	var p desk.Problems
	f := c.listFilter(&p)
	messages := c.includes(&p, "messages")
	// A cursor belongs to the order that it came from, and so to the time that
	// sorts it.
	c.order = "created"
	switch {
	case f.ByUpdate:
		c.order = "updated"
	case f.ByMessage:
		c.order = "message"
	}
	c.order += string(f.Order)
	page := c.page(&p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	l, err := s.service.Requests(c.ctx, c.caller, f, page, messages)
	if err != nil {
		return nil, err
	}
	return listed{name: "requests", items: wire.Requests{Items: l.Items, Form: listedForm(f)}, next: c.cursorAt(l.Next), count: len(l.Items)}, nil
}

// listFilter reads the filters of the list of requests, and the time that it is
// sorted by.
func (c *call) listFilter(p *desk.Problems) desk.RequestFilter {
	f := c.requestFilter(p)
	switch c.query(p).Get("filter_by") {
	case "updated_at":
		f.ByUpdate = true
	case "last_message_at":
		f.ByMessage = true
	case "created_at":
	default:
		if c.values.Has("filter_by") {
			p.Add("filter_by", "must be one of created_at, updated_at, last_message_at")
		}
	}
	filtered := !f.Triage.IsZero()
	if c.values.Has("sort") {
		f.Order = desk.RequestOrder(c.values.Get("sort"))
		desk.OneOf(p, "sort", f.Order, desk.ByNextDue, desk.ByPriority)
	}
	if f.Order == desk.ByNextDue && c.values.Has("sort_order") {
		p.Add("sort_order", "cannot be combined with sort=next_due: what is due first always comes first")
	}
	if !filtered && (f.ByMessage || f.Order != "") {
		onlyUnsolved(p, f)
	}
	return f
}

// requestFilter reads the filters of a list of requests.
func (c *call) requestFilter(p *desk.Problems) desk.RequestFilter {
	f := desk.RequestFilter{
		Collection:   desk.CollectionID(c.integer(p, "collection_id", 0, 1, 1<<53)),
		Channel:      c.text(p, "channel_id"),
		AuthorEmails: c.texts(p, "author_emails"),
		Tags:         c.repeated(p, "tag"),
		Unread:       c.flag(p, "unread"),
	}
	if f.Following = c.flag(p, "following"); c.values.Has("following") && !f.Following {
		p.Add("following", "must be true; leave it out to include requests that you do not follow")
	}
	for _, state := range c.texts(p, "state") {
		if state == "none" {
			f.None = true
			continue
		}
		f.States = append(f.States, desk.State(state))
		desk.OneOf(p, "state", state, "open", "in_progress", "pending", "on_hold", "solved", "closed", "none")
	}
	for _, priority := range c.texts(p, "priority") {
		f.Priorities = append(f.Priorities, desk.Priority(priority))
		desk.OneOf(p, "priority", desk.Priority(priority), desk.Priorities...)
	}
	for _, user := range c.few(p, "assignee_id") {
		switch user {
		case "none":
			f.Unassigned = true
		case "me":
			f.Mine = true
		default:
			f.Assignees = append(f.Assignees, user)
		}
	}
	if c.query(p).Has("snoozed") {
		f.Snoozed = desk.Snoozed(c.text(p, "snoozed"))
		desk.OneOf(p, "snoozed", f.Snoozed, desk.IsSnoozed, desk.NotSnoozed, desk.CameBack)
	}
	f.Teams, f.NoTeam = idsOrNone[desk.TeamID](c, p, "team_id")
	f.Customers, f.NoCustomer = idsOrNone[desk.CustomerID](c, p, "customer_id")
	if f.Triage = c.triage(p); !f.Triage.IsZero() {
		onlyUnsolved(p, f)
	}
	if c.values.Has("unread") && !f.Unread {
		p.Add("unread", "must be true; leave it out to include requests that you have read")
	}
	return f
}

// few reads the values of a filter: at least one, and not too many. It returns nil
// if the parameter is not given.
func (c *call) few(p *desk.Problems, name string) []string {
	values := c.texts(p, name)
	if values != nil && (len(values) == 0 || len(values) > desk.MostNamed) {
		p.Add(name, "must have 1 to %d values", desk.MostNamed)
		return nil
	}
	return values
}

// repeated reads a parameter whose values may contain commas. It is repeated to
// give several values.
func (c *call) repeated(p *desk.Problems, name string) (texts []string) {
	given := c.query(p)[name]
	for _, text := range given {
		if text = strings.TrimSpace(text); text != "" && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
		if !desk.Storable(text) {
			p.Add(name, "must be valid UTF-8 without the character U+0000")
		}
	}
	if given != nil && (len(texts) == 0 || len(texts) > desk.MostNamed) {
		p.Add(name, "must have 1 to %d values", desk.MostNamed)
		return nil
	}
	return texts
}

// idsOrNone reads a filter by ids, or by having none.
func idsOrNone[T ~int64](c *call, p *desk.Problems, name string) (ids []T, none bool) {
	for _, text := range c.few(p, name) {
		if text == "none" {
			none = true
			continue
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 || n > 1<<53 {
			p.Add(name, "must be numbers from 1 to %d, or none", int64(1<<53))
			continue
		}
		ids = append(ids, T(n))
	}
	return ids, none
}

// listedForm returns the form in which the filtered list shows its requests.
func listedForm(f desk.RequestFilter) wire.RequestForm {
	if f.None {
		return wire.OfNone
	}
	return wire.Listed
}

// getRequest takes a key where the path has the id: it is what people write down.
func (s *Server) getRequest(c *call) (any, error) {
	parts, err := c.requestParts()
	if err != nil {
		return nil, err
	}
	if key, ok := desk.ParseKey(c.req.PathValue("id")); ok {
		return s.service.RequestKeyed(c.ctx, c.caller, key, parts)
	}
	id, err := id[desk.RequestID](c, "id")
	if err != nil {
		return nil, err
	}
	return s.service.Request(c.ctx, c.caller, id, parts)
}

// findRequest finds a request by a message of the chat system.
func (s *Server) findRequest(c *call) (any, error) {
	parts, err := c.requestParts()
	if err != nil {
		return nil, err
	}
	return s.service.FindRequest(c.ctx, c.caller, c.req.PathValue("team"), c.req.PathValue("channel"), c.req.PathValue("ts"), parts)
}

// requestParts reads the parts that include asks for.
func (c *call) requestParts() (parts service.RequestParts, err error) {
	var p desk.Problems
	for _, part := range c.texts(&p, "include") {
		switch part {
		case "messages":
			parts.Messages = true
		case "parent_child_requests":
			parts.Family = true
		default:
			p.Add("include", "must be messages, parent_child_requests, or both")
		}
	}
	return parts, p.Err()
}

// createRequest takes a form or a JSON body.
func (s *Server) createRequest(c *call) (any, error) {
	if c.form != nil {
		return withFiles(c, "attachments", func(u upload) (any, error) {
			n := desk.NewRequest{Title: u.text("title"), Description: orZero(u.text("description")), Requester: u.text("requester_email"),
				Priority: (*desk.Priority)(u.text("priority")), Files: u.files}
			n.Problem = u.problem("description")
			return s.service.CreateRequest(c.ctx, c.caller, n)
		})
	}
	return s.service.CreateRequest(c.ctx, c.caller, input(c, newRequest))
}

// newRequest reads a new request from JSON. With collection_id it is an API ticket.
// Its priority may be medium, and its response is flat.
func newRequest(b object) desk.NewRequest {
	n := desk.NewRequest{
		Collection: member[desk.CollectionID](b, "collection_id", "a number"),
		Title:      b.text("title"), Description: b.required("description"), Requester: b.text("requester_email"),
		Priority: (*desk.Priority)(b.text("priority")),
	}
	if b.has("collection_id") {
		n.Assignee = b.text("assignee_id")
		b.read("tags", "a list of strings", &n.Tags)
		if metadata := member[map[string]any](b, "custom_fields", "an object"); metadata != nil {
			n.Metadata = b.members["custom_fields"]
		}
		if n.Priority != nil && *n.Priority == "medium" {
			*n.Priority = desk.Normal
		}
	}
	return n
}

// createdRequest is the form of the response to Create Request.
func createdRequest(result any) ([]byte, error) {
	made := result.(desk.CreatedRequest)
	if made.Flat {
		return wire.JSON(wire.NewAPITicket(made.Request))
	}
	return wire.JSON(map[string]any{"request": wire.CreatedRequest{ID: strconv.FormatInt(int64(made.ID), 10)}})
}

// requestChange reads a change to a request.
func requestChange(b object) desk.RequestChange {
	return desk.RequestChange{
		State: (*desk.State)(b.text("state")), Title: b.text("title"), Priority: (*desk.Priority)(b.text("priority")),
		Assignee: b.nullableText("assignee"), Team: nullable[desk.TeamID](b, "assigned_team", "a number"),
		Tags: member[[]string](b, "tags", "a list of strings"), Contributors: member[[]string](b, "contributors", "a list of strings"),
		Parent:      nullable[desk.RequestID](b, "parent_request", "a number"),
		NotARequest: nullable[desk.NotARequest](b, "not_a_request_state", "a string"),
		Customer:    nullable[desk.CustomerID](b, "customer_id", "a number"),
		Values:      b.fieldInput("custom_field_values"),
		Snooze:      snoozeIn(b),
	}
}

// snoozeIn reads how a change snoozes a request. It has to say until when: a body that
// leaves that out by mistake would put a request aside for good.
func snoozeIn(b object) desk.Nullable[desk.SnoozeUntil] {
	if !b.has("snooze") {
		return desk.Nullable[desk.SnoozeUntil]{}
	}
	if string(b.members["snooze"]) == "null" {
		return desk.Null[desk.SnoozeUntil]()
	}
	in := b.inside("snooze")
	if in.members != nil && !in.has("until") {
		b.problems.Add(in.at+"until", "is required: a time, or null until the requester writes")
	}
	return desk.Just(desk.SnoozeUntil{Until: in.moment("until")})
}
