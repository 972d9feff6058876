package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"sync"
	"time"
)

// FaultKind is a way to misbehave.
type FaultKind string

const (
	// DropAnswer does what was asked and cuts the connection instead of answering.
	DropAnswer FaultKind = "drop_answer"
	// LateAnswer does what was asked and answers after Delay.
	LateAnswer FaultKind = "late_answer"
	// ErrorAnswer does what was asked and answers 500.
	ErrorAnswer FaultKind = "error_answer"
	// RateLimit does nothing and answers 429 with Delay as Retry-After.
	RateLimit FaultKind = "rate_limit"
	// DuplicateEvent sends an event twice, LoseEvent never, DelayEvent after Delay,
	// and ReorderEvent after a random part of Delay, so that others overtake it.
	DuplicateEvent FaultKind = "duplicate_event"
	LoseEvent      FaultKind = "lose_event"
	DelayEvent     FaultKind = "delay_event"
	ReorderEvent   FaultKind = "reorder_event"
	// Down cuts every connection and sends no events, from now on for Delay.
	Down FaultKind = "down"
)

// defaultDelay is the Delay of a Fault without one.
var defaultDelay = map[FaultKind]time.Duration{
	LateAnswer: 10 * time.Second, RateLimit: time.Second, DelayEvent: 30 * time.Second, ReorderEvent: 2 * time.Second, Down: time.Minute,
}

// Fault makes the sandbox misbehave.
type Fault struct {
	Kind FaultKind `json:"kind"`
	// Method limits it to a Web API method, to upload, download or response_url, or
	// to events of a type, as apps subscribe to them. Empty means all.
	Method string `json:"method,omitempty"`
	// Probability is how likely it strikes, from 0 to 1. 0 means always.
	Probability float64 `json:"probability,omitempty"`
	// Count is how often it strikes at most. 0 means no limit.
	Count int `json:"count,omitempty"`
	// Delay is how long; each kind has a default.
	Delay Duration `json:"delay,omitempty"`
	// Struck counts how often it struck.
	Struck int `json:"struck"`
	// Holding is how many answers LateAnswer is holding back now. Their work is
	// already done.
	Holding int `json:"holding"`
}

// Duration is a time.Duration that JSON writes as "1m30s".
type Duration time.Duration

func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }

func (d *Duration) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("a duration is text such as \"1m30s\"")
	}
	v, err := time.ParseDuration(s)
	*d = Duration(v)
	return err
}

// FaultPlan is a set of faults. The same seed and the same calls give the same
// strikes: a fault decides by the seed and by the number of calls it has seen.
type FaultPlan struct {
	Seed   uint64  `json:"seed"`
	Faults []Fault `json:"faults"`
}

func (p FaultPlan) check() error {
	for i, f := range p.Faults {
		switch f.Kind {
		case DropAnswer, LateAnswer, ErrorAnswer, RateLimit, DuplicateEvent, LoseEvent, DelayEvent, ReorderEvent, Down:
		default:
			return fmt.Errorf("fault %d: there is no kind %q", i, f.Kind)
		}
		if f.Probability < 0 || f.Probability > 1 {
			return fmt.Errorf("fault %d: a probability is from 0 to 1", i)
		}
		if f.Count < 0 || f.Delay < 0 {
			return fmt.Errorf("fault %d: count and delay are not negative", i)
		}
	}
	return nil
}

// faults decides when to misbehave.
type faults struct {
	planning sync.Mutex // held while the fates of events are decided, and while faults are set

	mu    sync.Mutex
	plan  FaultPlan
	seen  []uint64 // how many calls each fault has looked at
	since time.Time
	plans int // how many plans there have been
}

func newFaults(p FaultPlan, now time.Time) (*faults, error) {
	f := &faults{}
	return f, f.set(p, now)
}

func (f *faults) set(p FaultPlan, now time.Time) error {
	if err := p.check(); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plan = FaultPlan{Seed: p.Seed, Faults: append([]Fault{}, p.Faults...)}
	for i := range f.plan.Faults {
		one := &f.plan.Faults[i]
		one.Struck, one.Holding = 0, 0
		if one.Delay == 0 {
			one.Delay = Duration(defaultDelay[one.Kind])
		}
	}
	f.seen = make([]uint64, len(p.Faults))
	f.since = now
	f.plans++
	return nil
}

// SetFaults replaces the faults; an empty plan ends them all. It returns an error
// and changes nothing for a plan that makes no sense. Earlier events keep the
// earlier faults, however long they have waited to be delivered.
func (s *Sandbox) SetFaults(p FaultPlan) error {
	if err := p.check(); err != nil {
		return err
	}
	s.faults.planning.Lock()
	defer s.faults.planning.Unlock()
	for more := true; more; {
		var err error
		if more, err = s.plan(context.Background()); err != nil {
			return err
		}
	}
	return s.faults.set(p, s.clock.Now())
}

