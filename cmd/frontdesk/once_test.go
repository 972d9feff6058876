package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sandbox"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// TestEachMessageOnce makes people talk while the workspace sends events twice, out of
// order or never, and the server is killed again and again. In the end every message
// exists once, in the right place and with its current text.
func TestEachMessageOnce(t *testing.T) {
	t.Parallel()
	eachMessageOnce(t, 500)
}

func eachMessageOnce(t *testing.T, n int) {
	const patience = 15 * time.Minute
	dbtest.EachURL(t, func(t *testing.T, at string) {
		t.Parallel()
		w := newTown(t, at, 12, false)
		losing := []sandbox.Fault{
			{Kind: sandbox.DuplicateEvent, Probability: 0.05},
			{Kind: sandbox.ReorderEvent, Probability: 0.2, Delay: sandbox.Duration(time.Second)},
			{Kind: sandbox.DropAnswer, Probability: 0.02},
			{Kind: sandbox.LoseEvent, Probability: 0.05},
		}
		w.misbehave(losing...)
		talk := beginTalk(w, 8)
		began := time.Now()
		var down time.Duration
		for kill := range 3 {
			talk.say(n/8 + rand.N(n/8))
			w.kill()
			off := time.Now()
			talk.say(n / 20) // while no server runs
			if kill == 2 {
				// Long enough for the workspace to drop events. From here on, only the next
				// reading of all histories would find a lost event.
				awaitFor(t, patience, "an event that is given up", func() bool {
					return count(t, w.box, "SELECT count(*) FROM deliveries WHERE state = 'failed'") > 0
				})
				talk.lost = w.struck()[sandbox.LoseEvent]
				w.misbehave(losing[:3]...)
			}
			w.start()
			down += time.Since(off)
		}
		talk.say(n - n/20 - talk.given)
		awaitFor(t, patience, "the first telling of every event", func() bool {
			return count(t, w.box, "SELECT count(*) FROM deliveries WHERE state IN ('new', 'due') AND retries = 0") == 0
		})
		up := time.Since(began) - down
		kept := count(t, w.db, "SELECT count(*) FROM messages")
		w.settle(patience)
		// Another reading finds the events that the workspace dropped since, because a
		// busy machine did not accept them in time. A reading does not find deleted
		// messages, so people delete messages last, when every event arrives.
		w.restart()
		talk.deletes.Store(true)
		talk.say(n / 20)
		talk.end()
		w.settle(patience)
		w.misbehave()
		w.mustBeQuiet()
		said := w.truth()
		w.compare(said)
		w.compareAPI(said)
		w.compareFeed()
		given := count(t, w.box, "SELECT count(*) FROM deliveries WHERE state = 'failed'")
		again := count(t, w.box, "SELECT count(*) FROM deliveries WHERE retries > 0")
		retries, writes := w.counted("frontdesk_db_retries_total"), w.counted("frontdesk_db_writes_total")
		w.kill()
		through, bare := float64(kept)/up.Seconds(), bareStore(t, sqldb.EngineOf(at), len(said))
		t.Logf("%d messages of %d that were said, %d events lost, %d told again after a failure, %d given up, 3 kills: each once; %.0f messages/s through everything, %.0f/s in the bare store, ratio %.2f; %.0f of %.0f transactions ran again",
			len(said), n, talk.lost, again, given, through, bare, through/bare, retries, writes)
		if talk.lost == 0 || given == 0 || len(said) < n/2 {
			t.Errorf("%d lost, %d given up, %d said: the run proves too little", talk.lost, given, len(said))
		}
	})
}

// talk makes people talk as fast as the workspace accepts it.
type talk struct {
	w       *town
	numbers chan int // the numbers of the messages to say
	given   int
	running sync.WaitGroup
	lost    int         // events that the workspace did not send
	deletes atomic.Bool // people also delete messages

	mu      sync.Mutex
	threads map[string][]string // by channel
}

