package rest

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"
)

// pick draws one of several things.
func pick[T any](t *rapid.T, what string, from ...T) T { return rapid.SampledFrom(from).Draw(t, what) }

// chance is true once in n draws.
func chance(t *rapid.T, what string, n int) bool { return rapid.IntRange(1, n).Draw(t, what) == n }

// caller draws who calls, mostly somebody who is allowed to.
func (d *machine) caller(t *rapid.T) modelCaller {
	name := pick(t, "caller", "admin", "admin", "admin", "agent", "agent", "agent", "agent", "other admin", "other admin", "other agent", "other agent",
		"viewer", "agent read-only", "other viewer")
	return d.callers[slices.IndexFunc(d.callers, func(c modelCaller) bool { return c.name == name })]
}

// callerOf draws a caller of an account who can write.
func (d *machine) callerOf(t *rapid.T, account string) modelCaller {
	name := account + pick(t, "caller", "admin", "agent")
	return d.callers[slices.IndexFunc(d.callers, func(c modelCaller) bool { return c.name == name })]
}

// anyRequest draws a request of an account, which must have one. It mostly draws
// from a few requests, or nothing would happen twice to the same one.
func (d *machine) anyRequest(t *rapid.T, account string) int64 {
	ids := sortedIDs(d.m.accounts[account].requests)
	if !chance(t, "any", 4) {
		ids = ids[:min(len(ids), 4)]
	}
	return pick(t, "request", ids...)
}

// target draws a caller and a request, mostly of the same account.
func (d *machine) target(t *rapid.T) (modelCaller, int64) {
	c := d.caller(t)
	account := c.account
	if chance(t, "elsewhere", 12) {
		account = pick(t, "whose", "", "other ")
	}
	// A request that was just changed is the most interesting one.
	if d.last[account] == 0 || !rapid.Bool().Draw(t, "the same") {
		d.last[account] = d.anyRequest(t, account)
	}
	return c, d.last[account]
}

// text returns a text that was not used before. It asks for something.
func (d *machine) text() string {
	d.made++
	return fmt.Sprintf("Can you help us with printer %d?", d.made)
}

// withKey gives a call an idempotency key, or none.
func (d *machine) withKey(t *rapid.T, op modelOp) modelOp {
	if chance(t, "keyed", 3) {
		d.made++
		op.key = fmt.Sprint("key ", d.made)
	}
	return op
}

func (d *machine) create(t *rapid.T) { d.do(t, d.withKey(t, d.drawCreate(t, d.caller(t)))) }

// drawCreate draws a request in one of its three forms.
func (d *machine) drawCreate(t *rapid.T, c modelCaller) modelOp {
	a := d.m.of(c)
	text := d.text()
	op := modelOp{what: "create", who: c, method: "POST", path: "/requests", body: map[string]any{"description": text}}
	first := modelMessage{text: text, user: c.user, email: c.email}
	title, priority, tags, good := text, "normal", []string{}, true
	collection := a.collections[0]
	flat := false
	switch pick(t, "form", "json", "form", "flat") {
	case "form":
		op.form = true
		if chance(t, "file", 3) {
			op.files = []string{"a.txt"}
			first.files = op.files
		}
	case "flat":
		flat = true
		collection = pick(t, "collection", slices.Concat(a.collections, a.collections[1:], a.collections[1:], []int64{a.chat, 99999999})...)
		title = "Flat"
		op.body["collection_id"], op.body["title"] = collection, title
		good = slices.Contains(a.collections, collection)
		if rapid.Bool().Draw(t, "tags") {
			tags = []string{"x", "y"}
			op.body["tags"] = []string{"x", "y", " x "}
		}
	}
	if chance(t, "requester", 2) {
		who := pick(t, "from", modelCaller{email: "ines@harborpine.example", user: "U_INES"}, modelCaller{email: "oskar@else.example"}, modelCaller{email: "agent@acme.example"})
		if c.account != "" {
			who.user = ""
		}
		first.user, first.email = who.user, who.email
		op.body["requester_email"] = who.email
	}
	if chance(t, "priority", 3) {
		priority = pick(t, "which", "low", "urgent", "medium", "none")
		op.body["priority"] = priority
		good = good && priority != "none" && (flat || priority != "medium")
		if priority == "medium" {
			priority = "normal"
		}
	}
	op.step = creating(c, modelRequest{collection: collection, is: map[string]any{"title": title, "priority": priority, "tags": tags}, messages: []modelMessage{first}}, good)
	return op
}

