package desk

import "time"

// SurveyType says what a survey asks for.
type SurveyType string

const (
	FivePointRating SurveyType = "five_point_rating" // 1 to 5
	TwoPointRating  SurveyType = "two_point_rating"  // 1 is down, 2 is up
)

// Most returns the best value of a survey; the worst is 1.
func (t SurveyType) Most() int {
	if t == TwoPointRating {
		return 2
	}
	return 5
}

// SurveyTrigger says when a survey is sent.
type SurveyTrigger string

const (
	TriggerSolved SurveyTrigger = "solved" // the default: when a request is solved
	TriggerManual SurveyTrigger = "manual" // when somebody sends it
)

// SurveyScope says for which requests surveys are sent automatically.
type SurveyScope string

const (
	ScopeAll     SurveyScope = "all"     // the default
	ScopeTickets SurveyScope = "tickets" // those with a ticket
)

const (
	// MostSurveyDelay is the maximum delay of a survey, in minutes: a week.
	MostSurveyDelay = 7 * 24 * 60
	// SurveyChangeable is how long an answer can be changed.
	SurveyChangeable = 24 * time.Hour
	mostComment      = 2000
)

// SurveyRules say how a collection asks people what they think of its answers.
type SurveyRules struct {
	Enabled      bool
	Trigger      SurveyTrigger
	Scope        SurveyScope
	Type         SurveyType
	Comment      bool // whether a comment can be added
	DelayMinutes int
}

// SurveyRulesChange is a change to the rules. A nil field stays as it is.
type SurveyRulesChange struct {
	Enabled      *bool
	Trigger      *SurveyTrigger
	Scope        *SurveyScope
	Type         *SurveyType
	Comment      *bool
	DelayMinutes *int
}

func defaultSurveys() SurveyRules {
	return SurveyRules{Trigger: TriggerSolved, Scope: ScopeAll, Type: FivePointRating, Comment: true}
}

func (s *SurveyRules) apply(ch SurveyRulesChange) {
	set(&s.Enabled, ch.Enabled)
	set(&s.Trigger, ch.Trigger)
	set(&s.Scope, ch.Scope)
	set(&s.Type, ch.Type)
	set(&s.Comment, ch.Comment)
	set(&s.DelayMinutes, ch.DelayMinutes)
}

func (s *SurveyRules) check(p *Problems) {
	OneOf(p, "csat_config.trigger", s.Trigger, TriggerSolved, TriggerManual)
	OneOf(p, "csat_config.scope", s.Scope, ScopeAll, ScopeTickets)
	OneOf(p, "csat_config.survey_type", s.Type, FivePointRating, TwoPointRating)
	wholeNumber(p, "csat_config.delay_minutes", s.DelayMinutes, 0, MostSurveyDelay)
}

type SurveyID int64

// Survey asks a person what they think of how their request was answered.
type Survey struct {
	ID          SurveyID
	Request     RequestID // the request that shows it
	Asked       RequestID // the request it was asked about, if that was merged into the other since
	Type        SurveyType
	HasComment  bool // whether a comment can be added
	TriggeredAt time.Time
	AnsweredAt  *time.Time // the first time; nil until then
	ChangedAt   *time.Time // the last time
	Value       int        // 1 to Type.Most(); 0 until it is answered
	Comment     string
	AnsweredBy  string        // a chat user; empty for a person with the link
	Channel     SurveyChannel // where it was last answered
}

func (s Survey) Named() (resource, id string) { return "Survey", FormatID(s.ID) }

// SurveyChannel says where a survey is answered.
type SurveyChannel string

const (
	AnsweredInChat SurveyChannel = "chat"
	AnsweredOnPage SurveyChannel = "page"
)

// ShownSurvey is a survey with the address of its page. Anyone with the address can
// answer it.
type ShownSurvey struct {
	Survey
	URL string
}

// SurveyPage is what a person with the link to a survey sees.
type SurveyPage struct {
	Survey Survey
	Title  string // title of the request that they are asked about
	Open   bool   // whether it can be answered, or the answer changed
}

