package rest

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// model is what the contract says that the API shows of two accounts. It consists
// of plain values, without any of the product's own code. It follows docs/contract
// and docs/decisions. model_*_test.go has its rules by noun, and
// model_machine_test.go drives the API beside it.
type model struct {
	now      time.Time
	accounts map[string]*modelAccount // by the prefix of the cast's names
	kept     map[string]modelAnswer   // by token and idempotency key
}

type modelAccount struct {
	onHold      bool
	collections []int64            // API collections; the first is the account's
	chat        int64              // a collection of another kind; 0 for none
	reach       map[string][]int64 // the collections of members with a list
	requests    map[int64]*modelRequest
	external    map[string]int64 // imported requests by their external id
	events      map[string]int   // how often the feed has each event
	said        int64            // the id of the last message
	fields      [3]string        // ids of custom fields: a short text, a number, a choice of 1 and 2
	team        int64
}

// modelCaller is a caller with a token.
type modelCaller struct {
	name, account, email, user string
	writes                     bool // allowed by role and token
}

// modelRequest is a request of the model. is holds the fields that people change, by
// their API names: a text, a number or a list, nil for none.
type modelRequest struct {
	id, collection                int64
	is                            map[string]any
	user, email                   string
	imported                      bool
	messages                      []modelMessage
	tickets                       []int64 // 0 until the API has shown its number
	created, updated, active      time.Time
	answered, firstSolved, solved time.Time // zero for never
	history                       []modelChange
}

func (r *modelRequest) state() string             { s, _ := r.is["state"].(string); return s }
func (r *modelRequest) number(name string) int64  { n, _ := r.is[name].(int64); return n }
func (r *modelRequest) list(name string) []string { l, _ := r.is[name].([]string); return l }

type modelMessage struct {
	id                       int64 // 0 until the API has shown it
	text, user, email        string
	responder, private, idle bool
	files                    []string
	at                       time.Time
}

// modelChange is an entry in a history.
type modelChange struct {
	id                  int64 // 0 until the API has shown it
	action              string
	at                  time.Time
	from, to            map[string]any    // the fields that were changed
	links               map[string][2]any // relations to other requests
	solved, firstSolved time.Time         // before the change
	moved               *modelMove
	part                bool // of a change to another request
	undoes, undone      bool
}

func (m *model) clone() *model {
	c := &model{now: m.now, accounts: map[string]*modelAccount{}, kept: maps.Clone(m.kept)}
	for name, a := range m.accounts {
		b := *a
		b.reach, b.external, b.events = maps.Clone(a.reach), maps.Clone(a.external), maps.Clone(a.events)
		b.requests = map[int64]*modelRequest{}
		for id, r := range a.requests {
			s := *r
			s.is = maps.Clone(r.is)
			s.messages, s.tickets, s.history = slices.Clone(r.messages), slices.Clone(r.tickets), slices.Clone(r.history)
			b.requests[id] = &s
		}
		c.accounts[name] = &b
	}
	return c
}

func (m *model) of(c modelCaller) *modelAccount { return m.accounts[c.account] }

// sees returns the request with an id if the caller may see it, otherwise nil.
func (m *model) sees(c modelCaller, id int64) *modelRequest {
	a := m.of(c)
	r := a.requests[id]
	if r == nil || !a.has(c, r.collection) {
		return nil
	}
	return r
}

// has reports whether a caller has a collection.
func (a *modelAccount) has(c modelCaller, collection int64) bool {
	list, listed := a.reach[c.name]
	return !listed || slices.Contains(list, collection)
}

// changes returns the request that a caller wants to change, or the status that
// refuses it. 403 comes before 404, and 404 before 406.
func (m *model) changes(c modelCaller, id int64) (*modelRequest, int) {
	if !c.writes {
		return nil, 403
	}
	r := m.sees(c, id)
	switch {
	case r == nil:
		return nil, 404
	case r.is["merged_into"] != nil || r.state() == "closed":
		return nil, 406
	}
	return r, 0
}

// told counts an event of the feed.
func (a *modelAccount) told(what string, id int64) { a.events[what+" "+strconv.FormatInt(id, 10)]++ }

// add adds a new request.
func (a *modelAccount) add(r modelRequest) *modelRequest {
	r.tickets = []int64{0}
	a.requests[r.id] = &r
	a.told("request.created", r.id)
	return &r
}

// newRequest returns a request that somebody creates through the API.
func (m *model) newRequest(id, collection int64, title, priority string, first modelMessage) modelRequest {
	first.at = m.now
	return modelRequest{id: id, collection: collection, is: newMembers(title, "open", priority), user: first.user, email: first.email,
		messages: []modelMessage{first}, created: m.now, updated: m.now, active: m.now}
}

func newMembers(title, state, priority string) map[string]any {
	return map[string]any{"title": title, "state": state, "priority": priority, "tags": []string{}, "contributors": []string{}}
}

var modelStates = []string{"open", "in_progress", "pending", "on_hold", "solved", "closed"}

