package sqldb_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// ring commits a transaction that rings the topics.
func ring(t testing.TB, db *sqldb.DB, topics ...string) {
	t.Helper()
	must(t, db.Write(context.Background(), func(tx *sqldb.Tx) error {
		for _, topic := range topics {
			tx.Ring(topic)
		}
		return nil
	}))
}

func rings(bell <-chan struct{}) bool {
	select {
	case <-bell:
		return true
	default:
		return false
	}
}

// listen returns a bell that has not rung. On PostgreSQL it waits for the herald to
// connect, because that rings every bell once.
func listen(t *testing.T, db *sqldb.DB, topic string) <-chan struct{} {
	t.Helper()
	bell, stop := db.Listen(topic)
	t.Cleanup(stop)
	if db.Engine() == sqldb.Postgres {
		marker, stop := db.Listen("herald-marker")
		eventually(t, "the herald listens", func() bool {
			must(t, db.Claim(context.Background(), func(tx *sqldb.Tx) error {
				_, err := tx.Exec("SELECT pg_notify('frontdesk', $1)", "test herald-marker")
				return err
			}))
			return rings(marker)
		})
		stop() // so this returns once nothing rings any more
		rings(bell)
	}
	return bell
}

func TestBellRingsAfterCommit(t *testing.T) {
	eachNotes(t, func(t *testing.T, db *sqldb.DB) {
		bell, other := listen(t, db, "noted"), listen(t, db, "other")
		for _, call := range []func(context.Context, func(*sqldb.Tx) error) error{db.Write, db.Claim} {
			must(t, call(context.Background(), func(tx *sqldb.Tx) error {
				tx.Ring("noted")
				if err := note(tx, "n", 1); err != nil {
					return err
				}
				if rings(bell) {
					t.Error("it rang before the commit")
				}
				return nil
			}))
			if !rings(bell) {
				t.Error("it did not ring: Write returned after the commit")
			}
		}
		if rings(other) {
			t.Error("the bell of another topic rang")
		}
	})
}

func TestBellIsSilentAfterRollback(t *testing.T) {
	eachNotes(t, func(t *testing.T, db *sqldb.DB) {
		bell := listen(t, db, "noted")
		fails := map[string]func(*sqldb.Tx) error{
			"returns an error": func(*sqldb.Tx) error { return errors.New("refused") },
			"breaks a rule": func(tx *sqldb.Tx) error {
				_, err := tx.Exec("INSERT INTO notes (writer, part) VALUES ('n', -1)")
				return err
			},
			"swallows an error": func(tx *sqldb.Tx) error {
				_, _ = tx.Exec("INSERT INTO notes (writer, part) VALUES ('n', -1)")
				return nil
			},
			"panics": func(*sqldb.Tx) error { panic("tea") },
		}
		for name, fail := range fails {
			func() {
				defer func() { _ = recover() }()
				if err := db.Write(context.Background(), func(tx *sqldb.Tx) error {
					tx.Ring("noted")
					return fail(tx)
				}); err == nil {
					t.Errorf("%s: it was committed", name)
				}
			}()
			if rings(bell) {
				t.Errorf("%s: it rang", name)
			}
		}
	})
}

func TestRingsNobodyHeardAreOne(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		bell := listen(t, db, "noted")
		for range 5 {
			ring(t, db, "noted", "noted")
		}
		if !rings(bell) {
			t.Error("it did not ring")
		}
		if rings(bell) {
			t.Error("it rang twice")
		}
	})
}

func TestEveryListenerHearsUntilItStops(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		stays := listen(t, db, "noted")
		leaves, stop := db.Listen("noted")
		ring(t, db, "noted")
		if !rings(stays) || !rings(leaves) {
			t.Error("a listener was left out")
		}
		stop()
		ring(t, db, "noted")
		if !rings(stays) {
			t.Error("the one that stayed did not hear")
		}
		if rings(leaves) {
			t.Error("the one that left heard")
		}
		stop() // a second stop does no harm
	})
}

