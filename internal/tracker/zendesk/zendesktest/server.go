package zendesktest

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// mostBody bounds how much of a call is read.
const mostBody = 4 << 20

// object is a JSON object for an answer.
type object = map[string]any

// call is a call of the API.
type call struct {
	r     *http.Request
	body  []byte
	query url.Values
}

// reply is the answer to a call. A nil body means none.
type reply struct {
	status int
	body   any
}

func refused(r reply) *reply { return &r }

// table returns the routes of the API that are implemented here.
func (z *Zendesk) table() *http.ServeMux {
	mux := http.NewServeMux()
	for pattern, fn := range map[string]func(*call) reply{
		"GET /api/v2/users/me":              z.showMe,
		"GET /api/v2/users/{id}":            z.showUser,
		"GET /api/v2/users/show_many":       z.showUsers,
		"GET /api/v2/tickets/{id}":          z.ofTicket(z.showTicket),
		"PUT /api/v2/tickets/{id}":          z.ofTicket(z.updateTicket),
		"GET /api/v2/tickets/{id}/comments": z.ofTicket(z.listComments),
		"GET /api/v2/tickets/{id}/audits":   z.ofTicket(z.listAudits),

		"GET /api/v2/webhooks":                     z.admin(z.listWebhooks),
		"POST /api/v2/webhooks":                    z.admin(z.createWebhook),
		"GET /api/v2/webhooks/{id}":                z.admin(z.ofWebhook(z.showWebhook)),
		"DELETE /api/v2/webhooks/{id}":             z.admin(z.ofWebhook(z.deleteWebhook)),
		"GET /api/v2/webhooks/{id}/signing_secret": z.admin(z.ofWebhook(z.showSecret)),
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { z.handle(w, r, fn) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { write(w, noEndpoint) })
	return mux
}

// ServeHTTP answers a call of the API, unless a fault applies.
func (z *Zendesk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Every address also works with this ending.
	r.URL.Path = strings.TrimSuffix(r.URL.Path, ".json")
	fault, wait := z.arrived(r)
	switch {
	case fault != nil && !fault.After:
		io.Copy(io.Discard, r.Body)
		fault.answer(w)
		return
	case wait > 0:
		tooMany(w, wait)
		return
	case fault != nil:
		z.routes.ServeHTTP(&lost{header: http.Header{}}, r)
		fault.answer(w)
		return
	}
	z.routes.ServeHTTP(w, r)
}

// lost is a ResponseWriter for an answer that nobody gets.
type lost struct{ header http.Header }

func (l *lost) Header() http.Header         { return l.header }
func (l *lost) Write(b []byte) (int, error) { return len(b), nil }
func (l *lost) WriteHeader(int)             {}

// handle parses a call and answers it, one at a time.
func (z *Zendesk) handle(w http.ResponseWriter, r *http.Request, fn func(*call) reply) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody))
	if err != nil {
		write(w, unparsed)
		return
	}
	c := &call{r: r, body: body, query: r.URL.Query()}
	z.mu.Lock()
	defer z.mu.Unlock()
	switch {
	case r.Header.Get("Authorization") == "" && r.URL.Path == "/api/v2/users/me":
		write(w, reply{http.StatusOK, object{"user": nobody}})
	case !z.known(r):
		write(w, unauthenticated)
	default:
		write(w, fn(c))
	}
}

// known reports whether a call was made with the token.
func (z *Zendesk) known(r *http.Request) bool {
	user, password, ok := r.BasicAuth()
	return ok && z.token != "" && user == z.me.Email+"/token" && password == z.token
}

// admin wraps a call that only an administrator may make.
func (z *Zendesk) admin(fn func(*call) reply) func(*call) reply {
	return func(c *call) reply {
		if z.me.Role != "admin" {
			return forbidden
		}
		return fn(c)
	}
}

// ofTicket wraps a call about the ticket that the path names.
func (z *Zendesk) ofTicket(fn func(*call, *ticket) reply) func(*call) reply {
	return func(c *call) reply {
		if t := z.ticket(c.number("id")); t != nil {
			return fn(c, t)
		}
		return notFound
	}
}

func write(w http.ResponseWriter, r reply) {
	if r.body == nil {
		w.WriteHeader(r.status)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(r.status)
	json.NewEncoder(w).Encode(r.body)
}

// read decodes the body of a call, or returns the error to answer with.
func (c *call) read(into any) *reply {
	kind, _, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return refused(notJSON)
	}
	if !json.Valid(c.body) {
		return refused(unparsed)
	}
	if err := json.Unmarshal(c.body, into); err != nil {
		return refused(invalidAttribute("body", err.Error()))
	}
	return nil
}

// number returns a part of the path as a number, or 0 if it is not one.
func (c *call) number(name string) int64 {
	n, err := strconv.ParseInt(c.r.PathValue(name), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// includes reports whether the call asks for a side-load.
func (c *call) includes(name string) bool {
	return slices.Contains(strings.Split(c.query.Get("include"), ","), name)
}

// origin returns the address of the account as the caller uses it.
func (c *call) origin() string {
	if c.r.TLS != nil {
		return "https://" + c.r.Host
	}
	return "http://" + c.r.Host
}
