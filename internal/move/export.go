package move

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"frontdesk/internal/blob"
	"frontdesk/internal/schema"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
)

// piece is how much of a file is in one row.
const piece = 1 << 20

// mark is sealed into a file, to recognise the key.
const mark = "the key of this account"

func markPlace(account int64) seal.Place {
	return seal.Place{Account: account, Column: "moved_account.mark"}
}

// Export writes an account into a new file. It is the account at one moment, while
// others read and write. The file gets its final name only when it is complete.
func Export(ctx context.Context, from Desk, account int64, path string, now time.Time, progress Progress) (s Summary, err error) {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return s, fmt.Errorf("%s is there already: choose another name", path)
	}
	unfinished := path + ".unfinished"
	if err := removeFile(unfinished); err != nil {
		return s, err
	}
	defer removeFile(unfinished)
	file, err := openFile(ctx, unfinished)
	if err != nil {
		return s, err
	}
	if err := os.Chmod(unfinished, 0o600); err != nil {
		file.Close()
		return s, err
	}
	s, err = fill(ctx, from, file, account, now, progress)
	if err = errors.Join(err, file.Close()); err != nil {
		return s, err
	}
	return s, os.Link(unfinished, path)
}

// removeFile removes what SQLite made under a name.
func removeFile(path string) error {
	for _, end := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(path + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// openFile opens a file with an account, or makes one, and updates its schema.
func openFile(ctx context.Context, path string) (*sqldb.DB, error) {
	db, err := sqldb.Open(ctx, sqldb.Config{URL: path, WriteTimeout: 24 * time.Hour})
	if err != nil {
		return nil, err
	}
	if _, err := db.Migrate(ctx, schema.Files); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// fill fills a new file: the rows first, then the files that they name.
func fill(ctx context.Context, from Desk, file *sqldb.DB, account int64, now time.Time, progress Progress) (s Summary, err error) {
	var keys []string
	err = file.Write(ctx, func(to *sqldb.Tx) error {
		s = Summary{Account: account, At: now}
		all, err := tables(to)
		if err != nil {
			return err
		}
		again := false
		return from.DB.Read(ctx, func(tx *sqldb.Tx) error {
			if again {
				return errors.New("the database was away while the account was read: try again")
			}
			again = true
			if err := tx.Row("SELECT name FROM accounts WHERE id = $1", account).Scan(&s.Name); errors.Is(err, sqldb.ErrNoRows) {
				return fmt.Errorf("there is no account %d", account)
			} else if err != nil {
				return err
			}
			copied, err := copyAccount(tx, to, all, account, progress)
			if err != nil {
				return err
			}
			s.count(copied)
			if keys, err = fileKeys(tx, account); err != nil {
				return err
			}
			if err := copyJobs(tx, to, account); err != nil {
				return err
			}
			given, err := readCounters(tx, from.DB.Engine(), all)
			if err != nil {
				return err
			}
			for name, last := range given {
				if err := setCounter(to, sqldb.SQLite, name, last); err != nil {
					return err
				}
			}
			return describe(to, s, from.Key.Seal(markPlace(account), []byte(mark)))
		})
	})
	if err != nil {
		return s, err
	}
	for i, key := range keys {
		switch n, err := copyFile(ctx, from.Blobs, file, key); {
		case errors.Is(err, blob.ErrNotFound):
			s.Missing = append(s.Missing, key)
		case err != nil:
			return s, fmt.Errorf("file %s: %w", key, err)
		default:
			s.Files++
			s.Bytes += n
		}
		progress("files", i+1)
	}
	return s, nil
}

func (s *Summary) count(copied map[string]int) {
	s.Requests = copied["requests"]
	s.Rows = 0
	for _, n := range copied {
		s.Rows += n
	}
}

// describe writes what is in the file besides the tables of the schema.
func describe(to *sqldb.Tx, s Summary, mark []byte) error {
	for _, statement := range []string{
		"CREATE TABLE moved_account (account BIGINT NOT NULL PRIMARY KEY, at BIGINT NOT NULL, mark @blob NOT NULL)",
		"CREATE TABLE moved_files (key TEXT NOT NULL, n BIGINT NOT NULL, bytes @blob NOT NULL, PRIMARY KEY (key, n))",
	} {
		if _, err := to.Exec(statement); err != nil {
			return err
		}
	}
	_, err := to.Exec("INSERT INTO moved_account (account, at, mark) VALUES ($1, $2, $3)", s.Account, s.At.UnixMilli(), mark)
	return err
}

// fileKeys returns the keys of the files that an account's rows name, each once.
func fileKeys(tx *sqldb.Tx, account int64) ([]string, error) {
	var q sqldb.Query
	for name, column := range fileColumns {
		if !q.IsEmpty() {
			q.Add(" UNION ")
		}
		q.Add(fmt.Sprintf("SELECT %s FROM %s WHERE account_id = ? AND %s IS NOT NULL", column, name, column), account)
	}
	return sqldb.Collect(tx, func(scan func(...any) error) (key string, err error) {
		err = scan(&key)
		return key, err
	}, q.String(), q.Args()...)
}

// copyFile copies an attachment into the file, in pieces.
func copyFile(ctx context.Context, from blob.Store, file *sqldb.DB, key string) (size int64, err error) {
	parsed, err := blob.ParseKey(key)
	if err != nil {
		return 0, err
	}
	r, err := from.Open(ctx, parsed)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	for n := 0; ; n++ {
		bytes, err := io.ReadAll(io.LimitReader(r, piece))
		if err != nil {
			return size, err
		}
		if len(bytes) == 0 && n > 0 {
			return size, nil
		}
		size += int64(len(bytes))
		err = file.Write(ctx, func(tx *sqldb.Tx) error {
			return tx.Do("INSERT INTO moved_files (key, n, bytes) VALUES ($1, $2, $3)", key, n, bytes)
		})
		if err != nil {
			return size, err
		}
	}
}

// jobColumns are the columns of a job that travels. It gets a new id, nobody runs it
// there yet, and its arguments are its own.
var jobColumns = []string{"kind", "args", "unique_key", "run_at", "failures", "last_error", "created_at", "dead_at", "queue"}

// copyJobs copies the jobs of an account, which is named in their arguments. In a
// file there are no others, so account is 0 where it is read.
func copyJobs(from, to *sqldb.Tx, account int64) error {
	columns := strings.Join(jobColumns, ", ")
	values, into := make([]any, len(jobColumns)), make([]any, len(jobColumns))
	for i := range values {
		into[i] = &values[i]
	}
	return from.Each(func(scan func(...any) error) error {
		if err := scan(into...); err != nil {
			return err
		}
		if account != 0 && jobAccount(values[1]) != account {
			return nil
		}
		// A job of the same name that waits there already does the same.
		_, err := to.Exec("INSERT INTO jobs ("+columns+`, args_id, owner, attempt)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, '', 0) ON CONFLICT DO NOTHING`, values...)
		return err
	}, "SELECT "+columns+" FROM jobs ORDER BY id")
}

// jobAccount returns the account that a job's arguments name, or 0.
func jobAccount(args any) int64 {
	text, isText := args.(string)
	if bytes, isBytes := args.([]byte); isBytes {
		text = string(bytes)
	} else if !isText {
		return 0
	}
	var named struct{ Account int64 }
	if json.Unmarshal([]byte(text), &named) != nil {
		return 0
	}
	return named.Account
}
