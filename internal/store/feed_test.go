package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// A transaction that took its row early and commits late is not skipped, even if
// what another account recorded after it already has its number.
func TestLateCommitIsNotPassedOver(t *testing.T) {
	s := store.New(dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.Postgres)}), key, nil)
	late, m := newAccount(t, s, "Late")
	early, second := newAccount(t, s, "Early")

	written, wait, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	release := sync.OnceFunc(func() { close(wait) })
	defer release()
	go func() {
		var once sync.Once
		done <- s.Write(ctx, late.ID, func(tx *store.Tx) error {
			err := recordUpdate(tx, m)
			once.Do(func() { close(written) })
			<-wait
			return err
		})
	}()
	<-written
	write(t, s, early.ID, func(tx *store.Tx) error { return recordUpdate(tx, second) })
	sequence(t, s)

	read := func(account desk.AccountID) []desk.Event {
		t.Helper()
		var events []desk.Event
		read(t, s, account, func(tx *store.Tx) (err error) { events, _, err = tx.Events(0, 10, false); return err })
		return events
	}
	if first := read(early.ID); len(first) != 1 || first[0].Seq != 1 || !strings.Contains(string(first[0].Data), second.Email) {
		t.Fatalf("while one transaction is open the other account's feed has %+v", first)
	}
	if none := read(late.ID); len(none) != 0 {
		t.Fatalf("while its transaction is open the feed has %+v", none)
	}
	release()
	must(t, <-done)
	sequence(t, s)
	if last := read(late.ID); len(last) != 1 || last[0].Seq != 1 || !strings.Contains(string(last[0].Data), m.Email) {
		t.Fatalf("after it the feed has %+v", last)
	}
}

// Readers follow the feed while eight writers are at work, one of which holds its
// transaction open now and then. Each reader gets every committed event exactly
// once, in the order of seq, and the changes of each object in the order they were
// made.
func TestFeed(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		db := dbtest.Open(t, sqldb.Config{URL: url, Log: quiet})
		s := store.New(db, key, nil)
		sequencers := []*store.Store{s}
		const longest, writingFor = 2 * time.Second, 4 * time.Second
		if db.Engine() == sqldb.Postgres {
			sequencers = append(sequencers, store.New(dbtest.Open(t, sqldb.Config{URL: url, Log: quiet}), key, nil))
		}
		f := &feedTest{T: t, store: s, end: time.Now().Add(writingFor)}
		a, _ := newAccount(t, s, "Acme")
		f.account = a.ID
		write(t, s, a.ID, func(tx *store.Tx) error {
			f.objects = nil
			for i := range 6 {
				m, err := addMember(tx, fmt.Sprintf("m%d@acme.example", i), desk.Agent)
				if err != nil {
					return err
				}
				f.objects = append(f.objects, m.ID)
			}
			return nil
		})

		running, stop := context.WithCancel(ctx)
		var sequencing, writing, reading sync.WaitGroup
		for _, s := range sequencers {
			sequencing.Go(func() { s.RunSequencer(running, quiet) })
		}
		written := make(chan struct{})
		for i := range 3 {
			reading.Go(func() { f.follow(i, written) })
		}
		shared, own := f.objects[:5], f.objects[5:]
		for range 7 {
			writing.Go(func() { f.change(shared, 0) })
		}
		writing.Go(func() { f.change(own, longest) })
		writing.Wait()
		close(written)
		reading.Wait()
		stop()
		sequencing.Wait()

		wantTotal := len(rows(t, s, "SELECT 1 FROM events WHERE account_id = $1", a.ID))
		if int64(wantTotal) != f.committed || wantTotal < 50 {
			t.Errorf("%d events are kept and %d were committed", wantTotal, f.committed)
		}
		t.Logf("%d events, %+v", wantTotal, db.Stats())
	})
}

type feedTest struct {
	*testing.T
	store   *store.Store
	account desk.AccountID
	objects []desk.MemberID
	end     time.Time // of writing

	mu        sync.Mutex
	committed int64
}

// change counts up the names of objects (v1, v2, v3…), each time with an event. It
// holds every eighth of its transactions open for up to hold, with the event
// written, while the others wait.
func (f *feedTest) change(objects []desk.MemberID, hold time.Duration) {
	for n := 0; time.Now().Before(f.end); n++ {
		id := objects[rand.N(len(objects))]
		err := f.store.Write(ctx, f.account, func(tx *store.Tx) error {
			m, err := tx.Member(id)
			if err != nil {
				return err
			}
			version, _ := strconv.Atoi(strings.TrimPrefix(m.Name, "v"))
			m.Name = fmt.Sprint("v", version+1)
			if err := tx.SaveMember(m); err != nil {
				return err
			}
			if err := recordUpdate(tx, m); err != nil {
				return err
			}
			if hold > 0 && n%8 == 0 {
				time.Sleep(rand.N(hold)) // the fault under test: a transaction that stays open
			}
			return nil
		})
		f.mu.Lock()
		if err == nil {
			f.committed++
		} else {
			f.Error(err)
		}
		f.mu.Unlock()
	}
}

// follow reads the feed to its end, which is known once writing is over.
func (f *feedTest) follow(reader int, written <-chan struct{}) {
	bell, silence := f.store.DB().Listen(store.TopicFeed)
	defer silence()
	versions := map[desk.MemberID]int{}
	after, total := int64(0), int64(-1)
	giveUp := time.After(5 * time.Minute)
	for total < 0 || after < total {
		var events []desk.Event
		limit := 1 + rand.N(60)
		if err := f.store.Read(ctx, f.account, func(tx *store.Tx) (err error) {
			events, _, err = tx.Events(after, limit, false)
			return err
		}); err != nil {
			f.Error(err)
			return
		}
		for _, e := range events {
			if e.Seq != after+1 {
				f.Errorf("reader %d: event %d behind event %d", reader, e.Seq, after)
				return
			}
			after = e.Seq
			var data struct {
				Member struct {
					ID   desk.MemberID `json:"id"`
					Name string        `json:"name"`
				} `json:"member"`
			}
			if err := json.Unmarshal(e.Data, &data); err != nil {
				f.Error(err)
				return
			}
			id := data.Member.ID
			if want := fmt.Sprint("v", versions[id]+1); data.Member.Name != want {
				f.Errorf("reader %d: event %d says %s of member %d, want %s", reader, after, data.Member.Name, id, want)
				return
			}
			versions[id]++
		}
		if len(events) > 0 {
			continue
		}
		select {
		case <-bell:
		case <-written:
			written = nil
			f.mu.Lock()
			total = f.committed
			f.mu.Unlock()
		case <-giveUp:
			f.Errorf("reader %d: stuck at event %d of %d", reader, after, total)
			return
		}
	}
}
