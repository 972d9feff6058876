package rest

import "frontdesk/internal/desk"

// givenPresence reads what somebody does at a request.
func givenPresence(b object) desk.GivenPresence {
	b.demand("doing")
	doing := b.nullableText("doing")
	return desk.GivenPresence{Tab: b.required("tab"), Doing: desk.Nullable[desk.Doing]{Given: doing.Given, Value: (*desk.Doing)(doing.Value)}}
}
