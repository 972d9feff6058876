package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/service"
	"frontdesk/internal/sqldb"
)

// Every call that changes something leaves an entry in the audit log that says who
// called, from where, and what it was about. The scripts use each operation in all
// its ways, so this is checked with them.

// trace is the minimum that an operation leaves. Consequences leave entries of
// their own, by the same caller.
type trace struct {
	action, resource string
	// id says where to find the id of the resource: "{id}" in the path, "member.id"
	// in the response, "sent data.ticket_id" in the body. A * stands for each item
	// of a list. One of the places must match.
	id            []string
	before, after bool
}

// traces are those of operations that leave something else than usual; see traceOf.
var traces = map[desk.Operation][]trace{
	desk.UpdateAccount: {{"account.updated", "Account", []string{"account.id"}, true, true}},

	desk.UpdatePreferences:  {}, // see untraced
	desk.UpdateNotification: {},

	desk.InviteMember: {{"member.invited", "Member", []string{"{id}"}, false, false}}, // the member does not change
	desk.UpdateMe: {
		{"member.updated", "Member", []string{"me.member.id"}, true, true},
		{"member.password_set", "Member", []string{"me.member.id"}, false, false},
		{"token.deleted", "Token", nil, true, false}, // with revoke_tokens
	},

	desk.CreateIntegration: {
		{"integration.created", "Integration", []string{"integration.id"}, false, true},
		{"integration.connected", "Integration", []string{"integration.id"}, true, true},
		{"integration.restarted", "Integration", []string{"integration.id"}, true, true},
	},
	desk.UpdateIntegration: {
		{"integration.updated", "Integration", []string{"{id}"}, true, true},
		{"integration.connected", "Integration", []string{"{id}"}, true, true},
	},

	desk.CreateSandbox:      {{"integration.connected", "Integration", []string{"sandbox.integration_id"}, true, true}},
	desk.CreateSandboxToken: {{"sandbox_token.created", "SandboxToken", []string{"token.user_id"}, false, false}}, // it is not stored

	desk.RotateWebhook: {{"webhook.rotated", "Webhook", []string{"{id}"}, true, true}},
	desk.TestWebhook:   {{"webhook.tested", "Webhook", []string{"{id}"}, true, true}},
	desk.ReplayWebhook: {{"webhook.replayed", "Webhook", []string{"{id}"}, true, true}},

	desk.MuteCollection:      {{"collection.muted", "Collection", []string{"{id}"}, true, true}},
	desk.UnmuteCollection:    {{"collection.unmuted", "Collection", []string{"{id}"}, true, true}},
	desk.TestCollectionEmail: {{"collection.email_tested", "Collection", []string{"{id}"}, true, true}},
	desk.AddChannels: {
		{"channel.updated", "Channel", []string{"channels.*.id"}, true, true},
		{"customer.updated", "Customer", []string{"sent channels.*.customer_id"}, true, true},
	},
	desk.DeleteChannel: {{"channel.updated", "Channel", []string{"{id}"}, true, true}},

	desk.CreateRequest:  {{"request.created", "Request", []string{"request.id", "id"}, false, true}},
	desk.ImportRequests: {{"request.created", "Request", []string{"requests.*.id"}, false, true}},
	desk.AddMessage: {
		{"message.created", "Message", []string{"message.id"}, false, true},
		{"waiting_message.created", "WaitingMessage", []string{"waiting_message.id"}, false, true},
	},
	desk.TakeBackMessage: {{"waiting_message.deleted", "WaitingMessage", []string{"{message}"}, true, false}},
	desk.RetryEmail:      {{"message.mailed_again", "Message", []string{"{id}"}, true, true}},
	desk.AcceptEmail:     {{"message.accepted", "Message", []string{"{id}"}, true, true}},
	desk.AddParticipant: {
		{"participant.created", "Participant", []string{"participant.email"}, false, true},
		{"participant.updated", "Participant", []string{"participant.email"}, true, true},
	},
	desk.RemoveParticipant: {{"participant.updated", "Participant", nil, true, true}}, // by their email, which may be written otherwise in the path
	desk.MergeRequests:     {{"request.merged", "Request", []string{"{id}"}, true, true}},
	desk.SplitRequest:      {{"request.split", "Request", []string{"{id}"}, true, true}},
	desk.UndoRequest:       {{"request.undone", "Request", []string{"{id}"}, true, true}},
	desk.CreateTicket: {
		{"ticket.created", "Ticket", []string{"key", "ticket.key", "ticket_id"}, false, true},
		{"ticket.linked", "Ticket", []string{"sent data.ticket_id"}, false, true},
	},
	desk.UnlinkTicket: {{"ticket.unlinked", "Ticket", nil, true, false}}, // by its key, which is not in the call

	desk.SendSurvey:     {{"survey.created", "Survey", []string{"survey.id"}, false, true}},
	desk.AddAgentEvents: {{"agent_session.updated", "AgentSession", []string{"{id}"}, true, true}},

	desk.RestoreExploration: {{"exploration.restored", "Exploration", []string{"{id}"}, false, true}},
	desk.RestoreDashboard:   {{"dashboard.restored", "Dashboard", []string{"{id}"}, false, true}},

	desk.SendDashboard: {{"dashboard.sent", "Dashboard", []string{"{id}"}, true, true}},

	desk.CreateCustomField: {{"custom_field.created", "CustomField", []string{"id"}, false, true}},
	desk.CreateTicketForm:  {{"ticket_form.created", "TicketForm", []string{"form.id", "ticket_form.id"}, false, true}},

	desk.DeleteCustomerNote: {{"customer_note.deleted", "CustomerNote", []string{"{note}"}, true, false}},
	desk.DeleteAnnouncement: {{"announcement.cancelled", "Announcement", []string{"{id}"}, true, false}},
	desk.ResyncAnnouncement: {{"announcement.resynced", "Announcement", []string{"{id}"}, false, false}},     // it does not change; its copies do
	desk.TestAnnouncement:   {{"announcement.tested", "Channel", []string{"sent channel_id"}, false, false}}, // it changes nothing
	desk.RetryAnnouncement:  {{"announcement.retried", "Announcement", []string{"{id}"}, true, true}},
}

