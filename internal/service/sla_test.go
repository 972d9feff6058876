package service

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/hours"
	"frontdesk/internal/job"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
	"frontdesk/internal/worker"
)

// promises is a company with SLA policies.
type promises struct{ *company }

func newPromises(t *testing.T, url string) promises { return promises{newAPIDesk(t, url)} }

// workSLA does the work on clocks that a runner would do now.
func (p promises) workSLA() (done int) {
	p.t.Helper()
	for {
		var id int64
		var kind, args string
		err := p.store.DB().Write(ctx, func(tx *sqldb.Tx) error {
			if err := tx.Row("SELECT id, kind, args FROM jobs WHERE kind IN ('sla.watch', 'sla.recompute') AND run_at <= $1 ORDER BY run_at, id LIMIT 1",
				p.store.Now().UnixMilli()).Scan(&id, &kind, &args); err != nil {
				return err
			}
			_, err := tx.Exec("DELETE FROM jobs WHERE id = $1", id)
			return err
		})
		if err != nil {
			return done
		}
		done++
		if kind == "sla.recompute" {
			var a change.RecomputeSLA
			must(p.t, json.Unmarshal([]byte(args), &a))
			must(p.t, p.Do(ctx, &job.Job{ID: id, Attempt: 1}, a))
			continue
		}
		var w change.WatchSLA
		must(p.t, json.Unmarshal([]byte(args), &w))
		must(p.t, p.Do(ctx, &job.Job{ID: id, Attempt: 1}, w))
	}
}

func (p promises) policy(kind desk.SLAKind, minutes int, change func(*desk.GivenSLAPolicy)) desk.SLAPolicy {
	p.t.Helper()
	name := string(kind)
	g := desk.GivenSLAPolicy{Name: &name, Kind: &kind, TargetMinutes: &minutes}
	if kind == desk.SLAOneTouch {
		g.TargetMinutes, g.MaxReplies = nil, &minutes
	}
	if change != nil {
		change(&g)
	}
	made, err := p.CreateSLAPolicy(ctx, p.caller(), g)
	must(p.t, err)
	return made
}

// office adds a schedule of nine to five in Berlin, where the clock shows 11.
func (p promises) office() desk.Schedule {
	p.t.Helper()
	name, zone := "Office", "Europe/Berlin"
	week := map[string][]desk.GivenRange{}
	for _, day := range hours.Weekdays[:5] {
		week[day] = []desk.GivenRange{{From: "09:00", To: "17:00"}}
	}
	made, err := p.CreateSchedule(ctx, p.caller(), desk.GivenSchedule{Name: &name, TimeZone: &zone, Hours: week})
	must(p.t, err)
	return made
}

func (p promises) enter(id desk.RequestID, s desk.State) desk.Request {
	p.t.Helper()
	r, err := p.UpdateRequest(ctx, p.caller(), id, desk.RequestChange{State: &s})
	must(p.t, err)
	return r
}

// answer adds a reply by somebody other than the requester.
func (p promises) answer(id desk.RequestID) {
	p.t.Helper()
	text, c := "We look into it.", p.caller()
	c.Actor.Email = "responder@acme.example"
	_, err := p.AddMessage(ctx, c, id, desk.NewMessage{HTML: &text})
	must(p.t, err)
}

func (p promises) get(id desk.RequestID) desk.Request {
	p.t.Helper()
	r, err := p.Request(ctx, p.caller(), id, RequestParts{})
	must(p.t, err)
	return r
}

func (p promises) explain(id desk.RequestID) desk.SLAExplanation {
	p.t.Helper()
	e, err := p.SLA(ctx, p.caller(), id)
	must(p.t, err)
	return e
}

// breaches returns the SLA breaches that the feed has reported.
func (p promises) breaches() (told []string) {
	p.t.Helper()
	for _, e := range p.events() {
		if e.Type != desk.SLABreachedEvent {
			continue
		}
		var data struct {
			Request struct{ ID desk.RequestID }
			SLA     struct{ Kind desk.SLAKind }
		}
		must(p.t, json.Unmarshal(e.Data, &data))
		if data.Request.ID == 0 || e.Source != desk.SourceSystem {
			p.t.Errorf("a breach is reported as %s from %s", e.Data, e.Source)
		}
		told = append(told, string(data.SLA.Kind))
	}
	return told
}

