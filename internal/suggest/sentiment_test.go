package suggest

import (
	"context"
	"testing"
)

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
		{Neutral, "Kannst du mal schauen?"}, // mal is bad only in other languages
		{Neutral, "Die Datei ist leer"},     // and die is not the English verb
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

// The requester's last message decides; what we say does not count.
func TestSentimentOfADiscussion(t *testing.T) {
	d := discussion("This is terrible, the worst service ever", "We are terribly sorry, this is awful", "Great, it works perfectly now, thank you!")
	d.Messages[1].Responder = true
	sentiment := func(messages int) Sentiment {
		d := d
		d.Messages = d.Messages[:messages]
		return Rules{}.Suggest(context.Background(), d).Sentiment.Value
	}
	if got := []Sentiment{sentiment(1), sentiment(2), sentiment(3)}; got[0] != VeryNegative || got[1] != VeryNegative || got[2] != VeryPositive {
		t.Errorf("the sentiments are %s", got)
	}
}
