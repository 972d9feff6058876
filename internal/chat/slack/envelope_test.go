package slack

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"frontdesk/internal/chat"
	"frontdesk/internal/remote"
)

// wrapped returns an event in the envelope that Slack sends.
func wrapped(event string) string {
	return `{"token":"x","team_id":"T1","context_team_id":"T1","api_app_id":"A1","type":"event_callback","event_id":"Ev1","event_time":1718000009,
		"authorizations":[{"enterprise_id":null,"team_id":"T1","user_id":"UBOT","is_bot":true,"is_enterprise_install":false}],
		"is_ext_shared_channel":false,"event_context":"4-x","event":` + event + `}`
}

// read returns what we make of an envelope.
func read(body string) (chat.Event, bool) {
	var e envelope
	if remote.ReadPatiently([]byte(body), &e) != nil {
		return chat.Event{}, false
	}
	return e.event(func(id string) string { return "https://" + strings.ToLower(id) + ".slack.com" })
}

func at(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

func TestEvents(t *testing.T) {
	ref := chat.Ref{Channel: "C1", ID: "1718000000.000100"}
	said := func(change func(*chat.Message)) chat.Event {
		m := chat.Message{Ref: ref, Author: "U1", HTML: "<p>Hi</p>", At: at(1718000000000100), Link: "https://t1.slack.com/archives/C1/p1718000000000100"}
		change(&m)
		return chat.Event{At: at(1718000000000100), Message: &m}
	}
	const plain = `"type":"message","channel":"C1","channel_type":"channel","user":"U1","text":"Hi","ts":"1718000000.000100","event_ts":"1718000000.000100","team":"T1"`
	const before = `{"type":"message","user":"U1","text":"Hi","ts":"1718000000.000100"}`
	changed := func(now string) string {
		return `{"type":"message","subtype":"message_changed","hidden":true,"channel":"C1","ts":"1718000005.000200","event_ts":"1718000005.000200",
			"message":` + now + `,"previous_message":` + before + `}`
	}
	part := func(p chat.Part) chat.Event {
		return chat.Event{At: at(1718000009000000), Changed: &chat.Changed{Part: p}}
	}

	tests := []struct {
		name  string
		event string
		want  chat.Event
	}{
		{"message", `{` + plain + `,"client_msg_id":"a-b","blocks":[{"type":"rich_text"}]}`, said(func(*chat.Message) {})},
		{"reply", `{` + plain + `,"thread_ts":"1717000000.000001","parent_user_id":"U2"}`, said(func(m *chat.Message) {
			m.Thread = "1717000000.000001"
			m.Link += "?thread_ts=1717000000.000001&cid=C1"
		})},
		{"first of a thread", `{` + plain + `,"thread_ts":"1718000000.000100"}`, said(func(*chat.Message) {})},
		{"broadcast", `{` + plain + `,"subtype":"thread_broadcast","thread_ts":"1717000000.000001","root":{}}`, said(func(m *chat.Message) {
			m.Thread = "1717000000.000001"
			m.Link += "?thread_ts=1717000000.000001&cid=C1"
		})},
		{"me message", `{` + plain + `,"subtype":"me_message"}`, said(func(*chat.Message) {})},
		{"files", `{` + plain + `,"subtype":"file_share","upload":false,"files":[
			{"id":"F1","name":"log.txt","title":"Log","mimetype":"text/plain","size":12,"mode":"hosted","url_private":"https://files.slack.com/x"},
			{"id":"F2","mode":"tombstone"},{"id":"F3","file_access":"check_file_info"}]}`, said(func(m *chat.Message) {
			m.Files = []chat.File{{ID: "F1", Name: "log.txt", Type: "text/plain", Size: 12}, {ID: "F3", Name: "F3"}}
		})},
		{"another program", `{"type":"message","subtype":"bot_message","bot_id":"B9","app_id":"A9","username":"Alerts","channel":"C1",
			"text":"Hi","ts":"1718000000.000100","event_ts":"1718000000.000100","icons":{"image_48":"https://x.test/48.png"}}`,
			said(func(m *chat.Message) {
				m.Author, m.Bot, m.Shown = "", true, chat.Persona{Name: "Alerts", Avatar: "https://x.test/48.png"}
			})},
		{"another program without a name of its own", `{"type":"message","subtype":"bot_message","bot_id":"B9","app_id":"A9","channel":"C1","bot_profile":{"app_id":"A9","name":"Robot","icons":{"image_36":"https://x.test/36.png"}},
			"text":"Hi","ts":"1718000000.000100","event_ts":"1718000000.000100"}`,
			said(func(m *chat.Message) {
				m.Author, m.Bot, m.Shown = "", true, chat.Persona{Name: "Robot", Avatar: "https://x.test/36.png"}
			})},
		{"a program that speaks as a person", `{` + plain + `,"bot_id":"B9","app_id":"A9","bot_profile":{"app_id":"A9","name":"Robot"}}`, said(func(m *chat.Message) { m.Bot = true })},
		{"a program that writes attachments", `{"type":"message","subtype":"bot_message","bot_id":"B9","channel":"C1","text":"","ts":"1718000000.000100",
			"event_ts":"1718000000.000100","attachments":[{"pretext":"Alert","title":"Disk","text":"full","fallback":"x"},{"fallback":"more"},
			{"fallback":"[no preview available]","blocks":[{"type":"section","text":{"type":"mrkdwn","text":"a"}},{"type":"divider"},{"type":"section","text":{"type":"plain_text","text":"<b>"}}]}]}`,
			said(func(m *chat.Message) {
				m.Author, m.Bot, m.HTML = "", true, "<p>Alert<br>Disk<br>full<br>more<br>a<br>&lt;b&gt;</p>"
			})},
		{"a program that writes blocks", `{"type":"message","subtype":"bot_message","bot_id":"B9","channel":"C1","text":"","ts":"1718000000.000100",
			"event_ts":"1718000000.000100","blocks":[{"type":"header","text":{"type":"plain_text","text":"Alert"}},{"type":"context","elements":[]},
			{"type":"section","text":{"type":"mrkdwn","text":"full"},"fields":[]},{"type":"rich_text","elements":[{}]}]}`,
			said(func(m *chat.Message) { m.Author, m.Bot, m.HTML = "", true, "<p>Alert<br>full</p>" })},
		{"ours", `{` + plain + `,"bot_id":"B1","app_id":"A1","metadata":{"event_type":"frontdesk_post","event_payload":{"mark":"m1"}}}`,
			said(func(m *chat.Message) { m.Bot, m.Own, m.Mark = true, true, "m1" })},
		{"ours by the bot's profile", `{` + plain + `,"bot_id":"B1","bot_profile":{"app_id":"A1"}}`, said(func(m *chat.Message) { m.Bot, m.Own = true, true })},
		{"ours by the bot's user", `{"type":"message","subtype":"file_share","channel":"C1","user":"UBOT","text":"Hi","ts":"1718000000.000100","event_ts":"1718000000.000100"}`,
			said(func(m *chat.Message) { m.Author, m.Own = "UBOT", true })},
		{"ours by the metadata", `{` + plain + `,"metadata":{"event_type":"frontdesk_post","event_payload":{"mark":"m1"}}}`,
			said(func(m *chat.Message) { m.Own, m.Mark = true, "m1" })},
		{"somebody else's with our metadata", `{` + plain + `,"bot_id":"B9","app_id":"A9","metadata":{"event_type":"frontdesk_post","event_payload":{"mark":"m1"}}}`,
			said(func(m *chat.Message) { m.Bot = true })},
		{"slackbot", `{"type":"message","channel":"C1","user":"USLACKBOT","text":"Hi","ts":"1718000000.000100","event_ts":"1718000000.000100"}`,
			said(func(m *chat.Message) { m.Author, m.Bot = "USLACKBOT", true })},
		{"NUL", `{` + strings.Replace(plain, "Hi", `a\u0000b\\u0000`, 1) + `}`, said(func(m *chat.Message) { m.HTML = `<p>ab\u0000</p>` })},

		{"edited", changed(`{"type":"message","user":"U1","text":"Ho","ts":"1718000000.000100","edited":{"user":"U1","ts":"1718000005.000000"}}`),
			chat.Event{At: at(1718000005000200), Message: &chat.Message{Ref: ref, Author: "U1", HTML: "<p>Ho</p>", At: at(1718000000000100),
				EditedAt: at(1718000005000200), Link: "https://t1.slack.com/archives/C1/p1718000000000100"}}},
		{"a file was taken away", changed(`{"type":"message","user":"U1","text":"Hi","ts":"1718000000.000100","files":[{"id":"F1","mode":"tombstone"}]}`),
			chat.Event{At: at(1718000005000200), Message: &chat.Message{Ref: ref, Author: "U1", HTML: "<p>Hi</p>", At: at(1718000000000100),
				EditedAt: at(1718000005000200), Link: "https://t1.slack.com/archives/C1/p1718000000000100"}}},
		{"removed", `{"type":"message","subtype":"message_deleted","hidden":true,"channel":"C1","ts":"1718000005.000200","event_ts":"1718000005.000200",
			"deleted_ts":"1718000000.000100","previous_message":{"ts":"1718000000.000100","thread_ts":"1717000000.000001"}}`,
			chat.Event{At: at(1718000005000200), Removed: &chat.Removed{Ref: ref, Thread: "1717000000.000001"}}},
		{"removed, and the thread stays", changed(`{"type":"message","subtype":"tombstone","user":"USLACKBOT","text":"This message was deleted.",
			"ts":"1718000000.000100","thread_ts":"1718000000.000100"}`), chat.Event{At: at(1718000005000200), Removed: &chat.Removed{Ref: ref}}},

		{"reaction", `{"type":"reaction_added","user":"U2","reaction":"eyes","item_user":"U1","item":{"type":"message","channel":"C1","ts":"1718000000.000100"},"event_ts":"1718000006.000000"}`,
			chat.Event{At: at(1718000006000000), Reacted: &chat.Reacted{Ref: ref, User: "U2", Emoji: "eyes", On: true}}},
		{"no reaction any more", `{"type":"reaction_removed","user":"U2","reaction":"wave::skin-tone-3","item":{"type":"message","channel":"C1","ts":"1718000000.000100"},"event_ts":"1718000006.000000"}`,
			chat.Event{At: at(1718000006000000), Reacted: &chat.Reacted{Ref: ref, User: "U2", Emoji: "wave::skin-tone-3"}}},
		{"a new person", `{"type":"team_join","user":{"id":"U3","team_id":"T1","name":"ann","deleted":false,"real_name":"Ann Lee","is_bot":false,"updated":1717999999,
			"profile":{"real_name":"Ann Lee","display_name":"annie","email":"ann@example.com","image_72":"https://a/72","image_192":"https://a/192"}},"cache_ts":1718000007,"event_ts":"1718000007.000000"}`,
			chat.Event{At: at(1718000007000000), User: &chat.User{ID: "U3", Name: "annie", Email: "ann@example.com", Avatar: "https://a/192", Revision: 1717999999}}},
		{"a person who left", `{"type":"user_change","user":{"id":"U3","name":"ann","deleted":true,"updated":1718000001,"profile":{"real_name":"Ann Lee","display_name":""}},"event_ts":"1718000007.000000"}`,
			chat.Event{At: at(1718000007000000), User: &chat.User{ID: "U3", Name: "Ann Lee", Deleted: true, Revision: 1718000001}}},
		{"a guest", `{"type":"user_change","user":{"id":"U3","team_id":"T1","name":"ann","is_restricted":true,"profile":{}},"event_ts":"1718000007.000000"}`,
			chat.Event{At: at(1718000007000000), User: &chat.User{ID: "U3", Name: "ann", External: true}}},
		{"a guest of one channel", `{"type":"user_change","user":{"id":"U3","team_id":"T1","name":"ann","is_ultra_restricted":true,"profile":{}},"event_ts":"1718000007.000000"}`,
			chat.Event{At: at(1718000007000000), User: &chat.User{ID: "U3", Name: "ann", External: true}}},
		{"a stranger", `{"type":"user_change","user":{"id":"U3","name":"ann","is_stranger":true,"profile":{}},"event_ts":"1718000007.000000"}`,
			chat.Event{At: at(1718000007000000), User: &chat.User{ID: "U3", Name: "ann", External: true}}},
		{"somebody of another organisation", `{"type":"user_change","user":{"id":"U3","team_id":"T2","name":"ann","is_stranger":false,"profile":{}},"event_ts":"1718000007.000000"}`,
			chat.Event{At: at(1718000007000000), User: &chat.User{ID: "U3", Name: "ann", External: true}}},
		{"somebody of the own one, who is in two workspaces", `{"type":"user_change","user":{"id":"U3","team_id":"T2","name":"ann","enterprise_user":{"id":"W1","enterprise_id":"E1","teams":["T2","T1"]},"profile":{}},"event_ts":"1718000007.000000"}`,
			chat.Event{At: at(1718000007000000), User: &chat.User{ID: "U3", Name: "ann"}}},
		{"a team", `{"type":"subteam_created","subteam":{"id":"S1","name":"Support","handle":"support","date_update":1718000001,"date_delete":0,"users":["U1","U2"],"user_count":2},"event_ts":"1718000007.000000"}`,
			chat.Event{At: at(1718000007000000), Team: &chat.Team{ID: "S1", Name: "Support", Active: true, Members: []string{"U1", "U2"}, Revision: 1718000001}}},
		{"a team out of use", `{"type":"subteam_updated","subteam":{"id":"S1","name":"Support","date_update":1718000002,"date_delete":1718000002,"users":["U1"]},"event_ts":"1718000007.000000"}`,
			chat.Event{At: at(1718000007000000), Team: &chat.Team{ID: "S1", Name: "Support", Members: []string{"U1"}, Revision: 1718000002}}},
		{"a team without its people", `{"type":"subteam_updated","subteam":{"id":"S1","name":"Support"}}`, part(chat.Teams)},
		{"people of a team", `{"type":"subteam_members_changed","subteam_id":"S1","added_users":["U1"]}`, part(chat.Teams)},
		{"channel_created", `{"type":"channel_created","channel":{"id":"C2","name":"new","created":1,"creator":"U1"}}`, part(chat.Channels)},
		{"channel_rename", `{"type":"channel_rename","channel":{"id":"C2","name":"new","created":1}}`, part(chat.Channels)},
		{"channel_archive", `{"type":"channel_archive","channel":"C2","user":"U1"}`, part(chat.Channels)},
		{"channel_unarchive", `{"type":"channel_unarchive","channel":"C2","user":"U1"}`, part(chat.Channels)},
		{"channel_deleted", `{"type":"channel_deleted","channel":"C2"}`, part(chat.Channels)},
		{"group_rename", `{"type":"group_rename","channel":{"id":"G2","name":"new","created":1}}`, part(chat.Channels)},
		{"group_archive", `{"type":"group_archive","channel":"G2"}`, part(chat.Channels)},
		{"group_unarchive", `{"type":"group_unarchive","channel":"G2"}`, part(chat.Channels)},
		{"group_deleted", `{"type":"group_deleted","channel":"G2"}`, part(chat.Channels)},
		{"group_left", `{"type":"group_left","channel":"G2"}`, part(chat.Channels)},
		{"the bot came", `{"type":"member_joined_channel","user":"UBOT","channel":"C2","channel_type":"C","team":"T1","inviter":"U1"}`, part(chat.Channels)},
		{"the bot went", `{"type":"member_left_channel","user":"UBOT","channel":"C2","channel_type":"C","team":"T1"}`, part(chat.Channels)},
		{"uninstalled", `{"type":"app_uninstalled"}`, chat.Event{At: at(1718000009000000), Lost: &chat.Lost{}}},
		{"the bot's token", `{"type":"tokens_revoked","tokens":{"oauth":["U1"],"bot":["UBOT"]}}`, chat.Event{At: at(1718000009000000), Lost: &chat.Lost{}}},
		{"a person's token", `{"type":"tokens_revoked","tokens":{"oauth":["U1"],"bot":[]}}`, chat.Event{At: at(1718000009000000), Lost: &chat.Lost{Users: []string{"U1"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.System, tt.want.Workspace = "slack", "T1"
			got, ok := read(wrapped(tt.event))
			if !ok || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %v %s\nwant %s", ok, show(got), show(tt.want))
			}
		})
	}
}

func show(v any) string { b, _ := json.MarshalIndent(v, "", " "); return string(b) }

// Events that we do not need or cannot read are skipped.
func TestEventsPassedOver(t *testing.T) {
	const m = `"type":"message","channel":"C1","user":"U1","text":"Hi","ts":"1718000000.000100"`
	changed := func(now, before string) string {
		return `{"type":"message","subtype":"message_changed","channel":"C1","ts":"1718000005.000200","message":{` + now + `},"previous_message":{` + before + `}}`
	}
	for name, event := range map[string]string{
		"join":                      `{` + m + `,"subtype":"channel_join"}`,
		"leave":                     `{` + m + `,"subtype":"channel_leave"}`,
		"topic":                     `{` + m + `,"subtype":"channel_topic"}`,
		"a reply was counted":       `{` + m + `,"subtype":"message_replied"}`,
		"unfurled":                  changed(m+`,"attachments":[{"title":"A page","from_url":"https://x"}]`, m),
		"a thread began":            changed(m+`,"thread_ts":"1718000000.000100","reply_count":1,"latest_reply":"1718000001.000000"`, m),
		"a notice was changed":      changed(m+`,"subtype":"channel_topic"`, ``),
		"no ts":                     `{"type":"message","channel":"C1","user":"U1","text":"Hi"}`,
		"no such ts":                `{"type":"message","channel":"C1","user":"U1","text":"Hi","ts":"yesterday"}`,
		"no channel":                `{"type":"message","user":"U1","text":"Hi","ts":"1718000000.000100"}`,
		"removed what":              `{"type":"message","subtype":"message_deleted","channel":"C1"}`,
		"a reaction to a file":      `{"type":"reaction_added","user":"U1","reaction":"eyes","item":{"type":"file","file":"F1"}}`,
		"a reaction to no ts":       `{"type":"reaction_added","user":"U1","reaction":"eyes","item":{"type":"message","channel":"C1","ts":"x"}}`,
		"nobody":                    `{"type":"team_join","user":{}}`,
		"a user that is only an id": `{"type":"user_change","user":"U1"}`,
		"no team":                   `{"type":"subteam_created"}`,
		"somebody came":             `{"type":"member_joined_channel","user":"U1","channel":"C1"}`,
		"no tokens":                 `{"type":"tokens_revoked","tokens":{}}`,
		"something new":             `{"type":"app_home_opened","user":"U1"}`,
		"no type":                   `{}`,
		"null":                      `null`,
		"a number":                  `3`,
		"a list":                    `[]`,
	} {
		if got, ok := read(wrapped(event)); ok {
			t.Errorf("%s: got %s", name, show(got))
		}
	}
}

// An edit that cannot be compared counts as one.
func TestEditWithoutPrevious(t *testing.T) {
	got, ok := read(wrapped(`{"type":"message","subtype":"message_changed","channel":"C1","event_ts":"1718000005.000200",
		"message":{"type":"message","user":"U1","text":"Hi","ts":"1718000000.000100"}}`))
	if !ok || got.Message == nil || got.Message.EditedAt != at(1718000005000200) {
		t.Errorf("got %v %s", ok, show(got))
	}
}

// Fields of an unexpected type do not spoil the rest.
func TestEventWithOddMembers(t *testing.T) {
	got, ok := read(wrapped(`{"type":"message","channel":"C1","user":7,"text":"Hi","ts":"1718000000.000100","files":"none","edited":true,
		"reply_count":"many","attachments":[1,{"text":{}}],"metadata":[]}`))
	if !ok || got.Message == nil || got.Message.HTML != "<p>Hi</p>" {
		t.Errorf("got %v %s", ok, show(got))
	}
}

// In a channel that workspaces share, ours is the one through which we receive the
// event.
func TestSharedChannel(t *testing.T) {
	body := strings.Replace(wrapped(`{"type":"app_uninstalled"}`), `"team_id":"T1","context_team_id"`, `"team_id":"T2","context_team_id"`, 1)
	got, _ := read(body)
	want(t, "workspace", got.Workspace, "T1")
	got, _ = read(`{"type":"event_callback","team_id":"T2","event":{"type":"app_uninstalled"}}`)
	want(t, "workspace", got.Workspace, "T2")
	if _, ok := read(`{"type":"event_callback","event":{"type":"app_uninstalled"}}`); ok {
		t.Error("an event of no workspace was taken")
	}
}

func FuzzEvent(f *testing.F) {
	f.Add(wrapped(`{"type":"message","channel":"C1","user":"U1","text":"a\u0000\ud800<b>&amp;","ts":"1718000000.000100","thread_ts":"1718000000.000100"}`))
	f.Add(wrapped(`{"type":"message","subtype":"message_changed","channel":"C1","message":{"ts":"1.000001","files":[{}]},"previous_message":{"files":[{}]}}`))
	f.Add(wrapped(`{"type":"reaction_added","item":{"type":"message","channel":"C1","ts":"1.000001"},"reaction":"x"}`))
	f.Add(wrapped(`{"type":"user_change","user":{"id":"U1","profile":{"email":"\ufffd"},"updated":1e300}}`))
	f.Add(wrapped(`{"type":"subteam_updated","subteam":{"id":"S1","users":[]}}`))
	f.Add(`{"event":{"type":"message"},"authorizations":[{}],"team_id":"\u0000"}`)
	f.Fuzz(func(t *testing.T, body string) {
		ev, ok := read(body)
		if !ok {
			return
		}
		set := 0
		for v, i := reflect.ValueOf(ev), 0; i < v.NumField(); i++ {
			if f := v.Field(i); f.Kind() == reflect.Pointer && !f.IsNil() {
				set++
			}
		}
		// json.Marshal writes U+0000 and invalid UTF-8 in its own way.
		shown := show(ev)
		if set != 1 || ev.System != "slack" || ev.Workspace == "" || strings.Contains(strings.ReplaceAll(shown, `\\`, ""), `\u0000`) || !utf8.ValidString(shown) {
			t.Errorf("%d of an event's pointers are set: %s", set, shown)
		}
	})
}
