package zendesktest

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

const (
	commentAdded  = "zen:event-type:ticket.comment_added"
	statusChanged = "zen:event-type:ticket.status_changed"
	created       = "zen:event-type:ticket.created"
	// conditional is the type of webhooks that a trigger calls, not an event.
	conditional = "conditional_ticket_events"
)

// eventTypes are the ticket events that a webhook can subscribe to. Only the first
// three happen here.
var eventTypes = []string{commentAdded, statusChanged, created,
	"zen:event-type:ticket.agent_assignment_changed", "zen:event-type:ticket.attachment_linked_to_comment",
	"zen:event-type:ticket.comment_made_private", "zen:event-type:ticket.comment_redacted", "zen:event-type:ticket.custom_status_changed",
	"zen:event-type:ticket.description_changed", "zen:event-type:ticket.group_assignment_changed", "zen:event-type:ticket.merged",
	"zen:event-type:ticket.permanently_deleted", "zen:event-type:ticket.priority_changed", "zen:event-type:ticket.requester_changed",
	"zen:event-type:ticket.soft_deleted", "zen:event-type:ticket.subject_changed", "zen:event-type:ticket.tags_changed",
	"zen:event-type:ticket.undeleted",
}

type webhook struct {
	number  int64 // for pages
	id      string
	secret  string
	created time.Time
	given   newWebhook
}

type newWebhook struct {
	Name          string   `json:"name"`
	Status        string   `json:"status"`
	Endpoint      string   `json:"endpoint"`
	HTTPMethod    string   `json:"http_method"`
	RequestFormat string   `json:"request_format"`
	Subscriptions []string `json:"subscriptions"`
}

// problem returns what is wrong with a webhook, or an empty string.
func (n newWebhook) problem() string {
	at, err := url.Parse(n.Endpoint)
	events := slices.ContainsFunc(n.Subscriptions, func(s string) bool { return s != conditional })
	switch {
	case n.Name == "":
		return "name is required"
	case n.Status != "active" && n.Status != "inactive":
		return "status must be active or inactive"
	case err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http":
		return "endpoint must be a URL"
	case !slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE"}, n.HTTPMethod):
		return "http_method must be GET, POST, PUT, PATCH or DELETE"
	case !slices.Contains([]string{"json", "xml", "form_encoded"}, n.RequestFormat):
		return "request_format must be json, xml or form_encoded"
	case events && (n.HTTPMethod != "POST" || n.RequestFormat != "json"):
		return "a webhook that is subscribed to events must have the method POST and the format json"
	case events && slices.Contains(n.Subscriptions, conditional):
		return "conditional_ticket_events cannot be together with events"
	}
	for _, s := range n.Subscriptions {
		if s != conditional && !slices.Contains(eventTypes, s) {
			return "there is no event " + s
		}
	}
	return ""
}

// createWebhook serves POST /api/v2/webhooks.
func (z *Zendesk) createWebhook(c *call) reply {
	var body struct {
		Webhook *newWebhook `json:"webhook"`
	}
	if bad := c.read(&body); bad != nil {
		return *bad
	}
	if body.Webhook == nil {
		return failures(http.StatusBadRequest, "InvalidWebhook", "webhook is required")
	}
	if p := body.Webhook.problem(); p != "" {
		return failures(http.StatusBadRequest, "InvalidWebhook", p)
	}
	w := &webhook{number: z.id(), id: "01" + rand.Text()[:24], secret: rand.Text() + "==", created: z.now(), given: *body.Webhook}
	z.webhooks = append(z.webhooks, w)
	return reply{http.StatusCreated, object{"webhook": w.json(z.me)}}
}

// listWebhooks serves GET /api/v2/webhooks.
func (z *Zendesk) listWebhooks(c *call) reply {
	var all []item
	for _, w := range z.webhooks {
		name, status := c.query.Get("filter[name_contains]"), c.query.Get("filter[status]")
		if strings.Contains(w.given.Name, name) && (status == "" || status == w.given.Status) {
			all = append(all, item{id: w.number, json: w.json(z.me)})
		}
	}
	r, _ := cursorPage(c, "webhooks", all)
	return r
}

var noWebhook = failures(http.StatusNotFound, "WebhookNotFound", "there is no such webhook")

