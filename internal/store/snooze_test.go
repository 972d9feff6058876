package store_test

import (
	"fmt"
	"slices"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// There is room for as many snoozed and followed requests as lists may read past, and
// not for one more. What is back still counts; what is over does not.
func TestSnoozedAndFollowedLimits(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, admin := newAccount(t, s, "Acme")
		write(t, s, account.ID, func(tx *store.Tx) error {
			col, err := addAPICollection(tx, "A")
			if err != nil {
				return err
			}
			requests := make([]*desk.Request, desk.MostSnoozed)
			for i := range requests {
				r := newRequest(tx, col)
				r.Snooze = &desk.Snooze{At: tx.Now}
				requests[i] = &r
			}
			requests[0].Snooze.Back = &desk.Back{At: tx.Now, Reason: desk.BackByTime}
			last := len(requests) - 1
			if err := all(tx.AddRequests(requests[:last]), tx.CheckRoom(desk.Snooze{}), tx.AddRequests(requests[last:])); err != nil {
				return fmt.Errorf("room for the last snoozed one: %w", err)
			}
			if err := tx.CheckRoom(desk.Snooze{}); desk.KindOf(err) != desk.Invalid {
				t.Errorf("room for more than %d: %v", desk.MostSnoozed, err)
			}
			after := *requests[0]
			after.Snooze = nil
			if err := all(tx.SaveRequest(*requests[0], &after), tx.CheckRoom(desk.Snooze{})); err != nil {
				return fmt.Errorf("room for another: %w", err)
			}

			follow := desk.Follow{Member: admin.ID}
			for i, r := range requests[:desk.MostFollowed] {
				if i == desk.MostFollowed-1 {
					if err := tx.CheckRoom(follow); err != nil {
						return fmt.Errorf("room for the last followed one: %w", err)
					}
				}
				if err := tx.SetFollow(admin.ID, r.ID, true); err != nil {
					return err
				}
			}
			if err := tx.CheckRoom(follow); desk.KindOf(err) != desk.Invalid {
				t.Errorf("room for more than %d: %v", desk.MostFollowed, err)
			}
			return all(tx.CheckRoom(desk.Follow{Member: admin.ID + 1}), tx.SetFollow(admin.ID, requests[0].ID, false), tx.CheckRoom(follow))
		})
	})
}

// Following is apart from reading, and each member's own. Who was removed follows
// nothing.
func TestFollow(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, admin := newAccount(t, s, "Acme")
		write(t, s, account.ID, func(tx *store.Tx) error {
			col, err := addAPICollection(tx, "A")
			if err != nil {
				return err
			}
			r, err := addRequest(tx, col, nil)
			if err != nil {
				return err
			}
			second := desk.Member{Name: "Second", Email: "second@acme.example", Role: desk.Agent, CreatedAt: tx.Now}
			if err := tx.AddMember(&second); err != nil {
				return err
			}
			check := func(what string, unread, follows bool, followers ...desk.MemberID) error {
				rows, err := tx.Rows([]desk.RequestID{r.ID}, desk.Everything, admin.ID)
				if err != nil {
					return err
				}
				does, err := tx.Follows(admin.ID, r.ID)
				if err != nil {
					return err
				}
				got, err := tx.Followers(r.ID)
				if row := rows[0].Row; row.Unread != unread || row.Following != follows || does != follows || !slices.Equal(got, followers) {
					t.Errorf("%s: unread %v, following %v and %v, followers %v", what, row.Unread, row.Following, does, got)
				}
				return err
			}
			m := desk.Message{Request: r.ID, Author: desk.Requester{Email: "ines@harborpine.example"}, HTML: "<p>x</p>", Text: "x", Source: desk.SourceAPI, CreatedAt: tx.Now}
			return all(tx.AddMessage(&m), check("at first", true, false), tx.SetFollow(admin.ID, r.ID, false), check("not followed", true, false),
				tx.SetFollow(admin.ID, r.ID, true), check("followed", true, true, admin.ID), tx.SetRead(admin.ID, r.ID, true), check("read", false, true, admin.ID),
				tx.SetFollow(second.ID, r.ID, true), check("by both", false, true, admin.ID, second.ID), tx.SetFollow(admin.ID, r.ID, false), check("read and not followed", false, false, second.ID),
				tx.RemoveMember(second.ID), check("removed", false, false))
		})
	})
}
