package search

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"frontdesk/internal/sqldb"
)

// Tokens returns the tokens of a text, separated by spaces.
func Tokens(text string) string { return strings.Join(words(tokens(text)), " ") }

// String shows how a query was understood: [whole words] and [beginn…].
func (t Terms) String() string {
	var all []string
	for _, p := range t.phrases {
		s := strings.Join(p.tokens, " ")
		if p.begins {
			s += "…"
		}
		all = append(all, "["+s+"]")
	}
	return strings.Join(all, " ")
}

// PlainlyFound returns where an ASCII text has the phrases, found without splitting
// it, and where it has them when it is split.
func (t Terms) PlainlyFound(text string) (plain, split string, done bool) {
	marks, done := t.plainMarks(text)
	return fmt.Sprint(marks), fmt.Sprint(t.marks(text)), done
}

// Match is the simplest way to decide whether texts have every phrase, and how well
// they match: it looks at each word.
func (t Terms) Match(d Document, onlyPublic bool) (score int64, ok bool) {
	if onlyPublic {
		d.Private = ""
	}
	parts := strings.Split(d.Title+Divide+d.Public+Divide+d.Private, Divide)
	for _, p := range t.phrases {
		if !slices.ContainsFunc(parts, func(part string) bool { return p.count(words(tokens(part))) > 0 }) {
			return 0, false
		}
	}
	return t.score(texts{Tokens(d.Title), Tokens(d.Public), Tokens(d.Private)}), len(t.phrases) > 0
}

// Position returns where the next page begins if h is the last hit of its page.
func (h Hit) Position() *Position { return &Position{h.ID, h.At, h.Score} }

// A Reading is one statement of Find.
type Reading struct {
	Listed int // documents that the index lists for it
	Read   int // documents that were read
	Plan   string
}

// Readings returns what Find reads, with the engine's own query plan.
func Readings(tx *sqldb.Tx, q Query, explain string, scanPlan func(scan func(...any) error) (string, error)) (all []Reading, err error) {
	f, err := newFinder(tx, q, Parse(q.Text))
	if err != nil {
		return nil, err
	}
	f.places = func(s stretch, below place, most int) ([]place, error) {
		statement, args := f.statement(s, below, most)
		var r Reading
		if err := tx.Row("SELECT count(*) FROM search_index($1)", args[0]).Scan(&r.Listed); err != nil {
			return nil, err
		}
		plan, err := sqldb.Collect(tx, scanPlan, explain+statement, args...)
		if err != nil {
			return nil, err
		}
		places, err := f.query(s, below, most)
		r.Plan, r.Read = strings.Join(plan, "\n"), len(places)
		all = append(all, r)
		return places, err
	}
	_, err = f.newest(q.Limit + 1)
	return all, err
}

var EntryTerms = func(d Document) string { return entryOf(d).terms }

const (
	MostRanked = mostRanked
	MostText   = mostText
)

// TokensOf returns the tokens of a text with all their fields.
func TokensOf(text string) string { return fmt.Sprintf("%+v", tokens(text)) }

// TokensByLetter returns the same without the shortcut for whole words.
func TokensByLetter(text string) string {
	var s splitter
	for i := 0; i < len(text); {
		i += fold(text, i, s.add)
	}
	s.endRun()
	s.endWord()
	return fmt.Sprintf("%+v", s.found)
}

// PlainTerms returns the same terms by looking at every beginning of every token,
// however often it occurs.
func PlainTerms(d Document) string {
	e := entryOf(Document{Account: d.Account, At: d.At, Labels: d.Labels})
	all := strings.Fields(e.terms)
	seen := map[string]bool{}
	add := func(public, private, term string, isPrivate bool) {
		kind := public
		if isPrivate {
			kind = private
		}
		if !seen[kind+term] && !(isPrivate && seen[public+term]) {
			seen[kind+term] = true
			all = append(all, scope(d.Account)+kind+term)
		}
	}
	for i, text := range []string{d.Title, d.Public, d.Private} {
		before := ""
		for _, t := range tokens(text) {
			if t.apart {
				before = ""
			}
			add(wholePublic, wholePrivate, t.text, i == 2)
			for _, size := range beginnings {
				if b, ok := beginning(t.text, size); ok && b != t.text && t.unspaced == (size == 1) && (size <= shortBeginning || hasDigit(t.text)) {
					add(beginPublic, beginPrivate, b, i == 2)
				}
			}
			if isPair(before, t.text) {
				add(wholePublic, wholePrivate, before+joint+t.text, i == 2)
				for _, size := range beginnings {
					if b, ok := beginning(t.text, size); ok && b != t.text {
						add(beginPublic, beginPrivate, before+joint+b, i == 2)
					}
				}
			}
			before = t.text
		}
	}
	return strings.Join(all, " ")
}

// Vocabulary returns the words that the table search_words needs for documents, sorted.
func Vocabulary(documents ...Document) []string {
	all := wordSet{}
	for _, d := range documents {
		maps.Copy(all, entryOf(d).vocabulary())
	}
	return slices.Sorted(maps.Keys(all))
}

// Condition returns what a query asks the index for.
func Condition(tx *sqldb.Tx, q Query) (string, error) {
	f, err := newFinder(tx, q, Parse(q.Text))
	if err != nil {
		return "", err
	}
	return f.match + f.like, nil
}

// MostExpanded is how many words a beginning stands for at most.
const MostExpanded = mostExpanded
