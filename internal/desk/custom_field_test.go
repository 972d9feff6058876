package desk

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// made returns a custom field of a type with the given options.
func made(t *testing.T, kind FieldType, options ...string) CustomField {
	t.Helper()
	n := NewCustomField{Name: "F", Type: kind, Entity: EntityCustomer}
	if kind.HasOptions() {
		n.Config.Options = &[]GivenOption{}
		for _, o := range options {
			*n.Config.Options = append(*n.Config.Options, GivenOption{Value: o})
		}
	}
	f, err := n.CustomField(time.UnixMilli(0))
	if err != nil {
		t.Fatal(err)
	}
	f.ID = 7
	return f
}

func TestFieldValues(t *testing.T) {
	number := func(s string) any { return json.Number(s) }
	for _, c := range []struct {
		kind  FieldType
		given any
		want  string // the shown value as JSON; empty if it is refused
	}{
		{FieldSelect, "1", `"1"`},
		{FieldSelect, "3", `"3"`},
		{FieldSelect, "4", ""},
		{FieldSelect, "0", ""},
		{FieldSelect, "01", ""},
		{FieldSelect, " 1", ""},
		{FieldSelect, "", ""},
		{FieldSelect, "A", ""}, // the text of an option, not its id
		{FieldSelect, number("1"), ""},
		{FieldSelect, []any{"1"}, ""},
		{FieldSelect, true, ""},
		{FieldSelect, nil, ""},

		{FieldMultiSelect, []any{"3", "1"}, `["3","1"]`},
		{FieldMultiSelect, []string{"2"}, `["2"]`},
		{FieldMultiSelect, []any{}, `[]`},
		{FieldMultiSelect, []any{"1", "1"}, ""},
		{FieldMultiSelect, []any{"1", "4"}, ""},
		{FieldMultiSelect, []any{"1", number("2")}, ""},
		{FieldMultiSelect, []any{"1", nil}, ""},
		{FieldMultiSelect, "1", ""},
		{FieldMultiSelect, map[string]any{"1": true}, ""},
		{FieldMultiSelect, nil, ""},

		{FieldText, "x", `"x"`},
		{FieldText, "", `""`},
		{FieldText, "  a\nb ", `"a\nb"`},
		{FieldText, "'; DROP TABLE x; --", `"'; DROP TABLE x; --"`},
		{FieldText, strings.Repeat("漢", 255), `"` + strings.Repeat("漢", 255) + `"`},
		{FieldText, strings.Repeat("漢", 256), ""},
		{FieldText, "a\x00b", ""},
		{FieldText, "\xff", ""},
		{FieldText, number("7"), ""},
		{FieldText, []any{"x"}, ""},
		{FieldText, nil, ""},

		{FieldNumber, number("7"), "7"},
		{FieldNumber, number("-0.50"), "-0.50"}, // kept as given
		{FieldNumber, number("2.0"), "2.0"},
		{FieldNumber, number("1E5"), "1E5"},
		{FieldNumber, number("9007199254740993"), "9007199254740993"}, // not through a float
		{FieldNumber, number("1e-400"), "1e-400"},
		{FieldNumber, number(strings.Repeat("9", 100)), strings.Repeat("9", 100)},
		{FieldNumber, number(strings.Repeat("9", 101)), ""},
		{FieldNumber, 7, "7"},
		{FieldNumber, 1.5, "1.5"},
		{FieldNumber, number("1e400"), ""},
		{FieldNumber, number("-1e400"), ""},
		{FieldNumber, math.Inf(1), ""},
		{FieldNumber, math.NaN(), ""},
		{FieldNumber, number("NaN"), ""},
		{FieldNumber, number("0x10"), ""},
		{FieldNumber, number("07"), ""},
		{FieldNumber, number(""), ""},
		{FieldNumber, "7", ""},
		{FieldNumber, nil, ""},

		{FieldDate, "2026-05-13", `"2026-05-13"`},
		{FieldDate, "2024-02-29", `"2024-02-29"`},
		{FieldDate, "2026-02-29", ""},
		{FieldDate, "2026-5-13", ""},
		{FieldDate, "2026-05-13T00:00:00Z", ""},
		{FieldDate, "13.05.2026", ""},
		{FieldDate, "", ""},
		{FieldDate, number("20260513"), ""},
		{FieldDate, nil, ""},

		{FieldUser, "U1", `"U1"`},
		{FieldUser, "", ""},
		{FieldUser, "a\x00", ""},
		{FieldUser, []any{"U1"}, ""},
		{FieldUser, nil, ""},

		{FieldAttachment, "F1", ""},
		{FieldAttachment, nil, ""},
	} {
		f := made(t, c.kind, "A", "B", "C")
		v, err := f.Check(c.given)
		if c.want == "" {
			e, _ := err.(*Error)
			if e == nil || e.Kind != Invalid || len(e.Fields) != 1 || e.Fields[0].Field != "custom_field_values.7" || !reflect.DeepEqual(v, FieldValue{}) {
				t.Errorf("%s %v: %+v, %v; want it refused", c.kind, c.given, v, err)
			}
			continue
		}
		shown, e := json.Marshal(v.JSON())
		if err != nil || e != nil || string(shown) != c.want || v.Type != c.kind {
			t.Errorf("%s %v: %s, %v; want %s", c.kind, c.given, shown, err, c.want)
		}
		if again, err := f.Check(v.JSON()); err != nil || !again.Equal(v) {
			t.Errorf("%s %v: what is shown gives %+v, %v; want %+v", c.kind, c.given, again, err, v)
		}
	}
}