// traceOf returns the traces of an operation. As a rule createView leaves
// "view.created", with the id from the response, and so on.
func traceOf(op desk.Operation) []trace {
	if special, ok := traces[op]; ok {
		return special
	}
	for verb, t := range map[string]trace{
		"create": {action: "created", after: true},
		"update": {action: "updated", id: []string{"{id}"}, before: true, after: true},
		"delete": {action: "deleted", id: []string{"{id}"}, before: true},
	} {
		if noun, ok := strings.CutPrefix(string(op), verb); ok {
			name := strings.ToLower(wordStart.ReplaceAllString(noun, "${1}${3}_${2}${4}"))
			if t.resource, t.action = noun, name+"."+t.action; t.id == nil {
				t.id = []string{name + ".id"}
			}
			return []trace{t}
		}
	}
	return nil
}

// wordStart finds where the words of a name such as SLAPolicy meet.
var wordStart = regexp.MustCompile(`([a-z])([A-Z])|([A-Z])([A-Z][a-z])`)

// untraced are operations that take a POST and change nothing, or nothing that
// belongs to anybody else.
var untraced = map[desk.Operation]string{
	desk.SearchCustomers: "it only searches",
	desk.QueryInsights:   "it only asks",
	desk.ExportInsights:  "likewise",
	desk.ReadRequest:     "what somebody has read is their own, and would be most of the log",
	desk.UnreadRequest:   "likewise",
	desk.SetPresence:     "it is stored nowhere, and is over in a moment",
	desk.FollowRequest:   "whom somebody follows is their own, too",
	desk.UnfollowRequest: "likewise",

	desk.UpdatePreferences: "what somebody likes is their own",

	desk.UpdateNotification:  "what somebody has read is their own, too",
	desk.ReadNotifications:   "likewise",
	desk.TestNotification:    "it reaches only the caller",
	desk.PreviewAnnouncement: "it only asks",

	desk.SummariseRequest: "it only asks, too, and what a model answers is kept nowhere",
	desk.DraftReply:       "likewise",
	desk.TranslateMessage: "likewise",
	desk.TranslateText:    "likewise",
}

// nothingChanged are the exchanges that succeed and leave no entry, because nothing
// had to be changed.
var nothingChanged = map[string]string{
	"mute-own: A second time changes nothing":                                  "it is muted",
	"import-hostile: And are found again":                                      "all of them were imported before",
	"link-ticket: A task that is linked already is not asked to be one":        "it is linked to that ticket",
	"link-ticket: Once":                                                        "it is linked to that ticket",
	"link-message: By another name of where the message stands it is the same": "likewise",
	"link-message: In any case":                                                "likewise",
	"participant: Again: the name is kept, and nothing is recorded":            "they take part",
	"agent-session: The same one again":                                        "it is there",
	"channel-move: Moved where it is":                                          "it is there",
	"channel-delete: Again: it stays so":                                       "it is inactive",
	"channel-delete: One that is in no collection stays as it is":              "it is inactive",
	"channel-add-customer: The same again changes nothing":                     "the channels are there, and the customer's",
}

