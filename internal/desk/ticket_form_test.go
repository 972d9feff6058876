package desk

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"
)

// problemsOf returns the fields that an error names.
func problemsOf(err error) (fields []string) {
	var e *Error
	if errors.As(err, &e) {
		for _, f := range e.Fields {
			fields = append(fields, f.Field)
		}
	}
	return fields
}

// What a form requires of whom, in every combination of a field's settings.
func TestFormFieldsByRole(t *testing.T) {
	for bits := range 1 << 6 {
		on := func(n int) bool { return bits>>n&1 == 1 }
		field := FormField{Key: FormPriority, Audience: ForAll, Hidden: on(0), RequiredByResponder: on(1), RequiredByNonResponder: on(2)}
		if on(3) {
			field.Audience = ForResponders
		}
		responder, given := on(4), on(5)
		n := NewFormTicket{Description: "x"}
		if given {
			n.Fields = map[string]any{"priority": "high"}
		}
		r, err := n.Request(FormFacts{Responder: responder, Form: &TicketForm{ID: 7, Type: Native, Enabled: true, Create: FormAction{Enabled: true, Fields: []FormField{field}}}})

		may := !field.Hidden && (responder || field.Audience == ForAll)
		required := field.RequiredByNonResponder
		if responder {
			required = field.RequiredByResponder
		}
		fine := given && may || !given && !(may && required)
		if (err == nil) != fine || !fine && !slices.Equal(problemsOf(err), []string{"fields.priority"}) {
			t.Errorf("%+v, a responder: %t, given: %t: %v", field, responder, given, err)
		}
		if fine && ((r.Priority != nil) != given || *r.Form != 7) {
			t.Errorf("%+v makes %+v", field, r)
		}
	}
}

// A form is changed completely or not at all, and shares nothing with its input.
func TestTicketFormApply(t *testing.T) {
	now := time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)
	name, fields := "A", []FormField{{Key: FormTitle, Audience: ForAll}, {Key: "12", Audience: ForResponders, Label: "Own"}}
	known := map[CustomFieldID]CustomField{12: {Entity: EntityRequest, Name: "Order"}, 13: {Entity: EntityCustomer, Name: "Plan"}}
	f, err := GivenForm{Name: &name, Fields: &fields, Known: known}.TicketForm(now)
	if err != nil || f.Create.Fields[0].Label != "Title" || f.Create.Fields[1].Label != "Own" || fields[0].Label != "" || !f.Enabled || f.Type != Native {
		t.Fatalf("%+v, %v", f, err)
	}
	before := f
	no, jira, empty := false, TicketType("jira"), ""
	bad := []FormField{{Key: "13", Audience: ForAll}, {Key: "0", Audience: ForAll}, {Key: "-1", Audience: ForAll}, {Key: "012", Audience: ForAll}, {Key: "", Audience: "none"}}
	err = f.Apply(GivenForm{Name: &empty, Enabled: &no, Type: &jira, Fields: &bad, Known: known}, now.Add(time.Hour))
	want := []string{"integration_type", "name"}
	for i := range bad {
		want = append(want, fmt.Sprintf("action_config.create.fields[%d].key", i))
	}
	if want = append(want, "action_config.create.fields[4].audience"); !slices.Equal(problemsOf(err), want) || !reflect.DeepEqual(f, before) {
		t.Errorf("%v\nwant %v; it became %+v", problemsOf(err), want, f)
	}
	if err := f.Apply(GivenForm{Enabled: &no, Fields: &[]FormField{}}, now.Add(time.Hour)); err != nil || f.Enabled || len(f.Create.Fields) != 0 || f.Name != "A" || f.UpdatedAt == now {
		t.Errorf("%+v, %v", f, err)
	}
	if err := f.Apply(GivenForm{}, now); KindOf(err) != Invalid {
		t.Errorf("nothing to change gives %v", err)
	}
}

// A list that is too long is not checked item by item.
func TestMostFormFields(t *testing.T) {
	form := TicketForm{Type: Native, Enabled: true, Create: FormAction{Enabled: true}}
	n := NewFormTicket{Description: "x", Fields: map[string]any{}}
	for i := range MostFormFields + 1 {
		n.Fields[fmt.Sprint(i)] = i
	}
	if _, err := n.Request(FormFacts{Form: &form}); !slices.Equal(problemsOf(err), []string{"fields"}) {
		t.Errorf("%v", err)
	}
	form.Create.Fields = []FormField{{Key: FormContributors, Audience: ForAll}}
	n.Fields = map[string]any{"contributors": slices.Repeat([]any{"jo@acme.example"}, mostContributors+1)}
	if _, err := n.Request(FormFacts{Form: &form}); !slices.Equal(problemsOf(err), []string{"fields.contributors"}) || len(n.Emails(nil)) != 0 {
		t.Errorf("%v, %v", err, n.Emails(nil))
	}
}

// Files are a value like any other: stored as text, shown as a list of ids.
func TestFilesValue(t *testing.T) {
	for _, ids := range [][]AttachmentID{{}, {7}, {9007199254740993, 1}} {
		v := FilesValue(ids)
		shown, err := json.Marshal(v.JSON())
		if want, _ := json.Marshal(ids); err != nil || string(shown) != string(want) || !v.Equal(FieldValue{Type: FieldAttachment, Text: v.Text}) {
			t.Errorf("%v is shown as %s, %v", ids, shown, err)
		}
	}
}
