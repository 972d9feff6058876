package help

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"frontdesk/internal/markup"
)

// ErrUnusable is for an answer of which nothing can be shown.
var ErrUnusable = errors.New("the model's answer has no text that can be shown")

// Limits of answers, in characters of their HTML. A translation may be this many times
// as long as its original, and a little more.
const (
	MostSummary  = 8_000
	MostDraft    = 12_000
	mostTimes    = 4
	mostTimesAnd = 1_000
)

// ReadSummary reads a summary of these messages.
func (q Question) ReadSummary(answer map[string]json.RawMessage, notes bool, at time.Time) (s Summary, err error) {
	s = Summary{Notes: notes, Read: q.Read}
	s.At = at
	s.HTML, err = readHTML(answer["html"], MostSummary, "")
	return s, err
}

// ReadDraft reads a drafted reply. If the model does not say what it used, it may have
// used every source that it was given.
func (q Question) ReadDraft(answer map[string]json.RawMessage, given []Material, at time.Time) (d Draft, err error) {
	d = Draft{Sources: []Source{}, Read: q.Read}
	d.At = at
	if d.HTML, err = readHTML(answer["html"], MostDraft, ""); err != nil {
		return d, err
	}
	var used []int
	said := json.Unmarshal(answer["sources"], &used) == nil && used != nil
	for i, m := range given {
		if !said || slices.Contains(used, i+1) {
			d.Sources = append(d.Sources, m.Source)
		}
	}
	return d, nil
}

// ReadTranslation reads the translation of a text.
func (q Question) ReadTranslation(answer map[string]json.RawMessage, original string, at time.Time) (t Translation, err error) {
	t = Translation{Language: readTag(answer["language"]), From: readTag(answer["from"]), At: at}
	t.HTML, err = readHTML(answer["html"], mostTimes*utf8.RuneCountInString(original)+mostTimesAnd, original)
	return t, err
}

// readHTML reads a text of a model, with nothing in it but words and links, and with
// the pictures and mentions of the original if there is one.
func readHTML(raw json.RawMessage, most int, original string) (string, error) {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return "", ErrUnusable
	}
	if !strings.Contains(text, "<") {
		text = markup.FromText(text) // a model that writes plain text after all
	}
	html := markup.Reduce(text, markup.Parse(original))
	if html == "" || utf8.RuneCountInString(html) > most {
		return "", ErrUnusable
	}
	return html, nil
}

// readTag reads the tag of a language; empty if it is none.
func readTag(raw json.RawMessage) string {
	var tag string
	if json.Unmarshal(raw, &tag) != nil || !languageTag.MatchString(tag) {
		return ""
	}
	return tag
}
