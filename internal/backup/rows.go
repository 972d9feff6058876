package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/stored"
)

// form checks the bytes of one value. The database itself keeps references and the lists
// of CHECK; a form is what only we know about a column.
type form func(r *rowReader, value []byte) error

// forms are by table and column. NULL has every form.
var forms = map[string]form{
	"accounts.categories":            as(stored.Categories),
	"audit_logs.actor":               as(stored.Actor),
	"audit_logs.after":               isJSON,
	"audit_logs.before":              isJSON,
	"audit_logs.source":              oneOf(sources...),
	"collections.auto_assign":        oneOf(desk.AssignNobody, desk.AssignFirstResponder, desk.AssignRoundRobin),
	"collections.csat":               as(stored.SurveyRules),
	"collections.email":              as(stored.EmailConfig),
	"collections.emoji":              as(stored.EmojiRules),
	"collections.notify":             oneOf(desk.NotifyNobody, desk.NotifyMention, desk.NotifyDirect),
	"credentials.secret":             opens("credentials.secret"),
	"custom_fields.default_value":    as(stored.Default),
	"dashboards.cards":               as(stored.Cards),
	"dashboards.date_range":          as(stored.DateRange),
	"dashboards.filters":             as(stored.InsightsFilters),
	"deliveries.attempts":            as(stored.Attempts),
	"deliveries.payload":             isJSON,
	"events.data":                    isJSON,
	"events.source":                  oneOf(sources...),
	"explorations.query":             as(stored.InsightsQuery),
	"explorations.target":            as(stored.Target),
	"idempotency_keys.answer":        opens("idempotency_keys.answer"),
	"integrations.kind":              oneOf(slices.Concat(desk.ChatKinds, desk.TrackerKinds)...),
	"integrations.settings":          as(stored.TrackerSettings),
	"jobs.args":                      isJSON,
	"mailboxes.password":             opens("mailboxes.password"),
	"member_preferences.preferences": as(stored.Preferences),
	"messages.email":                 as(stored.MessageEmail),
	"messages.source":                oneOf(sources...),
	"request_changes.actor":          as(stored.Actor),
	"request_changes.after":          as(stored.Past),
	"request_changes.before":         as(stored.Past),
	"request_changes.links":          as(stored.Links),
	"request_changes.moved":          as(stored.Moved),
	"request_changes.source":         oneOf(sources...),
	"request_suggestions.value":      isJSON,
	"reports.member_ids":             as(stored.Members),
	"requests.mail_status":           oneOf(desk.EmailFailed, desk.EmailPerhapsSent),
	"requests.metadata":              isJSON,
	"requests.priority_by":           oneOf(origins...),
	"requests.source":                oneOf(desk.FromChat, desk.FromAPI, desk.FromEmail, desk.FromImport),
	"requests.title_by":              oneOf(origins...),
	"sla_policies.conditions":        as(stored.SLAConditions),
	"sla_schedule_versions.holidays": as(stored.Holidays),
	"sla_schedule_versions.hours":    as(stored.Hours),
	"sla_schedules.holidays":         as(stored.Holidays),
	"sla_schedules.hours":            as(stored.Hours),
	"webhooks.event_types":           as(stored.EventTypes),
	"webhooks.previous_secret":       opens("webhooks.secret"),
	"webhooks.secret":                opens("webhooks.secret"),
}

var (
	sources = []desk.Source{desk.SourceAPI, desk.SourceChat, desk.SourceImport, desk.SourceCommand, desk.SourceEmail, desk.SourceTracker, desk.SourcePage, desk.SourceWeb, desk.SourceSystem}
	origins = []desk.Origin{desk.ByPerson, desk.ByRules, desk.ByModel}
)

// as is the form of a column that is read into a T.
func as[T any](column func(*T) stored.Column) form {
	return func(_ *rowReader, value []byte) error { return column(new(T)).Scan(value) }
}

// isNumber is the form of a column of numbers or truth values, in which no bytes stand.
func isNumber(*rowReader, []byte) error { return errors.New("it is not a number") }

func isJSON(_ *rowReader, value []byte) error {
	if !json.Valid(value) {
		return errors.New("it is not JSON")
	}
	return nil
}

func oneOf[T ~string](all ...T) form {
	return func(_ *rowReader, value []byte) error {
		if !slices.Contains(all, T(value)) {
			return fmt.Errorf("%q is none of %q", value, all)
		}
		return nil
	}
}

