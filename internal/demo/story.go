package demo

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/desk"
)

// The last ninety days are random, but always the same: two desks filled at the
// same moment have the same history.

const (
	stories  = 288
	daysBack = 90
	seed     = 417

	// On one day nothing worked, and many asked about it. The first of these
	// requests stands for all: some of the others are its children, and some are
	// merged into it.
	firstOfOutage = 246
	lastOfOutage  = 259
)

// story is a request of the last ninety days.
type story struct {
	template
	number   int
	from     organisation
	who      person
	language string
	agent    string // an email
	title    string // empty: the rules find one
	slots    map[string]string
	said     []saying

	state              desk.State
	mark               desk.NotARequest // empty for none
	solvedAt, closedAt *time.Time
}

// saying is one message of a story.
type saying struct {
	by     byte
	author string // an email
	text   string
	at     time.Time
}

// teller tells stories.
type teller struct {
	now       time.Time
	templates map[string][]template
	dealt     map[string][]template // shuffled, what is left of them
	used      map[string]bool       // beginnings that were used
}

// history returns every story up to a moment, roughly oldest first.
func history(now time.Time) ([]story, error) {
	all, err := templates()
	if err != nil {
		return nil, err
	}
	t := &teller{now: now.UTC().Truncate(time.Second), templates: all, dealt: map[string][]template{}, used: map[string]bool{}}
	days := spread(t.now)
	told := make([]story, stories)
	for i := range told {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		begins := workingTime(r, days[i], t.now)
		if inOutage(i) {
			begins = outageBegan(days[firstOfOutage]).Add(time.Duration((i-firstOfOutage)*8+r.IntN(7)) * time.Minute)
		}
		told[i] = t.tell(r, i, begins)
	}
	return told, nil
}

func inOutage(i int) bool { return firstOfOutage <= i && i <= lastOfOutage }

// outageBegan returns a time in the morning of a working day.
func outageBegan(day time.Time) time.Time {
	for !working(day) {
		day = day.AddDate(0, 0, -1)
	}
	return midnight(day).Add(8*time.Hour + 40*time.Minute)
}

// tell tells one story.
func (t *teller) tell(r *rand.Rand, i int, begins time.Time) story {
	s := story{number: i, from: t.organisation(r)}
	s.who, s.language = one(r, s.from.people), s.from.language
	if s.language == "en" || r.Float64() < 0.45 || inOutage(i) {
		s.language = "en"
	}
	s.template = t.deal(r, s.language, inOutage(i))
	s.agent = agentFor(r, s.area)
	s.open(r, t.used, begins)
	s.converse(r, t.now)
	s.settle(r, t.now)
	return s
}

func (t *teller) organisation(r *rand.Rand) organisation {
	all := 0
	for _, o := range organisations {
		all += o.share
	}
	at := r.IntN(all)
	for _, o := range organisations {
		if at -= o.share; at < 0 {
			return o
		}
	}
	return organisations[0]
}

// deal returns a template of a language: each of them once, then each again in
// another order.
func (t *teller) deal(r *rand.Rand, language string, ofOutage bool) template {
	key := fmt.Sprint(language, ofOutage)
	if len(t.dealt[key]) == 0 {
		hand := slices.DeleteFunc(slices.Clone(t.templates[language]), func(t template) bool { return (t.area == outage) != ofOutage })
		r.Shuffle(len(hand), func(i, j int) { hand[i], hand[j] = hand[j], hand[i] })
		t.dealt[key] = hand
	}
	next := t.dealt[key][0]
	t.dealt[key] = t.dealt[key][1:]
	return next
}

// agentFor returns who handles what: Tomás mostly handles technical matters.
func agentFor(r *rand.Rand, area string) string {
	technical := slices.Contains([]string{"Data", "Integrations", outage}, area)
	if technical == (r.Float64() < 0.75) {
		return tomas
	}
	return maya
}

