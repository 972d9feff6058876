package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"time"

	"frontdesk/internal/chain"
	"frontdesk/internal/desk"
	"frontdesk/internal/index"
	"frontdesk/internal/job"
	"frontdesk/internal/schema"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
)

// checkDatabase opens the database, and looks at its schema.
func (e *examination) checkDatabase(ctx context.Context) []finding {
	const check = "database"
	at, err := e.databaseURL()
	if err != nil {
		return []finding{wrong(check, "", "%s.", asSentence(err))}
	}
	if e.DatabaseURL == "" {
		if _, err := os.Stat(at); errors.Is(err, fs.ErrNotExist) {
			return []finding{note(check, "If there should be one, look at FRONTDESK_DATA.", "There is no database yet. The first start creates %s.", at)}
		}
	}
	db, err := sqldb.Open(ctx, sqldb.Config{URL: at, Log: quietLog})
	if err != nil {
		return []finding{wrong(check, "Look at FRONTDESK_DATABASE_URL or FRONTDESK_DATA, and whether the database runs.", "%s.", asSentence(err))}
	}
	migrated, err := db.Migrated(ctx, schema.Files)
	switch {
	case err != nil:
		err = fmt.Errorf("it cannot be read: %w", err)
	case migrated:
		_, err = db.Migrate(ctx, schema.Files) // runs none; refuses a schema of a newer version
	}
	if err != nil {
		db.Close()
		return []finding{wrong(check, "Use the version of Frontdesk that used this database last.", "%s.", asSentence(err))}
	}
	if !migrated {
		db.Close()
		return []finding{note(check, "Start the server, or run: frontdesk migrate", "The schema is of an older version. The next start updates it.")}
	}
	e.db = db
	return []finding{ok(check, "The database (%s) answers, and its schema is up to date.", db.Engine())}
}

// postgresState is what a PostgreSQL server says about itself.
type postgresState struct {
	version                        int64 // 170004 is 17.4
	connections, reserved          int64
	inUse                          int64
	synchronous, readOnly          string
	replica                        bool
	statementTimeout, idleSessions string
	skew                           time.Duration // of its clock
}

// checkPostgres asks a PostgreSQL server how it is set.
func (e *examination) checkPostgres(ctx context.Context) []finding {
	if e.db == nil || e.db.Engine() != sqldb.Postgres {
		return nil
	}
	var p postgresState
	var texts [3]string
	var micros int64
	before := time.Now()
	err := e.db.Look(ctx, func(tx *sqldb.Tx) error {
		return tx.Row(`SELECT current_setting('server_version_num'), current_setting('max_connections'), current_setting('superuser_reserved_connections'),
			current_setting('synchronous_commit'), current_setting('default_transaction_read_only'), pg_is_in_recovery(), current_setting('statement_timeout'),
			coalesce(current_setting('idle_session_timeout', TRUE), '0'), (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
			CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)`).Scan(&texts[0], &texts[1], &texts[2],
			&p.synchronous, &p.readOnly, &p.replica, &p.statementTimeout, &p.idleSessions, &p.inUse, &micros)
	})
	took := time.Since(before)
	for i, n := range []*int64{&p.version, &p.connections, &p.reserved} {
		if err == nil {
			*n, err = strconv.ParseInt(texts[i], 10, 64)
		}
	}
	if err != nil {
		return []finding{wrong("PostgreSQL", "", "Its settings cannot be read: %v.", err)}
	}
	p.skew = time.UnixMicro(micros).Sub(before.Add(took / 2))
	all := append(p.judge(int64(e.DatabaseConnections)), judgeSkew(p.skew, took))
	if e.DatabaseReplicaURL != "" {
		all = append(all, judgeReplica(e.db.CheckReplica(ctx)))
	}
	return all
}

// judgeReplica judges what the replica answered.
func judgeReplica(err error) finding {
	const check = "replica"
	if err != nil {
		return note(check, "See that it runs and follows the primary. Until it does, the primary answers.", "It cannot answer lists, searches and insights: %v.", err)
	}
	return ok(check, "It answers lists, searches and insights, and has everything that the primary has.")
}

