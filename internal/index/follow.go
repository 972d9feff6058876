package index

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/search"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

// The search index follows the events. Each request that an event names is put into
// the index in its current state, so it does not matter if an event comes twice or
// one stands for many. The progress is saved in the transaction that writes to the
// index. It advances along the event numbers, and no late commit can get a lower
// number.

// reindexing are the events after which a request is indexed again. Their data
// holds it as "request", or a message of it with a "request_id".
var reindexing = []desk.EventType{
	desk.RequestCreated,
	desk.RequestUpdated,
	desk.MessageCreated,
	desk.NoteCreated,
}

const (
	indexTime      = 10 * time.Millisecond // of one transaction; a few more requests may start within it, and their terms are written after it
	eventsAtOnce   = 200
	walkedAtOnce   = 32
	requestsAtOnce = 8 // are read and indexed together
)

// Update brings the search index of an account up to date. Any number of processes
// may do so at once.
func Update(ctx context.Context, s *store.Store, account desk.AccountID) (err error) {
	for more := true; more && err == nil; {
		more, _, err = updatePiece(ctx, s, account, indexTime)
	}
	return err
}

// updatePiece does as much of the work as one transaction may take. It returns
// whether there is more, and how many documents it put.
func updatePiece(ctx context.Context, s *store.Store, account desk.AccountID, piece time.Duration) (more bool, put int, err error) {
	err = s.Derive(ctx, account, func(tx *store.Tx) (err error) {
		more, put, err = updateSome(tx, time.Now().Add(piece))
		return err
	})
	if err != nil {
		return false, 0, fmt.Errorf("index requests: %w", err)
	}
	return more, put, nil
}

// updateSome does a part of the work.
func updateSome(tx *store.Tx, until time.Time) (more bool, put int, err error) {
	p, err := lockProgress(tx)
	if errors.Is(err, sqldb.ErrNoRows) { // another process has done it
		return false, 0, nil
	}
	if err != nil {
		return false, 0, err
	}
	if p.version != search.Version {
		if p, err = restartWalk(tx, p.lost); err != nil {
			return false, 0, err
		}
	}
	w := &search.Writer{Tx: tx.Tx, Anew: p.walk != nil}
	unfollowed, walked, err := followEvents(tx, &p, until, w)
	if err != nil {
		return false, 0, err
	}
	if p.walk != nil {
		if err := walkRequests(tx, &p, until, w, walked); err != nil {
			return false, 0, err
		}
	}
	put = w.Changed()
	if err := w.Flush(); err != nil {
		return false, 0, err
	}
	unsettled := false
	if p.lost || w.Lost() {
		if unsettled, err = search.Settle(tx.Tx, int64(tx.Account)); err != nil {
			return false, 0, err
		}
	}
	return unfollowed || p.walk != nil || unsettled, put, saveProgress(tx, p)
}

// progress is a row of search_progress.
type progress struct {
	version int64
	seq     int64
	walk    *walkedTo // nil: no walk under way
	lost    bool      // documents lost words: see search.Settle
}

// walkedTo is a place among an account's requests, in the order of one of their
// indexes: listed requests before the others, newest first.
type walkedTo struct {
	listed bool
	at, id int64
}

// lockProgress reads the progress of the index and locks it against other
// processes. It returns ErrNoRows if the index is up to date.
func lockProgress(tx *store.Tx) (p progress, err error) {
	var listed *bool
	var at, id *int64
	from, to := search.LostWords()
	err = tx.Row(`INSERT INTO search_progress (account_id, version, seq) VALUES ($1, 0, 0)
		ON CONFLICT (account_id) DO UPDATE SET seq = search_progress.seq WHERE search_progress.account_id = $1 AND (search_progress.version <> $2
			OR search_progress.walk_id IS NOT NULL OR search_progress.seq < (SELECT event_seq FROM sequences WHERE account_id = $1)
			OR EXISTS (SELECT 1 FROM search_words WHERE account_id = $1 AND word >= $3 AND word < $4))
		RETURNING version, seq, walk_listed, walk_at, walk_id, EXISTS (SELECT 1 FROM search_words WHERE account_id = $1 AND word >= $3 AND word < $4)`,
		tx.Account, search.Version, from, to).Scan(&p.version, &p.seq, &listed, &at, &id, &p.lost)
	if err == nil && id != nil {
		p.walk = &walkedTo{*listed, *at, *id}
	}
	return p, err
}

