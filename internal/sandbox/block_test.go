package sandbox

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestBlocks(t *testing.T) {
	long := strings.Repeat("x", 3001)
	button := `{"type":"button","action_id":"a","text":{"type":"plain_text","text":"Go"}}`
	for blocks, message := range map[string]string{
		`[{"type":"divider"}]`: "",
		`[{"type":"section","fields":[{"type":"mrkdwn","text":"x"}]}]`:   "",
		`[{"type":"context","elements":[{"type":"mrkdwn","text":"x"}]}]`: "",
		`[{"type":"actions","elements":[` + button + `]}]`:               "",
		`[{"type":"header","text":{"type":"plain_text","text":"x"}}]`:    "",
		`[null]`:               "must be an object [json-pointer:/blocks/0]",
		`[{}]`:                 "missing required field: type [json-pointer:/blocks/0]",
		`[{"type":"x"}]`:       "unsupported type: x [json-pointer:/blocks/0/type]",
		`[{"type":"image"}]`:   "missing required field: alt_text [json-pointer:/blocks/0]",
		`[{"type":"section"}]`: "missing required field: text [json-pointer:/blocks/0]",
		`[{"type":"section","text":{"type":"mrkdwn","text":""}}]`:               "must be more than 0 characters [json-pointer:/blocks/0/text/text]",
		`[{"type":"section","text":{"type":"mrkdwn","text":"` + long + `"}}]`:   "must be less than 3001 characters [json-pointer:/blocks/0/text/text]",
		`[{"type":"section","text":{"type":"poem","text":"x"}}]`:                "unsupported type: poem [json-pointer:/blocks/0/text/type]",
		`[{"type":"section","text":"x"}]`:                                       "must be an object [json-pointer:/blocks/0/text]",
		`[{"type":"actions","elements":[]}]`:                                    "must be between 1 and 25 items [json-pointer:/blocks/0/elements]",
		`[{"type":"actions","elements":[{"type":"button"}]}]`:                   "missing required field: text [json-pointer:/blocks/0/elements/0]",
		`[{"type":"actions","elements":[{}]}]`:                                  "missing required field: type [json-pointer:/blocks/0/elements/0]",
		`[{"type":"divider","block_id":"b"},{"type":"divider","block_id":"b"}]`: "`block_id` already exists: b [json-pointer:/blocks/1/block_id]",
		`[` + strings.Repeat(`{"type":"divider"},`, 50) + `{"type":"divider"}]`: "no more than 50 items allowed [json-pointer:/blocks]",
	} {
		_, err := checkBlocks(json.RawMessage(blocks), "blocks", maxMessageBlocks)
		switch e, _ := err.(*Error); {
		case message == "" && err != nil:
			t.Errorf("%s: %v", blocks, err)
		case message != "" && (e == nil || e.Code != "invalid_blocks" || e.Messages[0] != "[ERROR] "+message):
			t.Errorf("%.80s: got %v, want %s", blocks, err, message)
		}
	}
	named, err := checkBlocks(json.RawMessage(`[{"type":"divider"},{"type":"divider","block_id":"b"}]`), "blocks", 50)
	var all []struct {
		ID string `json:"block_id"`
	}
	json.Unmarshal(named, &all)
	if err != nil || len(all[0].ID) != 5 || all[1].ID != "b" {
		t.Errorf("named %s, %v", named, err)
	}
}

// The state has a different shape for each type of element.
func TestStateOf(t *testing.T) {
	option := object{"text": object{"type": "plain_text", "text": "One"}, "value": "1"}
	for _, tt := range []struct {
		kind, value string
		want        object
	}{
		{"plain_text_input", "x", object{"value": "x"}},
		{"plain_text_input", "", object{"value": nil}},
		{"static_select", "1", object{"selected_option": option}},
		{"radio_buttons", "2", object{"selected_option": nil}},
		{"checkboxes", "1", object{"selected_options": []any{option}}},
		{"multi_static_select", "", object{"selected_options": []any{}}},
		{"users_select", "U1", object{"selected_user": "U1"}},
		{"conversations_select", "C1", object{"selected_conversation": "C1"}},
		{"channels_select", "", object{"selected_channel": nil}},
		{"multi_users_select", "U1,U2", object{"selected_users": []string{"U1", "U2"}}},
		{"datepicker", "2024-06-10", object{"selected_date": "2024-06-10"}},
		{"timepicker", "10:00", object{"selected_time": "10:00"}},
	} {
		element := block{"type": encode(tt.kind), "options": encode([]object{option})}
		tt.want["type"] = tt.kind
		want(t, tt.kind+" "+tt.value, stateOf(element, tt.value), tt.want)
	}
}

func TestInitially(t *testing.T) {
	for raw, holds := range map[string]string{
		`{}`:                                    "",
		`{"initial_value": "a"}`:                "a",
		`{"initial_user": "U1"}`:                "U1",
		`{"initial_option": {"value": "high"}}`: "high",
		`{"initial_option": {}}`:                "",
		`{"initial_date": "2026-05-13"}`:        "2026-05-13",
	} {
		var b block
		if err := json.Unmarshal([]byte(raw), &b); err != nil {
			t.Fatal(err)
		}
		want(t, raw, b.initially(), holds)
	}
}

func TestRichTextIsNotEscaped(t *testing.T) {
	got := string(richText("a &lt;b&gt; &amp;amp; <https://x.test|y>"))
	if !strings.Contains(got, `"a <b> &amp; "`) {
		t.Errorf("the block is %s", got)
	}
}
