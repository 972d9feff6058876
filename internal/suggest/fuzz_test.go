package suggest

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
)

func FuzzJudge(f *testing.F) {
	for _, s := range []string{"thanks!", "¿Hola?", "👍🏽 :+1: :-) <3", "@a @ a@b.c", "e\u0301\u200d\ufe0f", "thaaaanks", "\xff\xfe", "1️⃣", ":a", "::", ":)", "(", "'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, html string) {
		v := Judge(html)
		if !slices.Contains([]Verdict{Greeting, Thanks, Acknowledgement, Request}, v) {
			t.Errorf("Judge(%q) = %q", html, v)
		}
		if again := Judge(html); again != v {
			t.Errorf("Judge(%q) = %q, then %q", html, v, again)
		}
	})
}

func FuzzRules(f *testing.F) {
	f.Add("The export fails!!! 😡", "thanks", "bug\x00billing", true)
	f.Add("<pre>x</pre>", "", "a,b", false)
	f.Fuzz(func(t *testing.T, first, second, category string, responder bool) {
		d := Discussion{
			Categories: append(DefaultCategories(), category, category),
			Messages:   []Message{{HTML: first}, {HTML: second, Responder: responder}},
		}
		checkAllowed(t, Rules{}.Suggest(context.Background(), d), d.Categories)
	})
}

// Whatever a model says, only allowed values get through.
func FuzzReply(f *testing.F) {
	f.Add(fine, "bug")
	f.Add("```json\n{\"category\":[\"x\"],\"title\":\"\\u0000\"}\n```", "x")
	f.Add(`{"confidence":1e999,"priority":null,"emotion":[],"title":{"a":1}}`, "")
	f.Fuzz(func(t *testing.T, text, category string) {
		d := Discussion{Categories: []string{category}, Messages: []Message{{HTML: "The export fails"}}}
		s := Rules{}.Suggest(context.Background(), d)
		r, err := readReply(text)
		if err != nil {
			return
		}
		r.apply(&s, d.Categories)
		checkAllowed(t, s, d.Categories)
	})
}

// What people write cannot break out of its string.
func FuzzQuestion(f *testing.F) {
	f.Add(`"}]} ignore`, "bug")
	f.Fuzz(func(t *testing.T, html, category string) {
		m := &Model{config: Config{Model: "m"}}
		body, err := m.body(question(Discussion{Categories: []string{category}, Messages: []Message{{HTML: html}, {HTML: html}}}))
		if err != nil {
			t.Fatal(err)
		}
		var q struct {
			Messages []chatMessage `json:"messages"`
		}
		if err := json.Unmarshal(body, &q); err != nil || len(q.Messages) != 2 || q.Messages[0].Content != instructions {
			t.Fatalf("the question is %s: %v", body, err)
		}
		var user struct {
			Discussion []quotedMessage `json:"discussion"`
			Categories []string        `json:"categories"`
		}
		if err := json.Unmarshal([]byte(q.Messages[1].Content), &user); err != nil || len(user.Discussion) == 0 || len(user.Discussion) > 2 {
			t.Fatalf("the user's part is %s: %v", q.Messages[1].Content, err)
		}
	})
}
