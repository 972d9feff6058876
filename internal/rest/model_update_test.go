package rest

import (
	"slices"
	"strings"
)

// modelSet is one field of an update as it is sent, with its expected effect.
type modelSet struct {
	name  string
	value any // as in JSON
	valid func(m *model, c modelCaller, r *modelRequest) bool
	apply func(m *model, r *modelRequest)
}

// update does what Update Request does: everything or nothing.
func (m *model) update(c modelCaller, id int64, sets []modelSet) int {
	r, refused := m.changes(c, id)
	if refused != 0 {
		return refused
	}
	if len(sets) == 0 {
		return 400
	}
	state, marked := false, false
	for _, s := range sets {
		if !s.valid(m, c, r) {
			return 400
		}
		state = state || s.name == "state"
		marked = marked || s.name == "not_a_request_state" && s.value != nil
	}
	if state && marked { // a conversation that is not a request has no state
		return 400
	}
	before := r.past()
	// The state is applied last, whatever else is set.
	slices.SortStableFunc(sets, func(a, b modelSet) int { return strings.Compare(stateLast(a.name), stateLast(b.name)) })
	for _, s := range sets {
		s.apply(m, r)
	}
	r.updated = m.now
	m.record(m.of(c), r, "request.updated", before, nil)
	return 200
}

func stateLast(name string) string {
	if name == "state" {
		return "z"
	}
	return "a"
}

func always(*model, modelCaller, *modelRequest) bool { return true }
func never(*model, modelCaller, *modelRequest) bool  { return false }

func setState(state string) modelSet {
	return modelSet{"state", state, func(m *model, c modelCaller, _ *modelRequest) bool {
		return slices.Contains(modelStates, state) && (state != "on_hold" || m.of(c).onHold)
	}, func(m *model, r *modelRequest) { m.enter(r, state) }}
}

// setMark marks a conversation as not a request. nil removes the mark, which makes
// it an open request again.
func setMark(mark any) modelSet {
	valid := always
	if mark != nil && mark != "temporary" && mark != "permanent" {
		valid = never
	}
	return modelSet{"not_a_request_state", mark, valid, func(m *model, r *modelRequest) {
		switch {
		case mark != nil:
			m.enter(r, "")
			r.is["not_a_request_state"] = mark
		case r.state() == "":
			m.enter(r, "open")
		}
	}}
}

func setParent(parent any) modelSet {
	return modelSet{"parent_request", parent, func(m *model, c modelCaller, r *modelRequest) bool {
		id, given := parent.(int64)
		if !given {
			return true
		}
		above := m.sees(c, id)
		return above != nil && above.is["merged_into"] == nil && id != r.id && !slices.Contains(m.of(c).ancestors(id), r.id)
	}, func(_ *model, r *modelRequest) { r.is["parent_request"] = parent }}
}

// setPlain sets a field that is right or wrong by itself.
func setPlain(name string, value any, good bool, kept any) modelSet {
	valid := always
	if !good {
		valid = never
	}
	return modelSet{name, value, valid, func(_ *model, r *modelRequest) { r.is[name] = kept }}
}

// setValue sets a custom field.
func setValue(field string, value any, good bool) modelSet {
	s := setPlain("custom_field_values."+field, value, good, value)
	s.name, s.value = "custom_field_values", map[string]any{field: value}
	return s
}
