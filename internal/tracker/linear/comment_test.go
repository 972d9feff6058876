package linear

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

const commentsAsked = "query Comments($id: String!, $filter: CommentFilter, $last: Int!, $before: String) { issue(id: $id) { comments(filter: $filter, last: $last, before: $before, orderBy: createdAt) { nodes { id body createdAt user { id name email isMe } externalUser { id name email } botActor { id name } } pageInfo { hasPreviousPage startCursor } } } }"

// comments returns an answer with comments, newest first. Each has an id and the
// second in which it was written.
func comments(more bool, all ...string) string {
	var nodes []string
	for _, c := range all {
		id, at, _ := strings.Cut(c, "@")
		nodes = append(nodes, fmt.Sprintf(`{"id":%q,"body":"*%s*","createdAt":"2026-03-01T12:00:%s0Z","user":{"id":"u2","name":"Jo","email":"jo@acme.test","isMe":false},"externalUser":null,"botActor":null}`, id, id, at))
	}
	return fmt.Sprintf(`{"issue":{"comments":{"nodes":[%s],"pageInfo":{"hasPreviousPage":%v,"startCursor":"c-%s"}}}}`, strings.Join(nodes, ","), more, strings.Split(all[0], "@")[0])
}

func ids(p tracker.Comments) string {
	var all []string
	for _, c := range p.Comments {
		all = append(all, c.ID)
	}
	return strings.Join(all, " ")
}

func asking(since, before string) string {
	v := `{"id":"` + issueID + `","last":50`
	if since != "" {
		v += `,"filter":{"createdAt":{"gte":"` + since + `"}}`
	}
	if before != "" {
		v += `,"before":"` + before + `"`
	}
	return v + "}"
}

func TestComments(t *testing.T) {
	w, s := scripted(t,
		exchange{operation: "Comments", variables: asking("", ""), answer: comments(true, "c@20.00", "b@05.50", "a@01.00")},
		// The query starts a little before the newest, so c comes again, and
		// another of the same age.
		exchange{operation: "Comments", variables: asking("2026-03-01T12:00:10.000Z", ""), answer: comments(false, "e@30.00", "d@20.00", "c@20.00")},
		exchange{operation: "Comments", variables: asking("2026-03-01T12:00:20.000Z", ""), answer: comments(false, "e@30.00", "d@20.00", "c@20.00")},
		// A comment has the same time as the last one, and a slow one becomes
		// visible.
		exchange{operation: "Comments", variables: asking("2026-03-01T12:00:20.000Z", ""), answer: comments(false, "f@30.00", "e@30.00", "late@29.00", "d@20.00", "c@20.00")},
		exchange{operation: "Comments", variables: asking("2026-03-01T12:00:20.000Z", ""), answer: comments(false, "f@30.00", "e@30.00", "late@29.00", "d@20.00", "c@20.00")},
	)
	cursor := ""
	for _, step := range []struct {
		ids  string
		more bool
	}{{"a b c", true}, {"d e", false}, {"", false}, {"late f", false}, {"", false}} {
		page := must(w.Comments(t.Context(), issueID, cursor))
		want(t, "page", []any{ids(page), page.More}, []any{step.ids, step.more})
		cursor = page.Next
	}
	for _, q := range s.asked {
		want(t, "asked", q, commentsAsked)
	}
}

// If one instant has more comments than a page, all of them are read.
func TestCommentsInOneInstant(t *testing.T) {
	w, _ := scripted(t,
		exchange{operation: "Comments", variables: asking("", ""), answer: comments(true, "b@10.00", "a@10.00")},
		exchange{operation: "Comments", variables: asking("2026-03-01T12:00:00.000Z", ""), answer: comments(true, "b@10.00", "a@10.00")},
		exchange{operation: "Comments", variables: asking("2026-03-01T12:00:00.000Z", "c-b"), answer: comments(true, "d@10.00", "c@10.00")},
		exchange{operation: "Comments", variables: asking("2026-03-01T12:00:00.000Z", ""), answer: comments(true, "b@10.00", "a@10.00")},
		exchange{operation: "Comments", variables: asking("2026-03-01T12:00:00.000Z", "c-b"), answer: comments(true, "d@10.00", "c@10.00")},
		exchange{operation: "Comments", variables: asking("2026-03-01T12:00:00.000Z", "c-d"), answer: comments(false, "e@10.00")},
	)
	cursor := ""
	for _, all := range []string{"a b", "c d", "e"} {
		page := must(w.Comments(t.Context(), issueID, cursor))
		want(t, "page", ids(page), all)
		cursor = page.Next
	}
}

func TestNoComments(t *testing.T) {
	none := `{"issue":{"comments":{"nodes":[],"pageInfo":{"hasPreviousPage":false,"startCursor":null}}}}`
	w, _ := scripted(t, exchange{operation: "Comments", variables: asking("", ""), answer: none})
	want(t, "none", must(w.Comments(t.Context(), issueID, "")), tracker.Comments{})
	for _, cursor := range []string{"x", "2026", "2026-03-01T12:00:00.000Z a", "2026-03-01T12:00:00.000Z a+b"} {
		_, err := w.Comments(t.Context(), issueID, cursor)
		wantKind(t, cursor, err, desk.Invalid)
	}
}

