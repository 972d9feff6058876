package service

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"frontdesk/internal/desk"
)

// BenchmarkPresence is what 2,000 people, two at each request, cost a process: what they
// say every 15 seconds, each with its look at the database, and what all of their
// streams do every two seconds. ms/s is that together, as CPU of one core.
func BenchmarkPresence(b *testing.B) {
	const people = 2000
	c := newCompany(b)
	c.newCollection("API", desk.APICollection)
	id := c.request("A", "x").ID
	before := held()
	callers, followers := make([]Caller, people), make([]*PresenceFollower, people)
	for i := range callers {
		callers[i] = c.caller()
		callers[i].Session, callers[i].Token, callers[i].Actor.ID = true, desk.TokenID(10_000+i), desk.MemberID(10_000+i)
		followers[i] = c.FollowPresence(callers[i])
		who := desk.Present{Member: callers[i].Actor.ID, Name: fmt.Sprint("Somebody ", i), Doing: desk.Looking}
		c.presences.put(sessionKey{c.account.ID, callers[i].Token}, "tab", requestPlace{c.account.ID, desk.RequestID(1_000_000 + i/2)}, who)
	}
	for i, f := range followers {
		f.told = map[desk.RequestID][]desk.Present{}
		for id, others := range f.news(callers[i].Actor.ID) {
			f.told[id] = others
		}
	}
	size := float64(held()-before) / people
	began := time.Now()
	for range people { // all at one request would be the worst; a call of one who is there already is the usual one
		if _, err := c.SetPresence(ctx, callers[0], id, desk.GivenPresence{Tab: "here", Doing: desk.Just(desk.Looking)}); err != nil {
			b.Fatal(err)
		}
	}
	said := time.Since(began)
	looked := time.Duration(0)
	rounds := 0
	for b.Loop() {
		began := time.Now()
		for i, f := range followers {
			f.news(callers[i].Actor.ID)
		}
		looked += time.Since(began)
		rounds++
	}
	b.ReportMetric(size, "bytes/person")
	b.ReportMetric(float64(said.Microseconds())/people, "µs/call")
	b.ReportMetric(float64(looked.Microseconds())/float64(rounds)/people, "µs/look")
	b.ReportMetric(said.Seconds()*1000/15+looked.Seconds()*1000/float64(rounds)/2, "ms/s")
}

func held() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
