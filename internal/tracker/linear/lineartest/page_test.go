package lineartest

import (
	"fmt"
	"net/http"
	"testing"
)

const comments = `query($id: String!, $first: Int, $after: String, $last: Int, $before: String, $order: PaginationOrderBy, $filter: CommentFilter) {
	issue(id: $id) { comments(first: $first, after: $after, last: $last, before: $before, orderBy: $order, filter: $filter) {
		nodes { id body } edges { cursor node { body } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`

func TestPages(t *testing.T) {
	w := newWorld(t, Config{Now: ticking()})
	w.ada.CreateIssue(w.team.ID, "Printer burns", "")
	var ids []string
	for i := range 5 {
		ids = append(ids, w.bob.Comment("ENG-1", fmt.Sprint(i)).ID)
	}
	page := func(a args) map[string]any {
		a["id"] = "ENG-1"
		return w.query("issue.comments", comments, a).(map[string]any)
	}
	for _, tt := range []struct {
		name           string
		a              args
		want           []any
		previous, next bool
	}{
		{"all, the latest first", args{}, each("4", "3", "2", "1", "0"), false, false},
		{"the first two", args{"first": 2}, each("4", "3"), false, true},
		{"two more", args{"first": 2, "after": ids[3]}, each("2", "1"), true, true},
		{"the rest", args{"first": 2, "after": ids[1]}, each("0"), true, false},
		{"behind the end", args{"after": ids[0]}, each(), true, false},
		{"the last two", args{"last": 2}, each("1", "0"), true, false},
		{"two before", args{"last": 2, "before": ids[1]}, each("3", "2"), true, true},
		{"between", args{"after": ids[4], "before": ids[1]}, each("3", "2"), true, true},
	} {
		got := page(tt.a)
		same(t, tt.name, at(got, "nodes.body"), tt.want)
		same(t, tt.name+", in edges", at(got, "edges.node.body"), tt.want)
		same(t, tt.name+", cursors", at(got, "edges.cursor"), at(got, "nodes.id"))
		same(t, tt.name+", before it", at(got, "pageInfo.hasPreviousPage"), tt.previous)
		same(t, tt.name+", behind it", at(got, "pageInfo.hasNextPage"), tt.next)
		if n := got["nodes"].([]any); len(n) > 0 {
			same(t, tt.name+", its begin", at(got, "pageInfo.startCursor"), at(n[0], "id"))
			same(t, tt.name+", its end", at(got, "pageInfo.endCursor"), at(n[len(n)-1], "id"))
		} else {
			same(t, tt.name+", its end", at(got, "pageInfo.endCursor"), nil)
		}
	}

	w.bob.EditComment(ids[1], "changed")
	same(t, "as they were changed", at(page(args{"order": "updatedAt", "first": 2}), "nodes.body"), each("changed", "4"))
	same(t, "as they were made", at(page(args{"order": "createdAt", "first": 2}), "nodes.body"), each("4", "3"))
	w.bob.DeleteComment(ids[4])
	same(t, "without one", at(page(args{"first": 2}), "nodes.body"), each("3", "2"))

	for name, a := range map[string]args{"none": {"first": 0}, "less": {"first": -1}, "too many": {"first": 251}, "too many from the end": {"last": 251},
		"no cursor": {"after": "x"}, "a cursor that is gone": {"after": ids[4]}, "no cursor before": {"before": "x"}, "no number": {"first": "2"}} {
		a["id"] = "ENG-1"
		w.refused(name, http.StatusOK, "INVALID_INPUT", "Argument Validation Error", comments, a)
	}
	w.refused("both", http.StatusOK, "INPUT_ERROR", "first and last", comments, args{"id": "ENG-1", "first": 1, "last": 1})
	same(t, "as many as there may be", len(page(args{"first": 250})["nodes"].([]any)), 4)
}

func TestDefaultPage(t *testing.T) {
	w := newWorld(t, Config{})
	w.ada.CreateIssue(w.team.ID, "Printer burns", "")
	for range 60 {
		w.bob.Comment("ENG-1", "x")
	}
	same(t, "a page", len(w.query("issue.comments.nodes", comments, args{"id": "ENG-1"}).([]any)), 50)
}

