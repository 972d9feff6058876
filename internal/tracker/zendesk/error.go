package zendesk

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/remote"
	"frontdesk/internal/tracker"
)

// refused reports whether err is a refusal with one of the statuses.
func refused(err error, statuses ...int) bool {
	return slices.ContainsFunc(statuses, func(status int) bool { return remote.CodeOf(err) == strconv.Itoa(status) })
}

// refusalError returns the error that our callers get for a refusal.
func refusalError(status int, r *remote.Refusal) error {
	switch status {
	case http.StatusUnauthorized:
		return r.Lost(tracker.ErrLost)
	case http.StatusNotFound:
		return r.Means(desk.NotFound, "There is no such ticket in Zendesk.")
	case http.StatusForbidden:
		return r.Means(desk.Refused, "Zendesk does not let the agent whose token it is do this.")
	}
	if r.Detail == "" {
		return r.Means(desk.Refused, "Zendesk refused this.")
	}
	return r.Means(desk.Refused, "Zendesk refused this: "+strings.TrimSuffix(r.Detail, ".")+".")
}

// unknownOutcome is the error of a call with an unknown outcome.
func unknownOutcome(r request, err error) error { return remote.Unknown(called, r.name(), err) }

// mostWords bounds how much of Zendesk's message we repeat.
const mostWords = 300

// complaint is the body of an error. The error is a word, or a title with a
// message.
type complaint struct {
	Error       json.RawMessage `json:"error"`
	Description string          `json:"description"`
	Details     map[string][]struct {
		Description string `json:"description"`
	} `json:"details"`
	Errors []struct { // the form of the Webhooks API
		Title  string `json:"title"`
		Detail string `json:"detail"`
	} `json:"errors"`
}

// wordsOf returns the message of an error in one line, or an empty string if we
// understand none.
func wordsOf(answer []byte) string {
	var c complaint
	_ = remote.ReadPatiently(answer, &c) // it may not be JSON
	var words []string
	for _, member := range slices.Sorted(maps.Keys(c.Details)) {
		for _, d := range c.Details[member] {
			words = append(words, d.Description)
		}
	}
	for _, e := range c.Errors {
		words = append(words, e.Title, e.Detail)
	}
	if len(words) == 0 {
		var titled struct{ Title, Message string }
		_ = remote.ReadPatiently(c.Error, &titled)
		words = append(words, c.Description, titled.Message)
	}
	words = slices.DeleteFunc(words, func(s string) bool { return strings.TrimSpace(s) == "" })
	line := []rune(strings.Join(strings.Fields(strings.Join(words, "; ")), " "))
	return string(line[:min(len(line), mostWords)])
}

// fieldsOf returns the fields that an error is about.
func fieldsOf(answer []byte) []string {
	var c complaint
	_ = remote.ReadPatiently(answer, &c)
	return slices.Sorted(maps.Keys(c.Details))
}
