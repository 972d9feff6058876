package suggest

import (
	"context"
	"slices"
	"testing"

	"frontdesk/internal/markup"
)

// An account's own categories are recognised by their words, and the defaults in
// any spelling.
func TestOwnCategories(t *testing.T) {
	own := []string{"Billing", "data-export", "VPN", "Feature Request", "bugs", "Onboarding of staff", "Rechnungen", "🙂", ""}
	tests := []struct {
		text string
		want []string
	}{
		{"Our billing address is old", []string{"Billing"}},
		{"We were billed for two seats", []string{"Billing"}},
		{"The export of our data is empty", []string{"bugs", "data-export"}},
		{"vpn please", []string{"VPN"}},
		{"Feature request: dark mode", []string{"Feature Request"}},
		{"The app crashes", []string{"bugs"}},
		{"Staff onboarding starts on Monday", []string{"Onboarding of staff"}},
		{"Die Rechnung fehlt", []string{"Rechnungen"}},
		{"The weather is fine", nil},
		{"thanks!", nil},
	}
	for _, tt := range tests {
		d := Discussion{Categories: own, Messages: []Message{{HTML: markup.FromText(tt.text)}}}
		got := Rules{}.Suggest(context.Background(), d).Categories.Value
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q is %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestNoCategories(t *testing.T) {
	d := Discussion{Messages: []Message{{HTML: "The app crashes"}}}
	if got := (Rules{}).Suggest(context.Background(), d).Categories; got.Value == nil || len(got.Value) != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestNameWords(t *testing.T) {
	for name, want := range map[string][]string{
		"dataExport":      {"data", "export"},
		"feature_request": {"feature", "request"},
		"Rück-Frage 2":    {"ruck", "frage", "2"},
		"API":             {"api"},
		"":                nil,
		"--":              nil,
	} {
		if got := nameWords(name); !slices.Equal(got, want) {
			t.Errorf("nameWords(%q) = %q, want %q", name, got, want)
		}
	}
}

// A greeting says nothing about the subject, but what follows it does. What we say
// does not count. Once the subject is known, thanks at the end change nothing.
func TestCategoriesOfADiscussion(t *testing.T) {
	d := discussion("Hi there!", "Could you tell us more? Is it a bug?", "The app crashes", "thanks!")
	d.Messages[1].Responder = true
	if got := (Rules{}).Suggest(context.Background(), d).Categories.Value; !slices.Equal(got, []string{Bug}) {
		t.Errorf("the categories are %q", got)
	}
	d.Messages = d.Messages[:2]
	if got := (Rules{}).Suggest(context.Background(), d).Categories; got.Value == nil || len(got.Value) != 0 {
		t.Errorf("a greeting and our answer are %+v", got)
	}
}
