package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"frontdesk/internal/blob"
	"frontdesk/internal/schema"
	"frontdesk/internal/sqldb"
)

// WriteDatabase writes the database file of a backup to a new file at path.
func (p *Place) WriteDatabase(ctx context.Context, m *Manifest, path string, progress func(done, of int64)) (err error) {
	names, err := p.pageNames(ctx, m)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var done atomic.Int64
	crew := newCrew(ctx)
	for i, n := range names {
		err = crew.do(func(ctx context.Context) error {
			content, err := p.chunk(ctx, n)
			if err != nil {
				return err
			}
			if want := min(m.Database.Chunk, m.Database.Size-int64(i)*m.Database.Chunk); int64(len(content)) != want {
				return damaged("chunk %s has %d bytes instead of %d", n, len(content), want)
			}
			if _, err := f.WriteAt(content, int64(i)*m.Database.Chunk); err != nil {
				return err
			}
			progress(done.Add(int64(len(content))), m.Database.Size)
			return nil
		})
		if err != nil {
			break
		}
	}
	if err := errors.Join(crew.wait(), err); err != nil {
		return err
	}
	return f.Sync()
}

// WriteFiles puts the attachments of a backup into a store. Those that are there
// already are left as they are, so it can be repeated. It returns sentences about files
// that are damaged: without them, too, the desk must come back.
func (p *Place) WriteFiles(ctx context.Context, m *Manifest, to blob.Store, progress func(done, of int64)) ([]string, error) {
	var found findings
	var done atomic.Int64
	crew := newCrew(ctx)
	err := p.eachFile(ctx, m, func(f File) error {
		return crew.do(func(ctx context.Context) error {
			err := p.writeFile(ctx, f, to)
			if errors.Is(err, ErrDamaged) {
				found.add("attachment %s: %v", f.Key, err)
				err = nil
			} else if err != nil {
				err = fmt.Errorf("attachment %s: %w", f.Key, err)
			}
			progress(done.Add(1), int64(m.Count))
			return err
		})
	})
	err = errors.Join(crew.wait(), err)
	return found.list(), err
}

func (p *Place) writeFile(ctx context.Context, f File, to blob.Store) error {
	key, err := blob.ParseKey(f.Key)
	if err != nil {
		return err
	}
	if r, err := to.Open(ctx, key); err == nil {
		size := r.Size()
		r.Close()
		if size == f.Size {
			return nil
		}
	} else if !errors.Is(err, blob.ErrNotFound) {
		return err
	}
	_, sum, err := to.Put(ctx, key, &fileReader{ctx: ctx, place: p, left: f.Chunks}, f.Size)
	if err == nil && !bytes.Equal(sum[:], f.Sum) {
		err = damaged("its content is not what its row says")
	}
	return err
}

// fileReader reads a file of a backup, one chunk after the other.
type fileReader struct {
	ctx   context.Context
	place *Place
	left  []name
	now   []byte
}

func (r *fileReader) Read(b []byte) (int, error) {
	for len(r.now) == 0 {
		if len(r.left) == 0 {
			return 0, io.EOF
		}
		var err error
		if r.now, err = r.place.chunk(r.ctx, r.left[0]); err != nil {
			return 0, err
		}
		r.left = r.left[1:]
	}
	n := copy(b, r.now)
	r.now = r.now[n:]
	return n, nil
}

// derived are tables that the server fills again by itself, and whose rows cannot be
// read from an SQLite file.
var derived = []string{"search_documents", "search_index", "search_progress", "search_words"}

// Load fills an empty PostgreSQL database from a database file. The server then
// builds the search index again.
func Load(ctx context.Context, db *sqldb.DB, path string) error {
	return db.Load(ctx, schema.Files, path, derived)
}

// checkFile reads a file of a backup and compares it with what its row says.
func (p *Place) checkFile(ctx context.Context, f File) error {
	sum := sha256.New()
	n, err := io.Copy(sum, &fileReader{ctx: ctx, place: p, left: f.Chunks})
	switch {
	case err != nil:
		return err
	case n != f.Size:
		return damaged("it has %d bytes instead of %d", n, f.Size)
	case !bytes.Equal(sum.Sum(nil), f.Sum):
		return damaged("its content is not what its row says")
	}
	return nil
}
