package search_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"frontdesk/internal/search"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// A shelf is what the index should contain: documents by id, with the simplest way
// to search them.
type shelf map[int64]search.Document

func (s shelf) find(q search.Query) []search.Hit {
	terms := search.Parse(q.Text)
	var all []search.Hit
	for _, d := range s {
		score, ok := terms.Match(d, q.OnlyPublic)
		for _, labels := range q.Labels {
			ok = ok && slices.ContainsFunc(labels, func(l string) bool { return slices.Contains(d.Labels, l) })
		}
		if !ok || q.After != nil && !d.At.After(*q.After) || q.Before != nil && !d.At.Before(*q.Before) {
			continue
		}
		if !q.Rank {
			score = 0
		}
		all = append(all, search.Hit{ID: d.ID, At: d.At, Score: score})
	}
	slices.SortFunc(all, func(a, b search.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.At.Compare(a.At), cmp.Compare(b.ID, a.ID))
	})
	if q.OldestFirst && !q.Rank {
		slices.Reverse(all)
	}
	return all
}

// pages searches page by page until there are no more.
func pages(t *rapid.T, db *sqldb.DB, q search.Query) (all []search.Hit) {
	for {
		var hits []search.Hit
		var more bool
		err := db.Read(ctx, func(tx *sqldb.Tx) (err error) {
			hits, more, err = search.Find(tx, q)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(hits) > q.Limit || more && len(hits) < q.Limit {
			t.Fatalf("%d hits on a page of %d, more %v", len(hits), q.Limit, more)
		}
		all = append(all, hits...)
		if !more {
			return all
		}
		q.From = hits[len(hits)-1].Position()
	}
}

// atoms are made to be parts, beginnings and neighbours of each other.
var atoms = []string{
	"a", "ab", "abc", "abcd", "abcdefg", "abcdefghi", "abcdefghijklmnop", "b", "bc", "Äb", "1", "17", "170", "v2", "a1",
	"東", "京", "東京", "京都", "東京都", "ナ", "한국어",
}

var (
	genText = rapid.Custom(func(t *rapid.T) string {
		if rapid.IntRange(0, 9).Draw(t, "any text") == 0 {
			return rapid.String().Draw(t, "text") // anything in Unicode
		}
		var b strings.Builder
		for range rapid.IntRange(0, 8).Draw(t, "atoms") {
			b.WriteString(rapid.SampledFrom(atoms).Draw(t, "atom"))
			b.WriteString(rapid.SampledFrom([]string{" ", " ", " ", "-", ".", "", search.Divide}).Draw(t, "between"))
		}
		return b.String()
	})
	genQuery = rapid.Custom(func(t *rapid.T) string {
		if rapid.IntRange(0, 9).Draw(t, "any query") == 0 {
			return rapid.String().Draw(t, "query")
		}
		var b strings.Builder
		for range rapid.IntRange(1, 4).Draw(t, "atoms") {
			b.WriteString(rapid.SampledFrom(atoms).Draw(t, "atom"))
			b.WriteString(rapid.SampledFrom([]string{" ", " ", "-", "", `"`, ` "`}).Draw(t, "between"))
		}
		return b.String()
	})
	// Times are close together and far apart, and some are equal.
	genTime = rapid.Custom(func(t *rapid.T) time.Time {
		unit := rapid.SampledFrom([]time.Duration{0, time.Millisecond, time.Second, time.Hour, 24 * time.Hour, 400 * 24 * time.Hour}).Draw(t, "unit")
		return start.Add(time.Duration(rapid.IntRange(-9, 9).Draw(t, "n")) * unit)
	})
	genLabels = rapid.SliceOfN(rapid.SampledFrom([]string{"open", "Open", "closed", "c 1", "c 2", "a@b.example"}), 0, 3)

	genDocument = rapid.Custom(func(t *rapid.T) search.Document {
		return search.Document{ID: rapid.Int64Range(1, 60).Draw(t, "id"), At: genTime.Draw(t, "at"),
			Title: genText.Draw(t, "title"), Public: genText.Draw(t, "public"), Private: genText.Draw(t, "private"),
			Labels: genLabels.Draw(t, "labels")}
	})
)

// Whatever was put, replaced and removed, and whatever is asked: the pages contain
// what one would find by reading everything.
func TestFindsWhatReadingEverythingFinds(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		var account int64
		rapid.Check(t, func(r *rapid.T) {
			account++ // a new account, in a table that grows
			addAccount(t, db, account)
			s := shelf{}
			for range rapid.IntRange(1, 5).Draw(r, "rounds") {
				docs := rapid.SliceOfN(genDocument, 0, 25).Draw(r, "documents")
				for i := range docs {
					docs[i].Account = account
					s[docs[i].ID] = docs[i]
				}
				put(t, db, docs...)
				for _, id := range rapid.SliceOfN(rapid.Int64Range(1, 60), 0, 4).Draw(r, "removed") {
					remove(t, db, account, id)
					delete(s, id)
				}
				if rapid.Bool().Draw(r, "settled") {
					settle(t, db, account)
					if got, want := wordsOf(t, db, account), search.Vocabulary(slices.Collect(maps.Values(s))...); !slices.Equal(got, want) {
						r.Fatalf("words are %v\nwant %v", got, want)
					}
				}
				for range 3 {
					text := genQuery.Draw(r, "query")
					if len(docs) > 0 && rapid.IntRange(0, 9).Draw(r, "a document's own") == 0 {
						text = rapid.SampledFrom(docs).Draw(r, "document").Public
					}
					q := search.Query{Account: account, Text: text, Limit: rapid.IntRange(1, 9).Draw(r, "limit"),
						OnlyPublic: rapid.Bool().Draw(r, "only public"), Rank: rapid.Bool().Draw(r, "rank"), OldestFirst: rapid.Bool().Draw(r, "oldest first")}
					if rapid.IntRange(0, 3).Draw(r, "labelled") == 0 {
						q.Labels = rapid.SliceOfN(genLabels, 1, 2).Draw(r, "wanted labels")
					}
					if rapid.IntRange(0, 3).Draw(r, "bounded") == 0 {
						after, before := genTime.Draw(r, "after"), genTime.Draw(r, "before")
						q.After, q.Before = &after, &before
					}
					if got, want := pages(r, db, q), s.find(q); !slices.Equal(got, want) {
						r.Fatalf("%+v\n%s\nfound %v\nwant  %v", q, search.Parse(q.Text), got, want)
					}
				}
			}
		})
	})
}

