package desk

// Body is embedded by every input that is read from a request body. An unreadable
// body is reported only after the rules that come first: the thing must exist (404)
// and must be changeable (406).
type Body struct {
	Problem error // nil if the body could be read
}

// problems returns what a check adds to: nothing but the body's own problem, which
// comes before all others.
func (b Body) problems() Problems { return Problems{body: b.Problem} }

// Refuse notes what is wrong with the body; nil for nothing.
func (b *Body) Refuse(problem error) { b.Problem = problem }
