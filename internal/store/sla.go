package store

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/stored"
)

const policyColumns = `id, name, kind, collection_id, conditions, target_minutes, max_replies, schedule_id, is_enabled, position, created_at, updated_at`

func scanPolicy(scan scanner) (p desk.SLAPolicy, err error) {
	err = scan(&p.ID, &p.Name, &p.Kind, &p.Collection, stored.SLAConditions(&p.Conditions), &p.TargetMinutes, &p.MaxReplies, &p.Schedule, &p.Enabled,
		&p.Position, inMS(&p.CreatedAt), inMS(&p.UpdatedAt))
	return p, err
}

// SLAPolicy returns a policy that has not been removed.
func (tx *Tx) SLAPolicy(id desk.SLAPolicyID) (desk.SLAPolicy, error) {
	p, err := scanPolicy(tx.Row("SELECT "+policyColumns+" FROM sla_policies WHERE account_id = $1 AND id = $2 AND removed_at IS NULL", tx.Account, id).Scan)
	return p, Missing(err, "SLA policy")
}

// SLAPolicies returns a page of policies.
func (tx *Tx) SLAPolicies(p desk.Page) (desk.List[desk.SLAPolicy], error) {
	var q query
	q.Add("SELECT "+policyColumns+" FROM sla_policies WHERE account_id = ? AND removed_at IS NULL", tx.Account)
	return page(tx, &q, "created_at", p, scanPolicy, func(p desk.SLAPolicy) desk.Position { return positionAt(p.CreatedAt, p.ID) })
}

// EnabledSLAPolicies returns all policies that may apply to a request.
func (tx *Tx) EnabledSLAPolicies() ([]desk.SLAPolicy, error) {
	return settled(tx, thePolicies{}, tx.readEnabledSLAPolicies)
}

func (tx *Tx) readEnabledSLAPolicies() ([]desk.SLAPolicy, error) {
	return sqldb.Collect(tx.Tx, scanPolicy, "SELECT "+policyColumns+" FROM sla_policies WHERE account_id = $1 AND removed_at IS NULL AND is_enabled ORDER BY position, id", tx.Account)
}

// LastSLAPosition returns the highest position of a policy, and whether the account
// can have one more.
func (tx *Tx) LastSLAPosition() (last int, room bool, err error) {
	var held int
	err = tx.Row("SELECT coalesce(max(position), 0), count(*) FROM sla_policies WHERE account_id = $1 AND removed_at IS NULL", tx.Account).Scan(&last, &held)
	return last, held < desk.MostSLAPolicies, err
}

// AddSLAPolicy inserts a new policy and sets its id.
func (tx *Tx) AddSLAPolicy(p *desk.SLAPolicy) error {
	err := tx.Row(`INSERT INTO sla_policies (account_id, name, kind, collection_id, conditions, target_minutes, max_replies, schedule_id, is_enabled, position, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING id`,
		tx.Account, p.Name, p.Kind, p.Collection, stored.SLAConditions(&p.Conditions), p.TargetMinutes, p.MaxReplies, p.Schedule, p.Enabled, p.Position,
		ms(p.CreatedAt), ms(p.UpdatedAt)).Scan(&p.ID)
	return wrap("add SLA policy", err)
}

// SaveSLAPolicy saves a changed policy.
func (tx *Tx) SaveSLAPolicy(p desk.SLAPolicy) error {
	return tx.Do(`UPDATE sla_policies SET name = $1, collection_id = $2, conditions = $3, target_minutes = $4, max_replies = $5, schedule_id = $6,
			is_enabled = $7, position = $8, updated_at = $9
		WHERE account_id = $10 AND id = $11 AND removed_at IS NULL`,
		p.Name, p.Collection, stored.SLAConditions(&p.Conditions), p.TargetMinutes, p.MaxReplies, p.Schedule, p.Enabled, p.Position, ms(p.UpdatedAt), tx.Account, p.ID)
}

// RemoveSLAPolicy removes a policy. Requests to which it applied keep its name.
func (tx *Tx) RemoveSLAPolicy(id desk.SLAPolicyID) error {
	return tx.Do("UPDATE sla_policies SET removed_at = $1 WHERE account_id = $2 AND id = $3", ms(tx.Now), tx.Account, id)
}

// SLAPolicyNames returns the names of policies, including removed ones.
func (tx *Tx) SLAPolicyNames(ids []desk.SLAPolicyID) (map[desk.SLAPolicyID]string, error) {
	return namesOf(tx, "SELECT id, name FROM sla_policies WHERE account_id = ? AND id IN ", ids)
}

