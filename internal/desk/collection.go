package desk

import (
	"fmt"
	"slices"
	"time"
)

// CollectionKind says how requests come into a collection.
type CollectionKind string

const (
	ChatCollection    CollectionKind = "chat" // messages in its channels
	APICollection     CollectionKind = "api"
	EmailCollection   CollectionKind = "email"
	PortalCollection  CollectionKind = "portal"
	WebChatCollection CollectionKind = "web_chat"
)

// CollectionKinds lists every value.
var CollectionKinds = []CollectionKind{ChatCollection, APICollection, EmailCollection, PortalCollection, WebChatCollection}

type CollectionID int64

// Collection is a group of requests with the people who answer them. A chat
// collection has channels, and messages in them become its requests. Requests of
// every other kind come in elsewhere and are posted into its request channel. Users
// and channels are named by the chat system's ids.
type Collection struct {
	ID             CollectionID
	Name           string
	Kind           CollectionKind
	Owner          *string // a user
	CreatedBy      *string // the chat user of the member who created it; nil if they are not in the chat system
	RequestChannel *string // where requests are posted; never set for a chat collection
	TriageChannel  *string // where responders discuss them
	Responders     []Responder

	AutoAssign      AutoAssign
	AssignTeam      *TeamID // round robin uses this team instead of the responders
	GroupingMinutes int     // messages of a requester within this time make one request; 0 makes a request of each
	AllowBots       bool    // whether bot messages become requests, too
	Notify          Notify
	Emoji           EmojiRules
	Schedule        *ScheduleID // used to measure its requests; nil for calendar time
	Surveys         SurveyRules
	Email           *EmailConfig // nil for other kinds than email, and before it is set
	Retention       Retention

	Channels  []Channel // nil unless asked for
	CreatedAt time.Time
	UpdatedAt time.Time
}

func (c Collection) Named() (resource, id string) { return "Collection", FormatID(c.ID) }

const (
	// MostResponders bounds the responders of a collection.
	MostResponders = 100
	// MostChannels bounds the channels of a collection.
	MostChannels = 1000
)

// NewCollection is the input for a new collection.
type NewCollection struct {
	Body
	Name           string
	Kind           CollectionKind
	Owner          *string
	RequestChannel *string
	TriageChannel  *string
	Responders     []Responder
	Settings       SettingsChange // changes to the defaults
	Email          Nullable[EmailConfigChange]
	Retention      RetentionChange
}

// Collection checks the input and makes the collection. It does not check whether
// the users, teams and channels it names exist.
func (n NewCollection) Collection(now time.Time) (Collection, error) {
	c := Collection{
		Name: n.Name, Kind: n.Kind, Owner: n.Owner, RequestChannel: n.RequestChannel, TriageChannel: n.TriageChannel,
		Responders: slices.Clone(n.Responders), CreatedAt: now, UpdatedAt: now,
	}
	c.setDefaults()
	c.applySettings(n.Settings)
	c.Retention.apply(n.Retention)
	p := n.problems()
	c.check(&p)
	c.applyEmail(n.Email, &p)
	return c, p.Err()
}

// CollectionChange is a change to a collection. The kind never changes.
type CollectionChange struct {
	Body
	Name           *string
	Owner          Nullable[string]
	RequestChannel Nullable[string]
	TriageChannel  Nullable[string]
	Responders     *[]Responder // replaces all of them; nil leaves them as they are
	Settings       SettingsChange
	Email          Nullable[EmailConfigChange]
	Retention      RetentionChange
}

// Apply makes the whole change, or returns Invalid and changes nothing. It does not
// check whether the things it names exist.
func (c *Collection) Apply(ch CollectionChange, now time.Time) error {
	return amend(c, ch.Body, func(next *Collection, p *patch) {
		take(p, "name", &next.Name, ch.Name)
		takeNullable(p, "owner", &next.Owner, ch.Owner)
		takeNullable(p, "request_channel_id", &next.RequestChannel, ch.RequestChannel)
		takeNullable(p, "triage_channel_id", &next.TriageChannel, ch.TriageChannel)
		p.offer("config", ch.Responders != nil || ch.Settings != (SettingsChange{}))
		p.offer("emoji_config", ch.Settings.Emoji != (EmojiChange{}))
		p.offer("csat_config", ch.Settings.Surveys != (SurveyRulesChange{}))
		p.offer("email_config", ch.Email.Given)
		p.offer("retention", ch.Retention != (RetentionChange{}))
		set(&next.Responders, ch.Responders)
		next.applySettings(ch.Settings)
		next.Retention.apply(ch.Retention)
		next.Responders = slices.Clone(next.Responders) // check modifies them
		next.check(&p.Problems)
		next.applyEmail(ch.Email, &p.Problems)
		next.UpdatedAt = now
	})
}

func (c *Collection) check(p *Problems) {
	p.Text("name", &c.Name, 1, mostName)
	OneOf(p, "kind", c.Kind, CollectionKinds...)
	switch {
	case c.RequestChannel != nil && c.Kind == ChatCollection:
		p.Add("request_channel_id", "is not allowed for a chat collection: its channels are its request channels")
	case c.RequestChannel != nil && c.TriageChannel != nil && *c.RequestChannel == *c.TriageChannel:
		p.Add("triage_channel_id", "must differ from request_channel_id")
	}
	c.checkResponders(p)
	c.checkSettings(p)
	c.Retention.check(p)
}

func (c *Collection) checkResponders(p *Problems) {
	if !p.atMost("config.responders", len(c.Responders), MostResponders) {
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
			p.Add(field, "is given twice")
		}
	}
}

// Responder names people who answer in a collection. Exactly one field is set.
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

// Responding holds the facts that decide whether a chat user is a responder.
type Responding struct {
	ID      string
	Email   string   // empty if the chat system does not tell
	Teams   []TeamID // active teams they are in
	Deleted bool
	IsBot   bool
	// External has the same meaning as in User.
	External bool
}

// IsResponder reports whether a chat user answers in the collection: by id, as a
// member of a team, or by the full domain of their email. Deactivated users and
// bots are never responders.
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