// creating returns the effect of a call that creates a request.
func creating(c modelCaller, n modelRequest, good bool) func(*model, modelAnswer) (int, []int64) {
	return func(m *model, answer modelAnswer) (int, []int64) {
		a := m.of(c)
		switch known := slices.Contains(a.collections, n.collection) || n.collection == a.chat; {
		case !c.writes, known && !a.has(c, n.collection):
			return 403, nil
		case !good:
			return 400, nil
		}
		r := a.add(m.newRequest(answer.made(), n.collection, n.is["title"].(string), n.is["priority"].(string), n.messages[0]))
		r.is["tags"] = n.list("tags")
		a.told("ticket.created", 0)
		return 201, []int64{r.id}
	}
}

func (d *machine) say(t *rapid.T) {
	c, id := d.target(t)
	if r := d.m.sees(c, id); r != nil && rapid.Bool().Draw(t, "by who asked") {
		if i := slices.IndexFunc(d.callers, func(a modelCaller) bool { return a.account == c.account && a.writes && a.email == r.email }); i >= 0 {
			c = d.callers[i]
		}
	}
	d.do(t, d.withKey(t, d.drawMessage(t, c, id)))
}

// drawMessage draws a message in a request.
func (d *machine) drawMessage(t *rapid.T, c modelCaller, id int64) modelOp {
	said := modelMessage{text: d.text(), private: chance(t, "private", 3)}
	op := modelOp{what: "message", who: c, method: "POST", path: fmt.Sprintf("/requests/%d/message", id), form: rapid.Bool().Draw(t, "form"), body: map[string]any{}}
	good, state := true, ""
	switch {
	case chance(t, "thanks", 6):
		said.text, said.idle = "Thanks!", true
	case chance(t, "empty", 12):
		said.text, good = "", false
	}
	op.body["html_body"] = said.text
	if op.form && chance(t, "file", 4) {
		op.files, said.files = []string{"b.txt", "c.txt"}, []string{"b.txt", "c.txt"}
		said.idle = false // it says more than thanks
	}
	if said.private {
		op.body["is_private"] = true
	}
	if chance(t, "state", 5) {
		state = pick(t, "to", append([]string{"done"}, modelStates...)...)
		op.body["state"] = state
	}
	if chance(t, "thread", 20) {
		op.body["thread_ts"], good = "1.2", false
	}
	op.step = func(m *model, answer modelAnswer) (int, []int64) {
		r, refused := m.changes(c, id)
		switch {
		case refused != 0:
			return refused, nil
		case !good, state != "" && !setState(state).valid(m, c, r):
			return 400, []int64{id}
		}
		said := said
		said.id = answer.made()
		if answer.status == 201 && said.id < m.of(c).said {
			return 0, nil // of two concurrent calls, the one with the lower id was first, and later undos depend on it
		}
		m.addMessage(c, r, said, state)
		return 201, []int64{id}
	}
	return op
}

func (d *machine) update(t *rapid.T) {
	c, id := d.target(t)
	d.do(t, d.withKey(t, d.drawUpdate(t, c, id)))
}

// drawUpdate draws up to three fields, some of them wrong.
func (d *machine) drawUpdate(t *rapid.T, c modelCaller, id int64) modelOp {
	op := modelOp{what: "update", who: c, method: "PATCH", path: fmt.Sprint("/requests/", id), body: map[string]any{}}
	var sets []modelSet
	for range min(rapid.IntRange(0, 9).Draw(t, "members"), 3) {
		s := d.drawSet(t, c)
		if _, twice := op.body[s.name]; twice {
			continue
		}
		op.body[s.name] = s.value
		sets = append(sets, s)
	}
	op.step = func(m *model, answer modelAnswer) (int, []int64) {
		status := m.update(c, id, slices.Clone(sets))
		if status == 403 || status == 404 {
			return status, nil
		}
		return status, []int64{id}
	}
	return op
}

