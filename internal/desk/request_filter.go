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
	Following    bool       // only those that Reader follows
	Snoozed      Snoozed
	Reader       Reader
	ByUpdate     bool // ordered, filtered and paged by last update
	ByMessage    bool // ordered, filtered and paged by last message
	Reach        Reach
	Triage
}

// Triage is what narrows and orders a list of unsolved requests. A list with any of
// it names only unsolved states, so that no more has to be looked at than what is
// unsolved.
type Triage struct {
	Order      RequestOrder
	DueWithin  *time.Duration // only those of which a clock is overdue or due within it
	Promised   *bool          // only those of which a clock is due or overdue, or only the others
	Sources    []RequestSource
	Categories []string
	Sentiments []string
	Emotions   []string
	Choices    []FieldChoice // all of them
}

// IsZero reports whether nothing is asked for.
func (t Triage) IsZero() bool {
	return t.Order == "" && t.DueWithin == nil && t.Promised == nil && len(t.Sources)+len(t.Categories)+len(t.Sentiments)+len(t.Emotions)+len(t.Choices) == 0
}

// RequestOrder is what orders a list before its time does; empty for nothing.
type RequestOrder string

const (
	// ByPriority puts what is most urgent first.
	ByPriority RequestOrder = "priority"
	// ByNextDue puts first what is overdue the longest, then what is due next, and
	// last, oldest first, the requests of which nothing is due.
	ByNextDue RequestOrder = "next_due"
)

// FieldChoice asks for requests of which a custom field has one of some options.
type FieldChoice struct {
	Field   CustomFieldID
	Options []OptionID
}

// Unsolved are the states of requests that still need work.
var Unsolved = []State{Open, InProgress, Pending, OnHold}

// MostDueWithin bounds how far ahead a filter can look for what is due.
const MostDueWithin = 30 * 24 * time.Hour

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