// CollectionSchedule returns the schedule of a collection, even if that was
// removed; nil means calendar time.
func (tx *Tx) CollectionSchedule(id desk.CollectionID) (*desk.ScheduleID, error) {
	return settled(tx, scheduleOf{id}, func() (*desk.ScheduleID, error) { return tx.readCollectionSchedule(id) })
}

func (tx *Tx) readCollectionSchedule(id desk.CollectionID) (*desk.ScheduleID, error) {
	var schedule *desk.ScheduleID
	err := tx.Row("SELECT schedule_id FROM collections WHERE account_id = $1 AND id = $2", tx.Account, id).Scan(&schedule)
	return schedule, Missing(err, "Collection")
}

// SLAStart returns what was true of a request when its clocks started, or nil if
// they have not.
func (tx *Tx) SLAStart(id desk.RequestID) (*desk.SLAStart, error) {
	var s desk.SLAStart
	var since *int64
	err := tx.Row("SELECT since, collection_id, priority, customer_id, has_ticket FROM sla_starts WHERE account_id = $1 AND request_id = $2", tx.Account, id).
		Scan(&since, &s.Collection, &s.Priority, &s.Customer, &s.HasTicket)
	if errors.Is(err, sqldb.ErrNoRows) {
		return nil, nil
	}
	s.Since = FromOptionalMS(since)
	return &s, err
}

// AddSLAStart inserts the start of a request's clocks. An existing start stays.
func (tx *Tx) AddSLAStart(id desk.RequestID, s desk.SLAStart) error {
	return tx.Later(`INSERT INTO sla_starts (account_id, request_id, since, collection_id, priority, customer_id, has_ticket)
		SELECT account_id, id, $3, $4, $5, $6, $7 FROM requests WHERE account_id = $1 AND id = $2
		ON CONFLICT (account_id, request_id) DO NOTHING`,
		tx.Account, id, OptionalMS(s.Since), s.Collection, s.Priority, s.Customer, s.HasTicket)
}

// StateChanges returns the changes of a request's state, in order, without those
// that were undone. It reads only states and clocks.
func (tx *Tx) StateChanges(id desk.RequestID) ([]desk.HistoryEntry, error) {
	all, err := sqldb.Collect(tx.Tx, func(scan scanner) (e desk.HistoryEntry, err error) {
		err = scan(inMS(&e.At), stored.PastState(&e.Before), stored.PastState(&e.After))
		return e, err
	}, `SELECT at, before, after FROM request_changes
		WHERE account_id = $1 AND request_id = $2 AND undoes IS NULL AND undone_at IS NULL ORDER BY at, id`, tx.Account, id)
	return slices.DeleteFunc(all, func(e desk.HistoryEntry) bool { return desk.Same(e.Before.State, e.After.State) }), err
}

// Replies counts the public messages of responders in a request up to a time.
func (tx *Tx) Replies(id desk.RequestID, until time.Time) (n int, err error) {
	err = tx.Row(`SELECT count(*) FROM messages WHERE account_id = $1 AND request_id = $2 AND removed_at IS NULL
		AND is_responder AND NOT is_private AND created_at <= $3`, tx.Account, id, ms(until)).Scan(&n)
	return n, err
}

// addClocks reads the clocks of all given requests in one query.
func (tx *Tx) addClocks(ids []desk.RequestID, at map[desk.RequestID]*desk.Request) error {
	var versions []desk.ScheduleVersionID
	err := collectFor(tx, ids, `kind, policy_id, target_ms, max_replies, schedule_version_id, started_at, spent_ms, running_since, ended_at, due_at,
		is_first_breached, replies, told_at FROM request_slas`, "kind", scanClock, func(id desk.RequestID, c desk.SLA) {
		at[id].SLAs = append(at[id].SLAs, c)
		if c.Schedule != nil && !slices.Contains(versions, *c.Schedule) {
			versions = append(versions, *c.Schedule)
		}
	})
	if err != nil || len(versions) == 0 {
		return err
	}
	calendars, err := tx.calendarsOf(versions)
	if err != nil {
		return err
	}
	for _, r := range at {
		for i, c := range r.SLAs {
			if c.Schedule != nil {
				r.SLAs[i].Calendar = calendars[*c.Schedule]
			}
		}
	}
	return nil
}

func scanClock(scan scanner) (c desk.SLA, err error) {
	var target, spent int64
	err = scan(&c.Kind, &c.Policy, &target, &c.MaxReplies, &c.Schedule, inMS(&c.Start), &spent, inMSOrNil(&c.Since), inMSOrNil(&c.End),
		inMSOrNil(&c.Due), &c.FirstBreached, &c.Replies, inMSOrNil(&c.ToldAt))
	c.Target, c.Spent = time.Duration(target)*time.Millisecond, time.Duration(spent)*time.Millisecond
	return c, err
}

