package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// counter is a desk with a form that has every kind of field, for handing in
// tickets.
type counter struct {
	*uploads
	form   desk.TicketForm
	fields map[desk.FieldType]desk.CustomFieldID
	last   string // the last response
}

func newCounter(t testing.TB, db *sqldb.DB) *counter {
	t.Helper()
	c := &counter{uploads: uploadsOn(t, db), fields: map[desk.FieldType]desk.CustomFieldID{}}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	admin := c.callers["admin"].Caller
	given := []desk.FormField{
		{Key: desk.FormTitle, Audience: desk.ForAll}, {Key: desk.FormPriority, Audience: desk.ForAll}, {Key: desk.FormAssignee, Audience: desk.ForAll},
		{Key: desk.FormContributors, Audience: desk.ForAll}, {Key: desk.FormTeam, Audience: desk.ForAll}, {Key: desk.FormStatus, Audience: desk.ForAll},
	}
	for _, kind := range desk.FieldTypes {
		n := desk.NewCustomField{Name: string(kind), Type: kind, Entity: desk.EntityRequest}
		if kind.HasOptions() {
			n.Config.Options = &[]desk.GivenOption{{Value: "a"}, {Value: "b"}}
		}
		f, err := c.service.CreateCustomField(context.Background(), admin, n)
		must(err)
		c.fields[kind] = f.ID
		given = append(given, desk.FormField{Key: desk.FormKey(strconv.FormatInt(int64(f.ID), 10)), Audience: desk.ForAll})
	}
	name := "Everything"
	var err error
	c.form, err = c.service.CreateTicketForm(context.Background(), admin, desk.GivenForm{Name: &name, Fields: &given})
	must(err)
	return c
}

// part returns the name of the part for files of the attachment field.
func (c *counter) part() string { return strconv.FormatInt(int64(c.fields[desk.FieldAttachment]), 10) }

// texts returns the texts of a form, with the given ones added to the required
// ones.
func (c *counter) texts(more ...string) map[string]string {
	texts := map[string]string{"type": "create", "form_id": strconv.FormatInt(int64(c.form.ID), 10), "description": "x"}
	for i := 0; i < len(more); i += 2 {
		texts[more[i]] = more[i+1]
	}
	return texts
}

// held counts everything that tickets consist of, in the account.
type held struct{ requests, tickets, messages, attachments, values, choices, contributors, posts, events, audits, files int }

func (c *counter) held() (h held) {
	c.t.Helper()
	var counts []string
	for _, table := range []string{"requests", "tickets", "messages", "attachments", "custom_field_values", "custom_field_choices", "request_contributors", "posts", "events", "audit_logs"} {
		counts = append(counts, "(SELECT count(*) FROM "+table+" WHERE account_id = $1)")
	}
	err := c.store.Look(context.Background(), c.callers["admin"].Account, func(tx *store.Tx) error {
		return tx.Row("SELECT "+strings.Join(counts, ", "), tx.Account).Scan(
			&h.requests, &h.tickets, &h.messages, &h.attachments, &h.values, &h.choices, &h.contributors, &h.posts, &h.events, &h.audits)
	})
	if err != nil {
		c.t.Fatal(err)
	}
	h.files = c.stored()
	return h
}

// handIn sends a body as a form, without the network. It checks that the result is
// a complete ticket, or nothing at all and no fault of ours.
func (c *counter) handIn(body string) int {
	c.t.Helper()
	before := c.held()
	r := httptest.NewRequest("POST", "/v1/rest/tickets", strings.NewReader(body))
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	r.Header.Set("Authorization", "Bearer "+c.callers["admin"].secret)
	w := httptest.NewRecorder()
	c.server.Config.Handler.ServeHTTP(w, r)
	after := c.held()
	c.last = w.Body.String()
	if w.Code != http.StatusCreated {
		if w.Code >= 500 || after != before {
			c.t.Errorf("%d %s\nbefore %+v\nafter  %+v\n%q", w.Code, w.Body, before, after, body)
		}
		return w.Code
	}
	files := after.files - before.files
	if after.requests != before.requests+1 || after.tickets != before.tickets+1 || after.messages != before.messages+1 ||
		after.attachments != before.attachments+files || after.events != before.events+2 || after.audits != before.audits+2 {
		c.t.Errorf("it is made by halves: %s\nbefore %+v\nafter  %+v\n%q", w.Body, before, after, body)
	}
	return w.Code
}

