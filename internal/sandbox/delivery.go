package sandbox

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"frontdesk/internal/sqldb"
)

// deliveriesTopic wakes the dispatcher.
const deliveriesTopic = "deliveries"

const (
	// poll is the longest time between looks at the queue, because another process
	// may have added something.
	poll = time.Second
	// keepDeliveries is how long the outcome of a delivery can be looked up.
	keepDeliveries = 24 * time.Hour
	// laneWait is how long a delivery holds up those after it in its lane.
	laneWait = 500 * time.Millisecond
	// late is the age at which a delivery belongs to the past. The past is
	// delivered strictly in order: an unacknowledged delivery holds up those after
	// it until it has failed.
	late = time.Minute
	// verifyPause is the time between two challenges to an address that does not
	// answer them.
	verifyPause = 2 * time.Second
)

// slackRetries says when Slack sends an event again.
var slackRetries = []time.Duration{0, time.Minute, 5 * time.Minute}

// Delivery is a callback to an app and its outcome.
type Delivery struct {
	ID      int64
	EventID string
	AppID   string
	Type    string // as apps subscribe to it: message.channels
	State   string // new, due, delivered, failed or lost
	Retries int
	Reason  string // of the last failure
	Due     time.Time
	Body    string
}

const deliveryColumns = "SELECT id, event_id, app_id, type, state, retries, reason, due_at, body FROM deliveries "

func scanDelivery(scan func(...any) error) (d Delivery, err error) {
	var due int64
	err = scan(&d.ID, &d.EventID, &d.AppID, &d.Type, &d.State, &d.Retries, &d.Reason, &due, &d.Body)
	d.Due = time.UnixMilli(due)
	return d, err
}

// Deliveries lists the callbacks of the last day, oldest first.
func (s *Sandbox) Deliveries(ctx context.Context) ([]Delivery, error) {
	return reading(ctx, s, func(t *tx) ([]Delivery, error) {
		return sqldb.Collect(t.Tx, scanDelivery, deliveryColumns+"ORDER BY id")
	})
}

// Run posts scheduled messages at their time and delivers events until ctx ends.
// Deliveries that were not acknowledged by then are repeated by the next Run. Only
// one process may run at a time.
func (s *Sandbox) Run(ctx context.Context) error {
	bell, stop := s.db.Listen(deliveriesTopic)
	defer stop()
	d := newDispatcher(s)
	defer d.drain()
	look := true
	for {
		if look || len(d.queue) == 0 {
			if err := d.look(ctx); err != nil && ctx.Err() == nil {
				s.cfg.Log.Error("sandbox: could not deliver events", "error", err)
			}
		}
		d.start(ctx)
		come, stop := s.clock.At(d.next)
		select {
		case <-ctx.Done():
			stop()
			return nil
		case <-come:
			look = true
		case <-bell:
			look = true
		case w := <-d.done:
			look = false
			d.land(w)
		}
		stop()
	}
}

// dispatcher hands due deliveries to senders. Only its senders run concurrently
// with it.
//
// Deliveries of a lane go out one after another, so that an app receives things in
// order. But a delivery that is not acknowledged soon stops holding up the lane, as
// with Slack, unless all of it is in the past.
type dispatcher struct {
	s          *Sandbox
	queue      []waiting            // due at the last look, in order
	next       time.Time            // when to look again
	flying     map[int64]bool       // being sent
	lanes      map[string]time.Time // how long a lane waits for its last delivery
	unverified map[string]time.Time // apps whose address has failed its challenge, and until when to leave it alone
	done       chan waiting
	swept      time.Time
}

func newDispatcher(s *Sandbox) *dispatcher {
	return &dispatcher{s: s, flying: map[int64]bool{}, lanes: map[string]time.Time{}, unverified: map[string]time.Time{},
		done: make(chan waiting, s.cfg.Senders)}
}

// waiting is a delivery that is due.
type waiting struct {
	id        int64
	app, lane string
	due       int64
}

func scanWaiting(scan func(...any) error) (w waiting, err error) {
	err = scan(&w.id, &w.app, &w.lane, &w.due)
	return w, err
}

// land releases what a delivery held.
func (d *dispatcher) land(w waiting) {
	delete(d.flying, w.id)
	delete(d.lanes, w.app+" "+w.lane)
}

