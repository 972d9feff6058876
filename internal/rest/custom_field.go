package rest

import (
	"bytes"
	"encoding/json"
	"strconv"

	"frontdesk/internal/desk"
)

func (s *Server) listCustomFields(c *call) (any, error) {
	var p desk.Problems
	of := desk.EntityRequest
	if given := c.text(&p, "entity_type"); c.values.Has("entity_type") {
		of = desk.EntityType(given)
		desk.OneOf(&p, "entity_type", of, desk.EntityTypes...)
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	return s.service.CustomFields(c.ctx, c.caller, of)
}

// newCustomField reads a new custom field.
func newCustomField(b object) desk.NewCustomField {
	n := desk.NewCustomField{
		Name: b.required("name"), Type: desk.FieldType(b.required("type")), Entity: desk.EntityRequest,
		Description: b.nullableText("description").Value, Config: fieldConfig(b.inside("config")),
	}
	b.read("entity_type", "a string", &n.Entity)
	return n
}

// customFieldChange reads a change to a custom field.
func customFieldChange(b object) desk.CustomFieldChange {
	return desk.CustomFieldChange{
		Name: b.required("name"), Type: desk.FieldType(b.required("type")), Entity: member[desk.EntityType](b, "entity_type", "a string"),
		Description: b.nullableText("description"), Config: fieldConfig(b.inside("config")), Version: b.version("version"),
	}
}

// version reads a version, given as a number or as a string that holds a number. It
// returns nil if it is not given.
func (o object) version(name string) *int64 {
	const want = "a version: a whole number, or a string with one"
	var text string
	if json.Unmarshal(o.members[name], &text) != nil || string(o.members[name]) == "null" {
		return member[int64](o, name, want) // not a string
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		o.problems.Add(o.at+name, "must be "+want)
	}
	return &n
}

// fieldConfig reads the config of a custom field.
func fieldConfig(o object) desk.GivenConfig {
	g := desk.GivenConfig{
		Type: member[desk.FieldType](o, "type", "a string"), MaxLength: member[int](o, "max_length", "a whole number"),
		SingleLine: o.flag("single_line"), AIPrompt: o.nullableText("ai_prompt"),
	}
	if raw, given := o.members["default_value"]; given {
		g.Default.Given = true
		if v := decoded(raw); v != nil {
			g.Default.Value = &v
		}
	}
	g.Options = listOf(o, "options", desk.MostOptions, func(one object) desk.GivenOption {
		return desk.GivenOption{ID: one.text("id"), Value: one.required("value")}
	})
	return g
}

// fieldInput reads custom field values. It returns nil if they are not given.
func (o object) fieldInput(name string) desk.FieldInput {
	in := o.inside(name)
	if in.members == nil {
		return nil
	}
	values := make(desk.FieldInput, len(in.members))
	for id, raw := range in.members {
		values[id] = decoded(raw)
	}
	return values
}

// decoded decodes a JSON value and keeps its numbers as they were written.
func decoded(raw json.RawMessage) (v any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	_ = d.Decode(&v) // cannot fail: it is part of a body that was valid JSON
	return v
}
