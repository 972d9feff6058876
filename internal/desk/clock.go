package desk

import "time"

// Metrics are the times that a request is measured by; nil if there is none yet.
type Metrics struct {
	FirstResponse   *Metric // once there was a response
	Resolution      *Metric // while it is solved or closed
	FirstResolution *Metric // once it was solved
}

// Metric is a time in minutes, and whether it exceeds the promise. Breached is nil
// if nothing was promised.
type Metric struct {
	Minutes  float64
	Breached *bool
}

// Metrics computes the request's times from its creation. Each uses the calendar of
// its clock: the policy's, or else the collection's. Pauses count in these times,
// although they do not count against the promise.
func (r Request) Metrics() Metrics {
	resolution := r.clock(SLAResolution)
	m := Metrics{
		FirstResponse:   r.until(r.FirstResponseAt, r.clock(SLAFirstResponse)),
		Resolution:      r.until(r.SolvedAt, resolution),
		FirstResolution: r.until(r.FirstSolvedAt, resolution),
	}
	if m.FirstResolution != nil && resolution != nil && resolution.FirstBreached != nil {
		m.FirstResolution.Breached = resolution.FirstBreached
	}
	return m
}

func (r Request) until(at *time.Time, c *SLA) *Metric {
	if at == nil {
		return nil
	}
	if c == nil {
		c = &SLA{}
	}
	m := Metric{Minutes: minutes(c.Calendar.Between(r.CreatedAt, *at))}
	if c.Promises() {
		late := c.Due != nil && c.Due.Before(*at)
		m.Breached = &late
	}
	return &m
}

// minutes converts a duration to minutes with two decimals.
func minutes(d time.Duration) float64 { return float64(Hundredths(d)) / 100 }
