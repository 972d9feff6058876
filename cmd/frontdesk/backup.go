package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"frontdesk/internal/backup"
	"frontdesk/internal/job"
	"frontdesk/internal/schema"
	"frontdesk/internal/seal"
	"frontdesk/internal/telemetry"
)

// backupSettings say where backups go, when, and which are kept.
type backupSettings struct {
	BackupTo      string        `placeholder:"PLACE" env:"FRONTDESK_BACKUP_TO" help:"Where backups go, with attachments: a folder, or a bucket such as s3://KEY:SECRET@minio.internal/BUCKET. A running server then makes them."`
	BackupKeyFile string        `placeholder:"FILE" env:"FRONTDESK_BACKUP_KEY_FILE" help:"Encrypt backups with the key in this file: 32 bytes in base64. Keep a copy in another place."`
	BackupEvery   time.Duration `placeholder:"DURATION" default:"24h" env:"FRONTDESK_BACKUP_EVERY" help:"How often a running server makes a backup. 0 means never."`
	BackupKeep    string        `placeholder:"TEXT" default:"all=24h,days=7,weeks=4,months=12" env:"FRONTDESK_BACKUP_KEEP" help:"Which backups to keep: every one of the last hours, and the newest of each of the last days, weeks, months and years."`
}

// shortestEvery is the shortest pause between backups that makes sense.
const shortestEvery = time.Minute

// check returns which backups to keep, or what is wrong with the settings.
func (b *backupSettings) check() (backup.Keep, error) {
	keep, err := backup.ParseKeep(b.BackupKeep)
	switch {
	case err != nil:
		return keep, fmt.Errorf("FRONTDESK_BACKUP_KEEP: %w", err)
	case b.BackupEvery != 0 && b.BackupEvery < shortestEvery:
		return keep, fmt.Errorf("FRONTDESK_BACKUP_EVERY: the shortest pause between backups is %s", shortestEvery)
	}
	return keep, nil
}

// place opens the place for backups. address wins over the setting.
func (s *settings) place(ctx context.Context, address string) (*backup.Place, error) {
	if address == "" {
		address = s.Backup.BackupTo
	}
	if address == "" {
		return nil, errors.New("say where the backups are, with --backup-to or FRONTDESK_BACKUP_TO")
	}
	key, err := s.Backup.key()
	if err != nil {
		return nil, err
	}
	return backup.Open(ctx, address, key)
}

// key reads the key of the backups, which is nil if they are not encrypted. Unlike the
// server's key it is never created: it must be kept elsewhere before it is used.
func (b *backupSettings) key() (*seal.Key, error) {
	if b.BackupKeyFile == "" {
		return nil, nil
	}
	text, err := os.ReadFile(b.BackupKeyFile)
	if err != nil {
		return nil, fmt.Errorf("read the backup key: %w", err)
	}
	k, err := seal.ParseKey(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.BackupKeyFile, err)
	}
	return k, nil
}

type backupCommand struct {
	Make   backupMakeCommand   `cmd:"" default:"withargs" help:"Copy the database to one SQLite file, or the database and its attachments to the place for backups."`
	List   backupListCommand   `cmd:"" help:"List the backups in a place."`
	Verify backupVerifyCommand `cmd:"" help:"Read everything of a backup and say what is wrong."`
}

// keyIsElsewhere is what everybody who makes a backup must know.
const keyIsElsewhere = "It does not contain the key. Keep a copy of the key file in another place: without the key, nobody can decrypt the secrets in the backup."

type backupMakeCommand struct {
	File string `arg:"" optional:"" help:"The SQLite file to create, without attachments. Default: the place for backups, or frontdesk-<time>.db in the current folder if none is set"`
	To   string `placeholder:"PLACE" help:"The place for backups. Default: FRONTDESK_BACKUP_TO"`
}

