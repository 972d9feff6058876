package service

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
	"pgregory.net/rapid"
)

// plan is a few related requests that can be created as often as wanted. Each time
// gives a family, whose members are named by their index in the plan.
type plan struct{ requests []plannedRequest }

type plannedRequest struct {
	desk.Request
	parent   int // -1: none
	messages []plannedMessage
	tickets  int
	survey   int // 0: none, 1: waiting, 2: answered
	sessions int // number of sessions of the virtual agent
}

type plannedMessage struct {
	desk.Message
	files   int
	removed bool
}

// family is a plan that was created.
type family struct {
	name string // the email of all its authors, so that a list can show only them
	ids  []desk.RequestID
}

// mergeWorld is where families live.
type mergeWorld struct {
	*company
	collection    desk.CollectionID
	note, choices desk.CustomFieldID
	made, numbers int
}

func newMergeWorld(t *testing.T, url string) *mergeWorld {
	w := &mergeWorld{company: companyAt(t, url), numbers: 1_000_000} // above those that the service assigns
	w.collection = w.newCollection("API", desk.APICollection).ID
	text, err := w.CreateCustomField(ctx, w.caller(), desk.NewCustomField{Name: "note", Type: desk.FieldText, Entity: desk.EntityRequest})
	must(t, err)
	w.note = text.ID
	several, err := w.CreateCustomField(ctx, w.caller(), desk.NewCustomField{Name: "choices", Type: desk.FieldMultiSelect, Entity: desk.EntityRequest,
		Config: desk.GivenConfig{Options: &[]desk.GivenOption{{Value: "a"}, {Value: "b"}, {Value: "c"}}}})
	must(t, err)
	w.choices = several.ID
	return w
}

func subset(t *rapid.T, what string, of ...string) []string {
	return slices.Clone(rapid.Permutation(of).Draw(t, what)[:rapid.IntRange(0, len(of)).Draw(t, what+" n")])
}

// drawMessage draws a message, at some minute.
func drawMessage(t *rapid.T, n int) desk.Message {
	return desk.Message{
		Text: fmt.Sprint("message ", n), Responder: rapid.Bool().Draw(t, "responder"), Private: rapid.IntRange(0, 3).Draw(t, "private") == 0,
		Idle: rapid.IntRange(0, 3).Draw(t, "idle") == 0, Source: desk.SourceAPI,
	}
}

// drawPlan draws requests with everything that a merge affects, at least first of
// them.
func (w *mergeWorld) drawPlan(t *rapid.T, first int) plan {
	var p plan
	n := rapid.IntRange(first, 6).Draw(t, "requests")
	order := rapid.Permutation(places(n)).Draw(t, "order") // a parent comes before its children
	said := 0
	for i := range n {
		r := plannedRequest{parent: -1, tickets: rapid.IntRange(0, 2).Draw(t, "tickets"), survey: rapid.IntRange(0, 2).Draw(t, "survey"), sessions: rapid.IntRange(0, 2).Draw(t, "sessions")}
		r.Title, r.TitleBy, r.Priority, r.PriorityBy = fmt.Sprint("request ", i), desk.ByRules, desk.Normal, desk.ByRules
		if at := slices.Index(order, i); at > 0 && rapid.Bool().Draw(t, "has parent") {
			r.parent = order[rapid.IntRange(0, at-1).Draw(t, "parent")]
		}
		switch s := rapid.IntRange(0, 8).Draw(t, "state"); s {
		case 6:
			r.NotARequest = ptr(desk.Temporary)
		case 7:
		case 8:
			r.State = ptr(desk.Open)
		default:
			r.State = ptr(desk.States[s])
		}
		r.Tags, r.Contributors = subset(t, "tags", "a", "b", "c", "d"), subset(t, "contributors", "U1", "U2", "U3")
		r.Values = desk.FieldValues{}
		if rapid.Bool().Draw(t, "note") {
			r.Values[w.note] = desk.FieldValue{Type: desk.FieldText, Text: fmt.Sprint("note ", i)}
		}
		if rapid.Bool().Draw(t, "choices") {
			r.Values[w.choices] = desk.FieldValue{Type: desk.FieldMultiSelect, Options: []desk.OptionID{3, 1}}
		}
		for range rapid.IntRange(0, 4).Draw(t, "messages") {
			m := plannedMessage{Message: drawMessage(t, said), files: rapid.IntRange(0, 1).Draw(t, "files"), removed: rapid.IntRange(0, 5).Draw(t, "removed") == 0}
			m.CreatedAt = time.UnixMilli(int64(rapid.IntRange(0, 9).Draw(t, "minute")) * 60_000) // from the start
			said++
			r.messages = append(r.messages, m)
		}
		p.requests = append(p.requests, r)
	}
	return p
}

