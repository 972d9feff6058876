package store_test

import (
	"maps"
	"slices"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

func TestMutes(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, _ := newAccount(t, s, "Acme")
		var first, second desk.Collection
		var jo, mira, gone desk.Member
		write(t, s, account.ID, func(tx *store.Tx) (err error) {
			if first, err = addCollection(tx, "first", desk.ChatCollection); err != nil {
				return err
			}
			if second, err = addCollection(tx, "second", desk.ChatCollection); err != nil {
				return err
			}
			for _, m := range []struct {
				member *desk.Member
				email  string
			}{{&jo, "Jo@acme.test"}, {&mira, "mira@acme.test"}, {&gone, "gone@acme.test"}} {
				if *m.member, err = addMember(tx, m.email, desk.Agent); err != nil {
					return err
				}
			}
			return all(
				addUser(tx, "U_JO", "jo@ACME.test", false, false), addUser(tx, "U_MIRA", "mira@acme.test", false, false),
				addUser(tx, "U_GONE", "gone@acme.test", true, false), addUser(tx, "U_BOT", "jo@acme.test", false, true), addUser(tx, "U_NONE", "", false, false))
		})
		set := func(col desk.Collection, m desk.Member, muted bool) {
			t.Helper()
			for range 2 { // the second time changes nothing
				write(t, s, account.ID, func(tx *store.Tx) error { return tx.SaveMute(col.ID, m.ID, desk.Mute{Muted: muted}) })
				read(t, s, account.ID, func(tx *store.Tx) error {
					got, err := tx.Mute(col.ID, m.ID)
					return all(err, same("muted", got.Muted, muted))
				})
			}
		}
		muted := func(col desk.Collection, want ...string) {
			t.Helper()
			read(t, s, account.ID, func(tx *store.Tx) error {
				if got, err := tx.MutedUsers(col.ID); err != nil || !slices.Equal(slices.Sorted(maps.Keys(got)), want) {
					t.Errorf("muted by %v, %v; want %v", got, err, want)
				}
				return nil
			})
		}
		muted(first)
		set(first, jo, true)
		set(first, gone, true) // a member, but deactivated in the chat system
		muted(first, "U_JO")
		muted(second)
		set(first, mira, true)
		set(second, mira, true)
		muted(first, "U_JO", "U_MIRA")
		muted(second, "U_MIRA")
		set(first, jo, false)
		muted(first, "U_MIRA")
		write(t, s, account.ID, func(tx *store.Tx) error { return tx.RemoveMember(mira.ID) })
		muted(first)
		muted(second)

		set(second, jo, true)
		write(t, s, account.ID, func(tx *store.Tx) error { return tx.RemoveCollection(second.ID) })
		muted(second)
	})
}
