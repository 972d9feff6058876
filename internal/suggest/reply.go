package suggest

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Why a single answer of the model does not count.
const (
	notAnswered = "the model did not answer this"
	notAllowed  = "the model's answer is not allowed"
)

// defaultConfidence is for a model that does not say.
const defaultConfidence = 0.7

// reply is what the model said, with each field still to be checked. Whatever made
// the model say it, a field holds an allowed value or is discarded.
type reply map[string]json.RawMessage

// readReply reads the model's text.
func readReply(text string) (reply, error) {
	text = strings.TrimSpace(text)
	// Servers without a JSON mode often put it into a code block.
	if inner, ok := strings.CutPrefix(text, "```"); ok {
		inner = strings.TrimPrefix(inner, "json")
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), "```"))
	}
	var r reply
	if err := json.Unmarshal([]byte(text), &r); err != nil || r == nil {
		return nil, ErrUnusable
	}
	return r, nil
}

// apply replaces the rules' answers with the allowed ones of the model.
func (r reply) apply(s *Suggestion, categories []string) {
	confidence := r.confidence()
	settle(&s.Title, r["title"], confidence, goodTitle)
	settle(&s.Priority, r["priority"], confidence, func(p Priority) (Priority, bool) { return p, slices.Contains(Priorities(), p) })
	settle(&s.Sentiment, r["sentiment"], confidence, func(v Sentiment) (Sentiment, bool) { return v, slices.Contains(Sentiments(), v) })
	settle(&s.Emotion, r["emotion"], confidence, func(e Emotion) (Emotion, bool) { return e, slices.Contains(Emotions(), e) })
	settle(&s.Categories, r["category"], confidence, func(names []string) ([]string, bool) { return goodCategories(names, categories) })
}

// settle takes one answer if it has the right type and is allowed.
func settle[T any](a *Answer[T], raw json.RawMessage, confidence float64, allowed func(T) (T, bool)) {
	if raw == nil {
		a.Reason = notAnswered
		return
	}
	var value T
	if err := json.Unmarshal(raw, &value); err != nil || string(raw) == "null" {
		a.Reason = notAllowed
		return
	}
	value, ok := allowed(value)
	if !ok {
		a.Reason = notAllowed
		return
	}
	*a = Answer[T]{Value: value, Source: FromModel, Confidence: confidence}
}

func (r reply) confidence() float64 {
	var c *float64
	if err := json.Unmarshal(r["confidence"], &c); err != nil || c == nil || !(*c >= 0 && *c <= 1) {
		return defaultConfidence
	}
	return *c
}

// goodTitle allows one line of plain text. A title is shown to many people and
// posted to chat. So a model's title with an address, a mention or markup is
// refused, because a message may have talked the model into it.
func goodTitle(title string) (string, bool) {
	title = strings.Join(strings.Fields(title), " ")
	switch {
	case title == "" || utf8.RuneCountInString(title) > MostTitle || !utf8.ValidString(title):
	case strings.Contains(title, "://") || strings.Contains(strings.ToLower(title), "www.") || strings.ContainsAny(title, "@<>`"):
	case strings.ContainsFunc(title, func(r rune) bool { return !unicode.IsPrint(r) }):
	case !strings.ContainsFunc(title, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }):
	default:
		return title, true
	}
	return "", false
}

// goodCategories keeps the account's categories. A list with none of them is not
// allowed, but an empty one is an answer.
func goodCategories(names, allowed []string) ([]string, bool) {
	good := []string{}
	for _, name := range names {
		if slices.Contains(allowed, name) && !slices.Contains(good, name) {
			good = append(good, name)
		}
	}
	return good, len(good) > 0 || len(names) == 0
}