func places(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// settle creates a family from a plan.
func (w *mergeWorld) settle(t *rapid.T, p plan) family {
	w.made++
	f := family{name: fmt.Sprintf("family%d@acme.example", w.made)}
	fail(t, w.store.Write(ctx, w.account.ID, func(tx *store.Tx) error {
		f.ids = make([]desk.RequestID, len(p.requests))
		made := make([]desk.Request, len(p.requests))
		began := tx.Now.Add(-time.Hour)
		for i, planned := range p.requests {
			r := planned.Request.Clone()
			r.Author, r.Collection, r.Source = desk.Requester{Name: "Jo", Email: f.name}, desk.CollectionRef{ID: w.collection}, desk.FromAPI
			r.CreatedAt, r.UpdatedAt, r.LastMessageAt = began.Add(time.Duration(i)*time.Minute), began, began
			if err := tx.AddRequest(&r); err != nil {
				return err
			}
			for _, m := range planned.messages {
				if err := w.tell(tx, &r, m, began); err != nil {
					return err
				}
			}
			for n := range planned.tickets {
				w.numbers++
				ticket := desk.Ticket{ID: int64(w.numbers), Type: desk.Native, Key: fmt.Sprint("T-", w.numbers), URL: fmt.Sprintf("ticket %d of %d", n, i), CreatedAt: tx.Now}
				if err := tx.AddTicket(r.ID, ticket); err != nil {
					return err
				}
			}
			if err := w.survey(tx, r.ID, planned); err != nil {
				return err
			}
			f.ids[i], made[i] = r.ID, r
		}
		for i, planned := range p.requests {
			after := made[i]
			if planned.parent >= 0 {
				after.Parent = &f.ids[planned.parent]
			}
			if err := tx.SaveRequest(p.requests[i].Request, &after); err != nil {
				return err
			}
		}
		return nil
	}))
	return f
}

// survey gives a request its planned survey and sessions.
func (w *mergeWorld) survey(tx *store.Tx, id desk.RequestID, planned plannedRequest) error {
	for range planned.sessions {
		s := desk.AgentSession{Request: id, StartedAt: tx.Now, CreatedAt: tx.Now, UpdatedAt: tx.Now}
		if err := tx.AddAgentSession(&s); err != nil {
			return err
		}
	}
	if planned.survey == 0 {
		return nil
	}
	s := desk.Survey{Request: id, Type: desk.FivePointRating, TriggeredAt: tx.Now}
	if err := tx.AddSurvey(&s, "nonce"); err != nil || planned.survey == 1 {
		return err
	}
	if _, err := s.Answer(desk.SurveyAnswer{Value: ptr(1 + len(planned.Title)%5), Channel: desk.AnsweredOnPage}, tx.Now); err != nil {
		return err
	}
	return tx.SaveSurvey(s)
}

// tell adds a message with its files, and updates the request's clocks.
func (w *mergeWorld) tell(tx *store.Tx, r *desk.Request, planned plannedMessage, began time.Time) error {
	m := planned.Message
	m.Request, m.CreatedAt = r.ID, began.Add(time.Duration(m.CreatedAt.UnixMilli())*time.Millisecond)
	if err := tx.AddMessage(&m); err != nil {
		return err
	}
	for range planned.files {
		w.numbers++
		if err := tx.AddAttachment(m, desk.NewFile{Key: fmt.Sprint("file ", w.numbers), Name: "file of " + m.Text, Sum: []byte("sum")}); err != nil {
			return err
		}
	}
	if planned.removed {
		if _, err := tx.Exec("UPDATE messages SET removed_at = 1 WHERE account_id = $1 AND id = $2", tx.Account, m.ID); err != nil {
			return err
		}
	}
	state := r.State
	r.Hear(m, false, tx.Now)
	r.State = state
	return nil
}

// say adds a message to a request, as the service would.
func (w *mergeWorld) say(t failer, id desk.RequestID, m desk.Message) {
	fail(t, w.store.Write(ctx, w.account.ID, func(tx *store.Tx) error {
		m := m
		r, err := tx.Request(id, desk.Everything)
		if err != nil {
			return err
		}
		before := r.Clone()
		m.Request, m.CreatedAt = id, tx.Now
		if err := tx.AddMessage(&m); err != nil {
			return err
		}
		r.Hear(m, false, tx.Now)
		return w.change.SaveRequest(tx, w.caller().Actor, before, &r)
	}))
}

// failer is what *testing.T and *rapid.T have in common.
type failer interface {
	Helper()
	Fatal(args ...any)
}

func fail(t failer, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// view returns everything that the API shows of a family, with indexes instead of
// ids: each request, and the order in a list. It leaves out when a request was last
// updated, because undoing is an update too.
func (w *mergeWorld) view(t *rapid.T, f family) string {
	var b strings.Builder
	place := func(id *desk.RequestID) any {
		if id == nil {
			return "none"
		}
		return slices.Index(f.ids, *id)
	}
	for i, id := range f.ids {
		r, err := w.Request(ctx, w.caller(), id, RequestParts{Messages: true, Family: true})
		fail(t, err)
		fmt.Fprintf(&b, "%d: %s by %s of %s, %v %v, %v, parent %v, merged into %v, tags %v, contributors %v, values %v\n", i, r.Title, r.TitleBy, r.Author.Name,
			pointed(r.State), pointed(r.NotARequest), r.Priority, place(r.Parent), place(r.MergedInto), r.Tags, r.Contributors, r.Values)
		fmt.Fprintf(&b, "  clocks %v %v %v %v %v\n", r.CreatedAt, r.LastMessageAt, pointed(r.FirstResponseAt), pointed(r.FirstSolvedAt), pointed(r.SolvedAt))
		for _, child := range r.Children {
			fmt.Fprintf(&b, "  child %v\n", place(&child))
		}
		for _, ticket := range r.Tickets {
			fmt.Fprintf(&b, "  ticket %s\n", ticket.URL)
		}
		if r.Survey != nil {
			fmt.Fprintf(&b, "  survey %d of %v\n", r.Survey.Value, place(&r.Survey.Asked))
		}
		sessions, err := w.AgentSessions(ctx, w.caller(), desk.AgentSessionFilter{Request: id}, desk.Page{})
		fail(t, err)
		for _, s := range sessions.Items {
			fmt.Fprintf(&b, "  session %t %t\n", s.Answered, s.Ticketed)
		}
		for _, m := range r.Messages {
			fmt.Fprintf(&b, "  %v %s %t %t", m.CreatedAt, m.Text, m.Responder, m.Private)
			for _, file := range m.Attachments {
				fmt.Fprintf(&b, ", %s", file.Name)
			}
			b.WriteString("\n")
		}
	}
	l, err := w.Requests(ctx, w.caller(), desk.RequestFilter{AuthorEmails: []string{f.name}, States: desk.States, None: true}, desk.Page{}, false)
	fail(t, err)
	for _, r := range l.Items {
		fmt.Fprintf(&b, "listed %v\n", place(&r.ID))
	}
	return b.String()
}

func pointed[T any](p *T) any {
	if p == nil {
		return "none"
	}
	return *p
}

// rowsOf returns the rows of a family in every table, with their ids. It leaves out
// what undoing changes for good: the times of updates and the histories.
func (w *mergeWorld) rowsOf(t *rapid.T, f family) (lines []string) {
	fail(t, w.store.DB().Read(ctx, func(tx *sqldb.Tx) error {
		lines = nil
		for _, id := range f.ids {
			for _, q := range []string{
				`SELECT id, title, title_by, shelf, is_listed, not_a_request_state, priority, priority_by, author_email, customer_id, assignee, team_id, channel_id,
					parent_id, merged_into, created_at, last_message_at, first_response_at, first_solved_at, solved_at FROM requests WHERE id = $1`,
				"SELECT id, request_id, text, created_at, removed_at FROM messages WHERE request_id = $1 ORDER BY id",
				"SELECT id, request_id, message_id, name FROM attachments WHERE request_id = $1 ORDER BY id",
				"SELECT id, request_id, key FROM tickets WHERE request_id = $1 ORDER BY id",
				"SELECT id, request_id, asked_id, value, answered_at FROM surveys WHERE asked_id = $1 ORDER BY id",
				"SELECT id, request_id FROM agent_sessions WHERE request_id = $1 ORDER BY id",
				"SELECT request_id, n, tag FROM request_tags WHERE request_id = $1 ORDER BY n",
				"SELECT request_id, n, user_id FROM request_contributors WHERE request_id = $1 ORDER BY n",
				"SELECT entity_id, field_id, value FROM custom_field_values WHERE entity_type = 'request' AND entity_id = $1 ORDER BY field_id",
				"SELECT entity_id, field_id, option_id, n FROM custom_field_choices WHERE entity_type = 'request' AND entity_id = $1 ORDER BY field_id, n",
			} {
				some, err := linesOf(tx, q, id)
				if err != nil {
					return err
				}
				lines = append(lines, some...)
			}
		}
		return nil
	}))
	return lines
}

// linesOf returns the rows of a query, each as a line of text.
func linesOf(tx *sqldb.Tx, query string, args ...any) (lines []string, err error) {
	rows, err := tx.Query(query, args...)
	if err != nil {
		return nil, err
	}
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	values, at := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		at[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(at...); err != nil {
			return nil, err
		}
		lines = append(lines, fmt.Sprint(columns, values))
	}
	return lines, rows.Close()
}

// sameView fails with the lines that differ.
func sameView(t *rapid.T, what, got, want string) {
	if got == want {
		return
	}
	var diff []string
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for _, line := range g {
		if !slices.Contains(w, line) {
			diff = append(diff, "+ "+line)
		}
	}
	for _, line := range w {
		if !slices.Contains(g, line) {
			diff = append(diff, "- "+line)
		}
	}
	t.Fatalf("%s:\n%s\ngot\n%s\nwant\n%s", what, strings.Join(diff, "\n"), got, want)
}

// drawMerge draws which requests of a plan are merged into which.
func drawMerge(t *rapid.T, p plan) (target int, others []int) {
	var targets, sources []int
	for i, r := range p.requests {
		if r.State == nil || *r.State != desk.Closed {
			sources = append(sources, i)
			if r.State != nil {
				targets = append(targets, i)
			}
		}
	}
	if len(targets) == 0 || len(sources) < 2 {
		t.Skip("nothing can be merged")
	}
	target = rapid.SampledFrom(targets).Draw(t, "target")
	sources = slices.DeleteFunc(sources, func(i int) bool { return i == target })
	others = rapid.Permutation(sources).Draw(t, "others")
	return target, others[:rapid.IntRange(1, len(others)).Draw(t, "merged")]
}

func (f family) named(at []int) (ids []desk.RequestID) {
	for _, i := range at {
		ids = append(ids, f.ids[i])
	}
	return ids
}

// fewerOnPostgres makes rapid check a third of its cases on PostgreSQL, where one takes
// three times as long, unless their number is given on the command line. The rules are the
// same code on both engines.
func fewerOnPostgres(t *testing.T, url string) {
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if given || sqldb.EngineOf(url) != sqldb.Postgres {
		return
	}
	was := flag.Lookup("rapid.checks").Value.String()
	must(t, flag.Set("rapid.checks", "33"))
	t.Cleanup(func() { must(t, flag.Set("rapid.checks", was)) })
}

// Undo after merge is the identity. Precisely: take two equal families. In one,
// requests are merged into another, something happens to that one, and the merge is
// undone. In the other, the same happens without a merge. Then the API shows the
// same for both: fields, tags, values, parents and children, tickets, messages and
// their order, files, clocks and lists. If nothing happens in between, each row is
// also what it was. Only the time of the last update and the history differ.
func TestUndoAfterMergeIsTheIdentity(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		fewerOnPostgres(t, url)
		w := newMergeWorld(t, url)
		rapid.Check(t, func(t *rapid.T) {
			p := w.drawPlan(t, 2)
			target, others := drawMerge(t, p)
			f, twin := w.settle(t, p), w.settle(t, p)
			before, rows := w.view(t, f), w.rowsOf(t, f)
			sameView(t, "twins", w.view(t, twin), before)

			w.clock.move(time.Second)
			merged, err := w.MergeRequests(ctx, w.caller(), f.ids[target], desk.Merge{Requests: f.named(others)})
			fail(t, err)
			w.checkMerged(t, f, p, merged, others)
			entry := w.latest(t, f.ids[target])

			happened := rapid.IntRange(0, 4).Draw(t, "happenings")
			for n := range happened {
				w.clock.move(time.Second)
				w.happen(t, n, f.ids[target], twin.ids[target])
			}
			w.clock.move(time.Second)
			_, err = w.UndoRequest(ctx, w.caller(), f.ids[target], desk.Undo{Entry: &entry})
			fail(t, err)
			sameView(t, "undone", w.view(t, f), w.view(t, twin))
			if happened == 0 {
				sameView(t, "undone", w.view(t, f), before)
				sameView(t, "rows", strings.Join(w.rowsOf(t, f), "\n"), strings.Join(rows, "\n"))
			}
			_, err = w.UndoRequest(ctx, w.caller(), f.ids[target], desk.Undo{Entry: &entry})
			if desk.KindOf(err) != desk.Refused {
				t.Fatalf("undone twice: %v", err)
			}
		})
	})
}