// family gives a request a parent, by a caller who may not see all of its
// ancestors.
func (d *machine) family(t *rapid.T) {
	c := d.callerOf(t, "")
	id, set := d.anyRequest(t, ""), setParent(d.anyRequest(t, ""))
	op := modelOp{what: "family", who: c, method: "PATCH", path: fmt.Sprint("/requests/", id), body: map[string]any{set.name: set.value}}
	op.step = func(m *model, _ modelAnswer) (int, []int64) { return m.touching(c, m.update(c, id, []modelSet{set})) }
	d.do(t, op)
}

func (d *machine) drawSet(t *rapid.T, c modelCaller) modelSet {
	a := d.m.of(c)
	if chance(t, "wrong", 25) {
		return pick(t, "how", setState("done"), setMark("maybe"), setPlain("title", "", false, nil), setPlain("title", strings.Repeat("x", 301), false, nil),
			setPlain("priority", "medium", false, nil), setPlain("assignee", "U_OLD", false, nil), setPlain("assigned_team", 99999999, false, nil),
			setPlain("tags", []string{""}, false, nil), setPlain("contributors", []string{"U_NO"}, false, nil), setParent(int64(99999999)),
			setValue(a.fields[0], "too long", false), setValue(a.fields[1], "7", false), setValue(a.fields[2], "3", false), setValue("99999999", "x", false))
	}
	user := "U_MIRA"
	if c.account != "" {
		user = "U_GLOB"
	}
	switch pick(t, "member", "state", "state", "state", "mark", "mark", "title", "priority", "assignee", "team", "tags", "contributors", "parent", "value") {
	case "state":
		return setState(pick(t, "state", "open", "in_progress", "pending", "on_hold", "on_hold", "solved", "solved", "closed", "closed"))
	case "mark":
		return setMark(pick[any](t, "mark", "temporary", "permanent", "permanent", nil))
	case "title":
		title := pick(t, "title", "New", " Other ")
		return setPlain("title", title, true, strings.TrimSpace(title))
	case "priority":
		p := pick(t, "priority", "low", "high")
		return setPlain("priority", p, true, p)
	case "assignee":
		who := pick[any](t, "assignee", user, nil)
		return setPlain("assignee", who, true, who)
	case "team":
		team := pick[any](t, "team", a.team, nil)
		return setPlain("assigned_team", team, true, team)
	case "tags":
		return pick(t, "tags", setPlain("tags", []string{"a", "b", "a"}, true, []string{"a", "b"}), setPlain("tags", []string{}, true, []string{}))
	case "contributors":
		return setPlain("contributors", []string{user}, true, []string{user})
	case "parent":
		if chance(t, "no parent", 5) {
			return setParent(nil)
		}
		return setParent(d.anyRequest(t, pick(t, "whose", c.account, c.account, c.account, c.account, "", "other ")))
	}
	return pick(t, "value", setValue(a.fields[0], "short", true), setValue(a.fields[0], "other", true), setValue(a.fields[0], nil, true), setValue(a.fields[1], 7.5, true), setValue(a.fields[2], "2", true))
}

func (d *machine) merge(t *rapid.T) {
	c, id := d.target(t)
	d.do(t, d.withKey(t, d.drawMerge(t, c, id)))
}

func (d *machine) drawMerge(t *rapid.T, c modelCaller, id int64) modelOp {
	all := sortedIDs(d.m.of(c).requests)
	var ids []int64
	for range rapid.IntRange(1, 3).Draw(t, "others") {
		switch {
		case len(all) > 0 && !chance(t, "odd", 12):
			if one := pick(t, "other", all...); !slices.Contains(ids, one) && one != id || chance(t, "wrong", 12) {
				ids = append(ids, one)
			}
		default:
			ids = append(ids, pick(t, "odd one", append(sortedIDs(d.m.accounts["other "].requests), 99999999)...))
		}
	}
	if ids == nil {
		ids = []int64{}
	}
	op := modelOp{what: "merge", who: c, method: "POST", path: fmt.Sprintf("/requests/%d/merge", id), body: map[string]any{"request_ids": ids}}
	op.step = func(m *model, _ modelAnswer) (int, []int64) { return m.touching(c, m.merge(c, id, ids)) }
	return op
}

