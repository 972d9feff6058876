package search

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"frontdesk/internal/sqldb"
)

// The table search_words has every word of an account that has no digit and is longer
// than its beginnings among the terms. A search for a longer beginning looks up the
// words that begin so, and asks the index for these. A word is kept with its kind, so
// that a search of public text never learns a private word.
//
// The words of a document are there before its terms are. When a document loses a
// word, the word is noted as lost, and Settle deletes it unless another document has
// it. So the table has no word for longer than the documents have it.

// mostExpanded is how many words of a kind a search for a beginning asks for. If more
// begin so, it asks for a shorter beginning, which is a term, and reads the documents.
const mostExpanded = 64

// lost begins the rows of words that a document lost.
const lost = "?"

// LostWords returns the range of these rows in search_words.
func LostWords() (from, to []byte) { return Beginning(lost) }

// wordsAtOnce bounds the words of one statement.
const wordsAtOnce = 64

// wordSet is a set of words, each with its kind before it.
type wordSet map[string]bool

// vocabulary returns the words of a document that a longer beginning may stand for.
func (e entry) vocabulary() wordSet {
	w := wordSet{}
	w.addStream(wholePublic, e.title)
	w.addStream(wholePublic, e.public)
	w.addStream(wholePrivate, e.private)
	return w
}

func (w wordSet) addStream(kind, stream string) {
	for token := range strings.SplitSeq(stream, " ") {
		if outgrows(token) {
			w.add(kind, token)
		}
	}
}

// outgrows reports whether a token is longer than its beginnings among the terms.
func outgrows(token string) bool {
	return len(token) > shortBeginning && !hasDigit(token) && utf8.RuneCountInString(token) > shortBeginning
}

// add adds a word, as termList.addWord does.
func (w wordSet) add(kind, word string) {
	if kind == wholePublic || !w[wholePublic+word] {
		w[kind+word] = true
	}
}

// compare notes what a document gains and loses. before is nil for a new one.
func (w *Writer) compare(before *entry, now entry) {
	if before != nil && !w.Anew && before.title == now.title && before.public == now.public && before.private == now.private {
		return
	}
	if w.gained == nil {
		w.gained = wordSet{}
	}
	had, has := wordSet{}, now.vocabulary()
	if before != nil {
		had = before.vocabulary()
	}
	for word := range has {
		if w.Anew || !had[word] {
			w.gained[word] = true
		}
	}
	for word := range had {
		if !has[word] {
			if w.lost == nil {
				w.lost = wordSet{}
			}
			w.lost[word] = true
		}
	}
}

// stored returns what the index has of documents of an account, by their ids.
func stored(tx *sqldb.Tx, account int64, ids []int64) (map[int64]*entry, error) {
	var q sqldb.Query
	q.Add("SELECT document_id, title, public, private FROM search_documents WHERE account_id = ? AND document_id IN ", account)
	sqldb.In(&q, ids)
	all := make(map[int64]*entry, len(ids))
	err := tx.Each(func(scan func(...any) error) error {
		var id int64
		var e entry
		err := scan(&id, &e.title, &e.public, &e.private)
		all[id] = &e
		return err
	}, q.String(), q.Args()...)
	return all, err
}

// writeWords writes the words that were gained and lost.
func (w *Writer) writeWords() error {
	if err := addWords(w.Tx, w.account, slices.Sorted(maps.Keys(w.gained))); err != nil {
		return err
	}
	w.gained = nil
	return noteLost(w.Tx, w.account, w.lost)
}

// addWords adds words to those of an account. Most are there already.
func addWords(tx *sqldb.Tx, account int64, words []string) error {
	for some := range slices.Chunk(words, wordsAtOnce) {
		// The last word is repeated, because each number of words is another statement to
		// prepare.
		for n := len(some); n&(n-1) != 0; n++ {
			some = append(slices.Clip(some), some[n-1])
		}
		if err := insertWords(tx, account, some, " ON CONFLICT DO NOTHING"); err != nil {
			return fmt.Errorf("add words: %w", err)
		}
	}
	return nil
}

// noteLost notes words that a document lost. A word that was noted before is noted
// again, because then Settle, in another transaction, waits for this one.
func noteLost(tx *sqldb.Tx, account int64, words wordSet) error {
	for some := range slices.Chunk(slices.Sorted(maps.Keys(words)), wordsAtOnce) {
		for i, word := range some {
			some[i] = lost + word
		}
		if err := insertWords(tx, account, some, " ON CONFLICT (account_id, word) DO UPDATE SET word = excluded.word WHERE search_words.account_id = excluded.account_id"); err != nil {
			return fmt.Errorf("note lost words: %w", err)
		}
	}
	return nil
}

func insertWords(tx *sqldb.Tx, account int64, words []string, onConflict string) error {
	var q strings.Builder
	q.WriteString("INSERT INTO search_words (account_id, word) VALUES ")
	args := []any{account}
	for i, word := range words {
		if i > 0 {
			q.WriteString(", ")
		}
		args = append(args, []byte(word))
		fmt.Fprintf(&q, "($1, $%d)", len(args))
	}
	return tx.Do(q.String()+onConflict, args...)
}

