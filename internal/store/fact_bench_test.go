package store_test

import (
	"fmt"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/service"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// BenchmarkFacts measures what updating facts adds to a change of a request. Two
// desks take turns, one of which updates no facts. The median of the ratios of
// their turns counts. The CPU time is that of this process, so it does not include
// PostgreSQL's.
//
//	scripts/with-postgres --durable go test -run '^$' -bench Facts -benchtime 10s ./internal/store
func BenchmarkFacts(b *testing.B) {
	for _, engine := range []sqldb.Engine{sqldb.SQLite, sqldb.Postgres} {
		for _, op := range []struct {
			name string
			run  func(d *factDesk, caller, n int) error
		}{
			{"create", (*factDesk).create}, {"message", (*factDesk).message}, {"update", (*factDesk).update},
		} {
			b.Run(string(engine)+"/"+op.name, func(b *testing.B) {
				without, with := newFactDesk(b, engine, false), newFactDesk(b, engine, true)
				var times, cpus, each [2][]float64
				const turn = 10 // per caller
				b.ResetTimer()
				for done := 0; done < b.N; done += turn * factCallers {
					// The first to run also bears the other's pending writes to
					// disk, so the order alternates.
					order := []int{0, 1}
					if done/(turn*factCallers)%2 == 1 {
						order = []int{1, 0}
					}
					for _, i := range order {
						d := []*factDesk{without, with}[i]
						began, cpu := time.Now(), ownCPU()
						if err := d.all(done/factCallers, turn, op.run); err != nil {
							b.Fatal(err)
						}
						times[i] = append(times[i], time.Since(began).Seconds())
						cpus[i] = append(cpus[i], (ownCPU() - cpu).Seconds())
						each[i] = append(each[i], 1e6*time.Since(began).Seconds()/(turn*factCallers))
					}
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(middle(each[0]), "µs-without")
				b.ReportMetric(middle(each[1]), "µs-with")
				b.ReportMetric(added(times), "%-of-time")
				b.ReportMetric(added(cpus), "%-of-CPU")
			})
		}
	}
}

// factCallers is how many callers change requests at once, each its own requests.
const factCallers = 8

// factDesk is a desk with requests that already have messages.
type factDesk struct {
	*service.Service
	asks, answers service.Caller
	requests      [factCallers][]desk.RequestID
}

func newFactDesk(b *testing.B, engine sqldb.Engine, keeps bool) *factDesk {
	b.Helper()
	s := store.New(dbtest.Open(b, sqldb.Config{URL: dbtest.URL(b, engine), Log: quiet}), key, nil)
	if !keeps {
		store.KeepNoFacts(s)
	}
	d := &factDesk{Service: service.New(service.Config{Store: s, Log: quiet})}
	account, admin, err := d.NewAccount(ctx, "Acme", desk.NewMember{Email: "admin@acme.example"})
	must(b, err)
	d.answers = service.Caller{Account: account.ID, Role: desk.Admin, Scope: desk.ReadWrite, Actor: desk.Actor{ID: admin.ID, Name: "Kim", Email: admin.Email, Source: desk.SourceAPI}}
	d.asks = d.answers
	d.asks.Actor = desk.Actor{Name: "Jo", Email: "jo@customer.example", Source: desk.SourceAPI}
	_, err = d.CreateCollection(ctx, d.answers, desk.NewCollection{Name: "API", Kind: desk.APICollection})
	must(b, err)
	for caller := range d.requests {
		const requests, messages = 10, 4
		for i := range requests {
			must(b, d.create(caller, i))
		}
		for i := range requests * messages {
			must(b, d.message(caller, i))
		}
	}
	return d
}

// all makes every caller run op a number of times.
func (d *factDesk) all(first, times int, op func(d *factDesk, caller, n int) error) error {
	var wg sync.WaitGroup
	var failed [factCallers]error
	for caller := range factCallers {
		wg.Go(func() {
			for n := range times {
				if err := op(d, caller, first+n); err != nil {
					failed[caller] = err
				}
			}
		})
	}
	wg.Wait()
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *factDesk) create(caller, _ int) error {
	made, err := d.CreateRequest(ctx, d.asks, desk.NewRequest{Description: "Our export fails since this morning, can you help?"})
	d.requests[caller] = append(d.requests[caller], made.ID)
	return err
}

// message alternates between questions and answers, so that every second message
// ends a wait.
func (d *factDesk) message(caller, n int) error {
	ids := d.requests[caller]
	by, text := d.answers, "<p>We are looking at it and will tell you more within the hour.</p>"
	if n/len(ids)%2 == 1 {
		by, text = d.asks, "<p>It has failed again, what can we do?</p>"
	}
	_, err := d.AddMessage(ctx, by, ids[n%len(ids)], desk.NewMessage{HTML: &text})
	return err
}

// update changes something that facts are derived from.
func (d *factDesk) update(caller, n int) error {
	ids := d.requests[caller]
	title, priority := fmt.Sprint("Export ", n), []desk.Priority{desk.High, desk.Normal}[n/len(ids)%2]
	_, err := d.UpdateRequest(ctx, d.answers, ids[n%len(ids)], desk.RequestChange{Title: &title, Priority: &priority})
	return err
}

// ownCPU returns the CPU time that this process has used.
func ownCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// added returns by how many percent the second values exceed the first.
func added(values [2][]float64) float64 {
	ratios := make([]float64, len(values[0]))
	for i := range ratios {
		ratios[i] = values[1][i] / values[0][i]
	}
	return 100 * (middle(ratios) - 1)
}

func middle(values []float64) float64 {
	return slices.Sorted(slices.Values(values))[len(values)/2]
}
