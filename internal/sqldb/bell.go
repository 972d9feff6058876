package sqldb

import (
	"context"
	"crypto/rand"
	"database/sql"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Listen returns a bell that rings after the commit of a transaction that called
// Ring for the topic, in this process or another. Several rings that the listener
// has not received yet become one. A bell is only a hint to look at the table and
// can be missed, so also look from time to time without one. stop ends the
// listening.
func (db *DB) Listen(topic string) (bell <-chan struct{}, stop func()) { return db.bells.listen(topic) }

// Rung counts the rings of a topic that this process has received. It counts before
// it wakes a listener. So data that was read after the count was taken is at least
// as new as the change that woke the reader.
func (db *DB) Rung(topic string) *atomic.Uint64 { return &db.bells.topic(topic).rung }

// Attend is Listen for work that any one process can do, such as the jobs of a queue.
// While somebody attends to a topic, the rings of this process stay in it, so that
// other processes need not look for work that is done here. Somebody who cannot do all
// of the work calls PassOn. Rings that nobody attends to go to all processes.
func (db *DB) Attend(topic string) *Attendant { return db.bells.attend(topic) }

// Attendant attends to a topic until Stop.
type Attendant struct {
	// Here rings for this process, Elsewhere for rings that other processes passed on
	// or had nobody to attend to. Elsewhere also rings if some may have been missed.
	Here, Elsewhere <-chan struct{}

	bells           *bells
	topic           string
	here, elsewhere chan struct{}
}

// PassOn rings in the other processes.
func (a *Attendant) PassOn() { a.bells.announce(a.topic) }

// Stop ends the attendance.
func (a *Attendant) Stop() {
	a.bells.mu.Lock()
	defer a.bells.mu.Unlock()
	t := a.bells.topics[a.topic]
	t.attending = slices.DeleteFunc(t.attending, func(other *Attendant) bool { return other == a })
}

// bells wakes the listeners in this process.
type bells struct {
	mu     sync.Mutex
	topics map[string]*topic // topics that have or had listeners

	announce func(topics ...string)   // rings in other processes
	tell     func(topic, word string) // says a word in other processes
}

type topic struct {
	rung      atomic.Uint64
	listening []chan struct{}
	attending []*Attendant
	hearing   []*hearer
}

func newBells() *bells {
	return &bells{topics: map[string]*topic{}, announce: func(...string) {}, tell: func(string, string) {}}
}

func (b *bells) topic(name string) *topic {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.topics[name]
	if t == nil {
		t = new(topic)
		b.topics[name] = t
	}
	return t
}

func (b *bells) listen(name string) (<-chan struct{}, func()) {
	t, bell := b.topic(name), make(chan struct{}, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	t.listening = append(t.listening, bell)
	return bell, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		t.listening = slices.DeleteFunc(t.listening, func(c chan struct{}) bool { return c == bell })
	}
}

func (b *bells) attend(name string) *Attendant {
	t, here, elsewhere := b.topic(name), make(chan struct{}, 1), make(chan struct{}, 1)
	a := &Attendant{Here: here, Elsewhere: elsewhere, bells: b, topic: name, here: here, elsewhere: elsewhere}
	b.mu.Lock()
	defer b.mu.Unlock()
	t.attending = append(t.attending, a)
	return a
}

// ring rings for a transaction of this process.
func (b *bells) ring(topics ...string) {
	if len(topics) == 0 {
		return
	}
	var unattended []string
	b.mu.Lock()
	for _, name := range topics {
		t := b.topics[name]
		if t != nil {
			t.ring()
		}
		if t == nil || len(t.attending) == 0 {
			unattended = append(unattended, name)
			continue
		}
		for _, a := range t.attending {
			wake(a.here)
		}
	}
	b.mu.Unlock()
	b.announce(unattended...)
}

// ringElsewhere rings for another process.
func (b *bells) ringElsewhere(topics ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, name := range topics {
		if t := b.topics[name]; t != nil {
			t.ringElsewhere()
		}
	}
}

// ringAll rings everything, for rings that may have been missed.
func (b *bells) ringAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range b.topics {
		t.ringElsewhere()
	}
}

func (t *topic) ring() {
	t.rung.Add(1)
	for _, bell := range t.listening {
		wake(bell)
	}
}

func (t *topic) ringElsewhere() {
	t.ring()
	for _, a := range t.attending {
		wake(a.elsewhere)
	}
}

func wake(bell chan struct{}) {
	select {
	case bell <- struct{}{}:
	default: // the listener has not received the last ring yet
	}
}

// channel is the one PostgreSQL notification channel. A payload is the sender's
// mark, the topics that ring, and the words.
const channel = "frontdesk"

// heraldPause is the shortest time between two notifications of one process.
const heraldPause = 50 * time.Millisecond

