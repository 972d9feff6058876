package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// The API does what the contract says about states, messages, merging, importing,
// lists, retries and visibility, in any order, for callers of two accounts, one
// after the other and at once. After each step it responds and shows what the model
// says.
func TestAPIFollowsTheModel(t *testing.T) { followModel(t, 20, 100) }

func followModel(t *testing.T, checks, steps int) {
	setRapid(t, "rapid.checks", strconv.Itoa(checks))
	setRapid(t, "rapid.steps", strconv.Itoa(steps))
	setRapid(t, "rapid.shrinktime", "1s") // a failure that depends on concurrent calls seldom fails again
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		s := newStage(t, db, scriptRate{})
		total := map[string]int{}
		rapid.Check(t, func(rt *rapid.T) {
			d := &machine{stage: s, counts: map[string]int{}, last: map[string]int64{}}
			defer tellDifference(t, rt)
			d.begin(t, rt)
			rt.Repeat(map[string]func(*rapid.T){
				"create": d.create, "import": d.bulk, "message": d.say, "another message": d.say, "one more message": d.say, "one more update": d.update,
				"update": d.update, "another update": d.update, "merge": d.merge, "split": d.split, "undo": d.undo, "undo again": d.undo,
				"get": d.get, "list": d.list, "retry": d.retry, "at once": d.atOnce, "settings": d.settings, "clock": d.clock, "family": d.family,
			})
			d.lookAtAll(rt)
			for what, n := range d.counts {
				total[what] += n
			}
		})
		t.Log(total)
	})
}

// setRapid sets a rapid flag, unless it is given on the command line.
func setRapid(t *testing.T, name, value string) {
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	was := flag.Lookup(name).Value.String()
	if given || flag.Set(name, value) != nil {
		return
	}
	t.Cleanup(func() { flag.Set(name, was) })
}

// differ ends a check. Its message is always the same, because rapid looks for a
// shorter way to the same error, and ids always differ.
func differ(t *rapid.T, format string, args ...any) {
	t.Logf(format, args...)
	differed.Store(t, fmt.Sprintf(format, args...))
	t.Fatal("the API does not follow the model")
}

// differed holds what differed in a check.
var differed sync.Map

// tellDifference reports what differed. If it does not differ again, rapid does not
// report it.
func tellDifference(t *testing.T, rt *rapid.T) {
	if what, differs := differed.LoadAndDelete(rt); differs {
		t.Log(what)
	}
}

// machine is the API and the model side by side.
type machine struct {
	stage   *stage
	m       *model
	callers []modelCaller
	last    map[string]int64 // the request of the last step, by account
	made    int              // makes texts and keys unique
	keyed   []modelOp        // calls whose responses are stored
	counts  map[string]int   // how often each step was done, to check the variety
}

// modelOp is a call, with what the model expects: its status, and its effects. Ids,
// which only the API can know, are taken from the response.
type modelOp struct {
	what         string
	who          modelCaller
	method, path string
	body         map[string]any
	form         bool // sent as a form, with files
	files        []string
	key          string
	step         func(m *model, a modelAnswer) (status int, touched []int64)
}

type modelAnswer struct {
	status   int
	replayed bool
	body     string
	sent     string // the call that it responds to
	err      error
}