// beginTalk starts several speakers.
func beginTalk(w *town, speakers int) *talk {
	k := &talk{w: w, numbers: make(chan int), threads: map[string][]string{}}
	for n := range speakers {
		k.running.Go(func() {
			s := &speaker{talk: k, r: rand.New(rand.NewPCG(7, uint64(n)))}
			for i := range k.numbers {
				s.say(w.t.Context(), i)
			}
		})
	}
	return k
}

// say makes the speakers say n more messages. It returns while the last ones are on
// their way.
func (k *talk) say(n int) {
	for range n {
		k.numbers <- k.given
		k.given++
	}
}

// end waits for the last message.
func (k *talk) end() {
	close(k.numbers)
	k.running.Wait()
}

// speaker says one message after another, as different people.
type speaker struct {
	*talk
	r    *rand.Rand
	mine []spoken
}

// spoken is a message that a speaker knows.
type spoken struct {
	by          *person
	channel, ts string
	edits       int
}

// say says the message with a number, and sometimes changes an earlier message.
func (s *speaker) say(ctx context.Context, n int) {
	channel := s.w.channels[s.r.IntN(len(s.w.channels))]
	by := s.w.people[s.r.IntN(len(s.w.people))]
	if s.r.IntN(4) == 0 {
		by = s.w.agents[s.r.IntN(len(s.w.agents))]
	}
	args := url.Values{"channel": {channel}, "text": {sentence(s.r, n)}}
	thread := s.thread(channel)
	if thread != "" {
		args.Set("thread_ts", thread)
	}
	if ts, ok := s.w.does(ctx, by, "chat.postMessage", args); ok {
		s.mine = append(s.mine, spoken{by: by, channel: channel, ts: ts})
		if thread == "" {
			s.mu.Lock()
			s.threads[channel] = append(s.threads[channel], ts)
			s.mu.Unlock()
		}
	}
	if len(s.mine) == 0 {
		return
	}
	m := &s.mine[s.r.IntN(len(s.mine))]
	at := url.Values{"channel": {m.channel}, "ts": {m.ts}}
	switch s.r.IntN(25) {
	case 0, 1: // sometimes twice in a row: the first change must not win
		for range 1 + s.r.IntN(2) {
			m.edits++
			at.Set("text", fmt.Sprintf("%s, edited %d times", sentence(s.r, n), m.edits))
			s.w.does(ctx, m.by, "chat.update", at)
		}
	case 2, 3:
		if !s.deletes.Load() {
			return
		}
		s.w.does(ctx, m.by, "chat.delete", at)
	case 4, 5:
		agent := s.w.agents[s.r.IntN(2)]
		emoji := []string{"eyes", "white_check_mark", "ticket", "wave"}[s.r.IntN(4)]
		s.w.does(ctx, agent, "reactions.add", url.Values{"channel": {m.channel}, "timestamp": {m.ts}, "name": {emoji}})
	}
}

// thread returns a thread of a channel, preferably a recent one, or an empty string to
// begin a thread.
func (s *speaker) thread(channel string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.threads[channel]
	if len(all) == 0 || s.r.IntN(4) == 0 {
		return ""
	}
	return all[len(all)-1-s.r.IntN(min(len(all), 20))]
}

func sentence(r *rand.Rand, n int) string {
	said := []string{"Our export fails since this morning, can you help?", "The printer prints everything twice", "thanks", "How do I change my password?"}
	return fmt.Sprintf("%s Number %d", said[r.IntN(len(said))], n)
}

// place is where a message is.
type place struct{ channel, ts string }

// said is a message in the workspace.
type said struct {
	text, thread string // thread is where the thread begins, also for its first message
	at           int64  // microseconds
}

