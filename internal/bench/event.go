package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/outbound"
	"frontdesk/internal/service"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
	"frontdesk/internal/webhook"
	"frontdesk/internal/wire"
	"frontdesk/internal/worker"
)

// benchEvent counts recorded events, reports what one adds to a change of a
// request, and counts webhook deliveries to a receiver on this machine, compared
// with as many plain calls to it.
func benchEvent(ctx context.Context, engines map[sqldb.Engine]string) {
	fmt.Printf("Events: recorded by %d callers, one a transaction; what one adds to a change of a request; and delivered to a webhook\n", writers)
	for _, engine := range names(engines) {
		var recorded, without, with, cost, numbered, told, bare []float64
		for range *rounds {
			var r eventRate
			// Each on its own desk, because the process that numbers events holds a
			// lease.
			onEventDesk(ctx, engine, engines[engine], func(d *eventDesk) { d.records(ctx, &r) })
			onEventDesk(ctx, engine, engines[engine], func(d *eventDesk) { d.delivers(ctx, &r) })
			recorded, without, with = append(recorded, r.recorded), append(without, r.without), append(with, r.with)
			cost = append(cost, r.cost)
			numbered, told, bare = append(numbered, r.numbered), append(told, r.told), append(bare, r.bare)
		}
		fmt.Printf("  %-8s %7.0f/s recorded   %7.0f/s numbered\n", engine, median(recorded), median(numbered))
		fmt.Printf("           %7.0f/s changes without an event   %7.0f/s with one: it adds %.0f%% to the time, and %.0f%% to our CPU (goal under 15%%)\n",
			median(without), median(with), 100*(median(ratios(without, with))-1), 100*(median(cost)-1))
		fmt.Printf("           %7.0f/s delivered, signed and logged   %7.0f/s plain calls of the same receiver: ratio %.2f (a queue in memory does about 2,500/s)\n",
			median(told), median(bare), median(ratios(told, bare)))
	}
}

// eventRate is the result of one round.
type eventRate struct{ recorded, numbered, without, with, cost, told, bare float64 }

// delivered is how many events are delivered to a webhook in a round.
const delivered = 10_000

// onEventDesk makes a desk with requests.
func onEventDesk(ctx context.Context, engine sqldb.Engine, server string, fn func(*eventDesk)) {
	url, drop := freshURL(engine, server)
	defer drop()
	b := openBase(ctx, url)
	defer b.db.Close()
	const n = 1000
	fn(&eventDesk{base: b, account: b.fillRequests(ctx, n), requests: n})
}

// records measures the cost of recording.
func (d *eventDesk) records(ctx context.Context, r *eventRate) {
	r.recorded = repeat(ctx, writers, *length, func() error { return d.record(ctx) })
	r.numbered = d.number(ctx)
	// In turns, because the tables grow meanwhile.
	const turns = 10
	var cpu [2]float64
	for range turns {
		for i, event := range []desk.EventType{"", desk.RequestUpdated} {
			began := ownCPU()
			rate := repeat(ctx, writers, *length/turns, func() error { return d.change(ctx, event) })
			cpu[i] += (ownCPU() - began).Seconds() / rate
			if event == "" {
				r.without += rate / turns
			} else {
				r.with += rate / turns
			}
		}
	}
	r.cost = cpu[1] / cpu[0]
}

// ownCPU returns the CPU time that this process has used.
func ownCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// eventDesk is a desk where things happen.
type eventDesk struct {
	*base
	account  desk.AccountID
	requests int64
	turn     atomic.Int64
}

var nobody = desk.Actor{Name: "bench", Source: desk.SourceAPI}

// customer is what most events here are about, because the search index does not
// follow customers.
var customer = desk.Customer{Name: "Harbor & Pine", Domains: []string{"harborpine.example"}, Channels: []string{"C0123456789"}, Version: 1}

