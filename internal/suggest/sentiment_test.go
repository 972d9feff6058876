package suggest

import "testing"

// How words change each other.
func TestSentiment(t *testing.T) {
	tests := []struct {
		want Sentiment
		text string
	}{
		{Positive, "good"},
		{Negative, "not good"},
		{Positive, "not bad"},
		{Positive, "The search is good 🙂"},
		{Negative, "The search was good, but now it is slow"},
		{Positive, "It was slow, but now it is good"},
		{Neutral, "Would be great if you could send the invoice"},
		{Neutral, "Good morning, how do I log in?"},
		{Positive, "sooo goood"},
		{Negative, "Gefällt mir nicht"},
		{Negative, "Ça ne me plaît pas"},
		{Neutral, "Kannst du mal schauen?"}, // mal is bad only elsewhere
		{Neutral, "Die Datei ist leer"},     // and die does not die
		{VeryNegative, "THIS IS BAD, TERRIBLE SERVICE"},
		{Positive, "thanks!"},
		{Neutral, ""},
	}
	for _, tt := range tests {
		if got := suggestOne(tt.text).Sentiment.Value; got != tt.want {
			t.Errorf("%q is %s, want %s", tt.text, got, tt.want)
		}
	}
}
