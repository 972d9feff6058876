package privacy

import "frontdesk/internal/desk"

// A table says where people and customers are in it. Columns are names with spaces
// between them.
type table struct {
	name string
	key  string // the columns of its primary key besides account_id
	text string // columns in which addresses, user ids, names and domains are looked for
	json string // the same, of JSON

	own    string // a condition: the row is the subject's own
	become string // assignments: what an erased own row becomes
	gone   bool   // erased own rows are deleted
	named  bool   // so are rows that mention the subject
	also   string // a condition: the row may have something of the subject, such as the subject of their mail
	theirs string // if fewer rows are handed out as the person's own: a condition

	request string // an expression: the request whose readers see the row; empty for none
	files   string // the column with the keys of files that go with own rows
	chained bool   // it is the audit log, which chain rewrites
	kept    string // other columns with text: they name nobody, or go with own rows
}

// The names in braces in a condition are lists of what belongs to the subject, who is
// a person or a customer with its people:
//
//	{users}     ids of chat users
//	{emails}    folded addresses
//	{members}   ids of former members
//	{requests}  requests that the person asked, or that the customer has
//	{messages}  messages that they wrote, and all messages in the customer's requests
//	{touched}   requests with anything of the subject
//	{subjects}  what events about these requests are about
//	{account}   the account
//
// These are empty for a person:
//
//	{customers} the customer
//	{whole}     requests of which everything goes that anybody said
//	{subjects of customers}, {subjects of related}
//	            what events about the customer are about, and about requests that
//	            exchanged messages with its own
//
// {is customer} is TRUE or FALSE.
//
// The order matters: what a condition reads of another table is still there.
var tables = []table{
	{name: "notifications", key: "id", text: "by_name", own: "member_id IN {members} OR message_id IN {messages} OR request_id IN {requests}", gone: true, theirs: "member_id IN {members}", request: "request_id", kept: "kind sla mark"},
	{name: "notices", key: "id", text: "failure", own: "member_id IN {members}", gone: true, kept: "way mark kept channel_id external_id"},
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
	{name: "surveys", key: "id", text: "comment answered_by", own: "answered_by IN {users} OR answered_by = '' AND asked_id IN {requests} OR request_id IN {whole} OR asked_id IN {whole}", become: "comment = ''", request: "request_id", kept: "type nonce channel"},
	{name: "agent_session_events", key: "id", text: "text", own: "session_id IN (SELECT id FROM agent_sessions WHERE account_id = {account} AND request_id IN {requests})",
		become: "text = '" + ErasedText + "'", kept: "type"},
	{name: "agent_sessions", key: "id", text: "external_id", request: "request_id"},
	{name: "request_suggestions", key: "request_id field", own: "request_id IN {requests}", gone: true, request: "request_id", kept: "field value decided_by reason"},
	{name: "custom_field_values", key: "entity_type entity_id field_id", text: "value value_user value_folded",
		own: "entity_type = 'request' AND entity_id IN {requests} AND value_length IS NOT NULL OR entity_type = 'customer' AND entity_id IN {customers}", gone: true, request: "CASE entity_type WHEN 'request' THEN entity_id END", kept: "entity_type"},
	{name: "custom_field_choices", key: "entity_type entity_id field_id option_id", own: "entity_type = 'customer' AND entity_id IN {customers}", gone: true, kept: "entity_type"},
	{name: "request_changes", key: "id", json: "actor before after links moved", own: "request_id IN {touched}", theirs: "request_id IN {requests}", request: "request_id", kept: "source action"},
	{name: "request_tags", key: "request_id n", text: "tag", request: "request_id"},
	{name: "request_contributors", key: "request_id n", text: "user_id", request: "request_id"},
	{name: "request_facts", key: "created_at request_id", text: "assignee", kept: "channel_id state priority"},
	{name: "messages", key: "id", text: "author_id author_name author_email html text", json: "email", own: "id IN {messages}", also: "request_id IN {requests}",
		become:  "author_name = CASE WHEN " + wroteIt + " THEN '" + ErasedName + "' ELSE author_name END, author_email = CASE WHEN " + wroteIt + " THEN '' ELSE author_email END, html = '" + ErasedHTML + "', text = '" + ErasedText + "'",
		request: "request_id", kept: "source channel_id external_id thread_id"},
	{name: "requests", key: "id", text: "title author_id author_name author_email author_email_folded assignee external_id newest_by mail_subject", json: "metadata", own: "id IN {requests}",
		become: "title = '" + ErasedTitle + "', author_name = CASE WHEN " + askedIt + " THEN '" + ErasedName + "' ELSE author_name END, author_email = CASE WHEN " + askedIt + " THEN '' ELSE author_email END, " +
			"author_email_folded = CASE WHEN " + askedIt + " THEN '' ELSE author_email_folded END, metadata = NULL, mails_requester = CASE WHEN " + askedIt + " THEN FALSE ELSE mails_requester END, " +
			"mail_subject = CASE WHEN mail_subject IS NULL THEN NULL ELSE '" + ErasedTitle + "' END",
		request: "id", kept: "key title_by shelf not_a_request_state priority priority_by channel_id workspace thread_id thread_url triage_channel_id triage_thread_id triage_url source mail_status snooze back_by"},
	{name: "events", key: "id", json: "data", own: "subject IN {subjects} OR subject IN {subjects of customers} OR subject IN {subjects of related}", theirs: "FALSE", request: requestOfSubject, kept: "type source subject"},
	{name: "deliveries", key: "id", json: "attempts payload", own: "subject IN {subjects} OR subject IN {subjects of customers} OR subject IN {subjects of related}", theirs: "FALSE", request: requestOfSubject, kept: "type subject cause status"},
	{name: "audit_logs", key: "id", text: "resource_id ip", json: "actor before after", own: "actor_id IN {members} OR resource_type = 'Request' AND resource_id IN {touched as text} OR resource_type = 'Customer' AND resource_id IN {customers as text}",
		also: "{is customer} AND (CAST(before AS TEXT) LIKE '%\"request_id\"%' OR CAST(after AS TEXT) LIKE '%\"request_id\"%')", theirs: "actor_id IN {members} OR resource_type = 'Customer' AND resource_id IN {customers as text}", chained: true, kept: "action resource_type source"},
	{name: "waiting_files", key: "id", text: "name", own: "waiting_id IN (SELECT id FROM waiting_messages WHERE account_id = {account} AND request_id IN {whole})", gone: true, files: "blob_key", kept: "type blob_key"},
	{name: "waiting_messages", key: "id", text: "html failure", own: "request_id IN {whole}",
		become: "html = NULL, failure = '', taken_at = CASE WHEN sent_as IS NULL THEN coalesce(taken_at, created_at) ELSE taken_at END", request: "request_id", kept: "thread_id state source ip"},
	{name: "announcements", key: "id", text: "name sender_id html", kept: "status channel_id message_id sender"},
	{name: "announcement_files", key: "announcement_id n", text: "name", kept: "blob_key"},
	{name: "announcement_recipients", key: "id", text: "failure kept posted_by", kept: "channel_id mark external_id"},
	{name: "customer_portal_users", key: "customer_id email_folded", text: "email", own: "email_folded IN {emails} OR customer_id IN {customers}", gone: true, kept: "email_folded role"},
	{name: "customer_domains", key: "customer_id domain", own: "customer_id IN {customers}", gone: true, kept: "domain"},
	{name: "customer_channels", key: "channel_id", own: "customer_id IN {customers}", gone: true, kept: "channel_id"},
	{name: "customer_notes", key: "id", text: "text", own: "customer_id IN {customers}", gone: true},
	{name: "customers", key: "id", text: "name owner", own: "id IN {customers}",
		become: "name = '" + ErasedCustomer + "', owner = NULL, revisit = FALSE, portal_enabled = FALSE, portal_for_all = FALSE, external_system = NULL, external_entity_id = NULL, external_deal_id = NULL, version = version + 1",
		kept:   "external_system external_entity_id external_deal_id"},
	{name: "channels", key: "id", text: "name owner", kept: "channel_id"},
	{name: "collections", key: "id", text: "name owner created_by", kept: "kind request_channel_id triage_channel_id auto_assign notify emoji csat email"},
	{name: "collection_turns", key: "collection_id", text: "user_id"},
	{name: "responders", key: "collection_id n", text: "user_id", kept: "email_domain"},
	{name: "teams", key: "id", text: "name", kept: "source source_id"},
	{name: "team_members", key: "team_id user_id", text: "user_id", own: "user_id IN {users}", gone: true},
	{name: "tags", key: "collection_id name", text: "name", named: true},
	{name: "tickets", key: "id", text: "key url", request: "request_id", kept: "type"},
	{name: "ticket_links", key: "id", text: "name", kept: "system external_id status_id status_name state comment_cursor"},
	{name: "views", key: "id", text: "name query"},
	{name: "explorations", key: "id", text: "name", json: "query target", kept: "chart"},
	{name: "dashboards", key: "id", text: "name", json: "filters", kept: "cards date_range"},
	{name: "report_copies", key: "id", text: "email user_id kept failure", kept: "mark channel_id external_id"},
	{name: "report_letters", key: "id", text: "subject html", kept: "mark"},
	{name: "reports", key: "id", text: "failure", kept: "every channel_id stopped member_ids"},
	{name: "quick_replies", key: "id", text: "name html"},
	{name: "tokens", key: "id", text: "name", own: "member_id IN {members}", become: "browser = '', ip = ''", kept: "scope prefix browser ip"},
	{name: "member_identities", key: "id", own: "member_id IN {members}", gone: true, kept: "issuer subject"},
	{name: "member_preferences", key: "member_id", own: "member_id IN {members}", gone: true, kept: "preferences"},
	{name: "member_credentials", key: "id", own: "member_id IN {members}", gone: true, kept: "password"},
	{name: "members", key: "id", text: "name email email_folded", own: "id IN {members}", become: "name = '" + ErasedName + "', email = '" + ErasedEmail + "', email_folded = '" + ErasedEmail + "'", kept: "role"},
	{name: "user_words", key: "word user_ref", own: "user_ref IN (SELECT id FROM users WHERE account_id = {account} AND user_id IN {users})", gone: true},
	{name: "credentials", key: "id", own: "user_id IN {users}", gone: true, kept: "user_id"},
	{name: "users", key: "id", text: "user_id name email email_folded", own: "user_id IN {users}",
		become: "name = '" + ErasedName + "', email = '', email_folded = '', email_domain = '', avatar = '', deleted = TRUE", kept: "avatar email_domain"},
}

