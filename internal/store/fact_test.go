package store_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

// Whatever is done to requests, in any order and at any time, the stored facts
// equal those that a rebuild makes.
func TestFactsAreKept(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, _ := newAccount(t, s, "Acme")
		f := factTest{T: t, s: s, account: account.ID, rand: rand.New(rand.NewPCG(7, 7))}
		write(t, s, account.ID, func(tx *store.Tx) error {
			schedule, err := addSchedule(tx)
			must(t, err)
			f.schedule = schedule
			col := desk.Collection{Name: "API", Kind: desk.APICollection, CreatedAt: tx.Now, UpdatedAt: tx.Now}
			must(t, tx.AddCollection(&col))
			for range 4 {
				r, err := addRequest(tx, col.ID, nil)
				must(t, err)
				f.requests = append(f.requests, r.ID)
			}
			return nil
		})
		for range 500 {
			f.change()
			// Check after each change, because the next change of a request would
			// repair what this one missed.
			if looked, wrong := f.rebuild(); looked != 4 || wrong != 0 {
				t.Fatalf("of %d requests %d have facts that were not kept", looked, wrong)
			}
			c.move(time.Duration(f.rand.IntN(3)) * time.Minute)
		}
		waits := f.count("response_facts")
		if waits < 5 || f.count("request_facts") < 1 {
			t.Fatalf("%d waits: too few to show anything", waits)
		}

		// Facts that were lost or changed behind our back are repaired.
		for _, damage := range []string{
			"DELETE FROM request_facts", "DELETE FROM response_facts", "UPDATE response_facts SET length = length + 1",
			"UPDATE request_facts SET first_response = 77", "UPDATE request_facts SET survey_points = 2, survey_value = 1, survey_at = 3",
		} {
			must(t, s.DB().Write(ctx, func(tx *sqldb.Tx) error {
				_, err := tx.Exec(damage)
				return err
			}))
			if _, wrong := f.rebuild(); wrong == 0 {
				t.Errorf("nothing was wrong after %s", damage)
			}
			if _, wrong := f.rebuild(); wrong != 0 || f.count("response_facts") != waits {
				t.Errorf("after %s and a rebuild %d are wrong", damage, wrong)
			}
		}
	})
}

type factTest struct {
	*testing.T
	s        *store.Store
	account  desk.AccountID
	rand     *rand.Rand
	schedule desk.Schedule
	requests []desk.RequestID
	messages []desk.Message
}

// change does something to a request or two, in one transaction.
func (f *factTest) change() {
	f.Helper()
	write(f.T, f.s, f.account, func(tx *store.Tx) error {
		for range 1 + f.rand.IntN(2) {
			f.one(tx)
		}
		return nil
	})
}

func (f *factTest) one(tx *store.Tx) {
	f.Helper()
	id := f.requests[f.rand.IntN(len(f.requests))]
	before, err := tx.Request(id, desk.Everything)
	must(f.T, err)
	after := before
	at := tx.Now.Add(-time.Duration(f.rand.IntN(40)) * time.Minute) // often the same for several
	switch f.rand.IntN(12) {
	case 0, 1, 2, 3:
		m := desk.Message{Request: id, Author: desk.Requester{Name: "x"}, HTML: "x", Text: "x", CreatedAt: at, Source: "api",
			Responder: f.rand.IntN(2) == 0, Private: f.rand.IntN(5) == 0, Bot: f.rand.IntN(5) == 0}
		must(f.T, tx.AddMessage(&m))
		f.messages = append(f.messages, m)
	case 4:
		if len(f.messages) > 0 {
			m := &f.messages[f.rand.IntN(len(f.messages))]
			m.Private = !m.Private
			must(f.T, tx.EditMessage(*m))
		}
	case 5:
		if len(f.messages) > 0 {
			must(f.T, tx.RemoveMessage(f.messages[f.rand.IntN(len(f.messages))].ID))
		}
	case 6: // everything moves to another request, as in a merge
		to := f.requests[f.rand.IntN(len(f.requests))]
		all, err := tx.Belongings([]desk.RequestID{id})
		must(f.T, err)
		if to != id && f.rand.IntN(3) == 0 && len(all[0].Surveys) == 0 {
			must(f.T, tx.Move(all[0], id, to))
		}
	case 7:
		states := append([]desk.State{""}, desk.States...)
		if state := states[f.rand.IntN(len(states))]; state != "" {
			after.State = &state
		} else {
			after.State = nil
		}
		if f.rand.IntN(2) == 0 {
			after.FirstResponseAt, after.FirstSolvedAt, after.SolvedAt = &at, &at, &at
		} else {
			after.SolvedAt = nil
		}
		must(f.T, tx.SaveRequest(before, &after))
	case 8:
		clock := desk.SLA{Kind: desk.SLAFirstResponse, Start: before.CreatedAt, Target: time.Hour, Due: &at}
		if f.rand.IntN(2) == 0 {
			clock.Schedule = &f.schedule.Version
		}
		must(f.T, tx.SaveClocks(id, before.SLAs, []desk.SLA{clock}))
	case 9:
		key, err := tx.NextKeys(1)
		must(f.T, err)
		must(f.T, tx.AddTicket(id, desk.Ticket{ID: key.Number, Type: desk.Native, Key: key.String(), CreatedAt: tx.Now}))
	case 10:
		if before.Survey == nil {
			if _, _, asked, err := tx.SurveyAskedOf(id); err == nil && !asked {
				must(f.T, tx.AddSurvey(&desk.Survey{Request: id, Type: desk.FivePointRating, TriggeredAt: tx.Now}, "nonce"))
			}
		} else {
			answered := *before.Survey
			answered.AnsweredAt, answered.ChangedAt, answered.Value = &tx.Now, &tx.Now, 1+f.rand.IntN(5)
			must(f.T, tx.SaveSurvey(answered))
		}
	case 11:
		must(f.T, tx.BackdateRequest(id, before.CreatedAt.Add(-time.Duration(f.rand.IntN(2))*time.Hour)))
	}
}

func (f *factTest) rebuild() (looked, wrong int) {
	f.Helper()
	for last := desk.RequestID(0); ; {
		n := 0
		write(f.T, f.s, f.account, func(tx *store.Tx) (err error) {
			var w int
			last, n, w, err = tx.RebuildFacts(last, 3)
			wrong += w
			return err
		})
		if looked += n; n == 0 {
			return looked, wrong
		}
	}
}

func (f *factTest) count(table string) (n int) {
	f.Helper()
	must(f.T, f.s.DB().Read(ctx, func(tx *sqldb.Tx) error { return tx.Row("SELECT count(*) FROM " + table).Scan(&n) }))
	return n
}