// enter puts a request into a state, "" for none.
func (m *model) enter(r *modelRequest, state string) {
	resolved := func(s string) bool { return s == "solved" || s == "closed" }
	switch {
	case !resolved(state):
		r.solved = time.Time{}
	case !resolved(r.state()):
		r.solved = m.now
		if r.firstSolved.IsZero() {
			r.firstSolved = m.now
		}
	}
	r.is["state"], r.is["not_a_request_state"] = orNull(state), nil
}

// hear applies the state rules for messages.
func (m *model) hear(r *modelRequest, said modelMessage) {
	r.updated = m.now
	switch state := r.state(); {
	case said.private:
	case said.responder && state != "":
		if r.answered.IsZero() {
			r.answered = said.at
		}
		if r.is["assignee"] == nil { // the first to respond is assigned
			r.is["assignee"] = orNull(said.user)
		}
		if state == "open" {
			m.enter(r, "in_progress")
		}
	case said.responder:
	default:
		r.active = said.at
		if !said.idle && (r.is["not_a_request_state"] == "temporary" || slices.Contains([]string{"in_progress", "pending", "solved"}, state)) {
			m.enter(r, "open")
		}
	}
}

// addMessage adds a caller's message, and the state that they set with it.
func (m *model) addMessage(c modelCaller, r *modelRequest, said modelMessage, state string) {
	said.user, said.email, said.at = c.user, c.email, m.now
	said.responder = c.user != r.user || c.user == "" && !strings.EqualFold(c.email, r.email)
	before := r.past()
	r.messages, m.of(c).said = append(r.messages, said), said.id
	m.hear(r, said)
	if state != "" && state != r.state() {
		m.enter(r, state)
	}
	if from, _ := differing(before.is, r.is); len(from) > 0 || !before.answered.Equal(r.answered) {
		m.record(m.of(c), r, "request.updated", before, nil)
	}
	if !said.private {
		m.of(c).told("message.created", said.id)
	}
}

// past returns a copy of the request, for comparing it with a later state.
func (r *modelRequest) past() modelRequest {
	p := *r
	p.is = maps.Clone(r.is)
	return p
}

// orNull returns a value as the API shows it if it may be missing.
func orNull[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

// asJSON makes values comparable whatever their types are called.
func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// record records what changed in a request: in the feed, and in its history unless
// a reader would see no change.
func (m *model) record(a *modelAccount, r *modelRequest, action string, before modelRequest, links map[string][2]any) *modelChange {
	a.told("request.updated", r.id)
	e := modelChange{action: action, at: m.now, links: links, solved: before.solved, firstSolved: before.firstSolved}
	e.from, e.to = differing(before.is, r.is)
	if len(e.from) == 0 && len(links) == 0 {
		return nil
	}
	r.history = append(r.history, e)
	return &r.history[len(r.history)-1]
}

// differing returns the fields that differ, before and after.
func differing(before, after map[string]any) (from, to map[string]any) {
	from, to = map[string]any{}, map[string]any{}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(before)), slices.Collect(maps.Keys(after))) {
		if asJSON(before[name]) != asJSON(after[name]) {
			from[name], to[name] = before[name], after[name]
		}
	}
	return from, to
}

// modelFilter holds the parameters of a list.
type modelFilter struct {
	states        []string // may include "none"
	collection    int64
	authors       []string
	after, before time.Time
	byUpdate, asc bool
}

// list returns the ids that a caller is shown, in order.
func (m *model) list(c modelCaller, f modelFilter) (ids []int64) {
	a := m.of(c)
	at := func(r *modelRequest) time.Time {
		if f.byUpdate {
			return r.updated
		}
		return r.created
	}
	var found []*modelRequest
	for _, r := range a.requests {
		state := cmp.Or(r.state(), "none")
		switch {
		case r.is["merged_into"] != nil, !a.has(c, r.collection),
			len(f.states) > 0 && !slices.Contains(f.states, state),
			f.collection != 0 && r.collection != f.collection,
			len(f.authors) > 0 && !slices.ContainsFunc(f.authors, func(e string) bool { return strings.EqualFold(e, r.email) }),
			!f.after.IsZero() && !at(r).After(f.after), !f.before.IsZero() && !at(r).Before(f.before):
			continue
		}
		found = append(found, r)
	}
	slices.SortFunc(found, func(x, y *modelRequest) int { return cmp.Or(at(x).Compare(at(y)), cmp.Compare(x.id, y.id)) })
	if !f.asc {
		slices.Reverse(found)
	}
	for _, r := range found {
		ids = append(ids, r.id)
	}
	return ids
}

// children returns the children of a request that are not merged.
func (a *modelAccount) children(id int64) []int64 {
	ids := []int64{}
	for _, r := range a.requests {
		if r.number("parent_request") == id && r.is["merged_into"] == nil {
			ids = append(ids, r.id)
		}
	}
	slices.Sort(ids)
	return ids
}

// ancestors returns the parents of a request, nearest first. In a cycle each comes
// once, including the request itself.
func (a *modelAccount) ancestors(id int64) (ids []int64) {
	for at := a.requests[id].number("parent_request"); at != 0 && !slices.Contains(ids, at); at = a.requests[at].number("parent_request") {
		ids = append(ids, at)
	}
	return ids
}
