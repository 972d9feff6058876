package desk

import (
	"strings"
	"testing"
	"time"
)

func TestSurveyRules(t *testing.T) {
	now := time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)
	made, err := NewCollection{Name: "A", Kind: ChatCollection}.Collection(now)
	want := SurveyRules{Trigger: TriggerSolved, Scope: ScopeAll, Type: FivePointRating, Comment: true}
	if err != nil || made.Surveys != want {
		t.Errorf("by default %+v, %v", made.Surveys, err)
	}
	for name, c := range map[string]struct {
		change SurveyRulesChange
		wrong  string // the field; empty for none
	}{
		"all":              {SurveyRulesChange{ptr(true), ptr(TriggerManual), ptr(ScopeTickets), ptr(TwoPointRating), ptr(false), ptr(0)}, ""},
		"the longest":      {SurveyRulesChange{DelayMinutes: ptr(10080)}, ""},
		"longer":           {SurveyRulesChange{DelayMinutes: ptr(10081)}, "csat_config.delay_minutes"},
		"shorter":          {SurveyRulesChange{DelayMinutes: ptr(-1)}, "csat_config.delay_minutes"},
		"another trigger":  {SurveyRulesChange{Trigger: ptr(SurveyTrigger("closed"))}, "csat_config.trigger"},
		"another scope":    {SurveyRulesChange{Scope: ptr(SurveyScope(""))}, "csat_config.scope"},
		"another type":     {SurveyRulesChange{Type: ptr(SurveyType("ten"))}, "csat_config.survey_type"},
		"only whether":     {SurveyRulesChange{Enabled: ptr(true)}, ""},
		"only the comment": {SurveyRulesChange{Comment: ptr(false)}, ""},
	} {
		col := made
		err := col.Apply(CollectionChange{Settings: SettingsChange{Surveys: c.change}}, now)
		if c.wrong == "" && err != nil || c.wrong != "" && (KindOf(err) != Invalid || !strings.Contains(err.Error(), c.wrong) || col.Surveys != made.Surveys) {
			t.Errorf("%s: %v, %+v", name, err, col.Surveys)
		}
	}
}

func TestAnswerASurvey(t *testing.T) {
	first := time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		kind     SurveyType
		comments bool
		before   int // the value given before; 0 for none
		answer   SurveyAnswer
		after    time.Duration
		wrong    string // the field, or a word of the message
		news     bool
	}{
		"the worst":               {FivePointRating, true, 0, SurveyAnswer{Value: ptr(1)}, 0, "", true},
		"the best":                {FivePointRating, true, 0, SurveyAnswer{Value: ptr(5)}, 0, "", true},
		"worse":                   {FivePointRating, true, 0, SurveyAnswer{Value: ptr(0)}, 0, "value", false},
		"better":                  {FivePointRating, true, 0, SurveyAnswer{Value: ptr(6)}, 0, "value", false},
		"up":                      {TwoPointRating, true, 0, SurveyAnswer{Value: ptr(2)}, 0, "", true},
		"three of two":            {TwoPointRating, true, 0, SurveyAnswer{Value: ptr(3)}, 0, "value", false},
		"nothing":                 {FivePointRating, true, 0, SurveyAnswer{}, 0, "value", false},
		"a comment alone":         {FivePointRating, true, 0, SurveyAnswer{Comment: ptr("x")}, 0, "value", false},
		"a comment afterwards":    {FivePointRating, true, 4, SurveyAnswer{Comment: ptr("x")}, time.Hour, "", true},
		"the longest comment":     {FivePointRating, true, 0, SurveyAnswer{Value: ptr(1), Comment: ptr(strings.Repeat("ä", 2000))}, 0, "", true},
		"a longer one":            {FivePointRating, true, 0, SurveyAnswer{Value: ptr(1), Comment: ptr(strings.Repeat("ä", 2001))}, 0, "comment", false},
		"one with U+0000":         {FivePointRating, true, 0, SurveyAnswer{Value: ptr(1), Comment: ptr("a\x00b")}, 0, "comment", false},
		"one that is not asked":   {FivePointRating, false, 0, SurveyAnswer{Value: ptr(1), Comment: ptr("x")}, 0, "comment", false},
		"an empty one, likewise":  {FivePointRating, false, 0, SurveyAnswer{Value: ptr(1), Comment: ptr(" ")}, 0, "", true},
		"the same again":          {FivePointRating, true, 4, SurveyAnswer{Value: ptr(4)}, time.Hour, "", false},
		"another":                 {FivePointRating, true, 4, SurveyAnswer{Value: ptr(2)}, 24 * time.Hour, "", true},
		"another after a day":     {FivePointRating, true, 4, SurveyAnswer{Value: ptr(2)}, 24*time.Hour + 1, "over", false},
		"a comment after a day":   {FivePointRating, true, 4, SurveyAnswer{Comment: ptr("x")}, 25 * time.Hour, "over", false},
		"the first after a month": {FivePointRating, true, 0, SurveyAnswer{Value: ptr(2)}, 720 * time.Hour, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := Survey{Type: c.kind, HasComment: c.comments, TriggeredAt: first}
			if c.before != 0 {
				if _, err := s.Answer(SurveyAnswer{Value: &c.before, By: "U1", Channel: AnsweredInChat}, first); err != nil {
					t.Fatal(err)
				}
			}
			before, now := s, first.Add(c.after)
			c.answer.By, c.answer.Channel = "U2", AnsweredOnPage
			news, err := s.Answer(c.answer, now)
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) || s != before {
					t.Errorf("%v, %+v", err, s)
				}
				return
			}
			if err != nil || news != c.news {
				t.Fatalf("news %t, %v", news, err)
			}
			if news && (s.AnsweredBy != "U2" || s.Channel != AnsweredOnPage || !s.ChangedAt.Equal(now)) || !news && s != before {
				t.Errorf("it is %+v", s)
			}
			if c.before != 0 && !s.AnsweredAt.Equal(first) {
				t.Errorf("first answered at %v", s.AnsweredAt)
			}
		})
	}
}