// touching returns all requests of an account, after a change to several.
func (m *model) touching(c modelCaller, status int) (int, []int64) {
	if status > 201 {
		return status, nil
	}
	var ids []int64
	for _, id := range sortedIDs(m.of(c).requests) {
		if m.of(c).requests[id].updated.Equal(m.now) {
			ids = append(ids, id)
		}
	}
	return status, ids
}

func (d *machine) split(t *rapid.T) {
	c, id := d.target(t)
	r := d.m.sees(c, id)
	if r == nil || len(r.messages) == 0 {
		return
	}
	var ids []int64
	for _, s := range r.messages {
		if rapid.Bool().Draw(t, "taken") {
			ids = append(ids, s.id)
		}
	}
	if ids == nil || chance(t, "odd", 12) {
		ids = append(ids, 99999999)
	}
	op := modelOp{what: "split", who: c, method: "POST", path: fmt.Sprintf("/requests/%d/split", id), body: map[string]any{"message_ids": ids, "title": "Part"}}
	op.step = func(m *model, a modelAnswer) (int, []int64) {
		return m.touching(c, m.split(c, id, ids, "Part", a.made()))
	}
	d.do(t, d.withKey(t, op))
}

func (d *machine) undo(t *rapid.T) {
	c, id := d.target(t)
	d.do(t, d.withKey(t, d.drawUndo(t, c, id)))
}

func (d *machine) drawUndo(t *rapid.T, c modelCaller, id int64) modelOp {
	op := modelOp{what: "undo", who: c, method: "POST", path: fmt.Sprintf("/requests/%d/undo", id), body: map[string]any{}}
	change := int64(0)
	if r := d.m.sees(c, id); r != nil && len(r.history) > 0 && rapid.Bool().Draw(t, "named") {
		change = pick(t, "change", r.history...).id
		if chance(t, "odd", 10) {
			change = 99999999
		}
		op.body["change_id"] = change
	}
	op.step = func(m *model, _ modelAnswer) (int, []int64) { return m.touching(c, m.undo(c, id, change)) }
	return op
}

func (d *machine) bulk(t *rapid.T) { d.do(t, d.withKey(t, d.drawImport(t, d.caller(t)))) }

