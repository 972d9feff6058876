package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"

	"pgregory.net/rapid"
)

var (
	at    = time.Date(2026, 5, 13, 9, 12, 33, 123e6, time.UTC)
	after = at.Add(time.Hour)
)

// answer is the form of something that only answers show: no event and no entry of the
// audit log does.
type answer struct {
	name string
	form any
}

func TestNouns(t *testing.T) {
	token := desk.Token{ID: 9, Member: 5, Name: "CI", Scope: desk.ReadOnly, Prefix: "fd_abcdefgh", Digest: [32]byte{1, 2, 3}, CreatedAt: at}
	used := token
	used.ExpiresAt, used.LastUsedAt = &after, &at
	for _, c := range []struct {
		noun any
		want string
	}{
		{
			desk.Account{ID: 1, Name: "Acme", KeyPrefix: "ACME", TimeZone: "Europe/Berlin", OnHoldAllowed: true, Categories: []string{"bug", "Rückfrage"}, PublicURL: "https://desk.example", CreatedAt: at, UpdatedAt: after},
			`{"account":{"id":1,"name":"Acme","key_prefix":"ACME","time_zone":"Europe/Berlin","on_hold_allowed":true,"api_collection_id":null,"email_collection_id":null,"categories":["bug","Rückfrage"],"public_url":"https://desk.example","created_at":"2026-05-13T09:12:33.123Z","updated_at":"2026-05-13T10:12:33.123Z"}}`,
		},
		{
			desk.Member{ID: 5, Email: "jo@example.com", Name: "Jo", Role: desk.Agent, Collections: desk.Everything, CreatedAt: at, UpdatedAt: after},
			`{"member":{"id":5,"email":"jo@example.com","name":"Jo","role":"agent","collection_ids":null,"created_at":"2026-05-13T09:12:33.123Z","updated_at":"2026-05-13T10:12:33.123Z"}}`,
		},
		{
			token,
			`{"token":{"id":9,"name":"CI","scope":"read_only","prefix":"fd_abcdefgh","created_at":"2026-05-13T09:12:33.123Z","expires_at":null,"last_used_at":null}}`,
		},
		{
			used,
			`{"token":{"id":9,"name":"CI","scope":"read_only","prefix":"fd_abcdefgh","created_at":"2026-05-13T09:12:33.123Z","expires_at":"2026-05-13T10:12:33.123Z","last_used_at":"2026-05-13T09:12:33.123Z"}}`,
		},
		{
			answer{"token", NewMadeToken(desk.MadeToken{Token: token, Secret: "fd_abcdefgh-the-rest"})},
			`{"token":{"id":9,"name":"CI","scope":"read_only","prefix":"fd_abcdefgh","created_at":"2026-05-13T09:12:33.123Z","expires_at":null,"last_used_at":null,"secret":"fd_abcdefgh-the-rest"}}`,
		},
		{answer{"sandbox", NewSandbox(desk.Sandbox{Offered: true})}, `{"sandbox":{"connected":false,"offered":true,"integration_id":null,"team_id":null,"team_name":null,"url":null,"users":[]}}`},
		{
			answer{"sandbox", NewSandbox(desk.Sandbox{Connected: true, Integration: 4, Team: "T1", Name: "Acme", URL: "http://x/", Users: []desk.SandboxUser{{ID: "U1", Name: "Jo", Avatar: "/a", Owner: true}}})},
			`{"sandbox":{"connected":true,"offered":false,"integration_id":4,"team_id":"T1","team_name":"Acme","url":"http://x/","users":[{"id":"U1","name":"Jo","email":null,"title":null,"avatar":"/a","is_owner":true}]}}`,
		},
		{answer{"token", NewSandboxToken(desk.SandboxToken{User: "U1", Secret: "xoxp-1"})}, `{"token":{"user_id":"U1","secret":"xoxp-1"}}`},
		{
			desk.Account{ID: 1, Name: "Acme", KeyPrefix: "ACME", TimeZone: "UTC", APICollection: 3, EmailCollection: ptr(desk.CollectionID(4)), CreatedAt: at, UpdatedAt: at},
			`{"account":{"id":1,"name":"Acme","key_prefix":"ACME","time_zone":"UTC","on_hold_allowed":false,"api_collection_id":3,"email_collection_id":4,"categories":[],"public_url":"","created_at":"2026-05-13T09:12:33.123Z","updated_at":"2026-05-13T09:12:33.123Z"}}`,
		},
		{
			desk.Member{ID: 5, Email: "jo@example.com", Name: "Jo", Role: desk.Agent, Collections: desk.Reach{IDs: []desk.CollectionID{3, 8}}, CreatedAt: at, UpdatedAt: at},
			`{"member":{"id":5,"email":"jo@example.com","name":"Jo","role":"agent","collection_ids":[3,8],"created_at":"2026-05-13T09:12:33.123Z","updated_at":"2026-05-13T09:12:33.123Z"}}`,
		},
		{
			desk.Member{ID: 5, Email: "jo@example.com", Name: "Jo", Role: desk.Agent, CreatedAt: at, UpdatedAt: at}, // none, which is different from all
			`{"member":{"id":5,"email":"jo@example.com","name":"Jo","role":"agent","collection_ids":[],"created_at":"2026-05-13T09:12:33.123Z","updated_at":"2026-05-13T09:12:33.123Z"}}`,
		},
		{
			desk.Collection{ID: 3, Name: "Chat", Kind: desk.ChatCollection, AutoAssign: desk.AssignNobody, Notify: desk.NotifyNobody, CreatedAt: at, UpdatedAt: after},
			`{"collection":{"id":3,"name":"Chat","kind":"chat","owner":null,"created_by":null,"request_channel_id":null,"triage_channel_id":null,"config":{"responders":[],"auto_assign":"none","assign_team_id":null,"grouping_minutes":0,"allow_bots":false,"notify":"none"},"emoji_config":{"take":[],"solve":[],"urgent":[],"ticket":[],"request":[]},"csat_config":{"enabled":false,"trigger":"","scope":"","survey_type":"","comment":false,"delay_minutes":0},"created_at":"2026-05-13T09:12:33.123Z","updated_at":"2026-05-13T10:12:33.123Z"}}`,
		},
		{
			desk.Collection{
				ID: 3, Name: "API", Kind: desk.APICollection, Owner: ptr("U1"), CreatedBy: ptr("U2"), RequestChannel: ptr("C1"), TriageChannel: ptr("C2"), CreatedAt: at, UpdatedAt: after,
				Responders: []desk.Responder{{UserID: "U1"}, {TeamID: 7}, {EmailDomain: "acme.test"}}, Channels: []desk.Channel{},
				AutoAssign: desk.AssignRoundRobin, AssignTeam: ptr(desk.TeamID(9)), GroupingMinutes: 30, AllowBots: true, Notify: desk.NotifyDirect,
				Emoji:   desk.EmojiRules{Take: []string{"b", "a"}, Solve: []string{"c"}, Urgent: []string{"d"}, Ticket: []string{"e"}, Request: []string{"f"}},
				Surveys: desk.SurveyRules{Enabled: true, Trigger: desk.TriggerManual, Scope: desk.ScopeTickets, Type: desk.TwoPointRating, Comment: true, DelayMinutes: 7},
			},
			`{"collection":{"id":3,"name":"API","kind":"api","owner":"U1","created_by":"U2","request_channel_id":"C1","triage_channel_id":"C2","config":{"responders":[{"user_id":"U1"},{"team_id":7},{"email_domain":"acme.test"}],"auto_assign":"round_robin","assign_team_id":9,"grouping_minutes":30,"allow_bots":true,"notify":"direct_message"},"emoji_config":{"take":["b","a"],"solve":["c"],"urgent":["d"],"ticket":["e"],"request":["f"]},"csat_config":{"enabled":true,"trigger":"manual","scope":"tickets","survey_type":"two_point_rating","comment":true,"delay_minutes":7},"created_at":"2026-05-13T09:12:33.123Z","updated_at":"2026-05-13T10:12:33.123Z","channels":[]}}`,
		},
		{
			desk.Collection{ID: 3, Name: "Mail", Kind: desk.EmailCollection, AutoAssign: desk.AssignNobody, Notify: desk.NotifyNobody, CreatedAt: at, UpdatedAt: after,
				Email: &desk.EmailConfig{Address: "help@acme.test", FromName: "Acme", Signature: "<b>x</b><script>y</script>", AutoReply: desk.AutoReply{Enabled: true, HTML: `<a href="javascript:x">z</a>`},
					Mailbox: &desk.Mailbox{Host: "h", Port: 1, TLS: desk.NoTLS, User: "u", Folder: "f", PollSeconds: 9, Password: ptr("secret")}, Inbound: "in+x@reply.test", Verified: true}},
			`{"collection":{"id":3,"name":"Mail","kind":"email","owner":null,"created_by":null,"request_channel_id":null,"triage_channel_id":null,"config":{"responders":[],"auto_assign":"none","assign_team_id":null,"grouping_minutes":0,"allow_bots":false,"notify":"none"},"emoji_config":{"take":[],"solve":[],"urgent":[],"ticket":[],"request":[]},"csat_config":{"enabled":false,"trigger":"","scope":"","survey_type":"","comment":false,"delay_minutes":0},"email_config":{"address":"help@acme.test","from_name":"Acme","signature_html":"<p><strong>x</strong></p>","forward_cc":false,"auto_reply":{"enabled":true,"html":"<p>z</p>"},"mailbox":{"kind":"imap","host":"h","port":1,"tls":"none","user":"u","folder":"f","poll_seconds":9,"plus_addressing":false},"inbound_address":"in+x@reply.test","verified":true},"created_at":"2026-05-13T09:12:33.123Z","updated_at":"2026-05-13T10:12:33.123Z"}}`,
		},
		{
			desk.Collection{ID: 3, Name: "Mail", Kind: desk.EmailCollection, AutoAssign: desk.AssignNobody, Notify: desk.NotifyNobody, CreatedAt: at, UpdatedAt: after, Email: &desk.EmailConfig{Address: "help@acme.test", FromName: "Acme"}},
			`{"collection":{"id":3,"name":"Mail","kind":"email","owner":null,"created_by":null,"request_channel_id":null,"triage_channel_id":null,"config":{"responders":[],"auto_assign":"none","assign_team_id":null,"grouping_minutes":0,"allow_bots":false,"notify":"none"},"emoji_config":{"take":[],"solve":[],"urgent":[],"ticket":[],"request":[]},"csat_config":{"enabled":false,"trigger":"","scope":"","survey_type":"","comment":false,"delay_minutes":0},"email_config":{"address":"help@acme.test","from_name":"Acme","signature_html":"","forward_cc":false,"auto_reply":{"enabled":false,"html":""},"mailbox":null,"inbound_address":null,"verified":false},"created_at":"2026-05-13T09:12:33.123Z","updated_at":"2026-05-13T10:12:33.123Z"}}`,
		},
		{desk.Participant{Request: 7, Email: "kim@acme.test", Name: "Kim", Role: desk.RoleCC, Status: desk.ParticipantAsked, AddedAt: at}, `{"participant":{"request_id":7,"email":"kim@acme.test","name":"Kim","role":"cc","status":"asked"}}`},
		{answer{"participant", NewParticipant(desk.Participant{Request: 7, Email: "jo@acme.test", Role: desk.RoleRequester, Status: desk.ParticipantActive})}, `{"participant":{"email":"jo@acme.test","name":null,"role":"requester","status":"active"}}`},
		{desk.EmailRecipient{Email: "kim@acme.test", Status: desk.EmailFailed, Error: "no"}, `{"recipient":{"email":"kim@acme.test","status":"failed","error":"no"}}`},
		{
			answer{"email", NewMessageEmail(&desk.MessageEmail{Direction: desk.EmailOut, Status: desk.EmailFailed, From: "help@acme.test", To: []string{"jo@acme.test"}, Subject: "Re: x", Error: "no",
				Recipients: []desk.EmailRecipient{{Email: "jo@acme.test", Status: desk.EmailFailed, Error: "no"}}})},
			`{"email":{"direction":"out","status":"failed","from":"help@acme.test","to":["jo@acme.test"],"cc":[],"subject":"Re: x","error":"no","recipients":[{"email":"jo@acme.test","status":"failed","error":"no"}]}}`,
		},
		{
			answer{"email", NewMessageEmail(&desk.MessageEmail{Direction: desk.EmailIn, Status: desk.EmailReceived})},
			`{"email":{"direction":"in","status":"received","from":"","to":[],"cc":[],"subject":"","error":null,"recipients":[]}}`,
		},
		{
			answer{"email", NewReceivedEmail(desk.ReceivedEmail{From: "Jo <jo@acme.test>", To: []string{"help@acme.test"}, Subject: "x", Date: &at, HTML: "<p>y</p><script>z</script>", Text: "y"})},
			`{"email":{"from":"Jo <jo@acme.test>","to":["help@acme.test"],"cc":[],"subject":"x","date":"2026-05-13T09:12:33.123Z","html":"<p>y</p>","text":"y"}}`,
		},
		{answer{"email", NewReceivedEmail(desk.ReceivedEmail{})}, `{"email":{"from":"","to":[],"cc":[],"subject":"","date":null,"html":"","text":""}}`},
		{
			desk.Collection{ID: 3, Name: "Chat", Kind: desk.ChatCollection, AutoAssign: desk.AssignNobody, Notify: desk.NotifyNobody, CreatedAt: at, UpdatedAt: at, Channels: []desk.Channel{
				{ID: "C1", Name: "help", Owner: ptr("U1"), Active: true, Collection: ptr(desk.CollectionID(3))}, {ID: "C2", Name: "old", Collection: ptr(desk.CollectionID(3))},
			}},
			`{"collection":{"id":3,"name":"Chat","kind":"chat","owner":null,"created_by":null,"request_channel_id":null,"triage_channel_id":null,"config":{"responders":[],"auto_assign":"none","assign_team_id":null,"grouping_minutes":0,"allow_bots":false,"notify":"none"},"emoji_config":{"take":[],"solve":[],"urgent":[],"ticket":[],"request":[]},"csat_config":{"enabled":false,"trigger":"","scope":"","survey_type":"","comment":false,"delay_minutes":0},"created_at":"2026-05-13T09:12:33.123Z","updated_at":"2026-05-13T09:12:33.123Z","channels":[{"id":"C1","name":"help","owner":"U1","status":"active"},{"id":"C2","name":"old","owner":null,"status":"inactive"}]}}`,
		},
		{
			answer{"survey", NewShownSurvey(desk.ShownSurvey{Survey: desk.Survey{ID: 7, Request: 3, Asked: 2, Type: desk.FivePointRating, HasComment: true, TriggeredAt: at}, URL: "https://x.example/survey/t"})},
			`{"survey":{"id":7,"request_id":3,"survey_type":"five_point_rating","status":"pending","triggered_at":"2026-05-13T09:12:33.123Z","answered_at":null,"response":null,"is_commented":false,"answer_url":"https://x.example/survey/t"}}`,
		},
		{
			desk.Survey{ID: 7, Request: 3, Asked: 3, Type: desk.TwoPointRating, TriggeredAt: at, AnsweredAt: &after, ChangedAt: &after, Value: 1, Comment: "secret", AnsweredBy: "U1", Channel: desk.AnsweredInChat},
			`{"survey":{"id":7,"request_id":3,"survey_type":"two_point_rating","status":"received","triggered_at":"2026-05-13T09:12:33.123Z","answered_at":"2026-05-13T10:12:33.123Z","response":{"survey_type":"two_point_rating","value":1,"max_value":2},"is_commented":true}}`,
		},
		{
			desk.AgentSession{ID: 9, Request: 3, StartedAt: at, CreatedAt: at, UpdatedAt: at},
			`{"agent_session":{"id":9,"request_id":3,"external_id":null,"started_at":"2026-05-13T09:12:33.123Z","ended_at":null,"triggers":0,"responses":0,"answers":0,"positive_feedback":0,"negative_feedback":0,"has_resolution_attempt":false,"deflected":false,"created_at":"2026-05-13T09:12:33.123Z","updated_at":"2026-05-13T09:12:33.123Z"}}`,
		},
		{
			desk.AgentSession{ID: 9, Request: 3, ExternalID: "<x>", StartedAt: at, EndedAt: &after, Triggers: 1, Responses: 3, Answers: 2, PositiveFeedback: 4, NegativeFeedback: 5, CreatedAt: at, UpdatedAt: after},
			`{"agent_session":{"id":9,"request_id":3,"external_id":"<x>","started_at":"2026-05-13T09:12:33.123Z","ended_at":"2026-05-13T10:12:33.123Z","triggers":1,"responses":3,"answers":2,"positive_feedback":4,"negative_feedback":5,"has_resolution_attempt":true,"deflected":true,"created_at":"2026-05-13T09:12:33.123Z","updated_at":"2026-05-13T10:12:33.123Z"}}`,
		},
		{desk.Mute{}, `{"mute":{"muted":false}}`},
		{desk.Mute{Muted: true}, `{"mute":{"muted":true}}`},
		{
			desk.Channel{ID: "C1", Name: "help", Private: true, Archived: true, BotMember: true, Gone: true, Owner: ptr("U1"), Active: true, Collection: ptr(desk.CollectionID(3)), CreatedAt: at, UpdatedAt: at},
			`{"channel":{"id":"C1","name":"help","owner":"U1","status":"active","collection_id":3,"is_private":true,"is_archived":true,"is_member":true}}`,
		},
		{
			answer{"channels", desk.Each([]desk.Channel{{ID: "C1", Name: "help", Active: true}}, NewChannel)}, // in no collection
			`{"channels":[{"id":"C1","name":"help","owner":null,"status":"inactive","collection_id":null,"is_private":false,"is_archived":false,"is_member":false}]}`,
		},
		{
			desk.CustomField{ID: 7, Entity: desk.EntityRequest, Name: "Product", Type: desk.FieldSelect, Version: 3, CreatedAt: at, UpdatedAt: after, Config: desk.FieldConfig{
				Options: []desk.FieldOption{{ID: 2, Value: "B"}, {ID: 1, Value: "A"}}, LastOption: 4, AIPrompt: ptr("?"), Default: &desk.FieldValue{Type: desk.FieldSelect, Options: []desk.OptionID{2}}}},
			`{"custom_field":{"id":7,"entity_type":"request","name":"Product","description":null,"version":"3","type":"select","config":{"type":"select","options":[{"id":"2","value":"B"},{"id":"1","value":"A"}],"last_option_id":4,"default_value":"2","ai_prompt":"?"},"created_at":"2026-05-13T09:12:33.123Z","updated_at":"2026-05-13T10:12:33.123Z"}}`,
		},
		{
			desk.Customer{ID: 41, Name: "Fern", Version: 1, CreatedAt: at, UpdatedAt: at},
			`{"customer":{"id":41,"name":"Fern","owner":null,"domains":[],"channel_ids":[],"revisit":false,"portal_config":{"enabled":false},"custom_field_values":{},"is_portal_available_to_all_users":false,"portal_allowed_user_emails":[],"portal_users":[],"external_system":null,"external_entity_id":null,"external_deal_id":null,"version":1,"created_at":"2026-05-13T09:12:33.123Z","updated_at":"2026-05-13T09:12:33.123Z"}}`,
		},
		{
			desk.Customer{
				ID: 41, Name: "<Fern>", Owner: ptr("U1"), Domains: []string{"b.example", "a.example"}, Channels: []string{"C2", "C1"}, Revisit: true, PortalEnabled: true, PortalForAll: true,
				PortalUsers: []desk.PortalUser{{Email: "jo@a.example", Role: desk.PortalMember}, {Email: "al@a.example", Role: desk.PortalAdmin}}, Collection: ptr(desk.CollectionID(3)),
				ExternalSystem: ptr(desk.Salesforce), ExternalEntity: ptr("E"), ExternalDeal: ptr("D"), Version: 7, CreatedAt: at, UpdatedAt: after,
				Values: desk.FieldValues{
					1: {Type: desk.FieldSelect, Options: []desk.OptionID{2}}, 2: {Type: desk.FieldMultiSelect, Options: []desk.OptionID{3, 1}}, 3: {Type: desk.FieldMultiSelect},
					4: {Type: desk.FieldText, Text: "x"}, 5: {Type: desk.FieldNumber, Text: "2.50"}, 6: {Type: desk.FieldDate, Text: "2026-05-13"}, 7: {Type: desk.FieldUser, Text: "U1"},
				},
			},
			`{"customer":{"id":41,"name":"<Fern>","owner":"U1","domains":["b.example","a.example"],"channel_ids":["C2","C1"],"revisit":true,"portal_config":{"enabled":true},"custom_field_values":{"1":"2","2":["3","1"],"3":[],"4":"x","5":2.50,"6":"2026-05-13","7":"U1"},"is_portal_available_to_all_users":true,"portal_allowed_user_emails":["jo@a.example","al@a.example"],"portal_users":[{"email":"jo@a.example","role":"USER"},{"email":"al@a.example","role":"ADMIN"}],"collection_id":3,"external_system":"salesforce","external_entity_id":"E","external_deal_id":"D","version":7,"created_at":"2026-05-13T09:12:33.123Z","updated_at":"2026-05-13T10:12:33.123Z"}}`,
		},
		{
			answer{"custom_fields", desk.Each([]desk.CustomField{
				{ID: 7, Entity: desk.EntityCustomer, Name: "Tags", Description: ptr("x"), Type: desk.FieldMultiSelect, Version: 1, CreatedAt: at, UpdatedAt: at},
				{ID: 8, Entity: desk.EntityCustomer, Name: "Note", Type: desk.FieldText, Version: 1, CreatedAt: at, UpdatedAt: at, Config: desk.FieldConfig{
					MaxLength: 255, SingleLine: ptr(false), Default: &desk.FieldValue{Type: desk.FieldText}}},
				{ID: 9, Entity: desk.EntityCustomer, Name: "Seats", Type: desk.FieldNumber, Version: 1, CreatedAt: at, UpdatedAt: at, Config: desk.FieldConfig{
					Default: &desk.FieldValue{Type: desk.FieldNumber, Text: "2.50"}}},
			}, NewCustomField)},
			`{"custom_fields":[{"id":7,"entity_type":"customer","name":"Tags","description":"x","version":"1","type":"multi_select","config":{"type":"multi_select","options":[],"last_option_id":0},"created_at":"2026-05-13T09:12:33.123Z","updated_at":"2026-05-13T09:12:33.123Z"},` +
				`{"id":8,"entity_type":"customer","name":"Note","description":null,"version":"1","type":"text","config":{"type":"text","max_length":255,"single_line":false,"default_value":""},"created_at":"2026-05-13T09:12:33.123Z","updated_at":"2026-05-13T09:12:33.123Z"},` +
				`{"id":9,"entity_type":"customer","name":"Seats","description":null,"version":"1","type":"number","config":{"type":"number","default_value":2.50},"created_at":"2026-05-13T09:12:33.123Z","updated_at":"2026-05-13T09:12:33.123Z"}]}`,
		},
	} {
		var got []byte
		var err error
		only, isAnswer := c.noun.(answer)
		if isAnswer {
			got, err = Named(only.name, only.form)
		} else {
			got, err = Object(c.noun)
		}
		if err != nil || string(got) != c.want {
			t.Errorf("%T: %v\n got %s\nwant %s", c.noun, err, got, c.want)
		}
		if !json.Valid(got) {
			t.Errorf("%T: not JSON: %s", c.noun, got)
		}
		if isAnswer {
			continue
		}
		name, v := Of(c.noun)
		inner, err := JSON(v)
		if err != nil || fmt.Sprintf("{%q:%s}", name, inner) != c.want {
			t.Errorf("%T: Of gives %s %s, %v", c.noun, name, inner, err)
		}
	}
}

