package insights

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

var ctx = context.Background()

// fact is a row of request_facts with its related rows.
type fact struct {
	id                                int64
	created                           time.Time
	collection                        int64
	state, priority                   string
	assignee                          *string
	hasTicket, answered               bool
	response, resolution, resolution1 *int64
	applies                           bool
	lateAt                            *time.Time
	points, value                     *int64
	surveyAt                          *time.Time
	waits                             []int64
	sessions                          [][5]int64
}

// write writes facts into the tables.
func write(t *testing.T, db *sqldb.DB, account int64, facts []fact) {
	t.Helper()
	ms := func(t *time.Time) *int64 {
		if t == nil {
			return nil
		}
		n := t.UnixMilli()
		return &n
	}
	err := db.Write(ctx, func(tx *sqldb.Tx) error {
		for _, f := range facts {
			if _, err := tx.Exec(`INSERT INTO requests (id, account_id, collection_id, title, title_by, shelf, is_listed, priority, priority_by, author_name, author_email, author_email_folded,
				workspace, thread_url, triage_url, source, created_at, updated_at, last_message_at) VALUES ($1, $2, $3, '', '', $4, $5, $6, '', '', '', '', '', '', '', '', $7, $7, $7)`,
				f.id, account, f.collection, f.state, true, f.priority, f.created.UnixMilli()); err != nil {
				return err
			}
			if _, err := tx.Exec(`INSERT INTO request_facts (account_id, created_at, request_id, collection_id, assignee, state, priority, has_ticket, is_answered, first_response, first_resolution, resolution,
				first_response_sla, first_response_late_at, resolution_sla, one_touch_sla, one_touch_late, survey_at, survey_points, survey_value)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $15, $15, $16, $17, $18)`,
				account, f.created.UnixMilli(), f.id, f.collection, f.assignee, f.state, f.priority, f.hasTicket, f.answered, f.response, f.resolution1, f.resolution,
				f.applies, ms(f.lateAt), false, ms(f.surveyAt), f.points, f.value); err != nil {
				return err
			}
			for n, w := range f.waits {
				if _, err := tx.Exec("INSERT INTO response_facts (account_id, created_at, request_id, message_id, opened_at, length) VALUES ($1, $2, $3, $4, $5, $6)", account, f.created.UnixMilli(), f.id, n, f.created.UnixMicro(), w); err != nil {
					return err
				}
			}
			for _, s := range f.sessions {
				if _, err := tx.Exec(`INSERT INTO agent_sessions (account_id, request_id, started_at, triggers, responses, answers, positive_feedback, negative_feedback, created_at, updated_at)
					VALUES ($1, $2, 0, $3, $4, $5, $6, $7, 0, 0)`, account, f.id, s[0], s[1], s[2], s[3], s[4]); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// newAccount makes an account with two collections, 1 and 2.
func newAccount(t *testing.T, db *sqldb.DB) (account int64, collections [2]int64) {
	t.Helper()
	err := db.Write(ctx, func(tx *sqldb.Tx) error {
		if err := tx.Row("INSERT INTO accounts (name, key_prefix, time_zone, on_hold_allowed, created_at, updated_at) VALUES ('A', 'A', 'UTC', TRUE, 0, 0) RETURNING id").Scan(&account); err != nil {
			return err
		}
		if _, err := tx.Exec("INSERT INTO sequences (account_id, event_seq, audit_seq, audit_mac) VALUES ($1, 0, 0, $2)", account, []byte{}); err != nil {
			return err
		}
		for i := range collections {
			if err := tx.Row("INSERT INTO collections (account_id, name, kind, created_at, updated_at) VALUES ($1, 'C', 'api', 0, 0) RETURNING id", account).Scan(&collections[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return account, collections
}

func some[T any](r *rand.Rand, v T) *T {
	if r.IntN(3) == 0 {
		return nil
	}
	return &v
}

func randomFacts(r *rand.Rand, n int, first int64, collections [2]int64, now time.Time) []fact {
	all := make([]fact, n)
	for i := range all {
		f := fact{id: first + int64(i), created: now.Add(-time.Duration(r.Int64N(int64(120 * 24 * time.Hour)))).Truncate(time.Millisecond), collection: collections[r.IntN(2)],
			state: []string{"open", "pending", "solved", "closed"}[r.IntN(4)], priority: []string{"low", "normal", "urgent"}[r.IntN(3)],
			assignee: some(r, []string{"U1", "U2", "Ünal"}[r.IntN(3)]), hasTicket: r.IntN(2) == 0, answered: r.IntN(2) == 0,
			response: some(r, r.Int64N(10000)), resolution: some(r, r.Int64N(100000)), resolution1: some(r, r.Int64N(100000)), applies: r.IntN(2) == 0}
		if f.applies {
			f.lateAt = some(r, now.Add(time.Duration(r.IntN(20)-10)*time.Hour))
		}
		if points := some(r, []int64{5, 2}[r.IntN(2)]); points != nil {
			f.points, f.surveyAt, f.value = points, new(time.Time), some(r, 1+r.Int64N(*points))
			*f.surveyAt = f.created.Add(time.Hour)
		}
		for range r.IntN(4) {
			f.waits = append(f.waits, r.Int64N(5000))
		}
		for range r.IntN(3) {
			answers := r.Int64N(3)
			f.sessions = append(f.sessions, [5]int64{1 + r.Int64N(3), answers + r.Int64N(3), answers, r.Int64N(2), r.Int64N(2)})
		}
		all[i] = f
	}
	return all
}

// Every measure alone equals what a look at each fact gives, in every kind of
// group. All of them together equal each alone.
func TestMeasuresAreWhatTheyMean(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		r := rand.New(rand.NewPCG(7, 7))
		now := time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)
		account, collections := newAccount(t, db)
		other, theirs := newAccount(t, db)
		facts := randomFacts(r, 400, 1, collections, now)
		write(t, db, account, facts)
		write(t, db, other, randomFacts(r, 100, 1001, theirs, now))
		var names []string
		for _, m := range Measures {
			names = append(names, m.Name)
		}
		berlin := zone(t, "Europe/Berlin")
		for _, query := range []desk.InsightsQuery{
			{TimeDimensions: []desk.TimeDimension{{Dimension: "Requests.created_at"}}},
			{TimeDimensions: []desk.TimeDimension{{Dimension: "Requests.created_at", Granularity: "week"}}},
			{TimeDimensions: []desk.TimeDimension{{Dimension: "Requests.created_at", Granularity: "month", Days: []string{"2026-02-10", "2026-04-09"}}}},
			{TimeDimensions: []desk.TimeDimension{{Dimension: "Requests.csat_triggered_at", Granularity: "day", Range: "from 30 days ago to now"}}},
			{TimeDimensions: []desk.TimeDimension{{Dimension: "Requests.created_at"}}, Dimensions: []string{"Requests.state", "Requests.assignee_user_id"}},
			{TimeDimensions: []desk.TimeDimension{{Dimension: "Requests.created_at", Granularity: "quarter"}}, Dimensions: []string{"Requests.csat_score"}},
			{TimeDimensions: []desk.TimeDimension{{Dimension: "Requests.created_at"}}, Filters: []desk.InsightsFilter{{Member: "Requests.state", Operator: "not_equals", Values: values("open")}}},
			{TimeDimensions: []desk.TimeDimension{{Dimension: "Requests.created_at"}}, Filters: []desk.InsightsFilter{{Member: "Requests.has_ticket", Operator: "equals", Values: values("true")}, {Member: "Requests.priority", Operator: "contains", Values: values("R")}}},
			{TimeDimensions: []desk.TimeDimension{{Dimension: "Requests.created_at", Days: []string{"2001-01-01", "2001-01-02"}}}},
		} {
			query.Measures = names
			q := Question{Account: desk.AccountID(account), Query: query, Reach: desk.Everything, Now: now, Zone: berlin}
			both := newBoth(t, db, q)
			together := both.answer(q)
			want := slowly(t, q, facts)
			if got, want := lines(together), lines(want); !slices.Equal(got, want) {
				for i := range max(len(got), len(want)) {
					if i >= len(got) || i >= len(want) || got[i] != want[i] {
						t.Fatalf("%+v: row %d of %d and %d\n got %s\nwant %s", query.TimeDimensions, i, len(got), len(want), at(got, i), at(want, i))
					}
				}
			}
			for _, name := range []string{names[0], names[2], names[r.IntN(len(names))], names[r.IntN(len(names))]} {
				q.Query.Measures = []string{name}
				alone := both.answer(q)
				if len(alone) != len(together) {
					t.Fatalf("%s alone: %d rows", name, len(alone))
				}
				for i := range alone {
					if a, b := cell(alone[i], name), cell(together[i], name); a != b {
						t.Errorf("%s alone is %v, and together %v", name, a, b)
					}
				}
			}
		}
	})
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "nothing"
}

func values(texts ...string) (all []*string) {
	for _, t := range texts {
		all = append(all, &t)
	}
	return all
}

func lines(rows []desk.InsightsRow) (all []string) {
	for _, r := range rows {
		b, _ := json.Marshal(r)
		all = append(all, string(b))
	}
	return all
}

func cell(r desk.InsightsRow, name string) any {
	for _, c := range r {
		if c.Name == name {
			return c.Value
		}
	}
	return fmt.Sprintf("no %s", name)
}
