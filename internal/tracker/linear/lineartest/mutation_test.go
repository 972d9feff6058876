package lineartest

import (
	"net/http"
	"strings"
	"testing"
)

const (
	saying   = `mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success lastSyncId comment { id body user { id } issue { identifier } url } } }`
	moving   = `mutation($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success issue { title state { name } startedAt completedAt canceledAt } } }`
	watching = `mutation($input: WebhookCreateInput!) { webhookCreate(input: $input) { success webhook { id url label secret enabled allPublicTeams resourceTypes team { key } creator { name } } } }`
	ending   = `mutation($id: String!) { webhookDelete(id: $id) { success entityId } }`
)

func TestCommentCreate(t *testing.T) {
	w := newWorld(t, Config{})
	i := w.bob.CreateIssue(w.team.ID, "Printer burns", "")
	id := newID()
	got := w.query("commentCreate", saying, args{"input": args{"id": id, "issueId": i.ID, "body": "Hello"}}).(map[string]any)
	same(t, "success", got["success"], true)
	same(t, "its id", at(got, "comment.id"), id)
	same(t, "its author", at(got, "comment.user.id"), w.ada.ID)
	same(t, "its issue", at(got, "comment.issue.identifier"), "ENG-1")
	made := w.query("commentCreate.comment.id", saying, args{"input": args{"issueId": "ENG-1", "body": "Again", "parentId": id}})

	const conflicts = "Entity Comment with id "
	w.refused("the same id", http.StatusOK, "INPUT_ERROR", conflicts+id+" already exists.", saying, args{"input": args{"id": id, "issueId": i.ID, "body": "Other"}})
	for name, tt := range map[string]struct {
		input       args
		code, words string
	}{
		"no UUID":             {args{"id": "x", "issueId": i.ID, "body": "Hello"}, "INVALID_INPUT", "id must be a UUID"},
		"of another version":  {args{"id": "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "issueId": i.ID, "body": "Hello"}, "INVALID_INPUT", "id must be a UUID"},
		"no body":             {args{"issueId": i.ID}, "INVALID_INPUT", "body should not be empty"},
		"an empty body":       {args{"issueId": i.ID, "body": " \n"}, "INVALID_INPUT", "body should not be empty"},
		"no issue":            {args{"body": "Hello"}, "INPUT_ERROR", "Entity not found: Issue"},
		"no such issue":       {args{"issueId": newID(), "body": "Hello"}, "INPUT_ERROR", "Entity not found: Issue"},
		"no such parent":      {args{"issueId": i.ID, "body": "Hello", "parentId": newID()}, "INPUT_ERROR", "Entity not found: Comment"},
		"as somebody else":    {args{"issueId": i.ID, "body": "Hello", "createAsUser": "Eve"}, "INPUT_ERROR", "as somebody else"},
		"with another's face": {args{"issueId": i.ID, "body": "Hello", "displayIconUrl": "https://a.test/i"}, "INPUT_ERROR", "as somebody else"},
	} {
		w.refused(name, http.StatusOK, tt.code, tt.words, saying, args{"input": tt.input})
	}
	all := w.s.Comments("ENG-1")
	if len(all) != 2 || all[0].ID != id || all[0].Body != "Hello" || all[0].By != w.ada.ID || all[1].ID != made || all[1].Parent != id {
		t.Errorf("there are %+v", all)
	}
	same(t, "how often", w.s.Calls()["commentCreate"], 12)

	w.ada.DeleteComment(id)
	same(t, "what is left", w.s.Comments("ENG-1"), []Comment(nil))
	w.refused("an id of what is gone", http.StatusOK, "INPUT_ERROR", conflicts, saying, args{"input": args{"id": id, "issueId": i.ID, "body": "Hello"}})
}

func TestCommentChange(t *testing.T) {
	w := newWorld(t, Config{})
	w.bob.CreateIssue(w.team.ID, "Printer burns", "")
	mine, other := w.ada.Comment("ENG-1", "mine"), w.bob.Comment("ENG-1", "other")
	const edit = `mutation($id: String!, $body: String) { commentUpdate(id: $id, input: {body: $body}) { comment { body editedAt } } }`
	got := w.query("commentUpdate.comment", edit, args{"id": mine.ID, "body": "changed"})
	if at(got, "body") != "changed" || at(got, "editedAt") == nil {
		t.Errorf("it is %v", got)
	}
	w.refused("another's", http.StatusOK, "FORBIDDEN", "your own", edit, args{"id": other.ID, "body": "changed"})
	w.refused("none", http.StatusOK, "INPUT_ERROR", "Entity not found: Comment", edit, args{"id": newID(), "body": "changed"})
	const remove = `mutation($id: String!) { commentDelete(id: $id) { success entityId } }`
	same(t, "removed", w.query("commentDelete.entityId", remove, args{"id": mine.ID}), mine.ID)
	w.refused("removed", http.StatusOK, "INPUT_ERROR", "Entity not found: Comment", remove, args{"id": mine.ID})
	w.key = w.bob.Key()
	w.refused("another's", http.StatusOK, "FORBIDDEN", "your own", remove, args{"id": w.ada.Comment("ENG-1", "again").ID})
}

func TestIssueUpdate(t *testing.T) {
	w := newWorld(t, Config{})
	ops := w.s.Team("OPS", "Operations")
	i := w.bob.CreateIssue(w.team.ID, "Printer burns", "")
	move := func(state string) map[string]any {
		return w.query("issueUpdate.issue", moving, args{"id": "ENG-1", "input": args{"stateId": w.team.State(state).ID}}).(map[string]any)
	}
	for _, tt := range []struct {
		state                        string
		started, completed, canceled bool
	}{{"In Progress", true, false, false}, {"Done", true, true, false}, {"In Review", true, false, false}, {"Canceled", true, false, true}, {"Todo", false, false, false}} {
		got := move(tt.state)
		same(t, "the state", at(got, "state.name"), tt.state)
		same(t, "in the workspace", w.s.Issue(i.ID).State.Name, tt.state)
		for name, want := range map[string]bool{"startedAt": tt.started, "completedAt": tt.completed, "canceledAt": tt.canceled} {
			if (got[name] != nil) != want {
				t.Errorf("%s: %s is %v", tt.state, name, got[name])
			}
		}
	}
	same(t, "the title", w.query("issueUpdate.issue.title", moving, args{"id": i.ID, "input": args{"title": "It burns", "priority": 1}}), "It burns")
	w.refused("of another team", http.StatusOK, "INPUT_ERROR", "not of the issue's team", moving, args{"id": i.ID, "input": args{"stateId": ops.State("Done").ID}})
	w.refused("no such state", http.StatusOK, "INPUT_ERROR", "Entity not found: WorkflowState", moving, args{"id": i.ID, "input": args{"stateId": "Done"}})
	w.refused("no such issue", http.StatusOK, "INPUT_ERROR", "Entity not found: Issue", moving, args{"id": "ENG-9", "input": args{"stateId": w.team.State("Done").ID}})
	w.refused("no title", http.StatusOK, "INVALID_INPUT", "title", moving, args{"id": i.ID, "input": args{"title": ""}})
	w.refused("no such priority", http.StatusOK, "INVALID_INPUT", "priority", moving, args{"id": i.ID, "input": args{"priority": 9}})
	same(t, "what is left", w.s.Issue(i.ID).State.Name, "Todo")
}

func TestWebhooks(t *testing.T) {
	w := newWorld(t, Config{})
	input := func(change args) args {
		in := args{"url": "https://desk.test/hook", "resourceTypes": each("Issue", "Comment"), "allPublicTeams": true, "label": "Frontdesk", "secret": "s3cret"}
		for name, value := range change {
			if in[name] = value; value == nil {
				delete(in, name)
			}
		}
		return args{"input": in}
	}
	got := w.query("webhookCreate.webhook", watching, input(nil)).(map[string]any)
	id := got["id"].(string)
	delete(got, "id")
	same(t, "the webhook", got, map[string]any{"url": "https://desk.test/hook", "label": "Frontdesk", "secret": "s3cret", "enabled": true, "allPublicTeams": true,
		"resourceTypes": each("Issue", "Comment"), "team": nil, "creator": map[string]any{"name": "Ada"}})
	own := w.query("webhookCreate.webhook", watching, input(args{"allPublicTeams": nil, "teamId": w.team.ID, "secret": nil, "enabled": false, "id": newID()}))
	if secret, _ := at(own, "secret").(string); !strings.HasPrefix(secret, "lin_wh_") || at(own, "team.key") != "ENG" || at(own, "enabled") != false {
		t.Errorf("the other is %v", own)
	}
	same(t, "all", w.query("webhooks.nodes.url", `{ webhooks { nodes { url } } }`, nil), each("https://desk.test/hook", "https://desk.test/hook"))

	for name, tt := range map[string]struct {
		change      args
		code, words string
	}{
		"no address":          {args{"url": "desk"}, "INVALID_INPUT", "url must be a URL"},
		"a plain one":         {args{"url": "http://desk.test/hook"}, "INVALID_INPUT", "public HTTPS"},
		"this machine's":      {args{"url": "https://localhost/hook"}, "INVALID_INPUT", "public HTTPS"},
		"a private network's": {args{"url": "https://10.0.0.1/hook"}, "INVALID_INPUT", "public HTTPS"},
		"about nothing":       {args{"resourceTypes": each()}, "INVALID_INPUT", "resourceTypes"},
		"about something odd": {args{"resourceTypes": each("Issues")}, "INVALID_INPUT", "resourceTypes"},
		"of no team":          {args{"allPublicTeams": nil}, "INPUT_ERROR", "teamId or allPublicTeams"},
		"of one and all":      {args{"teamId": w.team.ID}, "INPUT_ERROR", "exclusive"},
		"of another team":     {args{"allPublicTeams": nil, "teamId": newID()}, "INPUT_ERROR", "Entity not found: Team"},
		"with a used id":      {args{"id": id}, "INPUT_ERROR", "already exists"},
		"with no UUID":        {args{"id": "1"}, "INVALID_INPUT", "id must be a UUID"},
	} {
		w.refused(name, http.StatusOK, tt.code, tt.words, watching, input(tt.change))
	}

	const change = `mutation($id: String!, $input: WebhookUpdateInput!) { webhookUpdate(id: $id, input: $input) { webhook { enabled label url secret } } }`
	w.s.DisableWebhook(id)
	same(t, "changed", w.query("webhookUpdate.webhook", change, args{"id": id, "input": args{"enabled": true, "label": "Desk"}}),
		map[string]any{"enabled": true, "label": "Desk", "url": "https://desk.test/hook", "secret": "s3cret"})
	w.refused("changed badly", http.StatusOK, "INVALID_INPUT", "public HTTPS", change, args{"id": id, "input": args{"url": "http://desk.test"}})
	same(t, "left as it was", w.s.Webhooks()[0].URL, "https://desk.test/hook")

	admin := w.key
	w.key = w.bob.Key()
	w.refused("making, as somebody else", http.StatusOK, "FORBIDDEN", "admin", watching, input(nil))
	w.refused("reading, as somebody else", http.StatusOK, "FORBIDDEN", "admin", `{ webhooks { nodes { id } } }`, nil)
	w.refused("reading one, as somebody else", http.StatusOK, "FORBIDDEN", "admin", `query($id: String!) { webhook(id: $id) { id } }`, args{"id": id})
	w.refused("changing, as somebody else", http.StatusOK, "FORBIDDEN", "admin", change, args{"id": id, "input": args{"enabled": false}})
	w.refused("ending, as somebody else", http.StatusOK, "FORBIDDEN", "admin", ending, args{"id": id})
	w.bob.SetAdmin(true)
	same(t, "reading, as another admin", len(w.query("webhooks.nodes", `{ webhooks { nodes { id } } }`, nil).([]any)), 2)
	w.key = admin

	same(t, "ended", w.query("webhookDelete.entityId", ending, args{"id": id}), id)
	w.refused("ended", http.StatusOK, "INPUT_ERROR", "Entity not found: Webhook", ending, args{"id": id})
	same(t, "left", len(w.s.Webhooks()), 1)
}
