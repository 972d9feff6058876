package search

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/sqldb"
)

// best ranks the newest documents that have the terms, and returns those behind
// the query's position. Rank is worked out here, from the words of each, because
// the engines have each their own idea of it; and of a bounded number, because
// reading the words of all would take as long as there are documents.
func best(tx *sqldb.Tx, q Query, terms Terms) ([]Hit, error) {
	f := newFinder(tx, q, terms)
	places, err := f.newest(mostRanked)
	if err != nil || len(places) == 0 {
		return nil, err
	}
	texts, err := readTexts(tx, q, places)
	if err != nil {
		return nil, err
	}
	hits := make([]Hit, 0, len(places))
	for _, p := range places {
		h := f.direction.hit(p, terms.score(texts[p.id]))
		if q.From == nil || compare(h, Hit(*q.From)) > 0 {
			hits = append(hits, h)
		}
	}
	slices.SortFunc(hits, compare)
	return hits, nil
}

// texts are the words of a document, each kind as Put keeps it.
type texts struct{ title, public, private string }

// readTexts reads what rank may know of some documents, by their ids.
func readTexts(tx *sqldb.Tx, q Query, places []place) (map[int64]texts, error) {
	// Always the same number of marks: each number is another statement to
	// prepare. The last id is given again until there are as many.
	args := []any{q.Account}
	var marks strings.Builder
	for i := range mostRanked {
		args = append(args, places[min(i, len(places)-1)].id)
		marks.WriteString(", $" + strconv.Itoa(i+2))
	}
	private := "''"
	if !q.OnlyPublic {
		private = "private"
	}
	all := make(map[int64]texts, len(places))
	rows, err := tx.Query("SELECT document_id, title, public, "+private+" FROM search_documents WHERE account_id = $1 AND document_id IN ("+
		marks.String()[2:]+")", args...)
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		var id int64
		var t texts
		if err := rows.Scan(&id, &t.title, &t.public, &t.private); err != nil {
			return nil, err
		}
		all[id] = t
	}
	return all, rows.Close()
}

// compare orders the better hit first, then the newer.
func compare(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), b.At.Compare(a.At), cmp.Compare(b.ID, a.ID))
}

const (
	titleWeight = 3
	orderBonus  = 500 // for the whole query, word by word
	usualLength = 200 // tokens of a text
)

// score says how well a document fits, in whole numbers, which no machine
// rounds. Words in a title count three times.
func (t Terms) score(d texts) int64 {
	return titleWeight*t.fit(strings.Fields(d.title)) + t.fit(strings.Fields(d.public)) + t.fit(strings.Fields(d.private))
}

// fit says how well one text does. Of each phrase it counts how often it occurs:
// the first time counts most, the more so in a short text.
func (t Terms) fit(words []string) (sum int64) {
	for _, p := range t.phrases {
		sum += saturated(p.count(words), len(words))
	}
	if len(t.phrases) > 1 && t.asTyped().count(words) > 0 {
		sum += orderBonus
	}
	return sum
}

// asTyped is the whole query as one phrase.
func (t Terms) asTyped() (all phrase) {
	for _, p := range t.phrases {
		all.tokens = append(all.tokens, p.tokens...)
		all.begins = p.begins
	}
	return all
}

// count is how often a phrase occurs among words: twice for each time, once
// where its last word only begins so.
func (p phrase) count(words []string) (n int64) {
	last := len(p.tokens) - 1
	for i := range words {
		if p.at(words[i:]) {
			n++
			if words[i+last] == p.tokens[last] {
				n++
			}
		}
	}
	return n
}

// saturated goes from 0 towards 1000 as n grows, the slower the longer the text.
func saturated(n int64, length int) int64 {
	return 1000 * n / (n + 2 + 2*int64(length)/usualLength)
}
