package rest

import (
	"bytes"

	"frontdesk/internal/desk"
)

// readMerge reads which requests to merge.
func readMerge(b object) desk.Merge {
	return desk.Merge{Requests: requiredIDs[desk.RequestID](b, "request_ids")}
}

// readSplit reads which messages to split off.
func readSplit(b object) desk.Split {
	return desk.Split{Messages: requiredIDs[desk.MessageID](b, "message_ids"), Title: b.text("title")}
}

// undoRequest undoes the latest change if the call has no body.
func (s *Server) undoRequest(c *call) (any, error) {
	id, err := id[desk.RequestID](c, "id")
	if err != nil {
		return nil, err
	}
	var u desk.Undo
	if len(bytes.TrimSpace(c.raw)) > 0 {
		u = input(c, func(b object) desk.Undo {
			return desk.Undo{Entry: member[desk.HistoryEntryID](b, "change_id", "a number")}
		})
	}
	return s.service.UndoRequest(c.ctx, c.caller, id, u)
}

// requiredIDs reads a list of ids that must be given.
func requiredIDs[T ~int64](b object, name string) []T {
	b.demand(name)
	return orZero(member[[]T](b, name, "a list of numbers"))
}
