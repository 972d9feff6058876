package desk

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func listOf(n int, format string) *[]string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(format, i)
	}
	return &all
}

func TestMostOfACustomer(t *testing.T) {
	name := "A"
	users := func(n int) *[]PortalUser {
		all := make([]PortalUser, n)
		for i := range all {
			all[i] = PortalUser{fmt.Sprintf("u%d@a.example", i), PortalMember}
		}
		return &all
	}
	for _, c := range []struct {
		field string
		parts CustomerParts
		ok    bool
	}{
		{"domains", CustomerParts{Domains: listOf(100, "d%d.example")}, true},
		{"domains", CustomerParts{Domains: listOf(101, "d%d.example")}, false},
		{"channel_ids", CustomerParts{Channels: listOf(100, "C%d")}, true},
		{"channel_ids", CustomerParts{Channels: listOf(101, "C%d")}, false},
		{"portal_users", CustomerParts{PortalUsers: users(500)}, true},
		{"portal_users", CustomerParts{PortalUsers: users(501)}, false},
		{"portal_allowed_user_emails", CustomerParts{PortalEmails: listOf(500, "u%d@a.example")}, true},
		{"portal_allowed_user_emails", CustomerParts{PortalEmails: listOf(501, "u%d@a.example")}, false},
	} {
		c.parts.Name = &name
		_, err := NewCustomer{CustomerParts: c.parts}.Customer(time.UnixMilli(0))
		switch e, _ := err.(*Error); {
		case c.ok && err != nil:
			t.Errorf("%s: %v", c.field, err)
		case !c.ok && (e == nil || e.Kind != Invalid || len(e.Fields) != 1 || e.Fields[0].Field != c.field):
			t.Errorf("%s: %v, want it refused by name", c.field, err)
		}
	}
}

// A change is made completely or not at all, and shares nothing with the input or
// the previous value.
func TestCustomerApply(t *testing.T) {
	later := time.UnixMilli(5)
	f := made(t, FieldText)
	name, domains, channels := "A", []string{"a.example"}, []string{"C1"}
	users := []PortalUser{{"jo@a.example", PortalMember}}
	parts := CustomerParts{Name: &name, Domains: &domains, Channels: &channels, PortalUsers: &users,
		Values: FieldInput{"7": "x"}, Fields: map[CustomFieldID]CustomField{7: f}}
	c, err := NewCustomer{CustomerParts: parts}.Customer(time.UnixMilli(0))
	if err != nil || c.Version != 1 {
		t.Fatal(c, err)
	}
	before, shown := c, fmt.Sprintf("%+v", c)
	bad := func(p CustomerParts) CustomerChange { return CustomerChange{Version: 1, CustomerParts: p} }
	empty, crm := "", CRM("zendesk")
	for i, ch := range []CustomerChange{
		{Body: Body{Problem: Errorf(Invalid, "x")}, Version: 1},
		{Version: 2},
		{},
		bad(CustomerParts{Name: &empty}),
		bad(CustomerParts{Domains: &[]string{"b.example", "x"}}),
		bad(CustomerParts{Channels: &[]string{"C2", "C2"}}),
		bad(CustomerParts{PortalEmails: &[]string{"jo@a.example", "JO@A.example"}}),
		bad(CustomerParts{PortalUsers: &[]PortalUser{{"jo@a.example", "OWNER"}}}),
		bad(CustomerParts{ExternalSystem: Just(crm)}),
		bad(CustomerParts{ExternalEntity: Just("")}),
		bad(CustomerParts{ExternalDeal: Just(strings.Repeat("x", 256))}),
		bad(CustomerParts{Values: FieldInput{"7": 7}, Fields: parts.Fields}),
		bad(CustomerParts{Values: FieldInput{"8": nil}}),
	} {
		if err := c.Apply(ch, later); err == nil || fmt.Sprintf("%+v", c) != shown {
			t.Errorf("change %d: %v, %+v", i, err, c)
		}
	}
	if err := c.Apply(CustomerChange{Version: 9}, later); err != ErrOutdatedCustomer || KindOf(err) != Stale {
		t.Errorf("an outdated version: %v", err)
	}
	more := CustomerParts{Domains: &[]string{"B.example"}, Channels: &[]string{"C2"}, PortalEmails: &[]string{"al@a.example", "JO@a.example"},
		Values: FieldInput{"7": "y"}, Fields: parts.Fields, Collection: Just(CollectionID(3))}
	if err := c.Apply(bad(more), later); err != nil {
		t.Fatal(err)
	}
	if c.Version != 2 || !c.UpdatedAt.Equal(later) || !slices.Equal(c.Domains, []string{"b.example"}) || c.Values[7].Text != "y" || *c.Collection != 3 ||
		!slices.Equal(c.PortalUsers, []PortalUser{{"al@a.example", PortalAdmin}, {"JO@a.example", PortalMember}}) {
		t.Errorf("got %+v", c)
	}
	if fmt.Sprintf("%+v", before) != shown || (*more.Domains)[0] != "B.example" || domains[0] != "a.example" {
		t.Errorf("the change has changed %+v", before)
	}
	c.Domains[0], c.Channels[0], c.PortalUsers[0].Email = "x", "x", "x"
	if (*more.Domains)[0] != "B.example" || (*more.Channels)[0] != "C2" {
		t.Error("the customer shares its lists with the input")
	}
}