func saveProgress(tx *store.Tx, p progress) error {
	var listed *bool
	var at, id *int64
	if p.walk != nil {
		listed, at, id = &p.walk.listed, &p.walk.at, &p.walk.id
	}
	_, err := tx.Exec("UPDATE search_progress SET version = $1, seq = $2, walk_listed = $3, walk_at = $4, walk_id = $5 WHERE account_id = $6",
		p.version, p.seq, listed, at, id, tx.Account)
	return err
}

// restartWalk returns the progress of an index that has to be built from the start.
// Events that already have numbers need not be followed, because the walk will find
// what they changed.
func restartWalk(tx *store.Tx, lost bool) (progress, error) {
	p := progress{version: search.Version, walk: &walkedTo{true, math.MaxInt64, math.MaxInt64}, lost: lost}
	err := tx.Row("SELECT event_seq FROM sequences WHERE account_id = $1", tx.Account).Scan(&p.seq)
	return p, err
}

// followEvents indexes the requests that the next events name, each once, and
// returns which.
func followEvents(tx *store.Tx, p *progress, until time.Time, put *search.Writer) (more bool, done map[desk.RequestID]bool, err error) {
	events, more, err := tx.Events(p.seq, eventsAtOnce, true)
	if err != nil {
		return false, nil, err
	}
	done = map[desk.RequestID]bool{}
	var next []desk.RequestID
	for i, e := range events {
		if id := indexedBy(e); id != 0 && !done[id] {
			next = append(next, id)
			done[id] = true
		}
		if len(next) < requestsAtOnce && i+1 < len(events) {
			continue
		}
		if err := putRequests(tx, next, put); err != nil {
			return false, nil, err
		}
		next, p.seq = nil, e.Seq
		if time.Now().After(until) {
			return more || i+1 < len(events), done, nil
		}
	}
	return more, done, nil
}

// indexedBy returns the request to index again after an event, or 0 if there is
// none.
func indexedBy(e desk.Event) desk.RequestID {
	if !slices.Contains(reindexing, e.Type) {
		return 0
	}
	var named struct {
		Request struct {
			ID desk.RequestID `json:"id"`
		} `json:"request"`
		Message struct {
			Request desk.RequestID `json:"request_id"`
		} `json:"message"`
	}
	if err := json.Unmarshal(e.Data, &named); err != nil {
		return 0 // we wrote this data: trying again would not help
	}
	return max(named.Request.ID, named.Message.Request)
}

// walkRequests indexes the next requests of a walk through all of them, except
// those in done.
func walkRequests(tx *store.Tx, p *progress, until time.Time, put *search.Writer, done map[desk.RequestID]bool) error {
	walked, err := sqldb.Collect(tx.Tx, func(scan func(...any) error) (w walkedTo, err error) {
		err = scan(&w.listed, &w.at, &w.id)
		return w, err
	}, `SELECT is_listed, created_at, id FROM requests WHERE account_id = $1 AND merged_into IS NULL AND (is_listed, created_at, id) < ($2, $3, $4)
		ORDER BY is_listed DESC, created_at DESC, id DESC LIMIT $5`, tx.Account, p.walk.listed, p.walk.at, p.walk.id, walkedAtOnce)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(walked, requestsAtOnce) {
		var next []desk.RequestID
		for _, w := range some {
			if id := desk.RequestID(w.id); !done[id] {
				next = append(next, id)
			}
		}
		if err := putRequests(tx, next, put); err != nil {
			return err
		}
		if p.walk = &some[len(some)-1]; time.Now().After(until) {
			return nil
		}
	}
	if len(walked) < walkedAtOnce {
		p.walk = nil
	}
	return nil
}