// begin creates two accounts with everything that the steps need.
func (d *machine) begin(t *testing.T, rt *rapid.T) {
	s := d.stage
	s.setClock(castMade)
	s.addAccount(t, "Acme", "")
	s.addAccount(t, "Globex", "other ")
	s.setClock(curtain)
	d.m = &model{now: curtain, accounts: map[string]*modelAccount{}, kept: map[string]modelAnswer{}}
	for _, who := range []string{"", "other "} {
		a := &modelAccount{onHold: true, reach: map[string][]int64{}, requests: map[int64]*modelRequest{}, external: map[string]int64{}, events: map[string]int{}}
		d.m.accounts[who] = a
		admin := modelCaller{name: who + "admin", account: who, writes: true}
		for _, name := range []string{"API", "Apart"} {
			a.collections = append(a.collections, d.id(rt, admin, "/collections", map[string]any{"name": name, "kind": "api"}, "collection"))
		}
		a.chat = d.id(rt, admin, "/collections", map[string]any{"name": "Chat", "kind": "chat"}, "collection")
		for i, f := range []map[string]any{{"name": "Text", "type": "text", "config": map[string]any{"max_length": 5}}, {"name": "Number", "type": "number"},
			{"name": "Choice", "type": "select", "config": map[string]any{"options": []any{map[string]any{"value": "a"}, map[string]any{"value": "b"}}}}} {
			a.fields[i] = fmt.Sprint(d.id(rt, admin, "/custom-fields", f, ""))
		}
		a.team, _ = strconv.ParseInt(s.ids[strings.ReplaceAll(who+"team", " ", ".")], 10, 64)
	}
	for _, c := range []modelCaller{{name: "admin", writes: true}, {name: "agent", writes: true}, {name: "viewer"}, {name: "agent read-only"}} {
		c.email = strings.Fields(c.name)[0] + "@acme.example"
		d.callers = append(d.callers, c)
		c.name, c.account, c.email = "other "+c.name, "other ", strings.Fields(c.name)[0]+"@globex.example"
		if c.name == "other admin" {
			c.user = "U_GLOB"
		}
		d.callers = append(d.callers, c)
	}
	d.setReach(rt, "", []int64{d.m.accounts[""].collections[0]})
	for _, account := range []string{"", "other "} {
		// Every step needs something to work on, and not everybody may see all of
		// it.
		a := d.m.accounts[account]
		admin := d.callers[slices.IndexFunc(d.callers, func(c modelCaller) bool { return c.name == account+"admin" })]
		for _, collection := range a.collections {
			op := modelOp{what: "begin", who: admin, method: "POST", path: "/requests", body: map[string]any{"collection_id": collection, "title": "First", "description": "First"}}
			op.step = creating(admin, modelRequest{collection: collection, is: map[string]any{"title": "First", "priority": "normal", "tags": []string{}},
				messages: []modelMessage{{text: "First", user: admin.user, email: admin.email}}}, true)
			d.do(rt, op)
		}
		for range 2 {
			d.do(rt, d.drawCreate(rt, d.callerOf(rt, account)))
		}
	}
}

// id creates something that steps need, and returns its id.
func (d *machine) id(t *rapid.T, c modelCaller, path string, body map[string]any, under string) int64 {
	a := d.send(modelOp{who: c, method: "POST", path: path, body: body})
	var made map[string]json.RawMessage
	var one struct{ ID int64 }
	err := json.Unmarshal([]byte(a.body), &made)
	if under != "" && err == nil {
		err = json.Unmarshal(made[under], &one)
	} else if err == nil {
		err = json.Unmarshal(made["id"], &one.ID)
	}
	if a.status != 201 || err != nil {
		differ(t, "POST %s: %d %s (%v)", path, a.status, a.body, err)
	}
	return one.ID
}

