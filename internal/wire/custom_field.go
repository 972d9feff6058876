package wire

import (
	"strconv"

	"frontdesk/internal/desk"
)

// CustomField is a custom field on the wire.
type CustomField struct {
	ID          desk.CustomFieldID `json:"id"`
	Entity      desk.EntityType    `json:"entity_type"`
	Name        string             `json:"name"`
	Description *string            `json:"description"`
	Version     string             `json:"version"`
	Type        desk.FieldType     `json:"type"`
	Config      FieldConfig        `json:"config"`
	CreatedAt   Time               `json:"created_at"`
	UpdatedAt   Time               `json:"updated_at"`
}

// FieldConfig has the JSON fields that apply to the custom field's type.
type FieldConfig struct {
	Type       desk.FieldType `json:"type"`
	Options    []FieldOption  `json:"options,omitzero"`
	LastOption *desk.OptionID `json:"last_option_id,omitempty"`
	MaxLength  int            `json:"max_length,omitempty"`
	SingleLine *bool          `json:"single_line,omitempty"`
	Default    any            `json:"default_value,omitempty"`
	AIPrompt   *string        `json:"ai_prompt,omitempty"`
}

// FieldOption is an option. Its id is a string.
type FieldOption struct {
	ID    string `json:"id"`
	Value string `json:"value"`
}

// NewCustomField returns the wire form of a custom field.
func NewCustomField(f desk.CustomField) CustomField {
	c := FieldConfig{Type: f.Type, MaxLength: f.Config.MaxLength, SingleLine: f.Config.SingleLine, AIPrompt: f.Config.AIPrompt}
	if f.Type.HasOptions() {
		c.Options = desk.Each(f.Config.Options, func(o desk.FieldOption) FieldOption { return FieldOption{o.ID.String(), o.Value} })
		c.LastOption = &f.Config.LastOption
	}
	if f.Config.Default != nil {
		c.Default = f.Config.Default.JSON()
	}
	return CustomField{
		ID: f.ID, Entity: f.Entity, Name: f.Name, Description: f.Description, Version: strconv.FormatInt(f.Version, 10),
		Type: f.Type, Config: c, CreatedAt: NewTime(f.CreatedAt), UpdatedAt: NewTime(f.UpdatedAt),
	}
}

// NewFieldValues returns the wire form of the values of a request or a customer. It
// is never null.
func NewFieldValues(values desk.FieldValues) map[desk.CustomFieldID]any {
	all := make(map[desk.CustomFieldID]any, len(values))
	for id, v := range values {
		all[id] = v.JSON()
	}
	return all
}
