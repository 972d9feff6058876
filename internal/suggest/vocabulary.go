package suggest

import (
	"bytes"
	"strings"
)

// vocabulary numbers the words of the lexicon.
type vocabulary struct {
	words     map[string]symbol
	stems     map[string]symbol // beginnings of words: crash for "crash*"
	shortest  int               // length of the shortest stem
	next      symbol
	aliases   map[string]string // of signs: ":-)" is ":)", ":+1:" is 👍
	squashed  map[string]string // "helo" is hello
	misspelt  map[string]string // "thnaks" is thanks
	languages map[symbol]languages
}

func newVocabulary() *vocabulary {
	return &vocabulary{
		words: map[string]symbol{}, stems: map[string]symbol{}, aliases: map[string]string{}, squashed: map[string]string{},
		misspelt: map[string]string{}, languages: map[symbol]languages{}, shortest: 3,
	}
}

// symbol returns the number of a word or, with stem, of a beginning of words.
func (v *vocabulary) symbol(word string, stem bool) symbol {
	words := v.words
	if stem {
		words = v.stems
	}
	if s, ok := words[word]; ok {
		return s
	}
	v.next++
	words[word] = v.next
	return v.next
}

// name sets what the lexicon knows a token's text by.
func (v *vocabulary) name(t *token, text []byte, stems bool) {
	if s := v.words[string(text)]; s != 0 {
		t.ids[t.n] = s
		t.n++
	}
	if t.kind != aWord || !stems {
		return
	}
	for end := v.shortest; end <= len(text) && int(t.n) < len(t.ids); end++ {
		if s := v.stems[string(text[:end])]; s != 0 {
			t.ids[t.n] = s
			t.n++
		}
	}
}

// corrected replaces the word that begins at start by the one that is meant.
func (v *vocabulary) corrected(buf []byte, start int) []byte {
	word := buf[start:]
	if len(word) < 2 || v.words[string(word)] != 0 {
		return buf
	}
	if meant, ok := v.misspelt[string(word)]; ok {
		return append(buf[:start], meant...)
	}
	if stretched(word) {
		if meant, ok := v.squashed[string(squash(word))]; ok {
			return append(buf[:start], meant...)
		}
	}
	return buf
}

// forgive learns to read a stretched word. With spelling it also accepts two
// swapped letters or, in a long word, a missing one. Few words are forgiven their
// spelling, because for most a near spelling is another word.
func (v *vocabulary) forgive(word string, spelling bool) {
	v.squashed[string(squash([]byte(word)))] = word
	if !spelling || len(word) < 5 {
		return
	}
	learn := func(wrong string) {
		if _, known := v.words[wrong]; !known && wrong != word {
			v.misspelt[wrong] = word
		}
	}
	for i := range len(word) - 1 {
		swapped := []byte(word)
		swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
		learn(string(swapped))
	}
	if len(word) < 6 {
		return
	}
	for i := 1; i < len(word); i++ { // the first letter is hardly ever missing
		learn(word[:i] + word[i+1:])
	}
}

// emoticon returns the sign at the beginning of a text, such as ":-)" or ":tada:",
// and its length; 0 for none. For an emoji with an unknown name the sign is the
// name.
func (v *vocabulary) emoticon(text string) (sign string, length int) {
	if text[0] == ':' {
		if end := strings.IndexByte(text[1:min(len(text), 40)], ':'); end > 1 && emojiName(text[1:1+end]) {
			name := text[:end+2]
			if sign, ok := v.aliases[name]; ok {
				return sign, len(name)
			}
			return name, len(name)
		}
	}
	for n := min(4, len(text)); n >= 2; n-- {
		if sign, ok := v.aliases[text[:n]]; ok && (n == len(text) || !wordByte(text[n])) {
			return sign, n
		}
	}
	return "", 0
}

// emojiName reports whether a text between colons may name an emoji. A text without
// a letter is a time of day.
func emojiName(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_+-") == "" && (bytes.ContainsAny([]byte(s), "abcdefghijklmnopqrstuvwxyz+-") || s == "100")
}

func wordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= 0x80 && c < 0xe0
}
