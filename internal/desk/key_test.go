package desk

import "testing"

func TestParseKey(t *testing.T) {
	for _, test := range []struct {
		text          string
		key, searched string // empty: it is none
	}{
		{"ACME-17", "ACME-17", "ACME-17"},
		{"acme-17", "ACME-17", "ACME-17"},
		{"A-1", "A-1", "A-1"},
		{"A2-1", "A2-1", "A2-1"},
		{"ABCDEFGHIJ-999999999999999999", "ABCDEFGHIJ-999999999999999999", "ABCDEFGHIJ-999999999999999999"},
		{"ABCDEFGHIJK-1", "", ""},            // a prefix has at most 10 characters
		{"ACME-1000000000000000000", "", ""}, // and a number 18 digits
		{"2A-1", "", ""},
		{"ACME-0", "", ""},
		{"ACME-017", "", ""},
		{"ACME-", "", ""},
		{"-17", "", ""},
		{"ACME17", "", ""},
		{"ACME-17-2", "", ""},
		{"ÄCME-17", "", ""},
		{"ACME-١٧", "", ""},
		{"ACME-17\n", "", "ACME-17"},
		{" acme-17 ", "", "ACME-17"},
		{"#acme-17", "", "ACME-17"},
		{"17", "", "17"},
		{"#17", "", "17"},
		{"##17", "", ""},
		{"0", "", ""},
		{"", "", ""},
		{"ACME-17' OR 1=1", "", ""},
	} {
		for i, parse := range []func(string) (Key, bool){ParseKey, ParseSearchedKey} {
			want := []string{test.key, test.searched}[i]
			got, ok := parse(test.text)
			if ok != (want != "") || ok && got.String() != want {
				t.Errorf("%q is the key %v, %v; want %q", test.text, got, ok, want)
			}
		}
	}
}
