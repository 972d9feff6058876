package desk

// Tag is a word that requests are marked with.
type Tag struct{ Name string }

// TagQuery says which tags are wanted.
type TagQuery struct {
	Text  string // they begin with it, in whatever case; empty for all
	Limit int
	Reach Reach
}
