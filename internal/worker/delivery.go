package worker

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
	"frontdesk/internal/webhook"
)

// One job for each webhook delivers events. It follows the feed from the last event
// that it took. Events about one subject are delivered one after the other, and
// those about different subjects at the same time.
//
// An event that arrives at the first attempt costs no row before the attempt and
// one after it, written together with the others of its round. An event that does
// not arrive waits as a row, and later events about its subject wait behind it. If
// a process dies in a round, nobody knows which events it delivered. They are
// delivered again, with the same ids.

const (
	// takenAtOnce is how many events of the feed, and how many waiting deliveries, a
	// round takes at most.
	takenAtOnce = 200
	// lanesAtOnce is for how many subjects events are sent to one webhook at the same
	// time.
	lanesAtOnce = 16
	// roundTime is how long a round starts new attempts. Each attempt may take
	// TryTime, so the webhook is held for both.
	roundTime   = 5 * time.Second
	deliverHold = roundTime + webhook.TryTime + 5*time.Second
	// deliverWorkers is how many webhooks are served at the same time. There are many,
	// because one that hangs does nothing but wait.
	deliverWorkers = 256
	// deliveriesKept is how long the result of a delivery can be looked up.
	deliveriesKept = 30 * 24 * time.Hour
)

// newWebhookRunner returns the runner of deliveries to webhooks. They have their
// own, so that a webhook that hangs delays nothing else.
func (w *Worker) newWebhookRunner() *job.Runner {
	r := job.New(job.Config{DB: w.store.DB(), Queue: store.QueueWebhooks, Workers: deliverWorkers, Lease: jobLease, Clock: w.store.Now, Log: w.log})
	job.Handle(r, w.deliverWebhook)
	return r
}

func (w *Worker) deliverWebhook(ctx context.Context, j *job.Job, a store.DeliverWebhook) error {
	if !w.delivering.begin(a) {
		return nil
	}
	c := courier{w: w, DeliverWebhook: a, holder: w.holderOf(j)}
	for {
		err := c.run(ctx)
		if more := w.delivering.end(a, err != nil); !more {
			return err
		}
	}
}

// courier is one run of the job that delivers events to a webhook.
type courier struct {
	store.DeliverWebhook
	w      *Worker
	holder string
}

// round is a set of events that are sent at the same time.
type round struct {
	store.Route
	lanes [][]*parcel // one for each subject, in order
	held  []*parcel   // events that must wait behind earlier ones about their subject
	to    int64       // the place in the feed where this round ends

	mu     sync.Mutex
	tried  []*parcel // in the order in which their attempts ended
	failed error     // why an attempt could not be made at all
	gone   bool      // the receiver wants no more events
}

// parcel is one event of a round.
type parcel struct {
	desk.Delivery
	fresh bool // it has no row yet
	tried bool
}

// run delivers events round by round until there is nothing to deliver for now.
func (c courier) run(ctx context.Context) error {
	var done *round
	for {
		next, err := c.nextRound(ctx, done)
		if err != nil || next == nil {
			return err
		}
		c.sendRound(ctx, next)
		if next.failed != nil {
			return next.failed
		}
		if ctx.Err() != nil {
			return context.Cause(ctx) // events that arrived in this round are sent again
		}
		done = next
	}
}

// nextRound records the result of a round and takes the next one, or nil if there
// is none. One transaction does both, because this happens once for each round.
func (c courier) nextRound(ctx context.Context, done *round) (next *round, err error) {
	err = c.w.store.Write(ctx, c.Account, func(tx *store.Tx) error {
		next = nil
		route, err := tx.Route(c.Webhook)
		if err != nil {
			return errors.Join(desk.IgnoreMissing(err), tx.Release(c.lane(), c.holder)) // it was removed
		}
		if err := c.hold(tx, done != nil); err != nil {
			return err
		}
		if done != nil {
			if err := c.recordRound(tx, &route, done); err != nil {
				return err
			}
		}
		if next, err = c.takeRound(tx, route); err != nil || next != nil {
			return err
		}
		return c.releaseWebhook(tx, route.Webhook)
	})
	return next, err
}

// hold holds the webhook for a round. It returns a Snooze if somebody else holds it.
// They take all events before they release it, so there is no hurry.
func (c courier) hold(tx *store.Tx, again bool) error {
	if again {
		return keepLane(tx, c.lane(), c.holder, deliverHold)
	}
	held, err := tx.Hold(c.lane(), c.holder, tx.Now.Add(deliverHold))
	if err == nil && !held {
		err = job.Snooze(store.DeliverGrace)
	}
	return err
}