// truth returns the messages in the channels as the workspace has them now.
func (w *town) truth() map[place]said {
	w.t.Helper()
	all := map[place]said{}
	must(w.t, w.box.Read(w.t.Context(), func(tx *sqldb.Tx) error {
		_, err := sqldb.Collect(tx, func(scan func(...any) error) (p place, err error) {
			var thread int64
			var s said
			var text string
			if err := scan(&p.channel, &s.at, &thread, &text); err != nil {
				return p, err
			}
			var body struct{ Text, Subtype string }
			err = json.Unmarshal([]byte(text), &body)
			p.ts, s.text, s.thread = stamp(s.at), body.Text, stamp(s.at)
			if thread != 0 {
				s.thread = stamp(thread)
			}
			if body.Subtype == "" && slices.Contains(w.channels, p.channel) {
				all[p] = s
			}
			return p, err
		}, "SELECT conversation_id, ts, thread_ts, body FROM messages WHERE app_id = ''")
		return err
	}))
	return all
}

// stamp formats a time as the workspace does.
func stamp(micros int64) string { return fmt.Sprintf("%d.%06d", micros/1e6, micros%1e6) }

// compare compares Frontdesk's tables with the truth.
func (w *town) compare(want map[place]said) {
	w.t.Helper()
	found := map[place]int{}
	w.rows(`SELECT m.channel_id, m.external_id, m.text, m.said_at, r.channel_id, r.thread_id FROM messages m JOIN requests r ON r.account_id = m.account_id AND r.id = m.request_id
		WHERE m.removed_at IS NULL AND m.source = 'chat'`, func(scan func(...any) error) error {
		var p, thread place
		var got said
		if err := scan(&p.channel, &p.ts, &got.text, &got.at, &thread.channel, &thread.ts); err != nil || !slices.Contains(w.channels, p.channel) {
			return err
		}
		got.thread = thread.ts
		found[p]++
		switch s, ok := want[p]; {
		case !ok:
			w.t.Errorf("%v was not said, or taken back: %q", p, got.text)
		case got != s || thread.channel != p.channel:
			w.t.Errorf("%v is %+v in %s, want %+v", p, got, thread.channel, s)
		}
		return nil
	})
	threads := map[place]int{}
	for p, s := range want {
		threads[place{p.channel, s.thread}]++
		if found[p] != 1 {
			w.t.Errorf("%v is there %d times: %+v", p, found[p], s)
		}
	}
	requests := map[place]int{}
	w.rows("SELECT channel_id, thread_id FROM requests", func(scan func(...any) error) error {
		var p place
		err := scan(&p.channel, &p.ts)
		requests[p]++
		return err
	})
	for p, n := range requests {
		if n > 1 {
			w.t.Errorf("the thread %v has %d requests", p, n)
		}
	}
	for p := range threads {
		if requests[p] == 0 {
			w.t.Errorf("the thread %v has no request", p)
		}
	}
	w.rows("SELECT request_id, count(*) FROM tickets GROUP BY request_id HAVING count(*) > 1", func(scan func(...any) error) error {
		var request, n int64
		err := scan(&request, &n)
		w.t.Errorf("request %d has %d tickets", request, n)
		return err
	})
}

// rows reads rows of Frontdesk's tables.
func (w *town) rows(statement string, row func(scan func(...any) error) error) {
	w.t.Helper()
	must(w.t, w.db.Read(w.t.Context(), func(tx *sqldb.Tx) error {
		_, err := sqldb.Collect(tx, func(scan func(...any) error) (struct{}, error) { return struct{}{}, row(scan) }, statement)
		return err
	}))
}

