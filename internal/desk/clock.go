package desk

import "time"

// Metrics are the lengths that a request is measured by, nil where there is
// none yet.
type Metrics struct {
	FirstResponse   *Metric // once there was one
	Resolution      *Metric // while it is solved or closed
	FirstResolution *Metric // once it was solved
}

// Metric is a length in minutes, and whether it is over what was promised: nil
// where nothing was.
type Metric struct {
	Minutes  float64
	Breached *bool
}

// Metrics computes the request's lengths from when it was made, each by the
// calendar of its clock: that of the policy that applies, else of the
// collection. Pauses are not taken out of them; of what is promised they are.
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

// minutes is a length in minutes, to two decimals.
func minutes(d time.Duration) float64 { return float64(Hundredths(d)) / 100 }
