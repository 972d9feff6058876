package desk

// RequestFilter says which requests are wanted; its zero value wants all that
// are or were requests, within reach of nobody.
type RequestFilter struct {
	Collection   CollectionID // 0: any
	Channel      string       // empty: any
	AuthorEmails []string     // none: any
	States       []State      // with None, none: any
	None         bool         // also conversations without a state
	ByUpdate     bool         // ordered, filtered and paged by the last update
	Reach        Reach
}
