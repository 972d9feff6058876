package help

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"frontdesk/internal/desk"
	"frontdesk/internal/markup"
)

// Whatever somebody writes, a name that is known is not told.
func FuzzAnonymous(f *testing.F) {
	f.Add("Hi Jordan,\nJORDAN’s export [jordan] stops. Best regards\nJordan", "Jordan")
	f.Add("ﬁ İstanbul ſ K", "İ Straße")
	f.Add("[name] [[email]]", "email")
	f.Add("山田太郎さん", "山田太郎")
	f.Fuzz(func(t *testing.T, text, name string) {
		if !utf8.ValidString(text) || !utf8.ValidString(name) || len(text) > 5_000 || len(name) > 200 {
			return
		}
		a := newAnonymiser([]string{name})
		for _, got := range []string{a.words(text), a.text(markup.FromText(text), true)} {
			if !utf8.ValidString(got) {
				t.Fatalf("%q is not text", got)
			}
			for _, ours := range []string{aName, anEmail, aNumber, aLink} {
				got = strings.ReplaceAll(got, ours, " ")
			}
			for word := range strings.FieldsFuncSeq(got, notInWord) {
				if a.known[desk.Fold(word)] {
					t.Fatalf("%q is told of %q: %q", word, text, got)
				}
			}
		}
	})
}

// Whatever a model says, what is kept of it is unusable or fit to show.
func FuzzAnswer(f *testing.F) {
	f.Add(`{"html": "<p>x<img src=\"https://a.example/\" alt=\"y\"></p>", "sources": [1], "language": "de"}`, "<p>x</p>")
	f.Add(`{"html": "a\n\nb", "sources": {"a": 1}}`, `<p><span data-user="U1">@a</span></p>`)
	f.Fuzz(func(t *testing.T, said, original string) {
		var answer map[string]json.RawMessage
		if json.Unmarshal([]byte(said), &answer) != nil {
			return
		}
		d, err := Question{}.ReadDraft(answer, []Material{{}}, time.Time{})
		if err == nil && (d.HTML == "" || markup.Outgoing(d.HTML) != d.HTML || strings.Contains(d.HTML, "<img") || strings.Contains(d.HTML, "<span") || len(d.Sources) > 1) {
			t.Fatalf("the draft is %+v", d)
		}
		tr, err := Question{}.ReadTranslation(answer, markup.Sanitize(original), time.Time{})
		if err == nil && (tr.HTML == "" || markup.Outgoing(tr.HTML) != tr.HTML) {
			t.Fatalf("the translation is %+v", tr)
		}
	})
}