// auditing counts by operation what left a trace.
type auditing struct {
	mu     sync.Mutex
	traced map[desk.Operation]int
	silent map[string]bool // the entries of nothingChanged that were seen
}

// untold returns the operations that change something but never left a trace.
func (a *auditing) untold() (names []string) {
	for _, r := range new(Server).routes() {
		if changes(r.method) && untraced[r.op] == "" && a.traced[r.op] == 0 {
			names = append(names, string(r.op))
		}
	}
	for exchange := range nothingChanged {
		if !a.silent[exchange] {
			names = append(names, exchange+" (which is said to change nothing)")
		}
	}
	slices.Sort(names)
	return names
}

// auditTransport checks after every call what it has left.
type auditTransport struct {
	t       testing.TB
	st      *stage
	all     *auditing
	through http.RoundTripper
	mux     *http.ServeMux
	routes  map[string]route
	name    func() string // of the exchange
}

func watchAudit(t testing.TB, st *stage, all *auditing, name func() string, through http.RoundTripper) http.RoundTripper {
	a := auditTransport{t, st, all, through, http.NewServeMux(), map[string]route{}, name}
	for _, r := range new(Server).routes() {
		pattern := r.method + " " + prefix + r.path
		a.mux.HandleFunc(pattern, func(http.ResponseWriter, *http.Request) {})
		a.routes[pattern] = r
	}
	return a
}

func (a auditTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if !changes(r.Method) {
		return a.through.RoundTrip(r)
	}
	sent, err := drain(&r.Body)
	if err != nil {
		return nil, err
	}
	// Before the call, because it may be the last one of the token or the member.
	_, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	caller, err := a.st.service.Authenticate(r.Context(), secret)
	known := err == nil
	var last desk.AuditLogID
	if known {
		last = a.last(caller.Account)
	}
	w, err := a.through.RoundTrip(r)
	if err != nil || !known {
		return w, err
	}
	body, err := drain(&w.Body)
	if err != nil {
		return nil, err
	}
	// A call can wait for mail, which leaves what it leaves by itself.
	left := slices.DeleteFunc(a.since(caller.Account, last), func(e entryLeft) bool { return e.Source == string(desk.SourceEmail) })
	_, pattern := a.mux.Handler(r)
	route, ok := a.routes[pattern]
	if w.StatusCode > 299 || !ok {
		if len(left) > 0 {
			a.t.Errorf("%s was refused with %d and left %+v", a.name(), w.StatusCode, left)
		}
		return w, nil
	}
	x := exchanged{op: route.op, pattern: route.path, path: strings.TrimPrefix(r.URL.Path, prefix), sent: sent, answered: body, caller: caller, left: left, at: a.st.clock()}
	switch {
	case w.Header.Get("Idempotent-Replayed") != "" || untraced[route.op] != "" || nothingChanged[a.name()] != "":
		if len(left) > 0 {
			a.t.Errorf("%s changes nothing and left %+v", a.name(), left)
		}
		a.all.mu.Lock()
		a.all.silent[a.name()] = true
		a.all.mu.Unlock()
	default:
		for _, problem := range x.problems() {
			a.t.Errorf("%s (%s): %s", a.name(), route.op, problem)
		}
		a.all.mu.Lock()
		a.all.traced[route.op]++
		a.all.mu.Unlock()
	}
	return w, nil
}

func (a auditTransport) last(account desk.AccountID) (id desk.AuditLogID) {
	err := a.st.store.DB().Read(context.Background(), func(tx *sqldb.Tx) error {
		return tx.Row("SELECT coalesce(max(id), 0) FROM audit_logs WHERE account_id = $1", account).Scan(&id)
	})
	if err != nil {
		a.t.Error(err)
	}
	return id
}

// entryLeft is a row of the audit log.
type entryLeft struct {
	Action, Resource, ID, Source, IP string
	Actor                            string // as JSON
	ActorID                          *desk.MemberID
	Before, After                    bool
	At                               int64
}