// Files of the message and of a field are returned byte for byte, and those of a
// field are its value, wherever they are in the form.
func TestFormTicketFiles(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		c := newCounter(t, db)
		content := map[string]string{"a.bin": string([]byte{0, 255, 13, 10, '-', '-', 'b'}), "b.txt": "", "c.txt": strings.Repeat("long ", 100_000)}
		res, text := c.sendTo("/v1/rest/tickets", "agent", "", c.texts(),
			filed{c.part(), "a.bin", "image/png", strings.NewReader(content["a.bin"])},
			filed{"attachment", "b.txt", "", strings.NewReader(content["b.txt"])},
			filed{c.part(), "c.txt", "text/plain", strings.NewReader(content["c.txt"])},
			filed{"other", "dropped.txt", "", strings.NewReader("nobody asked for it")})
		var made struct{ Request struct{ ID int64 } }
		if err := json.Unmarshal([]byte(text), &made); err != nil || res.StatusCode != 201 {
			t.Fatalf("%d %s, %v", res.StatusCode, text, err)
		}
		var got struct {
			Request struct {
				Values   map[string][]int64 `json:"custom_field_values"`
				Messages []struct {
					Attachments []struct {
						ID   int64
						Name string
					}
				}
			}
		}
		_, text = c.get("viewer", fmt.Sprintf("/requests/%d?include=messages", made.Request.ID))
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var ofField []int64
		files := got.Request.Messages[0].Attachments
		for _, f := range files {
			if f.Name != "b.txt" {
				ofField = append(ofField, f.ID)
			}
			if res, bytes := c.get("viewer read-only", fmt.Sprintf("/attachments/%d", f.ID)); res.StatusCode != 200 || bytes != content[f.Name] {
				t.Errorf("%s comes back as %d %.50q", f.Name, res.StatusCode, bytes)
			}
		}
		if value := got.Request.Values[c.part()]; len(files) != 3 || !slices.Equal(value, ofField) || len(value) != 2 {
			t.Errorf("the files are %+v, the value is %v", files, value)
		}
		if n := c.stored(); n != 3 {
			t.Errorf("%d files are kept", n)
		}
	})
}

// A refused ticket leaves neither a file nor a row, whatever came before it.
// Neither does a client that disconnects.
func TestRefusedTicketsLeaveNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		c := newCounter(t, db)
		small := func(n int) (files []filed) {
			for i := range n {
				files = append(files, filed{[]string{"attachment", c.part()}[i%2], fmt.Sprint(i), "", strings.NewReader("small")})
			}
			return files
		}
		many := c.texts()
		for i := range 17 {
			many[fmt.Sprint("text", i)] = strings.Repeat("x", mostText)
		}
		before := c.held()
		for name, k := range map[string]struct {
			texts  map[string]string
			files  []filed
			status int
			want   string
		}{
			"a sixth file":        {c.texts(), small(6), 400, `"field":"attachment","message":"must be at most 5 files"`},
			"one byte too many":   {c.texts(), append(small(1), filed{c.part(), "large", "", nulls(desk.MostFile + 1)}), 413, "larger than 100 MB"},
			"no form":             {c.texts("form_id", "99999999"), small(2), 400, "must be a ticket form"},
			"an unknown key":      {c.texts("fields", `{"tags":[]}`), small(2), 400, "fields.tags"},
			"a value that is bad": {c.texts("fields", fmt.Sprintf(`{"title":"x","%d":"x"}`, c.fields[desk.FieldNumber])), small(2), 400, "must be a number"},
			"a number of nothing": {c.texts(), append(small(2), filed{"99999999", "x", "", strings.NewReader("x")}), 400, `"field":"99999999"`},
			"texts without end":   {many, small(2), 413, "larger than a form"},
			"a text too long":     {c.texts("fields", strings.Repeat("x", mostText+1)), small(2), 413, "fields is larger than 1 MiB"},
		} {
			t.Run(name, func(t *testing.T) {
				res, text := c.sendTo("/v1/rest/tickets", "admin", "", k.texts, k.files...)
				if res.StatusCode != k.status || !strings.Contains(text, k.want) {
					t.Errorf("%d %s", res.StatusCode, text)
				}
				if after := c.held(); after != before {
					t.Errorf("before %+v\nafter  %+v", before, after)
				}
			})
		}
		t.Run("a client that goes away", func(t *testing.T) {
			var b bytes.Buffer
			w := multipart.NewWriter(&b)
			part, _ := w.CreateFormFile(c.part(), "a")
			part.Write([]byte("the whole of it"))
			part, _ = w.CreateFormFile("attachment", "b")
			part.Write([]byte("the beginning"))
			r, _ := http.NewRequest("POST", c.server.URL+"/v1/rest/tickets", io.MultiReader(&b, broken{}))
			r.Header.Set("Content-Type", w.FormDataContentType())
			r.Header.Set("Authorization", "Bearer "+c.callers["admin"].secret)
			if _, text, err := c.do(r); err == nil {
				t.Errorf("an answer came: %s", text)
			}
			for deadline := time.Now().Add(5 * time.Minute); c.held() != before; time.Sleep(10 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("before %+v\nafter  %+v", before, c.held())
				}
			}
		})
	})
}

