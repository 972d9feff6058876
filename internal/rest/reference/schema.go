package reference

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/desk"
)

// fields describes an object field by field. Nested objects follow in the same
// table, as `config.options[].value`, unless they have their own description.
func (b *book) fields(w *strings.Builder, page string, s *schema) {
	s = b.flat(s)
	if about := sentences(s.Description, b.demands(s)); about != "" {
		fmt.Fprintf(w, "%s\n\n", about)
	}
	if forms := b.forms(s); len(forms) > 0 {
		for i, form := range forms {
			if i > 0 {
				w.WriteString("\nor\n\n")
			}
			if form.Ref != "" && b.linked[form.name()] {
				fmt.Fprintf(w, "%s\n", b.typeOf(page, form))
				continue
			}
			b.fields(w, page, form)
		}
		return
	}
	if len(s.Properties.names)+len(s.PatternProperties.names) == 0 {
		fmt.Fprintf(w, "%s\n", sentences(upperFirst(b.typeOf(page, s)), b.limits(s)))
		return
	}
	w.WriteString("| field | type | required | description |\n|---|---|---|---|\n")
	b.rows(w, page, "", s)
}

// rows writes the fields of an object below a name.
func (b *book) rows(w *strings.Builder, page, below string, s *schema) {
	for name, p := range s.Properties.all() {
		b.row(w, page, below+name, slices.Contains(s.Required, name), p)
	}
	for pattern, p := range s.PatternProperties.all() {
		b.row(w, page, below+"‹"+pattern+"›", false, p)
	}
}

func (b *book) row(w *strings.Builder, page, name string, required bool, p *schema) {
	about := sentences(b.limits(p), b.about(p))
	inner, path := b.inner(p)
	if inner != nil {
		about = sentences(about, b.demands(inner))
	}
	fmt.Fprintf(w, "| `%s` | %s | %s | %s |\n", name, b.typeOf(page, p), yes(required), cell(about))
	if inner != nil {
		b.rows(w, page, name+path+".", inner)
	}
}

// about returns the description of a field. It does not repeat what is described
// elsewhere.
func (b *book) about(s *schema) string {
	if s.Ref != "" && (b.linked[s.name()] || kindNames[s.name()] != "") {
		return s.Description
	}
	return b.schema(s).Description
}

// kindNames are well-known schemas, and what their values are called.
var kindNames = map[string]string{"Time": "time", "Moment": "date or time", "Cursor": "cursor"}

// inner returns the object that a field is, or is a list of, if that object is
// described with the field. It also returns the suffix of the field's name: [] for
// a list.
func (b *book) inner(s *schema) (*schema, string) {
	if s.Ref != "" && b.linked[s.name()] {
		return nil, ""
	}
	s = b.flat(b.schema(s))
	if s.Items != nil {
		inner, path := b.inner(s.Items)
		return inner, "[]" + path
	}
	var objects []*schema
	for _, form := range b.forms(s) {
		if form.Ref != "" && b.linked[form.name()] {
			return nil, ""
		}
		if b.isObject(form) {
			objects = append(objects, b.flat(form))
		}
	}
	if len(objects) > 0 {
		return united(objects), ""
	}
	if len(s.Properties.names) == 0 {
		return nil, ""
	}
	return s, ""
}

// united merges the forms of an object. A field is required if every form requires
// it. demands describes what else they require.
func united(forms []*schema) *schema {
	all := &schema{Properties: ordered[*schema]{by: map[string]*schema{}}}
	if len(forms) == 1 {
		return forms[0]
	}
	for _, form := range forms {
		for name, p := range form.Properties.all() {
			if had := all.Properties.by[name]; had != nil && had.Const != nil && p.Const != nil {
				p = &schema{Type: p.Type, Description: p.Description, Enum: append(slices.Clone(constants(had)), p.Const)}
			} else if had != nil {
				p = had
			}
			all.Properties.set(name, p)
		}
	}
	for _, name := range all.Properties.names {
		if !slices.ContainsFunc(forms, func(f *schema) bool { return !slices.Contains(f.Required, name) }) {
			all.Required = append(all.Required, name)
		}
	}
	all.OneOf = forms
	return all
}

func constants(s *schema) []any {
	if s.Const != nil {
		return []any{s.Const}
	}
	return s.Enum
}

// forms returns the alternative forms of an object, if there are several.
func (b *book) forms(s *schema) (forms []*schema) {
	for _, one := range slices.Concat(s.OneOf, s.AnyOf) {
		if b.isObject(one) {
			forms = append(forms, one)
		}
	}
	return forms
}

// flat follows a reference and merges the parts of allOf into the schema.
func (b *book) flat(s *schema) *schema {
	s = b.schema(s)
	if len(s.AllOf) == 0 {
		return s
	}
	whole := *s
	whole.AllOf = nil
	whole.Properties = ordered[*schema]{by: map[string]*schema{}}
	for _, part := range append(slices.Clone(s.AllOf), &schema{Properties: s.Properties}) {
		part = b.flat(part)
		for name, p := range part.Properties.all() {
			whole.Properties.set(name, p)
		}
		whole.Required = slices.Concat(part.Required, whole.Required)
		whole.Type = append(whole.Type, part.Type...)
	}
	whole.Type = slices.Compact(whole.Type)
	return &whole
}