func (c *backupMakeCommand) Run(ctx context.Context, s *settings, o *resources) error {
	if c.File == "" && (c.To != "" || s.Backup.BackupTo != "") {
		return s.backUp(ctx, o, c.To)
	}
	path := c.File
	if path == "" {
		path = "frontdesk-" + time.Now().Format("2006-01-02-150405") + ".db"
	}
	if err := o.db.Backup(ctx, schema.Files, path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	fmt.Printf("Wrote %s, an SQLite file of %s, without attachments. To back them up as well: frontdesk backup --to PLACE\n%s\n", path, megabytes(info.Size()), keyIsElsewhere)
	return nil
}

// backUp makes a backup in a place and prints what it is.
func (s *settings) backUp(ctx context.Context, o *resources, address string) error {
	keep, err := s.Backup.check()
	if err != nil {
		return err
	}
	p, err := s.place(ctx, address)
	if err != nil {
		return err
	}
	defer p.Close()
	shown := newCountdown()
	r, err := p.Run(ctx, backup.Config{DB: o.db, Files: o.blobs, Folder: s.Data, Keep: keep, Progress: func(done, of int64) { shown.print("backing up", done, of) }})
	shown.clear()
	if r.Manifest == nil {
		return err
	}
	fmt.Printf("Backed up everything until %s: %s of database and %s in %d attachments.\n", moment(r.At), megabytes(r.Database.Size), megabytes(r.Files.Size), r.Count)
	fmt.Printf("New in the place: %s, in %s. Older backups removed: %d.\n", megabytes(r.Stored), r.Took.Round(time.Millisecond), r.Removed)
	if r.Missing > 0 {
		fmt.Fprintf(os.Stderr, "Warning: attachments that a row names and that could not be found: %d. frontdesk verify names them.\n", r.Missing)
	}
	fmt.Println(keyIsElsewhere)
	return err
}

type backupListCommand struct {
	From string `placeholder:"PLACE" help:"The place for backups. Default: FRONTDESK_BACKUP_TO"`
}

func (c *backupListCommand) Run(ctx context.Context, s *settings) error {
	p, err := s.place(ctx, c.From)
	if err != nil {
		return err
	}
	defer p.Close()
	all, problems, err := p.Backups(ctx)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	if len(all) > 0 {
		fmt.Fprintln(w, "MOMENT\tFROM\tSCHEMA\tDATABASE\tATTACHMENTS\tTHEIR SIZE")
	}
	for _, m := range all {
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%d\t%s\n", moment(m.At), m.Engine, m.Schema, megabytes(m.Database.Size), m.Count, megabytes(m.Files.Size))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(all)+len(problems) == 0 {
		fmt.Println("There is no backup in this place.")
	}
	return errors.Join(problems...)
}

type backupVerifyCommand struct {
	From string `placeholder:"PLACE" help:"The place for backups. Default: FRONTDESK_BACKUP_TO"`
	At   string `placeholder:"TIME" help:"The newest backup not after this time, such as 2026-05-13T09:12:33Z. Default: the newest"`
	All  bool   `help:"Every backup in the place."`
}

func (c *backupVerifyCommand) Run(ctx context.Context, s *settings) error {
	p, err := s.place(ctx, c.From)
	if err != nil {
		return err
	}
	defer p.Close()
	key, err := s.existingKey()
	if err != nil {
		return err
	}
	if key == nil {
		fmt.Fprintln(os.Stderr, "There is no key, so sealed values are not opened and the audit logs are not followed.")
	}
	var all []*backup.Manifest
	var problems []error
	if c.All {
		all, problems, err = p.Backups(ctx)
	} else {
		all, err = s.backupAt(ctx, p, c.At)
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.Data, 0o700); err != nil {
		return err
	}
	for _, m := range all {
		shown := newCountdown()
		found, err := p.Verify(ctx, m, s.Data, key, shown.print)
		shown.clear()
		if err != nil {
			return err
		}
		for _, f := range found {
			problems = append(problems, fmt.Errorf("the backup of %s: %s", moment(m.At), f))
		}
		if len(found) == 0 {
			fmt.Printf("The backup of %s is sound: %s of database, %d attachments.\n", moment(m.At), megabytes(m.Database.Size), m.Count)
		}
	}
	return errors.Join(problems...)
}

// backupAt finds the backup of a moment that a flag names.
func (s *settings) backupAt(ctx context.Context, p *backup.Place, text string) ([]*backup.Manifest, error) {
	at, err := parseTime("--at", text)
	if err != nil {
		return nil, err
	}
	var when time.Time
	if at != nil {
		when = *at
	}
	m, err := p.At(ctx, when)
	return []*backup.Manifest{m}, err
}

// existingKey reads the server's key, or returns nil if there is none. It creates
// none.
func (s *settings) existingKey() (*seal.Key, error) {
	if !s.hasKey() {
		return nil, nil
	}
	return s.key()
}

type verifyCommand struct{}

func (verifyCommand) Run(ctx context.Context, s *settings) error {
	o, err := s.openWithKey(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	shown := newCountdown()
	found, err := backup.VerifyDesk(ctx, o.db, o.blobs, o.key, shown.print)
	if err == nil {
		found, err = appendWrongFacts(ctx, o, found, shown)
	}
	shown.clear()
	if ctx.Err() != nil {
		return errors.New("stopped before the end: this run proves nothing")
	}
	if err != nil {
		return err
	}
	if len(found) > 0 {
		return errors.New(strings.Join(found, "\n"))
	}
	fmt.Println("Everything could be read, and nothing is wrong.")
	return nil
}

// appendWrongFacts says which accounts have requests whose facts for Insights are
// wrong.
func appendWrongFacts(ctx context.Context, o *resources, found []string, shown *countdown) ([]string, error) {
	accounts, err := o.store.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	for _, id := range accounts {
		wrong := 0
		err := o.worker.CheckInsights(ctx, id, func(looked, w int) {
			wrong = w
			shown.print(fmt.Sprintf("requests of account %d", id), int64(looked), 0)
		})
		if err != nil {
			return nil, err
		}
		if wrong > 0 {
			found = append(found, fmt.Sprintf("account %d: requests with wrong facts for Insights: %d; frontdesk insights rebuild corrects this", id, wrong))
		}
	}
	return found, nil
}

// scheduledBackups makes a backup at regular intervals, in one process of all that
// share the database.
type scheduledBackups struct {
	settings *settings
	o        *resources
	keep     backup.Keep
	runner   *job.Runner
	log      *slog.Logger

	last, size, failed atomic.Int64
}

// makeBackup is a job that makes a backup.
type makeBackup struct{}

func (makeBackup) Kind() string  { return "backup.make" }
func (makeBackup) Queue() string { return "backup" }

// longestBackup is how long a backup may take.
const longestBackup = 24 * time.Hour

// scheduleBackups returns the schedule of the settings, or nil if there is none.
func (s *settings) scheduleBackups(o *resources) (*scheduledBackups, error) {
	keep, err := s.Backup.check()
	every := s.Backup.BackupEvery
	if err != nil || s.Backup.BackupTo == "" || every == 0 {
		return nil, err
	}
	b := &scheduledBackups{settings: s, o: o, keep: keep, log: o.log}
	// Retried until it succeeds: the next tick adds no job while one waits.
	b.runner = job.New(job.Config{DB: o.db, Queue: makeBackup{}.Queue(), Workers: 1, Timeout: longestBackup, MaxAttempts: 1 << 30, Clock: o.store.Now, Log: o.log})
	job.Handle(b.runner, b.make)
	b.runner.Every("backup", every, makeBackup{})
	return b, nil
}

// run makes backups until ctx ends.
func (b *scheduledBackups) run(ctx context.Context) {
	if b == nil {
		return
	}
	b.readLast(ctx)
	if err := b.runner.Run(ctx); err != nil {
		b.log.Warn("backups did not stop cleanly", "error", err)
	}
}

// readLast finds out when the last backup was made, for the metrics. Another process
// may have made it, or this one before it was started again.
func (b *scheduledBackups) readLast(ctx context.Context) {
	m, err := b.settings.newestBackup(ctx)
	switch {
	case err == nil:
		b.made(m)
	case !errors.Is(err, backup.ErrNone) && ctx.Err() == nil:
		b.log.Warn("the last backup is not known", "error", err)
	}
}

func (b *scheduledBackups) made(m *backup.Manifest) {
	b.last.Store(m.At.UnixMilli())
	b.size.Store(m.Database.Size + m.Files.Size)
}

func (b *scheduledBackups) make(ctx context.Context, _ *job.Job, _ makeBackup) error {
	p, err := b.settings.place(ctx, "")
	var r backup.Report
	if err == nil {
		defer p.Close()
		r, err = p.Run(ctx, backup.Config{DB: b.o.db, Files: b.o.blobs, Folder: b.settings.Data, Keep: b.keep, Gentle: true})
	}
	if errors.Is(err, backup.ErrBusy) {
		return job.Snooze(time.Minute)
	}
	if r.Manifest != nil {
		b.made(r.Manifest)
		b.log.Info("made a backup", "moment", r.At, "database", r.Database.Size, "attachments", r.Count, "attachment_bytes", r.Files.Size,
			"stored", r.Stored, "took", r.Took, "missing", r.Missing, "removed", r.Removed)
	}
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case r.Manifest != nil: // to make another would not help
		b.failed.Add(1)
		b.log.Error("old backups could not be removed", "error", err)
		return nil
	}
	b.failed.Add(1)
	b.log.Error("a backup failed and is tried again", "error", err)
	return err
}

// registerMetrics exports what became of the backups. Of several nodes, each knows those
// that it made and the last one before its start, so the latest of their answers counts.
func (b *scheduledBackups) registerMetrics(m *telemetry.Metrics) {
	if b == nil {
		return
	}
	m.Gauge("frontdesk_backup_interval_seconds", "How often a backup should be made.", b.settings.Backup.BackupEvery.Seconds)
	m.Gauge("frontdesk_backup_last_success_timestamp_seconds", "The moment of the last backup that this process knows. 0 if it knows none.", func() float64 { return float64(b.last.Load()) / 1000 })
	m.Gauge("frontdesk_backup_size_bytes", "The size of the database and the attachments in that backup.", func() float64 { return float64(b.size.Load()) })
	m.Counter("frontdesk_backup_failures_total", "Backups that failed, or after which old ones could not be removed.", func() uint64 { return uint64(b.failed.Load()) })
}

// moment writes the moment of a backup as --at takes it.
func moment(t time.Time) string { return t.Format("2006-01-02T15:04:05.000Z") }

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// unfinishedPath is where a database is written before it gets its name.
func unfinishedPath(data string) string { return filepath.Join(data, "frontdesk.db.unfinished") }
