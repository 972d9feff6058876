package slack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// callTime is how long a call may take after it is sent.
	callTime = 10 * time.Second
	// mostAnswer bounds the bytes read of an answer.
	mostAnswer = 32 << 20
	// somePause is the pause if Slack asks for one without saying how long.
	somePause = 5 * time.Second
	// longestPause is the longest pause we accept.
	longestPause = time.Hour
)

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
// its turn, and again whenever Slack asks for a pause, within ctx. A rate-limited
// call was not done, so it is safe to repeat.
func (a *App) call(ctx context.Context, who caller, method string, args url.Values, out any) error {
	lanes := lanesOf(who.workspace, method, args.Get("channel"))
	for {
		if err := a.pace.wait(ctx, lanes); err != nil {
			return err
		}
		pause, err := a.try(ctx, who, method, args, out)
		if pause == 0 {
			return err
		}
		a.cfg.Log.Warn("slack: asked for a pause", "method", method, "workspace", who.workspace, "pause", pause)
		a.pace.pause(lanes[0], pause)
	}
}

// try calls a method once. It returns a pause if Slack asks for one.
func (a *App) try(ctx context.Context, who caller, method string, args url.Values, out any) (pause time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	// Use a form, because every method accepts one. Methods that only read ignore
	// JSON.
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.cfg.API+method, strings.NewReader(args.Encode()))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if who.token != "" {
		req.Header.Set("Authorization", "Bearer "+who.token)
	}
	res, err := a.client.Do(req)
	if err != nil {
		return 0, unknown(method, err)
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusTooManyRequests {
		return pauseOf(res), nil
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, mostAnswer+1))
	switch {
	case err != nil:
		return 0, unknown(method, err)
	case res.StatusCode != http.StatusOK:
		return 0, unknown(method, fmt.Errorf("it answered %d", res.StatusCode))
	case len(body) > mostAnswer:
		return 0, unknown(method, errors.New("the answer is too long"))
	}
	var said answer
	if err := readJSON(body, &said); err != nil {
		return 0, unknown(method, fmt.Errorf("the answer is no JSON: %w", err))
	}
	switch {
	case said.Error == "ratelimited" || said.Error == "rate_limited":
		return pauseOf(res), nil
	case !said.OK && said.Error == "":
		return 0, unknown(method, errors.New("the answer makes no sense"))
	case !said.OK:
		detail := strings.Join(said.Metadata.Messages, "; ")
		if said.Needed != "" {
			detail = "needs " + said.Needed
		}
		return 0, who.failure(&refusal{method: method, code: said.Error, detail: detail})
	}
	return 0, readJSON(body, out)
}

// pauseOf returns how long Slack asks us to wait.
func pauseOf(res *http.Response) time.Duration {
	seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
	if err != nil || seconds < 1 {
		return somePause
	}
	return min(time.Duration(seconds)*time.Second, longestPause)
}
