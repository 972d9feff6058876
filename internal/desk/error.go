package desk

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind says what a caller can do about an error.
type Kind int

const (
	Internal    Kind = iota // a fault of ours; its text never leaves
	Invalid                 // the input is wrong; correct it
	Forbidden               // this caller may not
	NotFound                // there is no such thing in this account
	Refused                 // the thing is in a state that does not allow it
	Stale                   // the caller's version is outdated; read again
	Conflict                // it collides with something that exists or is under way
	Mismatch                // an idempotency key was used for something else
	TooLarge                // more than the limit
	Unsupported             // a media type that is not taken
	Busy                    // too many calls; later
	Unavailable             // the service cannot do it now; later
)

// Error is a failure fit for the caller. Any other error is Internal.
type Error struct {
	Kind       Kind
	Message    string        // a sentence for the caller
	Fields     []FieldError  // what was wrong where, for Invalid
	Items      []ItemError   // likewise, where the input is a list
	RetryAfter time.Duration // when trying again may help; 0 says nothing
	Err        error         // the cause, for the log; never shown
}

// FieldError says what is wrong with one member of the input.
type FieldError struct {
	Field   string
	Message string
}

// ItemError says what is wrong with one member of one item of the input.
type ItemError struct {
	Index int // from 0
	FieldError
}

func (e *Error) Error() string {
	text := e.Message
	for _, f := range e.Fields {
		text += fmt.Sprintf(" [%s: %s]", f.Field, f.Message)
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an error of a kind with a message for the caller.
func Errorf(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// KindOf returns the kind of err, Internal for an error that is not ours.
func KindOf(err error) Kind {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e.Kind
	}
	return Internal
}

// Missing is the error for a thing that does not exist in the account.
func Missing(noun string) *Error { return Errorf(NotFound, "%s not found.", noun) }

// Problems collects what is wrong with an input, so that a caller learns
// everything at once. The zero value is ready.
type Problems struct{ fields []FieldError }

// Add notes a problem with a field.
func (p *Problems) Add(field, format string, args ...any) {
	p.fields = append(p.fields, FieldError{field, fmt.Sprintf(format, args...)})
}

// Under takes over the problems of an input that is a part of this one: at
// stands before its members. An error of another kind is given back.
func (p *Problems) Under(at string, err error) error {
	e, ok := err.(*Error)
	if !ok || e.Kind != Invalid || len(e.Fields) == 0 {
		return err
	}
	for _, f := range e.Fields {
		p.fields = append(p.fields, FieldError{at + f.Field, f.Message})
	}
	return nil
}

// Err is nil without problems, else an Invalid error that names them all.
func (p *Problems) Err() error {
	if len(p.fields) == 0 {
		return nil
	}
	texts := make([]string, len(p.fields))
	for i, f := range p.fields {
		texts[i] = strings.TrimSpace(f.Field + " " + f.Message)
	}
	return &Error{Kind: Invalid, Message: strings.Join(texts, "; ") + ".", Fields: p.fields}
}
