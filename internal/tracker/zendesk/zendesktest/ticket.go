package zendesktest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// mostComment is the maximum length of a comment in characters.
const mostComment = 65535

type ticket struct {
	id        int64
	subject   string
	status    string
	requester int64
	deleted   bool
	created   time.Time
	updated   time.Time
	audits    []*audit
}

// audit is one update of a ticket.
type audit struct {
	id      int64
	at      time.Time
	author  int64
	via     string
	custom  json.RawMessage // metadata.custom, as given
	changes []change
	comment *comment // nil for none
}

type change struct{ field, from, to string }

type comment struct {
	id     int64
	audit  *audit
	author int64
	html   string
	public bool
}

// comments returns the ticket's comments, oldest first.
func (t *ticket) comments() (all []*comment) {
	for _, a := range t.audits {
		if a.comment != nil {
			all = append(all, a.comment)
		}
	}
	return all
}

// ticket returns a ticket by id, or nil.
func (z *Zendesk) ticket(id int64) *ticket {
	if id < 1 || id > int64(len(z.tickets)) || z.tickets[id-1].deleted {
		return nil
	}
	return z.tickets[id-1]
}

// statuses returns the statuses that a ticket can have.
func (z *Zendesk) statuses() []string {
	if z.cfg.Hold {
		return []string{"new", "open", "pending", "hold", "solved", "closed"}
	}
	return []string{"new", "open", "pending", "solved", "closed"}
}

// open begins an update.
func (z *Zendesk) open(by *User, via string) *audit {
	return &audit{id: z.id(), at: z.now(), author: by.ID, via: via}
}

func (z *Zendesk) say(a *audit, by *User, html string, public bool) *comment {
	return &comment{id: z.id(), audit: a, author: by.ID, html: withoutScripts(html), public: public}
}

// keep ends an update. It adds it to the ticket and notifies the webhooks.
func (z *Zendesk) keep(t *ticket, a *audit) {
	t.audits = append(t.audits, a)
	t.updated = a.at
	z.tell(t, a)
}

// showTicket serves GET /api/v2/tickets/{id}.
func (z *Zendesk) showTicket(c *call, t *ticket) reply {
	out := object{"ticket": t.json(c)}
	if c.includes("users") {
		out["users"] = z.people(c, []int64{t.requester})
	}
	return reply{http.StatusOK, out}
}

// update has the ticket fields that PUT /api/v2/tickets/{id} accepts. Other fields
// are ignored, as Zendesk does.
type update struct {
	Subject      *string         `json:"subject"`
	Status       *string         `json:"status"`
	Comment      json.RawMessage `json:"comment"`
	Metadata     json.RawMessage `json:"metadata"`
	SafeUpdate   bool            `json:"safe_update"`
	UpdatedStamp *time.Time      `json:"updated_stamp"`
}

type newComment struct {
	Body     *string `json:"body"`
	HTMLBody *string `json:"html_body"`
	Public   *bool   `json:"public"`
	AuthorID *int64  `json:"author_id"`
}

// updateTicket serves PUT /api/v2/tickets/{id}. It does all of it or nothing.
func (z *Zendesk) updateTicket(c *call, t *ticket) reply {
	var body struct {
		Ticket *update `json:"ticket"`
	}
	if bad := c.read(&body); bad != nil {
		return *bad
	}
	u := body.Ticket
	if u == nil {
		return invalidAttribute("ticket", "is required")
	}
	switch {
	case t.status == "closed":
		return invalid("status", "Status: closed prevents ticket update", "")
	case u.Status != nil && !slices.Contains(z.statuses(), *u.Status):
		return invalid("status", "Status: "+*u.Status+" is not included in the list", "InvalidValue")
	case u.SafeUpdate && u.UpdatedStamp == nil:
		return invalidAttribute("updated_stamp", "is required with safe_update")
	case u.SafeUpdate && t.updated.After(*u.UpdatedStamp):
		return conflict
	}
	a := z.open(z.me, "api")
	if bad := z.describe(a, u.Metadata); bad != nil {
		return *bad
	}
	if bad := z.comment(a, u.Comment); bad != nil {
		return *bad
	}
	if u.Subject != nil && *u.Subject != t.subject {
		a.changes = append(a.changes, change{"subject", t.subject, *u.Subject})
		t.subject = *u.Subject
	}
	// A ticket with a public answer is no longer new.
	if u.Status == nil && t.status == "new" && a.comment != nil && a.comment.public {
		open := "open"
		u.Status = &open
	}
	if u.Status != nil && *u.Status != t.status {
		a.changes = append(a.changes, change{"status", t.status, *u.Status})
		t.status = *u.Status
	}
	z.keep(t, a)
	return reply{http.StatusOK, object{"ticket": t.json(c), "audit": a.json(t)}}
}

