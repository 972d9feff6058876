// Package suggest says what a text suggests: whether a chat message asks for
// anything at all, and a request's title, priority, categories, sentiment and
// emotion. Two providers answer: Rules, at once and without a network, and
// Model, a language model behind an OpenAI-compatible address, which falls back
// to the rules whenever it must. It must not know where texts are kept, and
// never sees a private note.
package suggest

import (
	"context"

	"frontdesk/internal/desk"
)

// Provider answers what a discussion suggests.
type Provider interface {
	// Suggest always answers, and only allowed values. What could not be had as
	// configured is told by the Reason of the answer that stands in for it.
	Suggest(ctx context.Context, d Discussion) Suggestion
}

// Discussion is what a provider may see of a request: what its requester could
// read too. There is on purpose no place here for a private note, nor a mark
// that would make a message one, so that no provider can give one away.
type Discussion struct {
	Account    desk.AccountID
	Categories []string  // those of the account, of which any may be suggested; without any, none is
	Messages   []Message // public ones in the order of time; the first is the description
}

// Message is a public message of a discussion.
type Message struct {
	HTML      string // as package markup has it
	Responder bool   // written by one of us; how we feel does not count
}

// Suggestion is what a discussion suggests.
type Suggestion struct {
	Title      Answer[string]   // plain text of one line, at most MostTitle code points; empty where there are no words
	Priority   Answer[Priority] //
	Categories Answer[[]string] // of the account's and spelt as there, the likeliest first; perhaps none
	Sentiment  Answer[Sentiment]
	Emotion    Answer[Emotion]
}

// Answer is a value and where it comes from.
type Answer[T any] struct {
	Value      T
	Source     Source
	Confidence float64 // 0 to 1
	Reason     string  // why the rules had to answer instead of the model; holds no text of people. Empty where nothing went wrong.
}

// Source is who gave an answer.
type Source string

const (
	FromRules Source = "rules"
	FromModel Source = "model"
)

// Priority is a request's.
type Priority string

const (
	Low    Priority = "low"
	Normal Priority = "normal"
	High   Priority = "high"
	Urgent Priority = "urgent"
)

// Priorities are all of them, the lowest first.
func Priorities() []Priority { return []Priority{Low, Normal, High, Urgent} }

// Sentiment is how the requester writes about the matter in what they said
// last. A fault that is reported calmly is neutral.
type Sentiment string

const (
	VeryPositive Sentiment = "very_positive"
	Positive     Sentiment = "positive"
	Neutral      Sentiment = "neutral"
	Negative     Sentiment = "negative"
	VeryNegative Sentiment = "very_negative"
)

// Sentiments are all of them, the best first.
func Sentiments() []Sentiment {
	return []Sentiment{VeryPositive, Positive, Neutral, Negative, VeryNegative}
}

// Emotion is the mood in which the requester is by now, of the whole discussion.
type Emotion string

const (
	EmotionPositive Emotion = "positive"
	EmotionNeutral  Emotion = "neutral"
	EmotionNegative Emotion = "negative"
)

// Emotions are all of them, the best first.
func Emotions() []Emotion { return []Emotion{EmotionPositive, EmotionNeutral, EmotionNegative} }

// The categories that an account has until it edits its list, and that the
// rules know by more than their names.
const (
	FeatureRequest = "feature_request"
	Bug            = "bug"
	Question       = "question"
	Problem        = "problem"
	Task           = "task"
)

// DefaultCategories are the categories of a new account.
func DefaultCategories() []string { return []string{FeatureRequest, Bug, Question, Problem, Task} }

// MostTitle is the longest title in code points.
const MostTitle = 80
