package desk

// Sandbox is the built-in chat system as one account sees it: a workspace of
// fictional people for trying things out.
type Sandbox struct {
	Connected   bool          // whether the account's chat system is a workspace of it
	Offered     bool          // whether the account has no chat system and could connect one here
	Integration IntegrationID // of the workspace, if connected; the same goes for the fields below
	Team        string
	Name        string
	URL         string
	Users       []SandboxUser // people one may act as
}

// SandboxUser is an active person in a sandbox workspace, not a bot.
type SandboxUser struct {
	ID     string
	Name   string
	Email  string
	Title  string
	Avatar string // a path on this server
	Owner  bool
}

// SandboxToken lets its holder act as a person in a sandbox workspace. The sandbox
// keeps it; we do not.
type SandboxToken struct {
	User   string
	Secret string
}

// NewSandboxToken is the input for a new sandbox token.
type NewSandboxToken struct {
	Body
	User string
}

// MostChatID is the maximum length of a chat system's id.
const MostChatID = 100

// Check returns what is wrong with the input, and trims it.
func (n *NewSandboxToken) Check() error {
	p := n.problems()
	p.Text("user_id", &n.User, 1, MostChatID)
	return p.Err()
}

// Errors for acting as a person.
var (
	ErrNoSandbox    = Errorf(Refused, "This server does not offer the sandbox. Its operator can offer it; see docs/operating.md.")
	ErrNotInSandbox = Errorf(Refused, "The account's chat system is not the sandbox.")
)
