package mrkdwn

import (
	"strings"
	"testing"
)

func TestEmojiTable(t *testing.T) {
	names, signs := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(strings.TrimSpace(emojiTable)) {
		words := strings.Fields(line)
		if len(words) < 2 {
			t.Errorf("%q has no name", line)
			continue
		}
		if sign := strings.ReplaceAll(words[0], variant, ""); signs[sign] {
			t.Errorf("%s is there twice", words[0])
		} else {
			signs[sign] = true
		}
		for _, name := range words[1:] {
			if names[name] {
				t.Errorf("%s is there twice", name)
			}
			names[name] = true
			if word, n := emojiWord(":" + name + ":"); word != name || n != len(name)+2 {
				t.Errorf("%s would not be found in a text", name)
			}
			if got, ok := Emoji(name); !ok || got != words[0] {
				t.Errorf("Emoji(%s) = %s, want %s", name, got, words[0])
			}
		}
	}
	if len(signs) < 400 {
		t.Errorf("only %d emoji", len(signs))
	}
}

func TestEmoji(t *testing.T) {
	for _, tt := range []struct{ name, emoji string }{
		{"tada", "🎉"},
		{"+1", "👍"},
		{"heart", "❤️"},
		{"wave::skin-tone-2", "👋🏻"},
		{"wave::skin-tone-6", "👋🏿"},
		{"point_up::skin-tone-3", "☝🏼"},
		{"male-technologist::skin-tone-4", "👨🏽‍💻"},
		{"flag-de", "🇩🇪"},
	} {
		if got, ok := Emoji(tt.name); !ok || got != tt.emoji {
			t.Errorf("Emoji(%s) = %+q, want %+q", tt.name, got, tt.emoji)
		}
	}
	if got, _ := Emoji("thumbsup"); got != "👍" {
		t.Errorf("Emoji(thumbsup) = %s", got)
	}
	for _, name := range []string{"", "partyparrot", "wave::skin-tone-1", "wave::", "flag-d", "flag-DE", "wave::skin-tone-2::skin-tone-2"} {
		if got, ok := Emoji(name); ok {
			t.Errorf("Emoji(%q) = %s", name, got)
		}
	}
}
