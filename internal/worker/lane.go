package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
	"frontdesk/internal/tracker"
)

// Everything that happens in another system takes three steps: a transaction
// composes it, a call does it, and a transaction settles it. The call is made by
// whoever holds the lane. A hold lasts longer than a call can, so whoever gets the
// lane next knows that all calls of an earlier holder have ended, and that what
// they did can be found by its mark. If nobody knows what a call did, the hold is
// left to run out.

const (
	// callTime is how long one call may take. holdTime is how long the lane is held
	// for it. Files take longer, at uploadSpeed bytes a second.
	callTime    = 25 * time.Second
	holdTime    = 40 * time.Second
	uploadSpeed = 128 << 10
)

// act is one thing to do in another system.
type act struct {
	lane   store.Lane
	effect *store.Effect // the row that it is about; nil if there is none
	// time is how long do may take. Zero means callTime.
	time time.Duration
	// failure says why it cannot be done. If it is set, do is not called.
	failure string
	// do makes the call. nil means that there is nothing to do outside. It may change
	// effect.
	do func(context.Context) error
	// settle records what followed, together with the effect. nil means nothing.
	settle func(tx *store.Tx) error
	// again says that the call certainly did nothing and is to be made later. do sets
	// it.
	again bool
	// repeatable says that somebody else may take over while the call still lasts,
	// because it only reads, or because nobody makes a call again that was begun. Then
	// the lane need not be held for all of its time.
	repeatable bool
}

// carrier does one act after the other.
type carrier struct {
	w       *Worker
	account desk.AccountID
	holder  string
	// next composes the next act. It returns nil if there is nothing to do.
	next func(tx *store.Tx) (*act, error)
	// refused is told why something cannot be done.
	refused func(a *act, reason error)
}

// holderOf returns the name under which a run of a job holds lanes.
func (w *Worker) holderOf(j *job.Job) string {
	return fmt.Sprintf("%s %d %d", w.process, j.ID, j.Attempt)
}

// run does all there is to do.
func (c carrier) run(ctx context.Context) error {
	return c.runWhile(ctx, func() bool { return true })
}

// runWhile is run, until more returns false.
func (c carrier) runWhile(ctx context.Context, more func() bool) error {
	var done *act
	for {
		next, err := c.turn(ctx, done, ctx.Err() == nil && more())
		if err != nil {
			return errors.Join(err, c.settleAlone(ctx, done))
		}
		if next == nil {
			return context.Cause(ctx)
		}
		if err := c.do(ctx, next); err != nil {
			if desk.KindOf(err) == desk.Unavailable && !next.repeatable {
				return err // the call may still take effect, so nobody may try before the hold ends
			}
			return errors.Join(err, c.release(ctx, next))
		}
		done = next
	}
}

// turn settles what was done and composes what is next, in one transaction. It
// holds the lane of what is next and releases the other.
func (c carrier) turn(ctx context.Context, done *act, more bool) (next *act, err error) {
	if done != nil {
		ctx = context.WithoutCancel(ctx) // what was done must not be forgotten because we are stopping
	}
	err = c.w.store.Write(ctx, c.account, func(tx *store.Tx) error {
		next = nil
		if done != nil {
			if err := c.settle(tx, done); err != nil {
				return err
			}
		}
		if more {
			if next, err = c.next(tx); err != nil {
				return err
			}
		}
		if done != nil && (next == nil || next.lane != done.lane) {
			if err := tx.Release(done.lane, c.holder); err != nil {
				return err
			}
		}
		if next == nil {
			return nil
		}
		return c.begin(tx, next)
	})
	return next, err
}

// settleAlone settles what was done although what is next cannot be composed.
func (c carrier) settleAlone(ctx context.Context, done *act) error {
	if done == nil {
		return nil
	}
	if _, err := c.turn(ctx, done, false); err != nil {
		return c.release(ctx, done)
	}
	return nil
}

// begin holds the lane of an act for as long as its call can last, and records the
// attempt.
func (c carrier) begin(tx *store.Tx, a *act) error {
	if a.time == 0 {
		a.time = callTime
	}
	hold := holdTime
	if !a.repeatable {
		hold += a.time - callTime
	}
	if err := holdLane(tx, a.lane, c.holder, hold); err != nil || a.effect == nil {
		return err
	}
	return tx.TryEffect(*a.effect)
}

// do makes the call of an act. What the other system refuses now, it would refuse
// again, so the refusal of an effect is its result.
func (c carrier) do(ctx context.Context, a *act) error {
	var err error
	switch {
	case a.failure != "":
		err = errors.New(a.failure)
	case a.do != nil:
		call, cancel := context.WithTimeout(ctx, a.time)
		defer cancel()
		if err = a.do(call); err != nil && (a.effect == nil || !isRefusal(err)) {
			return err
		}
		a.failure = refusalText(err)
	}
	if err != nil {
		c.refused(a, err)
	}
	return nil
}

// settle records what was done.
func (c carrier) settle(tx *store.Tx, a *act) error {
	if err := keepLane(tx, a.lane, c.holder, holdTime); err != nil {
		return err
	}
	if a.effect != nil {
		record := func() error { return tx.SettleEffect(*a.effect, a.failure) }
		if a.again {
			record = func() error { return tx.UntryEffect(*a.effect) }
		}
		if err := record(); err != nil {
			return err
		}
	}
	if a.settle == nil {
		return nil
	}
	return a.settle(tx)
}

// release gives up the lane of an act.
func (c carrier) release(ctx context.Context, a *act) error {
	return c.w.store.Write(context.WithoutCancel(ctx), c.account, func(tx *store.Tx) error { return tx.Release(a.lane, c.holder) })
}

// holdLane holds a lane for a time. It returns a Snooze if somebody else holds it.
// They do what is to be done there, but may be about to stop.
func holdLane(tx *store.Tx, l store.Lane, holder string, d time.Duration) error {
	held, err := tx.Hold(l, holder, tx.Now.Add(d))
	if err == nil && !held {
		err = job.Snooze(time.Second)
	}
	return err
}

// keepLane prolongs a hold. It returns job.ErrLost if the lane was lost: then
// somebody else looks for what we did.
func keepLane(tx *store.Tx, l store.Lane, holder string, d time.Duration) error {
	held, err := tx.Prolong(l, holder, tx.Now.Add(d))
	if err == nil && !held {
		err = job.ErrLost
	}
	return err
}

// isRefusal reports whether another system refused something that it would refuse
// again. A lost connection is not such a refusal.
func isRefusal(err error) bool {
	if errors.Is(err, chat.ErrLost) || errors.Is(err, tracker.ErrLost) {
		return false
	}
	switch desk.KindOf(err) {
	case desk.NotFound, desk.Forbidden, desk.Invalid, desk.Refused, desk.TooLarge:
		return true
	}
	return false
}

// refusalText returns what a refusal says to people. It is empty if there is none.
func refusalText(err error) string {
	var e *desk.Error
	if err == nil {
		return ""
	}
	if errors.As(err, &e) {
		return e.Message
	}
	return "The other system refused it."
}
