package help

import (
	"fmt"
	"strings"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/markup"
)

func TestQuickRepliesAreRanked(t *testing.T) {
	all := []desk.QuickReply{
		{ID: 1, Name: "Greeting", HTML: "<p>Hello</p>"},
		{ID: 2, Name: "Invoices", HTML: "<p>Your <strong>invoice</strong> is in the portal.</p>"},
		{ID: 3, Name: "Export", HTML: "<p>Exports of invoices work again.</p>"},
		{ID: 4, Name: "Other", HTML: "<p>The EXPORT is slow.</p>"},
	}
	ids := func(words ...string) string {
		return fmt.Sprint(desk.Each(FromQuickReplies(all, words), func(m Material) int64 { return m.ID }))
	}
	for _, tt := range []struct{ got, want string }{
		{ids("export"), "[3 4]"},
		{ids("export", "invoice"), "[3 2 4]"},
		{ids("Exports"), "[3 4]"},
		{ids("refund"), "[]"},
		{ids(), "[]"},
	} {
		if tt.got != tt.want {
			t.Errorf("picked %s, want %s", tt.got, tt.want)
		}
	}
	for i := range 10 {
		all = append(all, desk.QuickReply{ID: desk.QuickReplyID(10 + i), Name: "export", HTML: "<p>" + strings.Repeat("ä", 5000) + "</p>"})
	}
	picked := FromQuickReplies(all, []string{"export"})
	if len(picked) != MostQuickReplies || picked[0].Kind != FromQuickReply || picked[0].Title != "Export" {
		t.Errorf("picked %d: %+v", len(picked), picked[0].Source)
	}
	for _, m := range picked {
		if len(m.text) > mostQuickReply {
			t.Errorf("%d bytes of a quick reply", len(m.text))
		}
	}
}

// A solved request of somebody else is told without whom it was about.
func TestASolvedRequestIsAnonymous(t *testing.T) {
	by := func(m desk.Message, name, email string) desk.Message {
		m.Author = desk.Requester{Name: name, Email: email}
		return m
	}
	asked := by(said(fromRequester, "Hi Tomás,\nJordan from Globex here. Our EXPORT of customer 4711-0815-22 stops, call +49 (0)30 1234567 or write to jordan.reyes@globex.example, see https://globex.example/x?user=jr.\nglobex needs it. JORDAN\n\nBest regards\nJordan Reyes\nGlobex Corp., Main Street 1"), "Jordan Reyes", "jordan.reyes@globex.example")
	mentioned := by(desk.Message{Responder: true, HTML: `<p>Hello Jordan! <span data-user="U1">@Somebody Else</span> cleared the cache, see https://docs.example/cache</p>`, Text: "x"}, "Tomás Silva", "")
	note := said(fromNote, "they never pay")
	r := desk.Request{ID: 8, Key: "ACME-8", Title: "Globex: export stops for Jordan", Author: desk.Requester{Name: "Jordan Reyes"}, Messages: []desk.Message{asked, note, mentioned}}
	m, answered := FromSolved(r, []string{"Globex Corp", "山田太郎"})
	if !answered || m.Source != (Source{FromRequest, 8, "ACME-8", "Globex: export stops for Jordan"}) {
		t.Fatalf("%v %+v", answered, m.Source)
	}
	all := m.told + "\n" + m.text
	for _, secret := range []string{"jordan", "reyes", "globex", "tomás", "silva", "somebody else", "4711", "0815", "1234567", "@", "never pay", "main street", "user=jr"} {
		if strings.Contains(strings.ToLower(all), secret) {
			t.Errorf("%s is told:\n%s", secret, all)
		}
	}
	for _, useful := range []string{"export stops for [name]", "EXPORT of customer [number] stops", "cleared the cache", "https://docs.example/cache"} {
		if !strings.Contains(all, useful) {
			t.Errorf("%q is not told:\n%s", useful, all)
		}
	}
	if _, answered := FromSolved(desk.Request{Messages: []desk.Message{asked, note}}, nil); answered {
		t.Error("nobody has answered")
	}
	long := desk.Request{Title: strings.Repeat("ö", 300), Messages: []desk.Message{said(fromRequester, strings.Repeat("ä ", 5000)), said(fromResponder, strings.Repeat("ü ", 5000)), said(fromResponder, "two"), said(fromResponder, "three")}}
	if m, _ := FromSolved(long, nil); len(m.told) > mostTitle || len(m.text) > mostAsked+mostSolved+40 || strings.Contains(m.text, "ü") || !strings.Contains(m.text, "two\n\nthree") {
		t.Errorf("told %d and %d bytes", len(m.told), len(m.text))
	}
}

func TestAnonymiser(t *testing.T) {
	a := newAnonymiser([]string{"Jo Svensson", "jo.s@acme-labs.co.example", "Harbor and Pine Ltd", "山田太郎", "Link", "X", ""})
	for _, tt := range []struct{ text, want string }{
		{"Jo asked Jo Svensson and JO’s boss", "[name] asked [name] and [name]’s boss"},
		{"Jordan and Joe stay", "Jordan and Joe stay"},
		{"Harbor and Pine needs a pine", "[name] and [name] needs a [name]"},
		{"acme-labs", "[name]"},
		{"山田太郎さん", "[name]さん"},
		{"mail x@y.example, now", "mail [email], now"},
		{"call 030 / 12 34 56-7!", "call [number]!"},
		{"in 2026, 3 of 10 at 12:30", "in 2026, 3 of 10 at 12:30"},
		{"row 123456", "row 123456"},
		{"order 1234567", "order [number]"},
		{"a Link", "a [name]"},
		{"Jo Miller called", "[name] called"},
		{"Jo André, Jo McMiller", "[name], [name]"},
		{"", ""},
	} {
		if got := a.words(tt.text); got != tt.want {
			t.Errorf("words(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
	for _, tt := range []struct{ text, want string }{
		{"Hello Mr Miller,\nit works", "Hello [name],\nit works"},
		{"Sehr geehrte Frau Dr. Weber,\nes geht", "Sehr geehrte [name]. Weber,\nes geht"},
		{"Hola María: funciona", "Hola [name]: funciona"},
		{"Olá João", "Olá [name]"},
		{"Hello we have had a problem since this morning", "Hello we have had a problem since this morning"},
		{"It works.\nThanks,\nMiller\nMiller Inc", "It works."},
		{"Thanks, it works", "Thanks, it works"},
		{"Es geht.\nMit freundlichen Grüßen\nWeber", "Es geht."},
		{"See https://x.example/weber", "See [link]"},
	} {
		if got := a.text(markup.FromText(tt.text), false); got != tt.want {
			t.Errorf("text(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}