// payloadLimit bounds the size of a notification. PostgreSQL accepts less than
// 8,000 bytes.
const payloadLimit = 7900

// notifyTimeout bounds one notification. A server that does not answer must not
// hold up the next notification or stop.
const notifyTimeout = 5 * time.Second

// listenCheck is how long the connection that listens may be silent before it is
// asked for an answer.
const listenCheck = 15 * time.Second

// herald sends rings to other processes and receives theirs. NOTIFY inside an
// operation's transaction would take a lock that all commits share. So the herald
// sends the rings afterwards, many in one notification.
type herald struct {
	cfg   *pgx.ConnConfig // of the connection that listens
	pool  *sql.DB
	bells *bells
	log   *slog.Logger
	check time.Duration // listenCheck
	mark  string        // of this process, which ignores its own notifications

	mu     sync.Mutex
	due    map[string]bool
	words  []string // in the order in which they were said
	wake   chan struct{}
	cancel context.CancelFunc
	ended  sync.WaitGroup
}

func startHerald(cfg *pgx.ConnConfig, pool *sql.DB, b *bells, c Config) *herald {
	ctx, cancel := context.WithCancel(context.Background())
	h := &herald{
		cfg: cfg, pool: pool, bells: b, log: c.Log, check: c.listenCheck, mark: rand.Text(),
		due: map[string]bool{}, wake: make(chan struct{}, 1), cancel: cancel,
	}
	b.announce, b.tell = h.announce, h.tell
	h.ended.Go(func() { h.sendAnnounced(ctx) })
	h.ended.Go(func() { h.listen(ctx) })
	return h
}

func (h *herald) stop() {
	h.cancel()
	h.ended.Wait()
}

// announce adds topics to the next notification.
func (h *herald) announce(topics ...string) {
	if len(topics) == 0 {
		return
	}
	h.mu.Lock()
	for _, t := range topics {
		h.due[t] = true
	}
	h.mu.Unlock()
	wake(h.wake)
}

func (h *herald) sendAnnounced(ctx context.Context) {
	for {
		select {
		case <-h.wake:
		case <-ctx.Done():
			h.notify() // a short-lived process must still announce its last changes
			return
		}
		h.notify()
		sleep(ctx, heraldPause)
	}
}

// notification sends a payload. Its commit does not wait for the disk, because a
// notification need not outlive a crash.
const notification = "SELECT set_config('synchronous_commit', 'off', TRUE), pg_notify($1, $2)"

// notify sends the topics that are due.
func (h *herald) notify() {
	ctx, cancel := context.WithTimeout(context.Background(), notifyTimeout)
	defer cancel()
	for _, payload := range h.payloads() {
		if _, err := h.pool.ExecContext(ctx, notification, channel, payload); err != nil {
			// The notification is lost. Other processes find the rows the next time
			// they look.
			h.log.Warn("could not notify other processes", "error", translate(err))
			return
		}
	}
}

// payloads returns the due topics and words in as few payloads as possible and clears
// them.
func (h *herald) payloads() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []string
	payload := h.mark
	for _, item := range slices.Concat(slices.Collect(maps.Keys(h.due)), h.words) {
		if len(payload)+1+len(item) > payloadLimit {
			all = append(all, payload)
			payload = h.mark
		}
		payload += " " + item
	}
	if payload != h.mark {
		all = append(all, payload)
	}
	clear(h.due)
	h.words = nil
	return all
}

func (h *herald) listen(ctx context.Context) {
	for ctx.Err() == nil {
		if err := h.listenUntilLost(ctx); err != nil && ctx.Err() == nil {
			h.log.Warn("could not listen to other processes", "error", translate(err))
		}
		sleep(ctx, time.Second)
	}
}

func (h *herald) listenUntilLost(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, h.cfg)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		return err
	}
	h.bells.ringAll() // for the rings that were missed while not connected
	for {
		n, err := h.waitForNotification(ctx, conn)
		if err != nil {
			return err
		}
		if items := strings.Fields(n.Payload); len(items) > 0 && items[0] != h.mark {
			for _, item := range items[1:] {
				h.bells.received(item)
			}
		}
	}
}

// waitForNotification returns the next notification. Silence may mean that the server
// is gone and could not say so, or that something between us and it has forgotten the
// connection. So it asks now and then.
func (h *herald) waitForNotification(ctx context.Context, conn *pgx.Conn) (*pgconn.Notification, error) {
	for {
		wait, cancel := context.WithTimeout(ctx, h.check)
		n, err := conn.WaitForNotification(wait)
		silent := wait.Err() != nil && ctx.Err() == nil
		cancel()
		if err == nil || !silent {
			return n, err
		}
		answer, cancel := context.WithTimeout(ctx, h.cfg.ConnectTimeout)
		err = conn.Ping(answer)
		cancel()
		if err != nil {
			return nil, err
		}
	}
}

// sleep waits for d or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