// Enough documents for every kind of stretch, over years, with a burst in between,
// and words from common to absent.
func TestPagesOfManyDocuments(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		s := shelf{}
		var docs []search.Document
		at := start
		for i := range 3000 {
			at = at.Add(time.Duration(1+i%7) * 5 * time.Hour)
			if i > 1000 && i < 1500 {
				at = at.Add(-29 * time.Hour) // sometimes backwards, as in imports
			}
			d := search.Document{Account: 1, ID: int64(i*7919%3001 + 1), At: at, Title: "all"}
			for _, n := range []int{2, 10, 100, 1000} {
				if i%n == 0 {
					d.Public += fmt.Sprintf("each%d ", n)
				}
			}
			if i < 100 {
				d.Public += "old"
			}
			s[d.ID] = d
			docs = append(docs, d)
		}
		put(t, db, docs...)
		for _, text := range []string{"all ", "each2 ", "each10 ", "each10 each2", "each100", "each1000", "eac", "old ", `"each2 each10"`, "all none "} {
			for _, limit := range []int{1, 7, 50} {
				q := search.Query{Account: 1, Text: text, Limit: limit, OldestFirst: limit == 7}
				want := s.find(q)
				for n := 0; n < 8 && n*limit < len(want)+1; n++ {
					hits, more := find(t, db, q)
					if end := min(limit, len(want)-n*limit); !slices.Equal(hits, want[n*limit:n*limit+end]) || more != (len(want) > (n+1)*limit) {
						t.Fatalf("page %d of %q: %v, more %v", n, text, ids(hits), more)
					}
					if len(hits) > 0 {
						q.From = hits[len(hits)-1].Position()
					}
				}
			}
			// From the middle and near the end, where little is left.
			all := s.find(search.Query{Text: text})
			for _, skip := range []int{len(all) / 2, len(all) - 3} {
				if skip < 1 {
					continue
				}
				hits, more := find(t, db, search.Query{Account: 1, Text: text, From: all[skip-1].Position()})
				if end := min(len(all), skip+50); !slices.Equal(hits, all[skip:end]) || more != (end < len(all)) {
					t.Errorf("%q behind %d: %v, more %v", text, skip, ids(hits), more)
				}
			}
		}
	})
}

