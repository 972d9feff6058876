package linear

import (
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/remote"
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

// notNow is remote's message for a call whose outcome is not known.
const notNow = called + " cannot be reached at the moment."

// err returns the error that our callers get for a failure.
func (f failure) err(operation string) error {
	r := &remote.Refusal{Call: operation, Code: f.code(), Detail: f.Message}
	switch r.Code {
	case "authentication error":
		return r.Lost(tracker.ErrLost)
	case "invalid input":
		if strings.HasPrefix(f.Message, missing) {
			return r.Means(desk.NotFound, "There is no such issue in Linear, or this key may not see it.")
		}
		return r.Means(desk.Refused, f.words())
	case "user error", "usage limit exceeded":
		return r.Means(desk.Refused, f.words())
	case "forbidden", "feature not accessible":
		return r.Means(desk.Refused, "Linear does not let Frontdesk do this. Check what the API key allows.")
	case "graphql error":
		return r.Means(desk.Refused, "Linear did not understand Frontdesk.")
	}
	return r.Means(desk.Unavailable, notNow)
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

// notAllowed returns Forbidden if the key lacks a permission.
func notAllowed(err error) error {
	if code := remote.CodeOf(err); code == "forbidden" || code == "feature not accessible" {
		return &desk.Error{Kind: desk.Forbidden, Message: "This API key may not manage webhooks in Linear. It must be an administrator's.", Err: err}
	}
	return err
}
