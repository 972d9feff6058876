package desk

// AutoAssign says how a request in a collection gets its assignee.
type AutoAssign string

const (
	AssignNobody         AutoAssign = "none"
	AssignFirstResponder AutoAssign = "first_responder" // the default: the first person to answer
	AssignRoundRobin     AutoAssign = "round_robin"     // at once, in turn
)

// Notify says how responders learn of a new request that did not come from chat.
type Notify string

const (
	NotifyNobody  Notify = "none"
	NotifyMention Notify = "mention" // the default: mentioned where it is posted
	NotifyDirect  Notify = "direct_message"
)

const (
	// DefaultGrouping is the default for how many minutes a requester's messages
	// make one request.
	DefaultGrouping = 5
	// MostGrouping is its maximum: a day.
	MostGrouping = 24 * 60
)

// SettingsChange is a change to a collection's settings. A missing field stays as
// it is; in a new collection it gets its default.
type SettingsChange struct {
	AutoAssign      *AutoAssign
	AssignTeam      Nullable[TeamID]
	GroupingMinutes *int
	AllowBots       *bool
	Notify          *Notify
	Emoji           EmojiChange
	Schedule        Nullable[ScheduleID]
	Surveys         SurveyRulesChange
}

func (c *Collection) setDefaults() {
	c.AutoAssign, c.GroupingMinutes, c.Notify, c.Emoji = AssignFirstResponder, DefaultGrouping, NotifyMention, defaultEmoji()
	c.Surveys = defaultSurveys()
}

func (c *Collection) applySettings(ch SettingsChange) {
	set(&c.AutoAssign, ch.AutoAssign)
	setNullable(&c.AssignTeam, ch.AssignTeam)
	set(&c.GroupingMinutes, ch.GroupingMinutes)
	set(&c.AllowBots, ch.AllowBots)
	set(&c.Notify, ch.Notify)
	c.Emoji.apply(ch.Emoji)
	setNullable(&c.Schedule, ch.Schedule)
	c.Surveys.apply(ch.Surveys)
}

func (c *Collection) checkSettings(p *Problems) {
	OneOf(p, "config.auto_assign", c.AutoAssign, AssignNobody, AssignFirstResponder, AssignRoundRobin)
	wholeNumber(p, "config.grouping_minutes", c.GroupingMinutes, 0, MostGrouping)
	OneOf(p, "config.notify", c.Notify, NotifyNobody, NotifyMention, NotifyDirect)
	c.Emoji.check(p)
	c.Surveys.check(p)
}
