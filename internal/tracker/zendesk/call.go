package zendesk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"frontdesk/internal/desk"
)

const (
	// callTime is how long a call may take once it is sent.
	callTime = 20 * time.Second
	// mostAnswer bounds how much of an answer is read.
	mostAnswer = 32 << 20
	// somePause is the pause if Zendesk asks for one without a duration.
	somePause = 10 * time.Second
	// longestPause is the longest pause that we accept.
	longestPause = time.Hour
)

// request is a call of the API.
type request struct {
	method string
	path   string // below /api/v2/
	query  url.Values
	body   any // encoded as JSON; nil for none
}

// name returns the name for logs. It leaves out the query, which may contain what
// people have said.
func (r request) name() string { return r.method + " " + r.path }

func get(path string, query url.Values) request {
	return request{method: http.MethodGet, path: path, query: query}
}

// call makes a call and decodes the answer into out, which may be nil. It waits for
// its turn, and waits and retries while Zendesk asks for a pause, within ctx. A
// call that exceeded a rate limit was not done.
func (p *place) call(ctx context.Context, r request, out any) error {
	if p.address == "" {
		return desk.Errorf(desk.Refused, "There is no such Zendesk: the domain is not one.")
	}
	var body []byte
	if r.body != nil {
		var err error
		if body, err = json.Marshal(r.body); err != nil {
			return fmt.Errorf("%s: %w", r.name(), err)
		}
	}
	for {
		if err := p.pace.wait(ctx, r.name()); err != nil {
			return err
		}
		pause, of, err := p.try(ctx, r, body, out)
		if pause == 0 {
			return err
		}
		p.app.cfg.Log.Warn("zendesk: asked for a pause", "call", r.name(), "domain", p.who.Domain, "pause", pause, "all", of == everything)
		p.pace.pause(of, pause)
	}
}

// try makes a call once, or returns how long Zendesk asks us to wait, and for which
// calls.
func (p *place) try(ctx context.Context, r request, body []byte, out any) (pause time.Duration, of string, err error) {
	ctx, cancel := context.WithTimeout(ctx, p.app.callTime)
	defer cancel()
	address := p.address + "/api/v2/" + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(body))
	if err != nil {
		return 0, "", fmt.Errorf("%s: %w", r.name(), err)
	}
	req.SetBasicAuth(p.who.Email+"/token", p.who.Token)
	req.Header.Set("Accept", "application/json")
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := p.app.client.Do(req)
	if err != nil {
		return 0, "", unknownOutcome(r, 0, err)
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusTooManyRequests {
		return pauseOf(res, somePause), limitedCalls(r, res), nil
	}
	answer, err := io.ReadAll(io.LimitReader(res.Body, mostAnswer+1))
	switch {
	// The status of a refusal is enough.
	case res.StatusCode >= 400 && res.StatusCode < 500 && res.StatusCode != http.StatusConflict && res.StatusCode != http.StatusRequestTimeout:
		return 0, "", refusalError(&refusal{call: r.name(), status: res.StatusCode, words: wordsOf(answer), about: aboutOf(answer)})
	case res.StatusCode < 200 || res.StatusCode > 299:
		// Nothing was done after a conflict, but knowing that does not help,
		// because a repeated call checks first.
		return 0, "", unknownOutcome(r, pauseOf(res, 0), fmt.Errorf("it answered %d", res.StatusCode))
	case err != nil:
		return 0, "", unknownOutcome(r, 0, err)
	case len(answer) > mostAnswer:
		return 0, "", unknownOutcome(r, 0, errors.New("the answer is too long"))
	case out == nil:
		return 0, "", nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return 0, "", unknownOutcome(r, 0, fmt.Errorf("the answer makes no sense: %w", err))
	}
	return 0, "", nil
}

// limitedCalls returns which calls a rate limit applies to. There are limits for an
// account, and narrower ones: a ticket may be changed thirty times in ten minutes,
// and all tickets together a hundred times a minute. If the account has calls left,
// a narrower limit was reached. Zendesk does not say which, so each ticket has its
// own pause.
func limitedCalls(r request, res *http.Response) string {
	if left, err := strconv.Atoi(res.Header.Get("X-Rate-Limit-Remaining")); err == nil && left > 0 {
		return r.name()
	}
	return everything
}

// pauseOf returns how long Zendesk asks us to wait.
func pauseOf(res *http.Response, otherwise time.Duration) time.Duration {
	seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
	if err != nil || seconds < 1 {
		return otherwise
	}
	return min(time.Duration(seconds)*time.Second, longestPause)
}
