package mail

import (
	"maps"
	"testing"
)

func TestParseParams(t *testing.T) {
	for _, c := range []struct {
		header, value string
		params        map[string]string
	}{
		{"", "", nil},
		{"Text/Plain", "text/plain", nil},
		{"text/plain (of sorts); charset=utf-8", "text/plain", map[string]string{"charset": "utf-8"}},
		{`text/plain; Charset="utf-8" ; format=flowed;`, "text/plain", map[string]string{"charset": "utf-8", "format": "flowed"}},
		{`attachment; filename="a;b\"c\\d.txt"`, "attachment", map[string]string{"filename": `a;b"c\d.txt`}},
		{`attachment; filename="C:\new.txt"`, "attachment", map[string]string{"filename": `C:\new.txt`}},
		{"attachment; filename=report (1).pdf", "attachment", map[string]string{"filename": "report (1).pdf"}},
		{"attachment; filename=a.txt; filename=b.txt", "attachment", map[string]string{"filename": "a.txt"}},
		{"attachment; filename=a.txt; filename*=utf-8''%C3%BC.txt", "attachment", map[string]string{"filename": "ü.txt"}},
		{"attachment; filename*=ISO-8859-1'de'%FC%.txt", "attachment", map[string]string{"filename": "ü%.txt"}},
		{"attachment; filename*1=b; filename*0=a; filename*10=d; filename*2=c", "attachment", map[string]string{"filename": "abcd"}},
		{`attachment; filename="never closed`, "attachment", map[string]string{"filename": "never closed"}},
		{"attachment; nothing; size=1", "attachment", map[string]string{"size": "1"}},
		{"attachment; =x; filename=\"a\r\nb\"", "attachment", map[string]string{"filename": "a b"}},
	} {
		value, params := parseParams(c.header)
		if value != c.value || !maps.Equal(params, c.params) {
			t.Errorf("%s is read as %q, %q", c.header, value, params)
		}
	}
}

func TestStripComments(t *testing.T) {
	for s, want := range map[string]string{
		"a": "a", "a (b) c": "a  c", "a (b (c) d) e": "a  e", `"a (b)" c`: `"a (b)" c`, `(a \) b) c`: " c", `\(a`: `\(a`, "(never closed": "", "a) b": "a) b", `(") b`: " b",
	} {
		if got := stripComments(s); got != want {
			t.Errorf("%s becomes %q, want %q", s, got, want)
		}
	}
}
