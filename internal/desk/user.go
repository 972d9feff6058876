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
	// External is somebody whom the workspace has let in: a guest, or a person of
	// another organisation in a shared channel. Customers are such people.
	External bool
}

// NotAssignable is what is said of an assignee, by their name or id, who is
// External.
const NotAssignable = "must be somebody of your own workspace; %q is a guest there, or of another organisation"

// Assignable reports whether requests can be given to the user: everybody of
// the own workspace, and nobody else.
func (u User) Assignable() bool { return !u.Deleted && !u.IsBot && !u.External }

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
	Assignable     bool          // only those whom requests can be given to
	AtDesk         *CollectionID // with Assignable: only members of the account, and who answers in the collection
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
	if q.IncludeDeleted && q.Assignable {
		p.Add("include_deleted", "cannot be combined with assignable")
	}
	if q.IDs != nil && q.Assignable {
		p.Add("ids", "cannot be combined with assignable")
	}
	if q.AtDesk != nil && !q.Assignable {
		p.Add("collection_id", "needs assignable=true")
	}
	p.Text("query", &q.Text, 0, MostUserQuery)
	return p.Err()
}
