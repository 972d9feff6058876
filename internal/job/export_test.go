package job

// The statements by which a runner of so many kinds finds its jobs.
var (
	Due   = due
	First = first
)
