package desk

// Body is embedded by every input that is read from a request body. An unreadable
// body is reported only after the rules that come first: the thing must exist (404)
// and must be changeable (406).
type Body struct {
	Problem error // nil if the body could be read
}

// Refuse notes what is wrong with the body; nil for nothing.
func (b *Body) Refuse(problem error) { b.Problem = problem }
