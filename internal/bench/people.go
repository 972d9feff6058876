package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

// Many people have their inbox open on one server. Each has a session, an event
// stream and, beside it, the connection over which their browser makes calls. Each is
// at a request, two at the same one, and says so as the web app does
// (web/src/data/presence.ts): again every 15 seconds, and when they go on to another.
//
// First a quarter of them comes, then all. What one person costs must not grow with
// the number of the others: that would be the square of the people.
//
//  1. At rest they only say that they are there.
//  2. Half of them goes on to another request every ten seconds.
//  3. Besides, requests change, 20 a second, and every stream is told.
//
// What their browsers read when they open a request is not among it: those are calls
// like others, which the cost has (-only cost). What their sidebars count is shown
// beside.
const (
	// saidTime and moveTime are how often somebody says that they are there, and how
	// often those who move go on.
	saidTime = 15 * time.Second
	moveTime = 10 * time.Second
	// perSecond is how many requests change in a second.
	perSecond = 20
	// phaseTime is how long each of the three is watched. In it everybody says at least
	// once that they are there.
	phaseTime = 20 * time.Second
	// mostPeopleRequests is how many requests the desk has at most: they make no
	// difference to streams.
	mostPeopleRequests = 10_000
	// countTime is how often the sidebar of somebody counts while requests change all the
	// time (web/src/data/viewCounts.ts).
	countTime = 15 * time.Second

	// Goals for SQLite: kB of memory for each person; ms of CPU a second for all of them,
	// of which a server with two cores has 2,000; ms until the last of them knows of a
	// change, in the middle; and how much more one costs among four times as many.
	personGoal     = 120.0
	restGoal       = 250.0
	movingGoal     = 500.0
	changingGoal   = 1000.0
	countingGoal   = 1000.0
	lastToldGoal   = 500.0
	growthOfPeople = 1.5
)

// person is somebody with an open inbox.
type person struct {
	s      *served
	cookie string
	tab    string
	line   *line // for calls
	at     int64 // the request where they are
}

// crowd is everybody who is there.
type crowd struct {
	s      *served
	people []*person
	moving atomic.Bool
	left   sync.WaitGroup
	wrong  atomic.Pointer[error]

	changes []seenChange
	done    atomic.Int64 // changes that everybody was told of
}

// seenChange is a change of a request on its way to all streams.
type seenChange struct {
	began atomic.Int64 // in nanoseconds, as took
	took  atomic.Int64
	seen  atomic.Int64
}

// benchPeople shows what people with an open inbox cost a server.
func benchPeople(ctx context.Context, engines map[sqldb.Engine]string) {
	binary, drop := buildBinary(ctx)
	defer drop()
	fmt.Printf("%d people with an open inbox on one server, two at each request; CPU of the server\n", *people)
	for _, engine := range names(engines) {
		peopleOn(ctx, binary, engine, engines[engine])
	}
}

func peopleOn(ctx context.Context, binary string, engine sqldb.Engine, server string) {
	var postgres *postgresServer
	if engine == sqldb.Postgres {
		postgres = findPostgres(server)
	}
	s := startServed(ctx, string(engine), binary, engine, server, postgres)
	defer s.close()
	s.fill(ctx, min(*requests, mostPeopleRequests))
	cookies := s.addPeople(ctx, *people)
	s.stop() // what filling took is not theirs
	s.serve(ctx)
	s.quiet(ctx, soon)
	s.collect(ctx)
	before := memoryOf(s.pid, "VmRSS")

	ctx, stop := context.WithCancel(ctx)
	c := &crowd{s: s, changes: make([]seenChange, perSecond*int(phaseTime/time.Second))}
	defer c.left.Wait()
	defer stop()
	quarter := len(cookies) / 4
	c.come(ctx, cookies[:quarter])
	few := c.watch(ctx, "a quarter of them", false)
	c.come(ctx, cookies[quarter:])
	c.settle(ctx)
	all := c.watch(ctx, "all of them", true)
	s.collect(ctx)
	each := (memoryOf(s.pid, "VmRSS") - before) * 1000 / float64(len(c.people))
	fmt.Printf("  %9s memory: %.0f kB for each (goal %.0f: %s)\n", s.name, each, personGoal, mark(each <= personGoal))
	fmt.Printf("  %9s one among all costs, beside one among a quarter: at rest %.2f times, moving %.2f times (goal %.1f: %s)\n", "",
		all.rest/few.rest/4, all.moving/few.moving/4, growthOfPeople, mark(max(all.rest/few.rest, all.moving/few.moving)/4 <= growthOfPeople))
	c.change(ctx)
	c.showCounting(ctx)
	c.mustBeWell()
}

