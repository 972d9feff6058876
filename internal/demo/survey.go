package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/service"
)

// The sample account first asked for thumbs, then for one to five points. Chance
// decides which finished requests were asked about, how, and what was answered, but
// the result is always the same.

// opinion is what a person was asked and answered about a story. They are asked
// when it is solved.
type opinion struct {
	kind    desk.SurveyType // empty: they were not asked
	value   int             // 0: they have not answered
	comment string
	after   time.Duration // how long they took to answer
}

// firstThumbs is how many of the stories were asked about with thumbs.
const firstThumbs = stories / 5

var comments = map[bool][]string{
	true:  {"", "", "", "Quick and to the point, thank you.", "A pleasure, as always.", "Solved before my coffee got cold."},
	false: {"", "", "It works now, but I had to explain everything twice.", "Two days is too long when the warehouse is at a standstill.", "Friendly, but I expected an answer sooner."},
}

func (s story) opinion() (o opinion) {
	r := rand.New(rand.NewPCG(seed+1, uint64(s.number)))
	asked, answered, happy := r.Float64(), r.Float64(), r.Float64()
	if s.solvedAt == nil || inOutage(s.number) || asked > 0.7 {
		return o
	}
	if o.kind = desk.FivePointRating; s.number < firstThumbs {
		o.kind = desk.TwoPointRating
	}
	if answered > 0.65 {
		return o
	}
	points := []float64{0.08, 0.16, 0.28, 0.58, 1} // the share of people who are at most that happy
	if o.kind == desk.TwoPointRating {
		points = []float64{0.2, 1}
	}
	for happy > points[o.value] {
		o.value++
	}
	o.value++
	o.comment = one(r, comments[o.value == len(points)])
	o.after = time.Duration(4+r.IntN(30*60)) * time.Minute
	return o
}

// addSurveys asks about finished requests and adds the answers, each at its time in
// the past. Nobody is asked twice.
func (d Desk) addSurveys(ctx context.Context, c service.Caller, all []story, ids []desk.RequestID) error {
	account, err := d.Service.Account(ctx, c)
	if err != nil {
		return err
	}
	asked, err := d.asked(ctx, c)
	if err != nil {
		return err
	}
	past := &pastClock{}
	then := d.Past(past.Now)
	var kind desk.SurveyType // the collection's current kind
	for i, s := range all {
		o := s.opinion()
		if was, there := asked[ids[i]]; o.kind == "" || was || !there {
			continue
		}
		if on := true; o.kind != kind {
			change := desk.SettingsChange{Surveys: desk.SurveyRulesChange{Enabled: &on, Type: &o.kind}}
			if _, err := d.Service.UpdateCollection(ctx, c, account.APICollection, desk.CollectionChange{Settings: change}); err != nil {
				return err
			}
			kind = o.kind
		}
		past.set(*s.solvedAt)
		sent, err := then.SendSurvey(ctx, c, ids[i])
		if err != nil {
			return fmt.Errorf("ask about request %d: %w", ids[i], err)
		}
		if past.advance(o.after); o.value == 0 || past.Now().After(d.Now) {
			continue // they have not answered yet
		}
		token := sent.URL[strings.LastIndex(sent.URL, "/")+1:]
		if err := then.AnswerSurvey(ctx, token, desk.SurveyAnswer{Value: &o.value, Comment: &o.comment}); err != nil {
			return fmt.Errorf("answer about request %d: %w", ids[i], err)
		}
	}
	return nil
}

// asked returns for each request in the list whether it has a survey.
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
