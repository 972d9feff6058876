package desk

import (
	"math"
	"time"
)

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

// Metrics computes the request's lengths, in calendar time.
func (r Request) Metrics() Metrics {
	return Metrics{
		FirstResponse:   r.until(r.FirstResponseAt),
		Resolution:      r.until(r.SolvedAt),
		FirstResolution: r.until(r.FirstSolvedAt),
	}
}

func (r Request) until(at *time.Time) *Metric {
	if at == nil {
		return nil
	}
	return &Metric{Minutes: minutes(max(at.Sub(r.CreatedAt), 0))}
}

// minutes is a length in minutes, to two decimals.
func minutes(d time.Duration) float64 { return math.Round(d.Minutes()*100) / 100 }