// latest returns the newest entry of a history.
func (w *mergeWorld) latest(t failer, id desk.RequestID) desk.HistoryEntryID {
	l, err := w.History(ctx, w.caller(), id, desk.Page{Limit: 1})
	fail(t, err)
	return l.Items[0].ID
}

// happen does the same thing to each of several equal requests.
func (w *mergeWorld) happen(t *rapid.T, n int, ids ...desk.RequestID) {
	m := drawMessage(t, 1000+n)
	change := rapid.SampledFrom([]*desk.RequestChange{nil, nil, {State: ptr(desk.Pending)}, {State: ptr(desk.Solved)}, {Title: ptr(fmt.Sprint("title ", n))},
		{Values: desk.FieldInput{fmt.Sprint(w.note): fmt.Sprint("new note ", n)}}}).Draw(t, "change")
	for _, id := range ids {
		if change == nil {
			w.say(t, id, m)
			continue
		}
		_, err := w.UpdateRequest(ctx, w.caller(), id, *change)
		fail(t, err)
	}
}

// checkMerged checks the result of a merge: nothing is lost, nothing is doubled,
// and no request is its own ancestor.
func (w *mergeWorld) checkMerged(t *rapid.T, f family, p plan, merged desk.Request, others []int) {
	target := p.requests[slices.Index(f.ids, merged.ID)]
	tickets, messages, asked := target.tickets, map[string]bool{}, target.survey > 0
	own := asked
	for i, r := range p.requests {
		part := slices.Contains(others, i)
		for _, m := range r.messages {
			if (part || f.ids[i] == merged.ID) && !m.removed {
				messages[m.Text] = true
			}
		}
		if part {
			tickets += r.tickets
			asked = asked || r.survey > 0
		}
		for at, steps := &f.ids[i], 0; at != nil; steps++ {
			if steps > len(f.ids) {
				t.Fatalf("%d is its own ancestor", f.ids[i])
			}
			above, err := w.Request(ctx, w.caller(), *at, RequestParts{Messages: true})
			fail(t, err)
			if steps == 0 && part && (above.MergedInto == nil || *above.MergedInto != merged.ID || len(above.Tickets)+len(above.Messages) > 0) {
				t.Fatalf("merged: %+v", above)
			}
			if steps == 0 && !part && above.Parent != nil && slices.Contains(f.named(others), *above.Parent) {
				t.Fatalf("%d has a parent that was merged", f.ids[i])
			}
			at = above.Parent
		}
	}
	whole, err := w.Request(ctx, w.caller(), merged.ID, RequestParts{Messages: true})
	fail(t, err)
	if len(merged.Tickets) != tickets || len(whole.Messages) != len(messages) {
		t.Fatalf("%d tickets and %d messages, want %d and %d", len(merged.Tickets), len(whole.Messages), tickets, len(messages))
	}
	if has := whole.Survey != nil; has != asked || has && own != (whole.Survey.Asked == merged.ID) {
		t.Fatalf("the survey is %+v; any request had one: %t, its own: %t", whole.Survey, asked, own)
	}
	if !slices.IsSortedFunc(whole.Messages, func(a, b desk.Message) int { return a.CreatedAt.Compare(b.CreatedAt) }) {
		t.Fatalf("out of order: %+v", whole.Messages)
	}
	for _, m := range whole.Messages {
		if !messages[m.Text] {
			t.Fatalf("%q does not belong here", m.Text)
		}
	}
}

