package rest

import "frontdesk/internal/desk"

// readMerge reads which requests to merge.
func readMerge(b object) desk.Merge {
	return desk.Merge{Requests: requiredIDs[desk.RequestID](b, "request_ids")}
}

// readSplit reads which messages to split off.
func readSplit(b object) desk.Split {
	return desk.Split{Messages: requiredIDs[desk.MessageID](b, "message_ids"), Title: b.text("title")}
}

// readUndo reads which change to undo; without one, it is the latest.
func readUndo(b object) desk.Undo {
	return desk.Undo{Entry: member[desk.HistoryEntryID](b, "change_id", "a number")}
}

// requiredIDs reads a list of ids that must be given.
func requiredIDs[T ~int64](b object, name string) []T {
	b.demand(name)
	return orZero(member[[]T](b, name, "a list of numbers"))
}
