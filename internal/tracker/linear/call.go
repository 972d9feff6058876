package linear

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

const (
	// callTime is how long a call may take once it is sent.
	callTime = 10 * time.Second
	// mostAnswer bounds how much of an answer is read.
	mostAnswer = 16 << 20
	// somePause is the pause if Linear asks for one without a duration.
	somePause = 10 * time.Second
	// longestPause is the longest pause that we accept.
	longestPause = time.Hour
)

// answer is the common part of every answer. It has data or errors. If it has both,
// some of the operation was not done.
type answer struct {
	Data   json.RawMessage `json:"data"`
	Errors []failure       `json:"errors"`
}

// object is a JSON object for a request.
type object = map[string]any

// call runs an operation and decodes the result into out. It waits for its turn,
// and waits and retries while Linear asks for a pause, within ctx. An operation
// that exceeded a rate limit was not done.
func (w *workspace) call(ctx context.Context, operation, query string, variables object, out any) error {
	for {
		if err := w.linear.pace.wait(ctx, w.token); err != nil {
			return err
		}
		pause, err := w.try(ctx, operation, query, variables, out)
		if pause == 0 {
			return err
		}
		w.linear.cfg.Log.Warn("linear: asked for a pause", "operation", operation, "pause", pause)
		w.linear.pace.pause(w.token, pause)
	}
}

// try runs an operation once, or returns how long Linear asks us to wait.
func (w *workspace) try(ctx context.Context, operation, query string, variables object, out any) (pause time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	body := object{"operationName": operation, "query": query}
	if variables != nil {
		body["variables"] = variables
	}
	b, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.linear.cfg.API, bytes.NewReader(b))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", w.token) // a personal key has no prefix
	res, err := w.linear.client.Do(req)
	if err != nil {
		return 0, unknownOutcome(operation, err)
	}
	defer res.Body.Close()
	if b, err = io.ReadAll(io.LimitReader(res.Body, mostAnswer+1)); err != nil {
		return 0, unknownOutcome(operation, err)
	}
	if len(b) > mostAnswer {
		return 0, unknownOutcome(operation, errors.New("the answer is too long"))
	}
	return read(operation, res, b, out)
}

// read decodes an answer. Errors are in the body whatever the status is: some
// refusals come with 200, some with 400. The status counts only if the body has
// none.
func read(operation string, res *http.Response, body []byte, out any) (pause time.Duration, err error) {
	var told answer
	bad := readJSON(body, &told)
	switch {
	case bad == nil && len(told.Errors) > 0:
		f := told.Errors[0]
		if f.limited() {
			return pauseOf(res, time.Now()), nil
		}
		return 0, f.err(operation)
	case res.StatusCode == http.StatusTooManyRequests:
		return pauseOf(res, time.Now()), nil
	case res.StatusCode == http.StatusUnauthorized:
		return 0, lost(errors.New(operation + ": it answered 401"))
	case res.StatusCode != http.StatusOK:
		return 0, unknownOutcome(operation, fmt.Errorf("it answered %d", res.StatusCode))
	case bad != nil:
		return 0, unknownOutcome(operation, fmt.Errorf("the answer is no JSON: %w", bad))
	case len(told.Data) == 0 || string(told.Data) == "null":
		return 0, unknownOutcome(operation, errors.New("the answer makes no sense"))
	}
	if err := readJSON(told.Data, out); err != nil {
		return 0, unknownOutcome(operation, err)
	}
	return 0, nil
}

// budgets are the limits that Linear counts, each with its own headers.
var budgets = []string{"X-RateLimit-Requests-", "X-RateLimit-Complexity-", "X-RateLimit-Endpoint-Requests-"}

// pauseOf returns how long Linear asks us to wait: until every budget that is used
// up has refilled.
func pauseOf(res *http.Response, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && seconds > 0 {
		return min(time.Duration(seconds)*time.Second, longestPause)
	}
	var pause time.Duration
	for _, b := range budgets {
		left, err := strconv.Atoi(res.Header.Get(b + "Remaining"))
		if err != nil || left > 0 {
			continue
		}
		if ms, err := strconv.ParseInt(res.Header.Get(b+"Reset"), 10, 64); err == nil {
			pause = max(pause, time.UnixMilli(ms).Sub(now))
		}
	}
	if pause <= 0 {
		return somePause
	}
	return min(pause, longestPause)
}
