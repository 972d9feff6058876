package desk

import (
	"errors"
	"testing"
)

// A change is made as a whole or not at all, and one that gives nothing says what
// can be given.
func TestAmend(t *testing.T) {
	type thing struct {
		Name  string
		Owner *string
		Kind  string
	}
	jo, none := "jo", (*string)(nil)
	for _, c := range []struct {
		name  string
		body  Body
		given *string
		owner Nullable[string]
		kind  bool // given, but not offered
		want  string
	}{
		{name: "a name", given: &jo},
		{name: "null", owner: Null[string]()},
		{name: "only what is not offered", kind: true},
		{name: "nothing", want: "Nothing to change: give at least one of name, owner."},
		{name: "a wrong name", given: new(string), owner: Null[string](), want: "name must not be empty."},
		{name: "a broken body", body: Body{Problem: errors.New("broken")}, given: &jo, want: "broken"},
	} {
		before := thing{Name: "old", Owner: &jo}
		now := before
		err := amend(&now, c.body, func(next *thing, p *patch) {
			if c.kind {
				p.note("kind")
				next.Kind = "new"
			}
			takeName(p, &next.Name, c.given)
			takeNullable(p, "owner", &next.Owner, c.owner)
		})
		var e *Error
		switch {
		case c.want == "" && (err != nil || now == before):
			t.Errorf("%s: %v, %+v", c.name, err, now)
		case c.want != "" && (err == nil || now != before):
			t.Errorf("%s: %v, and %+v is now %+v", c.name, err, before, now)
		case errors.As(err, &e) && e.Message != c.want:
			t.Errorf("%s: %s, want %s", c.name, e.Message, c.want)
		case c.owner.Given && err == nil && now.Owner != none:
			t.Errorf("%s: the owner is %s", c.name, *now.Owner)
		}
	}
}

// A new thing must have what is required. That comes before everything else that is
// wrong with it.
func TestCreate(t *testing.T) {
	for _, c := range []struct {
		g    GivenView
		want string
	}{
		{GivenView{}, "name is required; query is required."},
		{GivenView{Name: new(string)}, "query is required; name must not be empty."},
		{GivenView{Name: new(string), Query: new(string)}, "name must not be empty."},
	} {
		var e *Error
		if _, err := c.g.View(1, 0, noon); !errors.As(err, &e) || e.Message != c.want {
			t.Errorf("%+v: %v, want %s", c.g, err, c.want)
		}
	}
}
