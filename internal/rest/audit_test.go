package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
	"frontdesk/internal/wire"
)

// logged is a stage whose account has a log of many entries by two members about
// two things.
type logged struct {
	*stage
	t testing.TB
}

// hostile are texts that could confuse a spreadsheet, or a reader of CSV or of
// lines.
var hostile = []string{"=HYPERLINK(\"https://evil.example\")", "+1", "-1+cmd|' /C calc'!A0", "@SUM(1)", "\tx", "\r=1", "'quoted", "''twice", " =1+1", "\u00a0=1", "\u200b=1",
	"＝1", "＋1", "－1", "＠x", "a,b", "a\"b", "a\r\nb", "a\u2028b", "; =1", "plain", "-", "'"}

func newLogged(t testing.TB, db *sqldb.DB, entries int) *logged {
	l := &logged{newStage(t, db, scriptRate{}), t}
	for _, who := range []string{"admin", "other admin"} {
		l.record(who, entries)
	}
	return l
}

// record adds entries by an admin and an agent in turn, about members 1 and 2.
func (l *logged) record(who string, n int) {
	l.t.Helper()
	c := l.callers[who].Caller
	err := l.store.Write(context.Background(), c.Account, func(tx *store.Tx) error {
		for i := range n {
			by := c.Actor
			if i%2 == 1 {
				by = l.callers[strings.Replace(who, "admin", "agent", 1)].Actor
			}
			by.Name, by.IP = hostile[i%len(hostile)], "192.0.2.7"
			m := desk.Member{ID: desk.MemberID(1 + i%3%2), Name: hostile[(i+5)%len(hostile)], Email: "x@acme.example", Role: desk.Agent, CreatedAt: tx.Now, UpdatedAt: tx.Now}
			if err := tx.Record(desk.Change{By: by, Action: "member.created", Resource: "Member", ID: strconv.Itoa(int(m.ID)), After: m}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *logged) get(as, method, path string) (*http.Response, string, error) {
	l.t.Helper()
	r, err := http.NewRequest(method, l.server.URL+prefix+path, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+l.callers[as].secret)
	return l.do(r)
}

func (l *logged) export(query string) string {
	l.t.Helper()
	w, body, err := l.get("admin", "GET", "/audit-logs/export?"+query)
	if err != nil || w.StatusCode != http.StatusOK {
		l.t.Fatalf("export?%s: %v %v %.300s", query, w, err, body)
	}
	return body
}

// listed returns the lines that an export should have: the entries of the list,
// page after page.
func (l *logged) listed(query string) (lines []string) {
	l.t.Helper()
	cursor := ""
	for {
		_, body, err := l.get("admin", "GET", "/audit-logs?sort_order=asc&limit=100&"+query+cursor)
		var page struct {
			Logs     []json.RawMessage `json:"audit_logs"`
			Metadata wire.ListMetadata `json:"response_metadata"`
		}
		if err == nil {
			err = json.Unmarshal([]byte(body), &page)
		}
		if err != nil {
			l.t.Fatal(err)
		}
		for _, e := range page.Logs {
			lines = append(lines, string(e)+"\n")
		}
		if page.Metadata.NextCursor == nil {
			return lines
		}
		cursor = "&next_cursor=" + url.QueryEscape(*page.Metadata.NextCursor)
	}
}

// fromCSV converts a CSV export to what the JSON Lines export would be.
func fromCSV(t testing.TB, text string) (lines []string) {
	t.Helper()
	rows, err := readCSV(text)
	if err != nil || len(rows) == 0 {
		t.Fatalf("%v: %.300s", err, text)
	}
	if got := strings.Join(rows[0], " "); got != "id at actor_id actor_name actor_email action resource_type resource_id source ip before after" {
		t.Errorf("the columns are %s", got)
	}
	for _, row := range rows[1:] {
		for i, cell := range row {
			if strings.IndexAny(strings.TrimLeft(cell, " \u00a0\u200b"), "=+-@＝＋－＠\t") == 0 {
				t.Errorf("a spreadsheet computes %q", cell)
			}
			row[i] = strings.TrimPrefix(cell, "'") // which keeps a spreadsheet from reading a formula
		}
		id, _ := strconv.ParseInt(row[0], 10, 64)
		actor, _ := strconv.ParseInt(row[2], 10, 64)
		e := wire.AuditLog{ID: desk.AuditLogID(id), At: wire.Time(row[1]), Action: row[5], ResourceType: row[6], ResourceID: row[7], Source: desk.Source(row[8]), IP: &row[9],
			Actor: wire.Actor{ID: (*desk.MemberID)(&actor), Name: row[3], Email: &row[4]}, Before: textOrNull(row[10]), After: textOrNull(row[11])}
		line, err := wire.JSON(e)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line)+"\n")
	}
	return lines
}

// readCSV reads strict RFC 4180. encoding/csv does not: it changes line endings
// inside cells.
func readCSV(text string) (rows [][]string, err error) {
	for row := []string{}; text != ""; {
		cell := ""
		if rest, quoted := strings.CutPrefix(text, `"`); quoted {
			for {
				before, after, ok := strings.Cut(rest, `"`)
				if cell += before; !ok {
					return rows, errors.New("a quote is open at the end")
				}
				if text = after; !strings.HasPrefix(after, `"`) {
					break
				}
				cell, rest = cell+`"`, after[1:]
			}
		} else {
			end := max(strings.IndexAny(text, ",\r\n\""), 0)
			cell, text = text[:end], text[end:]
		}
		row = append(row, cell)
		switch {
		case strings.HasPrefix(text, ","):
			text = text[1:]
		case strings.HasPrefix(text, "\r\n"):
			rows, row, text = append(rows, row), nil, text[2:]
		default:
			return rows, fmt.Errorf("the cell %q is followed by %.20q", cell, text)
		}
	}
	return rows, nil
}

func textOrNull(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

// An export has the same entries as the list, in both formats and under every
// filter. Afterwards the export itself is in the log.
func TestAuditExport(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		l := newLogged(t, db, 230) // more than one page of an export
		l.setClock(curtain.Add(1e9))
		l.record("admin", 230)
		// The unfiltered query comes first, because later it would include the exports.
		for _, c := range []struct {
			query string
			want  int
		}{{"", 460}, {"resource_type=Member&resource_id=2", 154}, {"actor=" + l.ids["agent"], 230}, {"resource_type=Token", 0},
			{"resource_type=Member&after=2026-05-13T09:00:00.500Z", 230}, {"before=2026-05-13T09:00:00.500Z&actor=" + l.ids["admin"], 115}} {
			query, listed := c.query, l.listed(c.query)
			if len(listed) != c.want {
				t.Errorf("%s: the list has %d, want %d", query, len(listed), c.want)
			}
			if got := l.export(query); got != strings.Join(listed, "") {
				t.Errorf("export?%s differs from the list", query)
			}
			listed = l.listed(query) // now includes the previous export
			text := l.export("format=csv&" + query)
			got := fromCSV(t, text)
			if strings.Join(got, "") != strings.Join(listed, "") {
				t.Errorf("export?format=csv&%s differs from the list", query)
			}
		}
	})
}

// An export is recorded in the log. A HEAD request is not, nor is a refused export.
func TestAuditExportIsRecorded(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		l := newLogged(t, db, 3)
		exports := func() []string { return l.listed("resource_type=AuditLog") }
		w, body, err := l.get("admin", "HEAD", "/audit-logs/export?format=csv")
		if err != nil || w.StatusCode != 200 || body != "" || len(exports()) != 0 {
			t.Errorf("HEAD: %v %v %q, and %v", w, err, body, exports())
		}
		for _, as := range []string{"agent", "viewer"} {
			if w, _, _ := l.get(as, "GET", "/audit-logs/export"); w.StatusCode != http.StatusForbidden {
				t.Errorf("%s: %d", as, w.StatusCode)
			}
		}
		for query, want := range map[string]string{"format=xlsx": "format must be one of jsonl, csv", "format=": "format must be one of jsonl, csv", "actor=x": "actor must be a whole number",
			"after=yesterday": "after must be an ISO 8601"} {
			if w, body, _ := l.get("admin", "GET", "/audit-logs/export?"+query); w.StatusCode != http.StatusBadRequest || !strings.Contains(body, want) {
				t.Errorf("%s: %d %s", query, w.StatusCode, body)
			}
		}
		if got := exports(); len(got) != 0 {
			t.Errorf("refused, and recorded: %v", got)
		}
		l.client.Transport = checkContract(t, l.client.Transport)
		w, _, err = l.get("admin", "HEAD", "/audit-logs/export")
		if err != nil || w.StatusCode != http.StatusOK || w.Header.Get("Content-Type") != "application/jsonl" {
			t.Error(w, err)
		}
		w, _, err = l.get("admin read-only", "GET", "/audit-logs/export?format=csv&resource_type=Member&resource_id=2&actor=7&after=2026-05-13&before=2026-05-14")
		if err != nil || w.StatusCode != http.StatusOK {
			t.Fatal(w, err)
		}
		kind, _, err := mime.ParseMediaType(w.Header.Get("Content-Type"))
		disposition, file, err2 := mime.ParseMediaType(w.Header.Get("Content-Disposition"))
		if err != nil || kind != "text/csv" || err2 != nil || disposition != "attachment" || !strings.HasPrefix(file["filename"], "audit-log-") || !strings.HasSuffix(file["filename"], ".csv") {
			t.Errorf("%s, %s", w.Header.Get("Content-Type"), w.Header.Get("Content-Disposition"))
		}
		if w, _, err := l.get("admin", "GET", "/audit-logs/export?resource_type=Token"); err != nil || w.StatusCode != http.StatusOK {
			t.Error(w, err)
		}
		got := exports()[:1]
		want := fmt.Sprintf(`"actor":{"id":%s,"name":"Admin","email":"admin@acme.example"},"action":"audit.exported","resource_type":"AuditLog","resource_id":"%s","source":"api","ip":"127.0.0.1","before":null,`+
			`"after":{"format":"csv","action":null,"resource_type":"Member","resource_id":"2","actor":7,"after":"2026-05-13T00:00:00.000Z","before":"2026-05-14T00:00:00.000Z"}}`, l.ids["admin"], l.ids["account"])
		if len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("got %v, want %s", got, want)
		}
	})
}

