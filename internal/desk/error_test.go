package desk

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
)

func TestKindOf(t *testing.T) {
	cause := errors.New("disk on fire")
	for _, c := range []struct {
		name string
		err  error
		want Kind
	}{
		{"nil", nil, Internal},
		{"a stranger", cause, Internal},
		{"ours", Errorf(Refused, "no"), Refused},
		{"ours, wrapped", fmt.Errorf("save: %w", Errorf(Stale, "old")), Stale},
		{"ours around a stranger", &Error{Kind: Unavailable, Err: cause}, Unavailable},
		{"ours around ours: the outer one counts", &Error{Kind: Conflict, Err: Errorf(NotFound, "gone")}, Conflict},
		{"joined", errors.Join(cause, Errorf(Busy, "later")), Busy},
		{"missing", Missing("Member"), NotFound},
	} {
		if got := KindOf(c.err); got != c.want {
			t.Errorf("%s: kind %d, want %d", c.name, got, c.want)
		}
	}
}

func TestErrorText(t *testing.T) {
	cause := errors.New("disk on fire")
	e := &Error{Kind: Invalid, Message: "No.", Fields: []FieldError{{"name", "is bad"}, {"role", "is worse"}}, Err: cause}
	if got, want := e.Error(), "No. [name: is bad] [role: is worse]: disk on fire"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	if !errors.Is(e, cause) {
		t.Error("the cause is not found beneath")
	}
	if got, want := Missing("Member").Error(), "Member not found."; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	if got, want := Errorf(Invalid, "%d%% of %s", 5, "x").Message, "5% of x"; got != want {
		t.Errorf("message %q, want %q", got, want)
	}
}

func TestProblems(t *testing.T) {
	var p Problems
	if err := p.Err(); err != nil {
		t.Fatalf("no problems give %v; it must be nil as an interface", err)
	}
	p.Add("name", "must have %d letters", 3)
	p.Add("a", "is odd")
	p.Add("", "%s", "100% wrong") // a message is not a format string
	var e *Error
	if !errors.As(p.Err(), &e) || e.Kind != Invalid {
		t.Fatalf("got %v, want Invalid", p.Err())
	}
	want := []FieldError{{"name", "must have 3 letters"}, {"a", "is odd"}, {"", "100% wrong"}}
	if !reflect.DeepEqual(e.Fields, want) {
		t.Errorf("fields %v, want %v", e.Fields, want)
	}
	if want := "name must have 3 letters; a is odd; 100% wrong."; e.Message != want {
		t.Errorf("message %q, want %q", e.Message, want)
	}
}

// fieldsOf returns the fields that an Invalid error names. It fails for any other
// error.
func fieldsOf(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	var e *Error
	if !errors.As(err, &e) || e.Kind != Invalid {
		t.Fatalf("got %v, want Invalid", err)
	}
	var names []string
	for _, f := range e.Fields {
		names = append(names, f.Field)
	}
	return names
}
