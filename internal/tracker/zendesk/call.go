package zendesk

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/remote"
)

// callTime is how long a call may take once it is sent.
const callTime = 20 * time.Second

// perAccount is half of what Zendesk allows on its Team plan, the smallest that it
// sells. The account's other apps share the limit.
var perAccount = remote.Limit{Calls: 100, Per: time.Minute, Burst: 25}

// The queues of a call, in their order.
const (
	accountQueue = iota // all calls of the account
	callQueue           // the calls with the same name
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
// its turn, and waits and retries while Zendesk asks for a pause, within ctx.
func (p *place) call(ctx context.Context, r request, out any) error {
	if p.address == "" {
		return desk.Errorf(desk.Refused, "There is no such Zendesk: the domain is not one.")
	}
	address := p.address + "/api/v2/" + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	return p.app.remote.Do(ctx, remote.Call{
		Name: r.name(), Place: p.who.Domain, Method: r.method, URL: address, Body: r.body,
		Queues:        []remote.Queue{{Name: p.who.Domain, Limit: perAccount}, {Name: p.who.Domain + " " + r.name()}},
		Authorization: "Basic " + base64.StdEncoding.EncodeToString([]byte(p.who.Email+"/token:"+p.who.Token)),
	}, func(got remote.Answer) error { return r.read(got, out) })
}

// read decodes an answer into out, which may be nil.
func (r request) read(got remote.Answer, out any) error {
	switch {
	case got.Status == http.StatusTooManyRequests:
		return &remote.Pause{For: remote.RetryAfter(got.Header), Queue: limitedQueue(got.Header)}
	// Nothing was done after a conflict, but knowing that does not help, because a
	// repeated call checks first. The status of another refusal is enough.
	case got.Status >= 400 && got.Status < 500 && got.Status != http.StatusConflict && got.Status != http.StatusRequestTimeout:
		return refusalError(got.Status, &remote.Refusal{Call: r.name(), Code: strconv.Itoa(got.Status), Detail: wordsOf(got.Body), Fields: fieldsOf(got.Body)})
	case out == nil:
		return got.Err()
	}
	return got.JSON(out)
}

// limitedQueue returns which calls a rate limit applies to. There are limits for an
// account, and narrower ones: a ticket may be changed thirty times in ten minutes,
// and all tickets together a hundred times a minute. If the account has calls left,
// a narrower limit was reached. Zendesk does not say which, so each ticket has its
// own pause.
func limitedQueue(h http.Header) int {
	if left, err := strconv.Atoi(h.Get("X-Rate-Limit-Remaining")); err == nil && left > 0 {
		return callQueue
	}
	return accountQueue
}