// ofWebhook wraps a call about the webhook that the path names.
func (z *Zendesk) ofWebhook(fn func(*call, *webhook) reply) func(*call) reply {
	return func(c *call) reply {
		for _, w := range z.webhooks {
			if w.id == c.r.PathValue("id") {
				return fn(c, w)
			}
		}
		return noWebhook
	}
}

// showWebhook serves GET /api/v2/webhooks/{id}.
func (z *Zendesk) showWebhook(_ *call, w *webhook) reply {
	return reply{http.StatusOK, object{"webhook": w.json(z.me)}}
}

// showSecret serves GET /api/v2/webhooks/{id}/signing_secret.
func (z *Zendesk) showSecret(_ *call, w *webhook) reply {
	return reply{http.StatusOK, object{"signing_secret": object{"algorithm": "SHA256", "secret": w.secret}}}
}

// deleteWebhook serves DELETE /api/v2/webhooks/{id}.
func (z *Zendesk) deleteWebhook(_ *call, w *webhook) reply {
	z.webhooks = slices.DeleteFunc(z.webhooks, func(o *webhook) bool { return o == w })
	return reply{status: http.StatusNoContent}
}

func (w *webhook) json(by *User) object {
	return object{
		"id": w.id, "name": w.given.Name, "status": w.given.Status, "endpoint": w.given.Endpoint, "http_method": w.given.HTTPMethod,
		"request_format": w.given.RequestFormat, "subscriptions": append([]string{}, w.given.Subscriptions...),
		"created_at": stamp(w.created), "created_by": strconv.FormatInt(by.ID, 10), "updated_at": stamp(w.created), "updated_by": strconv.FormatInt(by.ID, 10),
	}
}

// Endpoints returns the addresses of the active webhooks.
func (z *Zendesk) Endpoints() (all []string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	for _, w := range z.webhooks {
		if w.given.Status == "active" {
			all = append(all, w.given.Endpoint)
		}
	}
	return all
}

// tell notifies the webhooks of an update.
func (z *Zendesk) tell(t *ticket, a *audit) {
	if len(t.audits) == 1 {
		z.event(t, a, created, object{})
		return
	}
	for _, ch := range a.changes {
		if ch.field == "status" {
			z.event(t, a, statusChanged, object{"current": strings.ToUpper(ch.to), "previous": strings.ToUpper(ch.from)})
		}
	}
	if c := a.comment; c != nil {
		by := z.user(c.author)
		z.event(t, a, commentAdded, object{"comment": object{
			"id": strconv.FormatInt(c.id, 10), "body": toText(c.html), "is_public": c.public,
			"author": object{"id": strconv.FormatInt(by.ID, 10), "is_staff": by.Role != "end-user", "name": by.Name},
		}})
	}
}

// event sends an event to its subscribers.
func (z *Zendesk) event(t *ticket, a *audit, kind string, event object) {
	person := func(id int64) string { return strconv.FormatInt(id, 10) }
	event["meta"] = object{"sequence": object{"id": person(a.id), "position": 1, "total": 1}}
	body, err := json.Marshal(object{
		"account_id": accountID, "id": uuid.NewString(), "type": kind, "zendesk_event_version": "2022-11-06",
		"subject": fmt.Sprintf("zen:ticket:%d", t.id), "time": z.cfg.Now().UTC().Format(time.RFC3339Nano), "event": event,
		"detail": object{
			"id": person(t.id), "subject": t.subject, "status": strings.ToUpper(t.status), "description": toText(t.comments()[0].html),
			"actor_id": person(a.author), "requester_id": person(t.requester), "submitter_id": person(t.requester), "assignee_id": nil,
			"brand_id": "1", "custom_status": "1", "external_id": nil, "form_id": "1", "group_id": nil, "organization_id": nil, "priority": nil, "type": nil,
			"is_public": true, "tags": []string{}, "via": object{"channel": a.via}, "created_at": stamp(t.created), "updated_at": stamp(t.updated),
		},
	})
	if err != nil {
		panic(err)
	}
	for _, w := range z.webhooks {
		if w.given.Status == "active" && slices.Contains(w.given.Subscriptions, kind) {
			z.post.add(letter{webhook: w.id, endpoint: w.given.Endpoint, secret: w.secret, invocation: "01" + rand.Text()[:24], kind: kind, ticket: t.id, body: body})
		}
	}
}
