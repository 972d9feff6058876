package desk

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestEmojiName(t *testing.T) {
	for given, want := range map[string]string{
		"eyes":                "eyes",
		":eyes:":              "eyes",
		" :Eyes: ":            "eyes",
		"wave::skin-tone-2":   "wave",
		":wave::skin-tone-6:": "wave",
		":+1::SKIN-TONE-3:":   "+1",
		"wave::skin-tone-1":   "wave::skin-tone-1",
		"wave::skin-tone-22":  "wave::skin-tone-22",
		"skin-tone-2":         "skin-tone-2",
		"::skin-tone-2":       "skin-tone-2",
		"a:b":                 "a:b",
		"::":                  "",
		"ÄRGER":               "ärger",
	} {
		if got := EmojiName(given); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}

func TestEmojiRules(t *testing.T) {
	many := func(n int) (names []string) {
		for i := range n {
			names = append(names, fmt.Sprint("e", i))
		}
		return names
	}
	for _, c := range []struct {
		name   string
		rules  EmojiRules
		fields []string
	}{
		{"none", EmojiRules{}, nil},
		{"the defaults", defaultEmoji(), nil},
		{"the most", EmojiRules{Take: many(MostEmoji), Solve: []string{"x"}}, nil},
		{"too many", EmojiRules{Take: many(MostEmoji + 1)}, []string{"emoji_config.take"}},
		{"the longest", EmojiRules{Solve: []string{strings.Repeat("語", 100)}}, nil},
		{"a longer one", EmojiRules{Solve: []string{strings.Repeat("語", 101)}}, []string{"emoji_config.solve[0]"}},
		{"every character", EmojiRules{Urgent: []string{"a-Z_0+'é"}}, nil},
		{"empty", EmojiRules{Ticket: []string{"x", " "}}, []string{"emoji_config.ticket[1]"}},
		{"a space", EmojiRules{Request: []string{"a b"}}, []string{"emoji_config.request[0]"}},
		{"a line break", EmojiRules{Request: []string{"a\nb"}}, []string{"emoji_config.request[0]"}},
		{"a colon", EmojiRules{Request: []string{"a:b"}}, []string{"emoji_config.request[0]"}},
		{"not UTF-8", EmojiRules{Request: []string{"a\xff"}}, []string{"emoji_config.request[0]"}},
		{"U+0000", EmojiRules{Request: []string{"a\x00"}}, []string{"emoji_config.request[0]"}},
		{"twice", EmojiRules{Take: []string{"x", "y", ":X:"}}, []string{"emoji_config.take[2]"}},
		{"in two rules", EmojiRules{Take: []string{"x"}, Request: []string{"y", "x::skin-tone-2"}}, []string{"emoji_config.request[1]"}},
		{"in three", EmojiRules{Take: []string{"x"}, Solve: []string{"x"}, Urgent: []string{"x"}}, []string{"emoji_config.solve[0]", "emoji_config.urgent[0]"}},
	} {
		var p Problems
		c.rules.check(&p)
		if err := p.Err(); !reflect.DeepEqual(fieldsOf(t, err), c.fields) {
			t.Errorf("%s: %v, want a problem with %v", c.name, err, c.fields)
		}
	}
	// The caller's input is not modified.
	given := []string{":EYES:"}
	rules := EmojiRules{Take: given}
	rules.check(new(Problems))
	if given[0] != ":EYES:" || rules.Take[0] != "eyes" {
		t.Errorf("given %v, kept %v", given, rules.Take)
	}
}
