package store_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

// Settings that were read once take one statement together, in a turn and outside
// it. Nobody gets outdated settings: neither the one who changes them, nor another
// transaction, nor another process.
func TestSettingsAreKept(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		other := store.New(s.DB(), key, c.Now) // it has its own cache
		var id desk.CollectionID
		write(t, s, a.ID, func(tx *store.Tx) (err error) {
			id, err = addAPICollection(tx, "API")
			return err
		})
		schedule := desk.Schedule{Name: "Days", TimeZone: "UTC", CreatedAt: c.Now(), UpdatedAt: c.Now()}
		policy := desk.SLAPolicy{Name: "Soon", Kind: desk.SLAResolution, TargetMinutes: ptr(60), Enabled: true, Position: 1, CreatedAt: c.Now(), UpdatedAt: c.Now()}

		set := func(tx *store.Tx) (string, error) {
			account, err := tx.ThisAccount()
			col, e := tx.Collection(id)
			err = errors.Join(err, e)
			policies, e := tx.EnabledSLAPolicies()
			err = errors.Join(err, e)
			schedules, e := tx.CurrentSchedules()
			err = errors.Join(err, e)
			of, e := tx.CollectionSchedule(id)
			err = errors.Join(err, e)
			text := fmt.Sprintf("%s %v, %s %v, of %d policies and %d schedules, measured %v", account.Name, account.Categories, col.Name, col.Responders, len(policies), len(schedules), of != nil)
			return text, err
		}
		// shows reads them everywhere, twice. The second read comes from the cache.
		shows := func(want string) {
			t.Helper()
			for who, s := range map[string]*store.Store{"one": s, "another": other} {
				for _, at := range []struct {
					name string
					run  func(fn func(*store.Tx) error) error
				}{
					{"reading", func(fn func(*store.Tx) error) error { return s.Read(ctx, a.ID, fn) }},
					{"in a turn", func(fn func(*store.Tx) error) error { return s.Write(ctx, a.ID, fn) }},
				} {
					for _, again := range []bool{false, true} {
						before := s.DB().Stats().Statements
						must(t, at.run(func(tx *store.Tx) error {
							got, err := set(tx)
							if got != want {
								t.Errorf("%s, %s: %s, want %s", who, at.name, got, want)
							}
							return err
						}))
						if n := s.DB().Stats().Statements - before; again && n != 1 {
							t.Errorf("%s, %s: %d statements", who, at.name, n)
						}
					}
				}
				must(t, s.CheckKept(ctx))
			}
		}
		shows("Acme [feature_request bug question problem task], API [], of 0 policies and 0 schedules, measured false")

		change := func(want string, fn func(tx *store.Tx) error) {
			t.Helper()
			write(t, s, a.ID, func(tx *store.Tx) error {
				if _, err := set(tx); err != nil { // their old values
					return err
				}
				if err := fn(tx); err != nil {
					return err
				}
				got, err := set(tx)
				if got != want {
					t.Errorf("who changes them reads %s, want %s", got, want)
				}
				return err
			})
			shows(want)
		}
		change("Globex [billing], API [], of 0 policies and 0 schedules, measured false", func(tx *store.Tx) error {
			account, err := tx.ThisAccount()
			if err != nil {
				return err
			}
			account.Name, account.Categories = "Globex", []string{"billing"}
			return tx.SaveAccount(account)
		})
		change("Globex [billing], Desk [{U1 0 }], of 0 policies and 0 schedules, measured false", func(tx *store.Tx) error {
			col, err := tx.Collection(id)
			if err != nil {
				return err
			}
			col.Name, col.Responders = "Desk", []desk.Responder{{UserID: "U1"}}
			return tx.SaveCollection(col)
		})
		change("Globex [billing], Desk [{U1 0 }], of 0 policies and 1 schedules, measured false", func(tx *store.Tx) error { return tx.AddSchedule(&schedule) })
		change("Globex [billing], Desk [{U1 0 }], of 0 policies and 1 schedules, measured true", func(tx *store.Tx) error {
			col, err := tx.Collection(id)
			if err != nil {
				return err
			}
			col.Schedule = &schedule.ID
			return tx.SaveCollection(col)
		})
		change("Globex [billing], Desk [{U1 0 }], of 1 policies and 1 schedules, measured true", func(tx *store.Tx) error { return tx.AddSLAPolicy(&policy) })
		change("Globex [billing], Desk [{U1 0 }], of 0 policies and 1 schedules, measured true", func(tx *store.Tx) error { return tx.RemoveSLAPolicy(policy.ID) })

		// A change by a process of an older version, which does not advance the
		// epoch, is noticed in time.
		silently := func(name string) {
			t.Helper()
			must(t, s.DB().Write(ctx, func(tx *sqldb.Tx) error {
				_, err := tx.Exec("UPDATE accounts SET name = $1 WHERE id = $2", name, a.ID)
				return err
			}))
			c.move(time.Minute)
		}
		silently("Initech")
		shows("Initech [billing], Desk [{U1 0 }], of 0 policies and 1 schedules, measured true")
		silently("Globex")

		// A change that was rolled back is never read, and what a caller does with
		// its copy affects nobody else.
		if err := s.Write(ctx, a.ID, func(tx *store.Tx) error {
			account, err := tx.ThisAccount()
			if err != nil {
				return err
			}
			account.Name, account.Categories[0] = "Never", "never"
			if err := tx.SaveAccount(account); err != nil {
				return err
			}
			if _, err := set(tx); err != nil {
				return err
			}
			return errUndone
		}); err != errUndone {
			t.Error(err)
		}
		shows("Globex [billing], Desk [{U1 0 }], of 0 policies and 1 schedules, measured true")
	})
}