// demands says what an object must have besides its required fields.
func (b *book) demands(s *schema) string {
	var sets []string
	for _, one := range slices.Concat(s.AnyOf, s.OneOf) {
		if len(one.Required) > 0 && (len(one.Properties.names) == 0 || len(s.Properties.names) > 0) {
			sets = append(sets, quoted(one.Required, "with"))
		}
	}
	switch {
	case len(sets) > 1 && len(s.AnyOf) > 0:
		return "At least one is required: " + list(sets, "or")
	case len(sets) > 1:
		return "Exactly one is required: " + list(sets, "or")
	case s.MinProperties != nil && *s.MinProperties == 1:
		return "At least one field is required"
	}
	return ""
}

// typeOf names the type of a field, with a link if it is described elsewhere.
func (b *book) typeOf(page string, s *schema) string {
	if name := s.name(); name != "" && b.linked[name] {
		at := fileName(b.homes[name])
		switch {
		case b.homes[name] == "" && page == "README.md", at == page:
			at = ""
		case b.homes[name] == "":
			at = "README.md"
		}
		return fmt.Sprintf("[%s](%s#%s)", name, at, anchor(name))
	}
	named := kindNames[s.name()]
	s = b.flat(s)
	var kinds []string
	add := func(kind string) {
		if kind != "" && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	for _, one := range slices.Concat(s.OneOf, s.AnyOf) {
		if one.Ref != "" || len(one.Type) > 0 {
			add(b.typeOf(page, one))
		}
	}
	if len(kinds) > 0 {
		return list(kinds, "or")
	}
	for _, t := range s.Type {
		switch {
		case named != "" && t == "string":
			add(named)
		case t == "array" && s.Items != nil:
			add("list of " + b.typeOf(page, s.Items))
		case t == "array":
			add("list")
		case t == "object" && s.AdditionalProperties.schema != nil && len(s.Properties.names) == 0:
			add("object of " + b.typeOf(page, s.AdditionalProperties.schema))
		case t == "string":
			add(stringKind(s.Format))
		default:
			add(t)
		}
	}
	if len(kinds) == 0 && (len(s.Enum) > 0 || s.Const != nil) {
		add("string")
	}
	if len(kinds) == 0 {
		add("any")
	}
	if slices.Contains(kinds, "null") { // last, because it reads better
		kinds = append(without(kinds, "null"), "null")
	}
	return list(kinds, "or")
}

func stringKind(format string) string {
	switch format {
	case "binary":
		return "file"
	case "date":
		return "date"
	case "date-time":
		return "time"
	case "email", "idn-email":
		return "email address"
	case "uri":
		return "URL"
	}
	return "string"
}

// limits describes the values that a field may have.
func (b *book) limits(s *schema) string {
	if s.Ref != "" && (b.linked[s.name()] || kindNames[s.name()] != "") {
		return ""
	}
	s = b.flat(s)
	var said []string
	if len(s.Enum) > 0 {
		said = append(said, "Values: "+quoted(texts(s.Enum), "or")) // the type already mentions null
	}
	if s.Const != nil {
		said = append(said, "Always "+quoted(texts([]any{s.Const}), ""))
	}
	if s.MinLength != nil && *s.MinLength == 1 && s.MaxLength == nil {
		said = append(said, "Not empty")
	} else {
		said = append(said, between(ints(s.MinLength), ints(s.MaxLength), "character"))
	}
	said = append(said, between(ints(s.MinItems), ints(s.MaxItems), "item"), between(nil, ints(s.MaxProperties), "key"), between(s.Minimum, s.Maximum, ""))
	if s.Items != nil {
		if each := b.limits(s.Items); each != "" {
			said = append(said, "Each: "+lowerFirst(strings.TrimSuffix(each, ".")))
		}
	}
	if s.Pattern != "" {
		said = append(said, "Matches `"+s.Pattern+"`")
	}
	if s.Default != nil {
		said = append(said, "Defaults to "+quoted(texts([]any{s.Default}), ""))
	}
	for _, one := range slices.Concat(s.OneOf, s.AnyOf) {
		if !b.isObject(one) {
			said = append(said, b.limits(one))
		}
	}
	return sentences(said...)
}

func ints(n *int) *float64 {
	if n == nil {
		return nil
	}
	f := float64(*n)
	return &f
}

// between describes a range: "1 to 100", "At most 5 items".
func between(low, high *float64, unit string) string {
	count := func(n float64) string {
		text := strconv.FormatFloat(n, 'f', -1, 64)
		switch {
		case unit == "":
			return text
		case n == 1:
			return text + " " + unit
		}
		return text + " " + unit + "s"
	}
	switch {
	case low != nil && high != nil && *low == *high:
		return "Exactly " + count(*high)
	case low != nil && high != nil:
		return strconv.FormatFloat(*low, 'f', -1, 64) + " to " + count(*high)
	case high != nil:
		return "At most " + count(*high)
	case low != nil && (unit != "" || *low != 0 && *low != 1): // ids and counts need no such text
		return "At least " + count(*low)
	}
	return ""
}

func texts(values []any) (found []string) {
	for _, v := range values {
		if v != nil {
			found = append(found, fmt.Sprint(v))
		}
	}
	return found
}

// quoted lists names as code.
func quoted(names []string, last string) string {
	return list(desk.Each(names, func(n string) string { return "`" + n + "`" }), last)
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }
