package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"frontdesk/internal/desk"
)

// Unknown returns the error for a call whose outcome is not known: Unavailable. The
// call's name and err are for the log.
func Unknown(system, call string, err error) error { return unavailable(system, call, err, 0) }

func unavailable(system, call string, err error, retryAfter time.Duration) error {
	// An address may be a secret.
	if e := (*url.Error)(nil); errors.As(err, &e) {
		err = e.Err
	}
	message := system + " cannot be reached at the moment."
	if errors.Is(err, context.DeadlineExceeded) {
		message = system + " did not answer in time."
	}
	return &desk.Error{Kind: desk.Unavailable, Message: message, RetryAfter: retryAfter, Err: fmt.Errorf("%s: %w", call, err)}
}

// Busy returns the error for a call that was not done, because it would have to wait
// too long. A wait of zero means that the system does not say how long.
func Busy(system string, wait time.Duration) error {
	return &desk.Error{Kind: desk.Busy, Message: system + " allows no more calls at the moment.", RetryAfter: cmp.Or(wait, SomePause)}
}

// Refusal is an answer in which the system says no. It has then done nothing. The
// connector decides what that means to our callers.
type Refusal struct {
	Call   string
	Code   string   // the system's code: channel_not_found, or a status
	Detail string   // further details, for the log
	Fields []string // what of the call it is about, if the system says
}

func (r *Refusal) Error() string {
	if r.Detail == "" {
		return r.Call + ": " + r.Code
	}
	return fmt.Sprintf("%s: %s (%s)", r.Call, r.Code, r.Detail)
}

// Means returns the refusal as an error of a kind with a message for the caller.
func (r *Refusal) Means(kind desk.Kind, message string) error {
	return &desk.Error{Kind: kind, Message: message, Err: r}
}

// Lost returns the refusal of a credential. lost is the ErrLost of chat or tracker.
func (r *Refusal) Lost(lost error) error { return fmt.Errorf("%w (%w)", lost, r) }

// CodeOf returns the code of a refusal, empty for any other error.
func CodeOf(err error) string {
	if r := (*Refusal)(nil); errors.As(err, &r) {
		return r.Code
	}
	return ""
}