// Rank looks at a limited number of the newest, and pages go through exactly those.
func TestRankIsOfTheNewest(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		var docs []search.Document
		for i := range search.MostRanked + 100 {
			d := search.Document{Account: 1, ID: int64(i + 1), At: start.Add(time.Duration(i) * time.Hour), Public: "word and more " + strings.Repeat("word ", i%3)}
			if i%50 == 0 {
				d.Title = "word"
			}
			docs = append(docs, d)
		}
		put(t, db, docs...)
		q := search.Query{Account: 1, Text: "word ", Rank: true, Limit: 70}
		var all []search.Hit
		for more := true; more; {
			var hits []search.Hit
			hits, more = find(t, db, q)
			all = append(all, hits...)
			q.From = hits[len(hits)-1].Position()
		}
		if len(all) != search.MostRanked || all[0].ID != 501 || !slices.IsSortedFunc(all, func(a, b search.Hit) int { return cmp.Compare(b.Score, a.Score) }) {
			t.Errorf("%d hits: %v", len(all), all)
		}
		for _, h := range all {
			if h.ID <= 100 {
				t.Errorf("%d is not of the newest", h.ID)
			}
		}
	})
}

func TestRank(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		long := strings.Repeat("nothing of interest here ", 100)
		for i, d := range []search.Document{
			{Public: "late fee"},                               // 1
			{Title: "late fee"},                                // 2
			{Title: "fee late"},                                // 3
			{Public: long + "late fee"},                        // 4
			{Public: "late fee, late fee, late fee"},           // 5
			{Public: "the fee was late"},                       // 6
			{Public: "late fee", Private: "late fee late fee"}, // 7
			{Public: "latest feel of fees, late"},              // 8, in which feel and fees only begin with it
		} {
			d.Account, d.ID, d.At = 1, int64(i+1), start.Add(time.Duration(i)*time.Minute)
			put(t, db, d)
		}
		for _, c := range []struct {
			text       string
			onlyPublic bool
			want       list
		}{
			{"late fee", true, list{2, 3, 5, 7, 1, 8, 6, 4}},
			{"late fee", false, list{2, 7, 3, 5, 1, 8, 6, 4}}, // private text raises 7
		} {
			hits, _ := find(t, db, search.Query{Account: 1, Text: c.text, OnlyPublic: c.onlyPublic, Rank: true})
			if !slices.Equal(ids(hits), c.want) {
				t.Errorf("%q, only public %v: %v, want %v", c.text, c.onlyPublic, hits, c.want)
			}
		}
		// Private text does not change public results.
		before, _ := find(t, db, search.Query{Account: 1, Text: "late fee", OnlyPublic: true, Rank: true})
		put(t, db, search.Document{Account: 1, ID: 1, At: start, Public: "late fee", Private: strings.Repeat("late fee ", 50)})
		if after, _ := find(t, db, search.Query{Account: 1, Text: "late fee", OnlyPublic: true, Rank: true}); !slices.Equal(before, after) {
			t.Errorf("private text changed %v to %v", before, after)
		}
	})
}

func TestKeepChoosesWhatIsSeen(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		var docs []search.Document
		for i := range int64(400) {
			docs = append(docs, search.Document{Account: 1, ID: i + 1, At: start.Add(time.Duration(i) * time.Hour), Title: "word"})
		}
		put(t, db, docs...)
		for _, rank := range []bool{false, true} {
			q := search.Query{Account: 1, Text: "word", Limit: 3, Rank: rank, Keep: func(ids []int64) ([]int64, error) {
				return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return id%100 != 7 }), nil
			}}
			hits, more := find(t, db, q)
			q.From = hits[2].Position()
			rest, none := find(t, db, q)
			if got := append(ids(hits), ids(rest)...); !slices.Equal(got, list{307, 207, 107, 7}) || !more || none {
				t.Errorf("by rank %v: %v, more %v, then %v", rank, got, more, none)
			}
			failed := fmt.Errorf("not now")
			q.Keep = func([]int64) ([]int64, error) { return nil, failed }
			if err := db.Read(ctx, func(tx *sqldb.Tx) error { _, _, err := search.Find(tx, q); return err }); err == nil || !strings.Contains(err.Error(), "not now") {
				t.Errorf("by rank %v: %v", rank, err)
			}
		}
	})
}

