package suggest

import (
	"context"
	"html"
	"slices"

	"frontdesk/internal/markup"
)

// mostTokens bounds the tokens read of a message. What matters is said by then.
const mostTokens = 1500

// mostBytes bounds the bytes read of a message's HTML.
const mostBytes = 64 << 10

// mostMessages bounds the messages read of a discussion: the first and the latest.
const mostMessages = 20

// Rules answers from a lexicon of five languages, in well under a millisecond for a
// message of usual length. The zero value is ready to use.
type Rules struct{}

// Suggest never fails and ignores the context, because there is nothing to wait
// for.
func (Rules) Suggest(_ context.Context, d Discussion) Suggestion { return ByRules(d) }

// ByRules returns what Rules suggests. It needs nothing but the discussion, so that
// it can be called in a transaction.
func ByRules(d Discussion) Suggestion {
	l := theLexicon()
	read := make([]understood, len(d.Messages))
	for _, i := range shown(d.Messages) {
		read[i] = l.understand(d.Messages[i].HTML)
	}
	var first, latest understood
	if len(read) > 0 {
		first = read[0]
	}
	if i := latestOfRequester(d.Messages); i >= 0 {
		latest = read[i]
	}
	return Suggestion{
		Title:      title(d),
		Priority:   priority(first),
		Categories: l.categoriesOf(d, read),
		Sentiment:  latest.sentiment(),
		Emotion:    emotion(d, read),
	}
}

// shown returns the messages that are read: the first, and the requester's latest.
func shown(messages []Message) []int {
	all := []int{}
	for i := len(messages) - 1; i > 0 && len(all) < mostMessages; i-- {
		if !messages[i].Responder {
			all = append(all, i)
		}
	}
	if len(messages) > 0 {
		all = append(all, 0)
	}
	slices.Reverse(all)
	return all
}

// latestOfRequester returns their last message, -1 if there is none.
func latestOfRequester(messages []Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if !messages[i].Responder {
			return i
		}
	}
	return -1
}

// categoriesOf returns the categories of the description. If it suggests none, as a
// greeting does, the requester's first message that does decides.
func (l *lexicon) categoriesOf(d Discussion, read []understood) Answer[[]string] {
	for _, i := range shown(d.Messages) {
		if a := categories(l, read[i], d.Categories); len(a.Value) > 0 {
			return a
		}
	}
	return categories(l, understood{}, d.Categories)
}

// understood is a message with what was found in it.
type understood struct {
	reading
	signs   []sign
	verdict Verdict // empty if there is no message
}

func (l *lexicon) understand(html string) understood {
	if len(html) > mostBytes {
		html = html[:mostBytes]
	}
	u := understood{reading: l.read(html, mostTokens, true), verdict: Request}
	u.signs = l.signsIn(u.reading)
	if len(u.tokens) <= mostIntakeTokens {
		u.verdict = l.judge(u.reading)
	}
	return u
}

// title returns the first sentence of the description that is more than a greeting.
func title(d Discussion) Answer[string] {
	a := Answer[string]{Source: FromRules}
	if len(d.Messages) > 0 {
		a.Value = markup.FirstSentence(d.Messages[0].HTML, MostTitle, pleasantry)
	}
	if a.Value != "" {
		a.Confidence = 0.6
	}
	return a
}

// pleasantry reports whether a sentence only greets, thanks or acknowledges.
func pleasantry(sentence string) bool { return !Judge(html.EscapeString(sentence)).IsRequest() }