// opens is the form of a sealed value. place is the column that it was sealed for.
func opens(place string) form {
	return func(r *rowReader, value []byte) error {
		if r.key == nil {
			return nil
		}
		_, err := r.key.Open(seal.Place{Account: r.account, Column: place}, value)
		return err
	}
}

// rowReader reads the rows of one table after the other.
type rowReader struct {
	key          *seal.Key // nil: sealed values are not opened
	numbersQuery string
	progress     Progress // told how many rows of a table were read
	account      int64    // of the row that is being read
}

// The search index is compared with the requests instead, and the other tables are the
// engine's own.
var tablesQuery = map[sqldb.Engine]string{
	sqldb.SQLite:   "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'search%' ORDER BY name",
	sqldb.Postgres: "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename NOT LIKE 'search%' ORDER BY tablename",
}

// numbersQuery is for the columns of a table that hold numbers. SQLite takes text there.
var numbersQuery = map[sqldb.Engine]string{
	sqldb.SQLite:   "SELECT name FROM pragma_table_info($1) WHERE type NOT IN ('TEXT', 'BLOB')",
	sqldb.Postgres: "SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1 AND data_type NOT IN ('text', 'bytea', 'json')",
}

func scanName(scan func(...any) error) (name string, err error) {
	err = scan(&name)
	return name, err
}

// checkRows reads every row of every table, and adds values that the server could not use.
func checkRows(ctx context.Context, db *sqldb.DB, key *seal.Key, found *findings, progress Progress) error {
	var tables []string
	err := db.Read(ctx, func(tx *sqldb.Tx) (err error) {
		tables, err = sqldb.Collect(tx, scanName, tablesQuery[db.Engine()])
		return err
	})
	if err != nil {
		return err
	}
	r := &rowReader{key: key, numbersQuery: numbersQuery[db.Engine()], progress: progress}
	for _, table := range tables {
		var wrong *findings
		err := db.Read(ctx, func(tx *sqldb.Tx) error {
			wrong = &findings{} // a read may be repeated
			return r.read(tx, table, wrong)
		})
		if err != nil {
			return fmt.Errorf("table %s: %w", table, err)
		}
		found.addAll(wrong)
	}
	return nil
}

// rowsPerStep is after how many rows progress is told.
const rowsPerStep = 1000

func (r *rowReader) read(tx *sqldb.Tx, table string, wrong *findings) error {
	numbers, err := sqldb.Collect(tx, scanName, r.numbersQuery, table)
	if err != nil {
		return err
	}
	rows, err := tx.Query("/* every account: all is verified */ SELECT * FROM " + table)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	checks := make([]form, len(columns))
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i, c := range columns {
		checks[i], into[i] = forms[table+"."+c], &values[i]
		if slices.Contains(numbers, c) {
			checks[i] = isNumber
		}
	}
	id, account := slices.Index(columns, "id"), slices.Index(columns, "account_id")
	for n := int64(1); rows.Next(); n++ {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if account >= 0 {
			r.account, _ = values[account].(int64)
		}
		for i, v := range values {
			if err := r.check(checks[i], v); err != nil {
				wrong.add("%s of %s: %v", columns[i], rowName(table, values, id, account), err)
			}
		}
		if n%rowsPerStep == 0 {
			r.progress("rows of "+table, n, 0)
		}
	}
	return rows.Close()
}

// check checks one value. SQLite takes any bytes for text, and PostgreSQL would not: such
// a desk could not be moved there.
func (r *rowReader) check(check form, value any) error {
	text, isText := value.(string)
	bytes, isBytes := value.([]byte)
	switch {
	case isText && (!utf8.ValidString(text) || strings.Contains(text, "\x00")):
		return errors.New("it is not text in UTF-8")
	case check == nil || value == nil:
		return nil
	case isText:
		return check(r, []byte(text))
	case isBytes:
		return check(r, bytes)
	}
	return nil // a number
}

// rowName names a row. Not every table has an id.
func rowName(table string, values []any, id, account int) string {
	switch {
	case id >= 0:
		return fmt.Sprintf("row %v of %s", values[id], table)
	case account >= 0:
		return fmt.Sprintf("a row of %s, of account %v", table, values[account])
	}
	return "a row of " + table
}
