package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
	"frontdesk/internal/timeline"
	"frontdesk/internal/wire"
)

// The timeline has what happened to a customer and nothing else, in the same order
// whatever the size of its pages, and for each of its readers only what they may see.
func TestTimeline(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, admin := newAccount(t, s, "Acme")
		var customer desk.Customer
		var here, there desk.CollectionID
		write(t, s, account.ID, func(tx *store.Tx) (err error) {
			for i, id := range []*desk.CollectionID{&here, &there} {
				col := desk.Collection{Name: fmt.Sprint("Col ", i), Kind: desk.ChatCollection, CreatedAt: tx.Now, UpdatedAt: tx.Now}
				if err := tx.AddCollection(&col); err != nil {
					return err
				}
				*id = col.ID
			}
			other, err := addCustomer(tx, desk.Customer{Name: "Other"})
			if err != nil {
				return err
			}
			if customer, err = addCustomer(tx, desk.Customer{Name: "Fern", Channels: []string{"C_FERN"}}); err != nil {
				return err
			}
			for i := range 9 { // at three moments, in two collections
				of := &customer.ID
				if i%3 == 2 {
					of = &other.ID
				}
				solved := tx.Now.Add(time.Duration(i/3) * time.Minute)
				r, err := addRequest(tx, map[bool]desk.CollectionID{true: here, false: there}[i%2 == 0], func(r *desk.Request) {
					r.Customer, r.Title = of, fmt.Sprint("R", i)
					r.CreatedAt = solved
					if state := desk.Solved; i%3 == 0 {
						r.State, r.SolvedAt = &state, &solved
					}
				})
				if err != nil {
					return fmt.Errorf("request %d of %d: %w", i, r.ID, err)
				}
			}
			for i := range 3 {
				n := desk.CustomerNote{Customer: customer.ID, Author: admin.ID, Text: fmt.Sprint("N", i), CreatedAt: tx.Now.Add(time.Duration(i) * time.Minute)}
				if err := tx.AddCustomerNote(&n); err != nil {
					return err
				}
			}
			a := desk.Announcement{Name: "News", Status: desk.AnnouncementPending, Text: "x", Sender: desk.Sender{Kind: desk.NativeSender},
				Recipients: []desk.Recipient{{Channel: "C_FERN"}, {Channel: "C_X"}}, Collections: []desk.CollectionID{here}, CreatedAt: tx.Now}
			if err := tx.AddAnnouncement(&a, func() string { return "m" + fmt.Sprint(len(a.Recipients)) }); err != nil {
				return err
			}
			first, _, err := tx.NextCopy(a.ID)
			if err != nil {
				return err
			}
			first.External = "1.1"
			sent := tx.Now
			a.Status, a.SentAt = desk.AnnouncementIsSent, &sent
			return all(tx.SettleEffect(first.Effect, ""), tx.SaveAnnouncementStatus(a))
		})
		c.move(time.Hour)
		read := func(r desk.Reach, limit int, ascending bool) (all []string) {
			p := desk.Page{Limit: limit, Ascending: ascending}
			for {
				var l desk.List[wire.TimelineEntry]
				write(t, s, account.ID, func(tx *store.Tx) (err error) {
					l, err = timeline.Of(tx, customer.ID, r, p)
					return err
				})
				for _, e := range l.Items {
					what := string(e.Kind)
					for _, thing := range []*wire.TimelineThing{e.Request, e.Announcement} {
						if thing != nil {
							what += " " + thing.Title
						}
					}
					if e.Note != nil {
						what += " " + e.Note.Text
					}
					all = append(all, what)
				}
				if p.From = l.Next; p.From == nil {
					return all
				}
			}
		}
		whole := read(desk.Everything, 100, false)
		if got := strings.Join(slices.Sorted(slices.Values(whole)), ", "); got != "announcement_delivered News, note_created N0, note_created N1, note_created N2, "+
			"request_created R0, request_created R1, request_created R3, request_created R4, request_created R6, request_created R7, "+
			"request_solved R0, request_solved R3, request_solved R6" {
			t.Errorf("the timeline is %s", got)
		}
		for limit := 1; limit < 5; limit++ {
			if got := read(desk.Everything, limit, false); !slices.Equal(got, whole) {
				t.Errorf("in pages of %d it is %q, want %q", limit, got, whole)
			}
			got := read(desk.Everything, limit, true)
			slices.Reverse(got)
			if !slices.Equal(got, whole) {
				t.Errorf("the oldest first in pages of %d it is %q, want the reverse of %q", limit, got, whole)
			}
		}
		some := read(desk.Reach{IDs: []desk.CollectionID{there}}, 100, false)
		if got := strings.Join(slices.Sorted(slices.Values(some)), ", "); got != "note_created N0, note_created N1, note_created N2, request_created R1, request_created R3, request_created R7, request_solved R3" {
			t.Errorf("with one collection it is %s", got)
		}
	})
}
