package desk

// User is somebody in the account's chat system, or a bot there. Its id is the
// chat system's. Members are those who work with the account; users are
// everybody in the conversation.
type User struct {
	ID      string
	Name    string
	Email   string // empty where the chat system does not tell
	Avatar  string // likewise
	Deleted bool   // deactivated there
	IsBot   bool
}

const (
	// MostUserIDs bounds the users asked for by their ids.
	MostUserIDs = 100
	// MostUserQuery is the longest text to search users by.
	MostUserQuery = 200
)

// UserQuery says which users are wanted: those with the ids, whether they are
// deleted or not; or else those who match the text, all with an empty one.
type UserQuery struct {
	Body
	IDs            []string
	Text           string
	IncludeDeleted bool
	Page
}

// Check says what is wrong with the question.
func (q UserQuery) Check() error {
	if q.Problem != nil {
		return q.Problem
	}
	var p Problems
	if len(q.IDs) > MostUserIDs {
		p.Add("ids", "must be at most %d; there are %d", MostUserIDs, len(q.IDs))
	}
	if q.IDs != nil && q.Text != "" {
		p.Add("ids", "cannot be combined with query")
	}
	if q.IDs != nil && q.From != nil {
		p.Add("ids", "cannot be combined with next_cursor")
	}
	p.Text("query", &q.Text, 0, MostUserQuery)
	return p.Err()
}
