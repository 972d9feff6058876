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
	// mostComplex is the highest complexity of a single query.
	mostComplex = 10000
	// complexityPerHour is the limit for all queries of one person.
	complexityPerHour = 3000000
	// atOnce is how many nodes of a connection are counted if the query sets no
	// number.
	atOnce = 50
)

// key is a personal API key.
type key struct {
	user    *user
	revoked bool
}

// quota is what is left of a person's limits, for all of their keys together.
type quota struct{ requests, complexity bucket }

func (s *Server) newQuota() quota {
	now, most := s.now(), float64(s.cfg.RequestsPerHour)
	return quota{bucket{most, most, now}, bucket{complexityPerHour, complexityPerHour, now}}
}

// bucket is what is left of a limit. It refills at a constant rate.
type bucket struct {
	limit, left float64 // per hour
	at          time.Time
}

func (b *bucket) fill(now time.Time) {
	b.left = math.Min(b.limit, b.left+b.limit*now.Sub(b.at).Hours())
	b.at = now
}

// full returns when the bucket is full again.
func (b *bucket) full() time.Time {
	return b.at.Add(time.Duration((b.limit - b.left) / b.limit * float64(time.Hour)))
}

// tell writes the headers of a limit.
func (b *bucket) tell(h http.Header, name string) {
	h.Set("X-RateLimit-"+name+"-Limit", strconv.FormatFloat(b.limit, 'f', 0, 64))
	h.Set("X-RateLimit-"+name+"-Remaining", strconv.FormatFloat(math.Max(0, math.Floor(b.left)), 'f', 0, 64))
	h.Set("X-RateLimit-"+name+"-Reset", strconv.FormatInt(b.full().UnixMilli(), 10))
}

// spend takes the cost of a call off a person's limits and writes the headers. It
// reports whether there was enough.
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

// authenticate returns the key of a request.
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

// complexity returns the cost of a query: a tenth for a property, one for an
// object, and a connection counts once for each node that it may return.
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

// wantedOf returns how many nodes of a connection a query asks for.
func wantedOf(args map[string]any) int {
	for _, name := range []string{"first", "last"} {
		if n, given := number(args[name]); given {
			return n
		}
	}
	return atOnce
}