// A request that was just created is read with what was written besides its row.
// Tables without new rows are not queried.
func TestWhatIsMadeIsReadAsItIs(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		var col desk.CollectionID
		write(t, s, a.ID, func(tx *store.Tx) (err error) {
			col, err = addAPICollection(tx, "API")
			return err
		})
		make := func(want uint64, fn func(*desk.Request)) (made desk.Request) {
			t.Helper()
			write(t, s, a.ID, func(tx *store.Tx) (err error) {
				r, err := addRequest(tx, col, fn)
				if err != nil {
					return err
				}
				before := s.DB().Stats().Statements
				made, err = tx.Request(r.ID, desk.Everything)
				if n := s.DB().Stats().Statements - before; n != want {
					t.Errorf("it was read with %d statements, want %d", n, want)
				}
				return err
			})
			var now desk.Request
			read(t, s, a.ID, func(tx *store.Tx) (err error) {
				now, err = tx.Request(made.ID, desk.Everything)
				return err
			})
			if !reflect.DeepEqual(now, made) {
				t.Errorf("it was made as %+v, and is %+v", made, now)
			}
			return made
		}
		make(1, nil)
		if r := make(3, func(r *desk.Request) { r.Tags, r.Contributors = []string{"one"}, []string{"U1"} }); fmt.Sprint(r.Tags, r.Contributors) != "[one] [U1]" {
			t.Errorf("it has %v and %v", r.Tags, r.Contributors)
		}
	})
}

// A turn that has written nothing yet takes a request from the cache. One that has
// written does not.
func TestTurnsUseWhatIsKept(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		a, _ := newAccount(t, s, "Acme")
		var one desk.Request
		write(t, s, a.ID, func(tx *store.Tx) error {
			col, err := addAPICollection(tx, "API")
			if err != nil {
				return err
			}
			one, err = addRequest(tx, col, func(r *desk.Request) { r.Tags = []string{"kept"} })
			return err
		})
		other := store.New(s.DB(), key, c.Now)
		keep := func() {
			t.Helper()
			read(t, s, a.ID, func(tx *store.Tx) error {
				_, err := tx.Rows([]desk.RequestID{one.ID}, desk.Everything, 0)
				return err
			})
		}
		reads := func(tx *store.Tx, want uint64) (r desk.Request) {
			t.Helper()
			before := s.DB().Stats().Statements
			r, err := tx.Request(one.ID, desk.Everything)
			must(t, err)
			if n := s.DB().Stats().Statements - before; n != want {
				t.Errorf("%d statements, want %d", n, want)
			}
			return r
		}
		whole := uint64(4) // its row, tags, suggestions and tickets; the row tells that there is nothing else
		write(t, s, a.ID, func(tx *store.Tx) error { reads(tx, whole); return nil })
		keep()
		write(t, s, a.ID, func(tx *store.Tx) error {
			r := reads(tx, 1)
			after := r.Clone()
			r.Tags[0] = "mine" // affects nobody else
			after.Title = "Changed"
			if err := tx.SaveRequest(r, &after); err != nil {
				return err
			}
			if r := reads(tx, whole); r.Title != "Changed" || r.Tags[0] != "kept" {
				t.Errorf("who changes it reads %q %v", r.Title, r.Tags)
			}
			return nil
		})
		must(t, s.CheckKept(ctx))
		write(t, s, a.ID, func(tx *store.Tx) error { reads(tx, whole+1); return nil }) // the cached request is outdated
		write(t, s, a.ID, func(tx *store.Tx) error { reads(tx, whole); return nil })
		keep()
		write(t, other, a.ID, func(tx *store.Tx) error {
			before, err := tx.Request(one.ID, desk.Everything)
			after := before.Clone()
			after.Title = "By another"
			return errors.Join(err, tx.SaveRequest(before, &after))
		})
		write(t, s, a.ID, func(tx *store.Tx) error {
			if r := reads(tx, whole+1); r.Title != "By another" {
				t.Errorf("it is %q", r.Title)
			}
			return nil
		})
		if err := s.Write(ctx, a.ID, func(tx *store.Tx) error {
			_, err := tx.Request(one.ID, desk.Reach{})
			return err
		}); desk.KindOf(err) != desk.NotFound {
			t.Errorf("out of reach: %v", err)
		}
	})
}
