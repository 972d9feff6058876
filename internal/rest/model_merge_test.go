package rest

import (
	"slices"
	"time"
)

// modelMove records what a merge or a split moved.
type modelMove struct {
	split             bool
	messages, tickets map[int64][]int64 // by the request that they came from, or that was split off
	children          map[int64]int64   // children whose parent was another request
	last              int64             // the newest message at that time
	answered, active  time.Time         // before the move
	answeredBy        time.Time         // after the move
	others            []int64           // in order
}

// merge merges requests into another.
func (m *model) merge(c modelCaller, id int64, ids []int64) int {
	r, refused := m.changes(c, id)
	if refused != 0 {
		return refused
	}
	if r.state() == "" {
		return 406
	}
	a := m.of(c)
	if len(ids) == 0 || len(ids) > 20 {
		return 400
	}
	for i, o := range ids {
		if o == id || slices.Contains(ids[:i], o) || m.sees(c, o) == nil {
			return 400
		}
	}
	ids = slices.Sorted(slices.Values(ids))
	for _, o := range ids {
		if _, refused := m.changes(c, o); refused != 0 {
			return refused
		}
	}
	before := r.past()
	move := &modelMove{messages: map[int64][]int64{}, tickets: map[int64][]int64{}, children: map[int64]int64{}, others: ids, answered: r.answered, active: r.active}
	for _, at := range a.ancestors(id) {
		if slices.Contains(ids, at) {
			r.is["parent_request"] = a.requests[at].is["parent_request"]
		}
	}
	for _, o := range ids {
		m.absorb(a, r, a.requests[o], move)
	}
	for _, child := range sortedIDs(a.requests) {
		s := a.requests[child]
		if !slices.Contains(ids, s.number("parent_request")) || child == id || slices.Contains(ids, child) {
			continue
		}
		was := s.past()
		move.children[child], s.is["parent_request"], s.updated = s.number("parent_request"), id, m.now
		m.record(a, s, "request.merged", was, nil).part = true
	}
	move.last, move.answeredBy, r.updated = lastMessage(r), r.answered, m.now
	m.record(a, r, "request.merged", before, map[string][2]any{"merged_requests": {[]int64{}, ids}}).moved = move
	return 200
}

// absorb moves the contents of a request to the one that it is merged into.
func (m *model) absorb(a *modelAccount, r, o *modelRequest, move *modelMove) {
	was := o.past()
	for _, s := range o.messages {
		move.messages[o.id] = append(move.messages[o.id], s.id)
	}
	move.tickets[o.id] = o.tickets
	r.messages, o.messages = append(r.messages, o.messages...), nil
	r.tickets, o.tickets = append(r.tickets, o.tickets...), nil
	for _, name := range []string{"tags", "contributors"} {
		r.is[name] = united(r.list(name), o.list(name))
	}
	if r.answered.IsZero() || !o.answered.IsZero() && o.answered.Before(r.answered) {
		r.answered = o.answered
	}
	if o.active.After(r.active) {
		r.active = o.active
	}
	o.is["merged_into"], o.updated = r.id, m.now
	m.record(a, o, "request.merged", was, nil).part = true
}