func TestAuditLogAndEvent(t *testing.T) {
	for _, c := range []struct{ v, want any }{
		{
			NewAuditLog(desk.AuditLog{
				ID: 3, At: at, Actor: desk.Actor{ID: 5, Name: "Jo", Email: "jo@example.com", Source: desk.SourceAPI, IP: "192.0.2.1"},
				Action: "member.updated", ResourceType: "Member", ResourceID: "7", Before: []byte(`{"id":7}`), After: []byte(`{"id":7,"name":"x"}`),
			}),
			`{"id":3,"at":"2026-05-13T09:12:33.123Z","actor":{"id":5,"name":"Jo","email":"jo@example.com"},"action":"member.updated","resource_type":"Member","resource_id":"7","source":"api","ip":"192.0.2.1","before":{"id":7},"after":{"id":7,"name":"x"}}`,
		},
		{
			NewAuditLog(desk.AuditLog{ID: 4, At: at, Actor: desk.Actor{Name: "command line", Source: desk.SourceCommand}, Action: "account.created", ResourceType: "Account", ResourceID: "1"}),
			`{"id":4,"at":"2026-05-13T09:12:33.123Z","actor":{"id":null,"name":"command line","email":null},"action":"account.created","resource_type":"Account","resource_id":"1","source":"command","ip":null,"before":null,"after":null}`,
		},
		{
			NewEvent(desk.Event{ID: "abc", Seq: 8, Type: desk.MemberCreated, Source: desk.SourceAPI, At: at, Data: []byte(`{"member":{"id":5}}`)}),
			`{"id":"abc","type":"member.created","timestamp":"2026-05-13T09:12:33.123Z","source":"api","data":{"member":{"id":5}}}`,
		},
		{ListMetadata{Count: 2}, `{"next_cursor":null,"count":2}`},
	} {
		got, err := JSON(c.v)
		if err != nil || string(got) != c.want {
			t.Errorf("%T: %v\n got %s\nwant %s", c.v, err, got, c.want)
		}
	}
}

