package rest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// secretOps use, each in its own way, an operation that takes or returns a secret.
// They return what is secret.
var secretOps = []struct {
	op desk.Operation
	do func(l *secrets) []string
}{
	{desk.CreateToken, func(l *secrets) []string {
		var made struct{ Token struct{ Secret string } }
		l.call("POST", "/tokens", `{"name": "mine", "scope": "read_write"}`, &made)
		return []string{made.Token.Secret}
	}},
	{desk.InviteMember, func(l *secrets) []string {
		var made struct{ Invitation struct{ URL string } }
		l.call("POST", "/members/"+l.ids["agent"]+"/invitation", "", &made)
		_, code, _ := strings.Cut(made.Invitation.URL, "#")
		return []string{code}
	}},
	{desk.UpdateMe, func(l *secrets) []string {
		r, err := l.request("PATCH", "/me", `{"password": {"new": "marker-password"}}`)
		if err != nil {
			l.t.Fatal(err)
		}
		r.Header.Del("Authorization")
		r.AddCookie(&http.Cookie{Name: desk.SessionCookie(false), Value: l.ids["admin.session.secret"]})
		if w, text, err := l.do(r); err != nil || w.StatusCode != http.StatusOK {
			l.t.Fatalf("set a password: %v %v %s", w, err, text)
		}
		return []string{"marker-password", l.ids["admin.session.secret"]}
	}},
	{desk.CreateIntegration, func(l *secrets) []string {
		l.call("POST", "/integrations", `{"kind": "linear", "credentials": {"token": "good-marker-linear"}}`, nil)
		// This one is completed by a person. The address has a state that can be
		// used once.
		var made struct {
			Integration struct {
				AuthorizeURL string `json:"authorize_url"`
			}
		}
		l.as = "other admin"
		l.call("POST", "/integrations", `{"kind": "slack"}`, &made)
		l.as = "admin"
		address, err := url.Parse(made.Integration.AuthorizeURL)
		if err != nil {
			l.t.Fatal(err)
		}
		return []string{"good-marker-linear", address.Query().Get("state")}
	}},
	{desk.CreateSandboxToken, func(l *secrets) []string {
		l.as = "other admin"
		var made struct {
			Sandbox struct {
				ID json.Number `json:"integration_id"`
			}
		}
		l.call("POST", "/sandbox", "", &made)
		var token struct{ Token struct{ Secret string } }
		l.call("POST", "/sandbox/token", `{"user_id": "U_MAYA"}`, &token)
		l.call("DELETE", "/integrations/"+made.Sandbox.ID.String(), "", nil)
		l.as = "admin"
		return []string{token.Token.Secret, "xoxb-made-marker", "xoxp-owner-marker"}
	}},
	{desk.UpdateIntegration, func(l *secrets) []string {
		var list struct{ Integrations []struct{ ID json.Number } }
		l.call("GET", "/integrations", "", &list)
		for _, i := range list.Integrations {
			r, err := l.request("PATCH", "/integrations/"+i.ID.String(), `{"credentials": {"token": "good-marker-renewed"}}`)
			if err != nil {
				l.t.Fatal(err)
			}
			if w, _, err := l.do(r); err == nil && w.StatusCode == http.StatusOK { // it is the ticket system
				return []string{"good-marker-renewed"}
			}
		}
		l.t.Error("no credential was changed")
		return nil
	}},
	{desk.CreateCollection, func(l *secrets) []string {
		l.call("POST", "/collections", `{"name": "Mail", "kind": "email", "email_config": {"address": "secrets-`+l.ids["account"]+`@acme.example",
			"mailbox": {"host": "imap.acme.example", "user": "u", "password": "marker-mailbox"}}}`, nil)
		return []string{"marker-mailbox"}
	}},
	{desk.UpdateCollection, func(l *secrets) []string {
		var list struct{ Collections []struct{ ID json.Number } }
		l.call("GET", "/collections", "", &list)
		l.call("PATCH", "/collections/"+list.Collections[0].ID.String(), `{"email_config": {"mailbox": {"password": "marker-changed-mailbox"}}}`, nil)
		return []string{"marker-changed-mailbox"}
	}},
	{desk.CreateWebhook, func(l *secrets) []string {
		var made struct{ Webhook struct{ Secret string } }
		l.call("POST", "/webhooks", `{"url": "https://hooks.acme.example/x"}`, &made)
		return []string{made.Webhook.Secret}
	}},
	{desk.SendSurvey, func(l *secrets) []string {
		l.call("POST", "/collections", `{"name": "Asks", "kind": "api", "csat_config": {"enabled": true}}`, nil)
		var made struct{ Request struct{ ID string } }
		l.call("POST", "/requests", `{"description": "Help"}`, &made)
		var sent struct {
			Survey struct {
				URL string `json:"answer_url"`
			}
		}
		l.call("POST", "/requests/"+made.Request.ID+"/survey", "", &sent)
		return []string{sent.Survey.URL[strings.LastIndex(sent.Survey.URL, "/")+1:]}
	}},
	{desk.RotateWebhook, func(l *secrets) []string {
		var list struct{ Webhooks []struct{ ID json.Number } }
		l.call("GET", "/webhooks", "", &list)
		var made struct{ Webhook struct{ Secret string } }
		l.call("POST", "/webhooks/"+list.Webhooks[0].ID.String()+"/rotate", "{}", &made)
		return []string{made.Webhook.Secret}
	}},
}

