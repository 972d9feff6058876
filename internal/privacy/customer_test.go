package privacy_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/blob"
	"frontdesk/internal/blob/blobtest"
	"frontdesk/internal/desk"
	"frontdesk/internal/privacy"
	"frontdesk/internal/schema"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// column is a column of the schema.
type column struct {
	table, name, kind string
	needed            bool
	refers            string   // a table
	choices           []string // the values that it may have
}

var choices = regexp.MustCompile(`(\w+)\s+TEXT[^,]*CHECK \((\w+) IN \('([^']+)'`)

// columns returns the columns of the tables of an account, in the order in which rows
// can be added. It reads them from SQLite, and they are the same everywhere.
func columns(t *testing.T) (all []column) {
	t.Helper()
	db := dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite)})
	_, err := db.Migrate(ctx, schema.Files)
	must(t, err)
	must(t, db.Read(ctx, func(tx *sqldb.Tx) error {
		return tx.Each(func(scan func(...any) error) error {
			var c column
			var text string
			err := scan(&c.table, &c.name, &c.kind, &c.needed, &c.refers, &text)
			for _, found := range choices.FindAllStringSubmatch(text, -1) {
				if found[1] == c.name {
					c.choices = append(c.choices, found[3])
				}
			}
			all = append(all, c)
			return err
		}, `SELECT t.name, c.name, c.type, c."notnull" OR c.pk, coalesce(f."table", ''), t.sql FROM sqlite_schema t, pragma_table_info(t.name) c
			LEFT JOIN pragma_foreign_key_list(t.name) f ON f."from" = c.name
			WHERE t.type = 'table' AND EXISTS (SELECT 1 FROM pragma_table_info(t.name) a WHERE a.name = 'account_id')
			AND t.name NOT IN ('sequences', 'erasures', 'search_documents', 'search_progress', 'search_words', 'idempotency_keys', 'audit_logs', 'events', 'lanes', 'ticket_numbers', 'sla_recomputations', 'suggestion_costs')
			ORDER BY t.rowid, c.cid`)
	}))
	at := map[string]int{}
	for i, c := range all {
		at[c.table] = i
	}
	for i, c := range all {
		if c.refers != "" && !c.needed && at[c.refers] > at[c.table] {
			all[i].refers = c.table // it stays empty, as what refers to its own table does
		}
	}
	return all
}

// world is what is about one customer: a row in every table, and all of its ids are
// the same.
type world struct {
	account desk.AccountID
	id      int64
	user    string
	email   string
	said    string // in everything that somebody said in its requests
	about   string // in every text that may mention it
	files   map[string]blob.Key
}

// said are the columns with something that somebody said in a request.
var said = map[string]string{
	"messages": "html text", "requests": "title mail_subject", "attachments": "name", "incoming_files": "name", "mails": "body", "posts": "text", "surveys": "comment",
	"agent_session_events": "text", "custom_field_values": "value value_folded", "request_suggestions": "reason", "waiting_messages": "html failure", "waiting_files": "name",
	"customers": "name owner external_entity_id external_deal_id", "customer_domains": "domain", "customer_portal_users": "email email_folded",
}

