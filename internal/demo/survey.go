package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/service"
)

// At first the sample account asked for thumbs, then for one to five points.
// Which of the finished requests were asked about, how, and what was answered is
// told by chance, but always by the same.

// opinion is what somebody was asked and answered about a story.
type opinion struct {
	kind    desk.SurveyType // empty: they were not asked
	value   int             // 0: they have not answered
	comment string
}

var comments = map[bool][]string{
	true:  {"", "", "", "Quick and to the point, thank you.", "As always a pleasure.", "Solved before my coffee was cold."},
	false: {"", "", "It works now, but I had to explain it twice.", "Two days is too long when the warehouse stands still.", "Friendly, though I expected an answer sooner."},
}

func (s story) opinion() (o opinion) {
	r := rand.New(rand.NewPCG(seed+1, uint64(s.number)))
	asked, answered, happy := r.Float64(), r.Float64(), r.Float64()
	if s.solvedAt == nil || inOutage(s.number) || asked > 0.7 {
		return o
	}
	if o.kind = desk.FivePointRating; s.number%5 == 0 {
		o.kind = desk.TwoPointRating
	}
	if answered > 0.65 {
		return o
	}
	points := []float64{0.08, 0.16, 0.28, 0.58, 1} // how many are at most that happy
	if o.kind == desk.TwoPointRating {
		points = []float64{0.2, 1}
	}
	for happy > points[o.value] {
		o.value++
	}
	o.value++
	o.comment = one(r, comments[o.value == len(points)])
	return o
}

// addSurveys asks about finished requests and has it answered. Who was asked is
// not asked again.
func (d Desk) addSurveys(ctx context.Context, c service.Caller, all []story, ids []desk.RequestID) error {
	account, err := d.Service.Account(ctx, c)
	if err != nil {
		return err
	}
	asked, err := d.asked(ctx, c)
	if err != nil {
		return err
	}
	for _, kind := range []desk.SurveyType{desk.TwoPointRating, desk.FivePointRating} {
		set := false
		for i, s := range all {
			o := s.opinion()
			if was, there := asked[ids[i]]; o.kind != kind || was || !there {
				continue
			}
			if on := true; !set {
				change := desk.SettingsChange{Surveys: desk.SurveyRulesChange{Enabled: &on, Type: &kind}}
				if _, err := d.Service.UpdateCollection(ctx, c, account.APICollection, desk.CollectionChange{Settings: change}); err != nil {
					return err
				}
				set = true
			}
			if err := d.survey(ctx, c, ids[i], o); err != nil {
				return fmt.Errorf("ask about request %d: %w", ids[i], err)
			}
		}
	}
	return nil
}

// asked says of each request on the list whether there is a survey of it.
func (d Desk) asked(ctx context.Context, c service.Caller) (map[desk.RequestID]bool, error) {
	asked := map[desk.RequestID]bool{}
	for p := (desk.Page{Limit: desk.MostLimit}); ; {
		l, err := d.Service.Requests(ctx, c, desk.RequestFilter{States: []desk.State{desk.Solved, desk.Closed}}, p, false)
		if err != nil {
			return nil, err
		}
		for _, r := range l.Items {
			asked[r.ID] = r.Survey != nil
		}
		if p.From = l.Next; l.Next == nil {
			return asked, nil
		}
	}
}

// survey asks about a request and answers as somebody did.
func (d Desk) survey(ctx context.Context, c service.Caller, id desk.RequestID, o opinion) error {
	sent, err := d.Service.SendSurvey(ctx, c, id)
	if err != nil || o.value == 0 {
		return err
	}
	token := sent.URL[strings.LastIndex(sent.URL, "/")+1:]
	return d.Service.AnswerSurvey(ctx, token, desk.SurveyAnswer{Value: &o.value, Comment: &o.comment})
}
