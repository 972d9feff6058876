package zendesktest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

const hook = `{"webhook":{"name":"Frontdesk","status":"active","endpoint":"%s","http_method":"POST","request_format":"json","subscriptions":["zen:event-type:ticket.comment_added","zen:event-type:ticket.status_changed"]}}`

// ear receives webhook calls.
type ear struct {
	mu      sync.Mutex
	status  int
	headers []http.Header
	bodies  []map[string]any
	raw     [][]byte
}

func (e *ear) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	var body map[string]any
	json.Unmarshal(b, &body)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.headers, e.bodies, e.raw = append(e.headers, r.Header), append(e.bodies, body), append(e.raw, b)
	if e.status != 0 {
		w.WriteHeader(e.status)
	}
}

// heard returns the texts of the comments that arrived, in order.
func (e *ear) heard() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all []string
	for _, b := range e.bodies {
		all = append(all, fmt.Sprint(at(b, "event.comment.body")))
	}
	e.bodies = nil
	return strings.Join(all, " ")
}

// listen creates a webhook for an ear and returns its secret.
func (w *world) listen() (*ear, string) {
	e := &ear{}
	server := httptest.NewServer(e)
	w.t.Cleanup(server.Close)
	status, out := w.ask("POST", "/api/v2/webhooks", fmt.Sprintf(hook, server.URL))
	want(w.t, "made", status, 201)
	status, secret := w.ask("GET", "/api/v2/webhooks/"+at(out, "webhook.id").(string)+"/signing_secret", "")
	want(w.t, "secret", []any{status, at(secret, "signing_secret.algorithm")}, []any{200, "SHA256"})
	return e, at(secret, "signing_secret.secret").(string)
}

func TestWebhooks(t *testing.T) {
	w := newWorld(t, Config{})
	status, out := w.ask("POST", "/api/v2/webhooks", fmt.Sprintf(hook, "https://desk.test/hook"))
	want(t, "made", []any{status, at(out, "webhook.status")}, []any{201, "active"})
	id := at(out, "webhook.id").(string)
	_, out = w.ask("GET", "/api/v2/webhooks?page[size]=1", "")
	want(t, "listed", []any{at(out, "webhooks.0.endpoint"), at(out, "webhooks.0.subscriptions.1"), at(out, "meta.has_more")},
		[]any{"https://desk.test/hook", "zen:event-type:ticket.status_changed", false})
	_, out = w.ask("GET", "/api/v2/webhooks?filter[name_contains]=toast", "")
	want(t, "filtered", at(out, "webhooks.0"), nil)
	status, _ = w.ask("DELETE", "/api/v2/webhooks/"+id, "")
	want(t, "deleted", status, 204)
	for _, c := range [][2]string{{"DELETE", ""}, {"GET", ""}, {"GET", "/signing_secret"}} {
		status, out = w.ask(c[0], "/api/v2/webhooks/"+id+c[1], "")
		want(t, "gone", []any{status, at(out, "errors.0.code")}, []any{404, "WebhookNotFound"})
	}
	good := fmt.Sprintf(hook, "https://desk.test/hook")
	for old, new := range map[string]string{
		`"name":"Frontdesk",`: ``, `"status":"active",`: ``, `"https://desk.test/hook"`: `"desk"`, `"http_method":"POST",`: ``, `"request_format":"json",`: ``,
		`"POST"`: `"PUT"`, `"json"`: `"xml"`, `ticket.comment_added`: `ticket.exploded`, `zen:event-type:ticket.comment_added`: `conditional_ticket_events`, `"webhook"`: `"hook"`,
	} {
		status, out := w.ask("POST", "/api/v2/webhooks", strings.Replace(good, old, new, 1))
		want(t, old, []any{status, at(out, "errors.0.code")}, []any{400, "InvalidWebhook"})
	}
	w.z.SetRole("agent")
	status, out = w.ask("POST", "/api/v2/webhooks", good)
	want(t, "as an agent", []any{status, at(out, "error.title")}, []any{403, "Forbidden"})
	want(t, "endpoints", len(w.z.Endpoints()), 0)
}

func TestDelivery(t *testing.T) {
	w := newWorld(t, Config{})
	e, secret := w.listen()
	id := w.z.AddTicket(w.mira, "Printer", "<p>Fire.</p>") // no webhook is subscribed to that
	comment := w.z.Say(id, w.jo, "<p>one</p>", false)
	w.z.SetStatus(id, w.jo, "solved")
	w.z.Settle()
	want(t, "sent", w.z.Deliveries(), []Delivery{{commentAdded, id, 200, false}, {statusChanged, id, 200, false}})
	h := e.headers[0]
	want(t, "signature", h.Get("X-Zendesk-Webhook-Signature"), Sign(secret, h.Get("X-Zendesk-Webhook-Signature-Timestamp"), e.raw[0]))
	for path, v := range map[string]any{"type": commentAdded, "subject": "zen:ticket:1", "detail.id": "1", "detail.status": "NEW", "zendesk_event_version": "2022-11-06",
		"event.comment.id": fmt.Sprint(comment), "event.comment.body": "one", "event.comment.is_public": false, "event.comment.author.name": "Jo", "event.comment.author.is_staff": true} {
		want(t, path, at(e.bodies[0], path), v)
	}
	for path, v := range map[string]any{"type": statusChanged, "event.current": "SOLVED", "event.previous": "NEW"} {
		want(t, path, at(e.bodies[1], path), v)
	}
	if h.Get("X-Zendesk-Webhook-Invocation-Id") == e.headers[1].Get("X-Zendesk-Webhook-Invocation-Id") || at(e.bodies[0], "id") == at(e.bodies[1], "id") {
		t.Error("two events have one name")
	}
}

func TestDeliveriesGoAstray(t *testing.T) {
	w := newWorld(t, Config{})
	e, _ := w.listen()
	id := w.z.AddTicket(w.mira, "Printer", "<p>Fire.</p>")
	say := func(texts ...string) {
		for _, text := range texts {
			w.z.Say(id, w.jo, "<p>"+text+"</p>", true)
		}
	}
	w.z.Lose(1)
	say("lost", "kept")
	w.z.Settle()
	want(t, "lost", e.heard(), "kept")
	w.z.Double(1)
	say("twice", "once")
	w.z.Settle()
	want(t, "twice", e.heard(), "twice twice once")
	want(t, "by one name", e.headers[1].Get("X-Zendesk-Webhook-Invocation-Id"), e.headers[2].Get("X-Zendesk-Webhook-Invocation-Id"))
	w.z.Hold()
	say("a", "b", "c")
	w.z.Settle()
	want(t, "held", e.heard(), "")
	w.z.Reverse()
	w.z.Settle()
	want(t, "reversed", e.heard(), "c b a")
	w.z.Hold()
	say("a", "b")
	w.z.Release()
	w.z.Settle()
	want(t, "late", e.heard(), "a b")

	// A call that the endpoint cannot accept now is retried for a while.
	e.mu.Lock()
	e.status = 503
	e.mu.Unlock()
	say("x")
	w.z.Settle()
	want(t, "again", e.heard(), "x x x x")
}
