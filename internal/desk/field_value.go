package desk

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// FieldValue is the value of a request or a customer in a custom field. The zero
// value means no value.
type FieldValue struct {
	Type    FieldType
	Text    string     // the text; the day, as 2026-05-13; the number as given; the user's id; the ids of files, see FilesValue
	Options []OptionID // the one option of a select, or the chosen options of a multi_select in the given order
}

// FieldValues are the values of one request or customer.
type FieldValues map[CustomFieldID]FieldValue

const (
	// mostDigits bounds the length of a written number.
	mostDigits = 100
	// MostChosen bounds the options chosen in one change, over all fields.
	MostChosen = 5000
)

// Equal reports whether two values are the same.
func (v FieldValue) Equal(w FieldValue) bool {
	return v.Type == w.Type && v.Text == w.Text && slices.Equal(v.Options, w.Options)
}

// Number returns the value of a number field.
func (v FieldValue) Number() float64 {
	n, _ := strconv.ParseFloat(v.Text, 64)
	return n
}

// FilesValue returns the value of an attachment field. It is set when a ticket is
// made with a form and never changes.
func FilesValue(files []AttachmentID) FieldValue {
	ids := Each(files, FormatID)
	return FieldValue{Type: FieldAttachment, Text: strings.Join(ids, ",")}
}

// Files returns the files of an attachment field.
func (v FieldValue) Files() []AttachmentID {
	files := []AttachmentID{}
	for text := range strings.SplitSeq(v.Text, ",") {
		if id, err := strconv.ParseInt(text, 10, 64); err == nil {
			files = append(files, AttachmentID(id))
		}
	}
	return files
}

// Day returns the value of a date field, as midnight UTC.
func (v FieldValue) Day() time.Time {
	t, _ := time.Parse(time.DateOnly, v.Text)
	return t
}

// JSON returns the value in the API's form: the text, the json.Number, the option's
// id, the list of option ids, or the list of files.
func (v FieldValue) JSON() any {
	switch v.Type {
	case FieldNumber:
		return json.Number(v.Text)
	case FieldAttachment:
		return v.Files()
	case FieldSelect:
		if len(v.Options) == 0 {
			return nil
		}
		return v.Options[0].String()
	case FieldMultiSelect:
		ids := Each(v.Options, OptionID.String)
		return ids
	}
	return v.Text
}

// Check makes a value of the field from a JSON value, or returns what is wrong with
// it. Numbers must be json.Numbers. A removed option is not accepted. Check does
// not know whether a user exists.
func (f CustomField) Check(value any) (FieldValue, error) {
	v, problem := f.check(value, FieldValue{})
	if problem == "" {
		return v, nil
	}
	return FieldValue{}, Wrong(fieldPath("custom_field_values", strconv.FormatInt(int64(f.ID), 10)), "%s", problem)
}

// fieldPath names a field in an error message. Something that is not an id may be
// long, so it is shortened.
func fieldPath(at, id string) string {
	if letters := []rune(id); len(letters) > 40 {
		id = string(letters[:40]) + "…"
	}
	return at + "." + id
}

// check does the work of Check for a field that has a value. Options that the value
// already names may stay after they are removed.
func (f CustomField) check(value any, had FieldValue) (v FieldValue, problem string) {
	v.Type = f.Type
	switch f.Type {
	case FieldSelect:
		id, ok := f.chosen(value, had)
		if !ok {
			return FieldValue{}, "must be a string with the id of one of its options"
		}
		v.Options = []OptionID{id}
	case FieldMultiSelect:
		v.Options, problem = f.allChosen(value, had)
	case FieldText:
		v.Text, problem = textValue(value, f.Config.MaxLength)
	case FieldNumber:
		v.Text, problem = numberValue(value)
	case FieldDate:
		s, _ := value.(string)
		if _, err := time.Parse(time.DateOnly, s); err != nil {
			return FieldValue{}, "must be an ISO 8601 date, such as 2026-05-13"
		}
		v.Text = s
	case FieldUser:
		s, ok := value.(string)
		if !ok || s == "" || !Storable(s) {
			return FieldValue{}, "must be a string with the id of a user of the chat system"
		}
		v.Text = s
	default:
		return FieldValue{}, "cannot be set: it holds files"
	}
	if problem != "" {
		return FieldValue{}, problem
	}
	return v, ""
}

