package desk

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestNewCollection(t *testing.T) {
	many := func(n int) (all []Responder) {
		for i := range n {
			all = append(all, Responder{TeamID: TeamID(i + 1)})
		}
		return all
	}
	good := NewCollection{Name: "Website", Kind: APICollection}
	with := func(change func(*NewCollection)) NewCollection {
		n := good
		change(&n)
		return n
	}
	for _, c := range []struct {
		name   string
		new    NewCollection
		fields []string
	}{
		{"the least", good, nil},
		{"space around the name", with(func(n *NewCollection) { n.Name = " Website\n" }), nil},
		{"no name", with(func(n *NewCollection) { n.Name = " " }), []string{"name"}},
		{"the longest name", with(func(n *NewCollection) { n.Name = strings.Repeat("語", 200) }), nil},
		{"a long name", with(func(n *NewCollection) { n.Name = strings.Repeat("語", 201) }), []string{"name"}},
		{"no kind", with(func(n *NewCollection) { n.Kind = "" }), []string{"kind"}},
		{"another kind", with(func(n *NewCollection) { n.Kind = "Chat" }), []string{"kind"}},
		{"a request channel", with(func(n *NewCollection) { n.RequestChannel = ptr("C1") }), nil},
		{"of a chat collection", with(func(n *NewCollection) { n.Kind, n.RequestChannel = ChatCollection, ptr("C1") }), []string{"request_channel_id"}},
		{"a triage channel of a chat collection", with(func(n *NewCollection) { n.Kind, n.TriageChannel = ChatCollection, ptr("C1") }), nil},
		{"two channels", with(func(n *NewCollection) { n.RequestChannel, n.TriageChannel = ptr("C1"), ptr("C2") }), nil},
		{"one for both", with(func(n *NewCollection) { n.RequestChannel, n.TriageChannel = ptr("C1"), ptr("C1") }), []string{"triage_channel_id"}},
		{"responders of all sorts", with(func(n *NewCollection) {
			n.Responders = []Responder{{UserID: "U1"}, {TeamID: 1}, {EmailDomain: "acme.test"}, {UserID: "U2"}}
		}), nil},
		{"the most responders", with(func(n *NewCollection) { n.Responders = many(MostResponders) }), nil},
		{"too many", with(func(n *NewCollection) { n.Responders = many(MostResponders + 1) }), []string{"config.responders"}},
		{"a responder who is nobody", with(func(n *NewCollection) { n.Responders = []Responder{{UserID: "U1"}, {}} }), []string{"config.responders[1]"}},
		{"one who is two", with(func(n *NewCollection) { n.Responders = []Responder{{UserID: "U1", TeamID: 1}} }), []string{"config.responders[0]"}},
		{"one who is all", with(func(n *NewCollection) { n.Responders = []Responder{{"U1", 1, "acme.test"}} }), []string{"config.responders[0]"}},
		{"a user twice", with(func(n *NewCollection) { n.Responders = []Responder{{UserID: "U1"}, {UserID: "U2"}, {UserID: "U1"}} }), []string{"config.responders[2]"}},
		{"a user with the letters of another", with(func(n *NewCollection) { n.Responders = []Responder{{UserID: "U1"}, {UserID: "u1"}} }), nil},
		{"a domain twice, in other letters", with(func(n *NewCollection) {
			n.Responders = []Responder{{EmailDomain: "acme.test"}, {EmailDomain: "ACME.test"}}
		}),
			[]string{"config.responders[1]"}},
		{"a domain that is none", with(func(n *NewCollection) { n.Responders = []Responder{{EmailDomain: "@acme.test"}} }), []string{"config.responders[0].email_domain"}},
		{"nothing right", NewCollection{RequestChannel: ptr("C1"), TriageChannel: ptr("C1"), Responders: []Responder{{}}}, []string{"name", "kind", "triage_channel_id", "config.responders[0]"}},
	} {
		got, err := c.new.Collection(early)
		if !reflect.DeepEqual(fieldsOf(t, err), c.fields) {
			t.Errorf("%s: %v, want a problem with %v", c.name, err, c.fields)
		}
		if err == nil && (got.Name != strings.TrimSpace(c.new.Name) || got.Kind != c.new.Kind || got.CreatedAt != early || got.UpdatedAt != early) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	problem := Errorf(Invalid, "The body is empty.")
	if _, err := (NewCollection{Body: Body{problem}, Name: "x", Kind: APICollection}).Collection(early); err != problem {
		t.Errorf("got %v, want the body's own problem", err)
	}
	// The caller's input is not modified.
	given := []Responder{{EmailDomain: "ACME.test"}}
	got, err := NewCollection{Name: "x", Kind: APICollection, Responders: given}.Collection(early)
	if err != nil || given[0].EmailDomain != "ACME.test" || got.Responders[0].EmailDomain != "acme.test" {
		t.Errorf("given %v, got %v, %v", given, got.Responders, err)
	}
}

func TestCollectionApply(t *testing.T) {
	collection := Collection{
		ID: 3, Name: "Website", Kind: APICollection, Owner: ptr("U1"), CreatedBy: ptr("U2"), RequestChannel: ptr("C1"), TriageChannel: ptr("C2"),
		Responders: []Responder{{EmailDomain: "acme.test"}}, CreatedAt: early, UpdatedAt: early,
	}
	collection.setDefaults()
	changed := func(change func(*Collection)) Collection {
		c := collection
		c.UpdatedAt = later
		change(&c)
		return c
	}
	problem := Errorf(Invalid, "The body is empty.")
	for _, c := range []struct {
		name   string
		change CollectionChange
		want   Collection
		fields []string
		err    error
	}{
		{"the name", CollectionChange{Name: ptr(" Site ")}, changed(func(c *Collection) { c.Name = "Site" }), nil, nil},
		{"everything", CollectionChange{Name: ptr("Site"), Owner: Just("U9"), RequestChannel: Just("C9"), TriageChannel: Just("C8"), Responders: &[]Responder{{TeamID: 5}}},
			changed(func(c *Collection) {
				c.Name, c.Owner, c.RequestChannel, c.TriageChannel, c.Responders = "Site", ptr("U9"), ptr("C9"), ptr("C8"), []Responder{{TeamID: 5}}
			}), nil, nil},
		{"cleared", CollectionChange{Owner: Null[string](), RequestChannel: Null[string](), TriageChannel: Null[string](), Responders: &[]Responder{}},
			changed(func(c *Collection) {
				c.Owner, c.RequestChannel, c.TriageChannel, c.Responders = nil, nil, nil, []Responder{}
			}), nil, nil},
		{"the channels swapped", CollectionChange{RequestChannel: Just("C2"), TriageChannel: Just("C1")},
			changed(func(c *Collection) { c.RequestChannel, c.TriageChannel = ptr("C2"), ptr("C1") }), nil, nil},
		{"some settings", CollectionChange{Settings: SettingsChange{AutoAssign: ptr(AssignRoundRobin), AssignTeam: Just(TeamID(7)), Emoji: EmojiChange{Take: &[]string{":Hand:"}}}},
			changed(func(c *Collection) {
				c.AutoAssign, c.AssignTeam, c.Emoji.Take = AssignRoundRobin, ptr(TeamID(7)), []string{"hand"}
			}), nil, nil},
		{"the other settings", CollectionChange{Settings: SettingsChange{GroupingMinutes: ptr(0), AllowBots: ptr(true), Notify: ptr(NotifyNobody), Emoji: EmojiChange{
			Solve: &[]string{}, Urgent: &[]string{"fire"}, Ticket: &[]string{"a", "b"}, Request: &[]string{"c"}}}},
			changed(func(c *Collection) {
				c.GroupingMinutes, c.AllowBots, c.Notify = 0, true, NotifyNobody
				c.Emoji = EmojiRules{Take: []string{"eyes"}, Solve: []string{}, Urgent: []string{"fire"}, Ticket: []string{"a", "b"}, Request: []string{"c"}}
			}), nil, nil},
		{"a good name beside a bad setting", CollectionChange{Name: ptr("Site"), Settings: SettingsChange{AutoAssign: ptr(AutoAssign(""))}}, collection, []string{"config.auto_assign"}, nil},
		{"one for both", CollectionChange{RequestChannel: Just("C2")}, collection, []string{"triage_channel_id"}, nil},
		{"nothing", CollectionChange{}, collection, []string{}, nil},
		{"a good name beside a bad responder", CollectionChange{Name: ptr("Site"), Responders: &[]Responder{{}}}, collection, []string{"config.responders[0]"}, nil},
		{"a body that could not be read", CollectionChange{Body: Body{problem}, Name: ptr("Site")}, collection, []string{}, problem},
	} {
		got := collection
		err := got.Apply(c.change, later)
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		if (err != nil) != (c.fields != nil) || len(c.fields) > 0 && !reflect.DeepEqual(fieldsOf(t, err), c.fields) || c.err != nil && err != c.err {
			t.Errorf("%s: %v, want a problem with %v", c.name, err, c.fields)
		}
	}
}

func TestIsResponder(t *testing.T) {
	c := Collection{Responders: []Responder{{UserID: "U_MIRA"}, {TeamID: 7}, {EmailDomain: "acme.test"}}}
	for _, tt := range []struct {
		name string
		user Responding
		want bool
	}{
		{"nobody", Responding{}, false},
		{"by name", Responding{ID: "U_MIRA"}, true},
		{"by a name in other letters", Responding{ID: "u_mira"}, false},
		{"by the beginning of a name", Responding{ID: "U_MIR"}, false},
		{"somebody else", Responding{ID: "U_JO"}, false},
		{"by name, deactivated", Responding{ID: "U_MIRA", Deleted: true}, false},
		{"by name, a bot", Responding{ID: "U_MIRA", IsBot: true}, false},
		{"by team", Responding{ID: "U_JO", Teams: []TeamID{3, 7}}, true},
		{"of another team", Responding{ID: "U_JO", Teams: []TeamID{3, 77}}, false},
		{"of the team that is none", Responding{ID: "U_JO", Teams: []TeamID{0}}, false},
		{"by team, deactivated", Responding{ID: "U_JO", Teams: []TeamID{7}, Deleted: true}, false},
		{"by team, a bot", Responding{ID: "U_JO", Teams: []TeamID{7}, IsBot: true}, false},
		{"by domain", Responding{ID: "U_JO", Email: "jo@acme.test"}, true},
		{"by domain in other letters", Responding{ID: "U_JO", Email: "Jo@ACME.Test"}, true},
		{"by domain, deactivated", Responding{ID: "U_JO", Email: "jo@acme.test", Deleted: true}, false},
		{"by domain, a bot", Responding{ID: "U_JO", Email: "jo@acme.test", IsBot: true}, false},
		{"a domain that ends so", Responding{ID: "U_EVE", Email: "eve@evil-acme.test"}, false},
		{"a domain that ends so, without a hyphen", Responding{ID: "U_EVE", Email: "eve@evilacme.test"}, false},
		{"a domain that begins so", Responding{ID: "U_EVE", Email: "eve@acme.test.evil"}, false},
		{"a domain below", Responding{ID: "U_EVE", Email: "eve@mail.acme.test"}, false},
		{"a domain above", Responding{ID: "U_EVE", Email: "eve@test"}, false},
		{"the domain with a dot behind", Responding{ID: "U_EVE", Email: "eve@acme.test."}, false},
		{"the domain with a space behind", Responding{ID: "U_EVE", Email: "eve@acme.test "}, false},
		{"the domain before the @", Responding{ID: "U_EVE", Email: "acme.test@evil.test"}, false},
		{"the domain in quotes", Responding{ID: "U_EVE", Email: `"x@acme.test"@evil.test`}, false},
		{"two of them, the last counts", Responding{ID: "U_JO", Email: `"x@evil.test"@acme.test`}, true},
		{"the domain alone", Responding{ID: "U_EVE", Email: "acme.test"}, false},
		{"no email", Responding{ID: "U_EVE", Email: ""}, false},
		{"an email without a domain", Responding{ID: "U_EVE", Email: "eve@"}, false},
		{"letters that only look so", Responding{ID: "U_EVE", Email: "eve@аcme.test"}, false}, // a Cyrillic а
		{"letters that become so", Responding{ID: "U_EVE", Email: "eve@acme.teſt"}, false},
		{"several ways at once", Responding{ID: "U_MIRA", Email: "mira@acme.test", Teams: []TeamID{7}}, true},
	} {
		if got := c.IsResponder(tt.user); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	if (Collection{}).IsResponder(Responding{}) || (Collection{Responders: []Responder{{}}}).IsResponder(Responding{}) {
		t.Error("nobody is a responder")
	}
}

func TestDomain(t *testing.T) {
	label := strings.Repeat("a", 63)
	for text, want := range map[string]string{
		"acme.test":                              "acme.test",
		" ACME.Test\n":                           "acme.test",
		"mail.acme.test":                         "mail.acme.test",
		"a-b.c-d.test":                           "a-b.c-d.test",
		"1st.acme.test":                          "1st.acme.test",
		"xn--bcher-kva.test":                     "xn--bcher-kva.test",
		"acme.xn--p1ai":                          "acme.xn--p1ai",
		label + ".test":                          label + ".test",
		label + "a.test":                         "",
		"a.b":                                    "a.b",
		"":                                       "",
		"test":                                   "",
		"acme.test.":                             "",
		".acme.test":                             "",
		"acme..test":                             "",
		"-acme.test":                             "",
		"acme-.test":                             "",
		"acme.-test":                             "",
		"acme.test-":                             "",
		"@acme.test":                             "",
		"jo@acme.test":                           "",
		"*.acme.test":                            "",
		"acme.test/x":                            "",
		"acme.test:80":                           "",
		"acme test.example":                      "",
		"acme_x.test":                            "",
		"127.0.0.1":                              "",
		"[::1]":                                  "",
		"bücher.test":                            "",
		"ac\x00me.test":                          "",
		"acme.test\x00":                          "",
		"acme.test\nevil.com":                    "",
		"\xff.test":                              "",
		"'; DROP TABLE x; --":                    "",
		"acme.te\u212at":                         "",                                      // the Kelvin sign, which folds to k
		strings.Repeat(label[:62]+".", 4) + "b":  strings.Repeat(label[:62]+".", 4) + "b", // 253
		strings.Repeat(label[:62]+".", 4) + "bb": "",                                      // 254
		strings.Repeat("a.", 20000) + "test":     "",
	} {
		var p Problems
		got := text
		p.Domain("d", &got)
		if err := p.Err(); (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%.60q: %.60q, %v; want %.60q", text, got, err, want)
		}
	}
}

func TestReach(t *testing.T) {
	three, four := CollectionID(3), CollectionID(4)
	list := ReachOf(&[]CollectionID{9, 3, 9, 3})
	if want := (Reach{IDs: []CollectionID{3, 9}}); !reflect.DeepEqual(list, want) {
		t.Fatalf("got %+v, want %+v", list, want)
	}
	if ReachOf(nil).All != true || ReachOf(&[]CollectionID{}).All {
		t.Error("null is all, an empty list none")
	}
	for _, c := range []struct {
		reach   Reach
		id      *CollectionID
		want    bool
		channel bool
	}{
		{Everything, &three, true, true},
		{Everything, nil, true, true},
		{list, &three, true, true},
		{list, &four, false, false},
		{list, nil, false, false},
		{Reach{}, &three, false, false},
		{Reach{}, nil, false, false},
	} {
		if c.id != nil && c.reach.Has(*c.id) != c.want {
			t.Errorf("%+v has %d: %v", c.reach, *c.id, !c.want)
		}
		if got := c.reach.HasChannel(Channel{Collection: c.id}); got != c.channel {
			t.Errorf("%+v has a channel of %v: %v", c.reach, c.id, got)
		}
	}
	less := list.Without(3)
	if less.Has(3) || !less.Has(9) || less.All || !list.Has(3) {
		t.Errorf("without: %+v, and the one it was made from %+v", less, list)
	}
	if got := less.Without(9); got.Has(9) || got.All {
		t.Errorf("the last is taken: %+v", got)
	}
}

func TestMemberCollections(t *testing.T) {
	list := func(n int) *[]CollectionID {
		all := make([]CollectionID, n)
		for i := range all {
			all[i] = CollectionID(i + 1)
		}
		return &all
	}
	for _, c := range []struct {
		name string
		new  NewMember
		want string // fields, or the collections
	}{
		{"not given", NewMember{}, "{true []}"},
		{"none", NewMember{Collections: list(0)}, "{false []}"},
		{"twice the same", NewMember{Collections: &[]CollectionID{5, 2, 5}}, "{false [2 5]}"},
		{"an admin's", NewMember{Role: ptr(Admin)}, "{true []}"},
		{"an admin's list", NewMember{Role: ptr(Admin), Collections: list(1)}, "[collection_ids]"},
		{"an admin's list of none", NewMember{Role: ptr(Admin), Collections: list(0)}, "[collection_ids]"},
		{"the most", NewMember{Collections: list(MostMemberCollections)}, fmt.Sprint(Reach{IDs: *list(MostMemberCollections)})},
		{"too many", NewMember{Collections: list(MostMemberCollections + 1)}, "[collection_ids]"},
	} {
		c.new.Email = "jo@example.com"
		m, err := c.new.Member(early)
		got := fmt.Sprint(m.Collections)
		if err != nil {
			got = fmt.Sprint(fieldsOf(t, err))
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}

	agent := Member{Email: "jo@example.com", Name: "Jo", Role: Agent, Collections: Reach{IDs: []CollectionID{4}}}
	admin := Member{Email: "jo@example.com", Name: "Jo", Role: Admin, Collections: Everything}
	for _, c := range []struct {
		name   string
		member Member
		change MemberChange
		want   string
	}{
		{"another name", agent, MemberChange{Name: ptr("J")}, "{false [4]}"},
		{"another list", agent, MemberChange{Collections: Just([]CollectionID{9, 8})}, "{false [8 9]}"},
		{"all", agent, MemberChange{Collections: Null[[]CollectionID]()}, "{true []}"},
		{"promoted", agent, MemberChange{Role: ptr(Admin)}, "{true []}"},
		{"promoted with null", agent, MemberChange{Role: ptr(Admin), Collections: Null[[]CollectionID]()}, "{true []}"},
		{"promoted with a list", agent, MemberChange{Role: ptr(Admin), Collections: Just([]CollectionID{4})}, "[collection_ids]"},
		{"a viewer keeps the list", agent, MemberChange{Role: ptr(Viewer)}, "{false [4]}"},
		{"an admin", admin, MemberChange{Collections: Just([]CollectionID{4})}, "[collection_ids]"},
		{"an admin, null", admin, MemberChange{Collections: Null[[]CollectionID]()}, "{true []}"},
		{"demoted", admin, MemberChange{Role: ptr(Agent)}, "{true []}"},
		{"demoted with a list", admin, MemberChange{Role: ptr(Agent), Collections: Just([]CollectionID{4})}, "{false [4]}"},
		{"too many", agent, MemberChange{Collections: Just(*list(MostMemberCollections + 1))}, "[collection_ids]"},
	} {
		m := c.member
		err := m.Apply(c.change, later)
		got := fmt.Sprint(m.Collections)
		if err != nil {
			if got = fmt.Sprint(fieldsOf(t, err)); !reflect.DeepEqual(m, c.member) {
				t.Errorf("%s: refused, and changed to %+v", c.name, m)
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