// open finds a wording that nobody has used before, if there is one.
func (s *story) open(r *rand.Rand, used map[string]bool, begins time.Time) {
	var text string
	for range 50 {
		s.slots = map[string]string{"agent": firstName(s.agent), "me": firstWord(s.who.name), "month": words[s.language].months[(begins.Month()+10)%12]}
		if inOutage(s.number) {
			s.slots["clock"] = "8:40"
		}
		if text = s.fill(r, one(r, s.lines[0].texts)); !used[text] {
			break
		}
	}
	used[text] = true
	if s.ending != endsAsNone {
		m := s.from.mood[s.language]
		if hello := one(r, m.hello); hello != "" { // as in an email, which has a subject
			s.title, text = subject(text), s.fill(r, hello)+"\n\n"+text
		}
		text = strings.TrimSpace(text + "\n\n" + s.fill(r, one(r, m.bye)))
	}
	s.said = []saying{{asks, s.who.email, text, begins}}
}

// subject returns the first sentence of a text, as far as it fits.
func subject(text string) string {
	const least, most = 15, 90
	for i, letter := range text {
		if i > least && strings.ContainsRune(".?!:", letter) && strings.HasPrefix(text[i+1:]+" ", " ") {
			text = strings.TrimRight(text[:i+1], ".:")
			break
		}
	}
	if letters := []rune(text); len(letters) > most {
		cut := string(letters[:most])
		text = cut[:strings.LastIndex(cut, " ")] + "…"
	}
	return text
}

// converse adds the rest of the conversation, as far as there was time for it.
// People write during working hours, unless it is urgent.
func (s *story) converse(r *rand.Rand, now time.Time) {
	at := s.said[0].at
	for _, l := range s.lines[1:] {
		at = at.Add(time.Duration(float64(l.after) * (0.5 + 1.4*r.Float64()))).Truncate(time.Second)
		if s.priority != desk.Urgent {
			at = officeTime(r, at)
		}
		if at.After(now.Add(-time.Minute)) {
			break
		}
		next := saying{l.by, s.who.email, s.fill(r, one(r, l.texts)), at}
		switch {
		case l.by == notes && r.Float64() < 0.3:
			next.author = priya
		case l.by != says:
			next.author = s.agent
		}
		s.said = append(s.said, next)
	}
	s.interrupt(r, now)
}

// interrupt leaves some of the newer conversations unfinished, so that there is
// work to do. Nobody waits for days for a first answer.
func (s *story) interrupt(r *rand.Rand, now time.Time) {
	age, chance, answered := now.Sub(s.said[0].at), r.Float64(), r.Float64()
	unfinished := age < 4*day && chance < 0.85 || age < 21*day && chance < 0.5
	if !unfinished || inOutage(s.number) || s.ending == endsAsNone {
		return
	}
	var ends []int
	for i, m := range s.said {
		if m.by == answers && answered > 0.4 || m.by != answers && m.by != notes && answered <= 0.4 && (i > 0 || age < 3*day) {
			ends = append(ends, i)
		}
	}
	if len(ends) > 0 {
		s.said = s.said[:one(r, ends)+1]
	}
}

const day = 24 * time.Hour

// settle decides the state of the story.
func (s *story) settle(r *rand.Rand, now time.Time) {
	last := s.said[len(s.said)-1]
	rest := now.Sub(last.at) // time since anybody said anything
	finished := len(s.said) == len(s.lines)
	switch {
	case s.ending == endsAsNone:
		s.state, s.mark = desk.Open, desk.Permanent
		if s.number%2 == 0 {
			s.mark = desk.Temporary
		}
	case !finished && rest < 20*day:
		s.state = s.unfinished(rest)
	case s.ending == endsPending && rest < 14*day:
		s.state = desk.Pending
	case s.ending == endsOnHold && rest < 35*day:
		s.state = desk.OnHold
	default:
		s.resolve(r, now, last.at)
	}
}

// unfinished returns the state after the last public message, which was this long
// ago. Some of those who got an answer days ago have been asked whether it helped.
func (s *story) unfinished(ago time.Duration) desk.State {
	for _, m := range slices.Backward(s.said) {
		switch {
		case m.by == answers && (strings.HasSuffix(m.text, "?") || ago > 2*day && s.number%2 == 0):
			return desk.Pending
		case m.by == answers:
			return desk.InProgress
		case m.by != notes:
			return desk.Open
		}
	}
	return desk.Open
}

