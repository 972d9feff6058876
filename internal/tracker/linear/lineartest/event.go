package lineartest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// event is a change and the webhooks that Linear notifies of it.
type event struct {
	kind  string // Issue
	body  fields
	hooks []*webhook
}

// happened makes an event from a change. announce sends it.
func (s *Server) happened(kind, action string, who *user, in *team, data fields, url string, from fields) *event {
	body := fields{"action": action, "type": kind, "createdAt": s.now().Format(millis), "organizationId": s.org.id, "data": data, "url": url, "actor": nil}
	if who != nil {
		body["actor"] = fields{"id": who.id, "type": "user", "name": who.name, "email": who.email, "url": s.address("profiles", who.displayName())}
	}
	if from != nil {
		body["updatedFrom"] = from
	}
	e := &event{kind: kind, body: body}
	for _, w := range s.webhooks {
		mine := w.team == in || w.allPublicTeams && !in.private
		if w.enabled && mine && slices.Contains(w.resourceTypes, kind) {
			kept := *w
			e.hooks = append(e.hooks, &kept)
		}
	}
	return e
}

// announce sends an event once the call that made it releases the workspace.
func (c *call) announce(e *event) {
	if e != nil {
		c.after = append(c.after, func() { c.s.announce(e) })
	}
}

func (s *Server) announce(e *event) {
	if e == nil {
		return
	}
	for _, w := range e.hooks {
		s.hooks.send(&delivery{id: newID(), kind: e.kind, hook: w, body: e.body})
	}
}

// shown returns an issue as a webhook sends it.
func (i *issue) shown(s *Server) fields {
	f := fields{
		"id": i.id, "createdAt": i.createdAt.Format(millis), "updatedAt": i.updatedAt.Format(millis), "archivedAt": nil, "number": i.number, "title": i.title,
		"description": optional(i.description), "priority": i.priority, "priorityLabel": priorities[int(i.priority)], "identifier": i.identifier(), "url": s.issueURL(i),
		"teamId": i.team.id, "team": i.team.shown(), "stateId": i.state.id, "state": i.state.shown(), "creatorId": nil,
		"startedAt": stamp(i.startedAt), "completedAt": stamp(i.completedAt), "canceledAt": stamp(i.canceledAt),
		"previousIdentifiers": []string{}, "labelIds": []string{}, "labels": []string{}, "subscriberIds": []string{}, "reactionData": []string{},
		"sortOrder": 0, "prioritySortOrder": 0,
	}
	if i.creator != nil {
		f["creatorId"], f["creator"] = i.creator.id, i.creator.shown(s)
	}
	return f
}

// shown returns a comment as a webhook sends it.
func (co *comment) shown(s *Server) fields {
	f := fields{
		"id": co.id, "createdAt": co.createdAt.Format(millis), "updatedAt": co.updatedAt.Format(millis), "archivedAt": nil, "body": co.body,
		"editedAt": stamp(co.editedAt), "quotedText": optional(co.quotedText), "issueId": co.issue.id, "reactionData": []string{}, "parentId": nil, "userId": nil,
		"issue": fields{"id": co.issue.id, "identifier": co.issue.identifier(), "title": co.issue.title, "teamId": co.issue.team.id, "team": co.issue.team.shown(), "url": s.issueURL(co.issue)},
	}
	if co.parent != nil {
		f["parentId"] = co.parent.id
	}
	if co.user != nil {
		f["userId"], f["user"] = co.user.id, co.user.shown(s)
	} else {
		bot, _ := json.Marshal(fields{"type": "oauthClient", "name": co.app}) // cannot fail
		f["botActor"] = string(bot)
	}
	return f
}

func (t *team) shown() fields { return fields{"id": t.id, "key": t.key, "name": t.name} }

func (st *state) shown() fields {
	return fields{"id": st.id, "name": st.name, "type": st.kind, "color": st.color()}
}

func (u *user) shown(s *Server) fields {
	return fields{"id": u.id, "name": u.name, "email": u.email, "url": s.address("profiles", u.displayName())}
}

// delivery is a webhook call without its time.
type delivery struct {
	id   string
	kind string
	hook *webhook
	body fields
	raw  []byte // as last sent
	at   time.Time
}

// stamped returns the delivery as it is sent at the given time.
func (d *delivery) stamped(now time.Time) *delivery {
	body := maps.Clone(d.body)
	body["webhookTimestamp"], body["webhookId"] = now.UnixMilli(), d.hook.id
	raw, err := json.Marshal(body)
	if err != nil {
		panic(err) // only for a type without a JSON form
	}
	kept := *d
	kept.raw, kept.at = raw, now
	return &kept
}

// request returns the delivery as an HTTP request.
func (d *delivery) request() (*http.Request, error) {
	req, err := http.NewRequest(http.MethodPost, d.hook.url, bytes.NewReader(d.raw))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("User-Agent", "Linear-Webhook")
	req.Header.Set("Linear-Delivery", d.id)
	req.Header.Set("Linear-Event", d.kind)
	req.Header.Set("Linear-Timestamp", strconv.FormatInt(d.at.UnixMilli(), 10))
	req.Header.Set("Linear-Signature", Sign(d.hook.secret, d.raw))
	return req, nil
}

// Sign returns the signature of a body.
func Sign(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}
