package stored_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/stored"
)

func at(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

func ptr[T any](v T) *T { return &v }

// What is in databases already has to be read as it was meant, so these texts never
// change.
func TestColumns(t *testing.T) {
	past := desk.Request{Title: "T", TitleBy: "user", State: ptr(desk.Open), Priority: "high", PriorityBy: "user", Customer: ptr(desk.CustomerID(3)),
		Assignee: ptr("U1"), Team: ptr(desk.TeamID(4)), Collection: desk.CollectionRef{ID: 5}, Parent: ptr(desk.RequestID(6)), MergedInto: ptr(desk.RequestID(7)),
		Tags: []string{"a"}, Contributors: []string{"U2"}, Values: desk.FieldValues{8: {Type: "text", Text: "<x>"}},
		LastMessageAt: at(9), FirstResponseAt: ptr(at(10)), FirstSolvedAt: ptr(at(11)), SolvedAt: ptr(at(12))}
	moved := &desk.Moved{Requests: []desk.MovedRequest{{Request: 1, Messages: []desk.MessageID{2}, Tickets: []int64{3}, Surveys: []desk.SurveyID{4}, Sessions: []desk.AgentSessionID{5}}},
		Children: []desk.MovedChild{{Request: 6, Parent: 7}}, Last: 8, Entries: []desk.HistoryEntryID{9}}
	mailed := &desk.EmailConfig{Address: "a@b.example", FromName: "N", Signature: "<b>", ForwardCC: true, AutoReply: desk.AutoReply{Enabled: true, HTML: "<p>"}, Tested: true,
		Mailbox: &desk.Mailbox{Host: "h", Port: 1, TLS: "none", User: "u", Folder: "f", PollSeconds: 10, PlusAddressing: true}}
	attempts := []desk.Attempt{{At: at(1), Took: 2 * time.Microsecond, URL: "u", Signature: "s", Status: 500, Header: map[string]string{"A": "b"}, Body: "<b>", Cut: true,
		Error: "e", RetryAfter: 3 * time.Millisecond}}
	field := func(v *desk.FieldValue) *desk.CustomField {
		return &desk.CustomField{Type: "text", Config: desk.FieldConfig{Default: v}}
	}
	for _, c := range []struct {
		name, text string
		is, none   any // pointers: to what is stored, and to where it is read
		column     func(any) stored.Column
	}{
		{"categories", `["a","b"]`, &[]string{"a", "b"}, new([]string), func(v any) stored.Column { return stored.Categories(v.(*[]string)) }},
		{"event types", `["request.created"]`, &[]desk.EventType{"request.created"}, new([]desk.EventType), func(v any) stored.Column { return stored.EventTypes(v.(*[]desk.EventType)) }},
		{"no event types", `[]`, &[]desk.EventType{}, new([]desk.EventType), func(v any) stored.Column { return stored.EventTypes(v.(*[]desk.EventType)) }},
		{"default", `{"text":"d"}`, field(&desk.FieldValue{Type: "text", Text: "d"}), field(nil), func(v any) stored.Column { return stored.Default(v.(*desk.CustomField)) }},
		{"no default", "", field(nil), field(nil), func(v any) stored.Column { return stored.Default(v.(*desk.CustomField)) }},
		{"attempts", `[{"at":1,"took":2,"url":"u","signature":"s","status":500,"header":{"A":"b"},"body":"<b>","cut":true,"error":"e","retry_after":3}]`,
			&attempts, new([]desk.Attempt), func(v any) stored.Column { return stored.Attempts(v.(*[]desk.Attempt)) }},
		{"past", `{"title":"T","title_by":"user","state":"open","priority":"high","priority_by":"user","customer_id":3,"assignee":"U1","team_id":4,"collection_id":5,"parent_id":6,` +
			`"merged_into":7,"tags":["a"],"contributors":["U2"],"values":{"8":{"type":"text","text":"<x>"}},"last_message_at":9,"first_response_at":10,"first_solved_at":11,"solved_at":12}`,
			&past, new(desk.Request), func(v any) stored.Column { return stored.Past(v.(*desk.Request)) }},
		{"links", `[{"field":"split_into","from":null,"to":7}]`, &[]desk.FieldChange{{Field: "split_into", From: json.RawMessage("null"), To: json.RawMessage("7")}}, new([]desk.FieldChange),
			func(v any) stored.Column { return stored.Links(v.(*[]desk.FieldChange)) }},
		{"moved", `{"requests":[{"request":1,"messages":[2],"tickets":[3],"surveys":[4],"sessions":[5]}],"children":[{"request":6,"parent":7}],"last_message":8,"entries":[9]}`,
			&moved, new(*desk.Moved), func(v any) stored.Column { return stored.Moved(v.(**desk.Moved)) }},
		{"mail", `{"address":"a@b.example","from_name":"N","signature_html":"<b>","forward_cc":true,"auto_reply":{"enabled":true,"html":"<p>"},` +
			`"mailbox":{"kind":"imap","host":"h","port":1,"tls":"none","user":"u","folder":"f","poll_seconds":10,"plus_addressing":true},"verified":true}`,
			&mailed, new(*desk.EmailConfig), func(v any) stored.Column { return stored.EmailConfig(v.(**desk.EmailConfig)) }},
		{"little mail", `{"address":"a@b.example","from_name":"N"}`, ptr(&desk.EmailConfig{Address: "a@b.example", FromName: "N"}), new(*desk.EmailConfig),
			func(v any) stored.Column { return stored.EmailConfig(v.(**desk.EmailConfig)) }},
		{"no mail", "", new(*desk.EmailConfig), new(*desk.EmailConfig), func(v any) stored.Column { return stored.EmailConfig(v.(**desk.EmailConfig)) }},
		{"nothing moved", "", new(*desk.Moved), new(*desk.Moved), func(v any) stored.Column { return stored.Moved(v.(**desk.Moved)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var want any // NULL
			if c.text != "" {
				want = c.text
			}
			if got, err := c.column(c.is).Value(); err != nil || got != want {
				t.Errorf("stored as %v, %v\nwant      %v", got, err, want)
			}
			for _, src := range []any{want, []byte(c.text)} { // the drivers differ
				if c.text == "" {
					src = nil
				}
				if err := c.column(c.none).Scan(src); err != nil || !reflect.DeepEqual(c.none, c.is) {
					t.Errorf("read as %+v, %v\nwant    %+v", c.none, err, c.is)
				}
				reflect.ValueOf(c.none).Elem().SetZero()
				if f, ok := c.none.(*desk.CustomField); ok {
					*f = *field(nil)
				}
			}
		})
	}
}

// A tracker's setting that was never set has its default.
func TestTrackerSettings(t *testing.T) {
	var s desk.TrackerSettings
	if err := stored.TrackerSettings(&s).Scan(`{"forward":false}`); err != nil {
		t.Fatal(err)
	}
	want := desk.DefaultTrackerSettings()
	want.Forward = false
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got %+v, want %+v", s, want)
	}
}

// A broken text is an error that says what it should have been.
func TestBroken(t *testing.T) {
	for _, src := range []any{"{", []byte(`"x"`), 7} {
		if err := stored.Attempts(new([]desk.Attempt)).Scan(src); err == nil {
			t.Errorf("%v was read", src)
		}
	}
}
