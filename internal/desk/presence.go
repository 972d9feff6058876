package desk

import "time"

const (
	// PresenceKept is how long somebody counts as present after they last said so. The
	// web app says it every 15 seconds, so two of its calls may get lost.
	PresenceKept = 45 * time.Second
	// MostTabs is how many tabs of one session can be at requests at once.
	MostTabs = 20
)

// Doing is what somebody does at a request.
type Doing string

const (
	Looking Doing = "looking"
	Writing Doing = "writing"
)

// Present is a member who is at a request. It is no more than that they are there now:
// it is stored nowhere, and neither the feed nor the audit log tells of it.
type Present struct {
	Member MemberID
	Name   string // of their chat profile, else their own, else their address
	User   string // their id in the chat system; empty without a profile
	Doing  Doing
}

// Presence is who else is at a request.
type Presence struct {
	Request RequestID
	Others  []Present // sorted by name
}

// GivenPresence says what somebody does at a request in one tab of their browser. A tab
// is at one request, so it leaves another.
type GivenPresence struct {
	Body
	Tab   string          // names the tab within the session
	Doing Nullable[Doing] // null: they leave
}

// Check returns what is wrong with it.
func (g *GivenPresence) Check() error {
	p := g.problems()
	p.Text("tab", &g.Tab, 1, 64)
	optionalOneOf(&p, "doing", g.Doing.Value, Looking, Writing)
	return p.Err()
}

// PresenceChanged tells the streams of sessions who else is at a request. It is in no
// feed and in no token's stream.
const PresenceChanged EventType = "presence.changed"

// ErrSessionOnly refuses presence to tokens: a program does not look at a request, and
// what people do there is not told to programs.
var ErrSessionOnly = Errorf(Forbidden, "Only the web app can say who is at a request, with a session. A token cannot.")
