package main

import (
	"context"
	"math"
	"slices"
	"sort"
	"strconv"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// columns holds the facts of one account in memory, in the order of time: what a
// program would have that stores nothing else and does nothing else. The answers of
// insights are measured against its answers.
type columns struct {
	zone                      *time.Location
	created                   []int64
	assignee                  []uint8 // index in assignees; the last is none
	priority                  []uint8 // index in priorities
	collection                []uint8 // index in collections
	option                    []uint8 // 0 for none
	resolved                  []bool
	firstResponse             []int64 // -1 for none
	responseSLA, responseLate []bool
	resolveSLA, resolveLate   []bool
	touchSLA, touchLate       []bool
	points, score             []uint8 // 0 for none
	firstWait                 []int32 // where its waits begin in waits; they end where those of the next begin
	waits                     []int64
	assignees, priorities     []string // sorted
	collections               []int64
}

// loadColumns reads the columns of an account.
func loadColumns(ctx context.Context, db *sqldb.DB, account desk.AccountID, field desk.CustomFieldID, zone *time.Location) *columns {
	c := &columns{zone: zone, priorities: slices.Sorted(slices.Values(insightsPriorities))}
	check(db.Read(ctx, func(tx *sqldb.Tx) error {
		if err := c.loadNames(tx, account); err != nil {
			return err
		}
		waits, err := loadWaits(tx, account)
		if err != nil {
			return err
		}
		rows, err := tx.Query(`SELECT f.request_id, f.created_at, f.assignee, f.priority, f.collection_id, f.state, f.first_response, f.first_response_sla, f.first_response_late_at,
			f.resolution_sla, f.resolution_late_at, f.one_touch_sla, f.one_touch_late, f.survey_points, f.survey_value, x.option_id
			FROM request_facts f LEFT JOIN custom_field_choices x ON x.account_id = f.account_id AND x.entity_type = 'request' AND x.entity_id = f.request_id AND x.field_id = $2
			WHERE f.account_id = $1 ORDER BY f.created_at, f.request_id`, int64(account), int64(field))
		if err != nil {
			return err
		}
		now := insightsNow.UnixMilli()
		for rows.Next() {
			var (
				id, created, collection                                          int64
				assignee                                                         *string
				priority, state                                                  string
				response, responseLateAt, resolveLateAt, points, score, optionID *int64
				responseSLA, resolveSLA, touchSLA, touchLate                     bool
			)
			if err := rows.Scan(&id, &created, &assignee, &priority, &collection, &state, &response, &responseSLA, &responseLateAt,
				&resolveSLA, &resolveLateAt, &touchSLA, &touchLate, &points, &score, &optionID); err != nil {
				return err
			}
			who := len(c.assignees)
			if assignee != nil {
				who = slices.Index(c.assignees, *assignee)
			}
			c.created = append(c.created, created)
			c.assignee = append(c.assignee, uint8(who))
			c.priority = append(c.priority, uint8(slices.Index(c.priorities, priority)))
			c.collection = append(c.collection, uint8(slices.Index(c.collections, collection)))
			c.option = append(c.option, uint8(orElse(optionID, 0)))
			c.resolved = append(c.resolved, state == "solved" || state == "closed")
			c.firstResponse = append(c.firstResponse, orElse(response, -1))
			c.responseSLA = append(c.responseSLA, responseSLA)
			c.responseLate = append(c.responseLate, orElse(responseLateAt, math.MaxInt64) <= now)
			c.resolveSLA = append(c.resolveSLA, resolveSLA)
			c.resolveLate = append(c.resolveLate, orElse(resolveLateAt, math.MaxInt64) <= now)
			c.touchSLA = append(c.touchSLA, touchSLA)
			c.touchLate = append(c.touchLate, touchLate)
			c.points = append(c.points, uint8(orElse(points, 0)))
			c.score = append(c.score, uint8(orElse(score, 0)))
			c.firstWait = append(c.firstWait, int32(len(c.waits)))
			c.waits = append(c.waits, waits[id]...)
		}
		c.firstWait = append(c.firstWait, int32(len(c.waits)))
		return rows.Close()
	}))
	return c
}

func (c *columns) loadNames(tx *sqldb.Tx, account desk.AccountID) (err error) {
	text := func(scan func(...any) error) (s string, err error) { return s, scan(&s) }
	number := func(scan func(...any) error) (n int64, err error) { return n, scan(&n) }
	if c.assignees, err = sqldb.Collect(tx, text, "SELECT DISTINCT assignee FROM request_facts WHERE account_id = $1 AND assignee IS NOT NULL", int64(account)); err != nil {
		return err
	}
	slices.Sort(c.assignees)
	c.collections, err = sqldb.Collect(tx, number, "SELECT id FROM collections WHERE account_id = $1 ORDER BY id", int64(account))
	return err
}

func loadWaits(tx *sqldb.Tx, account desk.AccountID) (map[int64][]int64, error) {
	rows, err := tx.Query("SELECT request_id, length FROM response_facts WHERE account_id = $1", int64(account))
	if err != nil {
		return nil, err
	}
	all := map[int64][]int64{}
	for rows.Next() {
		var id, length int64
		if err := rows.Scan(&id, &length); err != nil {
			return nil, err
		}
		all[id] = append(all[id], length)
	}
	return all, rows.Close()
}

func orElse(v *int64, none int64) int64 {
	if v == nil {
		return none
	}
	return *v
}

// part returns where the requests of a time range are.
func (c *columns) part(from, to time.Time) (first, end int) {
	at := func(t time.Time) int {
		ms := t.UnixMilli()
		return sort.Search(len(c.created), func(i int) bool { return c.created[i] >= ms })
	}
	return at(from), at(to)
}

// midnight returns when a day of the account begins, days after t.
func (c *columns) midnight(t time.Time, days int) time.Time {
	t = t.In(c.zone)
	return time.Date(t.Year(), t.Month(), t.Day()+days, 0, 0, 0, 0, c.zone)
}

func bucketKey(t time.Time) string { return t.Format("2006-01-02T15:04:05.000") }

func (c *columns) countByDay() (rows [][]any) {
	for day := c.midnight(insightsNow, -30); !day.After(insightsNow); day = c.midnight(day, 1) {
		first, end := c.part(day, c.midnight(day, 1))
		n := int64(0)
		for _, at := range c.created[first:end] {
			if at <= insightsNow.UnixMilli() {
				n++
			}
		}
		if n > 0 {
			rows = append(rows, []any{bucketKey(day), n})
		}
	}
	return rows
}

func (c *columns) firstResponseByMonth() (rows [][]any) {
	begin := time.UnixMilli(c.created[0]).In(c.zone)
	for month := time.Date(begin.Year(), begin.Month(), 1, 0, 0, 0, 0, c.zone); !month.After(insightsNow); month = month.AddDate(0, 1, 0) {
		first, end := c.part(month, month.AddDate(0, 1, 0))
		if first == end {
			continue
		}
		lengths := make([]int64, 0, end-first)
		for _, v := range c.firstResponse[first:end] {
			if v >= 0 {
				lengths = append(lengths, v)
			}
		}
		slices.Sort(lengths)
		rows = append(rows, []any{bucketKey(month), quantile(lengths, 0.5), quantile(lengths, 0.75), quantile(lengths, 0.9), quantile(lengths, 0.95)})
	}
	return rows
}

func (c *columns) responseByAssignee() (rows [][]any) {
	from, to := c.midnight(insightsNow, -89), c.midnight(insightsNow, 1)
	for week := c.midnight(from, -(int(from.Weekday())+6)%7); week.Before(to); week = c.midnight(week, 7) {
		begin, next := week, c.midnight(week, 7)
		if begin.Before(from) {
			begin = from
		}
		if next.After(to) {
			next = to
		}
		first, end := c.part(begin, next)
		lengths, there := make([][]int64, len(c.assignees)+1), make([]bool, len(c.assignees)+1)
		for i := first; i < end; i++ {
			who := c.assignee[i]
			there[who] = true
			lengths[who] = append(lengths[who], c.waits[c.firstWait[i]:c.firstWait[i+1]]...)
		}
		for who, all := range lengths {
			if !there[who] {
				continue
			}
			slices.Sort(all)
			var name any
			if who < len(c.assignees) {
				name = c.assignees[who]
			}
			rows = append(rows, []any{name, bucketKey(week), quantile(all, 0.95)})
		}
	}
	return rows
}

// lastQuarter returns where the requests of the previous quarter are.
func (c *columns) lastQuarter() (first, end int) {
	now := insightsNow.In(c.zone)
	quarter := time.Date(now.Year(), now.Month()-(now.Month()-1)%3, 1, 0, 0, 0, 0, c.zone)
	return c.part(quarter.AddDate(0, -3, 0), quarter)
}

func (c *columns) ratesByPriority() (rows [][]any) {
	first, end := c.lastQuarter()
	type group struct{ n, resolved, responseSLA, responseLate, resolveSLA, resolveLate, touchSLA, touchLate, asked, answered int64 }
	groups := make([]group, len(c.priorities)*len(c.collections))
	count := func(n *int64, holds bool) {
		if holds {
			*n++
		}
	}
	for i := first; i < end; i++ {
		g := &groups[int(c.priority[i])*len(c.collections)+int(c.collection[i])]
		g.n++
		count(&g.resolved, c.resolved[i])
		count(&g.responseSLA, c.responseSLA[i])
		count(&g.responseLate, c.responseLate[i])
		count(&g.resolveSLA, c.resolveSLA[i])
		count(&g.resolveLate, c.resolveLate[i])
		count(&g.touchSLA, c.touchSLA[i])
		count(&g.touchLate, c.touchLate[i])
		count(&g.asked, c.points[i] == 5)
		count(&g.answered, c.points[i] == 5 && c.score[i] > 0)
	}
	for i, g := range groups {
		if g.n > 0 {
			rows = append(rows, []any{c.priorities[i/len(c.collections)], c.collections[i%len(c.collections)], percent(g.resolved, g.n), percent(g.responseLate, g.responseSLA),
				percent(g.resolveLate, g.resolveSLA), percent(g.touchLate, g.touchSLA), percent(g.answered, g.asked)})
		}
	}
	return rows
}

func (c *columns) csat() [][]any { return c.csatByField(0, len(c.created)) }

func (c *columns) csatLastQuarter() [][]any { return c.csatByField(c.lastQuarter()) }

func (c *columns) csatByField(first, end int) (rows [][]any) {
	type group struct{ n, asked, answered, sum int64 }
	var groups [insightsOptions + 1]group
	for i := first; i < end; i++ {
		g := &groups[c.option[i]]
		g.n++
		if c.points[i] == 5 {
			g.asked++
			if c.score[i] > 0 {
				g.answered++
				g.sum += int64(c.score[i])
			}
		}
	}
	for i := range groups {
		// No option comes last.
		o := (i + 1) % len(groups)
		var name any
		if o > 0 {
			name = strconv.Itoa(o)
		}
		if g := groups[o]; g.n > 0 {
			rows = append(rows, []any{name, g.asked, g.answered, percent(g.answered, g.asked), quotient(g.sum, g.answered)})
		}
	}
	return rows
}

// quantile returns a quantile of sorted durations, in minutes.
func quantile(sorted []int64, of float64) any {
	if len(sorted) == 0 {
		return nil
	}
	at := of * float64(len(sorted)-1)
	n := int(at)
	v := float64(sorted[n])
	if rest := at - float64(n); rest > 0 {
		v += rest * float64(sorted[n+1]-sorted[n])
	}
	return math.Round(v/100*1e4) / 1e4
}

func percent(part, whole int64) any { return quotient(100*part, whole) }

// quotient has four decimals; it is nil if there is nothing to divide by.
func quotient(a, b int64) any {
	if b == 0 {
		return nil
	}
	return math.Round(float64(a*1e4)/float64(b)) / 1e4
}