// value returns what a row of the world has in a column.
func (w world) value(c column, mentions bool) any {
	own := fmt.Sprintf("%s.%s %d", c.table, c.name, w.id)
	switch {
	case c.name == "account_id":
		return int64(w.account)
	case c.refers == c.table || strings.HasSuffix(c.name, "_at") && !c.needed || c.name == "untold":
		return nil
	case c.table+"."+c.name == "mails.source" || c.name == "blob_key":
		if w.files[c.table].IsZero() {
			w.files[c.table] = blob.NewKey(w.account)
		}
		return w.files[c.table].String()
	case c.table == "deliveries" && c.name == "subject":
		return fmt.Sprintf("request %d", w.id)
	case c.name == "time_zone":
		return "UTC"
	case c.refers != "" || c.name == "id" && c.kind != "TEXT" || c.name == "customer_id" || c.name == "request_id" || c.name == "entity_id":
		return w.id
	case c.table == "custom_field_values" && c.name == "value_length":
		return 5
	case c.kind == "BOOLEAN":
		return c.table == "users" && c.name == "is_external"
	case len(c.choices) > 0:
		return c.choices[0]
	case c.kind == "TEXT" && c.table == "members" && c.name != "name", c.table == "email_addresses":
		return fmt.Sprintf("%s-%d@team.example", c.name, w.id)
	case c.table == "customer_domains" && c.name == "domain":
		return strings.Split(w.email, "@")[1]
	case slices.Contains(strings.Fields("user_id author_id assignee owner answered_by created_by posted_by sender_id value_user"), c.name):
		return w.user
	case slices.Contains(strings.Fields("email email_folded author_email author_email_folded"), c.name) && !isJSON(c):
		return w.email
	case strings.Contains(" "+said[c.table]+" ", " "+c.name+" "):
		return own + " " + w.said
	case isJSON(c):
		return w.json(c, own)
	case c.kind == "TEXT" && mentions:
		return own + " " + w.about
	case c.kind == "TEXT" && c.needed:
		return own
	case c.kind == "TEXT":
		return nil
	case c.kind == "BLOB":
		return []byte{byte(w.id)}
	case c.needed:
		return 1
	}
	return nil
}

func isJSON(c column) bool {
	return strings.Contains(" messages.email request_changes.actor request_changes.before request_changes.after request_changes.links request_changes.moved requests.metadata deliveries.attempts deliveries.payload "+
		"request_suggestions.value collections.email collections.csat collections.emoji custom_fields.default_value integrations.settings webhooks.event_types sla_schedules.hours sla_schedules.holidays sla_schedule_versions.hours "+
		"sla_schedule_versions.holidays sla_policies.conditions member_preferences.preferences explorations.query explorations.target dashboards.cards dashboards.date_range dashboards.filters reports.member_ids ", " "+c.table+"."+c.name+" ")
}

func (w world) json(c column, own string) any {
	switch c.table + "." + c.name {
	case "request_changes.before", "request_changes.after":
		return fmt.Sprintf(`{"title":%q,"values":{"1":{"type":"text","text":%q}}}`, own+" "+w.said, own+" "+w.said)
	case "deliveries.payload":
		return fmt.Sprintf(`{"data":{"message":{"id":%d,"is_responder":true,"text":%q,"html_body":%q,"attachments":[{"name":%q}]}},"note":%q}`, w.id, w.said, w.said, w.said, w.about)
	case "deliveries.attempts":
		return fmt.Sprintf(`[{"body":%q,"error":%q}]`, w.said, w.about)
	case "requests.metadata":
		return fmt.Sprintf(`{"note":%q}`, w.said)
	case "messages.email":
		return fmt.Sprintf(`{"subject":%q,"from":{"email":%q,"name":%q}}`, w.said, w.email, w.about)
	case "request_suggestions.value":
		return fmt.Sprintf("%q", w.said)
	case "request_changes.actor":
		return fmt.Sprintf(`{"name":%q}`, w.about)
	case "request_changes.moved", "collections.email", "custom_fields.default_value":
		return nil
	case "request_changes.links", "webhooks.event_types", "dashboards.cards", "dashboards.filters", "reports.member_ids", "sla_schedules.holidays", "sla_schedule_versions.holidays":
		return "[]"
	}
	return "{}"
}

