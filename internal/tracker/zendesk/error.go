package zendesk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

// refusal is an error that Zendesk returned. It did nothing then.
type refusal struct {
	call   string
	status int
	words  string   // its message for people
	about  []string // the fields of the ticket that it is about, if it says
}

func (r *refusal) Error() string { return fmt.Sprintf("%s: %d %s", r.call, r.status, r.words) }

// refused returns the refusal in err if it has one of the statuses, or nil.
func refused(err error, statuses ...int) *refusal {
	if r := (*refusal)(nil); errors.As(err, &r) && slices.Contains(statuses, r.status) {
		return r
	}
	return nil
}

// refusalError returns the error that our callers get for a refusal.
func refusalError(r *refusal) error {
	switch r.status {
	case http.StatusUnauthorized:
		return fmt.Errorf("%w (%w)", tracker.ErrLost, r)
	case http.StatusNotFound:
		return &desk.Error{Kind: desk.NotFound, Message: "There is no such ticket in Zendesk.", Err: r}
	case http.StatusForbidden:
		return &desk.Error{Kind: desk.Refused, Message: "Zendesk does not let the agent whose token it is do this.", Err: r}
	}
	message := "Zendesk refused this."
	if r.words != "" {
		message = "Zendesk refused this: " + strings.TrimSuffix(r.words, ".") + "."
	}
	return &desk.Error{Kind: desk.Refused, Message: message, Err: r}
}

// unknownOutcome is the error of a call with an unknown outcome.
func unknownOutcome(r request, pause time.Duration, err error) error {
	if e := (*url.Error)(nil); errors.As(err, &e) {
		err = e.Err
	}
	message := "Zendesk cannot be reached at the moment."
	if errors.Is(err, context.DeadlineExceeded) {
		message = "Zendesk did not answer in time."
	}
	return &desk.Error{Kind: desk.Unavailable, Message: message, RetryAfter: pause, Err: fmt.Errorf("%s: %w", r.name(), err)}
}

// busyError is the error of a call that would have to wait too long.
func busyError(wait time.Duration) error {
	return &desk.Error{Kind: desk.Busy, Message: "Zendesk allows no more calls at the moment.", RetryAfter: wait}
}

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
	// Fields of another type are left out.
	_ = json.Unmarshal(answer, &c)
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
		_ = json.Unmarshal(c.Error, &titled)
		words = append(words, c.Description, titled.Message)
	}
	words = slices.DeleteFunc(words, func(s string) bool { return strings.TrimSpace(s) == "" })
	line := []rune(strings.Join(strings.Fields(clean(strings.Join(words, "; "))), " "))
	return string(line[:min(len(line), mostWords)])
}

// aboutOf returns the fields that an error is about.
func aboutOf(answer []byte) []string {
	var c complaint
	_ = json.Unmarshal(answer, &c)
	return slices.Sorted(maps.Keys(c.Details))
}

// clean removes the one character that PostgreSQL does not accept.
func clean(s string) string { return strings.ReplaceAll(s, "\x00", "") }
