package lineartest

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

const (
	// mostComplex is what a single query may cost.
	mostComplex = 10000
	// complexityPerHour is what all of somebody's may.
	complexityPerHour = 3000000
	// atOnce is how many of a connection are counted that says no number.
	atOnce = 50
)

// key is a personal API key.
type key struct {
	user    *user
	revoked bool
}

// quota is what somebody may still do, with all of their keys.
type quota struct{ requests, complexity bucket }

func (s *Server) newQuota() quota {
	now, most := s.now(), float64(s.cfg.RequestsPerHour)
	return quota{bucket{most, most, now}, bucket{complexityPerHour, complexityPerHour, now}}
}

// bucket is what is left of a limit. It fills again at a constant rate.
type bucket struct {
	limit, left float64 // in an hour
	at          time.Time
}

func (b *bucket) fill(now time.Time) {
	b.left = math.Min(b.limit, b.left+b.limit*now.Sub(b.at).Hours())
	b.at = now
}

// full is when the bucket is full again.
func (b *bucket) full() time.Time {
	return b.at.Add(time.Duration((b.limit - b.left) / b.limit * float64(time.Hour)))
}

// tell writes the headers of a limit.
func (b *bucket) tell(h http.Header, name string) {
	h.Set("X-RateLimit-"+name+"-Limit", strconv.FormatFloat(b.limit, 'f', 0, 64))
	h.Set("X-RateLimit-"+name+"-Remaining", strconv.FormatFloat(math.Max(0, math.Floor(b.left)), 'f', 0, 64))
	h.Set("X-RateLimit-"+name+"-Reset", strconv.FormatInt(b.full().UnixMilli(), 10))
}

// spend takes the cost of a call off somebody's limits, and tells them. It reports
// whether there was enough.
func (s *Server) spend(h http.Header, who *user, cost int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, q := s.now(), &who.quota
	q.requests.fill(now)
	q.complexity.fill(now)
	enough := q.requests.left >= 1 && q.complexity.left >= float64(cost)
	if enough {
		q.requests.left--
		q.complexity.left -= float64(cost)
	}
	q.tell(h)
	h.Set("X-Complexity", strconv.Itoa(cost))
	return enough
}

func (q *quota) tell(h http.Header) {
	q.requests.tell(h, "Requests")
	q.complexity.tell(h, "Complexity")
}

// authenticate is the key that a request comes with.
func (s *Server) authenticate(r *http.Request) (*key, *trouble) {
	secret := r.Header.Get("Authorization")
	s.mu.Lock()
	defer s.mu.Unlock()
	if token, is := strings.CutPrefix(secret, "Bearer "); is && s.keys[token] != nil {
		return nil, keyAsBearer
	}
	k := s.keys[secret]
	if k == nil || k.revoked {
		return nil, notAuthenticated
	}
	return k, nil
}

// complexity is what a query costs: a tenth for a property, one for an object,
// and of a connection as many as it may give.
func complexity(op *ast.OperationDefinition, variables map[string]any) int {
	var cost func(set ast.SelectionSet) (tenths int)
	cost = func(set ast.SelectionSet) (sum int) {
		for _, s := range set {
			switch s := s.(type) {
			case *ast.InlineFragment:
				sum += cost(s.SelectionSet)
			case *ast.FragmentSpread:
				sum += cost(s.Definition.SelectionSet)
			case *ast.Field:
				switch {
				case len(s.SelectionSet) == 0:
					sum++
				case strings.HasSuffix(s.Definition.Type.Name(), "Connection"):
					sum += wantedOf(s.ArgumentMap(variables)) * cost(s.SelectionSet)
				default:
					sum += 10 + cost(s.SelectionSet)
				}
			}
		}
		return sum
	}
	return (cost(op.SelectionSet) + 9) / 10 // rounded up
}

// wantedOf is how many of a connection a query asks for.
func wantedOf(args map[string]any) int {
	for _, name := range []string{"first", "last"} {
		if n, given := number(args[name]); given {
			return n
		}
	}
	return atOnce
}
