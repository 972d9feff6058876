package desk

import (
	"math"
	"time"
)

// Wait is a time in which a requester waited for an answer, and got one: from a
// message when nobody was waiting to the next public reply of a responder.
type Wait struct {
	Message  MessageID // which it began with
	OpenedAt time.Time
	Length   time.Duration // by the calendar
}

// Said is of a message what decides about waits.
type Said struct {
	Message   MessageID
	At        time.Time
	Responder bool
}

// Waits are those in what was said in public, in its order, by others than bots.
// Nobody waits at its beginning.
func Waits(said []Said, c *Calendar) (all []Wait) {
	var open *Said
	for i, s := range said {
		switch {
		case s.Responder && open != nil:
			all = append(all, Wait{open.Message, open.At, c.Between(open.At, s.At)})
			open = nil
		case !s.Responder && open == nil:
			open = &said[i]
		}
	}
	return all
}

// Hundredths is a length in hundredths of a minute: the two decimals that are
// shown of it, as a whole number.
func Hundredths(d time.Duration) int64 { return int64(math.Round(d.Minutes() * 100)) }

// Hundredths is the metric's length, likewise.
func (m Metric) Hundredths() int64 { return int64(math.Round(m.Minutes * 100)) }
