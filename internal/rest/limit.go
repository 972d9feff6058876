package rest

import (
	"math"
	"net/http"
	"strconv"

	"frontdesk/internal/desk"
	"frontdesk/internal/limit"
	"frontdesk/internal/service"
)

// limits counts the calls of each member, in this process. All tokens of a member
// count together, or each new token would be a new allowance. Calls from their
// browsers are counted separately, so that a busy program does not lock its owner
// out of the web app.
type limits struct{ buckets *limit.Buckets[counted] }

type counted struct {
	member  desk.MemberID
	session bool
}

// newLimits allows perMinute calls a minute. 0 turns the limit off.
func newLimits(perMinute, burst int) limits { return limits{limit.New[counted](perMinute, burst)} }

// take counts a call and sets the RateLimit headers. Past the limit it returns
// Busy.
func (l limits) take(c service.Caller, h http.Header) error {
	if l.buckets.Off() {
		return nil
	}
	left, wait := l.buckets.Take(counted{c.Actor.ID, c.Session})
	h.Set("RateLimit-Limit", strconv.Itoa(l.buckets.Burst()))
	h.Set("RateLimit-Remaining", strconv.Itoa(int(left)))
	h.Set("RateLimit-Reset", strconv.Itoa(int(math.Ceil(l.buckets.Refill(left).Seconds()))))
	if wait == 0 {
		return nil
	}
	return &desk.Error{Kind: desk.Busy, RetryAfter: wait,
		Message: "Too many calls. All tokens of a member share one limit. Wait as long as Retry-After says, and slow down."}
}
