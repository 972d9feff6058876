package rest

import (
	"bytes"

	"frontdesk/internal/desk"
)

// readMerge reads which requests to merge.
func readMerge(b object) desk.Merge {
	m := desk.Merge{Requests: requiredIDs[desk.RequestID](b, "request_ids")}
	m.Problem = b.problem()
	return m
}

// readSplit reads which messages to split off.
func readSplit(b object) desk.Split {
	split := desk.Split{Messages: requiredIDs[desk.MessageID](b, "message_ids"), Title: b.text("title")}
	split.Problem = b.problem()
	return split
}

// undoRequest undoes the latest change if the call has no body.
func (s *Server) undoRequest(c *call) (any, error) {
	id, err := id[desk.RequestID](c, "id")
	if err != nil {
		return nil, err
	}
	var u desk.Undo
	if len(bytes.TrimSpace(c.raw)) > 0 {
		b := c.object()
		u.Entry = member[desk.HistoryEntryID](b, "change_id", "a number")
		u.Problem = b.problem()
	}
	return s.service.UndoRequest(c.ctx, c.caller, id, u)
}

// requiredIDs reads a list of ids that must be given.
func requiredIDs[T ~int64](b object, name string) []T {
	if _, ok := b.members[name]; !ok && b.broken == nil {
		b.problems.Add(b.at+name, "is required")
	}
	ids := member[[]T](b, name, "a list of numbers")
	if ids == nil {
		return nil
	}
	return *ids
}