// A breach is reported once: when the target is due, or with the late action,
// whichever comes first.
func TestSLABreachIsToldOnce(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		p := newPromises(t, url)
		p.policy(desk.SLAFirstResponse, 60, nil)
		p.policy(desk.SLAResolution, 120, nil)
		p.workSLA()
		r := p.request("Printer", "It is broken.")
		p.clock.move(time.Hour)
		if p.workSLA(); len(p.breaches()) > 0 {
			t.Fatalf("breaches at the last moment: %v", p.breaches())
		}
		p.clock.move(time.Millisecond)
		p.workSLA()
		if told := p.breaches(); !slices.Equal(told, []string{"first_response"}) {
			t.Fatalf("breaches a millisecond later: %v", told)
		}
		p.workSLA()
		p.answer(r.ID)
		if m := p.get(r.ID).Metrics(); m.FirstResponse == nil || m.FirstResponse.Breached == nil || !*m.FirstResponse.Breached {
			t.Errorf("the late answer is %+v", m.FirstResponse)
		}
		// The other target is met too late, before a job has checked it.
		p.clock.move(2 * time.Hour)
		if m := p.enter(r.ID, desk.Solved).Metrics(); m.Resolution == nil || !*m.Resolution.Breached || m.Resolution.Minutes != 180 {
			t.Errorf("the late resolution is %+v", m.Resolution)
		}
		p.workSLA()
		if told := p.breaches(); !slices.Equal(told, []string{"first_response", "resolution"}) {
			t.Errorf("breaches in the end: %v", told)
		}
	})
}

// While a clock is paused nothing becomes due, and the old due time is not
// reported.
func TestSLAPausesMoveWhatIsDue(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		p := newPromises(t, url)
		allowed := true
		_, err := p.UpdateAccount(ctx, p.caller(), desk.AccountChange{OnHoldAllowed: &allowed})
		must(t, err)
		p.policy(desk.SLAResolution, 60, nil)
		r := p.request("Printer", "It is broken.")
		p.workSLA()
		for _, pause := range []desk.State{desk.Pending, desk.OnHold, desk.Solved} {
			p.clock.move(15 * time.Minute)
			p.enter(r.ID, pause)
			p.clock.move(24 * time.Hour)
			if p.workSLA(); len(p.breaches()) > 0 {
				t.Fatalf("%s: breaches %v", pause, p.breaches())
			}
			p.enter(r.ID, desk.Open)
		}
		due := p.explain(r.ID).Resolution.Due
		if want := p.store.Now().Add(15 * time.Minute); due == nil || !due.Equal(want) {
			t.Errorf("due at %v, want %v", due, want)
		}
		p.clock.move(16 * time.Minute)
		p.workSLA()
		if told := p.breaches(); !slices.Equal(told, []string{"resolution"}) {
			t.Errorf("breaches in the end: %v", told)
		}
	})
}