// Faults returns the current plan, with how often each fault struck.
func (s *Sandbox) Faults() FaultPlan {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	return FaultPlan{Seed: s.faults.plan.Seed, Faults: append([]Fault{}, s.faults.plan.Faults...)}
}

// strike lets fault i decide about one call, and returns a number from 0 to 1 that
// belongs to the decision.
func (f *faults) strike(i int) (struck bool, extra float64) {
	one := &f.plan.Faults[i]
	if one.Count > 0 && one.Struck >= one.Count {
		return false, 0
	}
	f.seen[i]++
	if one.Probability > 0 && f.random(i, f.seen[i], 0) >= one.Probability {
		return false, 0
	}
	one.Struck++
	return true, f.random(i, f.seen[i], 1)
}

// random returns a number from 0 to 1 that depends only on its arguments and the
// seed.
func (f *faults) random(fault int, call, purpose uint64) float64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %d %d %d", f.plan.Seed, fault, call, purpose)
	x := h.Sum64()
	// FNV gives similar inputs similar high bits; one round of mixing separates
	// them.
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	x ^= x >> 33
	return float64(x>>11) / (1 << 53)
}

// mishap is what happens to one call of the API.
type mishap struct {
	rateLimit time.Duration // 0 for none
	late      time.Duration
	drop, err bool
	holder    holder // for a late answer
}

// holder names the fault that holds an answer back.
type holder struct{ plan, fault int }

// hold counts one more or one less answer held back by a fault. The counts of an
// earlier plan do not matter.
func (f *faults) hold(h holder, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if h.plan == f.plans {
		f.plan.Faults[h.fault].Holding += n
	}
}

func (f *faults) call(method string) (m mishap) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, one := range f.plan.Faults {
		switch one.Kind {
		case DropAnswer, LateAnswer, ErrorAnswer, RateLimit:
		default:
			continue
		}
		if one.Method != "" && one.Method != method {
			continue
		}
		if struck, _ := f.strike(i); !struck {
			continue
		}
		switch one.Kind {
		case DropAnswer:
			m.drop = true
		case LateAnswer:
			m.late, m.holder = time.Duration(one.Delay), holder{f.plans, i}
		case ErrorAnswer:
			m.err = true
		case RateLimit:
			m.rateLimit = time.Duration(one.Delay)
		}
	}
	return m
}

// fate is what happens to one event.
type fate struct {
	lose   bool
	copies int
	delay  time.Duration
}

func (f *faults) event(name string) (e fate) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, one := range f.plan.Faults {
		if !one.Kind.ofEvents() || one.Method != "" && one.Method != name {
			continue
		}
		struck, extra := f.strike(i)
		if !struck {
			continue
		}
		switch one.Kind {
		case LoseEvent:
			e.lose = true
		case DuplicateEvent:
			e.copies++
		case DelayEvent:
			e.delay += time.Duration(one.Delay)
		case ReorderEvent:
			e.delay += time.Duration(float64(one.Delay) * extra)
		}
	}
	return e
}

func (k FaultKind) ofEvents() bool {
	return k == DuplicateEvent || k == LoseEvent || k == DelayEvent || k == ReorderEvent
}

func (f *faults) touchEvents() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range f.plan.Faults {
		if one.Kind.ofEvents() {
			return true
		}
	}
	return false
}

// downUntil returns when the sandbox is up again; a time in the past means it is
// up.
func (f *faults) downUntil(now time.Time) (until time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range f.plan.Faults {
		if end := f.since.Add(time.Duration(one.Delay)); one.Kind == Down && end.After(until) {
			until = end
		}
	}
	return until
}

// ParseFault reads a fault from a flag: its kind and, after a colon, its other
// fields, such as drop_answer:method=chat.postMessage,probability=0.3,count=5.
func ParseFault(text string) (Fault, error) {
	kind, rest, _ := strings.Cut(text, ":")
	f := Fault{Kind: FaultKind(kind)}
	for setting := range strings.SplitSeq(rest, ",") {
		if setting == "" {
			continue
		}
		name, value, _ := strings.Cut(setting, "=")
		var err error
		switch name {
		case "method":
			f.Method = value
		case "probability":
			f.Probability, err = strconv.ParseFloat(value, 64)
		case "count":
			f.Count, err = strconv.Atoi(value)
		case "delay":
			var d time.Duration
			d, err = time.ParseDuration(value)
			f.Delay = Duration(d)
		default:
			err = errors.New("a fault has method, probability, count and delay")
		}
		if err != nil {
			return f, fmt.Errorf("fault %q: %s: %w", text, setting, err)
		}
	}
	return f, FaultPlan{Faults: []Fault{f}}.check()
}
