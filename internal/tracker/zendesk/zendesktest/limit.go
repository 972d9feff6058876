package zendesktest

import (
	"net/http"
	"regexp"
	"time"
)

// limit is how often something may be done in a period.
type limit struct {
	name string
	most int
	in   time.Duration
}

var updates = regexp.MustCompile(`^/api/v2/tickets/[0-9]+$`)

// limitsOf returns the limits of a call: the limit of a larger plan for all calls,
// and a separate one for updates.
func limitsOf(r *http.Request) []limit {
	all := []limit{{"calls", 700, time.Minute}}
	if r.Method == http.MethodPut && updates.MatchString(r.URL.Path) {
		all = append(all, limit{"updates", 100, time.Minute}, limit{r.URL.Path, 30, 10 * time.Minute})
	}
	return all
}

// count counts a call, or returns how long until it is allowed. A refused call does
// not count.
func (z *Zendesk) count(r *http.Request) (wait time.Duration) {
	now := z.cfg.Now()
	for _, l := range limitsOf(r) {
		seen := z.counts[l.name]
		for len(seen) > 0 && now.Sub(seen[0]) >= l.in {
			seen = seen[1:]
		}
		z.counts[l.name] = seen
		if len(seen) >= l.most {
			wait = max(wait, seen[0].Add(l.in).Sub(now))
		}
	}
	if wait > 0 {
		return wait
	}
	for _, l := range limitsOf(r) {
		z.counts[l.name] = append(z.counts[l.name], now)
	}
	return 0
}
