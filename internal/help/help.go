// Package help is what somebody who answers a request can have from a language model:
// a summary, a drafted reply, a translation. It says what the model is told and what
// it is not, and keeps of its answers only what is fit to show. It asks nobody and
// stores nothing: an answer is a draft, and a person sends it or does not.
package help

import (
	"regexp"
	"time"
	"unicode/utf8"

	"frontdesk/internal/desk"
)

// Summary says what was said in a request, for those who answer it.
type Summary struct {
	HTML  string
	Notes bool // whether internal notes were read, so that it must not be sent to a customer
	Read
}

// Draft is a reply to the customer that somebody may edit and send.
type Draft struct {
	HTML    string
	Sources []Source // what it was written from, besides the conversation
	Read
}

// Translation is a text in another language.
type Translation struct {
	HTML     string
	Language string // the language it is in; empty if the model did not say
	From     string // the language of the original; empty if the model did not say
	At       time.Time
}

// Read is how much of a conversation was read for an answer, and when.
type Read struct {
	Messages  int // that were read
	LeftOut   int // that were too many
	Shortened int // of those that were read, how many were too long to be read to their end
	At        time.Time
}

// Source is something that a reply was drafted from. Whoever asked for the draft can
// open it.
type Source struct {
	Kind  SourceKind
	ID    int64
	Key   string // of a request
	Title string // or the name of a quick reply
}

// SourceKind says what a source is.
type SourceKind string

const (
	FromQuickReply SourceKind = "quick_reply"
	FromRequest    SourceKind = "request"
)

// MostTranslated is the maximum length of a text to translate, in characters of its
// HTML.
const MostTranslated = 12_000

// GivenSummary is what a caller asks of a summary.
type GivenSummary struct {
	desk.Body
	Language *string // nil: that of the conversation
}

// GivenTranslation is what a caller asks of the translation of a message.
type GivenTranslation struct {
	desk.Body
	Language *string
}

// GivenText is a text to be translated for the customer of a request. Its HTML is
// already in the product's subset.
type GivenText struct {
	desk.Body
	HTML     *string
	Language *string // nil: the one that the requester writes
}

// Check returns what is wrong with it.
func (g GivenSummary) Check() error {
	return check(g.Body, func(p *desk.Problems) { checkLanguage(p, g.Language, false) })
}

// Check returns what is wrong with it.
func (g GivenTranslation) Check() error {
	return check(g.Body, func(p *desk.Problems) { checkLanguage(p, g.Language, true) })
}

// Check returns what is wrong with it.
func (g GivenText) Check() error {
	return check(g.Body, func(p *desk.Problems) {
		switch {
		case g.HTML == nil:
			p.Add("html_body", "is required")
		case *g.HTML == "":
			p.Add("html_body", "must contain text")
		case utf8.RuneCountInString(*g.HTML) > MostTranslated:
			p.Add("html_body", "must have at most %d characters; translate a longer text in parts", MostTranslated)
		}
		checkLanguage(p, g.Language, false)
	})
}

func check(b desk.Body, fields func(*desk.Problems)) error {
	if b.Problem != nil {
		return b.Problem
	}
	var p desk.Problems
	fields(&p)
	return p.Err()
}

// languageTag is the form of a language, such as de, pt-BR or zh-Hant-TW. What does
// not look like one never gets into a question.
var languageTag = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$`)

func checkLanguage(p *desk.Problems, language *string, required bool) {
	switch {
	case language == nil && required:
		p.Add("language", "is required")
	case language != nil && !languageTag.MatchString(*language):
		p.Add("language", "must be a language tag, such as de or pt-BR")
	}
}