// compareAPI reads everything through the API and checks that each message is there
// once, in the order in which people said them.
func (w *town) compareAPI(want map[place]said) {
	w.t.Helper()
	found := map[place]int{}
	walk(w.t, w.server, w.token, "/requests?limit=100&include=messages&state=none,open,in_progress,pending,solved,closed", "next_cursor", func(body []byte) *string {
		var page struct {
			Requests []struct {
				ID       int64
				Channel  struct{ ID string }
				Messages []struct{ TS, Text string }
			}
			Metadata struct {
				Next *string `json:"next_cursor"`
			} `json:"response_metadata"`
		}
		must(w.t, json.Unmarshal(body, &page))
		for _, r := range page.Requests {
			last := ""
			for _, m := range r.Messages {
				p := place{r.Channel.ID, m.TS}
				if found[p]++; found[p] > 1 || m.TS <= last || want[p].text != m.Text {
					w.t.Errorf("request %d tells %v after %q, the %d. time, as %q; want %q", r.ID, p, last, found[p], m.Text, want[p].text)
				}
				last = m.TS
			}
		}
		return page.Metadata.Next
	})
	if len(found) != len(want) {
		w.t.Errorf("the API tells of %d messages, %d were said", len(found), len(want))
	}
}

// compareFeed reads the feed and checks that it has each message once, in its own event
// or in the event of its new request, and creates no request twice.
func (w *town) compareFeed() {
	w.t.Helper()
	messages, requests := map[int64]int{}, map[int64]int{}
	for after, more := "", true; more; {
		var page struct {
			Events []struct {
				ID, Type string
				Data     struct{ Message, Request struct{ ID int64 } }
			}
		}
		w.server.get(w.t, w.token, "/events?limit=100"+after, &page)
		for _, e := range page.Events {
			switch e.Type {
			case "message.created":
				messages[e.Data.Message.ID]++
			case "request.created":
				requests[e.Data.Request.ID]++
			}
			after = "&after=" + url.QueryEscape(e.ID)
		}
		more = len(page.Events) > 0
	}
	for id, n := range requests {
		if n > 1 {
			w.t.Errorf("request %d was created %d times", id, n)
		}
	}
	began := map[int64]bool{}
	w.rows("SELECT id, request_id FROM messages ORDER BY id", func(scan func(...any) error) error {
		var id, request int64
		err := scan(&id, &request)
		first := !began[request]
		began[request] = true
		if n := messages[id]; n > 1 || n == 0 && !(first && requests[request] == 1) {
			w.t.Errorf("the feed tells of message %d of request %d %d times", id, request, n)
		}
		return err
	})
}

// bareStore measures how many messages a second the store alone accepts. A quarter of
// them begin a request. There are as many writers as the workspace has channels.
func bareStore(t testing.TB, engine sqldb.Engine, n int) float64 {
	t.Helper()
	ctx := t.Context()
	s := store.New(dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, engine)}), seal.NewKey(), nil)
	col := desk.Collection{Name: "Support", Kind: desk.ChatCollection}
	var account desk.AccountID
	must(t, s.AddAccount(ctx, "Acme", func(tx *store.Tx, a desk.Account) error {
		account, col.CreatedAt, col.UpdatedAt = a.ID, tx.Now, tx.Now
		return tx.AddCollection(&col)
	}))
	const writers = 32
	var running sync.WaitGroup
	began := time.Now()
	for w := range writers {
		running.Go(func() {
			var r desk.Request
			for i := w; i < n && !t.Failed(); i += writers {
				at := began.Add(time.Duration(i) * time.Microsecond).UTC()
				id := stamp(at.UnixMicro())
				m := desk.Message{Author: desk.Requester{User: "U1", Name: "Ines"}, HTML: "<p>" + strings.Repeat("The export fails. ", 3) + "</p>", Text: "The export fails.",
					Source: desk.SourceChat, Channel: "C1", External: id, CreatedAt: at}
				err := s.Write(ctx, account, func(tx *store.Tx) error {
					if (i/writers)%4 == 0 {
						r = desk.Conversation(col, desk.ChannelRef{ID: "C1"}, desk.Thread{Workspace: "T1", Channel: "C1", Message: id}, m, "The export fails", desk.Normal, tx.Now)
						if err := tx.AddRequest(&r); err != nil {
							return err
						}
					}
					m.Request = r.ID
					return tx.AddMessage(&m)
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	return float64(n) / time.Since(began).Seconds()
}
