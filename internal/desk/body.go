package desk

// Body is embedded by whatever is read from a caller's body. A body that could
// not be read is reported only after the rules that come first: that the thing
// exists (404) and that it may change (406).
type Body struct {
	Problem error // nil when the body could be read
}
