package desk

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// NewFormTicket is the input for a new ticket made with a form.
type NewFormTicket struct {
	Body
	Form        TicketFormID
	Description string         // HTML, as sent
	Fields      map[string]any // JSON values by key, with json.Numbers; null means none
	Files       []NewFile      // files of a custom field name the field
}

// CreatedTicket is a new ticket and its request.
type CreatedTicket struct {
	Ticket
	Request RequestID
}

// FormFacts are the stored facts that decide about a new ticket. Things it names
// are included if they exist.
type FormFacts struct {
	Form          *TicketForm // nil if there is none
	Responder     bool        // whether the caller is a responder
	OnHoldAllowed bool
	Fields        map[CustomFieldID]CustomField // custom fields in the form
	Users         map[string]User               // by folded email
	Teams         map[string]TeamID             // active ones, by the chat system's id
}

// Emails returns the emails given in fields that take a chat user.
func (n NewFormTicket) Emails(fields map[CustomFieldID]CustomField) (emails []string) {
	add := func(value any) {
		if s, ok := value.(string); ok && Storable(s) {
			emails = append(emails, strings.TrimSpace(s))
		}
	}
	add(n.Fields[string(FormAssignee)])
	if list, ok := n.Fields[string(FormContributors)].([]any); ok && len(list) <= mostContributors {
		for _, one := range list {
			add(one)
		}
	}
	for id, f := range fields {
		if f.Type == FieldUser {
			add(n.Fields[strconv.FormatInt(int64(id), 10)])
		}
	}
	slices.Sort(emails)
	return slices.Compact(emails)
}

// Team returns the team id it gives, empty for none.
func (n NewFormTicket) Team() string {
	s, _ := n.Fields[string(FormTeam)].(string)
	if !Storable(s) {
		return ""
	}
	return strings.TrimSpace(s)
}

// Request checks the input against the form and returns the input for the new
// request. It returns Invalid with everything that is wrong.
func (n NewFormTicket) Request(facts FormFacts) (NewRequest, error) {
	f := filling{FormFacts: facts, p: n.problems(), input: FieldInput{}, wrong: map[FormKey]bool{},
		request: NewRequest{Description: n.Description, Files: n.Files}}
	f.p.description(n.Description)
	switch {
	case facts.Form == nil:
		f.p.Add("form_id", "must be a ticket form of the account")
	case facts.Form.unusable() != "":
		f.p.Add("form_id", "%s", facts.Form.unusable())
	case f.p.atMost("fields", len(n.Fields), MostFormFields):
		f.request.Form = &facts.Form.ID
		f.takeFields(n.Fields)
		f.takeFiles(n.Files)
		f.request.Values = FieldValues(nil).Apply(&f.p, "fields", EntityRequest, facts.Fields, f.input)
		f.checkRequired(n)
	}
	return f.request, f.p.Err()
}

// filling is a form that is being filled in.
type filling struct {
	FormFacts
	p       Problems
	request NewRequest
	input   FieldInput       // values for the custom fields
	wrong   map[FormKey]bool // fields that were given and refused
}

// refuse records a problem with a field.
func (f *filling) refuse(key FormKey, format string, args ...any) {
	f.p.Add(fieldPath("fields", string(key)), format, args...)
}

