package search_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/search"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

const (
	fewDocuments  = 10_000
	manyDocuments = 100_000
	benchRounds   = 41
)

// BenchmarkFind compares searches among many documents with the same searches among
// few, taking turns. A tenth of the documents have the common word. It prints the
// median of each and their ratio, which should stay near 1.
func BenchmarkFind(b *testing.B) {
	for _, engine := range []sqldb.Engine{sqldb.SQLite, sqldb.Postgres} {
		b.Run(string(engine), func(b *testing.B) { benchmarkFind(b, engine) })
	}
}

func benchmarkFind(b *testing.B, engine sqldb.Engine) {
	few, took := library(b, engine, fewDocuments, 0)
	many, _ := library(b, engine, manyDocuments, fewDocuments)
	fmt.Printf("\n%s: %s to put a document\n", engine, (took / fewDocuments).Round(10*time.Microsecond))
	fmt.Printf("%-48s %8d   %8d   ratio\n", "documents", fewDocuments, manyDocuments)
	for b.Loop() {
		for _, c := range benchQueries {
			compare(b, c.name, c.hits, few, c.query(fewDocuments), many, c.query(manyDocuments))
		}
		for _, c := range benchQueries {
			// The same few documents, alone and next to the many of another
			// account.
			q := c.query(fewDocuments)
			beside := q
			beside.Account = 2
			compare(b, "beside another account: "+c.name, c.hits, few, q, many, beside)
		}
	}
}

// compare times two searches in turns, and prints their medians.
func compare(b *testing.B, name string, hits int, few *sqldb.DB, q search.Query, many *sqldb.DB, p search.Query) {
	b.Helper()
	var times [2][]float64
	once := func(i int, db *sqldb.DB, q search.Query) {
		began := time.Now()
		got, _ := find(b, db, q)
		times[i] = append(times[i], time.Since(began).Seconds()*1000)
		if len(got) != hits {
			b.Fatalf("%s: %d hits, want %d", name, len(got), hits)
		}
	}
	for range benchRounds {
		once(0, few, q)
		once(1, many, p)
	}
	a, z := median(times[0]), median(times[1])
	fmt.Printf("%-48.48s %5.2f ms   %5.2f ms   %5.2f\n", name, a, z, z/a)
}

func median(values []float64) float64 { return slices.Sorted(slices.Values(values))[len(values)/2] }

var benchQueries = []struct {
	name  string
	hits  int
	query func(documents int) search.Query
}{
	{"common word, first page", 50, ask("refund ")},
	{"common word, a page in the middle", 50, func(n int) search.Query {
		q := ask("refund ")(n)
		q.From = &search.Position{At: start.Add(time.Duration(n/2) * every)}
		return q
	}},
	{"common word, last page", 50, func(n int) search.Query {
		q := ask("refund ")(n)
		q.From = &search.Position{At: start.Add(500 * every)}
		return q
	}},
	{"common word and private text", 50, func(n int) search.Query {
		q := ask("refund ")(n)
		q.OnlyPublic = false
		return q
	}},
	{"common beginning (ref…)", 50, ask("ref")},
	{"common beginning, two letters (re…)", 50, ask("re")},
	{"common beginning, five letters (refun…)", 50, ask("refun")},
	{"beginning of a word that is everywhere (seria…)", 50, ask("seria")},
	{"beginning of a hundred words (serial0001…)", 50, ask("serial0001")},
	{"beginning of ten words (serial00012…)", 10, func(n int) search.Query {
		q := ask("serial00012")(n)
		q.Limit = 10
		return q
	}},
	{"beginning that nothing has (refux…)", 0, ask("refux")},
	{"two common words", 50, ask("refund please ")},
	{"phrase of common words", 50, ask(`"refund please"`)},
	{"word that one in a hundred has", 50, ask("invoice ")},
	{"word that only old documents have", 50, ask("legacy ")},
	{"rare word, 3 documents", 3, ask("flamingo ")},
	{"rare word and common word", 3, ask("flamingo refund ")},
	{"identifier (ACME-7777)", 1, ask("ACME-7777 ")},
	{"identifier, as it is typed (ACME-777…)", 11, func(n int) search.Query {
		q := ask("ACME-777")(n)
		q.Limit = 11
		return q
	}},
	{"common word, one label in ten", 50, labelled("refund ", "tenth 0")},
	{"common word, three labels", 50, labelled("refund ", "all", "tenth 0", "half 0")},
	{"common word, one label in a thousand", 10, labelled("refund ", "thousandth 0")},
	{"words that are never together", 0, ask("even odd ")},
	{"unknown word", 0, ask("xylophone ")},
	{"common word by rank", 50, func(n int) search.Query {
		q := ask("refund ")(n)
		q.Rank = true
		return q
	}},
}

// labelled asks for a page of 50, or of as many as have a rare label.
func labelled(text string, labels ...string) func(int) search.Query {
	return func(int) search.Query {
		q := search.Query{Account: 1, Text: text, OnlyPublic: true}
		for _, l := range labels {
			if q.Labels = append(q.Labels, []string{l}); l == "thousandth 0" {
				q.Limit = 10
			}
		}
		return q
	}
}

func ask(text string) func(int) search.Query {
	return func(int) search.Query { return search.Query{Account: 1, Text: text, OnlyPublic: true} }
}

const every = 10 * time.Minute // time between documents