// judge says what is wrong with a PostgreSQL server. node is how many connections a node
// opens at most.
func (p postgresState) judge(node int64) (all []finding) {
	const check = "PostgreSQL"
	if p.version < 140000 {
		all = append(all, note(check, "Use PostgreSQL 14 or later.", "Version %d is old, and no longer maintained.", p.version/10000))
	}
	if p.replica || p.readOnly == "on" {
		all = append(all, wrong(check, "Set FRONTDESK_DATABASE_URL to the primary. Several hosts and target_session_attrs=read-write find it by themselves.", "This server does not take changes: it is a replica or set to be read only."))
	}
	if p.synchronous == "off" {
		all = append(all, wrong(check, "Set synchronous_commit to on for this database.", "synchronous_commit is off: after a crash, changes that were acknowledged can be gone."))
	}
	room := p.connections - p.reserved
	switch do := "Raise max_connections, or lower FRONTDESK_DATABASE_CONNECTIONS. An upgrade runs two nodes together."; {
	case room < node:
		all = append(all, wrong(check, do, "It allows %d connections, and a node may open %d.", room, node))
	case room < 2*node:
		all = append(all, note(check, do, "It allows %d connections, which is enough for one node (%d are open now).", room, p.inUse))
	default:
		all = append(all, ok(check, "Version %d allows %d connections, which is enough for %d nodes (%d are open now).", p.version/10000, room, room/node, p.inUse))
	}
	if p.statementTimeout != "0" {
		all = append(all, note(check, "Set it to 0 for the user of Frontdesk.", "statement_timeout is %s: it can end migrations and backups.", p.statementTimeout))
	}
	if p.idleSessions != "0" {
		all = append(all, note(check, "Set it to 0 for the user of Frontdesk.", "idle_session_timeout is %s: it ends connections that wait for work.", p.idleSessions))
	}
	return all
}

// judgeSkew judges how far the clock of the database is from ours. Nodes go by the
// database's. Other systems compare theirs with ours, and are patient for minutes.
func judgeSkew(skew, took time.Duration) finding {
	const check, do = "clock", "Let both machines set their clocks by NTP."
	far := max(skew.Abs()-took, 0)
	switch text := far.Round(100 * time.Millisecond).String(); {
	case far > time.Minute:
		return wrong(check, do, "The clocks of this machine and of the database differ by %s. If this one is wrong, sign-in providers, Slack and file stores may refuse us; if it is the database's, every time that Frontdesk shows is wrong.", text)
	case far > 2*time.Second:
		return note(check, do, "The clocks of this machine and of the database differ by %s. Frontdesk goes by the database's, its log by this one.", text)
	}
	return ok(check, "The clocks of this machine and of the database agree.")
}

// checkKey looks whether the key is there, and whether it is that of the database.
func (e *examination) checkKey(ctx context.Context) []finding {
	const check = "key"
	const restore = "Restore the key file, or set FRONTDESK_KEY. Without the right key nobody can read stored secrets, and the audit log cannot be verified."
	var key *seal.Key
	var all []finding
	text, where := []byte(e.Key), "FRONTDESK_KEY"
	if e.Key == "" {
		var err error
		where = e.keyPath()
		switch text, err = os.ReadFile(where); {
		case errors.Is(err, fs.ErrNotExist):
			if marks, err := e.auditMarks(ctx); err == nil && len(marks) > 0 {
				return []finding{wrong(check, restore, "There is no key file %s, but the database was used with a key. A start would create another one.", where)}
			}
			return []finding{note(check, "", "There is no key file yet. The first start creates %s.", where)}
		case err != nil:
			return []finding{wrong(check, "Let the user of the server read it.", "%s.", asSentence(err))}
		}
		if at, err := os.Stat(where); err == nil && at.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
			all = append(all, note(check, "chmod 600 "+where, "Other users of this machine can read %s.", where))
		}
	}
	key, err := seal.ParseKey(string(text))
	if err != nil {
		return append(all, wrong(check, restore, "%s is not a key: %v.", where, err))
	}
	marks, err := e.auditMarks(ctx)
	if err != nil {
		return append(all, wrong(check, "", "Whether it is the key of this database cannot be found out: %v.", err))
	}
	for _, m := range marks {
		if !m.madeWith(key) {
			return append(all, wrong(check, restore, "The key is not that of this database: account %d was written with another one.", m.account))
		}
	}
	if len(marks) == 0 {
		return append(all, ok(check, "There is a key."))
	}
	return append(all, ok(check, "The key is that of this database."))
}

// auditMark is the end of an account's audit log, which only the right key can have
// made, and the marks of its last entries.
type auditMark struct {
	account int64
	end     []byte
	seqs    []int64
	marks   [][]byte
}

