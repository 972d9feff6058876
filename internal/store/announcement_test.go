package store_test

import (
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// announce adds an announcement to some channels.
func announce(tx *store.Tx, channels ...string) (desk.Announcement, error) {
	a := desk.Announcement{Name: "News", Status: desk.AnnouncementPending, Source: desk.ChatMessage{Channel: "C1", Message: "1.1"}, Sender: desk.Sender{Kind: desk.NativeSender}, CreatedAt: tx.Now}
	for _, c := range channels {
		a.Recipients = append(a.Recipients, desk.Recipient{Channel: c})
	}
	return a, tx.AddAnnouncement(&a, func() string { return "mark" })
}

// Of two readings of a message, the one for the later sync stays, whichever comes
// first. The files are those of the first.
func TestAnnouncementReadings(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock) {
		account, _ := newAccount(t, s, "Acme")
		write(t, s, account.ID, func(tx *store.Tx) error {
			a, err := announce(tx, "C1")
			if err != nil {
				return err
			}
			is := func(readFor int64, html string) error {
				src, err := tx.AnnouncementSource(a.ID)
				return all(err, same("asking", src.ReadFor, readFor), same("text", src.HTML, html), same("files", len(src.Files), 1))
			}
			return all(
				tx.KeepSource(a.ID, 1, "one", []desk.NewFile{{Name: "a.txt", Key: "a"}}), is(1, "one"),
				tx.KeepSource(a.ID, 1, "one again", []desk.NewFile{{Name: "a.txt", Key: "b"}}), is(1, "one again"),
				tx.KeepSource(a.ID, 3, "three", nil), is(3, "three"),
				tx.KeepSource(a.ID, 2, "two", nil), is(3, "three"))
		})
	})
}

// Only copies that nobody holds are given out. What is given out is pending until
// its result is known, and again when a sync is asked for.
func TestAnnouncementCopies(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock) {
		account, _ := newAccount(t, s, "Acme")
		write(t, s, account.ID, func(tx *store.Tx) error {
			a, err := announce(tx, "C1", "C2")
			if err != nil {
				return err
			}
			next := func(holder string, until time.Time) (store.AnnouncementCopy, bool) {
				c, ok, err := tx.NextCopy(a.ID)
				must(t, err)
				if ok {
					held, err := tx.Hold(c.Lane(), holder, until)
					must(t, all(err, same("held", held, true), tx.TryEffect(c.Effect)))
				}
				return c, ok
			}
			first, _ := next("a", tx.Now) // its hold ends at once
			again, _ := next("b", tx.Now.Add(time.Hour))
			second, _ := next("b", tx.Now.Add(time.Hour))
			_, more := next("c", tx.Now)
			free, err := tx.FirstFree(a.ID)
			if err := all(err, same("channel", first.Channel, "C1"), same("again", again.Channel, "C1"), same("second", second.Channel, "C2"), same("more", more, false),
				same("first try", first.TriedAt.IsZero(), true), same("second try", again.TriedAt.Equal(tx.Now), true), same("free", free.Equal(tx.Now.Add(time.Hour)), true)); err != nil {
				return err
			}
			if err := tx.Release(second.Lane(), "a"); err != nil {
				return err
			}
			if _, free := next("c", tx.Now); free {
				t.Error("a stranger let go of it")
			}
			again.External = "1.1"
			err = all(tx.SettleEffect(again.Effect, ""), tx.CountCopy(a.ID, again, ""), tx.Release(again.Lane(), "b"),
				tx.SettleEffect(second.Effect, "no"), tx.CountCopy(a.ID, second, "no"), tx.Release(second.Lane(), "b"))
			got, e := tx.Announcement(a.ID, desk.Everything)
			_, more = next("c", tx.Now)
			if err := all(err, e, same("delivered", got.Delivered, 1), same("failed", got.Failed, 1), same("first", got.Recipients[0].Message, "1.1"),
				same("first", got.Recipients[0].Status, desk.Delivered), same("second", got.Recipients[1].Error, "no"), same("second", got.Recipients[1].Status, desk.NotDelivered),
				same("more", more, false), tx.WantResync(a.ID)); err != nil {
				return err
			}
			stale, _ := next("c", tx.Now.Add(time.Hour))
			_, more = next("c", tx.Now)
			return all(same("stale", stale.External, "1.1"), same("more", more, false))
		})
	})
}

// Whoever lost a lane cannot prolong it, even if it is free again.
func TestLanes(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock) {
		account, _ := newAccount(t, s, "Acme")
		lane := store.Lane{Kind: store.RequestLane, ID: 1}
		held := func(want bool, how func(*store.Tx) (bool, error)) {
			t.Helper()
			write(t, s, account.ID, func(tx *store.Tx) error {
				got, err := how(tx)
				return all(err, same("held", got, want))
			})
		}
		hold := func(holder string) func(*store.Tx) (bool, error) {
			return func(tx *store.Tx) (bool, error) { return tx.Hold(lane, holder, tx.Now.Add(time.Minute)) }
		}
		prolong := func(holder string) func(*store.Tx) (bool, error) {
			return func(tx *store.Tx) (bool, error) { return tx.Prolong(lane, holder, tx.Now.Add(time.Minute)) }
		}
		held(false, prolong("a"))
		held(true, hold("a"))
		held(true, hold("a"))
		held(false, hold("b"))
		held(false, prolong("b"))
		now.move(time.Minute)
		held(true, prolong("a")) // nobody took it
		now.move(time.Minute)
		held(true, hold("b"))
		held(false, prolong("a"))
		write(t, s, account.ID, func(tx *store.Tx) error { return all(tx.Release(lane, "a")) })
		held(false, hold("a"))
		write(t, s, account.ID, func(tx *store.Tx) error { return tx.Release(lane, "b") })
		held(false, prolong("a"))
		held(true, hold("a"))
	})
}
