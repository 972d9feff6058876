package store_test

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/schema"
	"frontdesk/internal/store"
)

// oldRequests adds requests as a node of the version before would, which knows no
// numbers: two with tickets, one of which was merged into the other, one with a
// further ticket, and others without. It returns them in their order.
func oldRequests(t *testing.T, s *store.Store, account desk.AccountID) (all []desk.Request) {
	t.Helper()
	write(t, s, account, func(tx *store.Tx) error {
		all = nil
		col, err := addCollection(tx, "old", desk.ChatCollection)
		if err != nil {
			return err
		}
		for range 6 {
			r, err := addRequest(tx, col.ID, nil)
			if err != nil {
				return err
			}
			all = append(all, r)
		}
		for _, i := range []int{1, 3, 3} { // of a merged one, its own, and a further one
			key, err := tx.NextKeys(1)
			if err != nil {
				return err
			}
			ticket := desk.Ticket{ID: key.Number, Type: desk.Native, Key: key.String(), URL: fmt.Sprint("https://desk.example/requests/", all[i].ID), CreatedAt: tx.Now}
			if err := tx.AddTicket(all[3].ID, ticket); err != nil {
				return err
			}
		}
		before := all[1].Clone()
		all[1].MergedInto = &all[3].ID
		return tx.SaveRequest(before, &all[1])
	})
	sql(t, s, "UPDATE requests SET number = NULL, key = NULL WHERE account_id = $1", account)
	return all
}

func keysOf(t *testing.T, s *store.Store, account desk.AccountID) string {
	t.Helper()
	var keys []string
	for _, row := range rows(t, s, "SELECT key FROM requests WHERE account_id = $1 ORDER BY id", account) {
		keys = append(keys, strings.Trim(strings.TrimPrefix(strings.TrimSpace(row), "key="), `"`))
	}
	return strings.Join(keys, " ")
}

// A request of a node of the version before takes the number of the first ticket that
// was made for it, also if a merge has moved that. The others get fresh numbers, in
// the order in which they began. The migration and the job come to the same.
func TestOlderRequestsGetNumbers(t *testing.T) {
	files, err := fs.Glob(schema.Files, "*_request_keys.sql")
	must(t, err)
	if len(files) != 1 {
		t.Fatalf("the migrations are %v", files)
	}
	migration, err := fs.ReadFile(schema.Files, files[0])
	must(t, err)
	updates := regexp.MustCompile(`(?s)UPDATE requests SET [^;]*`).FindAllString(string(migration), -1)
	if len(updates) != 2 {
		t.Fatalf("the migration has %d updates", len(updates))
	}
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		for name, first := range map[string]func(){"Migrated": func() {
			for _, update := range updates {
				sql(t, s, update)
				sql(t, s, update) // it may be killed in the middle, and begins again
			}
		}, "Running": func() {}} {
			a, _ := newAccount(t, s, name)
			old := oldRequests(t, s, a.ID)
			read(t, s, a.ID, func(tx *store.Tx) error {
				r, err := tx.Request(old[0].ID, desk.Everything)
				if r.Number != 0 || r.Key != desk.FormatID(r.ID) {
					t.Errorf("without a number it is called %q", r.Key)
				}
				return err
			})
			first()
			var counts []int
			for n := -1; n != 0; counts = append(counts, n) {
				write(t, s, a.ID, func(tx *store.Tx) (err error) {
					n, err = tx.NumberRequests(4)
					return err
				})
			}
			if want := map[string][]int{"Migrated": {4, 0}, "Running": {4, 2, 0}}[name]; !slices.Equal(counts, want) {
				t.Errorf("%s: the pieces are %v, not %v", name, counts, want)
			}
			prefix := a.KeyPrefix
			want := fmt.Sprintf("%[1]s-10 %[1]s-7 %[1]s-11 %[1]s-8 %[1]s-12 %[1]s-13", prefix)
			if got := keysOf(t, s, a.ID); got != want {
				t.Errorf("%s: got  %s\nwant %s", name, got, want)
			}
			read(t, s, a.ID, func(tx *store.Tx) error {
				for number, i := range map[int64]int{7: 1, 8: 3, 9: 3, 10: 0, 13: 5} {
					for _, k := range []desk.Key{{Prefix: prefix, Number: number}, {Number: number}} {
						if id, err := tx.RequestKeyed(k); err != nil || id != old[i].ID {
							t.Errorf("%s: %v leads to %d, %v; want %d", name, k, id, err, old[i].ID)
						}
					}
				}
				for _, k := range []desk.Key{{Prefix: prefix, Number: 1}, {Prefix: "OTHER", Number: 8}, {Number: 14}} {
					if id, err := tx.RequestKeyed(k); err != nil || id != 0 {
						t.Errorf("%s: %v leads to %d, %v", name, k, id, err)
					}
				}
				return nil
			})
			sameAgain, err := s.WithoutNumbers(ctx)
			if must(t, err); slices.Contains(sameAgain, a.ID) {
				t.Errorf("%s: some still have no number", name)
			}
		}
	})
}

// A key that was said once leads to its request whatever the prefix becomes.
func TestKeysOutliveThePrefix(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		var before, after desk.Request
		write(t, s, a.ID, func(tx *store.Tx) error {
			col, err := addCollection(tx, "c", desk.ChatCollection)
			if err != nil {
				return err
			}
			if before, err = addRequest(tx, col.ID, nil); err != nil {
				return err
			}
			next := a
			next.KeyPrefix = "PINE"
			if err := tx.SaveAccount(next); err != nil {
				return err
			}
			after, err = addRequest(tx, col.ID, nil)
			return err
		})
		if before.Key != "ACME-1" || after.Key != "PINE-2" {
			t.Fatalf("they are %s and %s", before.Key, after.Key)
		}
		read(t, s, a.ID, func(tx *store.Tx) error {
			for key, want := range map[string]desk.RequestID{"ACME-1": before.ID, "PINE-1": before.ID, "PINE-2": after.ID, "ACME-2": 0} {
				k, _ := desk.ParseKey(key)
				if id, err := tx.RequestKeyed(k); err != nil || id != want {
					t.Errorf("%s leads to %d, %v; want %d", key, id, err, want)
				}
			}
			return nil
		})
	})
}

// Many requests take their numbers with one statement, in their order.
func TestImportedRequestsAreNumberedInOrder(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		write(t, s, a.ID, func(tx *store.Tx) error {
			col, err := addCollection(tx, "c", desk.ChatCollection)
			if err != nil {
				return err
			}
			all := make([]*desk.Request, 250)
			for i := range all {
				r := newRequest(tx, col.ID)
				all[i] = &r
			}
			if err := tx.AddRequests(all); err != nil {
				return err
			}
			for i, r := range all {
				if want := fmt.Sprint("ACME-", i+1); r.Key != want || r.Number != int64(i+1) || i > 0 && r.ID <= all[i-1].ID {
					t.Errorf("request %d is %s, number %d, id %d", i, r.Key, r.Number, r.ID)
				}
			}
			return nil
		})
		if got := len(rows(t, s, "SELECT DISTINCT number FROM requests WHERE account_id = $1", a.ID)); got != 250 {
			t.Errorf("there are %d numbers", got)
		}
	})
}