func (a auditTransport) since(account desk.AccountID, last desk.AuditLogID) (left []entryLeft) {
	err := a.st.store.DB().Read(context.Background(), func(tx *sqldb.Tx) (err error) {
		left, err = sqldb.Collect(tx, func(scan func(...any) error) (e entryLeft, err error) {
			var before, after *string
			err = scan(&e.Action, &e.Resource, &e.ID, &e.Source, &e.IP, &e.Actor, &e.ActorID, &before, &after, &e.At)
			e.Before, e.After = before != nil, after != nil
			return e, err
		}, `SELECT action, resource_type, resource_id, source, ip, actor, actor_id, before, after, at FROM audit_logs
			WHERE account_id = $1 AND id > $2 ORDER BY id`, account, last)
		return err
	})
	if err != nil {
		a.t.Error(err)
	}
	return left
}

// exchanged is a call that succeeded, with what it left.
type exchanged struct {
	op             desk.Operation
	pattern, path  string
	sent, answered []byte
	caller         service.Caller
	left           []entryLeft
	at             time.Time
}

func (x exchanged) problems() (problems []string) {
	if len(x.left) == 0 {
		return []string{"it left no entry in the audit log"}
	}
	source := string(desk.SourceAPI)
	if x.op == desk.ImportRequests {
		source = string(desk.SourceImport)
	}
	actor := fmt.Sprintf(`"name":%q,"email":%q`, x.caller.Actor.Name, x.caller.Actor.Email)
	for _, e := range x.left {
		if e.ActorID == nil || *e.ActorID != x.caller.Actor.ID || !strings.Contains(e.Actor, actor) || e.Source != source || e.IP != "127.0.0.1" || e.At != x.at.UnixMilli() {
			problems = append(problems, fmt.Sprintf("%s is not said to be done by %s, through %s, from here, now: %+v", e.Action, actor, source, e))
		}
	}
	wanted := traceOf(x.op)
	for _, want := range wanted {
		ids := x.ids(want.id)
		if slices.ContainsFunc(x.left, func(e entryLeft) bool {
			return e.Action == want.action && e.Resource == want.resource && (want.id == nil || slices.ContainsFunc(ids, func(id string) bool { return strings.EqualFold(id, e.ID) })) && e.Before == want.before && e.After == want.after
		}) {
			return problems
		}
	}
	return append(problems, fmt.Sprintf("it left %+v, want one of %+v", x.left, wanted))
}

// ids returns what is found at some places of the exchange.
func (x exchanged) ids(places []string) (ids []string) {
	for _, place := range places {
		if strings.HasPrefix(place, "{") {
			parts := strings.Split(x.path, "/")
			if i := slices.Index(strings.Split(x.pattern, "/"), place); i >= 0 && i < len(parts) {
				ids = append(ids, parts[i])
			}
			continue
		}
		text := x.answered
		if rest, ok := strings.CutPrefix(place, "sent "); ok {
			place, text = rest, x.sent
		}
		var v any
		d := json.NewDecoder(strings.NewReader(string(text)))
		d.UseNumber()
		if d.Decode(&v) == nil {
			ids = append(ids, valuesAt(v, strings.Split(place, "."))...)
		}
	}
	return ids
}

func valuesAt(v any, place []string) (found []string) {
	if len(place) == 0 {
		if v == nil {
			return nil
		}
		return []string{strings.Trim(fmt.Sprint(v), " #")}
	}
	switch v := v.(type) {
	case map[string]any:
		if inner, ok := v[place[0]]; ok {
			return valuesAt(inner, place[1:])
		}
	case []any:
		if place[0] == "*" {
			for _, inner := range v {
				found = append(found, valuesAt(inner, place[1:])...)
			}
		}
	}
	return found
}

// The table has every operation that changes something, and no other.
func TestTracesAreOfOperationsThatChange(t *testing.T) {
	ops := map[desk.Operation]bool{}
	for _, r := range new(Server).routes() {
		if !changes(r.method) {
			continue
		}
		ops[r.op] = true
		if (len(traceOf(r.op)) > 0) == (untraced[r.op] != "") {
			t.Errorf("%s must leave a trace or be in untraced", r.op)
		}
	}
	for _, op := range append(slices.Collect(maps.Keys(traces)), slices.Collect(maps.Keys(untraced))...) {
		if !ops[op] {
			t.Errorf("%s changes nothing", op)
		}
	}
}
