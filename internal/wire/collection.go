package wire

import "frontdesk/internal/desk"

// Collection is a collection on the wire.
type Collection struct {
	ID             desk.CollectionID   `json:"id"`
	Name           string              `json:"name"`
	Kind           desk.CollectionKind `json:"kind"`
	Owner          *string             `json:"owner"`
	CreatedBy      *string             `json:"created_by"`
	RequestChannel *string             `json:"request_channel_id"`
	TriageChannel  *string             `json:"triage_channel_id"`
	Config         CollectionConfig    `json:"config"`
	Emoji          EmojiRules          `json:"emoji_config"`
	Surveys        SurveyRules         `json:"csat_config"`
	Email          *EmailConfig        `json:"email_config,omitempty"` // left out if there is none
	Retention      *Retention          `json:"retention,omitempty"`    // left out if everything is kept
	CreatedAt      Time                `json:"created_at"`
	UpdatedAt      Time                `json:"updated_at"`
	Channels       []CollectionChannel `json:"channels,omitzero"` // only if they were asked for
}

// CollectionConfig is the configuration of a collection.
type CollectionConfig struct {
	Responders      []Responder     `json:"responders"`
	AutoAssign      desk.AutoAssign `json:"auto_assign"`
	AssignTeam      *desk.TeamID    `json:"assign_team_id"`
	GroupingMinutes int             `json:"grouping_minutes"`
	AllowBots       bool            `json:"allow_bots"`
	Notify          desk.Notify     `json:"notify"`

	ScheduleID *desk.ScheduleID `json:"schedule_id,omitempty"` // left out for calendar time
}

// EmojiRules says what a reaction with an emoji does.
type EmojiRules struct {
	Take    []string `json:"take"`
	Solve   []string `json:"solve"`
	Urgent  []string `json:"urgent"`
	Ticket  []string `json:"ticket"`
	Request []string `json:"request"`
}

// NewEmojiRules returns the wire form of the rules. A list in it is never null.
func NewEmojiRules(r desk.EmojiRules) EmojiRules {
	return EmojiRules{Take: orEmpty(r.Take), Solve: orEmpty(r.Solve), Urgent: orEmpty(r.Urgent), Ticket: orEmpty(r.Ticket), Request: orEmpty(r.Request)}
}

// Responder has exactly one of its fields.
type Responder struct {
	UserID      string      `json:"user_id,omitempty"`
	TeamID      desk.TeamID `json:"team_id,omitempty"`
	EmailDomain string      `json:"email_domain,omitempty"`
}

// CollectionChannel is a channel inside its collection.
type CollectionChannel struct {
	ID     string  `json:"id"`
	Name   string  `json:"name"`
	Owner  *string `json:"owner"`
	Status string  `json:"status"`
}

// NewCollection returns the wire form of a collection.
func NewCollection(c desk.Collection) Collection {
	w := Collection{
		ID: c.ID, Name: c.Name, Kind: c.Kind, Owner: c.Owner, CreatedBy: c.CreatedBy,
		RequestChannel: c.RequestChannel, TriageChannel: c.TriageChannel,
		Config: CollectionConfig{
			Responders: desk.Each(c.Responders, func(r desk.Responder) Responder { return Responder(r) }),
			AutoAssign: c.AutoAssign, AssignTeam: c.AssignTeam, GroupingMinutes: c.GroupingMinutes, AllowBots: c.AllowBots, Notify: c.Notify, ScheduleID: c.Schedule,
		},
		Emoji:     NewEmojiRules(c.Emoji),
		Surveys:   SurveyRules(c.Surveys),
		Email:     newEmailConfig(c.Email),
		Retention: newRetention(c.Retention),
		CreatedAt: NewTime(c.CreatedAt), UpdatedAt: NewTime(c.UpdatedAt),
	}
	if c.Channels != nil {
		w.Channels = desk.Each(c.Channels, newCollectionChannel)
	}
	return w
}

func newCollectionChannel(c desk.Channel) CollectionChannel {
	return CollectionChannel{ID: c.ID, Name: c.Name, Owner: c.Owner, Status: status(c)}
}
