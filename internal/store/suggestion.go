package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// MostShown is how many of a request's latest messages Discussion returns besides
// the first. mostHTML limits the length of each.
const (
	MostShown = 40
	mostHTML  = 64 << 10
)

// Discussion returns the public messages of a request, which its requester may read
// too: the first and the latest ones, in time order. Long ones are cut.
func (tx *Tx) Discussion(id desk.RequestID) ([]desk.Message, error) {
	part := func(order string, most int) ([]desk.Message, error) {
		return sqldb.Collect(tx.Tx, scanSaid, `SELECT id, substr(html, 1, $3), is_responder, edited_at FROM messages
			WHERE account_id = $1 AND request_id = $2 AND removed_at IS NULL AND NOT is_private ORDER BY `+order+" LIMIT $4",
			tx.Account, id, mostHTML, most)
	}
	all, err := part("said_at DESC, id DESC", MostShown)
	if err != nil {
		return nil, err
	}
	slices.Reverse(all)
	if len(all) < MostShown {
		return all, nil
	}
	first, err := part("said_at, id", 1)
	if err != nil || len(first) == 0 || first[0].ID == all[0].ID {
		return all, err
	}
	return append(first, all...), nil
}

func scanSaid(scan scanner) (m desk.Message, err error) {
	err = scan(&m.ID, &m.HTML, &m.Responder, inMSOrNil(&m.EditedAt))
	return m, err
}

// SuggestionRun is one reading of a request to make suggestions for it.
type SuggestionRun struct {
	Number int64
	// Heard is the requester's message that the sentiment was read from, in the
	// version of that time; 0 if there is none.
	Heard         desk.MessageID
	HeardEditedAt *time.Time
}

// BeginSuggestion starts a run, in the transaction that reads. It returns NotFound
// if there is no such request.
func (tx *Tx) BeginSuggestion(id desk.RequestID) (run SuggestionRun, err error) {
	var heard *desk.MessageID
	var edited *int64
	err = tx.Row(`INSERT INTO suggestion_runs (account_id, request_id, begun, saved)
		SELECT account_id, id, 1, 0 FROM requests WHERE account_id = $1 AND id = $2
		ON CONFLICT (account_id, request_id) DO UPDATE SET begun = suggestion_runs.begun + 1
		RETURNING begun, heard_id, heard_edited_at`, tx.Account, id).Scan(&run.Number, &heard, &edited)
	run.Heard, run.HeardEditedAt = value(heard), FromOptionalMS(edited)
	return run, Missing(err, "Request")
}

// FinishSuggestion reports whether the result of a run should be saved. It returns
// false if the result of a later run is already saved.
func (tx *Tx) FinishSuggestion(id desk.RequestID, run SuggestionRun) (bool, error) {
	n, err := tx.Exec(`UPDATE suggestion_runs SET saved = $1, heard_id = $2, heard_edited_at = $3 WHERE account_id = $4 AND request_id = $5 AND saved < $1`,
		run.Number, unlessZero(run.Heard), OptionalMS(run.HeardEditedAt), tx.Account, id)
	return n > 0, err
}

// SaveSuggested saves the suggestions for a request that differ from before, and
// returns what is stored then. It returns NotFound if there is no such request.
func (tx *Tx) SaveSuggested(id desk.RequestID, before, after desk.AIFields) (desk.AIFields, error) {
	if err := tx.knows(id); err != nil {
		return before, err
	}
	rows := tx.newSuggestedRows()
	kept, err := addSuggested(tx, rows, id, before, after)
	if err == nil {
		err = rows.Flush()
	}
	return kept, wrap("save what is suggested", err)
}

func (tx *Tx) newSuggestedRows() *sqldb.Insert {
	return tx.insert("INSERT INTO request_suggestions (account_id, request_id, field, value, decided_by, reason, decided_at) VALUES ",
		` ON CONFLICT (account_id, request_id, field) DO UPDATE SET value = excluded.value, decided_by = excluded.decided_by,
			reason = excluded.reason, decided_at = excluded.decided_at`)
}

// addSuggested adds the suggestions for a request that differ from before, and
// returns what is stored then.
func addSuggested(tx *Tx, rows *sqldb.Insert, id desk.RequestID, before, after desk.AIFields) (kept desk.AIFields, err error) {
	kept = before
	err = errors.Join(
		addSuggestedField(tx, rows, id, "category", &kept.Category, after.Category),
		addSuggestedField(tx, rows, id, "sentiment", &kept.Sentiment, after.Sentiment),
		addSuggestedField(tx, rows, id, "emotion", &kept.Emotion, after.Emotion),
	)
	return kept, err
}