// ticketSeeds returns bodies of forms to start with, and texts for their fields.
func (c *counter) ticketSeeds() (bodies, fields []string) {
	needed := []formPart{{"type", "", "create"}, {"form_id", "", fmt.Sprint(c.form.ID)}, {"description", "", "<p>x</p>"}}
	with := func(parts ...formPart) string { return encodeForm("b", append(parts, needed...)...) }
	of := func(kind desk.FieldType) desk.CustomFieldID { return c.fields[kind] }
	fields = []string{
		`{}`, `null`, `[]`, ``, `{"title":"x","priority":"high","status":"solved"}`,
		`{"assignee":"mira@acme.example","contributors":["jo@acme.example"],"assigned_team":"S_TEAM"}`,
		fmt.Sprintf(`{"%d":"1","%d":["1","2"],"%d":"x","%d":1.5e3,"%d":"2026-05-13","%d":"jo@acme.example"}`, of(desk.FieldSelect), of(desk.FieldMultiSelect),
			of(desk.FieldText), of(desk.FieldNumber), of(desk.FieldDate), of(desk.FieldUser)),
		fmt.Sprintf(`{"%d":"x","tags":[],"title":null,"status":"closed","":{}}`, of(desk.FieldAttachment)),
		`{"title":"\ud83d\ude00\u0000"}`, `{"title":"x","title":{"a":[[[]]]}}`, strings.Repeat(`{"a":`, 50) + "1" + strings.Repeat("}", 50),
	}
	bodies = []string{
		with(), with(formPart{"attachment", "a.txt", "a"}, formPart{c.part(), "b.txt", "\x00\xff"}, formPart{"fields", "", fields[4]}),
		with(formPart{"99999999", "a", "b"}), with(formPart{c.part(), "", "text"}), with(formPart{"type", "", "create"}),
		with(formPart{"attachment", "1", ""}, formPart{"attachment", "2", ""}, formPart{"attachment", "3", ""}, formPart{"attachment", "4", ""}, formPart{c.part(), "5", ""}, formPart{c.part(), "6", ""}),
		strings.TrimSuffix(with(formPart{"attachment", "a.txt", "a"}), "--\r\n"), "--b\r\n\r\n", "--b--", "",
		"--b\nContent-Disposition: form-data; name=attachment; filename=\n\n\n--b--",
	}
	return bodies, fields
}

// try hands in a body as it is, and a complete form with a text for its fields.
func (c *counter) try(body, fields string) {
	c.t.Helper()
	c.handIn(body)
	c.handIn(encodeForm("b", formPart{c.part(), "f", "x"}, formPart{"fields", "", fields}, formPart{"type", "", "create"}, formPart{"form_id", "", fmt.Sprint(c.form.ID)},
		formPart{"description", "", "x"}))
}

// Any input results in a complete ticket or nothing: no panic, no file that nothing
// refers to, and nothing incomplete.
func FuzzTicketForm(f *testing.F) {
	c := newCounter(f, dbtest.Open(f, sqldb.Config{URL: dbtest.URL(f, sqldb.SQLite)}))
	bodies, fields := c.ticketSeeds()
	for i := range max(len(bodies), len(fields)) {
		f.Add(bodies[i%len(bodies)], fields[i%len(fields)])
	}
	f.Fuzz(func(t *testing.T, body, fields string) {
		one := *c
		on := *c.uploads
		on.t, one.uploads = t, &on
		one.try(body, fields)
	})
}

// The seeds must be what they claim to be, or the fuzzing starts nowhere.
func TestTicketFormSeeds(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		c := newCounter(t, db)
		bodies, fields := c.ticketSeeds()
		for i, body := range bodies {
			if status := c.handIn(body); (status == http.StatusCreated) != (i < 2) {
				t.Errorf("body %d: %d %s", i, status, c.last)
			}
		}
		for i, text := range fields {
			status := c.handIn(encodeForm("b", formPart{"fields", "", text}, formPart{"type", "", "create"}, formPart{"form_id", "", fmt.Sprint(c.form.ID)}, formPart{"description", "", "x"}))
			if (status == http.StatusCreated) != slices.Contains([]int{0, 4, 5, 6}, i) {
				t.Errorf("fields %s: %d %s", text, status, c.last)
			}
		}
	})
}