// addPeople adds members with a session each, and returns their cookies. To sign in
// through the API would cost a minute of hashing passwords.
func (s *served) addPeople(ctx context.Context, n int) (cookies []string) {
	db := must(sqldb.Open(ctx, sqldb.Config{URL: s.url}))
	defer db.Close()
	var account desk.AccountID
	check(db.Read(ctx, func(tx *sqldb.Tx) error { return tx.Row("SELECT id FROM accounts").Scan(&account) }))
	check(store.New(db, seal.NewKey(), nil).Write(ctx, account, func(tx *store.Tx) error {
		cookies = nil // it may be tried again
		for i := range n {
			m := desk.Member{Email: fmt.Sprintf("agent.%d@acme.test", i), Name: fmt.Sprintf("Agent %d", i), Role: desk.Agent, Collections: desk.Everything, CreatedAt: tx.Now, UpdatedAt: tx.Now}
			if err := tx.AddMember(&m); err != nil {
				return err
			}
			made := desk.NewSession(m, desk.Visitor{Browser: "bench", IP: "127.0.0.1"}, tx.Now)
			if err := tx.AddToken(&made.Token); err != nil {
				return err
			}
			cookies = append(cookies, desk.SessionCookie(false)+"="+made.Secret)
		}
		return nil
	}))
	return cookies
}

// collect has the server collect its garbage.
func (s *served) collect(ctx context.Context) {
	must(fetch(ctx, "GET", "http://"+s.metrics+"/debug/pprof/heap?gc=1", "", ""))
}

// come lets people open their inbox and a request, and go on with their day.
func (c *crowd) come(ctx context.Context, cookies []string) {
	first := len(c.people)
	for i, cookie := range cookies {
		c.people = append(c.people, &person{s: c.s, cookie: cookie, tab: "tab-" + strconv.Itoa(first+i), at: c.s.ids[(first+i)/2%len(c.s.ids)]})
	}
	come := c.people[first:]
	inParallel(16, func(i int, going func() bool) error {
		for ; i < len(come) && going(); i += 16 {
			if err := c.open(ctx, come[i]); err != nil {
				return err
			}
		}
		return nil
	})
	for i, p := range come {
		c.left.Go(func() { c.keep(p.work(ctx, i%2 == 0, &c.moving)) })
	}
}

// open opens the stream and the connection of one, and says where they are.
func (c *crowd) open(ctx context.Context, p *person) error {
	r, err := http.NewRequestWithContext(ctx, "GET", "http://"+c.s.addr+"/v1/rest/events/stream", nil)
	if err != nil {
		return err
	}
	r.Header.Set("Cookie", p.cookie)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		answer.Body.Close()
		return fmt.Errorf("a stream was answered %s", answer.Status)
	}
	c.left.Go(func() {
		defer answer.Body.Close()
		lines := bufio.NewScanner(answer.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			c.hear(lines.Bytes())
		}
	})
	if p.line, err = dial(c.s.addr); err != nil {
		return err
	}
	return p.say(p.at, `"looking"`)
}

