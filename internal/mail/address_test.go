package mail

import (
	"slices"
	"testing"
)

func TestMisleadingNames(t *testing.T) {
	for name, want := range map[string]bool{
		"":                            false,
		"Jo Park":                     false,
		"jo@customer.example":         false,
		"JO@Customer.example":         false,
		"Jo (jo@customer.example)":    false,
		"ceo@bank.example":            true,
		"CEO <ceo@bank.example>":      true,
		"ceo@bank.example via list":   true,
		"ceo＠bank.example":            true,
		"ceo@bank。example":            true,
		"@jo":                         false,
		"Jo @ Customer":               false,
		`"ceo@bank.example", urgent!`: true,
	} {
		if got := (Address{Name: name, Email: "jo@customer.example"}).Misleading(); got != want {
			t.Errorf("%q misleading: %v", name, got)
		}
	}
}

func TestValidEmail(t *testing.T) {
	for email, want := range map[string]bool{
		"jo@customer.example": true, "jo+tag@customer.example": true, "j..o.@customer.example": true, "用户@例子.example": true, "jo@localhost": true,
		"": false, "jo": false, "@x": false, "jo@": false, "jo@x@y": false, "jo @x": false, "jo@x y": false, "jo\n@x": false, "jo@x\r": false,
		"<jo@x>": false, "jo@.x": false, "jo@x.": false, "jo@x..y": false, "jo@-x": false, "jo,@x": false, "jo@[1.2.3.4]": false, "jo\u202e@x": false,
		"jo@x/y": false, "j\"o@x": false, "jo@x\x00": false, "jo@\u200bx": false,
	} {
		if got := validEmail(email); got != want {
			t.Errorf("%q valid: %v", email, got)
		}
	}
}

func TestAddressIs(t *testing.T) {
	a := parseAddresses("Jo <Jo@Customer.Example>")[0]
	if !a.Is("jo@customer.example") || a.Is("jo@other.example") || (Address{}).Is("") || a.Domain() != "customer.example" {
		t.Errorf("%+v", a)
	}
}

// Nobody passes for somebody else by how an address is written.
func TestAddressesAreNotMistaken(t *testing.T) {
	victim := "victim@bank.example"
	for _, value := range []string{
		`"victim@bank.example" <jo@customer.example>`,
		`victim@bank.example <jo@customer.example>`,
		`<jo@customer.example> (victim@bank.example)`,
		`"x victim"@bank.example`,
		`"victim@bank.example\" <jo@customer.example>`,
		`=?utf-8?Q?victim=40bank.example?= <jo@customer.example>`,
		`=?utf-8?Q?=3Cvictim=40bank.example=3E,_?= <jo@customer.example>`,
		`group <victim@bank.example>: jo@customer.example;`,
		`<victim@bank.example, jo@customer.example>`,
		`<victim@bank.example jo@customer.example>`,
	} {
		if list := parseAddresses(value); slices.ContainsFunc(list, func(a Address) bool { return a.Is(victim) }) {
			t.Errorf("%s is read as %+v", value, list)
		}
	}
}

// Where a From has several addresses, nobody is its author.
func TestAuthor(t *testing.T) {
	for from, want := range map[string]string{
		"Jo <jo@customer.example>":                         "jo@customer.example",
		"jo@customer.example <Jo@customer.example>":        "Jo@customer.example",
		"<jo@customer.example> <JO@customer.example>":      "jo@customer.example",
		"<victim@bank.example> <jo@customer.example>":      "",
		"jo@customer.example, victim@bank.example":         "",
		"jo@customer.example\r\nFrom: victim@bank.example": "",
		"Staff: jo@customer.example, victim@bank.example;": "",
		"victim at bank": "",
		"":               "",
		"=?utf-8?Q?<victim=40bank.example>?= <jo@customer.example>": "jo@customer.example",
	} {
		m, err := Parse([]byte("From: " + from + "\r\nSubject: x\r\n\r\nHi\r\n"))
		if err != nil || m.Author().Email != want {
			t.Errorf("%s is by %q, want %q, %v", from, m.Author().Email, want, err)
		}
	}
}
