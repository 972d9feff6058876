package desk

// Sandbox is the chat system in the box, as one account has it: a workspace of
// people who are not there, to try everything with.
type Sandbox struct {
	Connected   bool          // the account's chat system is a workspace of it
	Offered     bool          // the account has no chat system, and one could be made here
	Integration IntegrationID // of the workspace, when connected; the others too
	Team        string
	Name        string
	URL         string
	Users       []SandboxUser // as whom one may act
}

// SandboxUser is somebody of a sandbox workspace, who is there and no bot.
type SandboxUser struct {
	ID     string
	Name   string
	Email  string
	Title  string
	Avatar string // a path on this server
	Owner  bool
}

// SandboxToken lets its holder act as somebody of a sandbox workspace. The
// sandbox keeps it; we do not.
type SandboxToken struct {
	User   string
	Secret string
}

// NewSandboxToken is what one is made from.
type NewSandboxToken struct {
	Body
	User string
}

// MostChatID bounds the id that a chat system gives somebody.
const MostChatID = 100

// Check says what is wrong with the input, and trims it.
func (n *NewSandboxToken) Check() error {
	if n.Problem != nil {
		return n.Problem
	}
	var p Problems
	p.Text("user_id", &n.User, 1, MostChatID)
	return p.Err()
}

// Why nobody can be acted as.
var (
	ErrNoSandbox    = Errorf(Refused, "This server does not offer the sandbox. Its operator may; see docs/operating.md.")
	ErrNotInSandbox = Errorf(Refused, "The account's chat system is not the sandbox.")
)
