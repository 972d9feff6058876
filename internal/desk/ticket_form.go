package desk

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// FormTypes are the ticket systems that a form can belong to.
var FormTypes = []TicketType{Native, "zendesk", "freshdesk", "intercom", "jira", "hubspot", "salesforce"}

// TicketForm is a form that tickets are made with. One of another ticket system
// is kept, and makes none here.
type TicketForm struct {
	ID          TicketFormID
	Name        string
	Description *string
	Enabled     bool
	Type        TicketType // what it is stays
	Create      FormAction
	CreatedAt   time.Time
	UpdatedAt   time.Time
	DeletedAt   *time.Time // nil while it is in use
}

// FormAction is something that a form does, and what it asks for.
type FormAction struct {
	Enabled bool
	Fields  []FormField // in the order of display, each key once
}

// FormField is something that a form asks for. What is hidden, or for responders
// alone, is required of nobody who cannot give it.
type FormField struct {
	Key                    FormKey
	Label                  string
	Audience               FormAudience
	Hidden                 bool
	RequiredByResponder    bool
	RequiredByNonResponder bool
}

// FormKey is what a field of a form fills: a member of a request, or a custom
// field, by its id.
type FormKey string

const (
	FormTitle        FormKey = "title"
	FormDescription  FormKey = "description" // which every ticket has, whatever the form says
	FormPriority     FormKey = "priority"
	FormAssignee     FormKey = "assignee"
	FormContributors FormKey = "contributors"
	FormTeam         FormKey = "assigned_team"
	FormStatus       FormKey = "status"
)

// formMembers are the members of a request that a form can ask for, and what
// they are called where nobody says.
var formMembers = []struct {
	key   FormKey
	label string
}{
	{FormTitle, "Title"}, {FormDescription, "Description"}, {FormPriority, "Priority"}, {FormAssignee, "Assignee"},
	{FormContributors, "Contributors"}, {FormTeam, "Assigned team"}, {FormStatus, "Status"},
}

// CustomField is the custom field that the key names, if it names one. Whether
// it exists, it does not know.
func (k FormKey) CustomField() (CustomFieldID, bool) { return fieldID(string(k)) }

// FormAudience is who sees a field of a form.
type FormAudience string

const (
	ForAll        FormAudience = "all"
	ForResponders FormAudience = "responders" // of the API collection
)

const (
	// MostTicketForms bounds the forms of an account.
	MostTicketForms = 500
	// MostFormFields bounds the fields of a form.
	MostFormFields = 100
)

// field is a field of the form.
func (f TicketForm) field(key FormKey) (FormField, bool) {
	i := slices.IndexFunc(f.Create.Fields, func(f FormField) bool { return f.Key == key })
	if i < 0 {
		return FormField{}, false
	}
	return f.Create.Fields[i], true
}

// CustomFields are those that the form has a field for.
func (f TicketForm) CustomFields() []CustomFieldID { return customFieldsOf(f.Create.Fields) }