func TestAuthors(t *testing.T) {
	const node = `{"id":"c1","body":"**hi** <script>x</script>\nyou","createdAt":"2026-03-01T12:00:00.000Z",%s}`
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for by, is := range map[string]tracker.Comment{
		`"user":{"id":"u1","name":"Desk","email":"desk@acme.test","isMe":true}`:  {Key: "c1", Author: tracker.Author{ID: "u1", Name: "Desk", Email: "desk@acme.test"}},
		`"user":{"id":"u2","name":"Jo","email":"jo@acme.test","isMe":false}`:     {Author: tracker.Author{ID: "u2", Name: "Jo", Email: "jo@acme.test"}},
		`"user":null,"externalUser":{"id":"x1","name":"Mira","email":null}`:      {Author: tracker.Author{ID: "x1", Name: "Mira"}},
		`"user":null,"externalUser":null,"botActor":{"id":"b1","name":"GitHub"}`: {Author: tracker.Author{ID: "b1", Name: "GitHub"}},
		`"user":null,"externalUser":null,"botActor":null`:                        {},
	} {
		w, _ := scripted(t, exchange{operation: "Comments", variables: asking("", ""),
			answer: `{"issue":{"comments":{"nodes":[` + fmt.Sprintf(node, by) + `],"pageInfo":{"hasPreviousPage":false,"startCursor":"c1"}}}}`})
		is.ID, is.At, is.HTML = "c1", at, "<p><strong>hi</strong> <!-- raw HTML omitted -->x<!-- raw HTML omitted --><br>\nyou</p>"
		want(t, by, must(w.Comments(t.Context(), issueID, "")).Comments, []tracker.Comment{is})
	}
}

var (
	saying = exchange{operation: "Say", variables: `{"input":{"id":"` + said1 + `","issueId":"` + issueID + `","body":"**Hi** \\@all"}}`,
		answer: `{"commentCreate":{"success":true,"comment":{"id":"` + said1 + `"}}}`}
	looking   = exchange{operation: "Said", variables: `{"id":"` + said1 + `"}`, answer: `{"comment":{"id":"` + said1 + `"}}`}
	nothing   = exchange{operation: "Said", variables: looking.variables, answer: refusedWith("Entity not found: Comment", "invalid input", "INPUT_ERROR", "Could not find referenced Comment.")}
	duplicate = exchange{operation: "Say", variables: saying.variables, answer: refusedWith("Comment already exists", "invalid input", "INPUT_ERROR", "There is one already.")}
	words1    = tracker.Said{Key: said1, HTML: "<p><strong>Hi</strong> @all</p>"}
)

func TestSay(t *testing.T) {
	again := words1
	again.Again = true
	for name, tt := range map[string]struct {
		said tracker.Said
		all  []exchange
	}{
		"at first":                     {words1, []exchange{saying}},
		"again, and it was":            {again, []exchange{looking}},
		"again, and it was not":        {again, []exchange{nothing, saying}},
		"it was, and nobody knew":      {words1, []exchange{duplicate, looking}},
		"again, and it was in between": {again, []exchange{nothing, duplicate, looking}},
		"private is for all of Linear": {tracker.Said{Key: said1, HTML: words1.HTML, Private: true}, []exchange{saying}},
	} {
		w, s := scripted(t, tt.all...)
		id, err := w.Say(t.Context(), issueID, tt.said)
		want(t, name, []any{id, err}, []any{said1, nil})
		for i, q := range s.asked {
			want(t, "asked", q, map[string]string{
				"Say":  "mutation Say($input: CommentCreateInput!) { commentCreate(input: $input) { success comment { id } } }",
				"Said": "query Said($id: String!) { comment(id: $id) { id } }"}[tt.all[i].operation])
		}
	}
}

func TestSayFails(t *testing.T) {
	again := words1
	again.Again = true
	off := exchange{status: 503, answer: `null`}
	with := func(e exchange, by exchange) exchange {
		e.status, e.answer = by.status, by.answer
		return e
	}
	for name, tt := range map[string]struct {
		said tracker.Said
		all  []exchange
		kind desk.Kind
	}{
		"refused":        {words1, []exchange{duplicate, nothing}, desk.Refused},
		"no issue":       {words1, []exchange{with(saying, exchange{answer: notThere})}, desk.NotFound},
		"unknown":        {words1, []exchange{with(saying, off)}, desk.Unavailable},
		"looking fails":  {again, []exchange{with(looking, off)}, desk.Unavailable},
		"no success":     {words1, []exchange{with(saying, exchange{answer: `{"commentCreate":{"success":false,"comment":null}}`})}, desk.Refused},
		"nothing to say": {tracker.Said{Key: said1, HTML: "<p> </p>"}, nil, desk.Invalid},
	} {
		w, _ := scripted(t, tt.all...)
		_, err := w.Say(t.Context(), issueID, tt.said)
		wantKind(t, name, err, tt.kind)
	}
}
