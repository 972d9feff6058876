package desk

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// FormTypes are the ticket systems that a form can belong to.
var FormTypes = []TicketType{Native, "zendesk", "freshdesk", "intercom", "jira", "hubspot", "salesforce"}

type TicketFormID int64

// TicketForm is a form for making tickets. A form of another ticket system is
// stored, but makes no tickets here.
type TicketForm struct {
	ID          TicketFormID
	Name        string
	Description *string
	Enabled     bool
	Type        TicketType // never changes
	Create      FormAction
	CreatedAt   time.Time
	UpdatedAt   time.Time
	DeletedAt   *time.Time // nil while it is in use
}

func (f TicketForm) Named() (resource, id string) { return "TicketForm", FormatID(f.ID) }

// FormAction is something that a form does, and the fields it asks for.
type FormAction struct {
	Enabled bool
	Fields  []FormField // in display order, each key once
}

// FormField is a field of a form. A hidden field, or one for responders only, is
// not required of people who cannot fill it.
type FormField struct {
	Key                    FormKey
	Label                  string
	Audience               FormAudience
	Hidden                 bool
	RequiredByResponder    bool
	RequiredByNonResponder bool
}

// FormKey says what a form field fills: a field of a request, or a custom field by
// its id.
type FormKey string

const (
	FormTitle        FormKey = "title"
	FormDescription  FormKey = "description" // every ticket has one, whatever the form says
	FormPriority     FormKey = "priority"
	FormAssignee     FormKey = "assignee"
	FormContributors FormKey = "contributors"
	FormTeam         FormKey = "assigned_team"
	FormStatus       FormKey = "status"
)

type formMember struct {
	key   FormKey
	label string
}

// formMembers are the fields of a request that a form can ask for, and their
// default labels.
var formMembers = []formMember{
	{FormTitle, "Title"}, {FormDescription, "Description"}, {FormPriority, "Priority"}, {FormAssignee, "Assignee"},
	{FormContributors, "Contributors"}, {FormTeam, "Assigned team"}, {FormStatus, "Status"},
}

// CustomField returns the custom field that the key names, if any. It does not
// check whether it exists.
func (k FormKey) CustomField() (CustomFieldID, bool) { return fieldID(string(k)) }

// FormAudience says who sees a field of a form.
type FormAudience string

const (
	ForAll        FormAudience = "all"
	ForResponders FormAudience = "responders" // responders of the API collection
)

const (
	// MostTicketForms bounds the forms of an account.
	MostTicketForms = 500
	// MostFormFields bounds the fields of a form.
	MostFormFields = 100
)

// field returns a field of the form.
func (f TicketForm) field(key FormKey) (FormField, bool) {
	i := slices.IndexFunc(f.Create.Fields, func(f FormField) bool { return f.Key == key })
	if i < 0 {
		return FormField{}, false
	}
	return f.Create.Fields[i], true
}

// CustomFields returns the custom fields in the form.
func (f TicketForm) CustomFields() []CustomFieldID { return customFieldsOf(f.Create.Fields) }

func customFieldsOf(fields []FormField) (ids []CustomFieldID) {
	for _, f := range fields {
		if id, ok := f.Key.CustomField(); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// unusable returns why no ticket can be made with the form, empty if one can.
func (f TicketForm) unusable() string {
	switch {
	case f.Type != Native:
		return fmt.Sprintf("must name a native form; %q belongs to %s", f.Name, f.Type)
	case !f.Enabled:
		return fmt.Sprintf("must name a form that is enabled; %q is not", f.Name)
	case !f.Create.Enabled:
		return fmt.Sprintf("must name a form that creates tickets; action_config.create of %q is not enabled", f.Name)
	}
	return ""
}

// FormFilter narrows a list of forms. The zero value lists all of them.
type FormFilter struct {
	Enabled *bool
	Type    TicketType
}

// GivenForm is a form as a caller gave it, for a new one or for a change. In a
// change a nil field stays as it is.
type GivenForm struct {
	Body
	Name          *string
	Description   Nullable[string]
	Enabled       *bool
	Type          *TicketType
	CreateEnabled *bool
	Fields        *[]FormField // all of them; a field without a label gets the default label

	// Known are the custom fields that Fields names, as far as they exist. The
	// service looks them up; the caller does not give them.
	Known map[CustomFieldID]CustomField
}

// CustomFields returns the custom fields that it names, existing or not.
func (g GivenForm) CustomFields() []CustomFieldID {
	if g.Fields == nil {
		return nil
	}
	return customFieldsOf(*g.Fields)
}

// TicketForm checks the input and makes the form. By default it is native and
// enabled.
func (g GivenForm) TicketForm(now time.Time) (TicketForm, error) {
	f := TicketForm{Enabled: true, Type: Native, Create: FormAction{Enabled: true}, CreatedAt: now, UpdatedAt: now}
	return create(f, g.Body, func(f *TicketForm, p *patch) {
		if set(&f.Type, g.Type); g.Type != nil {
			OneOf(&p.Problems, "integration_type", f.Type, FormTypes...)
		}
		g.fill(f, p)
	})
}

// Apply makes the whole change, or returns Invalid and changes nothing.
func (f *TicketForm) Apply(g GivenForm, now time.Time) error {
	return amend(f, g.Body, func(next *TicketForm, p *patch) {
		if g.Type != nil && *g.Type != f.Type {
			p.Add("integration_type", "cannot be changed; it is %s", f.Type)
		}
		g.fill(next, p)
		next.UpdatedAt = now
	})
}

// fill applies the given parts and checks them.
func (g GivenForm) fill(f *TicketForm, p *patch) {
	take(p, "name", &f.Name, g.Name)
	takeNullable(p, "description", &f.Description, g.Description)
	take(p, "enabled", &f.Enabled, g.Enabled)
	p.offer("action_config", g.Type != nil || g.CreateEnabled != nil || g.Fields != nil)
	set(&f.Create.Enabled, g.CreateEnabled)
	p.Text("name", &f.Name, 1, mostName)
	optionalText(&p.Problems, "description", &f.Description, 0, mostFieldDescription)
	if g.Fields != nil {
		f.Create.Fields = slices.Clone(*g.Fields) // the check modifies them
		checkFormFields(&p.Problems, f.Create.Fields, g.Known)
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

// formLabel returns the default label of a field; false for an unknown key.
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
	names := Each(formMembers, func(m formMember) string { return string(m.key) })
	return strings.Join(names, ", ")
}
