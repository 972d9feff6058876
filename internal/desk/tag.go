package desk

// Tag is a word that requests are marked with.
type Tag struct{ Name string }

// TagQuery says which tags are wanted.
type TagQuery struct {
	Text  string // prefix, in any case; empty for all
	Limit int
	Reach Reach
}