// plant adds the rows of a world.
func (w world) plant(t *testing.T, s *store.Store, all []column) {
	t.Helper()
	must(t, s.Write(ctx, w.account, func(tx *store.Tx) error {
		for len(all) > 0 {
			n := slices.IndexFunc(all, func(c column) bool { return c.table != all[0].table })
			if n < 0 {
				n = len(all)
			}
			if err := w.row(tx, all[:n], ""); err != nil {
				return err
			}
			if all[0].table == "custom_field_values" {
				if err := w.row(tx, all[:n], "customer"); err != nil {
					return err
				}
			}
			all = all[n:]
		}
		by := desk.Actor{Name: "Mira " + w.about, Source: desk.SourceAPI}
		r := desk.Request{ID: desk.RequestID(w.id), Title: w.said, Metadata: []byte(fmt.Sprintf(`{"a":%q}`, w.said))}
		c := desk.Customer{ID: desk.CustomerID(w.id), Name: w.said, Domains: []string{w.said}, Owner: &w.user, ExternalDeal: &w.said, PortalUsers: []desk.PortalUser{{Email: w.said, Role: desk.PortalAdmin}}}
		m := desk.Message{ID: desk.MessageID(w.id), Request: r.ID, Text: w.said, HTML: w.said, Responder: true, Attachments: []desk.Attachment{{Name: w.said}}}
		survey := desk.Survey{ID: desk.SurveyID(w.id), Request: r.ID, Comment: w.said}
		for _, ch := range []desk.Change{{By: by, Action: "request.created", After: r, Event: desk.RequestCreated}, {By: by, Action: "customer.created", After: c, Event: desk.CustomerCreated},
			{By: by, Action: "message.created", After: m, Event: desk.MessageCreated}, {By: by, Action: "survey.answered", After: survey, Request: r.ID, Event: desk.SurveyReceived}} {
			if err := tx.Record(ch); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (w world) row(tx *store.Tx, of []column, entity string) error {
	var q sqldb.Query
	names, values := []string{}, []any{}
	for _, c := range of {
		v := w.value(c, privacy.Mentions(c.table, c.name))
		if c.name == "entity_type" && entity != "" {
			v = entity
		}
		if v != nil {
			names, values = append(names, c.name), append(values, v)
		}
	}
	q.Add("INSERT INTO " + of[0].table + " (" + strings.Join(names, ", ") + ") VALUES (")
	for i, v := range values {
		q.Add([]string{"", ", "}[min(i, 1)]+"?", v)
	}
	q.Add(")")
	if err := tx.Do(q.String(), q.Args()...); err != nil {
		return fmt.Errorf("plant in %s: %w", of[0].table, err)
	}
	return nil
}

// rows returns all rows of the world, as they are.
func (w world) rows(t *testing.T, s *store.Store, all []column) string {
	t.Helper()
	var b strings.Builder
	must(t, s.Read(ctx, w.account, func(tx *store.Tx) error {
		b.Reset()
		for i, c := range all {
			if i > 0 && all[i-1].table == c.table {
				continue
			}
			which := "account_id"
			for _, of := range all {
				if of.table == c.table && of.name != "account_id" && w.value(of, false) == any(w.id) {
					which = of.name
					break
				}
			}
			rows, err := tx.Query("SELECT * FROM "+c.table+" WHERE account_id = $1 AND "+which+" = $2", int64(w.account), map[bool]int64{true: int64(w.account), false: w.id}[which == "account_id"])
			if err != nil {
				return err
			}
			names, err := rows.Columns()
			if err != nil {
				return err
			}
			for rows.Next() {
				values, to := make([]any, len(names)), make([]any, len(names))
				for i := range to {
					to[i] = &values[i]
				}
				if err := rows.Scan(to...); err != nil {
					return err
				}
				if line := fmt.Sprintln(c.table, values); strings.Contains(line, fmt.Sprint(w.id)) {
					b.WriteString(line)
				}
			}
			if err := rows.Close(); err != nil {
				return err
			}
		}
		return nil
	}))
	return b.String()
}

// Whatever stands in any column of any table about a customer is gone after it was
// erased. The rows of another customer and of another account stay as they were.
func TestEraseCustomerFromEveryColumn(t *testing.T) {
	all := columns(t)
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		_, err := db.Migrate(ctx, schema.Files)
		must(t, err)
		key := seal.NewKey()
		d := privacy.Desk{Store: store.New(db, key, nil), Blobs: blobtest.New(t, t.TempDir()), Key: key}
		account := func(name string) (id desk.AccountID) {
			must(t, d.Store.AddAccount(ctx, name, func(tx *store.Tx, a desk.Account) error {
				id = a.ID
				return nil
			}))
			return id
		}
		acme, other := account("Acme"), account("Other")
		erased := world{acme, 7001, "U7LAKE", "kim@lakeside.example", "zanzibarprinter", "bo@lakeside.example of www.lakeside.example, U7LAKE", map[string]blob.Key{}}
		beside := world{acme, 8001, "U8PINE", "dora@pinehill.example", "quokkalog", "dora@pinehill.example, U8PINE", map[string]blob.Key{}}
		far := world{other, 9001, "U7LAKE", "kim@lakeside2.example", "marmotplan", "kim@lakeside2.example, U7LAKE", map[string]blob.Key{}}
		for _, w := range []world{erased, beside, far} {
			w.plant(t, d.Store, all)
		}
		for more := true; more; {
			more, err = d.Store.Sequence(ctx)
			must(t, err)
		}
		before := beside.rows(t, d.Store, all) + far.rows(t, d.Store, all)
		whole := erased.rows(t, d.Store, all)
		if n := strings.Count(before, "\n"); n < 100 || !strings.Contains(before, "quokkalog") || !strings.Contains(before, "marmotplan") {
			t.Errorf("only %d rows are compared", n)
		}
		would, err := d.Preview(ctx, acme, privacy.Customer{ID: 7001})
		must(t, err)
		if whole != erased.rows(t, d.Store, all) {
			t.Error("a preview changed something")
		}
		done, err := d.Erase(ctx, acme, privacy.Customer{ID: 7001}, func(l []privacy.Listed) error {
			if len(l) < 2 {
				t.Errorf("the list is %v", l)
			}
			return nil
		})
		must(t, err)
		if fmt.Sprint(done.Rows) != fmt.Sprint(would.Rows) || done.People != 1 || done.Requests != 1 || done.Messages != 1 {
			t.Errorf("it said %+v, and then it was %+v", would, done)
		}
		after := beside.rows(t, d.Store, all) + far.rows(t, d.Store, all)
		if after != before {
			was, is := strings.Split(before, "\n"), strings.Split(after, "\n")
			for i := range min(len(was), len(is)) {
				if was[i] != is[i] {
					t.Errorf("somebody else's row was\n%s\nand is\n%s", was[i], is[i])
				}
			}
		}
		if db.Engine() == sqldb.SQLite {
			must(t, db.Vacuum(ctx, "search_index"))
		}
		file := filepath.Join(t.TempDir(), "rows.db")
		must(t, db.Backup(ctx, schema.Files, file))
		b, err := os.ReadFile(file)
		must(t, err)
		b = bytes.ReplaceAll(bytes.ToLower(b), []byte("kim@lakeside2.example"), nil)
		for _, w := range []string{"zanzibarprinter", "lakeside.example"} {
			for at := 0; ; {
				next := bytes.Index(b[at:], []byte(w))
				if next < 0 {
					break
				}
				at += next
				t.Errorf("%s is still there: %q", w, b[max(0, at-80):min(len(b), at+40)])
				at++
			}
		}
		for _, a := range []desk.AccountID{acme, other} {
			if _, err := d.Store.FollowAuditLog(ctx, a, nil, nil); err != nil {
				t.Error(err)
			}
		}
		if _, err := d.Erase(ctx, acme, privacy.Customer{ID: 7001}, nil); !errors.Is(err, privacy.ErrErased) {
			t.Errorf("erased twice: %v", err)
		}
	})
}
