package desk

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// EntityType is what a custom field belongs to.
type EntityType string

const (
	EntityRequest  EntityType = "request"
	EntityCustomer EntityType = "customer"
)

// EntityTypes lists every value.
var EntityTypes = []EntityType{EntityRequest, EntityCustomer}

// FieldType is what a custom field holds.
type FieldType string

const (
	FieldSelect      FieldType = "select"       // one of its options
	FieldMultiSelect FieldType = "multi_select" // any number of its options
	FieldText        FieldType = "text"
	FieldDate        FieldType = "date" // a day
	FieldNumber      FieldType = "number"
	FieldUser        FieldType = "user_select" // a user of the chat system
	FieldAttachment  FieldType = "attachment"  // files
)

// FieldTypes lists every value.
var FieldTypes = []FieldType{FieldSelect, FieldMultiSelect, FieldText, FieldDate, FieldNumber, FieldUser, FieldAttachment}

// HasOptions reports whether values of the type are options of the field.
func (t FieldType) HasOptions() bool { return t == FieldSelect || t == FieldMultiSelect }

const (
	// MostCustomFields bounds the custom fields of an account.
	MostCustomFields = 500
	// MostOptions bounds the options of a field.
	MostOptions = 500
	// MostText is the largest maximum length that a text field may have.
	MostText = 3000

	defaultMaxLength     = 255
	mostFieldDescription = 1000
	mostPrompt           = 3000
)

type CustomFieldID int64

