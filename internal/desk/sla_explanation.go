package desk

import (
	"time"

	"frontdesk/internal/hours"
)

// SLAExplanation says where each number of a request's clocks comes from.
type SLAExplanation struct {
	FirstResponse   SLAReading
	Resolution      SLAReading
	FirstResolution *Metric
	OneTouch        SLAReading
}

// SLAReading is a clock at a moment, and what it has counted.
type SLAReading struct {
	SLA
	PolicyName string
	Value      *Metric // as the request shows it
	Spent      time.Duration
	Late       *bool // nil if nothing is promised
	Status     SLAStatus
	Intervals  []SLAInterval
	Merged     int // how many of the oldest intervals were merged into one
}

// SLAStatus is the status of a clock.
type SLAStatus string

const (
	SLARunning  SLAStatus = "running"
	SLAPaused   SLAStatus = "paused"
	SLAMet      SLAStatus = "met"
	SLABreached SLAStatus = "breached"
	SLANone     SLAStatus = "none" // nothing is promised
)

// Why a clock does not count, where its state does not say it, and why old intervals
// are one. Those of open and closed hours are package hours' own.
const (
	whyNoRecord = "not a request"
	whyMerged   = "earlier intervals, merged into one"
)

// SLAInterval is a part of a clock's time, how much of it counted, and why.
type SLAInterval struct {
	From, To time.Time
	Counted  time.Duration
	Why      string
}

// MostIntervals bounds the intervals of an explanation. Older ones are merged into
// one.
const MostIntervals = 1000

// ExplainSLA explains the request's clocks from its states.
func (r Request) ExplainSLA(states []StateSpan, now time.Time) SLAExplanation {
	m := r.Metrics()
	return SLAExplanation{
		FirstResponse:   r.reading(SLAFirstResponse, states, m.FirstResponse, now),
		Resolution:      r.reading(SLAResolution, states, m.Resolution, now),
		FirstResolution: m.FirstResolution,
		OneTouch:        r.reading(SLAOneTouch, states, nil, now),
	}
}

func (r Request) reading(kind SLAKind, states []StateSpan, value *Metric, now time.Time) SLAReading {
	read := SLAReading{SLA: SLA{Kind: kind, Start: states[0].From}, Value: value, Status: SLANone}
	if c := r.clock(kind); c != nil {
		read.SLA = *c
	} else if kind != SLAOneTouch {
		// It is not stored, but can be computed.
		read.SLA = read.Replay(states, r.FirstResponseAt, r.FirstSolvedAt)
	}
	read.Spent = read.SpentBy(now)
	if read.Promises() {
		late := read.Breached(now)
		read.Late, read.Status = &late, read.status(late)
	}
	if kind != SLAOneTouch {
		end := now
		if read.End != nil {
			end = *read.End
		}
		read.Intervals, read.Merged = intervals(read.Calendar, states, end)
	}
	return read
}

func (c SLA) status(late bool) SLAStatus {
	switch {
	case late:
		return SLABreached
	case c.End != nil:
		return SLAMet
	case c.Since != nil || c.Kind == SLAOneTouch:
		return SLARunning
	}
	return SLAPaused
}

// intervals splits the time up to a moment. If there are more than MostIntervals,
// the oldest become one.
func intervals(c *hours.Calendar, states []StateSpan, end time.Time) (all []SLAInterval, merged int) {
	for i, s := range states {
		to := end
		if i+1 < len(states) && states[i+1].From.Before(end) {
			to = states[i+1].From
		}
		switch {
		case !to.After(s.From):
		case !s.State.counts():
			all = append(all, SLAInterval{From: s.From, To: to, Why: s.State.why()})
		default:
			for _, part := range c.Stretches(s.From, to) {
				in := SLAInterval{From: part.From, To: part.To, Why: part.Why}
				if part.Open {
					in.Counted = part.To.Sub(part.From)
				}
				if n := len(all); n > 0 && all[n-1].Why == in.Why && all[n-1].To.Equal(in.From) { // open, then in progress
					all[n-1].To, all[n-1].Counted = in.To, all[n-1].Counted+in.Counted
					continue
				}
				all = append(all, in)
			}
		}
	}
	if len(all) <= MostIntervals {
		return all, 0
	}
	merged = len(all) - MostIntervals + 1
	old := SLAInterval{From: all[0].From, To: all[merged-1].To, Why: whyMerged}
	for _, in := range all[:merged] {
		old.Counted += in.Counted
	}
	return append([]SLAInterval{old}, all[merged:]...), merged
}
