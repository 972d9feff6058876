package desk

// User is a person or a bot in the account's chat system. Its id is the chat
// system's. Members work with the account; users are everybody in the conversation.
type User struct {
	ID      string
	Name    string
	Email   string // empty if the chat system does not tell
	Avatar  string // empty if the chat system does not tell
	Deleted bool   // deactivated there
	IsBot   bool
	// External marks a person from outside the workspace: a guest, or a person of
	// another organisation in a shared channel. Customers are such people.
	External bool
}

// NotAssignable is the problem with an External assignee, given by name or id.
const NotAssignable = "must be somebody in your own workspace; %q is a guest there, or belongs to another organisation"

// Assignable reports whether requests can be assigned to the user: only active
// people of our own workspace.
func (u User) Assignable() bool { return !u.Deleted && !u.IsBot && !u.External }

const (
	// MostUserIDs bounds the ids in a query.
	MostUserIDs = 100
	// MostUserQuery is the maximum length of a search text.
	MostUserQuery = 200
)

// UserQuery says which users are wanted: those with the ids, deleted or not;
// without ids, those who match the text. An empty text matches all.
type UserQuery struct {
	Body
	IDs            []string
	Text           string
	IncludeDeleted bool
	Assignable     bool          // only users that requests can be assigned to
	AtDesk         *CollectionID // with Assignable: only members of the account and responders of the collection
	Page
}

// Check returns what is wrong with the query.
func (q UserQuery) Check() error {
	p := q.problems()
	p.atMost("ids", len(q.IDs), MostUserIDs)
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