// A chosen option that is removed later may stay, but cannot be chosen again.
func TestRemovedOptionsStay(t *testing.T) {
	for _, kind := range []FieldType{FieldSelect, FieldMultiSelect} {
		f := made(t, kind, "A", "B", "C")
		before := FieldValues{7: {Type: kind, Options: []OptionID{1}}}
		f.Config.Options = f.Config.Options[1:]
		give := func(ids ...string) FieldInput {
			if kind == FieldSelect {
				return FieldInput{"7": ids[0]}
			}
			return FieldInput{"7": ids}
		}
		apply := func(had FieldValues, in FieldInput) (FieldValues, error) {
			var p Problems
			after := had.Apply(&p, "custom_field_values", EntityCustomer, map[CustomFieldID]CustomField{7: f}, in)
			return after, p.Err()
		}
		if after, err := apply(before, give("1")); err != nil || !after[7].Equal(before[7]) {
			t.Errorf("%s: kept: %v, %v", kind, after, err)
		}
		if _, err := apply(nil, give("1")); err == nil {
			t.Errorf("%s: a removed option is chosen", kind)
		}
		if _, err := f.Check(give("1")["7"]); err == nil {
			t.Errorf("%s: a removed option is accepted", kind)
		}
		after, err := apply(before, give("2"))
		if err != nil || !slices.Equal(after[7].Options, []OptionID{2}) {
			t.Errorf("%s: another: %v, %v", kind, after, err)
		}
		if _, err := apply(after, give("1")); err == nil {
			t.Errorf("%s: a removed option comes back", kind)
		}
		if !slices.Equal(before[7].Options, []OptionID{1}) {
			t.Errorf("%s: what was before has changed: %v", kind, before)
		}
	}
}

func TestFieldInput(t *testing.T) {
	request, text, files := made(t, FieldDate), made(t, FieldText), made(t, FieldAttachment)
	request.Entity = EntityRequest
	fields := map[CustomFieldID]CustomField{7: text, 8: request, 9: files}
	had := FieldValues{7: {Type: FieldText, Text: "old"}, 3: {Type: FieldText, Text: "other"}}
	for _, c := range []struct {
		name  string
		in    FieldInput
		want  FieldValues
		wrong string // the fields
	}{
		{"nothing", FieldInput{}, had, ""},
		{"none", nil, had, ""},
		{"a value", FieldInput{"7": "new"}, FieldValues{7: {Type: FieldText, Text: "new"}, 3: had[3]}, ""},
		{"null", FieldInput{"7": nil}, FieldValues{3: had[3]}, ""},
		{"unknown", FieldInput{"5": "x"}, nil, "custom_field_values.5"},
		{"null of an unknown one", FieldInput{"5": nil}, nil, "custom_field_values.5"},
		{"of another kind", FieldInput{"8": "2026-05-13"}, nil, "custom_field_values.8"},
		{"files", FieldInput{"9": "x"}, nil, "custom_field_values.9"},
		{"files away", FieldInput{"9": nil}, nil, "custom_field_values.9"},
		{"no ids", FieldInput{"": "x", "x": "x", "07": "x", "+7": "x", "7.0": "x", "99999999999999999999": "x"}, nil,
			"custom_field_values. custom_field_values.x custom_field_values.+7 custom_field_values.07 custom_field_values.7.0 custom_field_values.99999999999999999999"},
		{"a long one", FieldInput{strings.Repeat("9", 1000): 1}, nil, "custom_field_values." + strings.Repeat("9", 40) + "…"},
		{"in order", FieldInput{"10": 1, "9": 1, "7": 1}, nil, "custom_field_values.7 custom_field_values.9 custom_field_values.10"},
	} {
		var p Problems
		got := had.Apply(&p, "custom_field_values", EntityCustomer, fields, c.in)
		var names []string
		for _, f := range p.fields {
			names = append(names, f.Field)
		}
		if strings.Join(names, " ") != c.wrong {
			t.Errorf("%s: wrong are %q, want %q", c.name, names, c.wrong)
		}
		if c.wrong == "" && !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
		if len(had) != 2 || had[7].Text != "old" {
			t.Fatalf("%s: what was before has changed: %v", c.name, had)
		}
	}
	if ids := (FieldInput{"9": 1, "x": 1, "7": nil, "08": 1}).IDs(); !slices.Equal(ids, []CustomFieldID{7, 9}) {
		t.Errorf("ids %v", ids)
	}
}

