package desk

import (
	"strings"
	"testing"
)

func TestAnnouncementTextCheck(t *testing.T) {
	long := strings.Repeat("ä", MostAnnouncementText)
	for _, tt := range []struct {
		text, want string
		in         []string
	}{
		{"{customer|all}", "", []string{"customer", "channel", "sender"}},
		{long, "", nil},
		{long + "x", "must have at most 4000 characters; there are 4001", nil},
		{"", "must contain text", nil},
		{"{client}", `has "client" in braces`, []string{"client"}},
		{"{Customer|x}", `has "Customer" in braces`, []string{"Customer"}},
	} {
		d := AnnouncementDraft{Channel: "C1", Sender: Sender{Kind: NativeSender}, Text: (*AnnouncementText)(&tt.text), Plain: tt.text, Variables: tt.in}
		if err := d.Check(true); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.30q: %v, want %q", tt.text, err, tt.want)
		}
	}
	d := AnnouncementDraft{Channel: "C1", Sender: Sender{Kind: NativeSender}}
	if d.Check(false) != nil || d.Check(true) == nil {
		t.Error("only a test needs a text")
	}
}
