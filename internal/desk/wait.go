package desk

import (
	"math"
	"time"

	"frontdesk/internal/hours"
)

// Wait is a time in which a requester waited for an answer and got one. It begins
// with a message when nobody was waiting and ends with a responder's next public
// reply.
type Wait struct {
	Message  MessageID // the message that began it
	OpenedAt time.Time
	Length   time.Duration // by the calendar
}

// Said is the part of a message that decides about waits.
type Said struct {
	Message   MessageID
	At        time.Time
	Responder bool
}

// Waits returns the waits in the public messages of people, given in order. Nobody
// waits at the beginning.
func Waits(said []Said, c *hours.Calendar) (all []Wait) {
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

// Hundredths converts a duration to hundredths of a minute: the two decimals that
// are shown, as an integer.
func Hundredths(d time.Duration) int64 { return int64(math.Round(d.Minutes() * 100)) }

// Hundredths returns the metric in hundredths of a minute.
func (m Metric) Hundredths() int64 { return int64(math.Round(m.Minutes * 100)) }
