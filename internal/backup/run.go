package backup

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk/internal/blob"
	"frontdesk/internal/schema"
	"frontdesk/internal/sqldb"
)

// Config says what to back up. DB, Files and Folder are required.
type Config struct {
	DB    *sqldb.DB
	Files blob.Store
	// Folder is for the temporary copy of a PostgreSQL database. No other desk may use
	// it.
	Folder string
	// Keep says which backups are kept. Defaults to all.
	Keep Keep
	// Progress is called now and then with how much of the database was read, and
	// then with how many files. Defaults to nobody.
	Progress func(done, of int64)
	// Gentle makes the backup rest three times as long as it works, for the sake of
	// callers of the same process.
	Gentle bool
}

// Report says what a backup was.
type Report struct {
	*Manifest
	Stored  int64         // bytes that were added to the place
	Took    time.Duration // until the backup was complete
	Held    time.Duration // for how long the snapshot was open
	Missing int           // files that a row names and that could not be read
	Removed int           // older backups that were no longer to be kept
}

// Run makes a backup, and removes those that are not to be kept any longer. It
// returns ErrBusy while another process writes to the place.
func (p *Place) Run(ctx context.Context, c Config) (Report, error) {
	if c.Progress == nil {
		c.Progress = func(int64, int64) {}
	}
	var report Report
	err := hold(ctx, c.DB, func(ctx context.Context) (err error) {
		// Whatever is there was left by a process that was killed: this one has the hold.
		c.Folder = filepath.Join(c.Folder, copyFolder)
		if err := cmp.Or(os.RemoveAll(c.Folder), os.MkdirAll(c.Folder, 0o700)); err != nil {
			return err
		}
		defer os.RemoveAll(c.Folder)
		report, err = p.run(ctx, c)
		return err
	})
	return report, err
}

// copyFolder is where the copy of a PostgreSQL database is while it is backed up.
const copyFolder = ".backup-copy"

func (p *Place) run(ctx context.Context, c Config) (Report, error) {
	began := time.Now()
	there, err := p.list(ctx)
	if err != nil {
		return Report{}, fmt.Errorf("list the backups: %w", err)
	}
	w := &writing{place: p, gentle: c.Gentle, have: there.chunks, m: &Manifest{Format: format, Engine: c.DB.Engine(), Database: Contents{Chunk: pageChunk}, Files: Contents{Chunk: fileChunk}}}
	var files []File
	err = c.DB.Snapshot(ctx, schema.Files, c.Folder, func(s *sqldb.Snapshot) error {
		held := time.Now()
		defer func() { w.report.Held = time.Since(held) }()
		w.m.At = s.At.UTC().Truncate(time.Millisecond)
		if err := s.Tx.Row("SELECT max(version) FROM schema_migrations").Scan(&w.m.Schema); err != nil {
			return err
		}
		if files, err = namedFiles(s.Tx); err != nil {
			return err
		}
		return w.putDatabase(ctx, s, c.Progress)
	})
	if err != nil {
		return Report{}, fmt.Errorf("back up the database: %w", err)
	}
	// The files come after the database, because a row is written after its file.
	if err := w.putFiles(ctx, c, there, files); err != nil {
		return Report{}, fmt.Errorf("back up the attachments: %w", err)
	}
	size, err := p.putManifest(ctx, w.m)
	if err != nil {
		return Report{}, fmt.Errorf("complete the backup: %w", err)
	}
	r := w.report
	r.Manifest, r.Took = w.m, time.Since(began)
	r.Stored = w.stored.Load() + size
	if r.Removed, err = p.prune(ctx, c.Keep, there, w.m); err != nil {
		return r, fmt.Errorf("the backup is complete, but older ones could not be removed: %w", err)
	}
	return r, nil
}

// writing is a backup that is being made.
type writing struct {
	place  *Place
	gentle bool
	m      *Manifest

	report Report
	stored atomic.Int64

	packing sync.Mutex
	rested  time.Time     // when the last chunk was packed
	have    map[name]bool // chunks that the place has
}

// chunk is a chunk that is about to be stored. packed is nil if the place has it.
type chunk struct {
	name   name
	packed []byte
}

// pack prepares a chunk. Only one goroutine does so at a time, because a backup must
// leave most of the machine to those who use the desk.
func (w *writing) pack(content []byte) chunk {
	w.packing.Lock()
	defer w.packing.Unlock()
	c := chunk{name: w.place.nameOf(content)}
	if !w.have[c.name] {
		w.have[c.name] = true // if storing it fails, the whole backup fails
		c.packed = w.place.pack(keyOf(chunkKind, c.name), content)
	}
	w.rest()
	return c
}