func (c courier) lane() store.Lane { return store.Lane{Kind: store.WebhookLane, ID: int64(c.Webhook)} }

// releaseWebhook releases a webhook and queues a job for its next attempt, if one
// waits.
func (c courier) releaseWebhook(tx *store.Tx, w desk.Webhook) error {
	if err := tx.Release(c.lane(), c.holder); err != nil || !w.Enabled {
		return err
	}
	at, waits, err := tx.NextTry(w.ID)
	if err != nil || !waits {
		return err
	}
	return tx.DeliverWebhookAt(w.ID, at)
}

// takeRound returns the next round, or nil if there is nothing to deliver now.
func (c courier) takeRound(tx *store.Tx, route store.Route) (*round, error) {
	if !route.Enabled {
		return nil, nil
	}
	due, err := tx.DueDeliveries(route.ID, takenAtOnce)
	if err != nil {
		return nil, err
	}
	events, to, err := tx.EventsFor(route.Webhook, route.TakenTo, takenAtOnce)
	if err != nil || len(due) == 0 && to == route.TakenTo {
		return nil, err
	}
	r := &round{Route: route, to: to}
	lanes := map[string][]*parcel{}
	var order []string
	add := func(p *parcel) {
		subject := p.Event.Subject
		if _, known := lanes[subject]; !known {
			order = append(order, subject)
		}
		lanes[subject] = append(lanes[subject], p)
	}
	for _, d := range due {
		add(&parcel{Delivery: d})
	}
	waiting, err := tx.WaitingSubjects(route.ID, desk.Each(events, func(e desk.Event) string { return e.Subject }))
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		p := &parcel{fresh: true, Delivery: desk.Delivery{Webhook: route.ID, Event: e, Cause: desk.CauseEvent, Status: desk.DeliveryWaiting, CreatedAt: tx.Now}}
		if waiting[e.Subject] {
			r.held = append(r.held, p)
		} else {
			add(p)
		}
	}
	for _, subject := range order {
		r.lanes = append(r.lanes, lanes[subject])
	}
	return r, nil
}

// sendRound sends the events of a round, as many as its time allows.
func (c courier) sendRound(ctx context.Context, r *round) {
	end := time.Now().Add(roundTime)
	lanes := make(chan []*parcel)
	var sending sync.WaitGroup
	for range min(lanesAtOnce, len(r.lanes)) {
		sending.Go(func() {
			for lane := range lanes {
				for _, p := range lane {
					if time.Now().After(end) || ctx.Err() != nil || r.over() || !c.sendEvent(ctx, r, p) {
						break
					}
				}
			}
		})
	}
	for _, lane := range r.lanes {
		lanes <- lane
	}
	close(lanes)
	sending.Wait()
}

// over reports whether a round ended early.
func (r *round) over() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.gone || r.failed != nil
}

// sendEvent sends one event, and reports whether the next event about its subject
// may be sent.
func (c courier) sendEvent(ctx context.Context, r *round, p *parcel) bool {
	a, err := c.w.webhooks.Send(ctx, r.URL, r.Secrets, p.Event, c.w.store.Now())
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed, r.gone = errors.Join(r.failed, err), r.gone || a.Gone()
	if err != nil || ctx.Err() != nil && !a.Delivered() {
		return false // we gave up, so the attempt does not count
	}
	p.tried = true
	p.Tried(a, rand.Float64())
	r.tried = append(r.tried, p)
	return p.Status != desk.DeliveryWaiting
}

