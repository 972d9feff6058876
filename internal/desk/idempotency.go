package desk

import "time"

const (
	// AnswerKept is how long the answer to an idempotency key is given again.
	AnswerKept = 24 * time.Hour
	// KeyLease is how long a key stays in flight without a sign of life from
	// the process that works on it. Whoever works longer renews it.
	KeyLease = 15 * time.Second
	// MostKeyName is the longest idempotency key.
	MostKeyName = 255
)

// IdempotencyKey is a caller's name for one change, so that saying it twice
// does it once. Either it is in flight, held by Owner, or it has its answer.
type IdempotencyKey struct {
	ID          int64
	Name        string
	Owner       string  // who works on it
	Fingerprint []byte  // of the call that was answered
	Answer      *Answer // nil while in flight
}

// Answer is what a call was answered.
type Answer struct {
	Status int
	Body   []byte
}