// mostRest bounds a rest, in case a chunk took long because the machine is busy.
const mostRest = 100 * time.Millisecond

// rest follows each chunk of a gentle backup, and is measured by the time since the
// last: it includes reading.
func (w *writing) rest() {
	if w.gentle && !w.rested.IsZero() {
		time.Sleep(min(3*time.Since(w.rested), mostRest))
	}
	w.rested = time.Now()
}

// store stores a chunk.
func (w *writing) store(ctx context.Context, c chunk) error {
	if c.packed == nil {
		return nil
	}
	size, err := w.place.putPacked(ctx, keyOf(chunkKind, c.name), c.packed)
	w.stored.Add(size)
	return err
}

func (w *writing) put(ctx context.Context, content []byte) (name, error) {
	c := w.pack(content)
	return c.name, w.store(ctx, c)
}

// putDatabase stores the database file. A chunk is always the same pages of it.
func (w *writing) putDatabase(ctx context.Context, s *sqldb.Snapshot, progress func(done, of int64)) error {
	w.m.Database.Size = s.Size
	names := make([]name, 0, w.m.Database.chunks())
	crew := newCrew(ctx)
	var pages []byte
	var done int64
	err := s.Pages(func(page []byte) error {
		pages = append(pages, page...)
		done += int64(len(page))
		if len(pages) < pageChunk && done < s.Size {
			return nil
		}
		progress(done, s.Size)
		c := w.pack(pages)
		pages = pages[:0]
		names = append(names, c.name)
		if c.packed == nil {
			return ctx.Err()
		}
		return crew.do(func(ctx context.Context) error { return w.store(ctx, c) })
	})
	if err := errors.Join(crew.wait(), err); err != nil {
		return err
	}
	return w.putNames(ctx, names)
}

