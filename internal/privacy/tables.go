package privacy

import "frontdesk/internal/desk"

// A table says where people are in it. Columns are names with spaces between them.
type table struct {
	name string
	key  string // the columns of its primary key besides account_id
	text string // columns in which a person's address, user id and name are looked for
	json string // the same, of JSON

	own    string // a condition: the row is the person's own
	become string // assignments: what an erased own row becomes
	gone   bool   // erased own rows are deleted
	also   string // a condition: the row may have something of the person, such as the subject of their mail
	theirs string // if fewer rows are handed out as the person's own: a condition

	request string // an expression: the request whose readers see the row; empty for none
	files   string // the column with the keys of files that go with own rows
	chained bool   // it is the audit log, which chain rewrites
	kept    string // other columns with text: they name nobody, or go with own rows
}

// The names in braces in a condition are lists of what belongs to a person:
//
//	{users}     ids of chat users
//	{emails}    folded addresses
//	{members}   ids of former members
//	{requests}  requests that the person asked
//	{messages}  messages that the person wrote
//	{touched}   requests with anything of the person
//	{account}   the account
//
// The order matters: what a condition reads of another table is still there.
var tables = []table{
	{name: "attachments", key: "id", text: "name", own: "message_id IN {messages}", gone: true, request: "request_id", files: "blob_key", kept: "type blob_key"},
	{name: "incoming_files", key: "request_id message_id external_id", text: "name", own: "message_id IN {messages}", gone: true, kept: "external_id type"},
	{name: "mails", key: "id", text: "external_id", own: "request_id IN {touched}", theirs: "message_id IN {messages}", become: "body = '', source = NULL", request: "request_id", files: "source", kept: "direction body digest source"},
	{name: "mail_copies", key: "id", text: "email kept failure", own: "lower(email) IN {emails}", become: "email = '" + ErasedEmail + "', shown = wanted, failure = ''", kept: "role mark channel_id external_id"},
	{name: "participants", key: "request_id email_folded", text: "email name", own: "email_folded IN {emails}", gone: true, request: "request_id", kept: "email_folded status"},
	{name: "auto_replies", key: "email_folded", own: "email_folded IN {emails}", gone: true, kept: "email_folded"},
	{name: "mail_tests", key: "id", text: "address", kept: "id"},
	{name: "posts", key: "id", text: "user_id text kept failure", own: "message_id IN {messages} OR request_id IN {requests}", become: "text = ''", kept: "kind place mark channel_id external_id"},
	{name: "link_comments", key: "id", text: "kept failure", kept: "mark external_id channel_id"},
	{name: "reactions", key: "channel_id external_id user_id emoji", text: "user_id", own: "user_id IN {users}", gone: true, kept: "channel_id external_id emoji"},
	{name: "surveys", key: "id", text: "comment answered_by", own: "answered_by IN {users} OR answered_by = '' AND asked_id IN {requests}", become: "comment = ''", request: "request_id", kept: "type nonce channel"},
	{name: "agent_session_events", key: "id", text: "text", own: "session_id IN (SELECT id FROM agent_sessions WHERE account_id = {account} AND request_id IN {requests})",
		become: "text = '" + ErasedText + "'", kept: "type"},
	{name: "agent_sessions", key: "id", text: "external_id", request: "request_id"},
	{name: "request_suggestions", key: "request_id field", own: "request_id IN {requests}", gone: true, request: "request_id", kept: "field value decided_by reason"},
	{name: "custom_field_values", key: "entity_type entity_id field_id", text: "value value_user value_folded",
		own: "entity_type = 'request' AND entity_id IN {requests} AND value_length IS NOT NULL", gone: true, request: "CASE entity_type WHEN 'request' THEN entity_id END", kept: "entity_type"},
	{name: "request_changes", key: "id", json: "actor before after links moved", own: "request_id IN {touched}", theirs: "request_id IN {requests}", request: "request_id", kept: "source action"},
	{name: "request_tags", key: "request_id n", text: "tag", request: "request_id"},
	{name: "request_contributors", key: "request_id n", text: "user_id", request: "request_id"},
	{name: "request_facts", key: "created_at request_id", text: "assignee", kept: "channel_id state priority"},
	{name: "messages", key: "id", text: "author_id author_name author_email html text", json: "email", own: "id IN {messages}", also: "request_id IN {requests}",
		become:  "author_name = '" + ErasedName + "', author_email = '', html = '" + ErasedHTML + "', text = '" + ErasedText + "'",
		request: "request_id", kept: "source channel_id external_id thread_id"},
	{name: "requests", key: "id", text: "title author_id author_name author_email author_email_folded assignee external_id newest_by mail_subject", json: "metadata", own: "id IN {requests}",
		become: "title = '" + ErasedTitle + "', author_name = '" + ErasedName + "', author_email = '', author_email_folded = '', metadata = NULL, mails_requester = FALSE, " +
			"mail_subject = CASE WHEN mail_subject IS NULL THEN NULL ELSE '" + ErasedTitle + "' END",
		request: "id", kept: "title_by shelf not_a_request_state priority priority_by channel_id workspace thread_id thread_url triage_channel_id triage_thread_id triage_url source mail_status"},
	{name: "events", key: "id", json: "data", own: "subject IN {subjects}", theirs: "FALSE", request: requestOfSubject, kept: "type source subject"},
	{name: "deliveries", key: "id", json: "attempts payload", own: "subject IN {subjects}", theirs: "FALSE", request: requestOfSubject, kept: "type subject cause status"},
	{name: "audit_logs", key: "id", text: "resource_id ip", json: "actor before after", own: "actor_id IN {members} OR resource_type = 'Request' AND resource_id IN {touched as text}", theirs: "actor_id IN {members}", chained: true, kept: "action resource_type source"},
	{name: "waiting_messages", key: "id", text: "html failure", kept: "thread_id state source ip"},
	{name: "waiting_files", key: "id", text: "name", kept: "type blob_key"},
	{name: "announcements", key: "id", text: "name sender_id html", kept: "status channel_id message_id sender"},
	{name: "announcement_files", key: "announcement_id n", text: "name", kept: "blob_key"},
	{name: "announcement_recipients", key: "id", text: "failure kept posted_by", kept: "channel_id mark external_id"},
	{name: "customer_portal_users", key: "customer_id email_folded", text: "email", own: "email_folded IN {emails}", gone: true, kept: "email_folded role"},
	{name: "customers", key: "id", text: "name owner", kept: "external_system external_entity_id external_deal_id"},
	{name: "channels", key: "id", text: "name owner", kept: "channel_id"},
	{name: "collections", key: "id", text: "name owner created_by", kept: "kind request_channel_id triage_channel_id auto_assign notify emoji csat email"},
	{name: "collection_turns", key: "collection_id", text: "user_id"},
	{name: "responders", key: "collection_id n", text: "user_id", kept: "email_domain"},
	{name: "teams", key: "id", text: "name", kept: "source source_id"},
	{name: "team_members", key: "team_id user_id", text: "user_id", own: "user_id IN {users}", gone: true},
	{name: "tags", key: "collection_id name", own: "lower(name) IN {emails}", gone: true, kept: "name"},
	{name: "tickets", key: "id", text: "key url", request: "request_id", kept: "type"},
	{name: "ticket_links", key: "id", text: "name", kept: "system external_id status_id status_name state comment_cursor"},
	{name: "views", key: "id", text: "name query"},
	{name: "quick_replies", key: "id", text: "name html"},
	{name: "tokens", key: "id", text: "name", own: "member_id IN {members}", become: "browser = '', ip = ''", kept: "scope prefix browser ip"},
	{name: "member_identities", key: "id", own: "member_id IN {members}", gone: true, kept: "issuer subject"},
	{name: "member_credentials", key: "id", own: "member_id IN {members}", gone: true, kept: "password"},
	{name: "members", key: "id", text: "name email email_folded", own: "id IN {members}", become: "name = '" + ErasedName + "', email = '" + ErasedEmail + "', email_folded = '" + ErasedEmail + "'", kept: "role"},
	{name: "user_words", key: "word user_ref", own: "user_ref IN (SELECT id FROM users WHERE account_id = {account} AND user_id IN {users})", gone: true},
	{name: "credentials", key: "id", own: "user_id IN {users}", gone: true, kept: "user_id"},
	{name: "users", key: "id", text: "user_id name email email_folded", own: "user_id IN {users}",
		become: "name = '" + ErasedName + "', email = '', email_folded = '', email_domain = '', avatar = '', deleted = TRUE", kept: "avatar email_domain"},
}