// mailTokens has a mail come in, answers it, and has an answer come in that repeats
// the addresses of that mail wherever it can. It returns the tokens in them, and what
// can be read of the mails.
func (l *secrets) mailTokens() (tokens []string, read string) {
	address := "tokens-" + l.ids["account"] + "@reply.desk.example"
	l.call("POST", "/collections", `{"name": "Tokens", "kind": "email", "email_config": {"address": "`+address+`"}}`, nil)
	l.receives("unknown\nFrom: jo@customer.example\nTo: " + address + "\nSubject: The door\n\nIt does not open.")
	var list struct {
		Requests []struct {
			ID       json.Number
			Messages []struct{ ID json.Number }
		}
	}
	l.call("GET", "/requests?include=messages", "", &list)
	l.call("POST", "/requests/"+list.Requests[0].ID.String()+"/message", `{"html_body": "Push it."}`, nil)
	if err := l.sendMails(); err != nil {
		l.t.Fatal(err)
	}
	sent := l.relay.take()
	for _, m := range regexp.MustCompile(`(?:reply|bounce)\+([a-z0-9]+)@`).FindAllStringSubmatch(sent, -1) {
		tokens = append(tokens, m[1])
	}
	if len(tokens) != 2 {
		l.t.Fatalf("a mail has %d tokens: %s", len(tokens), sent)
	}
	reply, bounce := "reply+"+tokens[0]+"@reply.desk.example", "bounce+"+tokens[1]+"@reply.desk.example"
	if strings.Contains(sent, "reply+"+tokens[1]) {
		reply, bounce = "reply+"+tokens[1]+"@reply.desk.example", "bounce+"+tokens[0]+"@reply.desk.example"
	}
	l.receives("passed to " + reply + "\nFrom: jo@customer.example\nTo: \"" + reply + "\" <" + reply + ">\nCc: " + bounce + ", x@elsewhere.example\nSubject: Re: " + reply +
		"\n\nWho is " + reply + "? Please help, " + bounce + ".\n\n> From " + reply + "\n> Push it.")
	l.receives("unknown\nFrom: jo@customer.example\nTo: " + address + ", " + reply + "\nSubject: To " + reply + "\n\nI wrote to " + reply + ", too.")
	read = l.call("GET", "/requests?include=messages", "", &list)
	for _, r := range list.Requests {
		read += l.call("GET", "/requests/"+r.ID.String()+"/participants", "", nil)
		for _, m := range r.Messages {
			for _, part := range []string{"/email", "/email/source"} {
				r, err := l.request("GET", "/messages/"+m.ID.String()+part, "")
				if err != nil {
					l.t.Fatal(err)
				}
				_, text, _ := l.do(r) // 404 for what is no mail
				read += text
			}
		}
	}
	if !strings.Contains(read, "Who is reply+…@reply.desk.example?") || strings.Count(read, "Subject: Re: ") != 1 {
		l.t.Errorf("the answer was not read: %s", read)
	}
	return tokens, read
}

func (l *secrets) receives(mail string) {
	l.t.Helper()
	if err := l.receiveMail(mail); err != nil {
		l.t.Fatal(err)
	}
}

type secrets struct {
	*stage
	t  testing.TB
	as string
}

func (l *secrets) request(method, path, body string) (*http.Request, error) {
	r, err := http.NewRequest(method, l.server.URL+prefix+path, strings.NewReader(body))
	if err == nil {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+l.callers[l.as].secret)
	}
	return r, err
}

func (l *secrets) call(method, path, body string, v any) string {
	l.t.Helper()
	r, err := l.request(method, path, body)
	if err != nil {
		l.t.Fatal(err)
	}
	w, text, err := l.do(r)
	if err != nil || w.StatusCode > 299 {
		l.t.Fatalf("%s %s: %v %v %s", method, path, w, err, text)
	}
	if v != nil {
		if err := json.Unmarshal([]byte(text), v); err != nil {
			l.t.Fatal(err)
		}
	}
	return text
}

