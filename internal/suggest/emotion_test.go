package suggest

import (
	"context"
	"testing"

	"frontdesk/internal/markup"
)

func TestEmotion(t *testing.T) {
	requester := func(text string) Message { return Message{HTML: markup.FromText(text)} }
	responder := func(text string) Message { return Message{HTML: markup.FromText(text), Responder: true} }
	tests := []struct {
		name     string
		messages []Message
		want     Emotion
	}{
		{"nothing", nil, EmotionNeutral},
		{"a question", []Message{requester("Where is my invoice?")}, EmotionNeutral},
		{"anger", []Message{requester("This is unacceptable!!!")}, EmotionNegative},
		{"thanks", []Message{requester("Where is my invoice?"), responder("Here."), requester("Perfect, thank you so much!")}, EmotionPositive},
		{"anger that is over", []Message{requester("This is unacceptable!!!"), responder("Sorry, it works now."), requester("ok thanks")}, EmotionNeutral},
		{"anger that has come", []Message{requester("Where is my invoice?"), responder("Soon."), requester("I am furious, nobody answers")}, EmotionNegative},
		{"long ago", []Message{requester("This is terrible"), requester("ok"), requester("fine"), requester("great, thank you")}, EmotionPositive},
		{"ours does not count", []Message{requester("Where is my invoice?"), responder("I love this, wonderful, amazing!")}, EmotionNeutral},
		{"only ours", []Message{responder("We are delighted, fantastic!")}, EmotionNeutral},
		{"German", []Message{requester("Das nervt wirklich")}, EmotionNegative},
		{"French", []Message{requester("J'adore, c'est parfait")}, EmotionPositive},
		{"Spanish", []Message{requester("Estoy harto de esto")}, EmotionNegative},
		{"Portuguese", []Message{requester("Adorei, muito bom")}, EmotionPositive},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Rules{}.Suggest(context.Background(), Discussion{Messages: tt.messages})
			if got.Emotion.Value != tt.want {
				t.Errorf("got %+v, want %s", got.Emotion, tt.want)
			}
			checkAllowed(t, got, nil)
		})
	}
}
