package help

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"frontdesk/internal/desk"
	"frontdesk/internal/markup"
)

// Limits on the sources of a draft, in number and in bytes of what is told of each.
const (
	MostQuickReplies = 4
	MostRequests     = 3
	mostQuickReply   = 3_000
	mostAsked        = 1_500 // of what was asked in a solved request
	mostSolved       = 3_000 // of what was answered
	mostAnswers      = 2
	mostTitle        = 200
)

// Material is a source with what a model is told of it.
type Material struct {
	Source
	told string // its title as it is told
	text string
}

// FromQuickReplies picks the quick replies that have most words with a request in
// common. Those without any are of no use.
func FromQuickReplies(all []desk.QuickReply, words []string) (picked []Material) {
	type scored struct {
		desk.QuickReply
		score int
	}
	var some []scored
	beginnings := desk.Each(words, func(w string) string { return beginning(desk.Fold(w)) })
	for _, r := range all {
		s, name, text := scored{QuickReply: r}, desk.Fold(r.Name), desk.Fold(r.HTML)
		for _, b := range beginnings {
			if strings.Contains(name, b) {
				s.score += 2
			}
			if strings.Contains(text, b) {
				s.score++
			}
		}
		if s.score > 0 {
			some = append(some, s)
		}
	}
	slices.SortStableFunc(some, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	for _, s := range some[:min(len(some), MostQuickReplies)] {
		text, _ := cutText(markup.PlainText(s.HTML), mostQuickReply)
		title, _ := cutText(s.Name, mostTitle)
		picked = append(picked, Material{Source{Kind: FromQuickReply, ID: int64(s.ID), Title: s.Name}, title, text})
	}
	return picked
}

// beginning is a word without its ending, so that invoice finds invoices.
func beginning(word string) string {
	if n := utf8.RuneCountInString(word); n > 5 {
		return string([]rune(word)[:n-2])
	}
	return word
}

// FromSolved returns what a model is told of a solved request: what was asked and what
// was answered, of what everybody could read, and without whom it was about. names are
// those of its customer and of its people; those of its authors are left out, too. It
// returns false if nobody answered.
func FromSolved(r desk.Request, names []string) (m Material, answered bool) {
	public := Public(r.Messages)
	names = append(slices.Clone(names), r.Author.Name, r.Author.Email)
	for _, said := range r.Messages {
		names = append(names, said.Author.Name, said.Author.Email)
		names = append(names, emailAddress.FindAllString(said.Text, -1)...) // who has it is mostly named, too
	}
	a := newAnonymiser(names)
	asked, answers := "", []string{}
	for i := len(public) - 1; i >= 0; i-- {
		switch said := public[i]; {
		case said.Responder && len(answers) < mostAnswers && !said.Idle && plain(said) != "":
			answers = append(answers, a.text(said.HTML, true))
		case !said.Responder:
			asked = a.text(said.HTML, false) // in the end, the first
		}
	}
	if len(answers) == 0 {
		return m, false
	}
	slices.Reverse(answers)
	asked, _ = cutText(asked, mostAsked)
	solved, _ := cutText(strings.Join(answers, "\n\n"), mostSolved)
	title, _ := cutText(a.words(r.Title), mostTitle)
	return Material{Source{Kind: FromRequest, ID: int64(r.ID), Key: r.Key, Title: r.Title}, title, "Asked: " + asked + "\n\nAnswered: " + solved}, true
}
