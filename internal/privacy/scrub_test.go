package privacy

import "testing"

func TestScrub(t *testing.T) {
	s := newScrubber(&found{emails: []string{"anna@acme.test"}, users: []string{"U1", "U2"}, names: []string{"Anna Quist"}, requests: []int64{7}, messages: []int64{3, 4}}, "erased-1")
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"nobody", "nobody"},
		{"Anna@ACME.test", ErasedEmail},
		{"<anna@acme.test>, joanna@acme.test, x.anna@acme.test, anna@acme.testing, anna@acme.test.", "<" + ErasedEmail + ">, joanna@acme.test, x.anna@acme.test, anna@acme.testing, " + ErasedEmail + "."},
		{"U1 <@U1> U12 XU1 u2", "erased-1 <@erased-1> U12 XU1 erased-1-2"},
		{"ANNA quist, Anna Quistenberg, Anna", ErasedName + ", Anna Quistenberg, Anna"},
		{"ünna@acme.test Änna@acme.test", "ünna@acme.test Änna@acme.test"},
	} {
		if got := s.text(c.text); got != c.want {
			t.Errorf("%q became %q, want %q", c.text, got, c.want)
		}
	}
	for _, c := range []struct {
		json  string
		asked bool
		want  string
	}{
		{`{"a": 1.50, "b":["x"]}`, false, `{"a": 1.50, "b":["x"]}`}, // as it was, with its spaces
		{`{"id":3,"is_responder":false,"text":"mine","html_body":"<b>mine</b>","attachments":[{"name":"a.txt"}]}`, false,
			`{"attachments":[{"name":"` + ErasedFile + `"}],"html_body":"` + ErasedHTML + `","id":3,"is_responder":false,"text":"` + ErasedText + `"}`},
		{`{"id":5,"is_responder":false,"text":"not mine"}`, false, `{"id":5,"is_responder":false,"text":"not mine"}`},
		{`{"id":7,"title":"mine","csat_survey":{"comment":"good"},"custom_field_values":{"1":"x","2":[4]}}`, false,
			`{"csat_survey":{"comment":""},"custom_field_values":{"1":"` + ErasedText + `","2":[4]},"id":7,"title":"` + ErasedTitle + `"}`},
		{`{"id":8,"title":"not mine"}`, false, `{"id":8,"title":"not mine"}`},
		{`{"title":"mine","values":{"1":{"type":"text","text":"x"},"2":{"type":"date","text":"2026-05-13"}}}`, true,
			`{"title":"` + ErasedTitle + `","values":{"1":{"text":"` + ErasedText + `","type":"text"},"2":{"text":"2026-05-13","type":"date"}}}`},
		{`{"author":{"id":"U1","name":"Anna","avatar":"https://x"}}`, false, `{"author":{"avatar":"","id":"erased-1","name":"` + ErasedName + `"}}`},
		{`{"id":"C1","name":"general","owner":"U1"}`, false, `{"id":"C1","name":"general","owner":"erased-1"}`},
		{`12345678901234567890`, false, `12345678901234567890`},
		{`no JSON by anna@acme.test`, false, `no JSON by ` + ErasedEmail},
	} {
		if got := s.json(c.json, c.asked); got != c.want {
			t.Errorf("%s became %s, want %s", c.json, got, c.want)
		}
	}
}
