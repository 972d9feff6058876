package desk

import (
	"strings"
	"testing"
	"time"
)

func TestAgentSession(t *testing.T) {
	now := time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		n     NewAgentSession
		wrong string
	}{
		"the least":                {NewAgentSession{Request: 1}, ""},
		"now":                      {NewAgentSession{Request: 1, StartedAt: &now}, ""},
		"later":                    {NewAgentSession{Request: 1, StartedAt: ptr(now.Add(1))}, "started_at"},
		"in 1970":                  {NewAgentSession{Request: 1, StartedAt: ptr(time.UnixMilli(0))}, ""},
		"before":                   {NewAgentSession{Request: 1, StartedAt: ptr(time.UnixMilli(-1))}, "started_at"},
		"the longest external id":  {NewAgentSession{Request: 1, ExternalID: ptr(strings.Repeat("x", 255))}, ""},
		"a longer one":             {NewAgentSession{Request: 1, ExternalID: ptr(strings.Repeat("x", 256))}, "external_id"},
		"an empty one":             {NewAgentSession{Request: 1, ExternalID: ptr(" ")}, "external_id"},
		"a body that is none":      {NewAgentSession{Body: Body{Problem: Errorf(Invalid, "broken")}}, "broken"},
		"what was not asked about": {NewAgentSession{Request: 1, ExternalID: ptr("'; DROP TABLE agent_sessions --")}, ""},
	} {
		s, err := c.n.Session(now)
		if c.wrong == "" && (err != nil || s.StartedAt.After(now)) || c.wrong != "" && (KindOf(err) != Invalid || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

func TestAddAgentEvents(t *testing.T) {
	now := time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)
	s := AgentSession{ID: 1, StartedAt: now.Add(-time.Hour), UpdatedAt: now.Add(-time.Hour)}
	var all []AgentEvent
	for _, kind := range AgentEventTypes {
		all = append(all, AgentEvent{Type: kind})
	}
	added, err := s.Add(AgentEvents{Events: append(all, AgentEvent{Type: AgentAnswered, At: ptr(now.Add(-2 * time.Hour)), Text: "  x "}), EndedAt: &s.StartedAt}, now)
	if err != nil || len(added) != 6 || !added[0].At.Equal(now) || added[5].Text != "x" {
		t.Fatalf("added %+v, %v", added, err)
	}
	if s.Triggers != 1 || s.Responses != 3 || s.Answers != 2 || s.PositiveFeedback != 1 || s.NegativeFeedback != 1 || !s.UpdatedAt.Equal(now) || !s.EndedAt.Equal(s.StartedAt) {
		t.Errorf("it is %+v", s)
	}
	most := make([]AgentEvent, MostAgentEvents)
	for i := range most {
		most[i].Type = AgentTriggered
	}
	for name, c := range map[string]struct {
		e     AgentEvents
		wrong string
	}{
		"nothing":             {AgentEvents{}, "Nothing to add"},
		"an end alone":        {AgentEvents{EndedAt: &now}, ""},
		"an end to come":      {AgentEvents{EndedAt: ptr(now.Add(1))}, "ended_at"},
		"an end before":       {AgentEvents{EndedAt: ptr(now.Add(-time.Hour - 1))}, "ended_at"},
		"as many as possible": {AgentEvents{Events: most}, ""},
		"one more":            {AgentEvents{Events: append(most, most[0])}, "events"},
		"another type":        {AgentEvents{Events: []AgentEvent{{Type: "shrug"}}}, "events[0].type"},
		"to come":             {AgentEvents{Events: []AgentEvent{{Type: AgentTriggered, At: ptr(now.Add(1))}}}, "events[0].at"},
		"the longest text":    {AgentEvents{Events: []AgentEvent{{Type: AgentTriggered, Text: strings.Repeat("ä", 10_000)}}}, ""},
		"a longer one":        {AgentEvents{Events: []AgentEvent{{Type: AgentTriggered, Text: strings.Repeat("ä", 10_001)}}}, "events[0].text"},
	} {
		before := s
		next := s
		_, err := next.Add(c.e, now)
		if c.wrong == "" && err != nil || c.wrong != "" && (KindOf(err) != Invalid || !strings.Contains(err.Error(), c.wrong) || next != before) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDeflected(t *testing.T) {
	for _, c := range []struct {
		s         AgentSession
		attempt   bool
		deflected bool
	}{
		{AgentSession{Triggers: 1, Responses: 4, PositiveFeedback: 1}, false, false},
		{AgentSession{Answers: 1}, true, true},
		{AgentSession{Answers: 1, Answered: true}, true, false},
		{AgentSession{Answers: 1, Ticketed: true}, true, false},
	} {
		if c.s.HasAttempt() != c.attempt || c.s.Deflected() != c.deflected {
			t.Errorf("%+v: attempt %t, deflected %t", c.s, c.s.HasAttempt(), c.s.Deflected())
		}
	}
}
