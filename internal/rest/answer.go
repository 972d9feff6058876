package rest

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/service"
	"frontdesk/internal/wire"
)

// answer is the response to a call. An empty body is sent as no body.
type answer struct {
	desk.Answer
	retryAfter time.Duration
	replayed   bool    // stored by the first call with the same idempotency key
	file       *file   // sent instead of a body
	stream     *stream // sent instead of a body
	export     export  // sent instead of a body; nil for none
}

// export is a file that is written while it is sent. When serve returns an error,
// part of the file has been sent already.
type export interface {
	serve(w http.ResponseWriter, r *http.Request) error
}

// answer converts the result of the route's operation to a response.
func (r route) answer(result any) (answer, error) {
	status := r.status
	if status == 0 {
		status = http.StatusOK
	}
	if f, ok := result.(file); ok {
		return answer{Answer: desk.Answer{Status: status}, file: &f}, nil
	}
	if st, ok := result.(*stream); ok {
		return answer{Answer: desk.Answer{Status: status}, stream: st}, nil
	}
	if x, ok := result.(export); ok {
		return answer{Answer: desk.Answer{Status: status}, export: x}, nil
	}
	if l, ok := result.(service.Linked); ok && l.Existed {
		status = http.StatusOK // where a new one is created
	}
	if made, ok := result.(service.MadeAgentSession); ok && made.Existed {
		status = http.StatusOK // likewise
	}
	if _, ok := result.(desk.WaitingMessage); ok && status == http.StatusCreated {
		status = http.StatusAccepted // where a message that is said at once is created
	}
	body, err := r.encode(result)
	return answer{Answer: desk.Answer{Status: status, Body: body}}, err
}

func (r route) encode(result any) ([]byte, error) {
	switch v := result.(type) {
	case service.None, service.Linked:
		return nil, nil
	case listed:
		return v.encode()
	}
	if r.form != nil {
		return r.form(result)
	}
	return wire.Object(result)
}

func (l listed) encode() ([]byte, error) {
	b := append(make([]byte, 0, 256+1024*l.count), '{', '"')
	b = append(append(b, l.name...), '"', ':')
	var err error
	if items, ok := l.items.(interface {
		AppendJSON(b []byte) ([]byte, error)
	}); ok {
		b, err = items.AppendJSON(b)
	} else {
		b, err = wire.AppendJSON(b, l.items)
	}
	if err != nil {
		return nil, err
	}
	b, err = wire.AppendJSON(append(b, `,"response_metadata":`...), l.metadata())
	return append(b, '}'), err
}

// statuses maps each kind of error to its HTTP status and code.
var statuses = map[desk.Kind]struct {
	status int
	code   string
}{
	desk.Invalid:     {http.StatusBadRequest, "BAD_REQUEST"},
	desk.Forbidden:   {http.StatusForbidden, "FORBIDDEN"},
	desk.NotFound:    {http.StatusNotFound, "NOT_FOUND"},
	desk.Refused:     {http.StatusNotAcceptable, "NOT_ACCEPTABLE"},
	desk.Stale:       {http.StatusConflict, ""}, // the contract gives it a message alone
	desk.Conflict:    {http.StatusConflict, "CONFLICT"},
	desk.Mismatch:    {http.StatusUnprocessableEntity, "UNPROCESSABLE"},
	desk.TooLarge:    {http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE"},
	desk.Unsupported: {http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE"},
	desk.Busy:        {http.StatusTooManyRequests, "RATE_LIMITED"},
	desk.Unavailable: {http.StatusServiceUnavailable, "UNAVAILABLE"},
	desk.Internal:    {http.StatusInternalServerError, "INTERNAL"},
}

// problem is the body of an error response.
type problem struct {
	Message string         `json:"message"`
	Error   string         `json:"error,omitempty"`
	Errors  []fieldProblem `json:"errors,omitempty"`
}

type fieldProblem struct {
	Index   *int   `json:"index,omitempty"` // position of the item if the input is a list
	Field   string `json:"field"`
	Message string `json:"message"`
}

func errorAnswer(err error) answer {
	var e *desk.Error
	known := errors.As(err, &e)
	if known {
		_, known = statuses[e.Kind]
	}
	if !known || e.Kind == desk.Internal {
		e = desk.Errorf(desk.Internal, "Something went wrong on our side. It has been logged under this response's X-Request-Id.")
	}
	how := statuses[e.Kind]
	if e == errMethod {
		how.status, how.code = http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED"
	}
	p := problem{Message: e.Message, Error: how.code}
	for _, f := range e.Fields {
		p.Errors = append(p.Errors, fieldProblem{Field: f.Field, Message: f.Message})
	}
	for _, f := range e.Items {
		p.Errors = append(p.Errors, fieldProblem{&f.Index, f.Field, f.Message})
	}
	body, _ := wire.JSON(p) // cannot fail: only strings
	return answer{Answer: desk.Answer{Status: how.status, Body: body}, retryAfter: e.RetryAfter}
}

func writeAnswer(w http.ResponseWriter, a answer) {
	h := w.Header()
	if a.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(a.retryAfter.Seconds()))))
	}
	if a.replayed {
		h.Set("Idempotent-Replayed", "true")
	}
	if len(a.Body) > 0 {
		h.Set("Content-Type", "application/json")
		h.Set("Content-Length", strconv.Itoa(len(a.Body)))
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // a client that has gone needs no response
}
