package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"frontdesk/internal/remote"
)

// callTime is how long a call may take after it is sent.
const callTime = 10 * time.Second

// caller is the identity that calls the Web API.
type caller struct {
	workspace string
	token     string
	person    bool // a person who lets us act as them
}

// answer is what every answer of the Web API has.
type answer struct {
	OK       bool   `json:"ok"`
	Error    string `json:"error"`
	Needed   string `json:"needed"` // a scope
	Metadata struct {
		Messages   []string `json:"messages"`
		NextCursor string   `json:"next_cursor"`
	} `json:"response_metadata"`
}

// call calls a method of the Web API and reads the answer into out. It waits for
// its turn, and again whenever Slack asks for a pause, within ctx.
func (a *App) call(ctx context.Context, who caller, method string, args url.Values, out any) error {
	// Use a form, because every method accepts one. Methods that only read ignore
	// JSON.
	call := remote.Call{Name: method, Place: who.workspace, Queues: queuesOf(who.workspace, method, args.Get("channel")), URL: a.cfg.API + method, Body: args}
	if who.token != "" {
		call.Authorization = "Bearer " + who.token
	}
	return a.remote.Do(ctx, call, func(got remote.Answer) error { return who.read(method, got, out) })
}

// read reads an answer.
func (who caller) read(method string, got remote.Answer, out any) error {
	if err := got.Err(); err != nil {
		return err
	}
	if got.Status != http.StatusOK {
		return got.Unknown(fmt.Errorf("it answered %d", got.Status))
	}
	var said answer
	if err := remote.ReadPatiently(got.Body, &said); err != nil {
		return got.Unknown(fmt.Errorf("the answer is no JSON: %w", err))
	}
	switch {
	case said.Error == "ratelimited" || said.Error == "rate_limited":
		return &remote.Pause{For: remote.RetryAfter(got.Header)}
	case !said.OK && said.Error == "":
		return got.Unknown(errors.New("the answer makes no sense"))
	case !said.OK:
		detail := strings.Join(said.Metadata.Messages, "; ")
		if said.Needed != "" {
			detail = "needs " + said.Needed
		}
		return who.failure(&remote.Refusal{Call: method, Code: said.Error, Detail: detail})
	}
	return remote.ReadPatiently(got.Body, out)
}

// encode returns JSON as an argument of a call.
func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only for a type that JSON cannot represent
	}
	return string(b)
}