func TestTime(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at   time.Time
		want string
	}{
		{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), "2026-01-01T00:00:00.000Z"},
		{time.Date(2026, 12, 31, 23, 59, 59, 999_999_999, time.UTC), "2026-12-31T23:59:59.999Z"}, // truncated, never rounded up
		{time.Date(2026, 12, 31, 23, 59, 59, 1_000_000, time.UTC), "2026-12-31T23:59:59.001Z"},
		{time.Date(2026, 12, 31, 23, 59, 59, 999_999, time.UTC), "2026-12-31T23:59:59.000Z"},
		{time.Date(2026, 5, 13, 9, 12, 33, 100e6, time.UTC), "2026-05-13T09:12:33.100Z"}, // zeros stay
		{time.Date(2026, 7, 1, 1, 30, 0, 0, berlin), "2026-06-30T23:30:00.000Z"},
		{time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC).In(berlin), "2026-10-25T00:30:00.000Z"}, // half past two,
		{time.Date(2026, 10, 25, 1, 30, 0, 0, time.UTC).In(berlin), "2026-10-25T01:30:00.000Z"}, // and again
		{time.Date(2026, 5, 13, 23, 0, 0, 0, time.FixedZone("", -5*3600-30*60)), "2026-05-14T04:30:00.000Z"},
		{time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), "9999-12-31T23:59:59.000Z"},
		{time.UnixMilli(-1), "1969-12-31T23:59:59.999Z"},
		{time.Time{}, "0001-01-01T00:00:00.000Z"},
	} {
		if got := NewTime(c.at); got != Time(c.want) {
			t.Errorf("%v: %s, want %s", c.at, got, c.want)
		}
		// A time from an answer can be used as after or before.
		back, err := time.Parse(time.RFC3339Nano, c.want)
		if err != nil || !back.Equal(c.at.Truncate(time.Millisecond)) {
			t.Errorf("%s is read as %v, %v; want %v", c.want, back, err, c.at)
		}
	}
}