// putNames stores the list of the database's chunks. It is cut after names that end
// with twelve zero bits, so that a few new names do not change all of it.
func (w *writing) putNames(ctx context.Context, names []name) error {
	var list bytes.Buffer
	for i, n := range names {
		list.Write(n[:])
		if n[14]&0x0f == 0 && n[15] == 0 || i+1 == len(names) || list.Len() >= mostList {
			if err := w.putList(ctx, &w.m.Database, &list); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *writing) putList(ctx context.Context, c *Contents, list *bytes.Buffer) error {
	n, err := w.put(ctx, list.Bytes())
	c.List = append(c.List, n)
	list.Reset()
	return err
}

// namedFiles returns the files that rows name, oldest first, each once. Sizes and
// sums are those of the rows; a negative size is unknown.
func namedFiles(tx *sqldb.Tx) ([]File, error) {
	all, err := sqldb.Collect(tx, func(scan func(...any) error) (f File, err error) {
		err = scan(&f.Key, &f.Size, &f.Sum)
		return f, err
	}, filesQuery)
	seen := map[string]bool{}
	kept := all[:0]
	for _, f := range all {
		if !seen[f.Key] {
			seen[f.Key] = true
			kept = append(kept, f)
		}
	}
	return kept, err
}

const filesQuery = `/* every account: all is backed up */
	SELECT blob_key, size, sum FROM (SELECT blob_key, size, sum FROM attachments ORDER BY id) a
	UNION ALL SELECT blob_key, size, sum FROM (SELECT blob_key, size, sum FROM waiting_files ORDER BY id) w
	UNION ALL SELECT blob_key, size, NULL FROM (SELECT blob_key, size FROM announcement_files ORDER BY account_id, announcement_id, n) f
	UNION ALL SELECT source, -1, NULL FROM (SELECT source FROM mails WHERE source IS NOT NULL ORDER BY id) m`

// mostMissing is how many missing files a manifest names.
const mostMissing = 1000

// putFiles stores the attachments. The content under a key never changes, so what the
// last backup has need not be read again.
func (w *writing) putFiles(ctx context.Context, c Config, there listing, files []File) error {
	before, err := w.filesBefore(ctx, there)
	if err != nil {
		return err
	}
	gone := make([]bool, len(files))
	crew := newCrew(ctx)
	for i := range files {
		f := &files[i]
		c.Progress(int64(i), int64(len(files)))
		if known, ok := before[f.Key]; ok {
			*f = known
			continue
		}
		if err = crew.do(func(ctx context.Context) error {
			err := w.putFile(ctx, c.Files, f)
			if gone[i] = errors.Is(err, blob.ErrNotFound); gone[i] {
				return nil
			}
			return err
		}); err != nil {
			break
		}
	}
	if err := errors.Join(crew.wait(), err); err != nil {
		return err
	}
	var list bytes.Buffer
	for i, f := range files {
		if gone[i] {
			if w.report.Missing++; len(w.m.Missing) < mostMissing {
				w.m.Missing = append(w.m.Missing, f.Key)
			}
			continue
		}
		line, err := json.Marshal(f)
		if err != nil {
			return err
		}
		list.Write(append(line, '\n'))
		w.m.Count++
		w.m.Files.Size += f.Size
		// Cut as putNames does. Keys are random, so their ends decide.
		if end := f.Key[len(f.Key)-2:]; end == "00" || list.Len() >= mostList {
			if err := w.putList(ctx, &w.m.Files, &list); err != nil {
				return err
			}
		}
	}
	if list.Len() == 0 {
		return nil
	}
	return w.putList(ctx, &w.m.Files, &list)
}

// filesBefore returns the files of the last backup whose chunks are all there.
func (w *writing) filesBefore(ctx context.Context, there listing) (map[string]File, error) {
	before := map[string]File{}
	if len(there.manifests) == 0 {
		return before, nil
	}
	last, err := w.place.manifest(ctx, there.manifests[len(there.manifests)-1])
	if err == nil && last.Files.Chunk == fileChunk {
		err = w.place.eachFile(ctx, last, func(f File) error {
			for _, n := range f.Chunks {
				if !w.have[n] {
					return nil
				}
			}
			before[f.Key] = f
			return nil
		})
	}
	if errors.Is(err, ErrDamaged) {
		return map[string]File{}, nil // then all are read again
	}
	return before, err
}

// putFile stores a file and fills in what it is.
func (w *writing) putFile(ctx context.Context, from blob.Store, f *File) error {
	key, err := blob.ParseKey(f.Key)
	if err != nil {
		return err
	}
	r, err := from.Open(ctx, key)
	if err != nil {
		return err
	}
	defer r.Close()
	f.Size, f.Chunks = 0, nil
	sum := sha256.New()
	for buffer := make([]byte, min(fileChunk, r.Size()+1)); ; {
		n, err := io.ReadFull(r, buffer)
		if n > 0 {
			sum.Write(buffer[:n])
			f.Size += int64(n)
			chunk, err := w.put(ctx, buffer[:n])
			if err != nil {
				return err
			}
			f.Chunks = append(f.Chunks, chunk)
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		}
		if err != nil {
			return err
		}
	}
	if len(f.Sum) == 0 { // the row has none
		f.Sum = sum.Sum(nil)
	}
	return nil
}

// ErrBusy says that another process makes a backup.
var ErrBusy = errors.New("another backup is running, or one was ended by force within the last minute")

// holdTime is how long the hold on a desk's backups outlives its process.
const holdTime = time.Minute

// hold runs fn while no other process of the desk runs one. The hold is a row of the
// database, because all processes that back up a desk have that in common.
func hold(ctx context.Context, db *sqldb.DB, fn func(context.Context) error) error {
	owner := rand.Text()
	take := func(ctx context.Context, until time.Time) (held bool, err error) {
		err = db.Claim(ctx, func(tx *sqldb.Tx) error {
			n, err := tx.Exec(`INSERT INTO leases (name, owner, until) VALUES ('backup', $1, $2)
				ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = excluded.until
				WHERE leases.owner = excluded.owner OR leases.until <= $3`, owner, until.UnixMilli(), db.Now().UnixMilli())
			held = n > 0
			return err
		})
		return held, err
	}
	held, err := take(ctx, db.Now().Add(holdTime))
	if err == nil && !held {
		err = ErrBusy
	}
	if err != nil {
		return err
	}
	work, cancel := context.WithCancelCause(ctx)
	var renewing sync.WaitGroup
	stop := make(chan struct{})
	renewing.Go(func() {
		renew := time.NewTicker(holdTime / 4)
		defer renew.Stop()
		for last := time.Now(); ; {
			select {
			case <-stop:
				return
			case <-renew.C:
			}
			held, err := take(work, db.Now().Add(holdTime))
			switch {
			case err == nil && held:
				last = time.Now()
			case err == nil || time.Since(last) > holdTime/2:
				cancel(errors.Join(errors.New("another process has taken over the backups"), err))
				return
			}
		}
	})
	err = fn(work)
	if err != nil && work.Err() != nil {
		err = errors.Join(context.Cause(work), err)
	}
	close(stop)
	renewing.Wait()
	cancel(nil)
	if _, e := take(context.WithoutCancel(ctx), db.Now()); e != nil {
		err = errors.Join(err, fmt.Errorf("release the backups: %w", e))
	}
	return err
}
