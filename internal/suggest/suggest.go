// Package suggest says what a text suggests: whether a chat message asks for
// anything at all, and a request's title, priority, categories, sentiment and
// emotion. There are two providers. Rules answers at once and without a network.
// Model asks a language model behind an OpenAI-compatible address, and falls back
// to the rules whenever it must. Model is also the one client for whoever else asks a
// model something, within the same budget. The package must not know where texts are
// stored, and a suggestion never sees a private note.
package suggest

import (
	"context"

	"frontdesk/internal/desk"
)

// Provider says what a discussion suggests.
type Provider interface {
	// Suggest always answers, and only with allowed values. If an answer could not
	// be obtained as configured, the Reason of its replacement says why.
	Suggest(ctx context.Context, d Discussion) Suggestion
}

// Discussion is what a provider may see of a request: only what its requester could
// read too. On purpose it has no place for a private note, nor a mark that would
// make a message one, so that no provider can reveal one.
type Discussion struct {
	Account    desk.AccountID
	Categories []string  // the account's categories, any of which may be suggested; without any, none is
	Messages   []Message // public ones in the order of time; the first is the description
}

// Message is a public message of a discussion.
type Message struct {
	HTML      string // in the form of package markup
	Responder bool   // written by one of us; our mood does not count
}

// Suggestion is what a discussion suggests.
type Suggestion struct {
	Title      Answer[string]   // one line of plain text, at most MostTitle code points; empty if there are no words
	Priority   Answer[Priority] //
	Categories Answer[[]string] // from the account's list and in its spelling, the likeliest first; may be empty
	Sentiment  Answer[Sentiment]
	Emotion    Answer[Emotion]
}

// Answer is a value and its origin.
type Answer[T any] struct {
	Value      T
	Source     Source
	Confidence float64 // 0 to 1
	Reason     string  // why the rules answered instead of the model, without any text of people; empty if nothing went wrong
}

// Source says who gave an answer.
type Source string

const (
	FromRules Source = "rules"
	FromModel Source = "model"
)

// Priority is the priority of a request.
type Priority string

const (
	Low    Priority = "low"
	Normal Priority = "normal"
	High   Priority = "high"
	Urgent Priority = "urgent"
)

// Priorities returns all of them, the lowest first.
func Priorities() []Priority { return []Priority{Low, Normal, High, Urgent} }

// Sentiment is how the requester writes about the subject in their last message. A
// fault that is reported calmly is neutral.
type Sentiment string

const (
	VeryPositive Sentiment = "very_positive"
	Positive     Sentiment = "positive"
	Neutral      Sentiment = "neutral"
	Negative     Sentiment = "negative"
	VeryNegative Sentiment = "very_negative"
)

// Sentiments returns all of them, the best first.
func Sentiments() []Sentiment {
	return []Sentiment{VeryPositive, Positive, Neutral, Negative, VeryNegative}
}

// Emotion is the requester's current mood, over the whole discussion.
type Emotion string

const (
	EmotionPositive Emotion = "positive"
	EmotionNeutral  Emotion = "neutral"
	EmotionNegative Emotion = "negative"
)

// Emotions returns all of them, the best first.
func Emotions() []Emotion { return []Emotion{EmotionPositive, EmotionNeutral, EmotionNegative} }

// The categories of an account that has not edited its list. The rules know them by
// more than their names.
const (
	FeatureRequest = "feature_request"
	Bug            = "bug"
	Question       = "question"
	Problem        = "problem"
	Task           = "task"
)

// DefaultCategories returns the categories of a new account.
func DefaultCategories() []string { return []string{FeatureRequest, Bug, Question, Problem, Task} }

// MostTitle is the maximum length of a title, in code points.
const MostTitle = 80
