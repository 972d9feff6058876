package wire

import "frontdesk/internal/desk"

// AgentSession is a session of the virtual agent on the wire.
type AgentSession struct {
	ID                   desk.AgentSessionID `json:"id"`
	RequestID            desk.RequestID      `json:"request_id"`
	ExternalID           *string             `json:"external_id"`
	StartedAt            Time                `json:"started_at"`
	EndedAt              *Time               `json:"ended_at"`
	Triggers             int                 `json:"triggers"`
	Responses            int                 `json:"responses"`
	Answers              int                 `json:"answers"`
	PositiveFeedback     int                 `json:"positive_feedback"`
	NegativeFeedback     int                 `json:"negative_feedback"`
	HasResolutionAttempt bool                `json:"has_resolution_attempt"`
	Deflected            bool                `json:"deflected"`
	CreatedAt            Time                `json:"created_at"`
	UpdatedAt            Time                `json:"updated_at"`
}

// NewAgentSession returns the wire form of a session.
func NewAgentSession(s desk.AgentSession) AgentSession {
	return AgentSession{
		ID: s.ID, RequestID: s.Request, ExternalID: orNull(s.ExternalID), StartedAt: NewTime(s.StartedAt), EndedAt: optional(s.EndedAt),
		Triggers: s.Triggers, Responses: s.Responses, Answers: s.Answers, PositiveFeedback: s.PositiveFeedback, NegativeFeedback: s.NegativeFeedback,
		HasResolutionAttempt: s.HasAttempt(), Deflected: s.Deflected(), CreatedAt: NewTime(s.CreatedAt), UpdatedAt: NewTime(s.UpdatedAt),
	}
}