func TestWhenASurveyIsSent(t *testing.T) {
	solved := time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)
	rules := SurveyRules{Enabled: true, Trigger: TriggerSolved, Scope: ScopeAll, Type: FivePointRating, DelayMinutes: 30}
	open := Request{ID: 1, State: ptr(Open), Thread: &Thread{}}
	done := Request{ID: 1, State: ptr(Solved), SolvedAt: &solved, Thread: &Thread{}}
	for name, c := range map[string]struct {
		change        func(rules *SurveyRules, before, after *Request)
		due, sent     bool
		askableByHand bool
	}{
		"solved":                     {func(*SurveyRules, *Request, *Request) {}, true, true, true},
		"closed at once":             {func(_ *SurveyRules, _, r *Request) { r.State = ptr(Closed) }, true, true, true},
		"closed after it was solved": {func(_ *SurveyRules, b, r *Request) { *b = done; r.State = ptr(Closed) }, false, true, true},
		"off":                        {func(s *SurveyRules, _, _ *Request) { s.Enabled = false }, false, false, false},
		"by hand":                    {func(s *SurveyRules, _, _ *Request) { s.Trigger = TriggerManual }, false, false, true},
		"only tickets":               {func(s *SurveyRules, _, _ *Request) { s.Scope = ScopeTickets }, true, false, true},
		"only tickets, and it has":   {func(s *SurveyRules, _, r *Request) { s.Scope, r.Tickets = ScopeTickets, []Ticket{{}} }, true, true, true},
		"opened again":               {func(_ *SurveyRules, _, r *Request) { r.State, r.SolvedAt = ptr(Open), nil }, false, false, true},
		"no request":                 {func(_ *SurveyRules, _, r *Request) { r.State, r.SolvedAt = nil, nil }, false, false, false},
		"merged":                     {func(_ *SurveyRules, _, r *Request) { r.MergedInto = ptr(RequestID(2)) }, false, false, false},
		"one that has a survey":      {func(_ *SurveyRules, _, r *Request) { r.Survey = &Survey{} }, false, false, false},
		"nowhere in chat":            {func(_ *SurveyRules, _, r *Request) { r.Thread = nil }, true, false, true},
		"on its way there":           {func(_ *SurveyRules, _, r *Request) { r.Thread, r.Channel, r.Source = nil, &ChannelRef{}, FromAPI }, true, true, true},
		"imported":                   {func(_ *SurveyRules, _, r *Request) { r.Thread, r.Channel, r.Source = nil, &ChannelRef{}, FromImport }, true, false, true},
	} {
		s, before, after := rules, open.Clone(), done.Clone()
		c.change(&s, &before, &after)
		due := s.SurveyDue(before, after)
		if (due != nil) != c.due || due != nil && !due.Equal(solved.Add(30*time.Minute)) {
			t.Errorf("%s: due %v", name, due)
		}
		if sent := s.SendsSurvey(after, solved); sent != c.sent {
			t.Errorf("%s: sent %t", name, sent)
		}
		if err := after.Surveyable(s); (err == nil) != c.askableByHand || err != nil && KindOf(err) != Refused {
			t.Errorf("%s: by hand %v", name, err)
		}
	}
	again := solved.Add(time.Hour)
	later := done
	later.SolvedAt = &again
	if rules.SendsSurvey(later, solved) {
		t.Error("it was solved again since, and another is due")
	}
}
