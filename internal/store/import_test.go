package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// However many keys are looked up, each is found.
func TestLookUpManyAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		const n = 1300
		ids, emails, told := make([]string, n), make([]string, n), make([]store.Report[desk.User], n)
		for i := range ids {
			ids[i], emails[i] = fmt.Sprintf("U%d", i), fmt.Sprintf("É%d@Acme.example", i)
			told[i] = store.Report[desk.User]{Revision: 1, Is: desk.User{ID: ids[i], Name: "Jo", Email: emails[i], Deleted: i == 1, IsBot: i == 2}}
		}
		told[4].Is.Email = emails[3] // the user we have known longer has it
		write(t, s, a.ID, func(tx *store.Tx) error {
			for begin := 0; begin < n; begin += 100 {
				if _, err := tx.PutUsers(told[begin:begin+100], tx.Now); err != nil {
					return err
				}
			}
			return nil
		})
		read(t, s, a.ID, func(tx *store.Tx) error {
			named, err := tx.UsersNamed(append([]string{"U_NONE"}, ids...))
			must(t, err)
			if len(named) != n || !named["U1"].Deleted || !named["U2"].IsBot {
				t.Errorf("%d users by their ids", len(named))
			}
			for i := range emails {
				emails[i] = strings.ToUpper(emails[i])
			}
			found, err := tx.UsersByEmail(append(emails, "", "none@acme.example"))
			must(t, err)
			if len(found) != n-3 || found[desk.FoldEmail(emails[3])].ID != "U3" || found[desk.FoldEmail(emails[n-1])].ID != ids[n-1] {
				t.Errorf("%d users by their emails; the shared one is %+v", len(found), found[desk.FoldEmail(emails[3])])
			}
			none, err := tx.UsersByEmail(nil)
			if len(none) > 0 {
				t.Errorf("got %v for nobody", none)
			}
			return err
		})
	})
}

// A history is stored in its order, however large its texts are.
func TestAddHistory(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		var r desk.Request
		const n = 1203
		write(t, s, a.ID, func(tx *store.Tx) (err error) {
			col := desk.Collection{Name: "API", Kind: desk.APICollection, CreatedAt: tx.Now, UpdatedAt: tx.Now}
			if err := tx.AddCollection(&col); err != nil {
				return err
			}
			if r, err = addRequest(tx, col.ID, nil); err != nil {
				return err
			}
			all := make([]desk.Message, n)
			for i := range all {
				text := fmt.Sprint(i)
				if i%400 == 7 {
					text += strings.Repeat("é", 400_000)
				}
				all[i] = desk.Message{Request: r.ID, Text: text, HTML: "<p>", Source: desk.SourceImport, Responder: i%2 == 0, CreatedAt: tx.Now}
			}
			return tx.KeepMessages(all)
		})
		read(t, s, a.ID, func(tx *store.Tx) error {
			one, err := tx.RequestsNamed([]desk.RequestID{r.ID}, desk.Everything)
			must(t, err)
			must(t, tx.AddMessages(one))
			if len(one[0].Messages) != n {
				t.Fatalf("%d messages", len(one[0].Messages))
			}
			for i, m := range one[0].Messages {
				if number, _, _ := strings.Cut(m.Text, "é"); number != fmt.Sprint(i) || m.Responder != (i%2 == 0) || m.Source != desk.SourceImport {
					t.Fatalf("message %d is %.20q", i, m.Text)
				}
			}
			return nil
		})
	})
}

// Each of many added requests gets its own id, in their order, with its own data.
// Requests of two collections are refused, because only one collection is checked.
func TestAddRequests(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		const n = 207
		all := make([]*desk.Request, n)
		write(t, s, a.ID, func(tx *store.Tx) error {
			col, err := addAPICollection(tx, "API")
			must(t, err)
			other, err := addAPICollection(tx, "Other")
			must(t, err)
			for i := range all {
				r := newRequest(tx, col)
				r.Title, r.Tags = fmt.Sprint(i), []string{"all", fmt.Sprint("tag ", i)}
				all[i] = &r
			}
			must(t, tx.AddRequests(all))
			if err := tx.AddRequests(nil); err != nil {
				t.Errorf("none: %v", err)
			}
			one, two := newRequest(tx, col), newRequest(tx, other)
			if tx.AddRequests([]*desk.Request{&one, &two}) == nil {
				t.Error("two collections are accepted")
			}
			return nil
		})
		read(t, s, a.ID, func(tx *store.Tx) error {
			for i, r := range all {
				kept, err := tx.Request(r.ID, desk.Everything)
				must(t, err)
				if kept.Title != fmt.Sprint(i) || !slices.Equal(kept.Tags, r.Tags) || i > 0 && r.ID <= all[i-1].ID {
					t.Fatalf("request %d is %d, %q with %q", i, r.ID, kept.Title, kept.Tags)
				}
			}
			tags, err := tx.Tags(desk.TagQuery{Reach: desk.Everything, Limit: n + 10})
			if len(tags) != n+1 {
				t.Errorf("%d tags", len(tags))
			}
			return err
		})
	})
}
