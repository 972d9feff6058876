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

// refusal is what Zendesk said no with. It did nothing then.
type refusal struct {
	call   string
	status int
	words  string   // what it said about it, for people
	about  []string // the members of the ticket that it was about, where it says
}

func (r *refusal) Error() string { return fmt.Sprintf("%s: %d %s", r.call, r.status, r.words) }

// refused is the refusal of a call with one of some statuses, or nil.
func refused(err error, statuses ...int) *refusal {
	if r := (*refusal)(nil); errors.As(err, &r) && slices.Contains(statuses, r.status) {
		return r
	}
	return nil
}

// failure is the error that a refusal is to our callers.
func failure(r *refusal) error {
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

// unknown is the error of a call of which we cannot say what it has done.
func unknown(r request, pause time.Duration, err error) error {
	if e := (*url.Error)(nil); errors.As(err, &e) {
		err = e.Err
	}
	message := "Zendesk cannot be reached at the moment."
	if errors.Is(err, context.DeadlineExceeded) {
		message = "Zendesk did not answer in time."
	}
	return &desk.Error{Kind: desk.Unavailable, Message: message, RetryAfter: pause, Err: fmt.Errorf("%s: %w", r.name(), err)}
}

// busy is the error of a call that would have to wait too long.
func busy(wait time.Duration) error {
	return &desk.Error{Kind: desk.Busy, Message: "Zendesk allows no more calls at the moment.", RetryAfter: wait}
}

// mostWords bounds what is repeated of what Zendesk says.
const mostWords = 300

// complaint is how Zendesk says what was wrong. The error is a word, or a title
// with a message.
type complaint struct {
	Error       json.RawMessage `json:"error"`
	Description string          `json:"description"`
	Details     map[string][]struct {
		Description string `json:"description"`
	} `json:"details"`
	Errors []struct { // as the Webhooks API says it
		Title  string `json:"title"`
		Detail string `json:"detail"`
	} `json:"errors"`
}

// wordsOf is what an answer says was wrong, in a line; empty where it says
// nothing that we understand.
func wordsOf(answer []byte) string {
	var c complaint
	// What is of another type is left out.
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

// aboutOf are the members that an answer complains about.
func aboutOf(answer []byte) []string {
	var c complaint
	_ = json.Unmarshal(answer, &c)
	return slices.Sorted(maps.Keys(c.Details))
}

// clean leaves out the one character that PostgreSQL does not take.
func clean(s string) string { return strings.ReplaceAll(s, "\x00", "") }
