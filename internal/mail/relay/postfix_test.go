package relay

import (
	"strings"
	"testing"

	"frontdesk/internal/mail/mailtest"
)

// A real mail server takes what we send, as it is.
func TestPostfix(t *testing.T) {
	postfix := mailtest.Postfix(t, "")
	r, err := Parse("smtp://" + postfix.Address)
	if err != nil {
		t.Fatal(err)
	}
	if err := send(t.Context(), open(t, r)); err != nil {
		t.Fatal(err)
	}
	got := postfix.Delivered()
	for _, part := range []string{"Return-Path: <bounce@desk.example>\n", "\nDelivered-To: jo@there.example\n", "\nSubject: Hello\n", "\n\n.dot\n"} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is missing in %q", part, got)
		}
	}
}
