package wire

import "frontdesk/internal/desk"

// SurveyRules say how a collection asks people for their opinion. They are also
// stored in this form.
type SurveyRules struct {
	Enabled      bool               `json:"enabled"`
	Trigger      desk.SurveyTrigger `json:"trigger"`
	Scope        desk.SurveyScope   `json:"scope"`
	Type         desk.SurveyType    `json:"survey_type"`
	Comment      bool               `json:"comment"`
	DelayMinutes int                `json:"delay_minutes"`
}

// RequestSurvey is the survey of a request.
type RequestSurvey struct {
	Status   string          `json:"status"`
	Response *SurveyResponse `json:"response,omitempty"`
	Comment  *nullableText   `json:"comment,omitempty"`
}

// SurveyResponse is a person's answer.
type SurveyResponse struct {
	Type     desk.SurveyType `json:"survey_type"`
	Value    int             `json:"value"`
	MaxValue int             `json:"max_value"`
}

const (
	surveyPending  = "pending"
	surveyReceived = "received"
)

func newRequestSurvey(s *desk.Survey) *RequestSurvey {
	switch {
	case s == nil:
		return nil
	case s.AnsweredAt == nil:
		return &RequestSurvey{Status: surveyPending}
	}
	return &RequestSurvey{Status: surveyReceived, Response: newSurveyResponse(*s), Comment: &nullableText{orNull(s.Comment)}}
}

func newSurveyResponse(s desk.Survey) *SurveyResponse {
	if s.AnsweredAt == nil {
		return nil
	}
	return &SurveyResponse{Type: s.Type, Value: s.Value, MaxValue: s.Type.Most()}
}

// Survey is a survey on the wire. It has neither the address of its page nor the
// comment, because the audit log uses this form and never forgets.
type Survey struct {
	ID          desk.SurveyID   `json:"id"`
	RequestID   desk.RequestID  `json:"request_id"`
	Type        desk.SurveyType `json:"survey_type"`
	Status      string          `json:"status"`
	TriggeredAt Time            `json:"triggered_at"`
	AnsweredAt  *Time           `json:"answered_at"`
	Response    *SurveyResponse `json:"response"`
	Commented   bool            `json:"is_commented"`
}

// NewSurvey returns the wire form of a survey.
func NewSurvey(s desk.Survey) Survey {
	w := Survey{ID: s.ID, RequestID: s.Request, Type: s.Type, Status: surveyPending, TriggeredAt: NewTime(s.TriggeredAt),
		AnsweredAt: optional(s.AnsweredAt), Response: newSurveyResponse(s), Commented: s.Comment != ""}
	if s.AnsweredAt != nil {
		w.Status = surveyReceived
	}
	return w
}

// ShownSurvey is a survey with the address of its page.
type ShownSurvey struct {
	Survey
	URL string `json:"answer_url"`
}

// NewShownSurvey returns the wire form of a survey for the member who sent it.
func NewShownSurvey(s desk.ShownSurvey) ShownSurvey { return ShownSurvey{NewSurvey(s.Survey), s.URL} }
