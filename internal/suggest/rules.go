package suggest

import (
	"context"

	"frontdesk/internal/markup"
)

// mostTokens of a message are read; what matters is said by then.
const mostTokens = 1500

// mostBytes of a message's HTML are read.
const mostBytes = 64 << 10

// mostMessages of a discussion are read: the first and the latest.
const mostMessages = 20

// Rules answers from a lexicon of five languages, in well under a millisecond
// for a message of usual length. The zero value is ready.
type Rules struct{}

// Suggest never fails, and takes no heed of the context: there is nothing to
// wait for.
func (Rules) Suggest(_ context.Context, d Discussion) Suggestion {
	l := theLexicon()
	var first understood
	if len(d.Messages) > 0 {
		first = l.understand(d.Messages[0].HTML)
	}
	return Suggestion{
		Title:      title(d),
		Priority:   priority(first),
		Categories: categories(l, first, d.Categories),
		Sentiment:  first.sentiment(),
		Emotion:    l.emotion(d, first),
	}
}

// understood is a message with what was found in it.
type understood struct {
	reading
	signs   []sign
	verdict Verdict // empty: of no message
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

// title is the first sentence of the description.
func title(d Discussion) Answer[string] {
	a := Answer[string]{Source: FromRules}
	if len(d.Messages) > 0 {
		a.Value = markup.FirstSentence(d.Messages[0].HTML, MostTitle)
	}
	if a.Value != "" {
		a.Confidence = 0.6
	}
	return a
}