// library returns a database with documents of account 1, and others of account 2
// that have the same words.
func library(b *testing.B, engine sqldb.Engine, documents, others int) (*sqldb.DB, time.Duration) {
	db := dbtest.Open(b, sqldb.Config{URL: dbtest.URL(b, engine), WriteTimeout: time.Hour, Log: slog.New(slog.DiscardHandler)})
	addAccount(b, db, 1)
	addAccount(b, db, 2)
	change := func(statement string) {
		must(b, db.Claim(ctx, func(tx *sqldb.Tx) error {
			_, err := tx.Exec(statement)
			return err
		}))
	}
	var index string
	if fast := engine == sqldb.Postgres && others > 0; fast {
		must(b, db.Read(ctx, func(tx *sqldb.Tx) error {
			return tx.Row("SELECT pg_get_indexdef('search_index_terms'::regclass)").Scan(&index)
		}))
		change("DROP INDEX search_index_terms")
	}
	began := time.Now()
	fill(b, db, 1, documents)
	took := time.Since(began)
	fill(b, db, 2, others)
	if index != "" {
		change(index)
	}
	if engine == sqldb.Postgres {
		change("ANALYZE") // as its own maintenance would
	}
	for more := true; more; { // as the indexer would
		var err error
		more, err = search.Merge(ctx, db, false)
		must(b, err)
	}
	return db, took
}

func fill(b *testing.B, db *sqldb.DB, account int64, documents int) {
	frequent := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.1, 8, 20_000)
	i := 0
	must(b, db.Pieces(ctx, func(tx *sqldb.Tx) (bool, error) {
		for range 50 {
			if i == documents {
				return false, nil
			}
			d := benchDocument(i, documents, frequent)
			d.Account = account
			if err := putOne(tx, d); err != nil {
				return false, err
			}
			i++
		}
		return true, nil
	}))
}

func benchDocument(i, documents int, frequent *rand.Zipf) search.Document {
	words := func(n int) string {
		all := make([]string, n)
		for i := range all {
			all[i] = vocabulary(frequent.Uint64())
		}
		return strings.Join(all, " ")
	}
	text := words(60)
	if i%10 == 0 {
		text += " refund please"
	}
	if i%100 == 0 {
		text += " invoice"
	}
	if i < documents/10 && i%10 == 5 {
		text += " legacy"
	}
	if i == 0 || i == documents/20*10 || i == documents-10 {
		text += " flamingo"
	}
	text += []string{" even", " odd"}[i%2] + fmt.Sprintf(" serial%06d", i)
	return search.Document{ID: int64(i + 1), At: start.Add(time.Duration(i) * every),
		Title: fmt.Sprintf("ACME-%d %s", i, words(5)), Public: text, Private: words(20),
		Labels: []string{"all", fmt.Sprint("half ", i%2), fmt.Sprint("tenth ", i%10), fmt.Sprint("thousandth ", i%1000)}}
}

// vocabulary returns a word of four to eleven letters for each number.
func vocabulary(n uint64) string {
	const consonants, vowels = "bcdfghjklmnprstvwz", "aeiou"
	var s strings.Builder
	for n = n*7919 + 1000; n > 0 || s.Len() < 4; n /= 90 {
		s.WriteByte(consonants[n%18])
		s.WriteByte(vowels[n/18%5])
	}
	return s.String()
}

// BenchmarkPut prints what a change of a document costs the index: of its title
// alone, and with another message. The documents are put eight at a time.
func BenchmarkPut(b *testing.B) {
	for _, engine := range []sqldb.Engine{sqldb.SQLite, sqldb.Postgres} {
		b.Run(string(engine), func(b *testing.B) {
			db, _ := library(b, engine, fewDocuments, 0)
			frequent := rand.NewZipf(rand.New(rand.NewPCG(3, 4)), 1.1, 8, 20_000)
			round := 0
			change := func(i int, edit func(*search.Document)) search.Document {
				// The same text as before, whatever the title was in the meantime.
				d := benchDocument(i, fewDocuments, rand.NewZipf(rand.New(rand.NewPCG(uint64(i), 2)), 1.1, 8, 20_000))
				d.Account = 1
				edit(&d)
				return d
			}
			puts := func(edit func(*search.Document)) time.Duration {
				round++
				began := time.Now()
				for from := 0; from < changedDocuments; from += 8 {
					must(b, db.Derive(ctx, func(tx *sqldb.Tx) error {
						w := search.Writer{Tx: tx}
						var all []search.Document
						for i := from; i < from+8; i++ {
							all = append(all, change(i*7, edit))
						}
						if err := w.Put(all...); err != nil {
							return err
						}
						return w.Flush()
					}))
				}
				return time.Since(began)
			}
			puts(func(*search.Document) {}) // every document is now one of these
			for b.Loop() {
				for what, edit := range map[string]func(*search.Document){
					"title": func(d *search.Document) { d.Title = fmt.Sprintf("Title %d", round) },
					"label": func(d *search.Document) { d.Labels = append(d.Labels, fmt.Sprint("round ", round)) },
					"message": func(d *search.Document) {
						for range 10 {
							d.Public += " " + vocabulary(frequent.Uint64())
						}
						d.Public += fmt.Sprint(" number ", round*10_000)
					},
				} {
					fmt.Printf("%s: another %s: %s\n", engine, what, (puts(edit) / changedDocuments).Round(time.Microsecond))
				}
			}
		})
	}
}

const changedDocuments = 1200