// Text arrives unchanged, whatever it would mean elsewhere.
func TestText(t *testing.T) {
	for _, text := range []string{`<script>alert("&")</script>`, "\\ \t\n\u2028", "שלום 😀 e\u0301", "\u0001"} {
		object, err := Object(desk.Member{Name: text})
		if err != nil {
			t.Fatal(err)
		}
		var back struct{ Member struct{ Name string } }
		if err := json.Unmarshal(object, &back); err != nil || back.Member.Name != text {
			t.Errorf("%q comes back as %q, %v", text, back.Member.Name, err)
		}
	}
	if got, err := JSON("<a & b>"); string(got) != `"<a & b>"` || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := JSON(func() {}); err == nil {
		t.Error("a function has a form in JSON")
	}
}

func TestOfPanicsForUnknown(t *testing.T) {
	for _, noun := range []any{nil, "member", 5, &desk.Member{}, desk.Event{}, desk.AuditLog{}, desk.NewMember{}} {
		func() {
			defer func() {
				if p := fmt.Sprint(recover()); !strings.Contains(p, fmt.Sprintf("no form for %T", noun)) {
					t.Errorf("%T: panic %q", noun, p)
				}
			}()
			Of(noun)
		}()
	}
}

// The hand-written format equals Format for every time.
func TestNewTimeIsAsFormat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.UnixMilli(rapid.Int64Range(-70e12, 260e12).Draw(t, "ms")).Add(time.Duration(rapid.IntRange(0, 999999).Draw(t, "ns")))
		at = at.In(time.FixedZone("", rapid.IntRange(-50000, 50000).Draw(t, "zone")))
		if got, want := string(NewTime(at)), at.UTC().Format(TimeFormat); got != want {
			t.Fatalf("%v: got %s, want %s", at, got, want)
		}
	})
}

func ptr[T any](v T) *T { return &v }

// Values that were not computed are left out. An empty category is shown.
func TestAIFieldValues(t *testing.T) {
	word := func(v string) *desk.Suggested[string] {
		return &desk.Suggested[string]{Value: v, By: desk.ByModel, Reason: "over budget", At: time.Now()}
	}
	for _, c := range []struct {
		fields desk.AIFields
		want   string
	}{
		{desk.AIFields{}, `{}`},
		{desk.AIFields{Category: &desk.Suggested[[]string]{Value: []string{"bug", "task"}}, Sentiment: word("negative"), Emotion: word("neutral")},
			`{"category":["bug","task"],"sentiment":"negative","emotion":"neutral"}`},
		{desk.AIFields{Category: &desk.Suggested[[]string]{}, Emotion: word("neutral")}, `{"category":[],"emotion":"neutral"}`},
	} {
		for _, w := range []Request{NewRequest(desk.Request{AI: c.fields}), NewListedRequest(desk.Request{AI: c.fields})} {
			if got, err := JSON(w.AIFieldValues); err != nil || string(got) != c.want {
				t.Errorf("got %s, %v; want %s", got, err, c.want)
			}
		}
	}
}
