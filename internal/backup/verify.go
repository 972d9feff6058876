package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk/internal/blob"
	"frontdesk/internal/chain"
	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
)

// mostProblems is how many problems are reported one by one.
const mostProblems = 100

// findings collects what is wrong, as sentences.
type findings struct {
	mu   sync.Mutex
	all  []string
	more int
}

func (f *findings) add(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.all) == mostProblems {
		f.more++
		return
	}
	f.all = append(f.all, fmt.Sprintf(format, args...))
}

func (f *findings) addAll(others *findings) {
	for _, text := range others.all {
		f.add("%s", text)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.more += others.more
}

func (f *findings) list() []string {
	if f.more > 0 {
		return append(f.all, fmt.Sprintf("and %d more", f.more))
	}
	return f.all
}

// Progress is told what is being read, and how much of it was. of is 0 if nobody
// knows.
type Progress func(what string, done, of int64)

// Verify reads everything of a backup and returns what is wrong with it, as
// sentences. It writes the database to a temporary file in folder and checks it
// there. With the desk's key, it also opens sealed values and follows the audit logs.
func (p *Place) Verify(ctx context.Context, m *Manifest, folder string, key *seal.Key, progress Progress) ([]string, error) {
	var found findings
	if err := removeAbandoned(folder); err != nil {
		return nil, err
	}
	temporary, err := os.MkdirTemp(folder, copyPrefix+"*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temporary)
	path := filepath.Join(temporary, "frontdesk.db")
	err = p.WriteDatabase(ctx, m, path, func(done, of int64) { progress("bytes of the database", done, of) })
	switch {
	case errors.Is(err, ErrDamaged):
		found.add("%v", err)
	case err != nil:
		return nil, err
	default:
		if err := checkCopy(ctx, path, key, &found, progress); err != nil {
			return nil, err
		}
	}
	if err := p.verifyFiles(ctx, m, &found, progress); err != nil {
		return nil, err
	}
	for _, key := range m.Missing {
		found.add("attachment %s was already missing when the backup was made", key)
	}
	return found.list(), ctx.Err()
}

const (
	// copyPrefix begins the names of folders with the copy of a backup.
	copyPrefix = ".verify-"
	// abandoned is the age at which such a folder is that of a process that was killed.
	abandoned = 24 * time.Hour
)

// removeAbandoned removes what processes left that were killed while they verified.
func removeAbandoned(folder string) error {
	all, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, f := range all {
		at, err := f.Info()
		if err != nil || !strings.HasPrefix(f.Name(), copyPrefix) || time.Since(at.ModTime()) < abandoned {
			continue // or it was removed meanwhile
		}
		if err := os.RemoveAll(filepath.Join(folder, f.Name())); err != nil {
			return err
		}
	}
	return nil
}

func checkCopy(ctx context.Context, path string, key *seal.Key, found *findings, progress Progress) error {
	db, err := sqldb.Open(ctx, sqldb.Config{URL: path})
	if err != nil {
		found.add("the database cannot be opened: %v", err)
		return nil
	}
	defer db.Close()
	return checkDatabase(ctx, db, key, found, progress)
}

func (p *Place) verifyFiles(ctx context.Context, m *Manifest, found *findings, progress Progress) error {
	var done atomic.Int64
	crew := newCrew(ctx)
	err := p.eachFile(ctx, m, func(f File) error {
		return crew.do(func(ctx context.Context) error {
			err := p.checkFile(ctx, f)
			if errors.Is(err, ErrDamaged) {
				found.add("attachment %s: %v", f.Key, err)
				err = nil
			}
			progress("attachments", done.Add(1), int64(m.Count))
			return err
		})
	})
	if errors.Is(err, ErrDamaged) {
		found.add("the list of attachments: %v", err)
		err = nil
	}
	return errors.Join(crew.wait(), err)
}

// VerifyDesk reads everything of a desk that may be running and returns what is wrong
// with it, as sentences: the database, the audit logs and the attachments.
func VerifyDesk(ctx context.Context, db *sqldb.DB, files blob.Store, key *seal.Key, progress Progress) ([]string, error) {
	var found findings
	if err := checkDatabase(ctx, db, key, &found, progress); err != nil {
		return nil, err
	}
	named, err := readNamedFiles(ctx, db)
	if err != nil {
		return nil, err
	}
	var missing sync.Map
	var done atomic.Int64
	crew := newCrew(ctx)
	for _, f := range named {
		err = crew.do(func(ctx context.Context) error {
			problem, err := checkBlob(ctx, files, f)
			if errors.Is(err, blob.ErrNotFound) {
				missing.Store(f.Key, true)
				err = nil
			}
			if problem != "" {
				found.add("attachment %s: %s", f.Key, problem)
			}
			progress("attachments", done.Add(1), int64(len(named)))
			return err
		})
		if err != nil {
			break
		}
	}
	if err := errors.Join(crew.wait(), err); err != nil {
		return nil, err
	}
	// A file that is gone may have been removed with its row meanwhile.
	if named, err = readNamedFiles(ctx, db); err != nil {
		return nil, err
	}
	for _, f := range named {
		if _, gone := missing.Load(f.Key); gone {
			found.add("attachment %s: it is missing", f.Key)
		}
	}
	return found.list(), nil
}

func readNamedFiles(ctx context.Context, db *sqldb.DB) (named []File, err error) {
	err = db.Read(ctx, func(tx *sqldb.Tx) (err error) {
		named, err = namedFiles(tx)
		return err
	})
	return named, err
}

// checkBlob returns what is wrong with a stored file, or blob.ErrNotFound. Sizes and
// sums that its row does not have are not compared.
func checkBlob(ctx context.Context, files blob.Store, f File) (problem string, err error) {
	key, err := blob.ParseKey(f.Key)
	if err != nil {
		return err.Error(), nil
	}
	r, err := files.Open(ctx, key)
	if err != nil {
		return "", err
	}
	defer r.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, r)
	switch {
	case err != nil:
		return "", err
	case f.Size >= 0 && n != f.Size:
		return fmt.Sprintf("it has %d bytes, and its row says %d", n, f.Size), nil
	case len(f.Sum) > 0 && !bytes.Equal(sum.Sum(nil), f.Sum):
		return "its content is not what its row says", nil
	}
	return "", nil
}

// checkDatabase checks the database itself, every row in it, and if there is a key the
// sealed values and the audit logs.
func checkDatabase(ctx context.Context, db *sqldb.DB, key *seal.Key, found *findings, progress Progress) error {
	problems, err := db.Check(ctx, func(what string) { progress(what, 0, 0) })
	if err != nil {
		return err
	}
	for _, p := range problems {
		found.add("the database: %s", p)
	}
	if len(problems) > 0 {
		return nil // what is in a damaged database says nothing
	}
	if err := checkRows(ctx, db, key, found, progress); err != nil {
		return err
	}
	var accounts []desk.AccountID
	var wrong [2]int64
	err = db.Read(ctx, func(tx *sqldb.Tx) (err error) {
		if err := tx.Row(searchQuery).Scan(&wrong[0], &wrong[1]); err != nil {
			return err
		}
		accounts, err = sqldb.Collect(tx, func(scan func(...any) error) (id desk.AccountID, err error) {
			err = scan(&id)
			return id, err
		}, "SELECT id FROM accounts ORDER BY id")
		return err
	})
	if err != nil {
		return err
	}
	if wrong[0] > 0 {
		found.add("requests that search does not find: %d; frontdesk reindex corrects this", wrong[0])
	}
	if wrong[1] > 0 {
		found.add("documents of search without a request: %d; frontdesk reindex corrects this", wrong[1])
	}
	if key == nil {
		return nil
	}
	logs := chain.New(key)
	for _, id := range accounts {
		what := fmt.Sprintf("entries of the audit log of account %d", id)
		_, err := logs.Follow(ctx, db, id, nil, func(done, of int64) { progress(what, done, of) })
		if b := chain.Broken(""); errors.As(err, &b) {
			found.add("the audit log of account %d: %s", id, b)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// searchQuery counts requests without a document and documents without a request, of
// accounts whose index is complete.
const searchQuery = `/* every account: all is verified */
	WITH complete AS (SELECT p.account_id FROM search_progress p JOIN sequences s ON s.account_id = p.account_id WHERE p.walk_id IS NULL AND p.seq >= s.event_seq)
	SELECT (SELECT count(*) FROM requests r WHERE merged_into IS NULL AND account_id IN (SELECT account_id FROM complete)
			AND NOT EXISTS (SELECT 1 FROM search_documents d WHERE d.account_id = r.account_id AND d.document_id = r.id)),
		(SELECT count(*) FROM search_documents d WHERE account_id IN (SELECT account_id FROM complete)
			AND NOT EXISTS (SELECT 1 FROM requests r WHERE r.account_id = d.account_id AND r.id = d.document_id AND merged_into IS NULL))`
