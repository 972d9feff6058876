package desk

import (
	"fmt"
	"strings"
	"testing"
)

func TestAnnouncementTextFill(t *testing.T) {
	values := map[Variable]string{CustomerVariable: `Fern & <b>"Co"</b>`, SenderVariable: "Mira", ChannelVariable: ""}
	for text, want := range map[AnnouncementText]string{
		"<p>Hi</p>":                      "<p>Hi</p> []",
		"<p>{customer}, {sender|us}</p>": "<p>Fern &amp; &lt;b&gt;&#34;Co&#34;&lt;/b&gt;, Mira</p> []",
		"<p>{channel}{channel}</p>":      "<p>{channel}{channel}</p> [channel]",
		"<p>{channel| a &amp; b }</p>":   "<p>a &amp; b</p> []",
		"<p>{channel|}</p>":              "<p></p> []",
		`<p><a href="https://x.test/{customer}">{customer|x}</a></p>`: `<p><a href="https://x.test/{customer}">Fern &amp; &lt;b&gt;&#34;Co&#34;&lt;/b&gt;</a></p> []`,
		"<p>{ customer } {1, 2} {<em>customer</em>}</p>":              "<p>{ customer } {1, 2} {<em>customer</em>}</p> []",
	} {
		filled, missing := text.Fill(values)
		if got := fmt.Sprint(filled, " ", missing); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

func TestAnnouncementTextCheck(t *testing.T) {
	long := strings.Repeat("ä", MostAnnouncementText)
	for _, tt := range []struct{ text, want string }{
		{"{customer|all} {channel} {sender}", ""},
		{long, ""},
		{long + "x", "must have at most 4000 characters; there are 4001"},
		{"", "must contain text"},
		{"{client}", `has "client" in braces`},
		{"{Customer|x}", `has "Customer" in braces`},
		{"{a b} {} {{x y}", ""},
	} {
		d := AnnouncementDraft{Channel: "C1", Sender: Sender{Kind: NativeSender}, Text: (*AnnouncementText)(&tt.text), Plain: tt.text}
		if err := d.Check(true); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.30q: %v, want %q", tt.text, err, tt.want)
		}
	}
	d := AnnouncementDraft{Channel: "C1", Sender: Sender{Kind: NativeSender}}
	if d.Check(false) != nil || d.Check(true) == nil {
		t.Error("only a test needs a text")
	}
}
