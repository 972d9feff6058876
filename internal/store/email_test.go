package store_test

import (
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// An email that only Unicode folding would take for another's belongs to a
// different person, wherever an email identifies somebody.
func TestLookAlikesAreOthers(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, admin := newAccount(t, s, "Acme") // admin@acme.example
		const like, upper = "admın@acme.example", "ADMIN@Acme.EXAMPLE"
		found := func(email string) (ids []desk.MemberID) {
			t.Helper()
			members, err := s.MembersByEmail(ctx, email)
			must(t, err)
			passwords, err := s.PasswordMembers(ctx, email)
			must(t, all(err, same("members by password", len(passwords), len(members))))
			for i, m := range members {
				must(t, same("the same member", m.Member.ID, passwords[i].Member.ID))
				ids = append(ids, m.Member.ID)
			}
			return ids
		}
		if got := found(like); len(got) != 0 {
			t.Errorf("%s is %v", like, got)
		}
		var other desk.Member
		write(t, s, a.ID, func(tx *store.Tx) (err error) {
			if other, err = addMember(tx, like, desk.Agent); err != nil {
				return err
			}
			_, conflict := addMember(tx, upper, desk.Agent)
			return same("a member who is there", desk.KindOf(conflict), desk.Conflict)
		})
		if one, two := found(upper), found(like); len(one) != 1 || one[0] != admin.ID || len(two) != 1 || two[0] != other.ID {
			t.Errorf("they are %v and %v", one, two)
		}
		write(t, s, a.ID, func(tx *store.Tx) error {
			return addUser(tx, "U_LIKE", like, false, false)
		})
		read(t, s, a.ID, func(tx *store.Tx) error {
			nobody, err := tx.UserIDByEmail(upper)
			must(t, err)
			if nobody != nil {
				t.Errorf("the chat user of %s is %s", upper, *nobody)
			}
			users, err := tx.UsersByEmail([]string{upper, like})
			must(t, all(err, same("users by email", len(users), 1), same("who", users[desk.FoldEmail(like)].ID, "U_LIKE")))
			admins, err := tx.AdminUsers()
			must(t, all(err, same("admins in the chat system", len(admins), 0)))
			reader, err := tx.Reader(admin.ID)
			must(t, all(err, same("reader", reader.User, "")))
			reader, err = tx.Reader(other.ID)
			return all(err, same("reader", reader.User, "U_LIKE"))
		})
		write(t, s, a.ID, func(tx *store.Tx) error {
			col, err := addAPICollection(tx, "Help")
			if err != nil {
				return err
			}
			_, err = addRequest(tx, col, func(r *desk.Request) { r.Author = desk.Requester{Email: like} })
			return err
		})
		read(t, s, a.ID, func(tx *store.Tx) error {
			for email, want := range map[string]int{upper: 0, like: 1, "ADMıN@acme.example": 1} {
				l, err := tx.Requests(desk.RequestFilter{AuthorEmails: []string{email}, Reach: desk.Everything}, desk.Page{Limit: 10})
				must(t, all(err, same("requests of "+email, len(l.Items), want)))
			}
			return nil
		})
	})
}