// requestOfSubject is the request that an event is about.
const requestOfSubject = "CASE WHEN subject LIKE '" + desk.RequestSubject + "%' THEN substr(subject, 9) END"

// wroteIt and askedIt are conditions: the author of a message or request is erased.
// Of an erased customer, all texts go, and others stay their authors. Who gave no
// address and no user id is known from nowhere else.
const (
	wroteIt = "(author_id IN {users} OR lower(author_email) IN {emails} OR author_id IS NULL AND author_email = '' AND NOT is_responder AND NOT is_bot)"
	askedIt = "(author_id IN {users} OR author_email_folded IN {emails} OR author_id IS NULL AND author_email = '')"
)

// beside says what happens to tables that need something else, and why the others
// need nothing.
var beside = map[string]string{
	"idempotency_keys": "answers that show the person are deleted",
	"jobs":             "arguments and errors are rewritten",
	"postmaster_mails": "mails that name the person are deleted",
	"search_documents": "the documents of all requests with anything of the person are made again",
	"search_index":     "as search_documents",
	"search_words":     "words that no document has any more are deleted",
	"erasures":         "it is the list of what was erased, as keyed digests",

	"accounts": "names and settings of a team", "announcement_replies": "places in a chat system", "channel_readings": "places in a chat system",
	"custom_field_options": "options of a list", "custom_fields": "names and settings",
	"email_addresses": "the team's own addresses",
	"integrations":    "settings", "lanes": "names of processes", "leases": "names of processes", "mailboxes": "the team's own mailboxes",
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

	ErasedCustomer = "Erased customer"
	ErasedDomain   = "erased.invalid"
)