// CustomField is a field that an account has added to its requests or its
// customers. Its name and config may change. Its type and entity type never change.
type CustomField struct {
	ID          CustomFieldID
	Entity      EntityType
	Name        string
	Description *string
	Type        FieldType
	Version     int64 // starts at 1 and grows by one with each change
	Config      FieldConfig
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

func (f CustomField) Named() (resource, id string) { return "CustomField", FormatID(f.ID) }

// FieldConfig is the part of a field that depends on its type.
type FieldConfig struct {
	Options    []FieldOption // for types with options, in display order
	LastOption OptionID      // the highest option id used so far
	MaxLength  int           // for text
	SingleLine *bool         // for text, how it is shown; nil if not set
	Default    *FieldValue   // initial value in a form
	AIPrompt   *string       // what to ask a model for a value
}

// OptionID is the number of an option in its field, from 1. It is a string in the
// API and is never reused.
type OptionID int64

func (id OptionID) String() string { return strconv.FormatInt(int64(id), 10) }

// FieldOption is one of the values that a field offers.
type FieldOption struct {
	ID    OptionID
	Value string
}

// option finds an option of the field by its id as text.
func (c FieldConfig) option(id string) (OptionID, bool) {
	i := slices.IndexFunc(c.Options, func(o FieldOption) bool { return o.ID.String() == id })
	if i < 0 {
		return 0, false
	}
	return c.Options[i].ID, true
}

// GivenConfig is a config as a caller gave it. Missing parts stay as they are.
// Parts that do not apply to the type are ignored.
type GivenConfig struct {
	Type       *FieldType // must be the field's
	Options    *[]GivenOption
	MaxLength  *int
	SingleLine *bool
	Default    Nullable[any] // a JSON value; see CustomField.Check
	AIPrompt   Nullable[string]
}

// GivenOption is an option as a caller gave it. With an id it is an existing
// option; without one it is new.
type GivenOption struct {
	ID    *string
	Value string
}

// NewCustomField is the input for a new custom field.
type NewCustomField struct {
	Body
	Name        string
	Type        FieldType
	Entity      EntityType
	Description *string
	Config      GivenConfig
}

// CustomField checks the input and makes the field. Options get their ids here and
// ignore the ids they carry, so that a default may name them by text. It does not
// check whether the default user exists.
func (n NewCustomField) CustomField(now time.Time) (CustomField, error) {
	f := CustomField{Entity: n.Entity, Name: n.Name, Description: n.Description, Type: n.Type, Version: 1, CreatedAt: now, UpdatedAt: now}
	if f.Type == FieldText {
		f.Config.MaxLength = defaultMaxLength
	}
	p := n.problems()
	f.checkTexts(&p)
	OneOf(&p, "type", f.Type, FieldTypes...)
	OneOf(&p, "entity_type", f.Entity, EntityTypes...)
	if f.Type.HasOptions() && n.Config.Options == nil {
		p.Add("config.options", "is required")
	}
	if n.Config.Options != nil {
		fresh := Each(*n.Config.Options, func(o GivenOption) GivenOption { return GivenOption{Value: o.Value} })
		n.Config.Options = &fresh
	}
	if f.Type.HasOptions() && n.Config.Options != nil && n.Config.Default.Value != nil {
		byText := n.Config.defaultByText()
		n.Config.Default.Value = &byText
	}
	f.configure(&p, n.Config)
	err := p.Err()
	return f, err
}

// defaultByText returns the default of a new field with option texts replaced by
// the ids that the options will get. A text wins over an id that looks the same,
// because the creator chose the texts and not the ids. A value that is not an
// option's text is left as it is.
func (g GivenConfig) defaultByText() any {
	ids := make(map[string]string, len(*g.Options))
	for i, o := range *g.Options {
		ids[Fold(strings.TrimSpace(o.Value))] = OptionID(i + 1).String()
	}
	byText := func(v any) any {
		if s, ok := v.(string); ok {
			if id, ok := ids[Fold(strings.TrimSpace(s))]; ok {
				return id
			}
		}
		return v
	}
	list, ok := (*g.Default.Value).([]any)
	if !ok {
		return byText(*g.Default.Value)
	}
	return Each(list, byText)
}

// CustomFieldChange is the new content of a custom field. Name and type are always
// given, and the type must be the current one.
type CustomFieldChange struct {
	Body
	Version     *int64 // the version the caller has seen; nil: any
	Name        string
	Type        FieldType
	Entity      *EntityType
	Description Nullable[string]
	Config      GivenConfig
}

// ErrOutdatedField says that somebody else has changed the field in the meantime.
var ErrOutdatedField = Errorf(Conflict, "An outdated version of the custom field is being updated. Read it again and retry.")

// Apply makes the whole change, or returns Conflict or Invalid and changes nothing.
// It does not check whether stored values still fit the field, nor whether the
// default user exists.
func (f *CustomField) Apply(ch CustomFieldChange, now time.Time) error {
	if ch.Problem != nil {
		return ch.Problem
	}
	if ch.Version != nil && *ch.Version != f.Version {
		return ErrOutdatedField
	}
	next := *f
	next.Name = ch.Name
	setNullable(&next.Description, ch.Description)
	var p Problems
	next.checkTexts(&p)
	if ch.Type != f.Type {
		p.Add("type", "cannot be changed; it is %s", f.Type)
	}
	if ch.Entity != nil && *ch.Entity != f.Entity {
		p.Add("entity_type", "cannot be changed; it is %s", f.Entity)
	}
	next.configure(&p, ch.Config)
	if err := p.Err(); err != nil {
		return err
	}
	next.Version, next.UpdatedAt = f.Version+1, now
	*f = next
	return nil
}

func (f *CustomField) checkTexts(p *Problems) {
	p.Text("name", &f.Name, 1, mostName)
	optionalText(p, "description", &f.Description, 0, mostFieldDescription)
}

// configure applies the given parts and checks the whole config.
func (f *CustomField) configure(p *Problems, given GivenConfig) {
	if given.Type != nil && *given.Type != f.Type {
		p.Add("config.type", "must be the type of the field, %s", f.Type)
	}
	if f.Type.HasOptions() && given.Options != nil {
		f.Config.setOptions(p, *given.Options)
	}
	if f.Type == FieldText {
		set(&f.Config.MaxLength, given.MaxLength)
		if given.SingleLine != nil {
			f.Config.SingleLine = given.SingleLine
		}
		wholeNumber(p, "config.max_length", f.Config.MaxLength, 1, MostText)
	}
	setNullable(&f.Config.AIPrompt, given.AIPrompt)
	optionalText(p, "config.ai_prompt", &f.Config.AIPrompt, 1, mostPrompt)
	f.setDefault(p, given.Default)
}

// setOptions replaces the options. Options with an id are existing ones; the others
// get the next ids.
func (c *FieldConfig) setOptions(p *Problems, given []GivenOption) {
	if !p.atMost("config.options", len(given), MostOptions) {
		return
	}
	options := make([]FieldOption, len(given))
	ids, values := map[OptionID]bool{}, map[string]bool{}
	last := c.LastOption
	for i, o := range given {
		field := fmt.Sprintf("config.options[%d]", i)
		p.Text(field+".value", &o.Value, 1, mostName)
		if folded := Fold(o.Value); values[folded] && o.Value != "" {
			p.Add(field+".value", "is given twice")
		} else {
			values[folded] = true
		}
		options[i].Value = o.Value
		if o.ID == nil {
			last++
			options[i].ID = last
			continue
		}
		id, ok := c.option(*o.ID)
		switch {
		case !ok:
			p.Add(field+".id", "is not an option of this field; leave it out for a new option")
		case ids[id]:
			p.Add(field+".id", "is given twice")
		}
		ids[id], options[i].ID = true, id
	}
	c.Options, c.LastOption = options, last
}

// setDefault sets a given default. An existing default must still be a valid value
// of the field.
func (f *CustomField) setDefault(p *Problems, given Nullable[any]) {
	switch {
	case given.Given && given.Value == nil:
		f.Config.Default = nil
	case given.Given:
		v, problem := f.check(*given.Value, FieldValue{})
		if problem != "" {
			p.Add("config.default_value", "%s", problem)
		}
		f.Config.Default = &v
	case f.Config.Default != nil:
		if _, problem := f.check(f.Config.Default.JSON(), FieldValue{}); problem != "" {
			p.Add("config.default_value", "%s; give another value, or null", problem)
		}
	}
}