func customerEvent(id int64) desk.Change {
	return desk.Change{By: nobody, Event: desk.CustomerUpdated, After: customer, Resource: "Customer", ID: strconv.FormatInt(id, 10)}
}

// record records an event and does nothing else.
func (d *eventDesk) record(ctx context.Context) error {
	return d.store.Write(ctx, d.account, func(tx *store.Tx) error { return tx.Record(customerEvent(d.turn.Add(1))) })
}

// change does everything that a change of a request takes, including its history
// and its audit log entry.
func (d *eventDesk) change(ctx context.Context, event desk.EventType) error {
	id := desk.RequestID(d.turn.Add(1)%d.requests + 1)
	return d.store.Write(ctx, d.account, func(tx *store.Tx) error {
		r, err := tx.Request(id, desk.Everything)
		if err != nil {
			return err
		}
		before := r.Clone()
		r.Title, r.UpdatedAt = strconv.FormatInt(tx.Now.UnixNano(), 10), tx.Now
		if err := tx.SaveRequest(before, &r); err != nil {
			return err
		}
		e := desk.NewHistoryEntry(nobody, string(desk.RequestUpdated), before, r, tx.Now)
		if err := tx.AddHistory(&e); err != nil {
			return err
		}
		return tx.Record(desk.Change{By: nobody, Action: "request.updated", Resource: "Request", ID: strconv.FormatInt(int64(id), 10), Before: before, After: r, Event: event})
	})
}

// number numbers what was recorded.
func (d *eventDesk) number(ctx context.Context) float64 {
	end := func() (seq int64) {
		check(d.store.Read(ctx, d.account, func(tx *store.Tx) (err error) {
			seq, err = tx.FeedEnd()
			return err
		}))
		return seq
	}
	before, began := end(), time.Now()
	for must(d.store.Sequence(ctx)) {
	}
	took := time.Since(began).Seconds()
	return float64(end()-before) / took
}

// delivers sends events to a webhook, and then calls the same receiver without any
// of that.
func (d *eventDesk) delivers(ctx context.Context, r *eventRate) {
	receiver := startChild(ctx, "receiver")
	defer receiver.stop()
	sender := webhook.NewSender(outbound.New(outbound.Config{AllowPrivate: true}))
	s, w := service.New(service.Config{Store: d.store, Webhooks: sender}), worker.New(worker.Config{Store: d.store, Webhooks: sender})
	url, types := "http://"+receiver.addr+"/", []desk.EventType{desk.CustomerUpdated}
	admin := service.Caller{Account: d.account, Role: desk.Admin, Scope: desk.ReadWrite, Actor: nobody}
	must(s.CreateWebhook(ctx, admin, desk.GivenWebhook{URL: &url, EventTypes: &types}))
	body := must(wire.Object(customer))
	const customers = 1000
	for range delivered / customers {
		check(d.store.Write(ctx, d.account, func(tx *store.Tx) error {
			for i := range customers {
				if err := tx.Record(customerEvent(int64(i))); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	ctx, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	began := time.Now()
	running.Go(func() { w.Run(ctx, ctx) })
	d.calls(ctx, receiver, delivered)
	r.told = delivered / time.Since(began).Seconds()
	r.bare = repeat(ctx, 16, *length, func() error {
		answer, err := http.Post(url, "application/json", bytes.NewReader(body))
		if err != nil {
			return err
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		return answer.Body.Close()
	})
}

// calls waits until a receiver has been called this often.
func (d *eventDesk) calls(ctx context.Context, receiver *child, n int) {
	for {
		text := must(fetch(ctx, "GET", "http://"+receiver.addr+"/calls", "", ""))
		if got, _ := strconv.Atoi(string(text)); got >= n {
			return
		}
		check(pause(ctx, 5*time.Millisecond))
	}
}

// receiverHandler is the other end of a webhook. It counts calls.
func receiverHandler() http.Handler {
	var calls atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		calls.Add(1)
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /calls", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, calls.Load()) })
	return mux
}