func customFieldsOf(fields []FormField) (ids []CustomFieldID) {
	for _, f := range fields {
		if id, ok := f.Key.CustomField(); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// unusable is why no ticket can be made with the form, empty where one can.
func (f TicketForm) unusable() string {
	switch {
	case f.Type != Native:
		return fmt.Sprintf("must name a native form; %q is one of %s", f.Name, f.Type)
	case !f.Enabled:
		return fmt.Sprintf("must name a form that is enabled; %q is not", f.Name)
	case !f.Create.Enabled:
		return fmt.Sprintf("must name a form that creates tickets; action_config.create of %q is not enabled", f.Name)
	}
	return ""
}

// FormFilter narrows a list of forms. The zero value is all of them.
type FormFilter struct {
	Enabled *bool
	Type    TicketType
}

// GivenForm is a form as a caller gave it: what it is made from, or what is to
// be changed of it, where nil leaves a member.
type GivenForm struct {
	Body
	Name          *string
	Description   Nullable[string]
	Enabled       *bool
	Type          *TicketType
	CreateEnabled *bool
	Fields        *[]FormField // all of them; one without a label is called as what it fills

	// Known are the custom fields that Fields names, as far as they exist. The
	// caller does not give them: whoever has looked them up.
	Known map[CustomFieldID]CustomField
}

// CustomFields are those that it names, existing or not.
func (g GivenForm) CustomFields() []CustomFieldID {
	if g.Fields == nil {
		return nil
	}
	return customFieldsOf(*g.Fields)
}

// TicketForm checks the input and makes the form: native and enabled, unless it
// says otherwise.
func (g GivenForm) TicketForm(now time.Time) (TicketForm, error) {
	if g.Problem != nil {
		return TicketForm{}, g.Problem
	}
	f := TicketForm{Enabled: true, Type: Native, Create: FormAction{Enabled: true}, CreatedAt: now, UpdatedAt: now}
	var p Problems
	if set(&f.Type, g.Type); g.Type != nil {
		OneOf(&p, "integration_type", f.Type, FormTypes...)
	}
	f.take(&p, g)
	err := p.Err()
	return f, err
}

// Apply changes the form as a whole, or gives Invalid and changes nothing.
func (f *TicketForm) Apply(g GivenForm, now time.Time) error {
	if g.Problem != nil {
		return g.Problem
	}
	if g.Name == nil && !g.Description.Given && g.Enabled == nil && g.Type == nil && g.CreateEnabled == nil && g.Fields == nil {
		return Errorf(Invalid, "Nothing to change: give at least one of name, description, enabled, action_config.")
	}
	next := *f
	var p Problems
	if g.Type != nil && *g.Type != f.Type {
		p.Add("integration_type", "cannot be changed; it is %s", f.Type)
	}
	next.take(&p, g)
	if err := p.Err(); err != nil {
		return err
	}
	next.UpdatedAt = now
	*f = next
	return nil
}

// take takes over what was given and checks it.
func (f *TicketForm) take(p *Problems, g GivenForm) {
	set(&f.Name, g.Name)
	setNullable(&f.Description, g.Description)
	set(&f.Enabled, g.Enabled)
	set(&f.Create.Enabled, g.CreateEnabled)
	p.Text("name", &f.Name, 1, mostName)
	optionalText(p, "description", &f.Description, 0, mostFieldDescription)
	if g.Fields != nil {
		f.Create.Fields = slices.Clone(*g.Fields) // the check changes them
		checkFormFields(p, f.Create.Fields, g.Known)
	}
}

func checkFormFields(p *Problems, fields []FormField, known map[CustomFieldID]CustomField) {
	const at = "action_config.create.fields"
	if !p.atMost(at, len(fields), MostFormFields) {
		return
	}
	seen := map[string]bool{}
	for i := range fields {
		f, at := &fields[i], fmt.Sprintf("%s[%d]", at, i)
		called, ok := formLabel(f.Key, known)
		if !ok {
			p.Add(at+".key", "must be one of %s, or the id of a custom field of requests", formMemberNames())
		} else {
			p.once(at+".key", seen, string(f.Key))
		}
		if p.Text(at+".label", &f.Label, 0, mostName); f.Label == "" {
			f.Label = called
		}
		OneOf(p, at+".audience", f.Audience, ForAll, ForResponders)
	}
}

// formLabel is what a field is called where nobody says; false for a key that
// names nothing.
func formLabel(key FormKey, known map[CustomFieldID]CustomField) (string, bool) {
	if id, isID := key.CustomField(); isID {
		f, ok := known[id]
		return f.Name, ok && f.Entity == EntityRequest
	}
	for _, m := range formMembers {
		if m.key == key {
			return m.label, true
		}
	}
	return "", false
}

func formMemberNames() string {
	names := make([]string, len(formMembers))
	for i, m := range formMembers {
		names[i] = string(m.key)
	}
	return strings.Join(names, ", ")
}
