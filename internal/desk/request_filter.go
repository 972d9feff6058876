package desk

import "time"

// MostNamed bounds the values of one filter of a list.
const MostNamed = 50

// RequestFilter says which requests are wanted. Its zero value matches everything
// that is or was a request, but with an empty reach. Several values of one kind
// match any of them.
type RequestFilter struct {
	Collection   CollectionID // 0: any
	Channel      string       // empty: any
	AuthorEmails []string     // empty: any
	States       []State      // empty without None: any
	None         bool         // also conversations without a state
	Assignees    []string     // empty without Mine and Unassigned: any
	Mine         bool         // also those assigned to the caller
	Unassigned   bool         // also those assigned to nobody
	Teams        []TeamID     // empty without NoTeam: any
	NoTeam       bool
	Customers    []CustomerID // empty without NoCustomer: any
	NoCustomer   bool
	Priorities   []Priority // empty: any
	Tags         []string   // empty: any
	Unread       bool       // only those unread for Reader
	Reader       Reader
	ByUpdate     bool // ordered, filtered and paged by last update
	Reach        Reach
}

// RequestList is a list of requests to count. Of its page, only the times matter.
type RequestList struct {
	RequestFilter
	Page
}

// RequestCount is how many requests a list has, as far as they were counted.
type RequestCount struct {
	Count int  // at most MostInCount
	More  bool // whether there may be more
}

const (
	// MostInCount is how far the requests of a list are counted.
	MostInCount = 99
	// MostCounts bounds the lists that are counted at once.
	MostCounts = 50
)

// UnreadTime is how long a message stays unread if nobody looks at it.
const UnreadTime = 90 * 24 * time.Hour

// Reader is a member for whom messages are read or unread.
type Reader struct {
	Member MemberID
	User   string    // their chat user; empty for none
	Email  string    // folded
	Since  time.Time // older messages are not unread for them
}
