package change

// SignInFailed is a job that records a failed sign-in in the audit log of every
// account that has a member with the email. The job is added for any email:
// recording at once would take longer for an email that belongs to somebody, and
// that would give the email away.
type SignInFailed struct {
	Email string
	IP    string
}

func (SignInFailed) Kind() string { return "sign_in.failed" }
