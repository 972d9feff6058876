package desk

import "time"

// MostNamed bounds the values of one filter of a list.
const MostNamed = 50

// RequestFilter says which requests are wanted; its zero value wants all that
// are or were requests, within reach of nobody. Of several values of one kind,
// any will do.
type RequestFilter struct {
	Collection   CollectionID // 0: any
	Channel      string       // empty: any
	AuthorEmails []string     // none: any
	States       []State      // with None, none: any
	None         bool         // also conversations without a state
	Assignees    []string     // with Mine and Unassigned, none: any
	Mine         bool         // also those that the caller is to do
	Unassigned   bool         // also those that nobody is
	Teams        []TeamID     // with NoTeam, none: any
	NoTeam       bool
	Customers    []CustomerID // with NoCustomer, none: any
	NoCustomer   bool
	Priorities   []Priority // none: any
	Tags         []string   // none: any
	Unread       bool       // only those that are unread for Reader
	Reader       Reader
	ByUpdate     bool // ordered, filtered and paged by the last update
	Reach        Reach
}

// UnreadTime is how long what nobody has looked at stays unread.
const UnreadTime = 90 * 24 * time.Hour

// Reader is a member as somebody to whom messages are new, or are not.
type Reader struct {
	Member MemberID
	User   string    // in the chat system; empty for none
	Email  string    // folded
	Since  time.Time // what was said before is not new to them
}
