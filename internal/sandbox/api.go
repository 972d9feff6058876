package sandbox

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// method is one method of the Web API.
type method struct {
	name   string
	call   func(*call) (object, error)
	find   finder             // for a method that works in the conversation of its argument channel
	does   conversationMethod // what it does there, instead of call
	scopes []string           // any of them is enough to start
	needs  []string           // required arguments
	tier   int                // tier of Slack's rate limits; 0 has none
	get    bool               // may be called with GET
	json   bool               // accepts a JSON body
	write  bool               // changes something
	open   bool               // needs no token
}

// call is one call of a method, inside its transaction.
type call struct {
	*tx
	a        *actor
	args     arguments
	clientID string // with its secret, from HTTP Basic authentication
	secret   string
}

// serveMethod answers a call of the Web API.
func (s *Sandbox) serveMethod(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("method")
	m := methods[name]
	if m == nil {
		s.answer(w, object{"ok": false, "error": "unknown_method", "req_method": name})
		return
	}
	s.faulty(name, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Slack-Req-Id", newHex(16))
		w.Header().Set("X-Accepted-OAuth-Scopes", strings.Join(m.scopes, ","))
		result, wait, err := s.perform(w, r, m)
		switch {
		case wait > 0:
			s.tooFast(w, wait)
		case err != nil:
			s.refusal(w, err)
		default:
			result["ok"] = true
			s.answer(w, result)
		}
	})(w, r)
}

// perform does what a call asks for, or returns how long to wait if it comes too
// fast.
func (s *Sandbox) perform(w http.ResponseWriter, r *http.Request, m *method) (result object, wait time.Duration, err error) {
	if r.Method != http.MethodPost && !(r.Method == http.MethodGet && m.get) {
		return nil, 0, refuse("method_not_supported")
	}
	args, err := readArguments(r, m)
	if err != nil {
		return nil, 0, err
	}
	token := bearerToken(r)
	if token == "" {
		token = args.text("token")
	}
	clientID, secret, _ := r.BasicAuth()
	paced := false
	transaction := s.read
	if m.write {
		transaction = s.write
	}
	err = transaction(r.Context(), func(t *tx) (err error) {
		c := &call{tx: t, args: args, clientID: clientID, secret: secret}
		if !m.open {
			if c.a, err = t.bearer(token); err != nil {
				return err
			}
			w.Header().Set("X-OAuth-Scopes", strings.Join(c.a.Scopes, ","))
			// Only once, although the transaction may run again.
			if !paced {
				paced = true
				wait = s.tooSoon(c, m)
			}
			if wait > 0 {
				return nil
			}
			if err := c.a.need(m.scopes...); err != nil {
				return err
			}
		}
		if err := args.require(m.needs); err != nil {
			return err
		}
		result, err = m.call(c)
		return err
	})
	return result, wait, err
}

func (s *Sandbox) tooSoon(c *call, m *method) time.Duration {
	who := c.a.Team + " " + c.a.App + " " + c.a.User
	if m.name == "chat.postMessage" {
		return s.pacer.post(who, c.args.text("channel"), c.now)
	}
	return s.pacer.call(who, m, c.now)
}

// require refuses a call without a required argument. As with Slack, the method
// itself judges an empty one.
func (a arguments) require(needs []string) error {
	e := &Error{Code: "invalid_arguments"}
	for _, name := range needs {
		if !a.has(name) {
			e.Messages = append(e.Messages, "[ERROR] missing required field: "+name)
		}
	}
	if len(e.Messages) > 0 {
		return e
	}
	return nil
}

// bearerToken returns the token of the Authorization header.
func bearerToken(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

func (s *Sandbox) answer(w http.ResponseWriter, o object) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "private, no-cache, no-store, must-revalidate")
	w.Write(append(encode(o), '\n'))
}

// refusal answers with an error. Slack refuses with status 200.
func (s *Sandbox) refusal(w http.ResponseWriter, err error) {
	var e *Error
	if !errors.As(err, &e) {
		s.broken(w, err)
		return
	}
	o := object{"ok": false, "error": e.Code}
	if len(e.Messages) > 0 {
		o["response_metadata"] = object{"messages": e.Messages}
		errs := make([]string, len(e.Messages))
		for i, m := range e.Messages {
			errs[i] = strings.TrimPrefix(m, "[ERROR] ")
		}
		if e.Code == "invalid_blocks" {
			o["errors"] = errs
		}
	}
	if e.Code == "missing_scope" {
		o["needed"], o["provided"] = e.Needed, e.Provided
	}
	s.answer(w, o)
}

// broken answers with the sandbox's own failure and logs it.
func (s *Sandbox) broken(w http.ResponseWriter, err error) {
	s.cfg.Log.Error("sandbox: a call failed", "error", err)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(http.StatusInternalServerError)
	w.Write([]byte(`{"ok":false,"error":"internal_error"}` + "\n"))
}

func (s *Sandbox) tooFast(w http.ResponseWriter, wait time.Duration) {
	w.Header().Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(wait.Seconds())))))
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(http.StatusTooManyRequests)
	w.Write([]byte(`{"ok":false,"error":"ratelimited"}` + "\n"))
}