// mostMetadata is how many bytes of metadata an audit can have.
const mostMetadata = 1024

// describe reads the metadata of an update. It is stored as the custom part of the
// audit's metadata, next to what Zendesk adds.
func (z *Zendesk) describe(a *audit, raw json.RawMessage) *reply {
	if !given(raw) {
		return nil
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return refused(invalidAttribute("metadata", "must be an object"))
	}
	if len(raw) > mostMetadata {
		return refused(invalid("metadata", "Metadata: is too long (maximum is 1024 bytes)", "ValueTooLong"))
	}
	a.custom, _ = json.Marshal(m)
	return nil
}

// comment reads the comment of an update.
func (z *Zendesk) comment(a *audit, raw json.RawMessage) *reply {
	if !given(raw) {
		return nil
	}
	var n newComment
	if json.Unmarshal(raw, &n) != nil {
		return refused(invalidAttribute("comment", "must be an object with a body or an html_body"))
	}
	by, html := z.me, ""
	switch {
	case n.HTMLBody != nil:
		html = *n.HTMLBody
	case n.Body != nil:
		html = fromText(*n.Body)
	}
	if n.AuthorID != nil {
		if by = z.user(*n.AuthorID); by == nil {
			return refused(invalid("author_id", "Author: is invalid", "InvalidValue"))
		}
	}
	switch {
	case strings.TrimSpace(toText(html)) == "":
		return refused(invalid("comment", "Comment: cannot be blank", "BlankValue"))
	case len([]rune(html)) > mostComment:
		return refused(invalid("comment", "Comment: is too long (maximum is 65535 characters)", "ValueTooLong"))
	}
	a.comment = z.say(a, by, html, n.Public == nil || *n.Public)
	return nil
}

func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

func (t *ticket) json(c *call) object {
	return object{
		"id": t.id, "url": c.origin() + "/api/v2/tickets/" + strconv.FormatInt(t.id, 10) + ".json", "external_id": nil,
		"subject": t.subject, "raw_subject": t.subject, "description": toText(t.comments()[0].html), "status": t.status,
		"requester_id": t.requester, "submitter_id": t.requester, "assignee_id": nil, "organization_id": nil, "group_id": nil,
		"type": nil, "priority": nil, "tags": []string{}, "custom_fields": []any{}, "is_public": true, "via": via("web"),
		"created_at": stamp(t.created), "updated_at": stamp(t.updated),
	}
}

func (a *audit) json(t *ticket) object {
	events := []object{}
	for i, ch := range a.changes {
		// Nothing looks these events up by id.
		e := object{"id": a.id*10 + int64(i), "field_name": ch.field, "value": ch.to}
		if len(t.audits) > 0 && t.audits[0] == a {
			e["type"] = "Create"
		} else {
			e["type"], e["previous_value"] = "Change", ch.from
		}
		events = append(events, e)
	}
	if c := a.comment; c != nil {
		e := c.json()
		delete(e, "created_at")
		delete(e, "metadata")
		delete(e, "via")
		events = append(events, e)
	}
	return object{"id": a.id, "ticket_id": t.id, "created_at": stamp(a.at), "author_id": a.author, "metadata": a.metadata(), "events": events, "via": via(a.via)}
}

func (a *audit) metadata() object {
	custom := a.custom
	if custom == nil {
		custom = json.RawMessage("{}")
	}
	return object{"system": object{"client": "zendesktest"}, "custom": custom}
}

func (c *comment) json() object {
	text := toText(c.html)
	return object{
		"id": c.id, "type": "Comment", "author_id": c.author, "body": text, "plain_body": text,
		"html_body": `<div class="zd-comment" dir="auto">` + c.html + `</div>`, "public": c.public, "attachments": []any{},
		"audit_id": c.audit.id, "via": via(c.audit.via), "created_at": stamp(c.audit.at), "metadata": c.audit.metadata(),
	}
}

func via(channel string) object {
	return object{"channel": channel, "source": object{"from": object{}, "to": object{}, "rel": nil}}
}

// stamp returns a time in Zendesk's format.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
