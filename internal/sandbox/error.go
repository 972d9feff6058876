package sandbox

import (
	"errors"
	"fmt"
	"strings"
)

// Error is a refusal in Slack's words.
type Error struct {
	// Code is what Slack's reference calls it: channel_not_found.
	Code string
	// Messages say more, where Slack does.
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

// Code is the refusal's code, or empty when err is none.
func Code(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func refuse(code string) error { return &Error{Code: code} }

// invalid is invalid_arguments with what is wrong about them.
func invalid(format string, args ...any) error {
	return &Error{Code: "invalid_arguments", Messages: []string{"[ERROR] " + fmt.Sprintf(format, args...)}}
}