// Every operation that takes or returns a secret is called. None of the secrets is
// in the audit log, in the feed, or in an export.
func TestSecretsAreInNoRecord(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		l := &secrets{newStage(t, db, scriptRate{}), t, "admin"}
		found := secretOperations(t)
		var markers []string
		for _, s := range secretOps {
			markers = append(markers, s.do(l)...)
			if !slices.Contains(found, s.op) {
				t.Errorf("the API document has no secret for %s", s.op)
			}
			found = slices.DeleteFunc(found, func(op desk.Operation) bool { return op == s.op })
		}
		if len(found) > 0 {
			t.Errorf("%v take or give a secret, and secretOps does not do them", found)
		}
		// The same for the command line.
		account := l.callers["other admin"].Account
		_, err := l.service.Install(context.Background(), account, desk.Slack, chat.Installation{Workspace: "T_SECRET", Name: "Acme",
			Bot: chat.Credential{User: "U_BOT", Token: "xoxb-marker"}, Person: &chat.Credential{User: "U_MIRA", Token: "xoxp-marker"}})
		if err != nil {
			t.Fatal(err)
		}
		markers = append(markers, "xoxb-marker", "xoxp-marker")

		tokens, read := l.mailTokens()
		markers = append(markers, tokens...)

		if err := l.numberEvents(); err != nil {
			t.Fatal(err)
		}
		places := map[string]string{"what is read of mails": read}
		for _, as := range []string{"admin", "other admin"} {
			l.as = as
			places[as+"'s list"] = l.call("GET", "/audit-logs?limit=100", "", nil)
			places[as+"'s lines"] = l.call("GET", "/audit-logs/export", "", nil)
			places[as+"'s CSV"] = l.call("GET", "/audit-logs/export?format=csv", "", nil)
			places[as+"'s feed"] = l.call("GET", "/events", "", nil) + strings.Repeat(" ", 50)
		}
		for name, columns := range map[string]string{
			"the rows of the log": "CAST(actor AS TEXT) || action || resource_type || resource_id || ip || coalesce(CAST(before AS TEXT), '') || coalesce(CAST(after AS TEXT), '') FROM audit_logs",
			"the rows of events":  "data FROM events",
			"waiting jobs":        "args FROM jobs",
		} {
			err := db.Read(context.Background(), func(tx *sqldb.Tx) error {
				rows, err := sqldb.Collect(tx, func(scan func(...any) error) (text string, err error) {
					err = scan(&text)
					return text, err
				}, "SELECT "+columns)
				places[name] = strings.Join(rows, "\n") + strings.Repeat(" ", 50)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for place, text := range places {
			if len(text) < 50 {
				t.Errorf("there is nothing in %s to look at: %q", place, text)
			}
			for _, m := range markers {
				if len(m) < 8 {
					t.Fatalf("%q is no secret", m)
				}
				if i := strings.Index(text, m); i >= 0 {
					t.Errorf("%s is in %s: …%.200s", m, place, text[max(0, i-60):])
				}
			}
		}
		if all := places["admin's lines"]; !strings.Contains(all, "token.created") || !strings.Contains(all, "integration.connected") {
			t.Errorf("the operations were not recorded: %s", all)
		}
	})
}

// secretNames are the fields that hold a secret if they are strings.
var secretNames = []string{"token", "secret", "password", "authorize_url", "signing_secret", "webhook_secret", "api_key", "client_secret", "answer_url"}

// secretOperations returns the operations that have a secret in their body or
// response, according to the API document.
func secretOperations(t testing.TB) (ops []desk.Operation) {
	t.Helper()
	text, err := openapi()
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	for _, item := range doc["paths"].(map[string]any) {
		for _, operation := range item.(map[string]any) {
			o, ok := operation.(map[string]any)
			if !ok {
				continue
			}
			id, _ := o["operationId"].(string)
			if hasSecret(doc, o, map[string]bool{}) {
				ops = append(ops, desk.Operation(id))
			}
		}
	}
	return ops
}

func hasSecret(doc map[string]any, v any, seen map[string]bool) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, func(inner any) bool { return hasSecret(doc, inner, seen) })
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			if seen[ref] {
				return false
			}
			seen[ref] = true
			var at any = doc
			for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
				at = at.(map[string]any)[part]
			}
			return hasSecret(doc, at, seen)
		}
		properties, _ := v["properties"].(map[string]any)
		for name, p := range properties {
			schema, _ := p.(map[string]any)
			if schema != nil && (slices.Contains(secretNames, name) || schema["format"] == "password") && isText(schema["type"]) {
				return true
			}
		}
		for name, inner := range v {
			if name != "example" && name != "examples" && hasSecret(doc, inner, seen) {
				return true
			}
		}
	}
	return false
}

func isText(kind any) bool {
	kinds, _ := kind.([]any)
	return kind == "string" || slices.Contains(kinds, any("string"))
}
