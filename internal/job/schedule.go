package job

import (
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/sqldb"
)

// schedule is a job that is added again and again.
type schedule struct {
	name     string
	interval time.Duration
	args     Args
}

// Every adds a job with args at every interval, the first at once when the name
// is new to the database. However many processes share a schedule, each tick is
// one job; ticks missed while none ran are one tick; and a tick whose job still
// waits adds no other. Call it before Run, once for a name.
func (r *Runner) Every(name string, interval time.Duration, args Args) {
	taken := slices.ContainsFunc(r.schedules, func(c schedule) bool { return c.name == name })
	if taken || interval < time.Millisecond || !storable(name) {
		panic(fmt.Sprintf("job: schedule %q every %v", name, interval))
	}
	r.schedules = append(r.schedules, schedule{name, interval, args})
}

// due reports whether a schedule that was last known to be next at a moment
// needs a look.
func (c schedule) due(next, now time.Time) bool {
	return !next.After(now) || next.After(c.trusted(now))
}

// trusted is the latest moment that a next tick can have. A later one was
// written by a clock that was ahead, and would stop the schedule until then.
func (c schedule) trusted(now time.Time) time.Time { return now.Add(c.interval + skew) }

// tick adds the schedule's job if it is due and nobody has done so, and returns
// when the next is.
//
//  1. A schedule that is new gets a row, due at once.
//  2. A next tick that cannot be trusted is pulled in to one interval from now.
//  3. A tick that is due moves to the next after now on its grid. Whoever moves
//     it adds the job: a concurrent mover waits for the row and finds it moved.
func (c schedule) tick(tx *sqldb.Tx, now time.Time) (next time.Time, err error) {
	ms := now.UnixMilli()
	if _, err := tx.Exec("INSERT INTO schedules (name, next_at) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING", c.name, ms); err != nil {
		return next, err
	}
	if _, err := tx.Exec("UPDATE schedules SET next_at = $1 WHERE name = $2 AND next_at > $3",
		now.Add(c.interval).UnixMilli(), c.name, c.trusted(now).UnixMilli()); err != nil {
		return next, err
	}
	moved, err := tx.Exec("UPDATE schedules SET next_at = next_at + (($1 - next_at) / $2 + 1) * $2 WHERE name = $3 AND next_at <= $1",
		ms, c.interval.Milliseconds(), c.name)
	if err != nil {
		return next, err
	}
	if moved == 1 {
		if err := Add(tx, c.args, now, Key("schedule "+c.name)); err != nil {
			return next, err
		}
	}
	var at int64
	err = tx.Row("SELECT next_at FROM schedules WHERE name = $1", c.name).Scan(&at)
	return time.UnixMilli(at), err
}