// In the same sense, undo after split is the identity for the request that was
// split.
func TestUndoAfterSplitIsTheIdentity(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		fewerOnPostgres(t, url)
		w := newMergeWorld(t, url)
		rapid.Check(t, func(t *rapid.T) {
			p := w.drawPlan(t, 1)
			var whole []int
			for i, r := range p.requests {
				public := 0
				for _, m := range r.messages {
					if !m.Private && !m.removed {
						public++
					}
				}
				if public > 1 && (r.State == nil || *r.State != desk.Closed) {
					whole = append(whole, i)
				}
			}
			if len(whole) == 0 {
				t.Skip("nothing can be split")
			}
			target := rapid.SampledFrom(whole).Draw(t, "target")
			f, twin := w.settle(t, p), w.settle(t, p)
			before, rows := w.view(t, f), w.rowsOf(t, f)
			r, err := w.Request(ctx, w.caller(), f.ids[target], RequestParts{Messages: true})
			fail(t, err)

			w.clock.move(time.Second)
			var named []desk.MessageID
			for _, m := range r.Messages {
				if rapid.Bool().Draw(t, "taken") {
					named = append(named, m.ID)
				}
			}
			made, err := w.SplitRequest(ctx, w.caller(), r.ID, desk.Split{Messages: named})
			if desk.KindOf(err) == desk.Invalid && err != nil {
				sameView(t, "refused", w.view(t, f), before)
				return
			}
			fail(t, err)
			parts := []desk.Request{{ID: r.ID}, {ID: made.ID}}
			fail(t, w.store.Read(ctx, w.account.ID, func(tx *store.Tx) error { return tx.AddMessages(parts) }))
			if len(parts[1].Messages) != len(named) || len(parts[0].Messages)+len(named) != len(r.Messages) {
				t.Fatalf("%d and %d messages of %d", len(parts[0].Messages), len(parts[1].Messages), len(r.Messages))
			}
			entry := w.latest(t, r.ID)

			happened := rapid.IntRange(0, 3).Draw(t, "happenings")
			for n := range happened {
				w.clock.move(time.Second)
				w.happen(t, n, r.ID, twin.ids[target])
			}
			w.clock.move(time.Second)
			_, err = w.UndoRequest(ctx, w.caller(), r.ID, desk.Undo{Entry: &entry})
			fail(t, err)
			// The request that was split off is no longer in any list, so it is not
			// in the family.
			sameView(t, "undone", w.view(t, f), w.view(t, twin))
			if happened == 0 {
				sameView(t, "undone", w.view(t, f), before)
				sameView(t, "rows", strings.Join(w.rowsOf(t, f), "\n"), strings.Join(rows, "\n"))
			}
			gone, err := w.Request(ctx, w.caller(), made.ID, RequestParts{Messages: true})
			if err != nil || gone.MergedInto == nil || *gone.MergedInto != r.ID || len(gone.Messages) > 0 {
				t.Fatalf("the split-off request is %+v, %v", gone, err)
			}
		})
	})
}
