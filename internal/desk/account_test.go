package desk

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

var (
	early = time.Date(2026, 5, 13, 9, 12, 33, 123e6, time.UTC)
	later = early.Add(time.Hour)
)

func TestNewAccount(t *testing.T) {
	a, err := NewAccount("  Acme Inc\n", early)
	if err != nil {
		t.Fatal(err)
	}
	want := Account{Name: "Acme Inc", KeyPrefix: "ACME", TimeZone: "UTC", OnHoldAllowed: true, Categories: DefaultCategories(), CreatedAt: early, UpdatedAt: early}
	if !reflect.DeepEqual(a, want) {
		t.Errorf("got %+v, want %+v", a, want)
	}
	for _, name := range []string{"", "   ", "a\x00b", "\xff", strings.Repeat("x", 201)} {
		if _, err := NewAccount(name, early); !reflect.DeepEqual(fieldsOf(t, err), []string{"name"}) {
			t.Errorf("%q: %v, want a problem with name alone", name, err)
		}
	}
}

func TestKeyPrefixFor(t *testing.T) {
	for name, want := range map[string]string{
		"Acme":                  "ACME",
		"acme inc":              "ACME",
		"  acme":                "ACME",
		"A":                     "A",
		"Acme-Widgets":          "ACMEWIDGET", // at most ten
		"Contoso42":             "CONTOSO42",
		"O'Neil & Sons":         "ONEIL",
		"Müller":                "MLLER",
		"42 Lines":              "DESK", // must start with a letter
		"3M":                    "DESK",
		"株式会社":                  "DESK",
		"Яндекс":                "DESK",
		"שלום":                  "DESK",
		"😀":                     "DESK",
		"---":                   "DESK",
		"":                      "DESK",
		"\xff\xfe":              "DESK",
		"ﬁrst":                  "RST", // the ligature's upper case is more than one letter
		"a\tb":                  "AB",
		strings.Repeat("z", 99): "ZZZZZZZZZZ",
	} {
		got := keyPrefixFor(name)
		if got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
		if !keyPrefixShape.MatchString(got) {
			t.Errorf("%q: %q is no key prefix", name, got)
		}
	}
}

func TestAccountApply(t *testing.T) {
	account := Account{ID: 7, Name: "Acme", KeyPrefix: "ACME", TimeZone: "UTC", OnHoldAllowed: true, Categories: []string{"bug"}, PublicURL: "https://desk.example",
		CreatedAt: early, UpdatedAt: early}
	changed := func(fn func(*Account)) Account {
		a := account
		a.UpdatedAt = later
		fn(&a)
		return a
	}
	problem := Errorf(Invalid, "The body is empty.")
	for _, c := range []struct {
		name   string
		change AccountChange
		want   Account  // unchanged if there is an error
		fields []string // fields that the error names; nil for no error
		err    error    // the exact error, if the case expects one
	}{
		{"name", AccountChange{Name: ptr(" Bolt ")}, changed(func(a *Account) { a.Name = "Bolt" }), nil, nil},
		{"zone", AccountChange{TimeZone: ptr("Europe/Berlin")}, changed(func(a *Account) { a.TimeZone = "Europe/Berlin" }), nil, nil},
		{"false is a value", AccountChange{OnHoldAllowed: ptr(false)}, changed(func(a *Account) { a.OnHoldAllowed = false }), nil, nil},
		{"all", AccountChange{Name: ptr("B"), KeyPrefix: ptr("B2"), TimeZone: ptr("Asia/Tokyo"), OnHoldAllowed: ptr(false)},
			changed(func(a *Account) { a.Name, a.KeyPrefix, a.TimeZone, a.OnHoldAllowed = "B", "B2", "Asia/Tokyo", false }), nil, nil},
		{"categories", AccountChange{Categories: &[]string{" Billing ", "VPN"}}, changed(func(a *Account) { a.Categories = []string{"Billing", "VPN"} }), nil, nil},
		{"no categories", AccountChange{Categories: &[]string{}}, account, []string{"categories"}, nil},
		{"a category twice", AccountChange{Categories: &[]string{"Bug", "bug"}}, account, []string{"categories"}, nil},
		{"an empty category", AccountChange{Categories: &[]string{"bug", " "}}, account, []string{"categories"}, nil},
		{"nothing", AccountChange{}, account, []string{}, nil},
		{"one bad of four", AccountChange{Name: ptr("Bolt"), KeyPrefix: ptr("bolt"), TimeZone: ptr("Asia/Tokyo"), OnHoldAllowed: ptr(false)}, account, []string{"key_prefix"}, nil},
		{"all bad", AccountChange{Name: ptr(""), KeyPrefix: ptr(""), TimeZone: ptr("")}, account, []string{"name", "key_prefix", "time_zone"}, nil},
		{"a body that could not be read", AccountChange{Body: Body{problem}, Name: ptr("Bolt")}, account, []string{}, problem},
	} {
		a := account
		err := a.Apply(c.change, later)
		if !reflect.DeepEqual(a, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, a, c.want)
		}
		if (err != nil) != (c.fields != nil) || len(c.fields) > 0 && !reflect.DeepEqual(fieldsOf(t, err), c.fields) {
			t.Errorf("%s: %v, want a problem with %v", c.name, err, c.fields)
		}
		if err != nil && KindOf(err) != Invalid || c.err != nil && err != c.err {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestKeyPrefixShape(t *testing.T) {
	for prefix, ok := range map[string]bool{
		"A": true, "ABCDEFGHIJ": true, "A123456789": true,
		"": false, "ABCDEFGHIJK": false, "1A": false, "a": false, "Ab": false, "A-B": false, "A B": false, " A": false, "A\n": false, "Ä": false,
	} {
		a := Account{Name: "Acme", KeyPrefix: "ACME", TimeZone: "UTC", Categories: DefaultCategories()}
		if err := a.Apply(AccountChange{KeyPrefix: &prefix}, later); (err == nil) != ok {
			t.Errorf("%q: %v, want it taken: %v", prefix, err, ok)
		}
	}
}

func TestZones(t *testing.T) {
	for zone, ok := range map[string]bool{
		"UTC": true, "Europe/Berlin": true, "America/Argentina/Buenos_Aires": true, "Etc/GMT+5": true,
		"": false, "Local": false, "Mars/Olympus": false, "+02:00": false, "../../etc/passwd": false, "Europe/Berlin ": false, "UTC\x00": false, "/etc/localtime": false,
	} {
		if got := IsZone(zone); got != ok {
			t.Errorf("%q: %v, want %v", zone, got, ok)
		}
	}
}

func ptr[T any](v T) *T { return &v }
