package lineartest

import (
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// mutation has the fields of Mutation.
type mutation struct{}

func (mutation) fields(c *call) fields {
	does := func(do func(id string, input map[string]any) (any, error)) resolver {
		return func(args map[string]any) (any, error) {
			id, _ := args["id"].(string)
			input, _ := args["input"].(map[string]any)
			return do(id, input)
		}
	}
	return fields{
		"issueUpdate":   does(c.updateIssue),
		"commentCreate": does(c.createComment),
		"commentUpdate": does(c.updateComment),
		"commentDelete": does(c.deleteComment),
		"webhookCreate": c.adminOnly(does(c.createWebhook)),
		"webhookUpdate": c.adminOnly(does(c.updateWebhook)),
		"webhookDelete": c.adminOnly(does(c.deleteWebhook)),
	}
}

// done returns the answer of a mutation.
func (c *call) done(more fields) object {
	c.s.sync++
	more["success"], more["lastSyncId"] = true, c.s.sync
	return more
}

var uuids = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// givenID returns the id that the caller chose for a new object, or an empty
// string.
func givenID(input map[string]any) (string, error) {
	id, given := input["id"].(string)
	if given && !uuids.MatchString(id) {
		return "", invalid("id", "must be a UUID")
	}
	return id, nil
}

func (c *call) updateIssue(id string, input map[string]any) (any, error) {
	i := c.s.issue(id)
	if i == nil {
		return nil, notFound("Issue")
	}
	ch := issueChange{}
	if stateID, given := input["stateId"].(string); given {
		st := first(c.s.states, stateID)
		switch {
		case st == nil:
			return nil, notFound("WorkflowState")
		case st.team != i.team:
			return nil, inputError("Discrepancy between issue team and workflow state team", "The workflow state is not of the issue's team.")
		}
		ch.state = st
	}
	if title, given := input["title"].(string); given {
		if strings.TrimSpace(title) == "" {
			return nil, invalid("title", "should not be empty")
		}
		ch.title = &title
	}
	if description, given := input["description"].(string); given {
		ch.description = &description
	}
	if value, given := input["priority"]; given && value != nil {
		n, ok := number(value)
		if !ok || n < 0 || n > 4 {
			return nil, invalid("priority", "must be between 0 and 4")
		}
		priority := float64(n)
		ch.priority = &priority
	}
	c.announce(c.s.changeIssue(c.who, i, ch))
	return c.done(fields{"issue": i}), nil
}

func (c *call) createComment(_ string, input map[string]any) (any, error) {
	id, err := givenID(input)
	if err != nil {
		return nil, err
	}
	body, _ := input["body"].(string)
	if strings.TrimSpace(body) == "" {
		return nil, invalid("body", "should not be empty")
	}
	if input["createAsUser"] != nil || input["displayIconUrl"] != nil {
		return nil, inputError("createAsUser requires actor=app", "Only an application can create comments as somebody else.")
	}
	issueID, _ := input["issueId"].(string)
	i := c.s.issue(issueID)
	if i == nil {
		return nil, notFound("Issue")
	}
	co := &comment{issue: i, user: c.who, body: body}
	co.quotedText, _ = input["quotedText"].(string)
	if parent, given := input["parentId"].(string); given {
		if co.parent = first(c.s.comments, parent); co.parent == nil || co.parent.issue != i {
			return nil, notFound("Comment")
		}
	}
	// Even if the comment has been deleted since: an id is used only once.
	if id != "" && c.s.used[id] {
		return nil, conflict("Comment", id)
	}
	c.announce(c.s.addComment(co, id))
	return c.done(fields{"comment": co}), nil
}

func (c *call) updateComment(id string, input map[string]any) (any, error) {
	co := first(c.s.comments, id)
	if co == nil {
		return nil, notFound("Comment")
	}
	if co.user != c.who {
		return nil, forbidden("Forbidden", "You can only edit your own comments.")
	}
	if body, given := input["body"].(string); given {
		c.announce(c.s.editComment(c.who, co, body))
	}
	return c.done(fields{"comment": co}), nil
}

func (c *call) deleteComment(id string, _ map[string]any) (any, error) {
	co := first(c.s.comments, id)
	if co == nil {
		return nil, notFound("Comment")
	}
	if co.user != c.who && !c.who.admin {
		return nil, forbidden("Forbidden", "You can only delete your own comments.")
	}
	c.announce(c.s.removeComment(c.who, co))
	return c.done(fields{"entityId": id}), nil
}

// resources are the kinds of objects that a webhook can subscribe to.
var resources = []string{"Attachment", "AuditEntry", "Comment", "Customer", "CustomerNeed", "Cycle", "Document", "Initiative", "InitiativeUpdate", "Issue", "IssueLabel",
	"IssueSLA", "IssueRelation", "Project", "ProjectLabel", "ProjectUpdate", "Reaction", "User"}

func (c *call) createWebhook(_ string, input map[string]any) (any, error) {
	id, err := givenID(input)
	if err != nil {
		return nil, err
	}
	w := &webhook{entity: c.s.born(), creator: c.who, enabled: true}
	if err := c.s.fill(w, input); err != nil {
		return nil, err
	}
	w.allPublicTeams, _ = input["allPublicTeams"].(bool)
	teamID, given := input["teamId"].(string)
	switch {
	case given && w.allPublicTeams:
		return nil, inputError("teamId and allPublicTeams are exclusive", "A webhook is of a team, or of all public teams.")
	case !given && !w.allPublicTeams:
		return nil, inputError("Either teamId or allPublicTeams is required", "A webhook is of a team, or of all public teams.")
	case given:
		if w.team = c.s.team(teamID); w.team == nil {
			return nil, notFound("Team")
		}
	}
	if id != "" {
		if c.s.used[id] {
			return nil, conflict("Webhook", id)
		}
		w.id = id
	}
	if w.secret == "" {
		w.secret = "lin_wh_" + strings.ReplaceAll(newID(), "-", "")
	}
	c.s.used[w.id] = true
	c.s.webhooks = append(c.s.webhooks, w)
	return c.done(fields{"webhook": w}), nil
}

// fill sets the fields of a webhook from an input.
func (s *Server) fill(w *webhook, input map[string]any) error {
	for name, member := range map[string]*string{"url": &w.url, "label": &w.label, "secret": &w.secret} {
		if value, given := input[name].(string); given {
			*member = value
		}
	}
	if enabled, given := input["enabled"].(bool); given {
		w.enabled = enabled
	}
	if kinds, given := input["resourceTypes"]; given {
		w.resourceTypes = texts(kinds)
	}
	switch {
	case len(w.resourceTypes) == 0:
		return invalid("resourceTypes", "should not be empty")
	case slices.ContainsFunc(w.resourceTypes, func(kind string) bool { return !slices.Contains(resources, kind) }):
		return invalid("resourceTypes", "must be among the supported resource types")
	}
	return s.callable(w.url)
}

func (c *call) updateWebhook(id string, input map[string]any) (any, error) {
	w := first(c.s.webhooks, id)
	if w == nil {
		return nil, notFound("Webhook")
	}
	changed := *w
	if err := c.s.fill(&changed, input); err != nil {
		return nil, err
	}
	*w = changed
	w.updatedAt = c.s.now()
	return c.done(fields{"webhook": w}), nil
}

func (c *call) deleteWebhook(id string, _ map[string]any) (any, error) {
	w := first(c.s.webhooks, id)
	if w == nil {
		return nil, notFound("Webhook")
	}
	c.s.webhooks = slices.DeleteFunc(c.s.webhooks, func(o *webhook) bool { return o == w })
	return c.done(fields{"entityId": id}), nil
}

// callable returns an error for an address that Linear does not call.
func (s *Server) callable(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return invalid("url", "must be a URL address")
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	local := host == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsPrivate() || ip.IsUnspecified())
	if !s.cfg.PlainHooks && (u.Scheme != "https" || local) {
		return invalid("url", "must be a public HTTPS address")
	}
	return nil
}

func texts(value any) (all []string) {
	for _, one := range list(value) {
		if text, is := one.(string); is {
			all = append(all, text)
		}
	}
	return all
}