func TestAccountsDoNotSeeEachOther(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		for account := int64(1); account <= 2; account++ {
			for id := int64(1); id <= 3; id++ { // the same ids in both
				put(t, db, search.Document{Account: account, ID: id, At: start, Title: fmt.Sprintf("word of%d", account)})
			}
		}
		remove(t, db, 1, 2)
		for account, want := range map[int64]list{1: {3, 1}, 2: {3, 2, 1}, 12: {}} {
			if hits, _ := find(t, db, search.Query{Account: account, Text: "word"}); !slices.Equal(ids(hits), want) {
				t.Errorf("account %d found %v, want %v", account, ids(hits), want)
			}
		}
		if hits, _ := find(t, db, search.Query{Account: 1, Text: "of2"}); len(hits) > 0 {
			t.Errorf("account 1 found %v of account 2", hits)
		}
	})
}

// insist writes until it succeeds, because a writer that conflicts too often is
// told to come back.
func insist(db *sqldb.DB, fn func(*sqldb.Tx) error) (err error) {
	for {
		if err = db.Write(ctx, fn); !errors.Is(err, sqldb.ErrUnavailable) {
			return err
		}
	}
}

// Writers conflict on the same documents and on others. Afterwards the index has
// what the last writer of each has put.
func TestConcurrentWriters(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		const writers, rounds, shared = 8, 15, 4
		var all sync.WaitGroup
		for w := range writers {
			all.Go(func() {
				for i := range rounds {
					err := insist(db, func(tx *sqldb.Tx) error {
						own := search.Document{Account: 1, ID: int64(100 + w*rounds + i), At: start, Title: "own", Public: fmt.Sprintf("by%d", w)}
						if err := putOne(tx, own); err != nil {
							return err
						}
						both := search.Document{Account: 1, ID: int64(i%shared + 1), At: start.Add(time.Duration(i) * time.Second), Title: fmt.Sprintf("shared by%d round%d", w, i)}
						if i%5 == 4 {
							return search.Remove(tx, 1, both.ID)
						}
						return putOne(tx, both)
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if hits, _ := find(t, db, search.Query{Account: 1, Text: "own ", Limit: 500}); len(hits) != writers*rounds {
			t.Errorf("%d documents, want %d", len(hits), writers*rounds)
		}
		// Each shared document is found by the words of exactly one writer.
		times := map[int64]int{}
		for w := range writers {
			hits, _ := find(t, db, search.Query{Account: 1, Text: fmt.Sprintf("by%d shared ", w)})
			for _, h := range hits {
				times[h.ID]++
			}
		}
		hits, _ := find(t, db, search.Query{Account: 1, Text: "shared "})
		for _, h := range hits {
			if times[h.ID] != 1 {
				t.Errorf("document %d is found by the words of %d writers", h.ID, times[h.ID])
			}
		}
		if len(times) != len(hits) {
			t.Errorf("%d shared documents, %d by their writers", len(hits), len(times))
		}
	})
}

// A document that was put but not committed is not found.
func TestUndoneIsNotFound(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		put(t, db, search.Document{Account: 1, ID: 1, At: start, Title: "first word"})
		undone := fmt.Errorf("undone")
		err := db.Write(ctx, func(tx *sqldb.Tx) error {
			must(t, putOne(tx, search.Document{Account: 1, ID: 1, At: start, Title: "second"}))
			must(t, putOne(tx, search.Document{Account: 1, ID: 2, At: start, Title: "word"}))
			hits, _, err := search.Find(tx, search.Query{Account: 1, Text: "word"})
			if !slices.Equal(ids(hits), list{2}) || err != nil {
				t.Errorf("inside, %v was found, %v", hits, err)
			}
			return undone
		})
		if err != undone {
			t.Error(err)
		}
		if hits, _ := find(t, db, search.Query{Account: 1, Text: "word"}); !slices.Equal(ids(hits), list{1}) {
			t.Errorf("afterwards, %v was found", hits)
		}
	})
}