func TestListenersMayComeAndGoWhileBellsRing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		var all sync.WaitGroup
		for i := range 8 {
			topic := fmt.Sprint("topic", i%2)
			all.Go(func() {
				for range 50 {
					bell, stop := db.Listen(topic)
					ring(t, db, topic)
					if !rings(bell) {
						t.Error("it did not ring")
					}
					stop()
				}
			})
		}
		all.Wait()
	})
}

// two opens one PostgreSQL database twice, as two processes would.
func two(t *testing.T) (address string, a, b *sqldb.DB) {
	t.Helper()
	address = dbtest.URL(t, sqldb.Postgres)
	return address, dbtest.Open(t, sqldb.Config{URL: address}), dbtest.Open(t, sqldb.Config{URL: address})
}

func TestBellRingsInAnotherProcess(t *testing.T) {
	_, a, b := two(t)
	bell, other := listen(t, b, "noted"), listen(t, b, "other")
	ring(t, a, "noted", "and", "more")
	await(t, bell, "the bell in the other process")
	if rings(other) {
		t.Error("the bell of another topic rang")
	}
}

func TestBellStaysSilentInAnotherProcessAfterRollback(t *testing.T) {
	_, a, b := two(t)
	noted, marker := listen(t, b, "noted"), listen(t, b, "marker")
	_ = a.Write(context.Background(), func(tx *sqldb.Tx) error {
		tx.Ring("noted")
		return errors.New("refused")
	})
	// The herald sends in order, so once the marker is here everything before it
	// has arrived.
	ring(t, a, "marker")
	await(t, marker, "the marker")
	if rings(noted) {
		t.Error("it rang")
	}
}

// A process that ends right after its commit, as a command line does, has still
// notified the others.
func TestLastRingIsHeardAfterClose(t *testing.T) {
	address, a, _ := two(t)
	bell := listen(t, a, "noted")
	for range 20 {
		brief, err := sqldb.Open(context.Background(), sqldb.Config{URL: address})
		must(t, err)
		ring(t, brief, "before") // after this one the herald pauses
		ring(t, brief, "noted")
		must(t, brief.Close())
		await(t, bell, "the last ring")
	}
}

// hear counts the notifications that it receives, until one contains the word.
func hear(t *testing.T, address, word string) (count func() int) {
	t.Helper()
	conn := admin(t, address)
	_, err := conn.Exec(context.Background(), "LISTEN frontdesk")
	must(t, err)
	return func() int {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		for n := 1; ; n++ {
			notification, err := conn.WaitForNotification(ctx)
			must(t, err)
			if slices.Contains(strings.Fields(notification.Payload), word) {
				return n
			}
		}
	}
}

// One notification per commit would make the commits wait for each other.
func TestManyRingsAreFewNotifications(t *testing.T) {
	address := dbtest.URL(t, sqldb.Postgres)
	db := dbtest.Open(t, sqldb.Config{URL: address})
	count := hear(t, address, "last")
	const writers, each = 8, 125
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for range each {
				ring(t, db, "noted")
			}
		})
	}
	all.Wait()
	ring(t, db, "last")
	if n := count(); n > writers*each/2 {
		t.Errorf("%d rings took %d notifications", writers*each, n)
	}
}

// A notification holds less than 8,000 bytes.
func TestMoreTopicsThanOneNotificationHolds(t *testing.T) {
	_, a, b := two(t)
	const topics = 2000
	var names []string
	var bells []<-chan struct{}
	for i := range topics {
		names = append(names, fmt.Sprint("account-", i, "-events"))
		bell, stop := b.Listen(names[i])
		defer stop()
		bells = append(bells, bell)
	}
	listen(t, b, "marker")
	for _, bell := range bells {
		rings(bell)
	}
	ring(t, a, names...)
	for i, bell := range bells {
		await(t, bell, names[i])
	}
}

// Rings are missed while nobody listens, so everything rings after a reconnect.
func TestHeraldComesBackAndRingsEverything(t *testing.T) {
	address, a, b := two(t)
	one, another := listen(t, b, "one"), listen(t, b, "another")
	terminate(t, admin(t, address))
	await(t, one, "the herald's return")
	await(t, another, "the herald's return")
	ring(t, a, "one")
	await(t, one, "the bell after the return")
}