// drawImport draws a few requests of another system, whose ids occur again.
func (d *machine) drawImport(t *rapid.T, c modelCaller) modelOp {
	var items []map[string]any
	var requests []modelRequest
	var external []string
	bad := -1
	onHold := false
	for i := range rapid.IntRange(1, 3).Draw(t, "items") {
		made := d.m.now.Add(-time.Duration(rapid.IntRange(2, 9).Draw(t, "days ago")) * 24 * time.Hour)
		state := pick(t, "state", append([]string{"open", "pending", "solved"}, modelStates...)...)
		item := map[string]any{"title": "Old", "requester": map[string]any{"email": "oskar@else.example"}, "created_at": shownTime(made), "state": state, "tags": []string{"old"}}
		r := modelRequest{is: newMembers("Old", state, "normal"), email: "oskar@else.example", imported: true, created: made, updated: made, active: made}
		r.is["tags"] = []string{"old"}
		var messages []map[string]any
		for range rapid.IntRange(0, 3).Draw(t, "messages") {
			s := modelMessage{text: d.text(), email: "oskar@else.example", at: made.Add(time.Duration(rapid.IntRange(0, 9).Draw(t, "minute")) * time.Minute),
				responder: rapid.Bool().Draw(t, "responder"), private: chance(t, "private", 4)}
			if s.responder {
				s.email = "agnes@else.example"
			}
			messages = append(messages, map[string]any{"text": s.text, "author": map[string]any{"email": s.email}, "is_responder": s.responder, "is_private": s.private, "created_at": shownTime(s.at)})
			r.messages = append(r.messages, s)
			r.updated = laterOf(r.updated, s.at)
		}
		if item["messages"] = messages; messages == nil {
			delete(item, "messages")
		}
		answered, active := clocks(r.messages)
		r.answered, r.active = answered, laterOf(r.active, active)
		if state == "solved" || state == "closed" {
			r.solved, r.firstSolved = r.updated, r.updated
		}
		onHold = onHold || state == "on_hold"
		id := ""
		if rapid.Bool().Draw(t, "external") {
			id = pick(t, "id", "ext 1", "ext 2", "ext 3", "ext 4")
			item["external_id"] = id
		}
		if chance(t, "bad", 10) {
			bad = i
			item["created_at"] = shownTime(d.m.now.Add(time.Hour))
		}
		items, requests, external = append(items, item), append(requests, r), append(external, id)
	}
	op := modelOp{what: "import", who: c, method: "POST", path: "/requests/batch", body: map[string]any{"requests": items}}
	op.step = func(m *model, answer modelAnswer) (int, []int64) {
		a := m.of(c)
		switch {
		case !c.writes, !a.has(c, a.collections[0]):
			return 403, nil
		case bad >= 0, onHold && !a.onHold:
			return 400, nil
		}
		var body struct {
			Requests []struct {
				ID     int64
				Status string
			}
		}
		json.Unmarshal([]byte(answer.body), &body)
		if len(body.Requests) != len(items) {
			return -1, nil
		}
		var touched []int64
		for i, r := range requests {
			got, want := body.Requests[i], "created"
			known, exists := a.external[external[i]]
			if external[i] != "" && exists {
				want = "exists"
				if got.ID != known {
					return -1, nil
				}
			}
			if got.Status != want {
				return -1, nil
			}
			touched = append(touched, got.ID)
			if want == "exists" {
				continue
			}
			r.id, r.collection = got.ID, a.collections[0]
			r.is, r.messages = newCopy(r.is), slices.Clone(r.messages)
			a.add(r)
			if external[i] != "" {
				a.external[external[i]] = r.id
			}
		}
		return 201, touched
	}
	return op
}

func newCopy(is map[string]any) map[string]any {
	made := map[string]any{}
	for name, v := range is {
		made[name] = v
	}
	return made
}