// recordRound records the result of a round.
func (c courier) recordRound(tx *store.Tx, route *store.Route, r *round) error {
	var fresh []desk.Delivery
	var ended []string // subjects whose first waiting delivery has ended
	for _, lane := range r.lanes {
		waits := false
		for _, p := range lane {
			if p.fresh {
				if !p.tried && !waits {
					p.TryAt = &tx.Now
				}
				fresh = append(fresh, p.Delivery)
			} else if p.tried {
				if err := tx.SaveDelivery(p.Delivery); err != nil {
					return err
				}
			}
			waits = waits || p.Status == desk.DeliveryWaiting
		}
		if first := lane[0]; !first.fresh && first.Status != desk.DeliveryWaiting {
			ended = append(ended, first.Event.Subject)
		}
	}
	for _, p := range r.held {
		fresh = append(fresh, p.Delivery)
	}
	// In the order of the feed, because the ids of deliveries decide which waits
	// behind which.
	slices.SortFunc(fresh, func(a, b desk.Delivery) int { return int(a.Event.Seq - b.Event.Seq) })
	if err := tx.AddDeliveries(fresh); err != nil {
		return err
	}
	for _, subject := range ended {
		if err := tx.ReleaseLine(route.ID, subject); err != nil {
			return err
		}
	}
	route.TakenTo = r.to
	if err := tx.MoveWebhook(route.ID, r.to); err != nil {
		return err
	}
	return c.judgeWebhook(tx, &route.Webhook, r)
}

// judgeWebhook records since when every delivery to a webhook has failed. It
// disables a webhook whose receiver wants no more events, and one for which
// deliveries have failed for as long as a delivery is retried. Test deliveries do
// not count.
func (c courier) judgeWebhook(tx *store.Tx, w *desk.Webhook, r *round) error {
	before := *w
	tried := slices.DeleteFunc(r.tried, func(p *parcel) bool { return p.Cause == desk.CauseTest })
	last := func(p *parcel) desk.Attempt { return p.Attempts[len(p.Attempts)-1] }
	for _, p := range tried {
		switch a := last(p); {
		case a.Delivered():
			w.FailingSince = nil
		case w.FailingSince == nil:
			w.FailingSince = &a.At
		}
	}
	switch {
	case !w.Enabled:
	case r.gone:
		w.Disable("The receiver answered 410 Gone: it wants no more events at this address.", tx.Now)
	case slices.ContainsFunc(tried, func(p *parcel) bool { return w.Outlived(p.Delivery) }):
		w.Disable("Nothing has got through since "+w.FailingSince.Format("2 January 2006, 15:04 MST")+". The last try: "+last(tried[len(tried)-1]).Reason(), tx.Now)
	}
	if before.Enabled == w.Enabled {
		if desk.Same(before.FailingSince, w.FailingSince) {
			return nil
		}
		return tx.SaveWebhook(*w)
	}
	if err := tx.SaveWebhook(*w); err != nil {
		return err
	}
	c.w.log.Warn("a webhook was disabled", "account", int64(c.Account), "webhook", int64(w.ID), "reason", w.DisabledReason)
	if err := change.Record(tx, desk.Actor{Name: "Frontdesk", Source: desk.SourceSystem}, "webhook.disabled", before, *w); err != nil {
		return err
	}
	return notifyAdminsSoon(tx, "The webhook to "+w.URL+" was disabled. "+w.DisabledReason+" When you enable it again, it continues where it stopped, and no event is lost.")
}

func (w *Worker) replayEvents(ctx context.Context, j *job.Job, a change.ReplayEvents) error {
	return w.store.Write(ctx, a.Account, func(tx *store.Tx) error {
		next, err := ReplayPart(tx, a)
		if err != nil {
			return err
		}
		// In the transaction of this part, so that no part is replayed twice.
		if a.From = next; next != nil {
			if err := job.Add(tx.Tx, a, tx.Now); err != nil {
				return err
			}
		}
		return j.Done(tx.Tx)
	})
}

// ReplayPart queues the deliveries of one part of a replay. It returns where the
// next part begins, or nil after the last.
func ReplayPart(tx *store.Tx, a change.ReplayEvents) (*desk.Position, error) {
	w, err := tx.Webhook(a.Webhook)
	if err != nil {
		return nil, desk.IgnoreMissing(err)
	}
	events, next, err := tx.EventsBetween(w, a.After, a.Before, a.From, takenAtOnce)
	if err != nil {
		return nil, err
	}
	return next, change.QueueReplay(tx, w.ID, events)
}

// sweepDeliveries is a job that removes old deliveries.
type sweepDeliveries struct{}

func (sweepDeliveries) Kind() string { return "webhook.sweep" }

func (w *Worker) sweepDeliveries(ctx context.Context, _ *job.Job, _ sweepDeliveries) error {
	return w.eachAccount(ctx, func(a desk.AccountID) error {
		for more := true; more; {
			err := w.store.Write(ctx, a, func(tx *store.Tx) (err error) {
				more, err = tx.SweepDeliveries(tx.Now.Add(-deliveriesKept))
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}
