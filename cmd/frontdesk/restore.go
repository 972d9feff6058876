package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"frontdesk/internal/backup"
	"frontdesk/internal/schema"
	"frontdesk/internal/sqldb"
)

type restoreCommand struct {
	From     string `placeholder:"PLACE" help:"The place for backups. Default: FRONTDESK_BACKUP_TO"`
	At       string `placeholder:"TIME" help:"The newest backup not after this time, such as 2026-05-13T09:12:33Z. Default: the newest"`
	Erasures string `placeholder:"FILE" help:"The list of erased people and customers, who are erased from the backup, too. Default: \"erasures.jsonl\" in the data folder"`
	Release  bool   `help:"Send the mails and run the jobs that waited at the time of the backup, although the old server may have done so afterwards."`
}

func (restoreCommand) Help() string {
	return "The target is the data folder, or the PostgreSQL database of FRONTDESK_DATABASE_URL. It must be empty. A backup of either engine fits both. If it is interrupted, run it again: attachments that are there already are not copied again."
}

func (c *restoreCommand) Run(ctx context.Context, s *settings) error {
	p, err := s.place(ctx, c.From)
	if err != nil {
		return err
	}
	defer p.Close()
	found, err := s.backupAt(ctx, p, c.At)
	if err != nil {
		return err
	}
	target, err := s.emptyTarget(ctx)
	if err != nil {
		return err
	}
	defer target.close()
	m := found[0]
	blobs, err := s.openBlobs(ctx)
	if err != nil {
		return err
	}
	shown := newCountdown()
	defer shown.clear()
	// The database comes last. Until it has its name, the target is empty.
	damaged, err := p.WriteFiles(ctx, m, blobs, func(done, of int64) { shown.print("attachments", done, of) })
	if err != nil {
		return err
	}
	path := unfinishedPath(s.Data)
	defer removeDatabase(path)
	removeDatabase(path)
	if err := p.WriteDatabase(ctx, m, path, func(done, of int64) { shown.print("bytes of the database", done, of) }); err != nil {
		return err
	}
	shown.print("settling what was under way", 0, 0)
	settled, err := backup.Settle(ctx, path, m.At, time.Now(), c.Release)
	if err != nil {
		return err
	}
	shown.print("filling the database", 0, 0)
	if err := target.take(ctx, path); err != nil {
		return err
	}
	shown.clear()
	c.print(s, m, settled)
	for _, text := range damaged {
		fmt.Fprintln(os.Stderr, "Warning:", text)
	}
	return c.eraseAgain(ctx, s)
}

// eraseAgain erases the people and customers from a restored database who were erased
// after the backup was made. Only somebody with the key can tell who they are.
func (c *restoreCommand) eraseAgain(ctx context.Context, s *settings) error {
	list := cmp.Or(c.Erasures, s.erasedList())
	if _, err := os.Stat(list); err != nil {
		if c.Erasures != "" {
			return err
		}
		fmt.Println("If people or customers were erased after that time, get the list of them and run: frontdesk person erase-again FILE")
		return nil
	}
	if !s.hasKey() {
		fmt.Printf("People or customers may have been erased after that time. When the key is there, run: frontdesk person erase-again %s\n", list)
		return nil
	}
	return (&personEraseAgainCommand{List: list}).Run(ctx, s)
}

// hasKey reports whether the key is there. A command that needs one would make it.
func (s *settings) hasKey() bool {
	_, err := os.Stat(s.keyPath())
	return s.Key != "" || !errors.Is(err, fs.ErrNotExist)
}