// madeWith reports whether a key made the mark. The newest entries may not be part of
// the chain yet, so the end is that of one of the last ones.
func (m auditMark) madeWith(key *seal.Key) bool {
	c := chain.New(key)
	for i, seq := range m.seqs {
		if bytes.Equal(m.end, c.EndMark(m.account, seq, m.marks[i])) {
			return true
		}
	}
	return bytes.Equal(m.end, c.EndMark(m.account, 0, nil))
}

// auditMarks reads the marks of the first and of the last account.
func (e *examination) auditMarks(ctx context.Context) (all []auditMark, err error) {
	if e.db == nil {
		return nil, nil
	}
	err = e.db.Read(ctx, func(tx *sqldb.Tx) (err error) {
		all, err = sqldb.Collect(tx, func(scan func(...any) error) (m auditMark, err error) {
			err = scan(&m.account, &m.end)
			return m, err
		}, `/* every account: one key for all */ SELECT account_id, audit_mac FROM sequences
			WHERE account_id IN (SELECT min(account_id) FROM sequences UNION SELECT max(account_id) FROM sequences)`)
		for i := range all {
			m := &all[i]
			_, err := sqldb.Collect(tx, func(scan func(...any) error) (struct{}, error) {
				var seq int64
				var mark []byte
				err := scan(&seq, &mark)
				m.seqs, m.marks = append(m.seqs, seq), append(m.marks, mark)
				return struct{}{}, err
			}, "SELECT seq, mac FROM audit_logs WHERE account_id = $1 AND seq IS NOT NULL AND mac IS NOT NULL ORDER BY seq DESC LIMIT 200", m.account)
			if err != nil {
				return err
			}
		}
		return err
	})
	return all, err
}

// backlog is what background work has not done.
type backlog struct {
	dead      int
	overdue   int
	oldest    time.Time // when the first of those was due
	events    int       // without a number for over a minute
	unindexed int       // accounts whose search index is behind
}

// mostDead is how many dead jobs the doctor counts.
const mostDead = 1000

// checkWork looks at what background work has left undone.
func (e *examination) checkWork(ctx context.Context) []finding {
	if e.db == nil {
		return nil
	}
	var b backlog
	now := time.Now()
	err := e.db.Read(ctx, func(tx *sqldb.Tx) error {
		letters, err := job.Dead(tx, mostDead)
		if err != nil {
			return err
		}
		b.dead = len(letters)
		var first *int64
		if err := tx.Row("SELECT count(*), min(run_at) FROM jobs WHERE dead_at IS NULL AND run_at < $1", now.Add(-5*time.Minute).UnixMilli()).Scan(&b.overdue, &first); err != nil {
			return err
		}
		if first != nil {
			b.oldest = time.UnixMilli(*first)
		}
		return tx.Row("/* every account: one sequencer for all */ SELECT count(*) FROM events WHERE seq IS NULL AND at < $1", now.Add(-time.Minute).UnixMilli()).Scan(&b.events)
	})
	if err == nil {
		var behind []desk.AccountID
		behind, err = index.Behind(ctx, e.db)
		b.unindexed = len(behind)
	}
	if err != nil {
		return []finding{wrong("background work", "", "What is left undone cannot be read: %v.", err)}
	}
	return b.judge(now)
}

// judge says what is wrong with background work.
func (b backlog) judge(now time.Time) (all []finding) {
	const check, run = "background work", "Is a server running? Its log says why it does not do it."
	if b.dead > 0 {
		all = append(all, wrong(check, "frontdesk jobs dead lists them with their errors. Once the cause is gone: frontdesk jobs retry --all", "Jobs that failed for good: %d.", b.dead))
	}
	if b.overdue > 0 {
		all = append(all, wrong(check, run, "Jobs that should have run: %d, the first of them %s ago.", b.overdue, now.Sub(b.oldest).Round(time.Minute)))
	}
	if b.events > 0 {
		all = append(all, wrong(check, run, "Events that webhooks and the feed do not see yet, after more than a minute: %d.", b.events))
	}
	if b.unindexed > 0 {
		all = append(all, note("search", "A running server completes them by itself.", "Accounts whose search index is behind: %d.", b.unindexed))
	}
	if len(all) == 0 {
		all = append(all, ok(check, "Nothing is left undone."))
	}
	return all
}
