package job

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/sqldb"
)

// schedule is a job that is added at regular intervals.
type schedule struct {
	name     string
	interval time.Duration
	args     Args
}

// Every adds a job with args at every interval. The first is added at once if the
// database does not know the name yet. Each tick adds one job, however many
// processes share the schedule. Ticks that were missed while no process ran count
// as one. A tick adds no job while the previous one still waits. Call Every before
// Run, once per name.
func (r *Runner) Every(name string, interval time.Duration, args Args) {
	taken := slices.ContainsFunc(r.schedules, func(c schedule) bool { return c.name == name })
	if taken || interval < time.Millisecond || !storable(name) {
		panic(fmt.Sprintf("job: schedule %q every %v", name, interval))
	}
	r.schedules = append(r.schedules, schedule{name, interval, args})
}

// due reports whether the schedule needs a look, given the last known time of its
// next tick.
func (c schedule) due(next, now time.Time) bool {
	return !next.After(now) || next.After(c.latestTrusted(now))
}

// latestTrusted is the latest plausible time of the next tick. A clock that was ahead
// wrote any later time, and it would stop the schedule until then.
func (c schedule) latestTrusted(now time.Time) time.Time { return now.Add(c.interval + skew) }

// tick adds the schedule's job if it is due and no other process has added it. It
// returns the time of the next tick.
//
//  1. A new schedule gets a row that is due at once.
//  2. A next tick that is later than latestTrusted moves to one interval from now.
//  3. A due tick moves to the next time after now on its grid. The process that
//     moves it adds the job. A concurrent process waits for the row and finds it
//     moved.
//
// Processes that come later only read.
func (c schedule) tick(tx *sqldb.Tx, now time.Time) (next time.Time, err error) {
	ms := now.UnixMilli()
	next, err = c.next(tx)
	if errors.Is(err, sqldb.ErrNoRows) {
		next = now
		_, err = tx.Exec("INSERT INTO schedules (name, next_at) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING", c.name, ms)
	}
	if err != nil || !c.due(next, now) {
		return next, err
	}
	if _, err := tx.Exec("UPDATE schedules SET next_at = $1 WHERE name = $2 AND next_at > $3",
		now.Add(c.interval).UnixMilli(), c.name, c.latestTrusted(now).UnixMilli()); err != nil {
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
	return c.next(tx)
}

// next returns the time of the next tick, or ErrNoRows if nobody knows the schedule
// yet.
func (c schedule) next(tx *sqldb.Tx) (time.Time, error) {
	var at int64
	err := tx.Row("SELECT next_at FROM schedules WHERE name = $1", c.name).Scan(&at)
	return time.UnixMilli(at), err
}
