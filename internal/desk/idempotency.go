package desk

import "time"

const (
	// AnswerKept is how long the stored answer to an idempotency key is returned.
	AnswerKept = 24 * time.Hour
	// KeyLease is how long a key stays in flight without a sign of life from its
	// process. A process that works longer renews it. It is as short as clocks that
	// differ by a few seconds and a late renewal allow.
	KeyLease = 6 * time.Second
	// MostKeyName is the maximum length of an idempotency key.
	MostKeyName = 255
)

// IdempotencyKey is a caller's name for one change, so that sending it twice makes
// it once. It is either in flight, held by Owner, or has its answer.
type IdempotencyKey struct {
	ID          int64
	Name        string
	Owner       string  // the process that works on it
	Fingerprint []byte  // of the answered call
	Answer      *Answer // nil while in flight
}

// Answer is the stored answer to a call.
type Answer struct {
	Status int
	Body   []byte
}