// chosen returns the option that a value names: one that the field offers, or that
// the old value had.
func (f CustomField) chosen(value any, had FieldValue) (OptionID, bool) {
	s, ok := value.(string)
	if !ok {
		return 0, false
	}
	if id, ok := f.Config.option(s); ok {
		return id, true
	}
	i := slices.IndexFunc(had.Options, func(id OptionID) bool { return id.String() == s })
	if i < 0 {
		return 0, false
	}
	return had.Options[i], true
}

func (f CustomField) allChosen(value any, had FieldValue) (all []OptionID, problem string) {
	const wrong = "must be a list of strings with the ids of its options"
	var given []any
	switch list := value.(type) {
	case []any:
		given = list
	case []string:
		for _, s := range list {
			given = append(given, s)
		}
	default:
		return nil, wrong
	}
	offered := make(map[string]OptionID, len(f.Config.Options)+len(had.Options))
	for _, id := range had.Options {
		offered[id.String()] = id
	}
	for _, o := range f.Config.Options {
		offered[o.ID.String()] = o.ID
	}
	all = make([]OptionID, 0, min(len(given), len(offered)))
	seen := map[OptionID]bool{}
	for _, one := range given {
		s, ok := one.(string)
		if !ok {
			return nil, wrong
		}
		id, ok := offered[s]
		switch {
		case !ok:
			return nil, fmt.Sprintf("must be ids of its options; %.40q is not one", s)
		case seen[id]:
			return nil, fmt.Sprintf("must name each option only once; %q is given twice", s)
		}
		seen[id] = true
		all = append(all, id)
	}
	return all, ""
}

func textValue(value any, most int) (string, string) {
	s, ok := value.(string)
	if !ok {
		return "", "must be a string"
	}
	var p Problems
	if p.Text("", &s, 0, most); len(p.fields) > 0 {
		return "", p.fields[0].Message
	}
	return s, ""
}

// numberValue keeps a number as given: 2 and 2.0 stay different, and no digit is
// lost.
func numberValue(value any) (string, string) {
	var s string
	switch n := value.(type) {
	case json.Number:
		s = n.String()
	case float64:
		s = strconv.FormatFloat(n, 'g', -1, 64)
	case int:
		s = strconv.Itoa(n)
	default:
		return "", "must be a number"
	}
	n, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil || math.IsInf(n, 0) || math.IsNaN(n) || !json.Valid([]byte(s)):
		return "", "must be a finite number"
	case len(s) > mostDigits:
		return "", fmt.Sprintf("must be written with at most %d characters", mostDigits)
	}
	return s, ""
}

// FieldInput holds values as a caller gave them: JSON values by field id, with
// json.Numbers. nil clears a value.
type FieldInput map[string]any

// IDs returns the fields that the input names, skipping keys that cannot be ids.
func (in FieldInput) IDs() []CustomFieldID {
	var ids []CustomFieldID
	for key := range in {
		if id, ok := fieldID(key); ok {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func fieldID(key string) (CustomFieldID, bool) {
	n, err := strconv.ParseInt(key, 10, 64)
	return CustomFieldID(n), err == nil && strconv.FormatInt(n, 10) == key
}

// Apply returns the values with the input merged in by field; null clears a value.
// Problems are added to p under at. fields are the fields that the input names.
// Options that were chosen before may be chosen again after they were removed.
// Apply does not check whether users exist.
func (v FieldValues) Apply(p *Problems, at string, of EntityType, fields map[CustomFieldID]CustomField, in FieldInput) FieldValues {
	next := maps.Clone(v)
	if next == nil {
		next = FieldValues{}
	}
	if !p.atMost(at, len(in), MostCustomFields) {
		return next
	}
	// By id, shorter ones first.
	keys := slices.SortedFunc(maps.Keys(in), func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	chosen := 0
	for _, key := range keys {
		id, isID := fieldID(key)
		f, known := fields[id]
		value, problem := FieldValue{}, ""
		switch {
		case !isID || !known || f.Entity != of:
			problem = fmt.Sprintf("is not a custom field of %ss", of)
		case f.Type == FieldAttachment || in[key] != nil:
			value, problem = f.check(in[key], v[id])
		}
		chosen += len(value.Options)
		switch {
		case problem != "":
			p.Add(fieldPath(at, key), "%s", problem)
		case in[key] == nil:
			delete(next, id)
		default:
			next[id] = value
		}
	}
	if chosen > MostChosen {
		p.Add(at, "must name at most %d options in total; there are %d", MostChosen, chosen)
	}
	return next
}