// send makes the call. It may run concurrently with others.
func (d *machine) send(op modelOp) (a modelAnswer) {
	body, kind, err := op.content()
	if err != nil {
		return modelAnswer{err: err}
	}
	r, err := http.NewRequestWithContext(context.Background(), op.method, d.stage.server.URL+prefix+op.path, body)
	if err != nil {
		return modelAnswer{err: err}
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	if op.key != "" {
		r.Header.Set("Idempotency-Key", op.key)
	}
	r.Header.Set("Authorization", "Bearer "+d.stage.callers[op.who.name].secret)
	w, text, err := d.stage.do(r)
	if err != nil {
		return modelAnswer{err: err}
	}
	return modelAnswer{status: w.StatusCode, replayed: w.Header.Get("Idempotent-Replayed") == "true", body: text, sent: op.String()}
}

// content returns the body of a call. A form has another boundary each time.
func (op modelOp) content() (io.Reader, string, error) {
	if op.body == nil {
		return nil, "", nil
	}
	if !op.form {
		return strings.NewReader(asJSON(op.body)), "application/json", nil
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(op.body)) { // the order matters for a key
		if err := w.WriteField(name, fmt.Sprint(op.body[name])); err != nil {
			return nil, "", err
		}
	}
	for _, name := range op.files {
		part, err := w.CreateFormFile("attachments", name)
		if err != nil {
			return nil, "", err
		}
		if _, err := io.WriteString(part, "content of "+name); err != nil {
			return nil, "", err
		}
	}
	return &b, w.FormDataContentType(), w.Close()
}

func (op modelOp) String() string {
	return fmt.Sprintf("%s %s as %s %s %t %q", op.method, op.path, op.who.name, asJSON(op.body), op.form, op.files)
}

func (a modelAnswer) request(t *rapid.T) (got shownRequest) {
	var body struct{ Request shownRequest }
	if err := json.Unmarshal([]byte(a.body), &body); err != nil {
		differ(t, "%v: %s", err, a.body)
	}
	return body.Request
}

// made returns the id of the created thing in a response, in any of the formats of
// ids.
func (a modelAnswer) made() int64 {
	var flat struct {
		ID      int64
		Message struct{ ID int64 }
	}
	var nested struct{ Request struct{ ID any } }
	json.Unmarshal([]byte(a.body), &flat)
	if json.Unmarshal([]byte(a.body), &nested) == nil && nested.Request.ID != nil {
		id, _ := strconv.ParseInt(fmt.Sprint(nested.Request.ID), 10, 64)
		if f, number := nested.Request.ID.(float64); number {
			id = int64(f)
		}
		return id
	}
	return max(flat.ID, flat.Message.ID)
}

// take applies a call and its response to the model. It returns the requests that
// the call affected.
func (m *model) take(op modelOp, a modelAnswer, atOnce bool) (touched []int64, problem string) {
	if atOnce && (a.status == 503 || a.status == 409) {
		return nil, "" // the caller was told to try again: nothing was done
	}
	key := op.who.name + " " + op.key
	if kept, again := m.kept[key]; op.key != "" && again {
		switch {
		case kept.sent != a.sent && a.status == 422:
		case kept.sent != a.sent:
			return nil, fmt.Sprintf("another call with a used key: %d", a.status)
		case !a.replayed || a.status != kept.status || a.body != kept.body:
			return nil, fmt.Sprintf("a repeated call: %d %s (replayed: %t), want %d %s", a.status, a.body, a.replayed, kept.status, kept.body)
		}
		return nil, ""
	}
	status, touched := op.step(m, a)
	if a.status != status || a.replayed {
		return nil, fmt.Sprintf("%d %s (replayed: %t), want %d", a.status, a.body, a.replayed, status)
	}
	if op.key != "" && status != 403 {
		m.kept[key] = a
	}
	return touched, ""
}

// do makes a call, applies it to the model, and compares the affected requests.
func (d *machine) do(t *rapid.T, op modelOp) modelAnswer {
	a := d.send(op)
	if a.err != nil {
		differ(t, "%v", a.err)
	}
	d.counts[fmt.Sprint(op.what, " ", a.status)]++
	t.Logf("%v: %d", op, a.status)
	touched, problem := d.m.take(op, a, false)
	if problem != "" {
		differ(t, "%v: %s", op, problem)
	}
	if op.key != "" && a.status != 403 {
		d.keyed = append(d.keyed, op)
	}
	d.look(t, op.String(), op.who.account, touched)
	return a
}

// shown is what the API shows of a request.
type shown struct {
	request shownRequest
	history []shownChange
}

func (d *machine) show(t *rapid.T, account string, id int64) (s shown) {
	admin := modelCaller{name: account + "admin"}
	a := d.send(modelOp{who: admin, method: "GET", path: fmt.Sprintf("/requests/%d?include=messages,parent_child_requests", id)})
	if a.status != 200 {
		differ(t, "request %d: %d %s %v", id, a.status, a.body, a.err)
	}
	s.request = a.request(t)
	a = d.send(modelOp{who: admin, method: "GET", path: fmt.Sprintf("/requests/%d/history?limit=100", id)})
	var body struct{ History []shownChange }
	if err := json.Unmarshal([]byte(a.body), &body); a.status != 200 || err != nil {
		differ(t, "history of %d: %d %s %v", id, a.status, a.body, err)
	}
	s.history = body.History
	return s
}

func (a *modelAccount) compare(id int64, s shown) (d differences) {
	r := a.requests[id]
	everything := func(int64) bool { return true } // an admin sees everything
	return append(r.compare(a, s.request, everything), r.compareHistory(s.history)...)
}

// look compares what the API shows of some requests with the model.
func (d *machine) look(t *rapid.T, after, account string, ids []int64) {
	for _, id := range ids {
		if problems := d.m.accounts[account].compare(id, d.show(t, account, id)); len(problems) > 0 {
			differ(t, "after %s, request %d:\n%s", after, id, strings.Join(problems, "\n"))
		}
	}
}

// lookAtAll compares everything that the API shows of both accounts: each request,
// the list of all, and the feed, which has each change once.
func (d *machine) lookAtAll(t *rapid.T) {
	for account, a := range d.m.accounts {
		d.look(t, "everything", account, sortedIDs(a.requests))
		admin := modelCaller{name: account + "admin", account: account}
		d.compareList(t, admin, modelFilter{states: append([]string{"none"}, modelStates...)}, 7)
		if got, want := d.feed(t, admin), a.events; asJSON(got) != asJSON(want) {
			differ(t, "the feed tells of %v, want %v", got, want)
		}
	}
}

// feed counts the events of requests in an account's feed.
func (d *machine) feed(t *rapid.T, admin modelCaller) map[string]int {
	if err := d.stage.numberEvents(); err != nil {
		differ(t, "%v", err)
	}
	told, after := map[string]int{}, ""
	for {
		a := d.send(modelOp{who: admin, method: "GET", path: "/events?limit=50" + after})
		var page struct {
			Events []struct {
				Type, Source string
				Data         struct{ Request, Message struct{ ID int64 } }
			}
			Meta struct {
				Next *string `json:"next_cursor"`
			} `json:"response_metadata"`
		}
		if err := json.Unmarshal([]byte(a.body), &page); a.status != 200 || err != nil {
			differ(t, "events: %d %s %v", a.status, a.body, err)
		}
		for _, e := range page.Events {
			kind, _, _ := strings.Cut(e.Type, ".")
			suggested := e.Source == "system" // suggestions by rules, which the model does not follow
			if slices.Contains([]string{"request", "message", "ticket"}, kind) && !suggested {
				told[fmt.Sprint(e.Type, " ", max(e.Data.Request.ID, e.Data.Message.ID))]++
			}
		}
		if page.Meta.Next == nil {
			return told
		}
		after = "&after=" + *page.Meta.Next
	}
}

// compareList walks through a list and compares the order.
func (d *machine) compareList(t *rapid.T, c modelCaller, f modelFilter, limit int) {
	base := fmt.Sprintf("/requests?limit=%d%s", limit, f.query())
	var got []int64
	cursor := ""
	for pages := 0; ; pages++ {
		a := d.send(modelOp{who: c, method: "GET", path: base + cursor})
		var page struct {
			Requests []shownRequest
			Meta     struct {
				Next  *string `json:"next_cursor"`
				Count int
			} `json:"response_metadata"`
		}
		if err := json.Unmarshal([]byte(a.body), &page); a.status != 200 || err != nil {
			differ(t, "%s: %d %s %v", base, a.status, a.body, err)
		}
		if pages > len(d.m.of(c).requests) {
			differ(t, "%s has no end: %v", base, got)
		}
		for _, r := range page.Requests {
			got = append(got, r.ID)
			if slices.Contains(f.states, "none") && r.Mark != nil {
				differ(t, "%s: %d shows its mark", base, r.ID)
			}
		}
		if page.Meta.Count != len(page.Requests) || len(page.Requests) > limit {
			differ(t, "%s: a page of %d says %d", base, len(page.Requests), page.Meta.Count)
		}
		if page.Meta.Next == nil {
			break
		}
		if len(page.Requests) < limit {
			differ(t, "%s: a page of %d, and there are more", base, len(page.Requests))
		}
		cursor = "&next_cursor=" + *page.Meta.Next
	}
	if want := d.m.list(c, f); !slices.Equal(got, want) {
		differ(t, "%s as %s: %v, want %v", base, c.name, got, want)
	}
}

// atOnce makes a few calls concurrently. Their responses, and the resulting state,
// must match some order of the calls.
func (d *machine) atOnce(t *rapid.T) {
	account := rapid.SampledFrom([]string{"", "", "other "}).Draw(t, "whose")
	var ops []modelOp
	one := d.anyRequest(t, account)
	for range rapid.IntRange(2, 4).Draw(t, "calls") {
		ops = append(ops, d.drawAtOnce(t, account, one, ops))
	}
	answers := make([]modelAnswer, len(ops))
	var all sync.WaitGroup
	for i, op := range ops {
		all.Go(func() { answers[i] = d.send(op) })
	}
	all.Wait()
	for i, a := range answers {
		if a.err != nil {
			differ(t, "%v", a.err)
		}
		d.counts[fmt.Sprint("at once ", a.status)]++
		t.Logf("at once %v: %d", ops[i], a.status)
		if a.status == 409 && ops[i].key == "" {
			differ(t, "%v: %d %s", ops[i], a.status, a.body)
		}
	}
	// The same requests are compared, whatever the order.
	seen, told := map[int64]shown{}, d.feed(t, modelCaller{name: account + "admin"})
	var problems []string
	for order := range permutations(len(ops)) {
		next := d.m.clone()
		problem := next.inOrder(order, ops, answers, func(id int64) shown {
			if _, ok := seen[id]; !ok {
				seen[id] = d.show(t, account, id)
			}
			return seen[id]
		}, account)
		if want := next.accounts[account].events; problem == "" && asJSON(told) != asJSON(want) {
			problem = fmt.Sprintf("the feed tells of %v, want %v", told, want)
		}
		if problem == "" {
			d.m = next
			for i, op := range ops {
				if op.key != "" && answers[i].status != 403 && answers[i].status != 409 && answers[i].status != 503 && answers[i].status != 422 {
					d.keyed = append(d.keyed, op)
				}
			}
			return
		}
		problems = append(problems, fmt.Sprint(order, ": ", problem))
	}
	differ(t, "no order of these calls explains their outcome:\n%v\n%v\n%s", ops, answers, strings.Join(problems, "\n"))
}

// inOrder applies calls to the model in one order, and compares the resulting
// state.
func (m *model) inOrder(order []int, ops []modelOp, answers []modelAnswer, show func(int64) shown, account string) string {
	var touched []int64
	for _, i := range order {
		ids, problem := m.take(ops[i], answers[i], true)
		if problem != "" {
			return fmt.Sprint("call ", i, ": ", problem)
		}
		touched = append(touched, ids...)
	}
	for _, id := range touched {
		if problems := m.accounts[account].compare(id, show(id)); len(problems) > 0 {
			return strings.Join(problems, "; ")
		}
	}
	return ""
}

// permutations returns all orders of n things.
func permutations(n int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		var from func(chosen []int) bool
		from = func(chosen []int) bool {
			if len(chosen) == n {
				return yield(slices.Clone(chosen))
			}
			for i := range n {
				if !slices.Contains(chosen, i) && !from(append(slices.Clone(chosen), i)) {
					return false
				}
			}
			return true
		}
		from(nil)
	}
}

// clock moves the time. It stays within a day, so that stored responses do not
// expire.
func (d *machine) clock(t *rapid.T) {
	by := rapid.SampledFrom([]time.Duration{time.Millisecond, time.Second, time.Minute, 11 * time.Minute}).Draw(t, "by")
	d.m.now = d.m.now.Add(by)
	d.stage.setClock(d.m.now)
}
