package linear

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

// failure is one of the errors of an answer.
type failure struct {
	Message    string `json:"message"`
	Extensions struct {
		Code    string `json:"code"` // INPUT_ERROR
		Type    string `json:"type"` // invalid input
		Message string `json:"userPresentableMessage"`
	} `json:"extensions"`
}

// code returns the type of the error in lower case. Some answers have only the type,
// and types have had capitals.
func (f failure) code() string {
	if f.Extensions.Type != "" {
		return strings.ToLower(f.Extensions.Type)
	}
	return codes[f.Extensions.Code]
}

// codes maps error codes to types.
var codes = map[string]string{
	"AUTHENTICATION_ERROR": "authentication error", "RATELIMITED": "ratelimited", "FORBIDDEN": "forbidden", "INPUT_ERROR": "invalid input",
	"FEATURE_NOT_ACCESSIBLE": "feature not accessible", "USER_ERROR": "user error", "USAGE_LIMIT_EXCEEDED": "usage limit exceeded",
	"LOCK_TIMEOUT": "lock timeout", "INTERNAL_SERVER_ERROR": "internal error", "GRAPHQL_VALIDATION_FAILED": "graphql error",
	"GRAPHQL_PARSE_FAILED": "graphql error", "BAD_USER_INPUT": "graphql error",
}

// limited reports whether Linear only asks us to wait.
func (f failure) limited() bool {
	return f.Extensions.Code == "RATELIMITED" || f.code() == "ratelimited"
}

// missing is how Linear's message begins if there is no such thing.
const missing = "Entity not found"

// err returns the error that our callers get for a failure.
func (f failure) err(operation string) error {
	cause := &refusal{operation: operation, code: f.code(), message: f.Message}
	switch cause.code {
	case "authentication error":
		return lost(cause)
	case "invalid input":
		if strings.HasPrefix(f.Message, missing) {
			return &desk.Error{Kind: desk.NotFound, Message: "There is no such issue in Linear, or this key may not see it.", Err: cause}
		}
		return &desk.Error{Kind: desk.Refused, Message: f.words(), Err: cause}
	case "user error", "usage limit exceeded":
		return &desk.Error{Kind: desk.Refused, Message: f.words(), Err: cause}
	case "forbidden", "feature not accessible":
		return &desk.Error{Kind: desk.Refused, Message: "Linear does not let Frontdesk do this. Check what the API key allows.", Err: cause}
	case "graphql error":
		return &desk.Error{Kind: desk.Refused, Message: "Linear did not understand Frontdesk.", Err: cause}
	}
	return &desk.Error{Kind: desk.Unavailable, Message: notNow, Err: cause}
}

// mostWords bounds how much of Linear's message we pass on to people.
const mostWords = 200

// words returns Linear's message for people.
func (f failure) words() string {
	words := strings.TrimRight(strings.Join(strings.Fields(f.Extensions.Message), " "), ".")
	if words == "" || len(words) > mostWords {
		return "Linear refused this."
	}
	return "Linear refused this: " + words + "."
}

// refusal is an error that Linear returned, for the log.
type refusal struct{ operation, code, message string }

func (r *refusal) Error() string {
	return fmt.Sprintf("%s: %s (%s)", r.operation, r.code, r.message)
}

// codeOf returns the code of a refusal, or an empty string if err is not one.
func codeOf(err error) string {
	if r := (*refusal)(nil); errors.As(err, &r) {
		return r.code
	}
	return ""
}

// notAllowed returns Forbidden if the key lacks a permission.
func notAllowed(err error) error {
	if code := codeOf(err); code == "forbidden" || code == "feature not accessible" {
		return &desk.Error{Kind: desk.Forbidden, Message: "This API key may not manage webhooks in Linear. It must be an administrator's.", Err: err}
	}
	return err
}

func lost(err error) error { return fmt.Errorf("%w (%w)", tracker.ErrLost, err) }

const notNow = "Linear cannot be reached at the moment."

// unknownOutcome is the error of a call with an unknown outcome.
func unknownOutcome(operation string, err error) error {
	if e := (*url.Error)(nil); errors.As(err, &e) {
		err = e.Err
	}
	message := notNow
	if errors.Is(err, context.DeadlineExceeded) {
		message = "Linear did not answer in time."
	}
	return &desk.Error{Kind: desk.Unavailable, Message: message, Err: fmt.Errorf("%s: %w", operation, err)}
}

// busyError is the error of a call that would have to wait too long.
func busyError(wait time.Duration) error {
	return &desk.Error{Kind: desk.Busy, Message: "Linear allows no more calls at the moment.", RetryAfter: wait}
}
