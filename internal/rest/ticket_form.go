package rest

import (
	"encoding/json"
	"strconv"

	"frontdesk/internal/desk"
)

// formFilter reads the filter of the list of ticket forms.
func formFilter(c *call, p *desk.Problems) (f desk.FormFilter, page desk.Page) {
	f.Type = desk.TicketType(c.text(p, "integration_type"))
	if c.values.Has("integration_type") {
		desk.OneOf(p, "integration_type", f.Type, desk.FormTypes...)
	}
	if c.values.Has("enabled") {
		enabled := c.flag(p, "enabled")
		f.Enabled = &enabled
	}
	return f, c.page(p)
}

// newForm reads a new ticket form.
func newForm(b object) desk.GivenForm {
	b.demand("name")
	return givenForm(b)
}

// givenForm reads a ticket form.
func givenForm(b object) desk.GivenForm {
	create := b.inside("action_config").inside("create")
	return desk.GivenForm{
		Name: b.text("name"), Description: b.nullableText("description"), Enabled: b.flag("enabled"),
		Type: member[desk.TicketType](b, "integration_type", "a string"), CreateEnabled: create.flag("enabled"),
		Fields: listOf(create, "fields", desk.MostFormFields, formField),
	}
}

func formField(o object) desk.FormField {
	f := desk.FormField{Key: o.formKey("key"), Audience: desk.ForAll}
	o.read("label", "a string", &f.Label)
	o.read("audience", "a string", &f.Audience)
	o.read("is_hidden", "true or false", &f.Hidden)
	o.read("required_by_responder", "true or false", &f.RequiredByResponder)
	o.read("required_by_non_responder", "true or false", &f.RequiredByNonResponder)
	return f
}

// formKey reads the key of a form field. It may also be the id of a custom field as
// a number.
func (o object) formKey(name string) desk.FormKey {
	var id int64
	if json.Unmarshal(o.members[name], &id) == nil && string(o.members[name]) != "null" {
		return desk.FormKey(strconv.FormatInt(id, 10))
	}
	return desk.FormKey(o.required(name))
}

// createTicket does one of several things, depending on the type. A form creates a
// ticket; all other types come as JSON.
func (s *Server) createTicket(c *call) (any, error) {
	if c.form == nil {
		return s.ticketFromJSON(c)
	}
	return withFileParts(c, fileParts{name: "attachment", numbered: true, text: "fields"}, func(u upload) (any, error) {
		return s.service.CreateTicket(c.ctx, c.caller, newFormTicket(u))
	})
}

// ticketFromJSON handles the types that come as JSON.
func (s *Server) ticketFromJSON(c *call) (any, error) {
	b := c.object()
	switch kind := b.required("type"); {
	case b.problem() != nil:
	case kind == "link":
		n := newLink(b)
		n.Problem = b.problem()
		return s.service.LinkTicket(c.ctx, c.caller, n)
	case kind == "create":
		b.problems.Add("type", "create is sent as a form, with Content-Type: multipart/form-data; boundary=…")
	default:
		b.problems.Add("type", "must be link, or create, which is sent as a form")
	}
	return nil, b.problem()
}

// newFormTicket reads a ticket from the parts of a form.
func newFormTicket(u upload) desk.NewFormTicket {
	n := desk.NewFormTicket{Description: orZero(u.text("description")), Files: u.files}
	if kind := u.text("type"); kind != nil && *kind != "create" {
		u.problems.Add("type", "must be create in a form")
	}
	n.Form = desk.TicketFormID(orZero(u.number("form_id")))
	if text := u.text("fields"); text != nil {
		given, problem := members([]byte(*text))
		if problem != "" {
			u.problems.Add("fields", "%s", problem)
		}
		n.Fields = make(map[string]any, len(given))
		for key, raw := range given {
			n.Fields[key] = decoded(raw)
		}
	}
	n.Problem = u.problem("type", "form_id", "description")
	return n
}
