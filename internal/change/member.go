package change

import (
	"strconv"

	"frontdesk/internal/desk"
)

// MemberChange returns the change to record when a member is created, changed or
// removed. before is nil for a new one, after for a removed one.
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

// SignInFailed is a job that records a failed sign-in in the audit log of every
// account that has a member with the email. The job is added for any email:
// recording at once would take longer for an email that belongs to somebody, and
// that would give the email away.
type SignInFailed struct {
	Email string
	IP    string
}

func (SignInFailed) Kind() string { return "sign_in.failed" }

// FormatMemberID returns the id of a member as the audit log names it.
func FormatMemberID(id desk.MemberID) string { return strconv.FormatInt(int64(id), 10) }