func TestMostFieldInput(t *testing.T) {
	options := make([]string, MostOptions)
	ids := make([]string, MostOptions)
	for i := range options {
		options[i], ids[i] = fmt.Sprint("o", i), fmt.Sprint(i+1)
	}
	f := made(t, FieldMultiSelect, options...)
	fields := map[CustomFieldID]CustomField{}
	in := FieldInput{}
	for i := range MostChosen / MostOptions {
		fields[CustomFieldID(i+1)], in[fmt.Sprint(i+1)] = f, ids
	}
	var p Problems
	FieldValues{}.Apply(&p, "v", EntityCustomer, fields, in)
	if err := p.Err(); err != nil {
		t.Errorf("%d options: %v", MostChosen, err)
	}
	fields[99], in["99"] = f, []string{"1"}
	FieldValues{}.Apply(&p, "v", EntityCustomer, fields, in)
	if err := p.Err(); err == nil {
		t.Errorf("%d options are taken", MostChosen+1)
	}

	in = FieldInput{}
	for i := range MostCustomFields + 1 {
		in[fmt.Sprint(i+1)] = nil
	}
	p = Problems{}
	FieldValues{}.Apply(&p, "v", EntityCustomer, fields, in)
	if len(p.fields) != 1 || p.fields[0].Field != "v" {
		t.Errorf("%d values: %v", len(in), p.fields)
	}
}

func TestMostOptions(t *testing.T) {
	options := make([]GivenOption, MostOptions)
	for i := range options {
		options[i].Value = fmt.Sprint(i)
	}
	n := NewCustomField{Name: "F", Type: FieldSelect, Entity: EntityRequest, Config: GivenConfig{Options: &options}}
	f, err := n.CustomField(time.UnixMilli(0))
	if err != nil || len(f.Config.Options) != MostOptions || f.Config.LastOption != MostOptions {
		t.Errorf("%d options, the last %d: %v", len(f.Config.Options), f.Config.LastOption, err)
	}
	options = append(options, GivenOption{Value: "more"})
	if _, err := n.CustomField(time.UnixMilli(0)); KindOf(err) != Invalid {
		t.Errorf("%d options: %v", len(options), err)
	}
	if err := f.Apply(CustomFieldChange{Name: "F", Type: FieldSelect, Config: GivenConfig{Options: &options}}, time.UnixMilli(1)); KindOf(err) != Invalid || f.Version != 1 {
		t.Errorf("%d options, version %d: %v", len(options), f.Version, err)
	}
}

// A change is made completely or not at all, and shares nothing with the input.
func TestCustomFieldApply(t *testing.T) {
	later := time.UnixMilli(5)
	f := made(t, FieldSelect, "A", "B")
	before, shown := f, fmt.Sprintf("%+v", f)
	for _, ch := range []CustomFieldChange{
		{Body: Body{Problem: Errorf(Invalid, "x")}, Name: "N", Type: FieldSelect},
		{Name: "N", Type: FieldSelect, Version: new(int64)},
		{Name: "", Type: FieldSelect},
		{Name: "N", Type: FieldMultiSelect},
		{Name: "N", Type: FieldSelect, Config: GivenConfig{Options: &[]GivenOption{{Value: "C"}, {Value: "c"}}}},
		{Name: "N", Type: FieldSelect, Config: GivenConfig{Options: &[]GivenOption{{Value: "C"}}, Default: Just[any]("1")}},
	} {
		if err := f.Apply(ch, later); err == nil || fmt.Sprintf("%+v", f) != shown {
			t.Errorf("%+v: %v, %+v", ch, err, f)
		}
	}
	id := "2"
	given := []GivenOption{{Value: " C "}, {ID: &id, Value: "b"}}
	if err := f.Apply(CustomFieldChange{Name: " N ", Type: FieldSelect, Config: GivenConfig{Options: &given, Default: Just[any]("3")}}, later); err != nil {
		t.Fatal(err)
	}
	if f.Name != "N" || f.Version != 2 || !f.UpdatedAt.Equal(later) || !f.CreatedAt.Equal(before.CreatedAt) || f.Config.LastOption != 3 ||
		!slices.Equal(f.Config.Options, []FieldOption{{3, "C"}, {2, "b"}}) || f.Config.Default.JSON() != "3" {
		t.Errorf("got %+v", f)
	}
	if !slices.Equal(before.Config.Options, []FieldOption{{1, "A"}, {2, "B"}}) || given[0].Value != " C " {
		t.Errorf("the change has changed %+v, %+v", before, given)
	}
}
