package search

import (
	"cmp"
	"slices"
	"strings"

	"frontdesk/internal/sqldb"
)

// best ranks the newest documents with the terms, and returns those after the
// query's position. The rank is computed here from the words of each document,
// because the engines rank differently. It covers a limited number, because reading
// the words of all would take time in proportion to the documents.
func best(tx *sqldb.Tx, q Query, terms Terms) ([]Hit, error) {
	f, err := newFinder(tx, q, terms)
	if err != nil {
		return nil, err
	}
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

// texts are the words of a document, each kind as Put stores it.
type texts struct{ title, public, private string }

// readTexts reads what the rank may use of the documents, by their ids.
func readTexts(tx *sqldb.Tx, q Query, places []place) (map[int64]texts, error) {
	private := "''"
	if !q.OnlyPublic {
		private = "private"
	}
	ids := make([]int64, len(places))
	for i, p := range places {
		ids[i] = p.id
	}
	var s sqldb.Query
	s.Add("SELECT document_id, title, public, "+private+" FROM search_documents WHERE account_id = ? AND document_id IN ", q.Account)
	sqldb.In(&s, ids)
	all := make(map[int64]texts, len(places))
	err := tx.Each(func(scan func(...any) error) error {
		var id int64
		var t texts
		err := scan(&id, &t.title, &t.public, &t.private)
		all[id] = t
		return err
	}, s.String(), s.Args()...)
	return all, err
}

// compare sorts the better hit first, then the newer.
func compare(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), b.At.Compare(a.At), cmp.Compare(b.ID, a.ID))
}

const (
	titleWeight = 3
	orderBonus  = 500 // for the whole query in its order
	usualLength = 200 // length of a usual text, in tokens
)

// score returns how well a document matches, in integers, which no machine rounds.
// Words in a title count three times.
func (t Terms) score(d texts) int64 {
	return titleWeight*t.fit(strings.Fields(d.title)) + t.fit(strings.Fields(d.public)) + t.fit(strings.Fields(d.private))
}

// fit returns how well one text matches. It counts how often each phrase occurs.
// The first occurrence counts most, and more in a short text.
func (t Terms) fit(words []string) (sum int64) {
	for _, p := range t.phrases {
		sum += saturated(p.count(words), len(words))
	}
	if len(t.phrases) > 1 && t.asTyped().count(words) > 0 {
		sum += orderBonus
	}
	return sum
}

// asTyped returns the whole query as one phrase.
func (t Terms) asTyped() (all phrase) {
	for _, p := range t.phrases {
		all.tokens = append(all.tokens, p.tokens...)
		all.begins = p.begins
	}
	return all
}

// count counts the occurrences of a phrase among words: two for each, or one if its
// last word is only a beginning.
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

// saturated grows from 0 towards 1000 with n, more slowly for a longer text.
func saturated(n int64, length int) int64 {
	return 1000 * n / (n + 2 + 2*int64(length)/usualLength)
}
