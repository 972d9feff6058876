package desk

import (
	"reflect"
	"strings"
	"testing"
)

func TestNewMember(t *testing.T) {
	for _, c := range []struct {
		name   string
		new    NewMember
		want   Member
		fields []string
	}{
		{"the least", NewMember{Email: "jo@example.com"}, Member{Email: "jo@example.com", Name: "jo", Role: Agent, Collections: Everything}, nil},
		{"space around", NewMember{Email: " jo@example.com ", Name: ptr(" Jo ")}, Member{Email: "jo@example.com", Name: "Jo", Role: Agent, Collections: Everything}, nil},
		{"all", NewMember{Email: "Jo@Example.com", Name: ptr("Jo"), Role: ptr(Viewer)}, Member{Email: "Jo@Example.com", Name: "Jo", Role: Viewer, Collections: Everything}, nil},
		{"no email", NewMember{Name: ptr("Jo")}, Member{}, []string{"email"}},
		{"nothing right", NewMember{Email: "jo", Name: ptr(""), Role: ptr(Role("boss"))}, Member{}, []string{"email", "name", "role"}},
		{"a long name", NewMember{Email: "jo@example.com", Name: ptr(strings.Repeat("é", 201))}, Member{}, []string{"name"}},
		{"the longest name", NewMember{Email: "jo@example.com", Name: ptr(strings.Repeat("é", 200))}, Member{Email: "jo@example.com", Name: strings.Repeat("é", 200), Role: Agent, Collections: Everything}, nil},
	} {
		m, err := c.new.Member(early)
		if !reflect.DeepEqual(fieldsOf(t, err), c.fields) {
			t.Errorf("%s: %v, want a problem with %v", c.name, err, c.fields)
		}
		c.want.CreatedAt, c.want.UpdatedAt = early, early
		if err == nil && !reflect.DeepEqual(m, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, m, c.want)
		}
	}
	problem := Errorf(Invalid, "The body is empty.")
	if _, err := (NewMember{Body: Body{problem}, Email: "jo@example.com"}).Member(early); err != problem {
		t.Errorf("got %v, want the body's own problem", err)
	}
}

func TestMemberApply(t *testing.T) {
	member := Member{ID: 3, Email: "jo@example.com", Name: "Jo", Role: Agent, Collections: Reach{IDs: []CollectionID{4}}, CreatedAt: early, UpdatedAt: early}
	changed := member
	changed.Name, changed.Role, changed.Collections, changed.UpdatedAt = "Joanna", Admin, Everything, later
	problem := Errorf(Invalid, "The body is empty.")
	for _, c := range []struct {
		name   string
		change MemberChange
		want   Member
		fields []string
		err    error
	}{
		{"both", MemberChange{Name: ptr(" Joanna"), Role: ptr(Admin)}, changed, nil, nil},
		{"nothing", MemberChange{}, member, []string{}, nil},
		{"a bad role beside a good name", MemberChange{Name: ptr("Joanna"), Role: ptr(Role("boss"))}, member, []string{"role"}, nil},
		{"a bad name beside a good role", MemberChange{Name: ptr(" "), Role: ptr(Admin)}, member, []string{"name"}, nil},
		{"a body that could not be read", MemberChange{Body: Body{problem}, Name: ptr("Joanna")}, member, []string{}, problem},
	} {
		m := member
		err := m.Apply(c.change, later)
		if !reflect.DeepEqual(m, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, m, c.want)
		}
		if (err != nil) != (c.fields != nil) || len(c.fields) > 0 && !reflect.DeepEqual(fieldsOf(t, err), c.fields) || c.err != nil && err != c.err {
			t.Errorf("%s: %v, want a problem with %v", c.name, err, c.fields)
		}
	}
}

func TestDemotes(t *testing.T) {
	for _, c := range []struct {
		change MemberChange
		want   bool
	}{
		{MemberChange{}, false},
		{MemberChange{Name: ptr("Jo")}, false},
		{MemberChange{Role: ptr(Admin)}, false},
		{MemberChange{Role: ptr(Agent)}, true},
		{MemberChange{Role: ptr(Viewer)}, true},
		{MemberChange{Role: ptr(Role("boss"))}, false}, // not a role at all: that is a different problem
	} {
		if got := c.change.Demotes(); got != c.want {
			t.Errorf("%+v: %v, want %v", c.change, got, c.want)
		}
	}
}
