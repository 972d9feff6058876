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
	Internal    Kind = iota // our fault; its text is never shown
	Invalid                 // the input is wrong; correct it
	Forbidden               // this caller may not do it
	NotFound                // there is no such thing in this account
	Refused                 // the thing's state does not allow it
	Stale                   // the caller's version is outdated; read it again
	Conflict                // it collides with something that exists or is under way
	Mismatch                // an idempotency key was used for something else
	TooLarge                // above the limit
	Unsupported             // a media type that is not accepted
	Busy                    // too many calls; try later
	Unavailable             // the service cannot do it now; try later
)

// Error is a failure that can be shown to the caller. Any other error is Internal.
type Error struct {
	Kind       Kind
	Message    string        // a sentence for the caller
	Fields     []FieldError  // what is wrong with which field, for Invalid
	Items      []ItemError   // the same for an input that is a list
	RetryAfter time.Duration // when trying again may help; 0 if unknown
	Err        error         // the cause, for the log; never shown
}

// FieldError says what is wrong with one field of the input.
type FieldError struct {
	Field   string
	Message string
}

// ItemError says what is wrong with one field of one item of the input.
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

// Errorf returns an error of a kind with a message for the caller.
func Errorf(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// KindOf returns the kind of err, Internal for an error of any other type.
func KindOf(err error) Kind {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e.Kind
	}
	return Internal
}

// Missing returns the error for a thing that does not exist in the account.
func Missing(noun string) *Error { return Errorf(NotFound, "%s not found.", noun) }

// Problems collects what is wrong with an input, so that a caller learns everything
// at once. The zero value is ready to use.
type Problems struct {
	body   error // that the body could not be read; then it is the only problem
	fields []FieldError
}

// Add records a problem with a field.
func (p *Problems) Add(field, format string, args ...any) {
	p.fields = append(p.fields, FieldError{field, fmt.Sprintf(format, args...)})
}

// Under adds the problems of a nested input, with at before its field names. It
// returns an error of any other kind unchanged.
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

// Err returns nil without problems, and otherwise an Invalid error that names them
// all.
func (p *Problems) Err() error {
	if p.body != nil || len(p.fields) == 0 {
		return p.body
	}
	texts := Each(p.fields, func(f FieldError) string { return strings.TrimSpace(f.Field + " " + f.Message) })
	return &Error{Kind: Invalid, Message: strings.Join(texts, "; ") + ".", Fields: p.fields}
}

// Wrong returns the Invalid error for one problem with one field.
func Wrong(field, format string, args ...any) error {
	var p Problems
	p.Add(field, format, args...)
	return p.Err()
}

// IgnoreMissing returns nil instead of an error of the kind NotFound, for work that
// is over when what it is about is gone.
func IgnoreMissing(err error) error {
	if KindOf(err) == NotFound {
		return nil
	}
	return err
}