// addSuggestedField adds the row of a field, unless it equals what is stored.
func addSuggestedField[T any](tx *Tx, rows *sqldb.Insert, id desk.RequestID, field string, kept **desk.Suggested[T], s *desk.Suggested[T]) error {
	if s == nil || *kept != nil && (*kept).By == s.By && (*kept).Reason == s.Reason && reflect.DeepEqual((*kept).Value, s.Value) {
		return nil
	}
	value, err := json.Marshal(s.Value)
	if err != nil {
		return fmt.Errorf("save %s: %w", field, err)
	}
	*kept = s
	tx.change(id)
	rows.Add(tx.Account, id, field, string(value), s.By, s.Reason, ms(s.At))
	return nil
}

// suggestedField is a row of request_suggestions.
type suggestedField struct {
	field, value, reason string
	by                   desk.Origin
	at                   int64
}

func scanSuggested(scan scanner) (f suggestedField, err error) {
	err = scan(&f.field, &f.value, &f.by, &f.reason, &f.at)
	return f, err
}

// addTo sets the field in a request's AI fields.
func (f suggestedField) addTo(all *desk.AIFields) error {
	switch f.field {
	case "category":
		return readSuggested(&all.Category, f)
	case "sentiment":
		return readSuggested(&all.Sentiment, f)
	}
	return readSuggested(&all.Emotion, f)
}

func readSuggested[T any](to **desk.Suggested[T], f suggestedField) error {
	s := desk.Suggested[T]{By: f.by, Reason: f.reason, At: FromMS(f.at)}
	if err := json.Unmarshal([]byte(f.value), &s.Value); err != nil {
		return fmt.Errorf("read %s: %w", f.field, err)
	}
	*to = &s
	return nil
}

// addSuggestions reads the suggestions for several requests.
func (tx *Tx) addSuggestions(ids []desk.RequestID, at map[desk.RequestID]*desk.Request) error {
	var broken error
	err := collectFor(tx, ids, "field, value, decided_by, reason, decided_at FROM request_suggestions", "field", scanSuggested,
		func(id desk.RequestID, f suggestedField) {
			if err := f.addTo(&at[id].AI); err != nil {
				broken = err
			}
		})
	if err == nil {
		err = broken
	}
	return err
}

// Budget is what each account's questions to a model may cost per day. All
// processes on the database share it.
type Budget struct {
	store  *Store
	tokens int
}

// Budget returns a budget that gives every account this many tokens per day.
func (s *Store) Budget(tokens int) Budget { return Budget{s, tokens} }

// Reserve takes tokens off today's budget. If there are not enough, it returns
// false and takes none.
func (b Budget) Reserve(ctx context.Context, account desk.AccountID, tokens int) (granted bool, err error) {
	err = b.store.Write(ctx, account, func(tx *Tx) error {
		granted, err = tx.spend(tokens, b.tokens)
		return err
	})
	return granted, err
}

// Settle replaces the reserved tokens with those that were used.
func (b Budget) Settle(ctx context.Context, account desk.AccountID, reserved, used int) error {
	return b.store.Write(ctx, account, func(tx *Tx) error { return tx.settle(used - reserved) })
}

// spend counts tokens as spent today, unless the total would exceed most.
func (tx *Tx) spend(tokens, most int) (bool, error) {
	if tokens > most {
		return false, nil
	}
	n, err := tx.Exec(`INSERT INTO suggestion_costs (account_id, day, tokens) VALUES ($1, $2, $3)
		ON CONFLICT (account_id, day) DO UPDATE SET tokens = suggestion_costs.tokens + excluded.tokens
			WHERE suggestion_costs.account_id = $1 AND suggestion_costs.tokens + excluded.tokens <= $4`,
		tx.Account, dayOf(tx.Now), tokens, most)
	if err != nil {
		return false, fmt.Errorf("reserve tokens: %w", err)
	}
	return n > 0, nil
}

// settle corrects the count of the last day that has one, because a call may end
// after midnight.
func (tx *Tx) settle(more int) error {
	return wrap("settle tokens", tx.Do(`UPDATE suggestion_costs SET tokens = CASE WHEN tokens + $1 > 0 THEN tokens + $1 ELSE 0 END
		WHERE account_id = $2 AND day = (SELECT max(day) FROM suggestion_costs WHERE account_id = $2)`, more, tx.Account))
}

func dayOf(t time.Time) int64 { return ms(t) / (24 * time.Hour).Milliseconds() }