func united(list, more []string) []string {
	list = slices.Clone(list)
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

func sortedIDs(of map[int64]*modelRequest) (ids []int64) {
	for id := range of {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

func lastMessage(r *modelRequest) (last int64) {
	for _, s := range r.messages {
		last = max(last, s.id)
	}
	return last
}

// clocks returns when the messages first respond, and when the requester was last
// active.
func clocks(messages []modelMessage) (answered, active time.Time) {
	for _, s := range messages {
		switch {
		case s.private:
		case s.responder && (answered.IsZero() || s.at.Before(answered)):
			answered = s.at
		case !s.responder && s.at.After(active):
			active = s.at
		}
	}
	return answered, active
}

// split moves messages into the new request made.
func (m *model) split(c modelCaller, id int64, ids []int64, title string, made int64) int {
	r, refused := m.changes(c, id)
	if refused != 0 {
		return refused
	}
	var taken, left []modelMessage
	for _, s := range r.messages {
		if slices.Contains(ids, s.id) {
			taken = append(taken, s)
		} else {
			left = append(left, s)
		}
	}
	public := func(s modelMessage) bool { return !s.private }
	first := slices.IndexFunc(taken, public)
	if first < 0 || len(taken) != len(ids) || !slices.ContainsFunc(left, public) {
		return 400
	}
	a := m.of(c)
	before := r.past()
	move := &modelMove{split: true, others: []int64{made}, last: lastMessage(r), answered: r.answered, active: r.active}
	asked := slices.IndexFunc(taken, func(s modelMessage) bool { return !s.private && !s.responder })
	if asked < 0 {
		asked = first
	}
	n := a.add(modelRequest{id: made, collection: r.collection, is: newMembers(title, "open", "normal"), user: taken[asked].user, email: taken[asked].email,
		imported: r.imported, messages: taken, created: taken[first].at, updated: m.now, active: taken[first].at})
	if r.imported {
		n.tickets = nil
	} else {
		a.told("ticket.created", 0)
	}
	answered, active := clocks(taken)
	leftAnswered, leftActive := clocks(left)
	if n.answered = answered; !active.IsZero() {
		n.active = active
	}
	n.history = []modelChange{{action: "request.split", at: m.now, links: map[string][2]any{"split_from": {nil, id}}, part: true}}
	if !answered.IsZero() && answered.Equal(r.answered) {
		r.answered = leftAnswered
	}
	if !active.IsZero() && active.Equal(r.active) {
		if r.active = leftActive; leftActive.IsZero() {
			r.active = r.created
		}
	}
	r.messages, r.updated, move.answeredBy = left, m.now, r.answered
	m.record(a, r, "request.split", before, map[string][2]any{"split_into": {nil, made}}).moved = move
	return 201
}

// undo undoes a change: the latest, or the one with an id.
func (m *model) undo(c modelCaller, id int64, change int64) int {
	if !c.writes {
		return 403
	}
	r := m.sees(c, id)
	switch {
	case r == nil:
		return 404
	case r.is["merged_into"] != nil:
		return 406
	}
	i, status := r.toUndo(change)
	if status != 0 {
		return status
	}
	e := &r.history[i]
	switch {
	case e.undone, e.part:
		return 406
	case r.state() == "closed" && !(e.to["state"] == "closed" && m.now.Sub(e.at) <= 10*time.Minute):
		return 406
	}
	// On a copy, because a change that cannot be undone completely is not undone at
	// all.
	next := m.clone()
	if !next.putBack(c, id, i) {
		return 406
	}
	*m = *next
	return 200
}

// toUndo returns the position in the history of the change to undo.
func (r *modelRequest) toUndo(change int64) (at, status int) {
	newest := -1
	seen := 0
	for i := len(r.history) - 1; i >= 0 && seen < 20; i-- {
		e := r.history[i]
		if e.undoes {
			continue
		}
		seen++
		if change != 0 && e.id == change {
			return i, 0
		}
		if newest < 0 && !e.undone && !e.part {
			newest = i
		}
	}
	switch {
	case change != 0:
		return 0, 400
	case newest < 0:
		return 0, 406
	}
	return newest, 0
}

// putBack restores what a change changed. It returns false if it cannot.
func (m *model) putBack(c modelCaller, id int64, i int) bool {
	a := m.of(c)
	r := a.requests[id]
	e := r.history[i]
	for _, later := range r.history[i+1:] {
		if later.undoes || later.undone {
			continue
		}
		if e.moved != nil && later.moved != nil {
			return false
		}
		for name := range e.to {
			if _, both := later.to[name]; both {
				return false
			}
		}
	}
	before := r.past()
	for name, to := range e.to {
		if asJSON(before.is[name]) != asJSON(to) {
			return false
		}
		r.is[name] = e.from[name]
		if name == "state" {
			r.solved, r.firstSolved = e.solved, e.firstSolved
			if e.from[name] == "on_hold" && !a.onHold {
				return false
			}
		}
	}
	links := map[string][2]any{}
	for name, l := range e.links {
		links[name] = [2]any{l[1], l[0]}
	}
	if e.moved != nil && !m.moveBack(c, a, r, e.moved) {
		return false
	}
	r.updated, r.history[i].undone = m.now, true
	m.record(a, r, "request.undone", before, links).undoes = true
	if parent := r.number("parent_request"); parent != 0 && parent != before.number("parent_request") && a.requests[parent].is["merged_into"] != nil {
		return false
	}
	for _, s := range a.requests { // no request may be its own ancestor
		if slices.Contains(a.ancestors(s.id), s.id) {
			return false
		}
	}
	return true
}

// moveBack returns what a merge or a split moved.
func (m *model) moveBack(c modelCaller, a *modelAccount, r *modelRequest, move *modelMove) bool {
	for _, id := range move.others {
		if m.sees(c, id) == nil {
			return false
		}
	}
	if move.split {
		if !m.takeBack(a, r, a.requests[move.others[0]]) {
			return false
		}
	} else if !m.separate(a, r, move) {
		return false
	}
	// The clocks return to their previous values, updated by the messages since.
	var since []modelMessage
	for _, s := range r.messages {
		if s.id > move.last {
			since = append(since, s)
		}
	}
	answered, active := clocks(since)
	switch {
	case !move.answered.IsZero():
		r.answered = move.answered
	case !move.answeredBy.IsZero():
		r.answered = answered
	}
	if r.active = move.active; active.After(r.active) {
		r.active = active
	}
	return true
}

// takeBack undoes a split. The request that was split off stays, as a merged one.
func (m *model) takeBack(a *modelAccount, r, made *modelRequest) bool {
	if made.is["merged_into"] != nil || len(made.tickets) > 1 || slices.ContainsFunc(made.history[1:], func(e modelChange) bool { return !e.undoes && !e.undone }) {
		return false
	}
	for _, s := range a.requests {
		if s.number("parent_request") == made.id {
			return false
		}
	}
	before := made.past()
	r.messages, made.messages = append(r.messages, made.messages...), nil
	made.is["merged_into"], made.updated, made.history[0].undone = r.id, m.now, true
	m.record(a, made, "request.undone", before, map[string][2]any{"split_from": {r.id, nil}}).undoes = true
	return true
}

// separate undoes a merge.
func (m *model) separate(a *modelAccount, r *modelRequest, move *modelMove) bool {
	for _, id := range move.others {
		o := a.requests[id]
		before := o.past()
		for _, message := range move.messages[id] {
			at := slices.IndexFunc(r.messages, func(s modelMessage) bool { return s.id == message })
			if at < 0 {
				return false // it was split off since then
			}
			o.messages, r.messages = append(o.messages, r.messages[at]), slices.Delete(r.messages, at, at+1)
		}
		for _, ticket := range move.tickets[id] {
			o.tickets, r.tickets = append(o.tickets, ticket), slices.DeleteFunc(r.tickets, func(t int64) bool { return t == ticket })
		}
		o.is["merged_into"] = nil
		m.partUndone(a, o, before)
	}
	for _, id := range sortedIDs(a.requests) {
		parent, moved := move.children[id]
		if !moved {
			continue
		}
		child := a.requests[id]
		if child.number("parent_request") != r.id {
			return false
		}
		before := child.past()
		child.is["parent_request"] = parent
		m.partUndone(a, child, before)
	}
	return true
}

// partUndone records that the effect of a merge on another request was undone with
// it.
func (m *model) partUndone(a *modelAccount, r *modelRequest, before modelRequest) {
	r.updated = m.now
	u := m.record(a, r, "request.undone", before, nil)
	u.undoes = true
	for i, e := range slices.Backward(r.history) {
		if e.part && !e.undone && asJSON(e.to) == asJSON(u.from) {
			r.history[i].undone = true
			return
		}
	}
}