// drain waits for the senders.
func (d *dispatcher) drain() {
	for len(d.flying) > 0 {
		d.land(<-d.done)
	}
}

// look reads what is due, and when more will be.
func (d *dispatcher) look(ctx context.Context) error {
	now := d.s.clock.Now()
	d.queue, d.next = nil, now.Add(poll)
	if d.s.faults.downUntil(now).After(now) { // while it is down, due things are neither posted nor planned
		return nil
	}
	if now.Sub(d.swept) > time.Hour {
		if err := d.sweep(ctx, now); err != nil {
			return err
		}
	}
	if next, err := d.s.postScheduled(ctx, now); err != nil {
		return err
	} else if !next.IsZero() && next.Before(d.next) {
		d.next = next
	}
	if d.s.faults.touchEvents() {
		if err := d.plan(ctx); err != nil {
			return err
		}
	}
	return d.s.read(ctx, func(t *tx) error {
		// Separately for each state, in index order, because there may be very
		// many.
		d.queue = rowsOf(t, scanWaiting, `SELECT id, app_id, lane, due_at FROM (
			SELECT * FROM (SELECT id, app_id, lane, due_at FROM deliveries WHERE state = 'new' AND due_at <= $1 ORDER BY due_at, id LIMIT 500) AS fresh UNION ALL
			SELECT * FROM (SELECT id, app_id, lane, due_at FROM deliveries WHERE state = 'due' AND due_at <= $1 ORDER BY due_at, id LIMIT 500) AS planned
			) AS waiting ORDER BY due_at, id LIMIT 500`, now.UnixMilli())
		later := t.number(`SELECT coalesce(min(at), 0) FROM (SELECT min(due_at) AS at FROM deliveries WHERE state = 'new' AND due_at > $1
			UNION ALL SELECT min(due_at) FROM deliveries WHERE state = 'due' AND due_at > $1) AS later`, now.UnixMilli())
		if at := time.UnixMilli(later); later > 0 && at.Before(d.next) {
			d.next = at
		}
		return nil
	})
}

// start hands what can go now to senders, and keeps the rest.
func (d *dispatcher) start(ctx context.Context) {
	now := d.s.clock.Now()
	if d.s.faults.downUntil(now).After(now) {
		// It went down after look, which may have read things that happened since.
		d.queue = nil
		return
	}
	var rest []waiting
	for _, w := range d.queue {
		lane := w.app + " " + w.lane
		switch {
		case d.flying[w.id]:
		case len(d.flying) >= d.s.cfg.Senders || d.unverified[w.app].After(now):
			rest = append(rest, w)
		case d.lanes[lane].After(now):
			rest = append(rest, w)
			if d.lanes[lane].Before(d.next) {
				d.next = d.lanes[lane]
			}
		case !d.ready(ctx, w.app, now):
			rest = append(rest, w)
		default:
			d.flying[w.id], d.lanes[lane] = true, now.Add(laneWait)
			if now.Sub(time.UnixMilli(w.due)) > late {
				d.lanes[lane] = now.Add(patience + laneWait)
			}
			go func() {
				d.s.deliver(ctx, w.id)
				d.done <- w
			}()
		}
	}
	d.queue = rest
}

// ready sends the challenge to an app's address if it has not passed it yet.
func (d *dispatcher) ready(ctx context.Context, appID string, now time.Time) bool {
	app, err := reading(ctx, d.s, func(t *tx) (*App, error) { return t.app(appID) })
	if err == nil && app.verifiedURL != app.Manifest.Settings.Events.RequestURL {
		err = d.s.verify(ctx, app)
	}
	if err != nil {
		d.unverified[appID] = now.Add(verifyPause)
		d.s.cfg.Log.Warn("sandbox: an app's events address is not verified", "app", appID, "error", err)
	}
	return err == nil
}

// plan decides the fate of new deliveries.
func (d *dispatcher) plan(ctx context.Context) error {
	d.s.faults.planning.Lock()
	defer d.s.faults.planning.Unlock()
	_, err := d.s.plan(ctx)
	return err
}

