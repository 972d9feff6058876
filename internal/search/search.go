// Package search finds documents by the words in them, newest first or by rank, the
// same on both engines. Text is folded and split here, in Go. An engine only stores
// a list of opaque terms for each document and intersects such lists. What a person
// typed never reaches an engine's own query language.
//
// It knows accounts and documents as numbers. The caller knows what a document is
// made of and who may see it.
package search

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"time"

	"frontdesk/internal/sqldb"
)

// Version is the version of the terms and words that documents are indexed by. When
// it changes, every document must be put again.
const Version = 4

// Divide separates the parts of a text that is made of several. A phrase does not
// match across it.
const Divide = "\f"

// Document is something to be found.
type Document struct {
	Account int64
	ID      int64     // unique in the account
	At      time.Time // newest first means by At, then ID; stored to the millisecond
	// Title and Public are for everybody, Private for queries that are not
	// OnlyPublic. They are plain text. The first 128 KiB of each are indexed.
	Title, Public, Private string
	// Labels are what a query may filter by. They are compared exactly. Two
	// different labels may rarely be mistaken for each other: see Query.Keep.
	Labels []string
}

// A Writer puts many documents of one account. Flush writes their terms together. FTS5 makes a
// segment of what it has before any other statement that may have to be undone, and
// one segment for each document would mean merging them all again.
type Writer struct {
	Tx *sqldb.Tx
	// Anew says that the account's documents may be of an older version, so that nothing
	// is known of their words.
	Anew    bool
	account int64
	waiting []put
	gained  wordSet
	lost    wordSet
	removed bool
}

// put is what the index has for a document.
type put struct {
	id    int64
	isNew bool
	terms string
}

// Changed returns how many documents Flush will write.
func (w *Writer) Changed() int { return len(w.waiting) }

// Merge does some of the merging that makes searches faster after many documents
// were put, and reports whether there is more. It takes some 10 ms. Documents that
// are put merge nothing, so somebody must call it. busy says that documents are still
// being put: then only what must be merged is, since what is merged early has to be
// merged again.
func Merge(ctx context.Context, db *sqldb.DB, busy bool) (more bool, err error) {
	least := int64(2)
	if busy {
		least = 4
	}
	return db.MergeSegments(ctx, "search_index", least)
}

// Put does what the function Put does for several documents, each once, except for
// their terms.
func (w *Writer) Put(documents ...Document) error {
	if len(documents) == 0 {
		return nil
	}
	w.account = documents[0].Account
	ids := make([]int64, len(documents))
	for i, d := range documents {
		ids[i] = d.ID
	}
	had, err := stored(w.Tx, w.account, ids)
	if err != nil {
		return fmt.Errorf("read documents: %w", err)
	}
	var q sqldb.Query
	before := "INSERT INTO search_documents (account_id, document_id, at, revision, digest, title, public, private) VALUES "
	terms := map[int64]string{}
	for _, d := range documents {
		e := entryOf(d)
		terms[d.ID] = e.terms
		w.compare(had[d.ID], e)
		q.Add(before+"(?, ?, ?, 1, ?, ?, ?, ?)", d.Account, d.ID, e.at, e.digest(), e.title, e.public, e.private)
		before = ", "
	}
	q.Add(` ON CONFLICT (account_id, document_id) DO UPDATE SET at = excluded.at, revision = search_documents.revision + 1,
			digest = excluded.digest, title = excluded.title, public = excluded.public, private = excluded.private
		WHERE search_documents.account_id = excluded.account_id AND search_documents.digest <> excluded.digest
		RETURNING id, document_id, revision`)
	// An unchanged document returns no row.
	written, err := sqldb.Collect(w.Tx, func(scan func(...any) error) (p put, err error) {
		var document, revision int64
		err = scan(&p.id, &document, &revision)
		p.isNew, p.terms = revision == 1, terms[document]
		return p, err
	}, q.String(), q.Args()...)
	if err != nil {
		return fmt.Errorf("put documents: %w", err)
	}
	w.waiting = append(w.waiting, written...)
	return nil
}

// Lost reports whether documents lost words, which Settle has to look at.
func (w *Writer) Lost() bool { return w.removed || len(w.lost) > 0 }

// mostRows bounds the rows of one statement.
const mostRows = 100

// Flush writes the words and then the terms of the documents that were put. Each
// document may be put only once before it. Terms are written in the order of ids,
// because FTS5 would begin a segment at a lower id too.
func (w *Writer) Flush() error {
	if err := w.writeWords(); err != nil {
		return err
	}
	slices.SortFunc(w.waiting, func(a, b put) int { return cmp.Compare(a.id, b.id) })
	for len(w.waiting) > 0 {
		first, n := w.waiting[0], 1
		var q sqldb.Query
		if first.isNew {
			q.Add("INSERT INTO search_index (rowid, terms) VALUES (?, ?)", first.id, first.terms)
			for ; n < min(len(w.waiting), mostRows) && w.waiting[n].isNew; n++ {
				q.Add(", (?, ?)", w.waiting[n].id, w.waiting[n].terms)
			}
		} else {
			q.Add("UPDATE search_index SET terms = ? WHERE rowid = ?", first.terms, first.id)
		}
		if _, err := w.Tx.Exec(q.String(), q.Args()...); err != nil {
			return fmt.Errorf("put the terms of a document: %w", err)
		}
		w.waiting = w.waiting[n:]
	}
	w.waiting = nil
	return nil
}

// Remove removes documents as the function Remove does.
func (w *Writer) Remove(account int64, ids ...int64) error {
	w.removed = w.removed || len(ids) > 0
	return Remove(w.Tx, account, ids...)
}

// Remove removes documents from the index. Removing a missing one is not an error. It
// may be called while others put documents. Their words go with the next Settle.
func Remove(tx *sqldb.Tx, account int64, ids ...int64) error {
	words := wordSet{}
	var rows []int64
	for some := range slices.Chunk(ids, mostRows) {
		var q sqldb.Query
		q.Add("DELETE FROM search_documents WHERE account_id = ? AND document_id IN ", account)
		sqldb.In(&q, some)
		q.Add(" RETURNING id, title, public, private")
		if err := tx.Each(func(scan func(...any) error) error {
			var row int64
			var e entry
			err := scan(&row, &e.title, &e.public, &e.private)
			maps.Copy(words, e.vocabulary())
			rows = append(rows, row)
			return err
		}, q.String(), q.Args()...); err != nil {
			return fmt.Errorf("remove documents: %w", err)
		}
	}
	if err := noteLost(tx, account, words); err != nil {
		return err
	}
	for _, row := range rows {
		if _, err := tx.Exec("DELETE FROM search_index WHERE rowid = $1", row); err != nil {
			return fmt.Errorf("remove the terms of a document: %w", err)
		}
	}
	return nil
}

// digest changes with everything that is stored for a document, and with the way it
// is indexed, because it includes the terms.
func (e entry) digest() []byte {
	h := sha256.New()
	var n [8]byte
	for _, part := range []string{e.title, e.public, e.private, e.terms} {
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		h.Write(n[:])
		h.Write([]byte(part))
	}
	binary.BigEndian.PutUint64(n[:], uint64(e.at))
	h.Write(n[:])
	return h.Sum(nil)[:16]
}
