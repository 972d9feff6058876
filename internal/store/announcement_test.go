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

// A holder who lost a recipient cannot record its result.
func TestAnnouncementHolds(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock) {
		account, _ := newAccount(t, s, "Acme")
		write(t, s, account.ID, func(tx *store.Tx) error {
			a, err := announce(tx, "C1", "C2")
			if err != nil {
				return err
			}
			next := func(holder string, until time.Time) (store.AnnouncementCopy, bool) {
				c, ok, err := tx.NextRecipient(a.ID, holder, until)
				must(t, err)
				return c, ok
			}
			first, _ := next("a", tx.Now) // its hold ends at once
			again, _ := next("b", tx.Now.Add(time.Hour))
			second, _ := next("b", tx.Now.Add(time.Hour))
			_, more := next("c", tx.Now)
			if err := all(same("channel", first.Channel, "C1"), same("again", again.Channel, "C1"), same("second", second.Channel, "C2"), same("more", more, false),
				same("first try", first.TriedAt.IsZero(), true), same("second try", again.TriedAt.Equal(tx.Now), true)); err != nil {
				return err
			}
			first.External = "1.1"
			lost, err := tx.FinishRecipient(a.ID, first, "a", 1, "")
			if err := all(err, same("lost", lost, false), tx.ReleaseCopy(second, "a")); err != nil {
				return err
			}
			if _, free := next("c", tx.Now); free {
				t.Error("a stranger let go of it")
			}
			again.External = "1.1"
			done, err := tx.FinishRecipient(a.ID, again, "b", 1, "")
			twice, e := tx.FinishRecipient(a.ID, again, "b", 1, "again")
			failed, f := tx.FinishRecipient(a.ID, second, "b", 1, "no")
			got, g := tx.Announcement(a.ID, desk.Everything)
			return all(err, e, f, g, same("done", done, true), same("twice", twice, false), same("failed", failed, true),
				same("delivered", got.Delivered, 1), same("failed", got.Failed, 1), same("first", got.Recipients[0].Message, "1.1"), same("second", got.Recipients[1].Error, "no"))
		})
	})
}