// The bells of the herald's own process ring at once. They do not ring again when
// the notification comes back from the server.
func TestProcessDoesNotHearItself(t *testing.T) {
	address, a, b := two(t)
	count := hear(t, address, "noted")
	bell, elsewhere := listen(t, a, "noted"), listen(t, b, "noted")
	ring(t, a, "noted")
	if !rings(bell) {
		t.Fatal("it did not ring")
	}
	count()
	await(t, elsewhere, "the bell in the other process")
	// b answers. a's herald hears b after its own notification.
	marker := listen(t, a, "marker")
	ring(t, b, "marker")
	await(t, marker, "the marker")
	if rings(bell) {
		t.Error("it rang for its own word")
	}
}

// A malformed payload does not stop the herald.
func TestStrangeNotificationsAreIgnored(t *testing.T) {
	address, a, b := two(t)
	bell := listen(t, b, "noted")
	conn := admin(t, address)
	for _, payload := range []string{"", " ", "mark", "mark  ", strings.Repeat("x", 7000)} {
		_, err := conn.Exec(context.Background(), "SELECT pg_notify('frontdesk', $1)", payload)
		must(t, err)
	}
	ring(t, a, "noted")
	await(t, bell, "the bell")
}

// A server that does not answer must not block a writer or Close forever.
func TestCloseOfASilentDatabaseReturns(t *testing.T) {
	p, db := throughProxy(t, sqldb.Config{WriteTimeout: 2 * time.Second})
	p.Set(func() { p.Silent = true })
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		db.Close()
	}()
	await(t, closed, "Close")
}

// attend attends to a topic, after the ring with which the herald begins.
func attend(t *testing.T, db *sqldb.DB, topic string) *sqldb.Attendant {
	t.Helper()
	a := db.Attend(topic)
	t.Cleanup(a.Stop)
	listen(t, db, "attended")
	rings(a.Elsewhere)
	return a
}

// Rings stay in the process that attends to them, until it passes them on.
func TestAttendedRingsStayHere(t *testing.T) {
	_, a, b := two(t)
	here, there := attend(t, a, "work"), attend(t, b, "work")
	marker, heard := listen(t, b, "marker"), b.Rung("work").Load()
	ring(t, a, "work")
	if !rings(here.Here) {
		t.Fatal("it did not ring")
	}
	// The herald sends in order, so once the marker is here everything before it
	// has arrived.
	ring(t, a, "marker")
	await(t, marker, "the marker")
	if rings(there.Here) || rings(there.Elsewhere) || b.Rung("work").Load() != heard {
		t.Error("another process heard of work that is done here")
	}
	here.PassOn()
	await(t, there.Elsewhere, "the ring that was passed on")
	if rings(there.Here) || rings(here.Here) || rings(here.Elsewhere) {
		t.Error("a bell rang that nobody rang")
	}
}

// Rings that nobody attends to go to all processes: those of a command line, and
// those after the end of an attendance.
func TestUnattendedRingsAreAnnounced(t *testing.T) {
	_, a, b := two(t)
	there := attend(t, b, "work")
	ring(t, a, "work")
	await(t, there.Elsewhere, "a ring that nobody attends to")
	here, other := attend(t, a, "work"), attend(t, a, "work")
	here.Stop()
	ring(t, a, "work", "marker")
	if !rings(other.Here) || rings(here.Here) {
		t.Error("the ring is for who still attends")
	}
	other.Stop()
	ring(t, a, "work")
	await(t, there.Elsewhere, "a ring after the attendance")
}

// On SQLite there is nobody to pass a ring on to.
func TestAttendOnSQLite(t *testing.T) {
	db := openNotes(t, sqldb.Config{})
	a := attend(t, db, "work")
	bell := listen(t, db, "work")
	ring(t, db, "work")
	if !rings(a.Here) || !rings(bell) {
		t.Error("somebody did not hear")
	}
	a.PassOn()
	if rings(a.Here) || rings(a.Elsewhere) {
		t.Error("it rang for its own word")
	}
}
