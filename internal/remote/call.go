package remote

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"frontdesk/internal/outbound"
)

const (
	// MostAnswer bounds the bytes read of an answer.
	MostAnswer = 32 << 20
	// SomePause is the pause if a system asks for one without saying how long.
	SomePause = 10 * time.Second
	// LongestPause is the longest pause that we accept.
	LongestPause = time.Hour
)

// Call is one call.
type Call struct {
	// Name is the call's name in errors and logs. It must not contain a secret, or
	// what people have said.
	Name string
	// Place is the workspace or account that is called, for logs.
	Place string
	// Queues are the queues that the call waits in.
	Queues []Queue

	Method        string // Defaults to POST.
	URL           string
	Authorization string // the header, if the system asks for one
	// Body is sent as a form if it is url.Values, and as JSON otherwise. A call with
	// nil has no body.
	Body any
}

// Pause is the error of a call that was not done, because the system asks for a
// pause. It is safe to repeat.
type Pause struct {
	For   time.Duration // 0 if the system does not say
	Queue int           // which of the call's queues has to pause
}

func (p *Pause) Error() string { return fmt.Sprintf("asked for a pause of %v", p.For) }

// Do makes a call, and hands the answer to read. It waits for its turn. If read
// returns a Pause, it waits and calls again, within ctx.
func (s *System) Do(ctx context.Context, c Call, read func(Answer) error) error {
	body, contentType, err := encodeBody(c.Body)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	return s.InTurn(ctx, c, func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, cmp.Or(c.Method, http.MethodPost), c.URL, bytes.NewReader(body))
		if err != nil {
			return Unknown(s.cfg.Name, c.Name, err)
		}
		req.Header.Set("Accept", "application/json")
		if contentType != "" {
			req.Header.Set("Content-Type", contentType)
		}
		if c.Authorization != "" {
			req.Header.Set("Authorization", c.Authorization)
		}
		res, err := s.client.Do(req)
		if err != nil {
			return Unknown(s.cfg.Name, c.Name, err)
		}
		defer res.Body.Close()
		return read(s.readAnswer(c, res))
	})
}

// InTurn is Do for a call that is not made over HTTP. It calls try when it is the
// call's turn, and again after each Pause that try returns.
func (s *System) InTurn(ctx context.Context, c Call, try func(context.Context) error) error {
	for {
		if err := s.pace.wait(ctx, c.Queues); err != nil {
			return err
		}
		err := s.tryOnce(ctx, try)
		asked := (*Pause)(nil)
		if !errors.As(err, &asked) {
			return err
		}
		pause := min(asked.For, LongestPause)
		if pause <= 0 {
			pause = SomePause
		}
		s.cfg.Log.Warn("another system asked for a pause", "system", s.cfg.Name, "call", c.Name, "place", c.Place, "pause", pause)
		s.pace.pause(c.Queues[asked.Queue], pause)
	}
}

func (s *System) tryOnce(ctx context.Context, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.CallTime)
	defer cancel()
	return try(ctx)
}

func encodeBody(body any) (b []byte, contentType string, err error) {
	switch body := body.(type) {
	case nil:
		return nil, "", nil
	case url.Values:
		return []byte(body.Encode()), "application/x-www-form-urlencoded", nil
	}
	b, err = json.Marshal(body)
	return b, "application/json", err
}

// Answer is what a system answered.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte

	system, call string
	broken       error // why the body is not whole
}

func (s *System) readAnswer(c Call, res *http.Response) Answer {
	a := Answer{Status: res.StatusCode, Header: res.Header, system: s.cfg.Name, call: c.Name}
	// One byte more shows whether there is more.
	a.Body, a.broken = io.ReadAll(io.LimitReader(res.Body, MostAnswer+1))
	if len(a.Body) > MostAnswer {
		a.broken = errors.New("the answer is too long")
	}
	return a
}

// RetryAfter returns how long an answer asks us to wait, 0 if it does not say.
func RetryAfter(h http.Header) time.Duration {
	return min(outbound.RetryAfter(h, time.Now()), LongestPause)
}

// Err returns nil for a whole answer with a status of success, and a Pause of the
// first queue for too many calls. After any other answer the outcome is not known.
func (a Answer) Err() error {
	switch {
	case a.Status == http.StatusTooManyRequests:
		return &Pause{For: RetryAfter(a.Header)}
	case a.Status < 200 || a.Status > 299:
		return unavailable(a.system, a.call, fmt.Errorf("it answered %d", a.Status), RetryAfter(a.Header))
	case a.broken != nil:
		return a.Unknown(a.broken)
	}
	return nil
}

// Unknown returns the error for an answer that does not tell what was done.
func (a Answer) Unknown(err error) error { return Unknown(a.system, a.call, err) }

// JSON reads the answer. It returns the error of Err if there is one.
func (a Answer) JSON(into any) error {
	if err := a.Err(); err != nil {
		return err
	}
	if err := ReadJSON(a.Body, into); err != nil {
		return a.Unknown(fmt.Errorf("the answer makes no sense: %w", err))
	}
	return nil
}
