package privacy

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/desk"
)

// words finds addresses, user ids, names and domains in a text and replaces them. A
// customer may have thousands of people, so the text is read once, however many words
// there are: each word is filed under its first run of letters and digits.
type words struct {
	byRun map[string][]word
	keep  map[string]bool // folded addresses that stay although their domain goes
}

// word is what is looked for, and what takes its place. Letters and digits beside it
// make it another word, and so do the characters in before and after.
type word struct {
	text     string // folded
	with     string
	exact    string // as it must be written; empty if the case does not matter
	before   string
	after    string
	isHost   bool // no domain goes on behind it
	isDomain bool // an address in it is replaced as a whole
}

// add adds a word.
func (w *words) add(one word) {
	if one.text == "" {
		return
	}
	if w.byRun == nil {
		w.byRun = map[string][]word{}
	}
	from, to := firstRun(one.text)
	run := one.text[from:to]
	// Of words that begin alike, the longest is tried first.
	at, _ := slices.BinarySearchFunc(w.byRun[run], one, func(a, b word) int { return cmp.Compare(len(b.text), len(a.text)) })
	w.byRun[run] = slices.Insert(w.byRun[run], at, one)
}

// firstRun returns where the first run of letters and digits of a text is. Without
// one it returns an empty run at the beginning.
func firstRun(text string) (from, to int) {
	from = strings.IndexFunc(text, isWordRune)
	if from < 0 {
		return 0, 0
	}
	return from, from + runLength(text[from:])
}

func runLength(text string) int {
	if end := strings.IndexFunc(text, func(r rune) bool { return !isWordRune(r) }); end >= 0 {
		return end
	}
	return len(text)
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// replace returns a text with all words replaced.
func (w *words) replace(text string) string {
	if len(w.byRun) == 0 {
		return text
	}
	folded := lower(text)
	var b strings.Builder
	done := 0 // what is before this is written
	for at := 0; at < len(text); {
		length := runLength(folded[at:])
		from, to, with, found := w.at(text, folded, at, length, done)
		if found {
			b.WriteString(text[done:from])
			b.WriteString(with)
			at, done = to, to
			continue
		}
		if length == 0 {
			_, length = utf8.DecodeRuneInString(text[at:])
		}
		at += length
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// at returns the word whose first run is at a place, and where it is.
func (w *words) at(text, folded string, at, length, done int) (from, to int, with string, found bool) {
	for _, one := range w.byRun[folded[at:at+length]] {
		first, _ := firstRun(one.text)
		from, to = at-first, at-first+len(one.text)
		if from < done || to > len(text) || folded[from:to] != one.text || one.exact != "" && text[from:to] != one.exact {
			continue
		}
		last, _ := utf8.DecodeLastRuneInString(text[:from])
		next, size := utf8.DecodeRuneInString(text[to:])
		if isPart(last, one.before) || isPart(next, one.after) {
			continue
		}
		if following, _ := utf8.DecodeRuneInString(text[min(to+size, len(text)):]); one.isHost && next == '.' && isWordRune(following) {
			continue
		}
		if !one.isDomain || last != '@' {
			return from, to, one.with, true
		}
		if start := max(done, startOfAddress(text, from-1)); start < from-1 {
			if w.keep[folded[start:to]] {
				continue
			}
			return start, to, ErasedEmail, true
		}
		return from, to, one.with, true
	}
	return 0, 0, "", false
}

// startOfAddress returns where the address begins whose @ is at a place.
func startOfAddress(text string, at int) int {
	for at > 0 {
		r, size := utf8.DecodeLastRuneInString(text[:at])
		if !isPart(r, "._%+'-") {
			break
		}
		at -= size
	}
	return at
}

// lower folds ASCII only, which keeps the length.
func lower(s string) string { return desk.FoldEmail(s) }

func isPart(r rune, others string) bool {
	return r != utf8.RuneError && (isWordRune(r) || strings.ContainsRune(others, r))
}
