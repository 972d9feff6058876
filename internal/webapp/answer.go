package webapp

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"mime"
	"net/http"
	"strconv"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/limit"
	"frontdesk/internal/service"
)

const (
	// mostBody is the largest body, and bodyTime is how long a body may take to
	// arrive.
	mostBody = 16 << 10
	bodyTime = 10 * time.Second
)

// problem is the body of an error, in the same form as in the API.
type problem struct {
	Message string         `json:"message"`
	Error   string         `json:"error"`
	Errors  []fieldProblem `json:"errors,omitempty"`
}

type fieldProblem struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

var statuses = map[desk.Kind]struct {
	status int
	code   string
}{
	desk.Invalid:     {http.StatusBadRequest, "BAD_REQUEST"},
	desk.Forbidden:   {http.StatusForbidden, "FORBIDDEN"},
	desk.NotFound:    {http.StatusNotFound, "NOT_FOUND"},
	desk.Conflict:    {http.StatusConflict, "CONFLICT"},
	desk.TooLarge:    {http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE"},
	desk.Unsupported: {http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE"},
	desk.Busy:        {http.StatusTooManyRequests, "RATE_LIMITED"},
	desk.Unavailable: {http.StatusServiceUnavailable, "UNAVAILABLE"},
}

// answer writes the result of a call: 204 if it is nil, otherwise JSON.
func (s *server) answer(do func(http.ResponseWriter, *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		result, err := do(w, r)
		switch {
		case err != nil:
			s.fail(w, r, err)
		case result == nil:
			w.WriteHeader(http.StatusNoContent)
		default:
			writeJSON(w, http.StatusOK, result)
		}
	}
}

func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	var e *desk.Error
	how, known := statuses[desk.KindOf(err)]
	if !errors.As(err, &e) || !known {
		if r.Context().Err() == nil {
			s.log.ErrorContext(r.Context(), "call failed", "method", r.Method, "path", r.URL.Path, "error", err)
		}
		how.status, how.code = http.StatusInternalServerError, "INTERNAL"
		e = desk.Errorf(desk.Internal, "Something went wrong on our side.")
	}
	if errors.Is(err, service.ErrSignIn) {
		how.status, how.code = http.StatusUnauthorized, "UNAUTHORIZED"
	}
	// A failed sign-in gets its own log line.
	if how.status == http.StatusForbidden || how.status == http.StatusTooManyRequests {
		s.refused.Info(r.Context(), service.Network(limit.ClientIP(r)), "a call was refused", "status", how.status, "why", limit.Short(e.Message),
			"method", limit.Short(r.Method), "path", limit.Short(r.URL.Path), "ip", limit.ClientIP(r))
	}
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
	p := problem{Message: e.Message, Error: how.code}
	for _, f := range e.Fields {
		p.Errors = append(p.Errors, fieldProblem(f))
	}
	writeJSON(w, how.status, p)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // fails only if the client has gone away
}

// read reads a JSON body. It requires the JSON content type, because a form of
// another site can send other types without asking the browser.
func read(w http.ResponseWriter, r *http.Request, into any) error {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return desk.Errorf(desk.Unsupported, "The body must be JSON. Send it with Content-Type: application/json.")
	}
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(bodyTime)) // fails only without a connection
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return desk.Errorf(desk.TooLarge, "The body is larger than 16 KiB.")
	}
	if err != nil {
		return desk.Errorf(desk.Invalid, "The body did not arrive, or not in time.")
	}
	_ = connection.SetReadDeadline(time.Time{})
	if err := json.Unmarshal(raw, into); err != nil {
		return desk.Errorf(desk.Invalid, "The body must be a JSON object with the members that this call has.")
	}
	return nil
}