// An export does not contain entries that are written while it runs. It contains
// each earlier entry once.
func TestAuditExportIsOfOneMoment(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		l := newLogged(t, db, 450)
		c := l.callers["agent"].Caller
		if _, err := l.service.ExportAuditLogs(context.Background(), c, desk.AuditExport{Format: desk.JSONLines}); desk.KindOf(err) != desk.Forbidden {
			t.Errorf("an agent: %v", err)
		}
		c = l.callers["admin"].Caller
		entries, err := l.service.ExportAuditLogs(context.Background(), c, desk.AuditExport{Format: desk.JSONLines})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[desk.AuditLogID]bool{}
		for e, err := range entries {
			if err != nil {
				t.Fatal(err)
			}
			if len(seen)%100 == 0 { // even with a clock that goes back
				l.setClock(curtain.Add(-1e9))
				l.record("admin", 3)
			}
			if seen[e.ID] {
				t.Errorf("%d is there twice", e.ID)
			}
			seen[e.ID] = true
		}
		if len(seen) != 450 {
			t.Errorf("%d entries", len(seen))
		}
	})
}

// An export that cannot be completed breaks the connection, so nobody takes a part
// for the whole.
func TestAuditExportBreaksOff(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		l := newLogged(t, db, 450)
		err := db.Write(context.Background(), func(tx *sqldb.Tx) error {
			_, err := tx.Exec("UPDATE audit_logs SET actor = '[]' WHERE account_id = $1 AND id = (SELECT max(id) FROM audit_logs WHERE account_id = $1)", l.callers["admin"].Account)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{"jsonl", "csv"} {
			r, err := http.NewRequest("GET", l.server.URL+prefix+"/audit-logs/export?format="+format, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+l.callers["admin"].secret)
			w, err := l.client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(w.Body)
			w.Body.Close()
			if err == nil {
				t.Errorf("%s: %d lines arrived, and the body ended well", format, bytes.Count(body, []byte("\n")))
			}
		}
	})
}