// print says what was restored, and what is left to do.
func (c *restoreCommand) print(s *settings, m *backup.Manifest, settled backup.Settled) {
	fmt.Printf("Restored everything until %s: %s of database and %d attachments.\n", moment(m.At), megabytes(m.Database.Size), m.Count)
	if len(m.Missing) > 0 {
		fmt.Fprintf(os.Stderr, "Warning: attachments that were already missing when the backup was made: %d.\n", len(m.Missing))
	}
	fmt.Printf("Posts that are looked for before they are posted: %d. Mails that were perhaps sent: %d. Sessions ended: %d.\n", settled.Posts, settled.Mails, settled.Sessions)
	if settled.Held > 0 {
		fmt.Printf("Jobs held because the old server may have run them: %d. To look at them: frontdesk jobs dead. To run them: frontdesk jobs retry --all\n", settled.Held)
	}
	if !s.hasKey() {
		fmt.Printf("The key is not there yet. Copy it to %s before you start the server: with another key, secrets and audit logs cannot be read.\n", s.keyPath())
	}
	fmt.Println("What was deleted or revoked after that time is back: members, access tokens, secrets. Check them.")
}

// restoreTarget is an empty database that is to be filled.
type restoreTarget struct {
	path string    // of the SQLite file
	db   *sqldb.DB // PostgreSQL; nil for SQLite
}

// emptyTarget returns the database of the settings, which must be empty.
func (s *settings) emptyTarget(ctx context.Context) (t restoreTarget, err error) {
	if err := os.MkdirAll(s.Data, 0o700); err != nil {
		return t, err
	}
	t.path = filepath.Join(s.Data, "frontdesk.db")
	if s.DatabaseURL == "" {
		if _, err := os.Stat(t.path); !errors.Is(err, fs.ErrNotExist) {
			return t, fmt.Errorf("%s is there already: restore into an empty folder, with --data", t.path)
		}
		return t, nil
	}
	log, err := s.logger()
	if err != nil {
		return t, err
	}
	if t.db, err = s.database(ctx, log); err != nil {
		return t, err
	}
	var accounts int
	if _, err = t.db.Migrate(ctx, schema.Files); err == nil {
		err = t.db.Look(ctx, func(tx *sqldb.Tx) error { return tx.Row("SELECT count(*) FROM accounts").Scan(&accounts) })
	}
	if err == nil && accounts > 0 {
		err = fmt.Errorf("the PostgreSQL database has %d accounts: restore into a new, empty database", accounts)
	}
	if err != nil {
		t.close()
	}
	return t, err
}

// take fills the database from a file, which is gone afterwards.
func (t restoreTarget) take(ctx context.Context, path string) error {
	if t.db != nil {
		err := backup.Load(ctx, t.db, path)
		if errors.Is(err, sqldb.ErrNotEmpty) {
			err = fmt.Errorf("%w: restore into a new, empty database", err)
		}
		return err
	}
	// Link, not rename: a server that was started meanwhile has made a database.
	if err := os.Link(path, t.path); err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(t.path))
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}

func (t restoreTarget) close() {
	if t.db != nil {
		t.db.Close()
	}
}

func removeDatabase(path string) {
	for _, end := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(path + end)
	}
}

// countdown shows a person at a terminal how far a long command is.
type countdown struct {
	mu      sync.Mutex
	w       io.Writer // nil if the output is not a terminal
	next    time.Time // when to print again
	printed bool
}

func newCountdown() *countdown {
	c := &countdown{next: time.Now().Add(progressEvery)}
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		c.w = os.Stderr
	}
	return c
}

// print shows what is being done. of is 0 if nobody knows how much there is.
func (c *countdown) print(what string, done, of int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.w == nil || time.Now().Before(c.next) {
		return
	}
	switch {
	case of > 0:
		fmt.Fprintf(c.w, "\r%s: %d of %d\x1b[K", what, done, of)
	case done > 0:
		fmt.Fprintf(c.w, "\r%s: %d\x1b[K", what, done)
	default:
		fmt.Fprintf(c.w, "\r%s\x1b[K", what)
	}
	c.next, c.printed = time.Now().Add(progressEvery), true
}

func (c *countdown) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.printed {
		fmt.Fprint(c.w, "\r\x1b[K")
		c.printed = false
	}
}
