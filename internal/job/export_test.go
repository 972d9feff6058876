package job

// The statements that a runner with so many kinds uses to find its jobs.
var (
	Due   = dueQuery
	First = firstDueQuery
)

// DefaultPoll is the longest time between two looks of a server.
const DefaultPoll = defaultPoll