// Changing a policy or a schedule recomputes open requests. History stays, unless
// the caller asks to recompute it too. The progress is shown.
func TestSLARecomputes(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		p := newPromises(t, url)
		var open, solved []desk.RequestID
		for range worker.RecomputePiece + 1 { // more than one batch, created before there was any policy
			open = append(open, p.request("Printer", "It is broken.").ID)
		}
		for range 2 {
			solved = append(solved, p.request("Printer", "It is broken.").ID)
		}
		p.clock.move(2 * time.Hour)
		for _, id := range solved {
			p.enter(id, desk.Solved)
		}
		late := func(id desk.RequestID) string {
			e := p.explain(id).Resolution
			return string(e.Status)
		}
		if now, err := p.SLARecomputation(ctx, p.caller()); err != nil || now.Scope != "" {
			t.Errorf("before any change the progress is %+v (%v)", now, err)
		}
		policy := p.policy(desk.SLAResolution, 60, nil)
		p.workSLA()
		for _, id := range open {
			if late(id) != "breached" {
				t.Fatalf("an open request is %s", late(id))
			}
		}
		if late(solved[0]) != "none" || len(p.breaches()) != len(open) {
			t.Errorf("a solved request is %s, and %d breaches were reported", late(solved[0]), len(p.breaches()))
		}
		progress, err := p.SLARecomputation(ctx, p.caller())
		if err != nil || progress.Scope != desk.RecomputeOpen || progress.Recomputed != len(open) || progress.FinishedAt == nil {
			t.Errorf("the progress is %+v (%v)", progress, err)
		}

		// With more time nothing is late, not even history if asked for. Breaches
		// in history are not reported.
		minutes, all := 180, desk.RecomputeAll
		_, err = p.UpdateSLAPolicy(ctx, p.caller(), policy.ID, desk.GivenSLAPolicy{TargetMinutes: &minutes, Recompute: &all})
		must(t, err)
		p.workSLA()
		if late(open[0]) != "running" || late(solved[0]) != "met" {
			t.Errorf("with 180 minutes they are %s and %s", late(open[0]), late(solved[0]))
		}
		minutes = 90
		_, err = p.UpdateSLAPolicy(ctx, p.caller(), policy.ID, desk.GivenSLAPolicy{TargetMinutes: &minutes})
		must(t, err)
		p.workSLA()
		if late(open[0]) != "breached" || late(solved[0]) != "met" {
			t.Errorf("with 90 minutes they are %s and %s", late(open[0]), late(solved[0]))
		}
		told := len(p.breaches())
		_, err = p.UpdateSLAPolicy(ctx, p.caller(), policy.ID, desk.GivenSLAPolicy{TargetMinutes: &minutes, Recompute: &all})
		must(t, err)
		p.workSLA()
		if late(solved[0]) != "breached" || len(p.breaches()) != told {
			t.Errorf("history is %s, and %d more breaches were reported", late(solved[0]), len(p.breaches())-told)
		}
		must(t, errOf(p.DeleteSLAPolicy(ctx, p.caller(), policy.ID)))
		p.workSLA()
		if late(open[0]) != "none" || p.explain(solved[0]).Resolution.PolicyName != "resolution" {
			t.Errorf("without the policy they are %s and %s", late(open[0]), late(solved[0]))
		}
	})
}

// Open requests are measured by what a schedule says now, and finished ones by what
// it said then.
func TestSLAFollowsItsSchedule(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		p := newPromises(t, url)
		office := p.office()
		account, err := p.Account(ctx, p.caller())
		must(t, err)
		_, err = p.UpdateCollection(ctx, p.caller(), account.APICollection, desk.CollectionChange{Settings: desk.SettingsChange{Schedule: desk.Just(office.ID)}})
		must(t, err)
		p.workSLA()
		before, after := p.request("Printer", "It is broken."), p.request("Printer", "It is broken.")
		p.clock.move(24 * time.Hour) // from 11 to 11: six hours and two hours
		if r := p.enter(before.ID, desk.Solved); r.Metrics().Resolution.Minutes != 480 || r.Metrics().Resolution.Breached != nil {
			t.Errorf("one day counts as %+v", r.Metrics().Resolution)
		}
		holidays := []desk.GivenHoliday{{Date: "2026-05-14"}}
		_, err = p.UpdateSchedule(ctx, p.caller(), office.ID, desk.GivenSchedule{Holidays: &holidays})
		must(t, err)
		p.workSLA()
		if r := p.enter(after.ID, desk.Solved); r.Metrics().Resolution.Minutes != 360 {
			t.Errorf("one day with a holiday counts as %+v", r.Metrics().Resolution)
		}
		if r := p.get(before.ID); r.Metrics().Resolution.Minutes != 480 {
			t.Errorf("history is %+v", r.Metrics().Resolution)
		}
		if _, err := p.DeleteSchedule(ctx, p.caller(), office.ID); desk.KindOf(err) != desk.Refused {
			t.Errorf("removing a schedule in use: %v", err)
		}
	})
}

// The policy is chosen when the clock starts. Later changes of the request do not
// switch it.
func TestSLAPolicyStays(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		p := newPromises(t, url)
		p.policy(desk.SLAResolution, 30, func(g *desk.GivenSLAPolicy) {
			g.Conditions = &desk.GivenConditions{Priorities: &[]desk.Priority{desk.Urgent}}
		})
		usual := p.policy(desk.SLAResolution, 600, nil)
		r := p.request("Printer", "It is broken.")
		urgent := desk.Urgent
		_, err := p.UpdateRequest(ctx, p.caller(), r.ID, desk.RequestChange{Priority: &urgent})
		must(t, err)
		p.workSLA() // this recomputes it
		if e := p.explain(r.ID).Resolution; e.Policy == nil || *e.Policy != usual.ID {
			t.Errorf("policy %v applies, want %d", e.Policy, usual.ID)
		}
	})
}

