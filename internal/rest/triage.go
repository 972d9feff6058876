package rest

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/desk"
)

// triage reads the filters that a list of unsolved requests can have besides others.
func (c *call) triage(p *desk.Problems) (t desk.Triage) {
	if c.query(p).Has("sla") {
		desk.OneOf(p, "sla", c.values.Get("sla"), "breached")
		t.DueWithin = new(time.Duration)
	}
	if c.values.Has("due_within") {
		within := time.Duration(c.integer(p, "due_within", 0, 1, int64(desk.MostDueWithin/time.Minute))) * time.Minute
		if t.DueWithin != nil {
			p.Add("due_within", "cannot be combined with sla=breached: what is overdue is due within any time")
		}
		t.DueWithin = &within
	}
	for _, source := range c.texts(p, "source") {
		t.Sources = append(t.Sources, desk.RequestSource(source))
		desk.OneOf(p, "source", desk.RequestSource(source), desk.FromChat, desk.FromAPI, desk.FromEmail, desk.FromImport)
	}
	t.Categories, t.Sentiments, t.Emotions = c.repeated(p, "category"), c.few(p, "sentiment"), c.few(p, "emotion")
	for _, v := range t.Sentiments {
		desk.OneOf(p, "sentiment", v, "very_positive", "positive", "neutral", "negative", "very_negative")
	}
	for _, v := range t.Emotions {
		desk.OneOf(p, "emotion", v, "positive", "neutral", "negative")
	}
	for _, text := range c.few(p, "custom_field") {
		before, after, _ := strings.Cut(text, ":")
		field, err := strconv.ParseInt(before, 10, 64)
		option, err2 := strconv.ParseInt(after, 10, 64)
		if err != nil || err2 != nil || field < 1 || option < 1 {
			p.Add("custom_field", "must be a field's id, a colon and the id of one of its options, such as 7:21")
			continue
		}
		i := slices.IndexFunc(t.Choices, func(c desk.FieldChoice) bool { return c.Field == desk.CustomFieldID(field) })
		if i < 0 {
			i, t.Choices = len(t.Choices), append(t.Choices, desk.FieldChoice{Field: desk.CustomFieldID(field)})
		}
		t.Choices[i].Options = append(t.Choices[i].Options, desk.OptionID(option))
	}
	return t
}

// onlyUnsolved refuses a list that must be one of unsolved requests and is not.
// What it is narrowed or ordered by has no index, so it must not look further than
// what is unsolved.
func onlyUnsolved(p *desk.Problems, f desk.RequestFilter) {
	if len(f.States) == 0 || f.None || slices.ContainsFunc(f.States, func(s desk.State) bool { return !slices.Contains(desk.Unsolved, s) }) {
		p.Add("state", "must be given, with none but open, in_progress, pending, on_hold: other requests cannot be filtered or sorted in this way")
	}
}