func laterOf(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (d *machine) get(t *rapid.T) {
	c, id := d.target(t)
	include := pick(t, "include", "", "?include=messages", "?include=parent_child_requests")
	op := modelOp{who: c, method: "GET", path: fmt.Sprintf("/requests/%d%s", id, include)}
	a := d.send(op)
	r := d.m.sees(c, id)
	if r == nil {
		if a.status != 404 {
			differ(t, "%v: %d %s, want 404", op, a.status, a.body)
		}
		return
	}
	if a.status != 200 {
		differ(t, "%v: %d %s", op, a.status, a.body)
	}
	got := a.request(t)
	if problems := r.compare(d.m.of(c), got, func(id int64) bool { return d.m.sees(c, id) != nil }); len(problems) > 0 {
		differ(t, "%v:\n%s", op, strings.Join(problems, "\n"))
	}
	if (got.Messages != nil) != strings.Contains(include, "messages") || (got.Children != nil) != strings.Contains(include, "child") {
		differ(t, "%v: %s", op, a.body)
	}
}

func (d *machine) list(t *rapid.T) {
	c := d.caller(t)
	a := d.m.of(c)
	f := modelFilter{asc: rapid.Bool().Draw(t, "ascending"), byUpdate: rapid.Bool().Draw(t, "by update")}
	f.states = rapid.SliceOfN(rapid.SampledFrom(append([]string{"none"}, modelStates...)), 0, 3).Draw(t, "states")
	if chance(t, "in a collection", 3) {
		f.collection = pick(t, "collection", a.collections...)
	}
	if chance(t, "of authors", 2) {
		f.authors = rapid.SliceOfN(rapid.SampledFrom([]string{"ines@harborpine.example", "OSKAR@else.example", "oskar@else.example", c.email}), 1, 3).Draw(t, "authors")
	}
	ids := sortedIDs(a.requests)
	moment := func(what string) time.Time {
		if len(ids) == 0 || !chance(t, what, 4) {
			return time.Time{}
		}
		return a.requests[pick(t, "that of", ids...)].updated
	}
	f.after, f.before = moment("after"), moment("before")
	d.compareList(t, c, f, rapid.IntRange(1, 5).Draw(t, "limit"))
}

func (f modelFilter) query() string {
	q := url.Values{"state": f.states, "author_emails": f.authors}
	if f.collection != 0 {
		q.Set("collection_id", fmt.Sprint(f.collection))
	}
	if !f.after.IsZero() {
		q.Set("after", shownTime(f.after))
	}
	if !f.before.IsZero() {
		q.Set("before", shownTime(f.before))
	}
	if f.asc {
		q.Set("sort_order", "asc")
	}
	if f.byUpdate {
		q.Set("filter_by", "updated_at")
	}
	if len(q.Encode()) == 0 {
		return ""
	}
	return "&" + q.Encode()
}

// retry repeats a call with a key, or makes another call with it.
func (d *machine) retry(t *rapid.T) {
	if len(d.keyed) == 0 {
		return
	}
	op := pick(t, "call", d.keyed...)
	if chance(t, "another", 4) {
		op.body = newCopy(op.body)
		op.body["something"] = "else"
	}
	a := d.send(op)
	if a.err != nil {
		differ(t, "%v", a.err)
	}
	d.counts[fmt.Sprint("retry ", a.status)]++
	t.Logf("again %v: %d", op, a.status)
	if _, problem := d.m.take(op, a, false); problem != "" {
		differ(t, "%v again: %s", op, problem)
	}
}

// settings changes what an account allows, or what its agent can see.
func (d *machine) settings(t *rapid.T) {
	account := pick(t, "whose", "", "", "other ")
	a := d.m.accounts[account]
	if rapid.Bool().Draw(t, "on hold") {
		a.onHold = !a.onHold
		d.set(t, account, "/account", map[string]any{"on_hold_allowed": a.onHold})
		return
	}
	d.setReach(t, account, pick(t, "reach", a.collections[:1], a.collections[1:], a.collections))
}

func (d *machine) setReach(t *rapid.T, account string, list []int64) {
	agent := d.stage.ids[strings.ReplaceAll(account+"agent", " ", ".")]
	d.set(t, account, "/members/"+agent, map[string]any{"collection_ids": list})
	for _, name := range []string{account + "agent", account + "agent read-only"} {
		d.m.accounts[account].reach[name] = list
	}
}

func (d *machine) set(t *rapid.T, account, path string, body map[string]any) {
	a := d.send(modelOp{who: modelCaller{name: account + "admin"}, method: "PATCH", path: path, body: body})
	if a.status != 200 {
		differ(t, "%s: %d %s", path, a.status, a.body)
	}
}

// drawAtOnce draws one of several concurrent calls. Most are about the same
// request, and some repeat an earlier one.
func (d *machine) drawAtOnce(t *rapid.T, account string, one int64, before []modelOp) modelOp {
	if len(before) > 0 && before[len(before)-1].key != "" && rapid.Bool().Draw(t, "again") {
		return before[len(before)-1]
	}
	c := d.callerOf(t, account)
	id := one
	if chance(t, "another", 5) {
		id = d.anyRequest(t, account)
	}
	var op modelOp
	switch pick(t, "what", "message", "message", "update", "update", "merge", "undo", "import", "create") {
	case "message":
		op = d.drawMessage(t, c, id)
	case "update":
		op = d.drawUpdate(t, c, id)
	case "merge":
		op = d.drawMerge(t, c, id)
	case "undo":
		op = d.drawUndo(t, c, id)
	case "import":
		op = d.drawImport(t, c)
	default:
		op = d.drawCreate(t, c)
	}
	return d.withKey(t, op)
}