// resolve sets when it was solved and, some days later, closed.
func (s *story) resolve(r *rand.Rand, now, last time.Time) {
	solved := last.Add(time.Duration(1+r.IntN(25)) * time.Minute)
	if solved.After(now) {
		solved = last
	}
	s.state, s.solvedAt = desk.Solved, &solved
	closed := solved.Add(4*day + time.Duration(r.IntN(300))*time.Minute)
	if closed.Before(now) && !inOutage(s.number) && r.Float64() < 0.94 {
		s.state, s.closedAt = desk.Closed, &closed
	}
}

// fill puts values into the slots of a text. A slot that ends in a digit is another
// one of its kind.
func (s *story) fill(r *rand.Rand, text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		slot, after, _ := strings.Cut(rest, "}")
		if _, has := s.slots[slot]; !has {
			s.slots[slot] = s.value(r, slot)
		}
		b.WriteString(s.slots[slot])
		text = after
	}
}

func (s *story) value(r *rand.Rand, slot string) string {
	between := func(least, most int) string { return strconv.Itoa(least + r.IntN(most-least+1)) }
	values := map[string]func() string{
		"n":         func() string { return between(2, 9) },
		"nn":        func() string { return between(11, 96) },
		"nnn":       func() string { return between(112, 987) },
		"inv":       func() string { return between(2104, 4873) },
		"order":     func() string { return string(rune('A'+r.IntN(20))) + "-" + between(20417, 79862) },
		"clock":     func() string { return fmt.Sprintf("%d:%02d", 7+r.IntN(9), 5*r.IntN(12)) },
		"day":       func() string { return one(r, words[s.language].days) },
		"site":      func() string { return one(r, s.from.sites) },
		"team":      func() string { return one(r, s.from.teams) },
		"colleague": func() string { return one(r, s.from.colleagues) },
		"code":      func() string { return one(r, codes) },
	}
	if value := values[slot]; value != nil {
		return value()
	}
	return "{" + slot + "}" // a test finds this
}

// imported returns the story as a request to import, with the custom fields by
// name.
func (s *story) imported(fields map[string]desk.CustomField) desk.ImportedRequest {
	id := fmt.Sprintf("demo-%03d", s.number+1)
	n := desk.ImportedRequest{
		ExternalID: &id, Requester: desk.Requester{Name: s.who.name, Email: s.who.email}, State: &s.state, Tags: s.tags,
		CreatedAt: &s.said[0].at, SolvedAt: s.solvedAt, ClosedAt: s.closedAt, Values: desk.FieldInput{},
	}
	if s.title != "" {
		n.Title = &s.title
	}
	if s.priority != "" {
		n.Priority = &s.priority
	}
	answered := false
	for _, m := range s.said {
		responder := m.by == answers || m.by == notes
		answered = answered || responder
		said := desk.ImportedMessage{Text: &m.text, Responder: &responder, Private: m.by == notes, CreatedAt: &m.at}
		if responder {
			said.Author = desk.Requester{Email: m.author}
		}
		n.Messages = append(n.Messages, said)
	}
	if answered || s.number%3 == 0 && s.mark == "" {
		n.Assignee = &s.agent
	}
	put := func(name string, value any) {
		if f, ok := fields[name]; ok {
			n.Values[strconv.FormatInt(int64(f.ID), 10)] = value
		}
	}
	if i := slices.IndexFunc(fields[fieldArea].Config.Options, func(o desk.FieldOption) bool { return o.Value == s.area }); i >= 0 {
		put(fieldArea, fields[fieldArea].Config.Options[i].ID.String())
	}
	if order := s.slots["order"]; order != "" {
		put(fieldOrder, order)
	}
	if seats := s.slots["n"]; seats != "" && slices.Contains(s.tags, "seats") {
		put(fieldSeats, json.Number(seats))
	}
	return n
}

func one[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

func firstWord(s string) string {
	first, _, _ := strings.Cut(s, " ")
	return first
}

// firstName returns the first name of a member of the account.
func firstName(email string) string {
	for _, m := range members {
		if m.Email == email {
			return firstWord(*m.Name)
		}
	}
	return firstWord(Owner.Name)
}