func TestSLAOneTouch(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		p := newPromises(t, url)
		p.policy(desk.SLAOneTouch, 1, nil)
		few, many := p.request("Printer", "It is broken."), p.request("Printer", "It is broken.")
		p.answer(few.ID)
		p.answer(many.ID)
		p.answer(many.ID)
		if told := p.breaches(); len(told) > 0 {
			t.Errorf("breaches before it is resolved: %v", told)
		}
		p.enter(few.ID, desk.Solved)
		p.enter(many.ID, desk.Solved)
		if e := p.explain(few.ID).OneTouch; e.Status != desk.SLAMet || e.Replies != 1 {
			t.Errorf("with one reply: %+v", e)
		}
		if e := p.explain(many.ID).OneTouch; e.Status != desk.SLABreached || e.Replies != 2 {
			t.Errorf("with two replies: %+v", e)
		}
		if told := p.breaches(); !slices.Equal(told, []string{"one_touch"}) {
			t.Errorf("breaches: %v", told)
		}
	})
}

// An import comes with its past, whose breaches are not reported. Later ones are.
func TestSLAImport(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		p := newPromises(t, url)
		p.policy(desk.SLAResolution, 60, nil)
		p.workSLA()
		ago := func(d time.Duration) *time.Time { at := p.store.Now().Add(-d); return &at }
		title, solved := "Old", desk.Solved
		list := []desk.ImportedRequest{
			{Title: &title, CreatedAt: ago(48 * time.Hour), SolvedAt: ago(47*time.Hour + 30*time.Minute), State: &solved},
			{Title: &title, CreatedAt: ago(48 * time.Hour), SolvedAt: ago(40 * time.Hour), State: &solved},
			{Title: &title, CreatedAt: ago(48 * time.Hour)},
			{Title: &title, CreatedAt: ago(30 * time.Minute)},
		}
		for i := range list {
			list[i].Requester = desk.Requester{Email: "ines@harborpine.example"}
		}
		n := 0
		made, err := p.ImportRequests(ctx, p.caller(), func() (desk.ImportedRequest, error) {
			if n == len(list) {
				return desk.ImportedRequest{}, io.EOF
			}
			n++
			return list[n-1], nil
		})
		must(t, err)
		p.workSLA()
		want := []desk.SLAStatus{desk.SLAMet, desk.SLABreached, desk.SLABreached, desk.SLARunning}
		for i, m := range made {
			if got := p.explain(m.Request).Resolution.Status; got != want[i] {
				t.Errorf("import %d is %s, want %s", i, got, want[i])
			}
		}
		if m := p.get(made[1].Request).Metrics(); !*m.Resolution.Breached || !*m.FirstResolution.Breached || m.Resolution.Minutes != 480 {
			t.Errorf("the late one is %+v", m.Resolution)
		}
		if told := p.breaches(); len(told) > 0 {
			t.Errorf("breaches of the past: %v", told)
		}
		p.clock.move(time.Hour)
		p.workSLA()
		if told := p.breaches(); len(told) != 1 {
			t.Errorf("later breaches: %v", told)
		}
	})
}

