package change

import (
	"strconv"

	"frontdesk/internal/desk"
)

func MemberChange(by desk.Actor, e desk.EventType, before, after *desk.Member) desk.Change {
	ch := desk.Change{By: by, Action: string(e), Event: e, Resource: "Member"}
	if before != nil {
		ch.Before, ch.ID = *before, strconv.FormatInt(int64(before.ID), 10)
	}
	if after != nil {
		ch.After, ch.ID = *after, strconv.FormatInt(int64(after.ID), 10)
	}
	return ch
}

// SignInFailed is told to the audit log of everyone who was meant. It is a job
// of whatever email it was: to tell at once would take longer where it is
// somebody's.
type SignInFailed struct {
	Email string
	IP    string
}

func (SignInFailed) Kind() string { return "sign_in.failed" }

func MemberID(id desk.MemberID) string { return strconv.FormatInt(int64(id), 10) }