// work is what the tab of one does until ctx ends.
func (p *person) work(ctx context.Context, moves bool, moving *atomic.Bool) error {
	defer p.line.close()
	if pause(ctx, rand.N(saidTime)) != nil { // people do not come all at once
		return nil
	}
	said, move := time.NewTicker(saidTime), time.NewTicker(moveTime)
	defer said.Stop()
	defer move.Stop()
	for {
		var err error
		select {
		case <-said.C:
			err = p.say(p.at, `"looking"`)
		case <-move.C:
			if moves && moving.Load() {
				err = p.goOn()
			}
		case <-ctx.Done():
			return nil
		}
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
}

// goOn leaves a request for another.
func (p *person) goOn() error {
	if err := p.say(p.at, "null"); err != nil {
		return err
	}
	p.at = p.s.ids[rand.IntN(min(len(p.s.ids), *people/2))]
	return p.say(p.at, `"looking"`)
}

// say tells the server what somebody does at a request.
func (p *person) say(request int64, doing string) error {
	body := fmt.Sprintf(`{"tab": %q, "doing": %s}`, p.tab, doing)
	return p.line.call(fmt.Appendf(nil, "PUT /v1/rest/requests/%d/presence HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		request, p.s.addr, p.cookie, len(body), body))
}

// keep keeps what went wrong with one of them.
func (c *crowd) keep(err error) {
	if err != nil {
		c.wrong.Store(&err)
	}
}

func (c *crowd) mustBeWell() {
	if err := c.wrong.Load(); err != nil {
		check(*err)
	}
}

// settle waits until everybody who came works at their own time.
func (c *crowd) settle(ctx context.Context) { check(pause(ctx, saidTime)) }

// crowdUse is what people use, in ms of CPU a second.
type crowdUse struct{ rest, moving float64 }

// watch measures people at rest and moving.
func (c *crowd) watch(ctx context.Context, who string, all bool) (u crowdUse) {
	c.settle(ctx)
	u.rest, _ = c.using(ctx, func() { check(pause(ctx, phaseTime)) })
	c.moving.Store(true)
	check(pause(ctx, moveTime))
	u.moving, _ = c.using(ctx, func() { check(pause(ctx, phaseTime)) })
	c.moving.Store(false)
	goals := [...]string{"", ""}
	if all {
		goals = [...]string{fmt.Sprintf(" (goal %.0f: %s)", restGoal, mark(u.rest <= restGoal)), fmt.Sprintf(" (goal %.0f: %s)", movingGoal, mark(u.moving <= movingGoal))}
	}
	fmt.Printf("  %9s %s, %d: at rest %.0f ms a second%s; when half of them moves every %v, %.0f ms%s\n",
		c.s.name, who, len(c.people), u.rest, goals[0], moveTime, u.moving, goals[1])
	return u
}

// using returns the CPU that the server and its database use a second while fn runs.
func (c *crowd) using(ctx context.Context, fn func()) (ms, postgres float64) {
	c.mustBeWell()
	began, cpu, theirs := time.Now(), cpuOf(c.s.pid), c.s.postgres.cpu()
	fn()
	seconds := time.Since(began).Seconds()
	return (cpuOf(c.s.pid) - cpu).Seconds() * 1000 / seconds, (c.s.postgres.cpu() - theirs).Seconds() * 1000 / seconds
}

const changeTitle = "Change for all people, number "

// hear counts a change that a stream has told.
func (c *crowd) hear(line []byte) {
	_, after, found := bytes.Cut(line, []byte(changeTitle))
	if !found {
		return
	}
	digits, _, _ := bytes.Cut(after, []byte("."))
	n, err := strconv.Atoi(string(digits))
	if err != nil || n >= len(c.changes) {
		return
	}
	if e := &c.changes[n]; e.seen.Add(1) == int64(len(c.people)) {
		e.took.Store(time.Now().UnixNano() - e.began.Load())
		c.done.Add(1)
	}
}

// change changes requests while people move, and reports how soon the last of them is
// told.
func (c *crowd) change(ctx context.Context) {
	c.moving.Store(true)
	const callers = 4
	used, _ := c.using(ctx, func() {
		began := time.Now()
		var next atomic.Int64
		inParallel(callers, func(_ int, going func() bool) error {
			for going() {
				n := int(next.Add(1)) - 1
				if n >= len(c.changes) {
					break
				}
				if err := pause(ctx, time.Until(began.Add(time.Duration(n)*time.Second/perSecond))); err != nil {
					return err
				}
				c.changes[n].began.Store(time.Now().UnixNano())
				call := withBody("PATCH", fmt.Sprintf("/requests/%d", c.s.open(n)), fmt.Sprintf(`{"title": "%s%d."}`, changeTitle, n))
				if _, err := c.s.send(ctx, call); err != nil {
					return err
				}
			}
			return nil
		})
	})
	for began := time.Now(); c.done.Load() < int64(len(c.changes)); check(pause(ctx, 5*time.Millisecond)) {
		if c.mustBeWell(); time.Since(began) > time.Minute {
			check(fmt.Errorf("a minute later, all have been told of %d of %d changes", c.done.Load(), len(c.changes)))
		}
	}
	took := make([]float64, len(c.changes))
	for i := range c.changes {
		took[i] = time.Duration(c.changes[i].took.Load()).Seconds() * 1000
	}
	middle := median(took)
	fmt.Printf("  %9s and %d requests change a second: %.0f ms a second (goal %.0f: %s); the last of %d is told after %.0f ms (goal %.0f: %s), at worst %.0f ms\n",
		"", perSecond, used, changingGoal, mark(used <= changingGoal), len(c.people), middle, lastToldGoal, mark(middle <= lastToldGoal), slices.Max(took))
	c.moving.Store(false)
}

// sidebarQueries are the views that everybody has beside their list
// (web/src/screens/inbox/views.ts).
var sidebarQueries = []string{"state=" + unsolvedNames, "state=" + unsolvedNames + "&assignee_id=me", "state=" + unsolvedNames + "&assignee_id=none",
	"unread=true", "following=true", "snoozed=true", "state=solved,closed", "", "state=none"}

const unsolvedNames = "open,in_progress,pending,on_hold"

// showCounting shows what the sidebars cost, which count again while requests change.
func (c *crowd) showCounting(ctx context.Context) {
	const counted = 300
	words := url.Values{"query": sidebarQueries}
	used, _ := c.using(ctx, func() {
		began := time.Now()
		for i := range counted {
			p := c.people[i%len(c.people)]
			check(p.s.sidebar(ctx, p.cookie, words.Encode()))
			check(pause(ctx, time.Until(began.Add(time.Duration(i)*10*time.Millisecond))))
		}
	})
	rest, _ := c.using(ctx, func() { check(pause(ctx, 3*time.Second)) })
	each := (used - rest) / 100 // of the hundred in a second
	all := each * float64(len(c.people)) / countTime.Seconds()
	fmt.Printf("  %9s a sidebar counts in %.2f ms; all of them, every %v while requests change: %.0f ms a second (goal %.0f: %s)\n", "", each, countTime, all, countingGoal, mark(all <= countingGoal))
}

// sidebar counts what the sidebar of somebody shows.
func (s *served) sidebar(ctx context.Context, cookie, query string) error {
	r, err := http.NewRequestWithContext(ctx, "GET", "http://"+s.addr+"/v1/rest/views/counts?"+query, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Cookie", cookie)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("a sidebar was answered %s", answer.Status)
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}