// Undoing a merge restores every clock. While requests are merged their breaches
// are not reported, and afterwards they are.
func TestSLAUndoneMerge(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		p := newPromises(t, url)
		p.policy(desk.SLAFirstResponse, 60, nil)
		p.policy(desk.SLAResolution, 600, nil)
		p.policy(desk.SLAOneTouch, 0, nil)
		p.workSLA()
		a, b := p.request("Printer", "It is broken."), p.request("Printer", "It is still broken.")
		p.clock.move(20 * time.Minute)
		p.answer(b.ID)
		p.enter(a.ID, desk.Pending)
		p.clock.move(5 * time.Minute)
		before := []desk.SLAExplanation{p.explain(a.ID), p.explain(b.ID)}
		_, err := p.MergeRequests(ctx, p.caller(), a.ID, desk.Merge{Requests: []desk.RequestID{b.ID}})
		must(t, err)
		if e := p.explain(a.ID).FirstResponse; e.Status != desk.SLAMet || e.Spent != 20*time.Minute {
			t.Errorf("merged with an answered request: %s with %v", e.Status, e.Spent)
		}
		_, err = p.UndoRequest(ctx, p.caller(), a.ID, desk.Undo{})
		must(t, err)
		if after := []desk.SLAExplanation{p.explain(a.ID), p.explain(b.ID)}; !reflect.DeepEqual(after, before) {
			t.Errorf("clocks after the undo\n%+v, before the merge\n%+v", after, before)
		}

		c := p.request("Printer", "And again.")
		_, err = p.MergeRequests(ctx, p.caller(), a.ID, desk.Merge{Requests: []desk.RequestID{c.ID}})
		must(t, err)
		p.clock.move(2 * time.Hour)
		if p.workSLA(); len(p.breaches()) > 0 {
			t.Errorf("breaches of merged requests: %v", p.breaches())
		}
		_, err = p.UndoRequest(ctx, p.caller(), a.ID, desk.Undo{})
		must(t, err)
		p.workSLA()
		if told := p.breaches(); !slices.Equal(told, []string{"first_response"}) {
			t.Errorf("breaches after the undo: %v", told)
		}
	})
}

// A merge that changes nothing in the request that others are merged into leaves
// its clocks unchanged.
func TestSLAMergeOfNothingNew(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		p := newPromises(t, url)
		p.policy(desk.SLAFirstResponse, 60, nil)
		p.policy(desk.SLAResolution, 60, nil)
		p.workSLA()
		a, b := p.request("Printer", "It is broken."), p.request("Printer", "It is still broken.")
		p.clock.move(2 * time.Hour)
		_, err := p.MergeRequests(ctx, p.caller(), a.ID, desk.Merge{Requests: []desk.RequestID{b.ID}})
		must(t, err)
		p.clock.move(time.Hour)
		p.enter(a.ID, desk.Solved)
		e := p.explain(a.ID)
		if e.FirstResponse.Status != desk.SLABreached || e.Resolution.Status != desk.SLABreached || e.Resolution.Spent != 3*time.Hour {
			t.Errorf("after three hours they are %s and %s with %v", e.FirstResponse.Status, e.Resolution.Status, e.Resolution.Spent)
		}
	})
}

// Whatever is done to requests, in whatever order, their clocks match their
// history, in every field.
func TestSLAClocksAreTheHistory(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		p := newPromises(t, url)
		allowed := true
		_, err := p.UpdateAccount(ctx, p.caller(), desk.AccountChange{OnHoldAllowed: &allowed})
		must(t, err)
		office := p.office()
		p.policy(desk.SLAFirstResponse, 200, func(g *desk.GivenSLAPolicy) { g.Schedule = desk.Just(office.ID) })
		p.policy(desk.SLAResolution, 900, func(g *desk.GivenSLAPolicy) { g.Schedule = desk.Just(office.ID) })
		p.policy(desk.SLAOneTouch, 1, nil)
		p.workSLA()
		seed := uint64(time.Now().UnixNano())
		dice := rand.New(rand.NewPCG(seed, 0))
		var ids []desk.RequestID
		for range 4 {
			ids = append(ids, p.request("Printer", "It is broken.").ID)
		}
		for step := range 120 {
			p.clock.move(time.Duration(dice.IntN(3*3600*1000)) * time.Millisecond)
			id := ids[dice.IntN(len(ids))]
			var err error
			switch dice.IntN(8) {
			case 0, 1, 2:
				s := []desk.State{desk.Open, desk.InProgress, desk.Pending, desk.OnHold, desk.Solved}[dice.IntN(5)]
				_, err = p.UpdateRequest(ctx, p.caller(), id, desk.RequestChange{State: &s})
			case 3:
				text, c := "An answer.", p.caller()
				c.Actor.Email = "responder@acme.example"
				_, err = p.AddMessage(ctx, c, id, desk.NewMessage{HTML: &text})
			case 4:
				text := "It does not work, can you help me?"
				_, err = p.AddMessage(ctx, p.caller(), id, desk.NewMessage{HTML: &text})
			case 5:
				_, err = p.UndoRequest(ctx, p.caller(), id, desk.Undo{})
			case 6:
				_, err = p.MergeRequests(ctx, p.caller(), id, desk.Merge{Requests: []desk.RequestID{ids[dice.IntN(len(ids))]}})
			case 7:
				_, err = p.UpdateRequest(ctx, p.caller(), id, desk.RequestChange{NotARequest: desk.Just(desk.Temporary)})
			}
			if k := desk.KindOf(err); err != nil && k != desk.Refused && k != desk.Invalid {
				t.Fatalf("seed %d, step %d: %v", seed, step, err)
			}
			if dice.IntN(3) == 0 {
				p.workSLA()
			}
			for _, id := range ids {
				p.sameAsHistory(seed, step, id)
			}
		}
	})
}