// plan lets the faults decide the fate of new deliveries, once for each event and
// in order, so that the same seed gives the same fates. more says that others wait.
// The caller holds faults.planning.
func (s *Sandbox) plan(ctx context.Context) (more bool, err error) {
	const most = 500
	now := s.clock.Now()
	fresh, err := reading(ctx, s, func(t *tx) ([]Delivery, error) {
		return sqldb.Collect(t.Tx, scanDelivery, deliveryColumns+"WHERE state = 'new' ORDER BY id LIMIT $1", most)
	})
	if err != nil || len(fresh) == 0 {
		return false, err
	}
	fates := make([]fate, len(fresh))
	for i, one := range fresh {
		fates[i] = s.faults.event(one.Type)
	}
	return len(fresh) == most, s.write(ctx, func(t *tx) error {
		for i, one := range fresh {
			state := "due"
			if fates[i].lose {
				state = "lost"
			}
			// It may be delivered by now, if no fault applied to it.
			n, err := t.Exec("UPDATE deliveries SET state = $2, due_at = $3 WHERE id = $1 AND state = 'new'", one.ID, state, now.Add(fates[i].delay).UnixMilli())
			if err != nil {
				return err
			}
			if n == 0 {
				continue
			}
			for range fates[i].copies {
				t.run(`INSERT INTO deliveries (event_id, app_id, team_id, type, lane, body, state, retries, reason, due_at, created_at)
					SELECT event_id, app_id, team_id, type, lane, body, 'due', 0, '', due_at, created_at FROM deliveries WHERE id = $1`, one.ID)
			}
		}
		return nil
	})
}

// sweep deletes old deliveries.
func (d *dispatcher) sweep(ctx context.Context, now time.Time) error {
	d.swept = now
	return d.s.write(ctx, func(t *tx) error {
		for _, statement := range []string{
			"DELETE FROM deliveries WHERE created_at < $1 AND state NOT IN ('new', 'due')",
			"DELETE FROM triggers WHERE created_at < $1",
			"DELETE FROM response_urls WHERE created_at < $1",
			"DELETE FROM oauth_codes WHERE created_at < $1",
			"DELETE FROM changes WHERE created_at < $1",
		} {
			t.run(statement, now.Add(-keepDeliveries).UnixMilli())
		}
		return nil
	})
}

// deliver sends one callback and stores the outcome. If ctx ends on the way,
// nothing is stored and the delivery stays due.
func (s *Sandbox) deliver(ctx context.Context, id int64) {
	var d Delivery
	var app *App
	err := s.read(ctx, func(t *tx) (err error) {
		if d, err = scanDelivery(t.Row(deliveryColumns+"WHERE id = $1", id).Scan); err != nil {
			return err
		}
		app, err = t.app(d.AppID)
		return err
	})
	// A delivery that was read a while ago may be done by now.
	if err != nil || d.State != "new" && d.State != "due" || d.Due.After(s.clock.Now()) {
		return
	}
	header := http.Header{}
	if d.Retries > 0 {
		header.Set("X-Slack-Retry-Num", strconv.Itoa(d.Retries))
		header.Set("X-Slack-Retry-Reason", d.Reason)
	}
	a, err := s.callback(ctx, app, app.Manifest.Settings.Events.RequestURL, "application/json", []byte(d.Body), header)
	if ctx.Err() != nil {
		return
	}
	reason := retryReason(a, err)
	state, retries, due := "delivered", d.Retries, d.Due
	switch {
	case reason == "":
	case a.noRetry || d.Retries >= len(s.cfg.RetryAfter):
		state = "failed"
	default:
		if after := s.cfg.RetryAfter[d.Retries]; after > 0 { // a retry at once keeps its place
			due = s.clock.Now().Add(after)
		}
		state = "due"
		retries++
	}
	if err := s.write(ctx, func(t *tx) error {
		if state == "due" {
			t.Ring(deliveriesTopic)
		}
		t.run("UPDATE deliveries SET state = $2, retries = $3, reason = $4, due_at = $5 WHERE id = $1",
			d.ID, state, retries, reason, due.UnixMilli())
		return nil
	}); err != nil && ctx.Err() == nil {
		s.cfg.Log.Error("sandbox: could not store the result of a delivery", "error", err)
	}
}
