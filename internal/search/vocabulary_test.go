package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/search"
	"frontdesk/internal/sqldb"
)

// settle deletes all words that documents lost.
func settle(t testing.TB, db *sqldb.DB, account int64) {
	t.Helper()
	for more := true; more; {
		must(t, db.Write(ctx, func(tx *sqldb.Tx) (err error) {
			more, err = search.Settle(tx, account)
			return err
		}))
	}
}

// wordsOf returns the rows of an account in search_words, in their order.
func wordsOf(t testing.TB, db *sqldb.DB, account int64) (words []string) {
	t.Helper()
	must(t, db.Read(ctx, func(tx *sqldb.Tx) (err error) {
		words, err = sqldb.Collect(tx, func(scan func(...any) error) (string, error) {
			var word []byte
			err := scan(&word)
			return string(word), err
		}, "SELECT word FROM search_words WHERE account_id = $1 ORDER BY word", account)
		return err
	}))
	return words
}

// A word is in the table as long as a document has it, in the kind of text that it is
// in.
func TestVocabularyIsWhatDocumentsHave(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		words := func(want string) {
			t.Helper()
			settle(t, db, 1)
			if got := strings.Join(wordsOf(t, db, 1), " "); got != want {
				t.Errorf("words are %s, want %s", got, want)
			}
		}
		a := search.Document{Account: 1, ID: 1, At: start, Title: "The printer burns", Public: "ref ACME-1700 東京都", Private: "printer flamingo"}
		b := search.Document{Account: 1, ID: 2, At: start, Title: "A printer", Private: "burns"}
		put(t, db, search.Document{Account: 2, ID: 1, At: start, Title: "Another account"})
		put(t, db, a, b)
		words("+burns +flamingo =acme =burns =printer")
		a.Labels = []string{"new"}
		put(t, db, a)
		if got := wordsOf(t, db, 1); slices.ContainsFunc(got, func(w string) bool { return strings.HasPrefix(w, "?") }) {
			t.Errorf("another label lost words: %v", got)
		}
		a.Title, a.Private = "The scanner", "printer"
		put(t, db, a)
		words("+burns +printer =acme =printer =scanner")
		remove(t, db, 1, 2)
		words("+printer =acme =scanner")
		remove(t, db, 1, 1)
		words("")
		if got := wordsOf(t, db, 2); len(got) != 2 {
			t.Errorf("another account has %v", got)
		}
	})
}

// A search of public text asks for no word that only private text has, and too many
// private words do not show in it either.
func TestPrivateWordsStayPrivate(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		var private strings.Builder
		for i := range search.MostExpanded + 1 {
			private.WriteString("flaming" + letters(i) + " ")
		}
		put(t, db, search.Document{Account: 1, ID: 1, At: start, Public: "flamingo"},
			search.Document{Account: 1, ID: 2, At: start, Public: "nothing", Private: private.String()})
		put(t, db, search.Document{Account: 2, ID: 1, At: start, Public: "flaming"})
		condition := func(q search.Query) (s string) {
			q.Account, q.Text = 1, "flami"
			must(t, db.Read(ctx, func(tx *sqldb.Tx) (err error) {
				s, err = search.Condition(tx, q)
				return err
			}))
			return s
		}
		if got, want := condition(search.Query{OnlyPublic: true}), `("1=flami" OR "1^flami" OR "1=flamingo")`; got != want {
			t.Errorf("a search of public text asks for %s, want %s", got, want)
		}
		if got := condition(search.Query{}); !strings.Contains(got, "LIKE") {
			t.Errorf("a search for very many words asks for %s", got)
		}
		hits, _ := find(t, db, search.Query{Account: 1, Text: "flami"})
		public, _ := find(t, db, search.Query{Account: 1, Text: "flami", OnlyPublic: true})
		if !slices.Equal(ids(hits), []int64{2, 1}) || !slices.Equal(ids(public), []int64{1}) {
			t.Errorf("found %v, and %v in public", ids(hits), ids(public))
		}
	})
}

// A beginning stands for a limited number of words. One more makes no difference to
// what is found.
func TestBeginningOfManyWords(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		s := shelf{}
		for i := range search.MostExpanded + 1 {
			d := search.Document{Account: 1, ID: int64(i + 1), At: start, Title: "serie" + letters(i), Public: fmt.Sprint("series order serie", 40_000+i)}
			if i%5 == 0 {
				d.Title = "seri" // not longer than what is typed
			}
			s[d.ID] = d
			put(t, db, d)
			if i < search.MostExpanded-2 {
				continue
			}
			for _, text := range []string{"seri", "serie", "series", "seriea", "seriexy", "serie4", "serie400", "order serie4", "serie4000", "serieab", `order "serie`, "xyzzy"} {
				q := search.Query{Account: 1, Text: text, Limit: 100}
				if hits, _ := find(t, db, q); !slices.Equal(hits, s.find(q)) {
					t.Errorf("%q among %d found %v, want %v", text, i+1, ids(hits), ids(s.find(q)))
				}
			}
		}
	})
}

// letters returns two letters for a number.
func letters(n int) string { return string([]rune{rune('a' + n/26), rune('a' + n%26)}) }

// Documents of an older version have all beginnings as terms, and none of their words
// is in the table. They are found beside others, until they are put anew.
func TestOlderDocumentsAreFound(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		old := search.Document{Account: 1, ID: 1, At: start, Title: "Printers burn"}
		put(t, db, old, search.Document{Account: 1, ID: 2, At: start, Title: "printed"})
		must(t, db.Write(ctx, func(tx *sqldb.Tx) error {
			must(t, tx.Do("DELETE FROM search_words WHERE account_id = $1", 1))
			return tx.Do(`UPDATE search_index SET terms = $1 WHERE rowid = (SELECT id FROM search_documents WHERE account_id = $2 AND document_id = $3)`,
				search.EntryTerms(old)+" 1^prin 1^print 1^printe", 1, 1)
		}))
		put(t, db, search.Document{Account: 1, ID: 2, At: start, Title: "printed by a printer"})
		for _, text := range []string{"pri", "prin", "print", "printe"} {
			if hits, _ := find(t, db, search.Query{Account: 1, Text: text}); !slices.Contains(ids(hits), 1) {
				t.Errorf("%q found %v", text, ids(hits))
			}
		}
		if hits, _ := find(t, db, search.Query{Account: 1, Text: "printers"}); !slices.Equal(ids(hits), []int64{1}) {
			t.Errorf("found %v", ids(hits))
		}
		must(t, db.Write(ctx, func(tx *sqldb.Tx) error {
			w := search.Writer{Tx: tx, Anew: true}
			must(t, w.Put(old)) // its digest is as before
			return w.Flush()
		}))
		if got := wordsOf(t, db, 1); !slices.Contains(got, "=burn") || !slices.Contains(got, "=printers") {
			t.Errorf("words are %v", got)
		}
	})
}