func TestReachHasCustomer(t *testing.T) {
	of := func(id CollectionID) Customer { return Customer{Collection: &id} }
	list := Reach{IDs: []CollectionID{3}}
	for _, c := range []struct {
		name string
		r    Reach
		c    Customer
		want bool
	}{
		{"all, of none", Everything, Customer{}, true},
		{"all, of one", Everything, of(8), true},
		{"a list, of one on it", list, of(3), true},
		{"a list, of another", list, of(8), false},
		{"a list, of none", list, Customer{}, false},
		{"none", Reach{}, of(3), false},
	} {
		if got := c.r.HasCustomer(c.c); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestFreeMail(t *testing.T) {
	if len(freeMail) < 40 {
		t.Errorf("only %d domains", len(freeMail))
	}
	for domain := range freeMail {
		var p Problems
		lower := domain
		if p.Domain("domain", &lower); p.Err() != nil || lower != domain {
			t.Errorf("%q is no domain as it is kept", domain)
		}
	}
	for domain, want := range map[string]bool{"gmail.com": true, "GMail.com": true, "acme.example": false, "": false, "mail.gmail.com": false} {
		if IsFreeMail(domain) != want {
			t.Errorf("%q: %v", domain, !want)
		}
	}
	for email, want := range map[string]string{"jo@ACME.example": "acme.example", "jo": "", "": "", `"a@b"@c.example`: "c.example", "jo@": ""} {
		if got := EmailDomain(email); got != want {
			t.Errorf("%q: %q, want %q", email, got, want)
		}
	}
}

func TestCustomerQuery(t *testing.T) {
	filter := CustomerFilter{Field: ByDomains, Operator: Overlaps, Values: []string{" A.Example"}}
	q := CustomerQuery{Filters: []CustomerFilter{filter}}
	if err := q.Check(); err != nil || q.Filters[0].Values[0] != "a.example" {
		t.Errorf("%+v, %v", q, err)
	}
	for n, ok := range map[int]bool{MostFilters: true, MostFilters + 1: false} {
		q := CustomerQuery{Filters: slices.Repeat([]CustomerFilter{filter}, n)}
		if err := q.Check(); (err == nil) != ok {
			t.Errorf("%d filters: %v", n, err)
		}
	}
	for n, ok := range map[int]bool{0: false, 1: true, MostFilterValues: true, MostFilterValues + 1: false} {
		q := CustomerQuery{Filters: []CustomerFilter{{Field: ByDomains, Operator: ContainsAll, Values: *listOf(n, "d%d.example")}}}
		if err := q.Check(); (err == nil) != ok {
			t.Errorf("%d domains: %v", n, err)
		}
	}
	broken := Errorf(Invalid, "x")
	if err := (&CustomerQuery{Body: Body{Problem: broken}}).Check(); !reflect.DeepEqual(err, error(broken)) {
		t.Errorf("a broken body: %v", err)
	}
}