// SaveClocks replaces the clocks of a request.
func (tx *Tx) SaveClocks(id desk.RequestID, before, after []desk.SLA) error {
	tx.touch(id)
	for _, c := range before {
		if slices.ContainsFunc(after, func(n desk.SLA) bool { return n.Kind == c.Kind }) {
			continue
		}
		if err := tx.Do("DELETE FROM request_slas WHERE account_id = $1 AND request_id = $2 AND kind = $3", tx.Account, id, c.Kind); err != nil {
			return err
		}
	}
	for _, c := range after {
		if i := slices.IndexFunc(before, func(b desk.SLA) bool { return b.Kind == c.Kind }); i >= 0 && before[i].Same(c) {
			continue
		}
		if err := tx.Later(saveClock, tx.clockRow(id, c)...); err != nil {
			return fmt.Errorf("save clocks: %w", err)
		}
	}
	return nil
}

const (
	clockColumns = `account_id, request_id, kind, policy_id, target_ms, max_replies, schedule_version_id,
		started_at, spent_ms, running_since, ended_at, due_at, is_first_breached, replies, told_at`
	saveClock = "INSERT INTO request_slas (" + clockColumns + `)
		SELECT account_id, id, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15 FROM requests WHERE account_id = $1 AND id = $2
		ON CONFLICT (account_id, request_id, kind) DO UPDATE SET policy_id = excluded.policy_id, target_ms = excluded.target_ms, max_replies = excluded.max_replies,
			schedule_version_id = excluded.schedule_version_id, started_at = excluded.started_at, spent_ms = excluded.spent_ms, running_since = excluded.running_since,
			ended_at = excluded.ended_at, due_at = excluded.due_at, is_first_breached = excluded.is_first_breached, replies = excluded.replies, told_at = excluded.told_at`
)

// clockRow returns the column values of a request's clock.
func (tx *Tx) clockRow(id desk.RequestID, c desk.SLA) []any {
	return []any{tx.Account, id, c.Kind, c.Policy, c.Target.Milliseconds(), c.MaxReplies, c.Schedule,
		ms(c.Start), c.Spent.Milliseconds(), OptionalMS(c.Since), OptionalMS(c.End), OptionalMS(c.Due), c.FirstBreached, c.Replies, OptionalMS(c.ToldAt)}
}

// SLARecomputation returns how far the recomputation after the last change has
// come, and the request it continues after.
func (tx *Tx) SLARecomputation() (r desk.SLARecomputation, last desk.Position, err error) {
	var at, started int64
	var finished *int64
	err = tx.Row("SELECT scope, last_at, last_id, recomputed, started_at, finished_at FROM sla_recomputations WHERE account_id = $1", tx.Account).
		Scan(&r.Scope, &at, &last.ID, &r.Recomputed, &started, &finished)
	if errors.Is(err, sqldb.ErrNoRows) {
		return desk.SLARecomputation{}, desk.Position{}, nil
	}
	begun := FromMS(started)
	r.StartedAt, r.FinishedAt, last.At = &begun, FromOptionalMS(finished), FromMS(at)
	return r, last, err
}

// BeginSLARecomputation starts the recomputation from the first request. If one
// with the scope all is under way, the scope stays all.
func (tx *Tx) BeginSLARecomputation(scope desk.Recompute) error {
	return tx.Do(`INSERT INTO sla_recomputations (account_id, scope, last_at, last_id, recomputed, started_at) VALUES ($1, $2, 0, 0, 0, $3)
		ON CONFLICT (account_id) DO UPDATE SET
			scope = CASE WHEN sla_recomputations.finished_at IS NULL AND sla_recomputations.scope = 'all' THEN 'all' ELSE excluded.scope END,
			last_at = 0, last_id = 0, recomputed = 0, started_at = excluded.started_at, finished_at = NULL`,
		tx.Account, scope, ms(tx.Now))
}

// MoveSLARecomputation records that n more requests were recomputed, up to last;
// done if that was the final one.
func (tx *Tx) MoveSLARecomputation(n int, last desk.Position, done bool) error {
	var finished *int64
	if done {
		finished = OptionalMS(&tx.Now)
	}
	return tx.Do("UPDATE sla_recomputations SET last_at = $1, last_id = $2, recomputed = recomputed + $3, finished_at = $4 WHERE account_id = $5",
		ms(last.At), last.ID, n, finished, tx.Account)
}