// takeFields takes the given fields, in the order of the keys.
func (f *filling) takeFields(given map[string]any) {
	keys := slices.SortedFunc(maps.Keys(given), func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	for _, name := range keys {
		key := FormKey(name)
		field, has := f.Form.field(key)
		before := len(f.p.fields)
		switch problem := f.withheld(field, has); {
		case key == FormDescription:
			f.refuse(key, "is not allowed here: description is a part of its own")
		case problem != "":
			f.refuse(key, "%s", problem)
		case given[name] != nil:
			f.take(key, given[name])
		}
		f.wrong[key] = len(f.p.fields) > before
	}
}

// withheld returns why the caller cannot fill a field, empty if they can.
func (f *filling) withheld(field FormField, has bool) string {
	switch {
	case !has:
		return fmt.Sprintf("is not a field of the form %q", f.Form.Name)
	case field.Hidden:
		return fmt.Sprintf("is hidden in the form %q", f.Form.Name)
	case field.Audience == ForResponders && !f.Responder:
		return fmt.Sprintf("is only for responders in the form %q", f.Form.Name)
	}
	return ""
}

// take takes one field that the caller can fill.
func (f *filling) take(key FormKey, value any) {
	r := &f.request
	switch key {
	case FormTitle:
		if title, ok := f.text(key, value); ok {
			f.p.Text("fields.title", &title, 1, MostTitle)
			r.Title = &title
		}
	case FormPriority:
		if text, ok := f.text(key, value); ok {
			priority := Priority(text)
			OneOf(&f.p, "fields.priority", priority, Priorities...)
			r.Priority = &priority
		}
	case FormAssignee:
		switch u, ok := f.user(key, value); {
		case ok && u.External:
			f.refuse(key, NotAssignable, u.Email)
		case ok:
			r.Assignee = &u.ID
		}
	case FormContributors:
		r.Contributors = f.users(key, value)
	case FormTeam:
		if text, ok := f.text(key, value); ok {
			f.takeTeam(strings.TrimSpace(text))
		}
	case FormStatus:
		if text, ok := f.text(key, value); ok {
			f.takeState(State(text))
		}
	default:
		f.takeValue(key, value)
	}
}

func (f *filling) text(key FormKey, value any) (string, bool) {
	s, ok := value.(string)
	if !ok {
		f.refuse(key, "must be a string")
	}
	return s, ok
}

// user returns the user that an email names.
func (f *filling) user(key FormKey, value any) (User, bool) {
	email, ok := value.(string)
	if !ok {
		f.refuse(key, "must be a string with the email of a user of the chat system")
		return User{}, false
	}
	u, known := f.Users[FoldEmail(strings.TrimSpace(email))]
	if !known {
		f.refuse(key, "must be the email of an active user of the chat system; %.254q is not", email)
	}
	return u, known
}

// users returns the users that a list of emails names, each once.
func (f *filling) users(key FormKey, value any) (ids []string) {
	list, ok := value.([]any)
	if !ok {
		f.refuse(key, "must be a list of emails of users of the chat system")
		return nil
	}
	if len(list) > mostContributors {
		f.refuse(key, "must have at most %d items; there are %d", mostContributors, len(list))
		return nil
	}
	for _, one := range list {
		if u, ok := f.user(key, one); ok && !slices.Contains(ids, u.ID) {
			ids = append(ids, u.ID)
		}
	}
	return ids
}

func (f *filling) takeTeam(source string) {
	id, ok := f.Teams[source]
	if !ok {
		f.refuse(FormTeam, "must be the chat system's id of an active team; %.100q is not", source)
		return
	}
	f.request.Team = &id
}

func (f *filling) takeState(s State) {
	OneOf(&f.p, "fields.status", s, Open, InProgress, Pending, OnHold, Solved) // no ticket starts closed
	if s == OnHold && !f.OnHoldAllowed {
		f.refuse(FormStatus, "cannot be on_hold: the account does not allow it")
	}
	f.request.State = &s
}

// takeValue takes a value of a custom field. All of them are checked together
// later.
func (f *filling) takeValue(key FormKey, value any) {
	id, _ := key.CustomField()
	switch f.Fields[id].Type {
	case FieldAttachment:
		f.refuse(key, "must be sent as a file, in a part named %s", key)
	case FieldUser:
		if user, ok := f.user(key, value); ok {
			f.input[string(key)] = user.ID
		}
	default:
		f.input[string(key)] = value
	}
}

// takeFiles takes the files that name a custom field.
func (f *filling) takeFiles(files []NewFile) {
	told := map[CustomFieldID]bool{0: true}
	for _, file := range files {
		key := FormKey(strconv.FormatInt(int64(file.Field), 10))
		if told[file.Field] {
			continue
		}
		told[file.Field] = true
		field, has := f.Form.field(key)
		problem := f.withheld(field, has)
		if problem == "" && f.Fields[file.Field].Type != FieldAttachment {
			problem = fmt.Sprintf("is not a field for files; it is a %s", f.Fields[file.Field].Type)
		}
		if problem != "" {
			f.wrong[key] = true
			f.p.Add(string(key), "%s", problem)
		}
	}
}

// checkRequired reports required fields that the caller has not given.
func (f *filling) checkRequired(n NewFormTicket) {
	for _, field := range f.Form.Create.Fields {
		required := field.RequiredByNonResponder
		if f.Responder {
			required = field.RequiredByResponder
		}
		// The description is always required, and is not one of the fields.
		if !required || f.withheld(field, true) != "" || field.Key == FormDescription || f.wrong[field.Key] || f.given(field.Key, n) {
			continue
		}
		id, isCustom := field.Key.CustomField()
		if isCustom && f.Fields[id].Type == FieldAttachment {
			f.p.Add(string(field.Key), "is required: %q is a file", field.Label)
			continue
		}
		f.p.Add(fieldPath("fields", string(field.Key)), "is required")
	}
}

// given reports whether a field was filled. An empty text or list does not count.
func (f *filling) given(key FormKey, n NewFormTicket) bool {
	if id, ok := key.CustomField(); ok && slices.ContainsFunc(n.Files, func(file NewFile) bool { return file.Field == id }) {
		return true
	}
	switch v := n.Fields[string(key)].(type) {
	case nil:
		return false
	case string:
		return strings.TrimSpace(v) != ""
	case []any:
		return len(v) > 0
	}
	return true
}