// requestOfSubject is the request that an event is about.
const requestOfSubject = "CASE WHEN subject LIKE '" + desk.RequestSubject + "%' THEN substr(subject, 9) END"

// beside says what happens to tables that need something else, and why the others
// need nothing.
var beside = map[string]string{
	"idempotency_keys": "answers that show the person are deleted",
	"jobs":             "arguments and errors are rewritten",
	"postmaster_mails": "mails that name the person are deleted",
	"search_documents": "the documents of all requests with anything of the person are made again",
	"search_index":     "as search_documents",
	"erasures":         "it is the list of what was erased, as keyed digests",

	"accounts": "names and settings of a team", "announcement_replies": "places in a chat system", "channel_readings": "places in a chat system",
	"custom_field_choices": "options of a list", "custom_field_options": "options of a list", "custom_fields": "names and settings",
	"customer_channels": "places in a chat system", "customer_domains": "domains of customers", "email_addresses": "the team's own addresses",
	"integrations": "settings", "lanes": "names of processes", "leases": "names of processes", "mailboxes": "the team's own mailboxes",
	"removed_messages": "places in a chat system", "request_slas": "times", "schedules": "names of jobs", "schema_migrations": "names of migrations",
	"sequences": "numbers", "sign_in_tries": "keyed digests that end within a day", "sla_policies": "settings", "sla_recomputations": "numbers",
	"sla_schedule_versions": "working hours", "sla_schedules": "working hours", "sla_starts": "times", "ticket_form_fields": "settings",
	"ticket_forms": "settings", "webhooks": "settings",
}

// What takes the place of what was erased.
const (
	ErasedText  = "This text was erased."
	ErasedHTML  = "<p>" + ErasedText + "</p>"
	ErasedTitle = "Erased request"
	ErasedName  = "Erased person"
	ErasedFile  = "Erased file"
	ErasedEmail = "erased@erased.invalid" // where an address must stand
)