// SurveyAnswer is an answer to a survey. A nil field stays as it is.
type SurveyAnswer struct {
	Value   *int
	Comment *string
	By      string // a chat user; empty for a person with the link
	Channel SurveyChannel
}

// ErrAnswered refuses to change an answer that can no longer be changed.
var ErrAnswered = Errorf(Refused, "You have already answered this survey. An answer can be changed for a day, and that day is over.")

// Open reports whether the survey can be answered, or its answer changed.
func (s Survey) Open(now time.Time) bool {
	return s.AnsweredAt == nil || now.Sub(*s.AnsweredAt) <= SurveyChangeable
}

// Answer records the whole answer, or returns an error and changes nothing: Refused
// if it is too late, and otherwise Invalid. It reports whether the answer says
// anything new.
func (s *Survey) Answer(a SurveyAnswer, now time.Time) (news bool, err error) {
	if !s.Open(now) {
		return false, ErrAnswered
	}
	next := *s
	var p Problems
	set(&next.Value, a.Value)
	wholeNumber(&p, "value", next.Value, 1, s.Type.Most())
	if a.Comment != nil {
		next.Comment = *a.Comment
		p.Text("comment", &next.Comment, 0, mostComment)
		if next.Comment != "" && !s.HasComment {
			p.Add("comment", "cannot be given: this survey does not ask for a comment")
		}
	}
	if err := p.Err(); err != nil {
		return false, err
	}
	if s.AnsweredAt != nil && next == *s {
		return false, nil
	}
	next.AnsweredBy, next.Channel, next.ChangedAt = a.By, a.Channel, &now
	if next.AnsweredAt == nil {
		next.AnsweredAt = &now
	}
	*s = next
	return true, nil
}

// SurveyDue returns when a survey is to be sent for a changed request; nil for
// never. It is due when the request is solved, or closed without having been
// solved.
func (s SurveyRules) SurveyDue(before, after Request) *time.Time {
	if !s.Enabled || s.Trigger != TriggerSolved || !after.BecomesResolved(before) || after.MergedInto != nil || after.Survey != nil {
		return nil
	}
	at := after.SolvedAt.Add(time.Duration(s.DelayMinutes) * time.Minute)
	return &at
}

// BecomesResolved reports whether a change resolved the request: work was left
// before it, and none after.
func (r Request) BecomesResolved(before Request) bool { return r.resolved() && !before.resolved() }

// resolved reports whether no work is left on the request.
func (r Request) resolved() bool { return r.State != nil && r.State.Done() && r.SolvedAt != nil }

// SendsSurvey reports whether the survey that became due when the request was
// solved at a moment is still to be sent. It is not if the request was reopened in
// the meantime, because another survey is due when it is solved again. It is not if
// the request is not in the chat system, because nobody would be asked.
func (s SurveyRules) SendsSurvey(r Request, solved time.Time) bool {
	return s.Enabled && s.Trigger == TriggerSolved && r.resolved() && r.SolvedAt.Equal(solved) && r.MergedInto == nil && r.Survey == nil &&
		(s.Scope != ScopeTickets || len(r.Tickets) > 0) && r.InChat()
}

// InChat reports whether the request has, or will have, a thread that its requester
// reads.
func (r Request) InChat() bool {
	return r.Thread != nil || r.Source.Posted() && r.Channel != nil
}

// Surveyable returns nil, or the reason why nobody can be asked about the request.
func (r Request) Surveyable(s SurveyRules) error {
	switch {
	case r.MergedInto != nil:
		return Errorf(Refused, "The request was merged into request %d. Send a survey for that one.", *r.MergedInto)
	case r.State == nil:
		return Errorf(Refused, "The conversation is not a request, so there is nothing to ask about.")
	case r.Survey != nil:
		return Errorf(Refused, "The request already has a survey.")
	case !s.Enabled:
		return Errorf(Refused, "Surveys are off in the collection of this request. Turn them on in its csat_config.")
	}
	return nil
}

// NewSurvey returns a survey about a request.
func (s SurveyRules) NewSurvey(r Request, now time.Time) Survey {
	return Survey{Request: r.ID, Asked: r.ID, Type: s.Type, HasComment: s.Comment, TriggeredAt: now}
}