// sameAsHistory compares the clocks of a request with its history.
func (p promises) sameAsHistory(seed uint64, step int, id desk.RequestID) {
	p.t.Helper()
	must(p.t, p.store.Read(ctx, p.account.ID, func(tx *store.Tx) error {
		r, err := tx.Request(id, desk.Everything)
		if err != nil {
			return err
		}
		start, err := change.SLAStartOf(tx, r)
		if err != nil {
			return err
		}
		changes, err := tx.StateChanges(id)
		if err != nil {
			return err
		}
		replayed, err := change.ReplayClocks(r, r.SLAs, start, changes, change.RepliesOf(tx, r.ID))
		if err != nil {
			return err
		}
		if len(replayed) != 3 {
			p.t.Fatalf("seed %d, step %d: the history gives %d clocks", seed, step, len(replayed))
		}
		for i, c := range replayed {
			if !c.Same(r.SLAs[i]) {
				p.t.Fatalf("seed %d, step %d: request %d is stored as\n%+v\nbut its history gives\n%+v\nfrom %+v", seed, step, id, r.SLAs[i], c, r.SLAStates(start, changes))
			}
		}
		return nil
	}))
}

// A conversation that becomes a request later had no promise before. A request that
// turns out to have started earlier has waited longer.
func TestSLAStartsWithTheRequest(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		p := newPromises(t, url)
		p.policy(desk.SLAResolution, 60, nil)
		p.workSLA()
		account, err := p.Account(ctx, p.caller())
		must(t, err)
		said := desk.Request{Title: "Lunch?", TitleBy: desk.ByRules, Priority: desk.Normal, PriorityBy: desk.ByRules, Source: desk.FromChat,
			Collection: desk.CollectionRef{ID: account.APICollection}, CreatedAt: p.store.Now(), UpdatedAt: p.store.Now(), LastMessageAt: p.store.Now()}
		must(t, p.store.Write(ctx, p.account.ID, func(tx *store.Tx) error { return tx.AddRequest(&said) }))
		if e := p.explain(said.ID).Resolution; e.Status != desk.SLANone {
			t.Errorf("a conversation has the promise %+v", e)
		}
		p.clock.move(24 * time.Hour)
		p.enter(said.ID, desk.Open)
		p.clock.move(30 * time.Minute)
		e := p.explain(said.ID).Resolution
		if e.Status != desk.SLARunning || e.Spent != 30*time.Minute {
			t.Errorf("half an hour after it became a request it is %s with %v", e.Status, e.Spent)
		}
		if r := p.enter(said.ID, desk.Solved); r.Metrics().Resolution.Minutes != 24*60+30 || *r.Metrics().Resolution.Breached {
			t.Errorf("the metric is %+v", r.Metrics().Resolution)
		}

		made := p.request("Printer", "It is broken.")
		must(t, p.store.Write(ctx, p.account.ID, func(tx *store.Tx) error { return tx.BackdateRequest(made.ID, tx.Now.Add(-50*time.Minute)) }))
		p.clock.move(20 * time.Minute)
		if r := p.enter(made.ID, desk.InProgress); r.CreatedAt.Equal(made.CreatedAt) {
			t.Error("it was not backdated")
		}
		if e := p.explain(made.ID).Resolution; e.Status != desk.SLABreached || e.Spent != 70*time.Minute {
			t.Errorf("after the earlier message: %s with %v", e.Status, e.Spent)
		}
	})
}
