package store_test

import (
	"reflect"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/hours"
	"frontdesk/internal/store"
)

func addSchedule(tx *store.Tx) (desk.Schedule, error) {
	s := desk.Schedule{Name: "Office", TimeZone: "Europe/Berlin", CreatedAt: tx.Now, UpdatedAt: tx.Now,
		Holidays: []hours.Holiday{{Date: "2026-12-24", Name: "Eve", Hours: []hours.Range{{From: 540, To: 720}}}, {Date: "2026-12-25"}}}
	s.Hours[0] = []hours.Range{{From: 540, To: 750}, {From: 1320, To: 360}}
	s.Hours[6] = []hours.Range{{From: 0, To: 1440}}
	err := tx.AddSchedule(&s)
	return s, err
}

func addPolicy(tx *store.Tx, schedule *desk.ScheduleID) (desk.SLAPolicy, error) {
	p := desk.SLAPolicy{Name: "Urgent", Kind: desk.SLAResolution, TargetMinutes: ptr(60), Schedule: schedule, Enabled: true, Position: 3,
		Conditions: desk.SLAConditions{Priorities: []desk.Priority{desk.Urgent}, Customers: []desk.CustomerID{7}, HasTicket: ptr(true)}, CreatedAt: tx.Now, UpdatedAt: tx.Now}
	err := tx.AddSLAPolicy(&p)
	return p, err
}

func clockOf(p desk.SLAPolicy, s desk.Schedule, now time.Time) desk.SLA {
	return desk.SLA{Kind: p.Kind, Policy: &p.ID, Target: time.Hour, Schedule: &s.Version, Start: now, Spent: 90 * time.Millisecond,
		Since: ptr(now.Add(time.Second)), End: ptr(now.Add(2 * time.Second)), Due: ptr(now.Add(3 * time.Second)), FirstBreached: ptr(false), Replies: 4, ToldAt: ptr(now)}
}

// Everything is read back as it was stored: schedules with every version of their
// times, policies, and clocks with their calendars.
func TestSLAIsKept(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, _ := newAccount(t, s, "Acme")
		write(t, s, account.ID, func(tx *store.Tx) error {
			schedule, err := addSchedule(tx)
			must(t, err)
			found, err := tx.Schedule(schedule.ID)
			must(t, err)
			if !reflect.DeepEqual(found.Hours, schedule.Hours) || !found.SameTimes(schedule) || found.Version != schedule.Version {
				t.Errorf("the schedule is %+v, not %+v", found, schedule)
			}
			policy, err := addPolicy(tx, &schedule.ID)
			must(t, err)
			if found, err := tx.SLAPolicy(policy.ID); err != nil || !reflect.DeepEqual(found, policy) {
				t.Errorf("the policy is %+v, not %+v (%v)", found, policy, err)
			}

			col := desk.Collection{Name: "API", Kind: desk.APICollection, Schedule: &schedule.ID, CreatedAt: tx.Now, UpdatedAt: tx.Now}
			must(t, tx.AddCollection(&col))
			r, err := addRequest(tx, col.ID, nil)
			must(t, err)
			first := clockOf(policy, schedule, tx.Now)
			must(t, tx.SaveClocks(r.ID, nil, []desk.SLA{first}))

			// The schedule changes, and the clock still uses its old version.
			after := schedule
			after.TimeZone = "Asia/Kolkata"
			must(t, tx.SaveSchedule(schedule, &after))
			if after.Version == schedule.Version {
				t.Error("another time zone is the same version")
			}
			renamed := after
			renamed.Name = "Bureau"
			must(t, tx.SaveSchedule(after, &renamed))
			if renamed.Version != after.Version {
				t.Error("another name is another version")
			}
			kept, err := tx.Request(r.ID, desk.Everything)
			must(t, err)
			want, err := schedule.Calendar()
			must(t, err)
			if len(kept.SLAs) != 1 || !kept.SLAs[0].Same(first) {
				t.Fatalf("the clocks are %+v, not %+v", kept.SLAs, first)
			}
			if from, to := tx.Now, tx.Now.Add(30*24*time.Hour); kept.SLAs[0].Calendar.Between(from, to) != want.Between(from, to) {
				t.Error("the clock goes by another calendar than its own")
			}

			// One kind of clock goes, another changes.
			other, changed := first, first
			other.Kind, changed.Replies = desk.SLAFirstResponse, 9
			must(t, tx.SaveClocks(r.ID, kept.SLAs, []desk.SLA{other, changed}))
			must(t, tx.SaveClocks(r.ID, []desk.SLA{other, changed}, []desk.SLA{changed}))
			if kept, err = tx.Request(r.ID, desk.Everything); err != nil || len(kept.SLAs) != 1 || !kept.SLAs[0].Same(changed) {
				t.Errorf("the clocks are %+v (%v)", kept.SLAs, err)
			}

			policyName, collection, err := tx.ScheduleUsers(schedule.ID)
			if err != nil || policyName != "Urgent" || collection != "API" {
				t.Errorf("it is used by %q and %q (%v)", policyName, collection, err)
			}
			return nil
		})
	})
}

// What was true of a request when its clocks started stays.
func TestSLAStartStays(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, _ := newAccount(t, s, "Acme")
		write(t, s, account.ID, func(tx *store.Tx) error {
			col := desk.Collection{Name: "API", Kind: desk.APICollection, CreatedAt: tx.Now, UpdatedAt: tx.Now}
			must(t, tx.AddCollection(&col))
			r, err := addRequest(tx, col.ID, nil)
			must(t, err)
			start := desk.SLAStart{Since: ptr(tx.Now), Collection: col.ID, Priority: desk.High, HasTicket: true}
			must(t, tx.AddSLAStart(r.ID, start))
			must(t, tx.AddSLAStart(r.ID, r.SLAStart(true, tx.Now)))
			if found, err := tx.SLAStart(r.ID); err != nil || !reflect.DeepEqual(*found, start) {
				t.Errorf("it is %+v, not %+v (%v)", found, start, err)
			}
			return nil
		})
	})
}