func TestFilters(t *testing.T) {
	w := newWorld(t, Config{Now: ticking()})
	ops := w.s.Team("OPS", "Operations", State{Name: "New", Type: "triage"}, State{Name: "Over", Type: "completed", Position: 7})
	w.ada.CreateIssue(w.team.ID, "Printer burns", "")
	w.ada.CreateIssue(ops.ID, "Coffee is out", "")
	first := w.bob.Comment("ENG-1", "one")
	second := w.ada.Comment("ENG-1", "two")
	w.ada.Reply("ENG-1", first.ID, "three")
	w.bob.Comment("OPS-1", "four")
	w.ada.CommentByApp("OPS-1", "Bot", "five")
	for name, tt := range map[string]struct {
		filter args
		want   []any
	}{
		"of an issue":      {args{"issue": args{"id": args{"eq": w.s.Issue("OPS-1").ID}}}, each("five", "four")},
		"of a team":        {args{"issue": args{"team": args{"key": args{"eq": "ENG"}}}}, each("three", "two", "one")},
		"later":            {args{"createdAt": args{"gt": second.At.Format(millis)}, "issue": args{"number": args{"eq": 1}}}, each("five", "four", "three")},
		"at or later":      {args{"createdAt": args{"gte": second.At.Format(millis)}, "user": args{"name": args{"eq": "Ada"}}}, each("three", "two")},
		"some ids":         {args{"id": args{"in": each(first.ID, second.ID)}}, each("two", "one")},
		"one id as a list": {args{"id": args{"in": first.ID}}, each("one")},
		"not some ids":     {args{"id": args{"nin": each(first.ID, second.ID)}}, each("five", "four", "three")},
		"by text":          {args{"body": args{"contains": "o"}}, each("four", "two", "one")},
		"no reply":         {args{"parent": args{"null": true}}, each("five", "four", "two", "one")},
		"replies":          {args{"parent": args{"null": false}}, each("three")},
		"one or another":   {args{"or": each(args{"body": args{"eq": "one"}}, args{"body": args{"eqIgnoreCase": "FIVE"}})}, each("five", "one")},
		"one and another":  {args{"and": each(args{"body": args{"startsWith": "t"}}, args{"body": args{"notContains": "w"}})}, each("three")},
		"mine":             {args{"user": args{"isMe": args{"eq": true}}}, each("three", "two")},
	} {
		got := w.query("comments.nodes.body", `query($f: CommentFilter) { comments(filter: $f) { nodes { body } } }`, args{"f": tt.filter})
		same(t, name, got, tt.want)
	}
	same(t, "states of a team", w.query("workflowStates.nodes", `{ workflowStates(filter: {team: {key: {eq: "OPS"}}, type: {neq: "triage"}}) { nodes { name type position team { key } } } }`, nil),
		each(map[string]any{"name": "Over", "type": "completed", "position": 7.0, "team": map[string]any{"key": "OPS"}}))
	same(t, "all states of a team", len(w.query("team.states.nodes", `query($id: String!) { team(id: $id) { states { nodes { id } } } }`, args{"id": w.team.ID}).([]any)), 7)
	same(t, "where a team's issues begin", w.query("team.defaultIssueState.name", `{ team(id: "OPS") { defaultIssueState { name } } }`, nil), "New")
	same(t, "teams", w.query("teams.nodes.key", `{ teams { nodes { key } } }`, nil), each("OPS", "ENG"))
	same(t, "below", w.query("comment.children.nodes.body", `query($id: String) { comment(id: $id) { children { nodes { body } } } }`, args{"id": first.ID}), each("three"))
	same(t, "an app", w.query("issue.comments.nodes", `{ issue(id: "OPS-1") { comments(first: 1) { nodes { user { id } botActor { name type } } } } }`, nil),
		each(map[string]any{"user": nil, "botActor": map[string]any{"name": "Bot", "type": "oauthClient"}}))
	w.refused("no time", http.StatusOK, "INVALID_INPUT", "time", `{ comments(filter: {createdAt: {gt: "soon"}}) { nodes { id } } }`, nil)
}