// LockProgress makes the indexer of an account wait until the end of the transaction.
func LockProgress(tx *sqldb.Tx, account int64) error {
	return tx.Do("UPDATE search_progress SET seq = seq WHERE account_id = $1", account)
}

// Settle deletes some of the words that documents lost, unless another document has
// them, and reports whether there are more. Nobody may put documents of the account at
// the same time: see LockProgress.
func Settle(tx *sqldb.Tx, account int64) (more bool, err error) {
	// They are taken before the index is read. Whoever notes one of them again has then
	// either finished, or waits.
	from, to := LostWords()
	words, err := sqldb.Collect(tx, func(scan func(...any) error) (string, error) {
		var word []byte
		err := scan(&word)
		return strings.TrimPrefix(string(word), lost), err
	}, `DELETE FROM search_words WHERE account_id = $1 AND word IN
		(SELECT word FROM search_words WHERE account_id = $1 AND word >= $2 AND word < $3 ORDER BY word`+sqldb.Limit(wordsAtOnce)+") RETURNING word",
		account, from, to)
	if err != nil || len(words) == 0 {
		return false, err
	}
	f := &finder{tx: tx, q: Query{Account: account}, direction: 1, oldest: -mostTime}
	gone, err := f.without(words)
	if err != nil {
		return false, fmt.Errorf("look for lost words: %w", err)
	}
	if len(gone) > 0 {
		var q sqldb.Query
		q.Add("DELETE FROM search_words WHERE account_id = ? AND word IN ", account)
		sqldb.In(&q, gone)
		err = tx.Do(q.String(), q.Args()...)
	}
	return len(words) == wordsAtOnce, err
}

// recentDocuments are looked at first, to see whether a word is still used: PostgreSQL
// gathers all documents with a word, and those of a common word are many.
const recentDocuments = 200

// without returns the words that no document has.
func (f *finder) without(words []string) (gone [][]byte, err error) {
	newest, ok, err := f.bounds(aboveAll)
	if err != nil {
		return nil, err
	}
	if ok {
		low, err := f.nthBelow(aboveAll, recentDocuments)
		if err != nil {
			return nil, err
		}
		if words, err = f.absent(words, f.direction.cover(low, newest)); err != nil {
			return nil, err
		}
	}
	if words, err = f.absent(words, stretch{}); err != nil {
		return nil, err
	}
	for _, word := range words {
		gone = append(gone, []byte(word))
	}
	return gone, nil
}

// absent returns the words that no document in a stretch has.
func (f *finder) absent(words []string, s stretch) ([]string, error) {
	if len(words) == 0 {
		return nil, nil
	}
	var q sqldb.Query
	before := ""
	for i, word := range words {
		q.Add(before+"SELECT "+fmt.Sprint(i)+" AS n WHERE NOT EXISTS (SELECT 1 FROM search_index(?))", f.quote("", word)+f.within(s.periods))
		before = " UNION ALL "
	}
	return sqldb.Collect(f.tx, func(scan func(...any) error) (string, error) {
		var i int
		err := scan(&i)
		return words[i], err
	}, q.String(), q.Args()...)
}

// condition returns the condition that a document has a unit. exact is false if it also
// holds for others.
func (f *finder) condition(u unit) (condition string, exact bool, err error) {
	if u.typed == "" {
		return anyOf(f.either(u)), true, nil
	}
	words, tooMany, err := f.expand(u.typed)
	if tooMany {
		short, _ := beginning(u.typed, shortBeginning)
		return anyOf(f.either(unit{begin: true, term: short})), false, err
	}
	// Words with digits have the beginning itself, and so have documents of an older
	// version.
	return anyOf(append(f.either(u), words...)), true, err
}

// expand returns the conditions for the words of an account that begin so, of the
// kinds that the query may read.
func (f *finder) expand(begin string) (terms []string, tooMany bool, err error) {
	var q sqldb.Query
	from, to := Beginning(wholePublic + begin)
	const some = "SELECT word FROM (SELECT word FROM search_words WHERE account_id = ? AND word >= ? AND word < ? LIMIT "
	q.Add(some+fmt.Sprint(mostExpanded+1)+") AS public", f.q.Account, from, to)
	if !f.q.OnlyPublic {
		from, to = Beginning(wholePrivate + begin)
		q.Add(" UNION ALL "+some+fmt.Sprint(mostExpanded+1)+") AS private", f.q.Account, from, to)
	}
	counts := map[byte]int{}
	err = f.tx.Each(func(scan func(...any) error) error {
		var word []byte
		err := scan(&word)
		if err == nil {
			counts[word[0]]++
			tooMany = tooMany || counts[word[0]] > mostExpanded
			terms = append(terms, f.quote("", string(word)))
		}
		return err
	}, q.String(), q.Args()...)
	return terms, tooMany, err
}
