package richtext

import (
	"reflect"
	"testing"
)

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestFromText(t *testing.T) {
	got := FromText("Hi <@U1>, in <#C1|desk> <!here> see <https://x.test|this> & <https://y.test>")
	want(t, "block", got, rich(section([]object{
		{"type": "text", "text": "Hi "}, {"type": "user", "user_id": "U1"}, {"type": "text", "text": ", in "},
		{"type": "channel", "channel_id": "C1"}, {"type": "text", "text": " "}, {"type": "broadcast", "range": "here"},
		{"type": "text", "text": " see "}, {"type": "link", "url": "https://x.test", "text": "this"}, {"type": "text", "text": " & "},
		{"type": "link", "url": "https://y.test"},
	}...))[0])
	want(t, "what is escaped", FromText("a &lt;b&gt; &amp;amp;"), rich(section(words("a <b> &amp;")))[0])
	want(t, "and escaped again", Escape("a <b> &amp;"), "a &lt;b&gt; &amp;amp;")
}

func TestLinkAddresses(t *testing.T) {
	for plain, linked := range map[string]string{
		"see https://x.test/a?b=c.":  "see <https://x.test/a?b=c>.",
		"<https://x.test> stays":     "<https://x.test> stays",
		"(http://x.test)":            "(<http://x.test>)",
		"<https://x.test|a> and b":   "<https://x.test|a> and b",
		"nothing: ftp://x.test here": "nothing: ftp://x.test here",
	} {
		want(t, plain, LinkAddresses(plain), linked)
	}
}
