package desk

import (
	"fmt"
	"slices"
	"time"
)

// CollectionKind is how requests come into a collection.
type CollectionKind string

const (
	ChatCollection    CollectionKind = "chat" // the messages of its channels
	APICollection     CollectionKind = "api"
	EmailCollection   CollectionKind = "email"
	PortalCollection  CollectionKind = "portal"
	WebChatCollection CollectionKind = "web_chat"
)

// CollectionKinds are all the kinds.
var CollectionKinds = []CollectionKind{ChatCollection, APICollection, EmailCollection, PortalCollection, WebChatCollection}

// Collection is a group of requests with those who answer them. A chat
// collection has channels, and what is written there are its requests; of every
// other kind, requests come in elsewhere and are posted into its request
// channel. Users and channels go by the chat system's ids.
type Collection struct {
	ID             CollectionID
	Name           string
	Kind           CollectionKind
	Owner          *string // a user
	CreatedBy      *string // the user who is the member that made it; nil when they are not in the chat system
	RequestChannel *string // where requests are posted; never of a chat collection
	TriageChannel  *string // where responders talk about them
	Responders     []Responder

	AutoAssign      AutoAssign
	AssignTeam      *TeamID // round robin goes over this team instead of the responders
	GroupingMinutes int     // how long a requester's messages make one request; 0 makes one of each
	AllowBots       bool    // messages of bots are requests, too
	Notify          Notify
	Emoji           EmojiRules
	Schedule        *ScheduleID // by which its requests are measured; nil for calendar time
	Surveys         SurveyRules

	Channels  []Channel // nil unless they were asked for
	CreatedAt time.Time
	UpdatedAt time.Time
}

const (
	// MostResponders bounds the responders of a collection.
	MostResponders = 100
	// MostChannels bounds the channels of a collection.
	MostChannels = 1000
)

// NewCollection is what a collection is made from.
type NewCollection struct {
	Body
	Name           string
	Kind           CollectionKind
	Owner          *string
	RequestChannel *string
	TriageChannel  *string
	Responders     []Responder
	Settings       SettingsChange // of the defaults
}

// Collection checks the input and makes the collection. Whether the users,
// teams and channels that it names exist, it does not know.
func (n NewCollection) Collection(now time.Time) (Collection, error) {
	if n.Problem != nil {
		return Collection{}, n.Problem
	}
	c := Collection{
		Name: n.Name, Kind: n.Kind, Owner: n.Owner, RequestChannel: n.RequestChannel, TriageChannel: n.TriageChannel,
		Responders: slices.Clone(n.Responders), CreatedAt: now, UpdatedAt: now,
	}
	c.setDefaults()
	c.applySettings(n.Settings)
	err := c.check() // it trims, so before c is returned
	return c, err
}

// CollectionChange is what may be changed of a collection. Its kind is what it
// is and stays.
type CollectionChange struct {
	Body
	Name           *string
	Owner          Nullable[string]
	RequestChannel Nullable[string]
	TriageChannel  Nullable[string]
	Responders     *[]Responder // all of them; nil leaves those there are
	Settings       SettingsChange
}

// Apply changes the collection as a whole, or gives Invalid and changes
// nothing. Whether what it names exists, it does not know.
func (c *Collection) Apply(ch CollectionChange, now time.Time) error {
	if ch.Problem != nil {
		return ch.Problem
	}
	if ch.Name == nil && !ch.Owner.Given && !ch.RequestChannel.Given && !ch.TriageChannel.Given && ch.Responders == nil && ch.Settings == (SettingsChange{}) {
		return Errorf(Invalid, "Nothing to change: give at least one of name, owner, request_channel_id, triage_channel_id, config, emoji_config, csat_config.")
	}
	next := *c
	set(&next.Name, ch.Name)
	setNullable(&next.Owner, ch.Owner)
	setNullable(&next.RequestChannel, ch.RequestChannel)
	setNullable(&next.TriageChannel, ch.TriageChannel)
	set(&next.Responders, ch.Responders)
	next.applySettings(ch.Settings)
	next.Responders = slices.Clone(next.Responders) // check changes them
	if err := next.check(); err != nil {
		return err
	}
	next.UpdatedAt = now
	*c = next
	return nil
}

func (c *Collection) check() error {
	var p Problems
	p.Text("name", &c.Name, 1, mostName)
	OneOf(&p, "kind", c.Kind, CollectionKinds...)
	switch {
	case c.RequestChannel != nil && c.Kind == ChatCollection:
		p.Add("request_channel_id", "is not for a chat collection: its channels are its request channels")
	case c.RequestChannel != nil && c.TriageChannel != nil && *c.RequestChannel == *c.TriageChannel:
		p.Add("triage_channel_id", "must be another channel than request_channel_id")
	}
	c.checkResponders(&p)
	c.checkSettings(&p)
	return p.Err()
}

func (c *Collection) checkResponders(p *Problems) {
	if len(c.Responders) > MostResponders {
		p.Add("config.responders", "must be at most %d; there are %d", MostResponders, len(c.Responders))
		return
	}
	for i := range c.Responders {
		r, field := &c.Responders[i], fmt.Sprintf("config.responders[%d]", i)
		if r.names() != 1 {
			p.Add(field, "must have one of user_id, team_id, email_domain")
			continue
		}
		if r.EmailDomain != "" {
			p.Domain(field+".email_domain", &r.EmailDomain)
		}
		if slices.Contains(c.Responders[:i], *r) {
			p.Add(field, "is there twice")
		}
	}
}

// Responder says who answers in a collection. Exactly one of its fields is set.
type Responder struct {
	UserID      string
	TeamID      TeamID
	EmailDomain string // lower case
}

func (r Responder) names() (n int) {
	for _, set := range []bool{r.UserID != "", r.TeamID != 0, r.EmailDomain != ""} {
		if set {
			n++
		}
	}
	return n
}

// Responding is what decides whether a chat user is a responder.
type Responding struct {
	ID      string
	Email   string   // empty where the chat system does not tell
	Teams   []TeamID // those active that they are in
	Deleted bool
	IsBot   bool
	// External is what a User's is.
	External bool
}

// IsResponder reports whether a chat user answers in the collection: by name,
// as one of a team, or by the domain of their email, the whole of it. Who is
// deactivated does not, and no bot.
func (c Collection) IsResponder(u Responding) bool {
	if u.Deleted || u.IsBot {
		return false
	}
	domain := EmailDomain(u.Email)
	return slices.ContainsFunc(c.Responders, func(r Responder) bool {
		return r.UserID != "" && r.UserID == u.ID ||
			r.TeamID != 0 && slices.Contains(u.Teams, r.TeamID) ||
			r.EmailDomain != "" && r.EmailDomain == domain
	})
}
