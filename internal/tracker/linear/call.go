package linear

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"frontdesk/internal/remote"
	"frontdesk/internal/tracker"
)

// callTime is how long a call may take once it is sent.
const callTime = 10 * time.Second

// perKey is how many calls the keys of one person may make. Linear's bucket also
// refills steadily.
var perKey = remote.Limit{Calls: 2500, Per: time.Hour, Burst: 100}

// answer is the common part of every answer. It has data or errors. If it has both,
// some of the operation was not done.
type answer struct {
	Data   json.RawMessage `json:"data"`
	Errors []failure       `json:"errors"`
}

// object is a JSON object for a request.
type object = map[string]any

// call runs an operation and decodes the result into out. It waits for its turn,
// and waits and retries while Linear asks for a pause, within ctx. Other keys of the
// same person show only in those pauses.
func (w *workspace) call(ctx context.Context, operation, query string, variables object, out any) error {
	body := object{"operationName": operation, "query": query}
	if variables != nil {
		body["variables"] = variables
	}
	return w.linear.remote.Do(ctx, remote.Call{
		Name: operation, Queues: []remote.Queue{{Name: w.token, Limit: perKey}}, URL: w.linear.cfg.API, Body: body,
		Authorization: w.token, // a personal key has no prefix
	}, func(got remote.Answer) error { return read(operation, got, out) })
}

// read decodes an answer. Errors are in the body whatever the status is: some
// refusals come with 200, some with 400. The status counts only if the body has
// none.
func read(operation string, got remote.Answer, out any) error {
	var told answer
	bad := remote.ReadJSON(got.Body, &told)
	switch {
	case bad == nil && len(told.Errors) > 0 && !told.Errors[0].limited():
		return told.Errors[0].err(operation)
	case bad == nil && len(told.Errors) > 0, got.Status == http.StatusTooManyRequests:
		return &remote.Pause{For: pauseOf(got.Header, time.Now())}
	case got.Status == http.StatusUnauthorized:
		return (&remote.Refusal{Call: operation, Code: "it answered 401"}).Lost(tracker.ErrLost)
	}
	if err := got.Err(); err != nil {
		return err
	}
	if bad != nil {
		return got.Unknown(fmt.Errorf("the answer is no JSON: %w", bad))
	}
	if len(told.Data) == 0 || string(told.Data) == "null" {
		return got.Unknown(errors.New("the answer makes no sense"))
	}
	if err := remote.ReadJSON(told.Data, out); err != nil {
		return got.Unknown(err)
	}
	return nil
}

// budgets are the limits that Linear counts, each with its own headers.
var budgets = []string{"X-RateLimit-Requests-", "X-RateLimit-Complexity-", "X-RateLimit-Endpoint-Requests-"}

// pauseOf returns how long Linear asks us to wait: until every budget that is used
// up has refilled. It returns 0 if Linear does not say.
func pauseOf(h http.Header, now time.Time) time.Duration {
	pause := remote.RetryAfter(h)
	if pause > 0 {
		return pause
	}
	for _, b := range budgets {
		left, err := strconv.Atoi(h.Get(b + "Remaining"))
		if err != nil || left > 0 {
			continue
		}
		if ms, err := strconv.ParseInt(h.Get(b+"Reset"), 10, 64); err == nil {
			pause = max(pause, time.UnixMilli(ms).Sub(now))
		}
	}
	return pause
}
