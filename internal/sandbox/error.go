package sandbox

import (
	"errors"
	"fmt"
	"strings"
)

// Error is a refusal in Slack's words.
type Error struct {
	// Code is the code in Slack's reference: channel_not_found.
	Code string
	// Messages give details, if Slack does.
	Messages []string
	// Needed and Provided are the scopes of a missing_scope.
	Needed, Provided string
}

func (e *Error) Error() string {
	if len(e.Messages) > 0 {
		return e.Code + ": " + strings.Join(e.Messages, "; ")
	}
	if e.Needed != "" {
		return fmt.Sprintf("%s: needs %s, has %s", e.Code, e.Needed, e.Provided)
	}
	return e.Code
}

// Code returns the refusal's code, or empty for any other error.
func Code(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func refuse(code string) error { return &Error{Code: code} }

// invalid returns invalid_arguments with the reason.
func invalid(format string, args ...any) error {
	return &Error{Code: "invalid_arguments", Messages: []string{"[ERROR] " + fmt.Sprintf(format, args...)}}
}
