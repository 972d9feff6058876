package sqldb_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// Many callers read and then write at once. At PostgreSQL's default level most of
// these writes would be lost.
func TestIncrementsAreNotLost(t *testing.T) {
	const callers, each = 8, 25
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		ctx := context.Background()
		do(t, db, "INSERT INTO leases (name, owner, until) VALUES ($1, $2, $3)", "n", "o", 0)
		var wg sync.WaitGroup
		for range callers {
			wg.Go(func() {
				for done := 0; done < each; {
					err := db.Write(ctx, func(tx *sqldb.Tx) error {
						var n int64
						if err := tx.Row("SELECT until FROM leases WHERE name = $1", "n").Scan(&n); err != nil {
							return err
						}
						_, err := tx.Exec("UPDATE leases SET until = $1 WHERE name = $2", n+1, "n")
						return err
					})
					switch {
					case err == nil:
						done++
					case !errors.Is(err, sqldb.ErrUnavailable): // it did not happen, so try again
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		var n int
		read(t, db, "SELECT until FROM leases WHERE name = $1", []any{"n"}, &n)
		if n != callers*each {
			t.Errorf("%d increments were kept, want %d", n, callers*each)
		}
	})
}

// read reads the first row of a query.
func read(t testing.TB, db *sqldb.DB, query string, args []any, dest ...any) {
	t.Helper()
	must(t, db.Read(context.Background(), func(tx *sqldb.Tx) error {
		return tx.Row(query, args...).Scan(dest...)
	}))
}

// SQLite reads $2 as a name and numbers parameters in order of appearance.
func TestPlaceholdersBindByNumber(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		type pair struct{ a, b string }
		for _, c := range []struct {
			query string
			want  pair
		}{
			{"SELECT CAST($1 AS TEXT), CAST($2 AS TEXT)", pair{"one", "two"}},
			{"SELECT CAST($2 AS TEXT), CAST($1 AS TEXT)", pair{"two", "one"}},
			{"SELECT CAST($2 AS TEXT) || CAST($1 AS TEXT) || CAST($2 AS TEXT), CAST($1 AS TEXT)", pair{"twoonetwo", "one"}},
		} {
			var got pair
			read(t, db, c.query, []any{"one", "two"}, &got.a, &got.b)
			if got != c.want {
				t.Errorf("%s gave %v, want %v", c.query, got, c.want)
			}
		}
		var args []any
		query := "SELECT ''"
		for n := 12; n > 0; n-- { // two digits, so that $1 could be mistaken for the start of $12
			args = append([]any{fmt.Sprint(n, ",")}, args...)
			query += fmt.Sprintf(" || CAST($%d AS TEXT)", n)
		}
		var got string
		read(t, db, query, args, &got)
		if want := "12,11,10,9,8,7,6,5,4,3,2,1,"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestReadSeesOneSnapshot(t *testing.T) {
	eachNotes(t, func(t *testing.T, db *sqldb.DB) {
		do(t, db, "INSERT INTO notes (writer, part) VALUES ('before', 1)")
		must(t, db.Read(context.Background(), func(tx *sqldb.Tx) error {
			for range 3 {
				counts, err := countNotes(tx)
				if err != nil {
					return err
				}
				if counts["during"] != 0 || counts["before"] != 1 {
					t.Errorf("the snapshot has changed: %v", counts)
				}
				must(t, db.Write(context.Background(), noting("during")))
			}
			return nil
		}))
		wantNotes(t, db, map[string]int{"before": 1, "during": 3})
	})
}

func TestReadCannotWrite(t *testing.T) {
	eachNotes(t, func(t *testing.T, db *sqldb.DB) {
		for _, statement := range []string{
			"INSERT INTO notes (writer, part) VALUES ('x', 1)", "DELETE FROM notes", "CREATE TABLE x (id @id)",
		} {
			if err := db.Read(context.Background(), func(tx *sqldb.Tx) error {
				_, err := tx.Exec(statement)
				return err
			}); err == nil {
				t.Errorf("%s worked", statement)
			}
		}
		wantNotes(t, db, map[string]int{})
	})
}

// Rows left open would keep the connection's old snapshot, and would keep the
// connection open when the database is closed.
func TestRowsLeftOpenAreClosed(t *testing.T) {
	const query = "SELECT writer, part FROM notes ORDER BY id"
	leaves := map[string]func(*sqldb.Tx) error{
		"returns": func(tx *sqldb.Tx) error {
			rows, err := tx.Query(query)
			if err == nil && !rows.Next() {
				return errors.New("no rows")
			}
			return err
		},
		"never scans": func(tx *sqldb.Tx) error {
			tx.Row(query)
			return nil
		},
		"fails to scan": func(tx *sqldb.Tx) error {
			rows, err := tx.Query(query)
			if err != nil {
				return err
			}
			var n int
			rows.Next()
			if err := rows.Scan(&n, &n); err == nil {
				t.Error("a word was scanned into a number")
			}
			return nil
		},
		"panics": func(tx *sqldb.Tx) error {
			_, err := sqldb.Collect(tx, func(func(...any) error) (int, error) { panic("tea") }, query)
			return err
		},
	}
	for name, leave := range leaves {
		t.Run(name, func(t *testing.T) {
			dbtest.EachURL(t, func(t *testing.T, url string) {
				// One connection, so that the next caller gets the same one.
				db, err := sqldb.Open(context.Background(), sqldb.Config{URL: url, Readers: 1, Connections: 2})
				must(t, err)
				addNotes(t, db)
				do(t, db, "INSERT INTO notes (writer, part) VALUES ('a', 1), ('b', 2)")
				for _, call := range []func(context.Context, func(*sqldb.Tx) error) error{db.Read, db.Write} {
					func() {
						defer func() { _ = recover() }()
						_ = call(context.Background(), leave)
					}()
				}
				do(t, db, "INSERT INTO notes (writer, part) VALUES ('c', 3)")
				for range 2 {
					var got []string
					must(t, db.Read(context.Background(), func(tx *sqldb.Tx) (err error) {
						got, err = sqldb.Collect(tx, func(scan func(...any) error) (s string, err error) {
							var part int
							err = scan(&s, &part)
							return s, err
						}, query)
						return err
					}))
					if strings.Join(got, "") != "abc" {
						t.Errorf("read %v, want a, b and c", got)
					}
				}
				closed := make(chan struct{})
				go func() {
					defer close(closed)
					db.Close()
				}()
				await(t, closed, "Close")
			})
		})
	}
}

// On PostgreSQL the connection is busy. On SQLite the same query text would advance
// the open rows. So both engines report a mistake.
func TestStatementWhileRowsAreOpenFails(t *testing.T) {
	eachNotes(t, func(t *testing.T, db *sqldb.DB) {
		do(t, db, "INSERT INTO notes (writer, part) VALUES ('a', 1), ('b', 2)")
		runs := 0
		err := db.Write(context.Background(), func(tx *sqldb.Tx) error {
			runs++
			rows, err := tx.Query("SELECT writer FROM notes")
			must(t, err)
			rows.Next()
			_, err = tx.Exec("DELETE FROM notes")
			return err
		})
		if !errors.Is(err, sqldb.ErrRowsOpen) || runs != 1 {
			t.Errorf("Write gave %v after %d runs", err, runs)
		}
		wantNotes(t, db, map[string]int{"a": 1, "b": 1})
		// Reading all rows closes them.
		must(t, db.Write(context.Background(), func(tx *sqldb.Tx) error {
			rows, err := tx.Query("SELECT writer FROM notes")
			must(t, err)
			for rows.Next() {
			}
			return note(tx, "after", 1)
		}))
	})
}

// On SQLite a statement after the end would run in another caller's savepoint.
func TestNothingRunsAfterTheEnd(t *testing.T) {
	eachNotes(t, func(t *testing.T, db *sqldb.DB) {
		for _, call := range []func(context.Context, func(*sqldb.Tx) error) error{db.Write, db.Claim, db.Read} {
			var kept *sqldb.Tx
			must(t, call(context.Background(), func(tx *sqldb.Tx) error {
				kept = tx
				return nil
			}))
			must(t, db.Write(context.Background(), func(*sqldb.Tx) error {
				if err := note(kept, "late", 1); !errors.Is(err, sqldb.ErrEnded) {
					t.Errorf("a late statement gave %v", err)
				}
				return nil
			}))
		}
		wantNotes(t, db, map[string]int{})
	})
}

func TestReturningGivesTheNewRow(t *testing.T) {
	eachNotes(t, func(t *testing.T, db *sqldb.DB) {
		var ids []int64
		must(t, db.Write(context.Background(), func(tx *sqldb.Tx) (err error) {
			var id int64
			if err := tx.Row("INSERT INTO notes (writer, part) VALUES ('one', 1) RETURNING id").Scan(&id); err != nil {
				return err
			}
			ids, err = sqldb.Collect(tx, func(scan func(...any) error) (id int64, err error) {
				err = scan(&id)
				return id, err
			},
				"INSERT INTO notes (writer, part) VALUES ('two', 1), ('two', 2) RETURNING id")
			ids = append(ids, id)
			return err
		}))
		if len(ids) != 3 {
			t.Errorf("got the ids %v, want three", ids)
		}
		// Even if only the first row is read.
		must(t, db.Write(context.Background(), func(tx *sqldb.Tx) error {
			var id int64
			return tx.Row("INSERT INTO notes (writer, part) VALUES ('first', 1), ('first', 2) RETURNING id").Scan(&id)
		}))
		wantNotes(t, db, map[string]int{"one": 1, "two": 2, "first": 2})
	})
}

func TestExecCountsTheRowsItChanged(t *testing.T) {
	eachNotes(t, func(t *testing.T, db *sqldb.DB) {
		must(t, db.Write(context.Background(), func(tx *sqldb.Tx) error {
			must(t, note(tx, "n", 3))
			for query, want := range map[string]int64{
				"UPDATE notes SET part = 9 WHERE part > 1":                                             2,
				"UPDATE notes SET part = 9 WHERE part = 77":                                            0,
				"INSERT INTO notes (id, writer, part) SELECT id, writer, part FROM notes WHERE id < 0": 0,
			} {
				if n, err := tx.Exec(query); err != nil || n != want {
					t.Errorf("%s changed %d rows, %v; want %d", query, n, err, want)
				}
			}
			return nil
		}))
	})
}

func TestStatementCacheIsBounded(t *testing.T) {
	eachNotes(t, func(t *testing.T, db *sqldb.DB) {
		const texts = 2*sqldb.StatementCacheSize + 10
		for _, call := range []func(context.Context, func(*sqldb.Tx) error) error{db.Write, db.Read} {
			must(t, call(context.Background(), func(tx *sqldb.Tx) error {
				for i := range 2 * texts {
					var got, again int
					if err := tx.Row(fmt.Sprintf("SELECT %d, CAST($1 AS BIGINT)", i%texts), i).Scan(&got, &again); err != nil {
						return err
					}
					if got != i%texts || again != i {
						t.Fatalf("text %d gave %d and %d", i, got, again)
					}
				}
				return nil
			}))
		}
		if db.Engine() == sqldb.SQLite {
			if n := db.CachedStatements(); n != sqldb.StatementCacheSize {
				t.Errorf("%d statements are kept, want %d", n, sqldb.StatementCacheSize)
			}
		}
	})
}

// A prepared statement survives a change of its table.
func TestStatementsFollowTheSchema(t *testing.T) {
	eachNotes(t, func(t *testing.T, db *sqldb.DB) {
		do(t, db, "INSERT INTO notes (writer, part) VALUES ('a', 1)")
		wantNotes(t, db, map[string]int{"a": 1})
		do(t, db, "ALTER TABLE notes ADD COLUMN extra TEXT")
		do(t, db, "INSERT INTO notes (writer, part) VALUES ('a', 1)")
		wantNotes(t, db, map[string]int{"a": 2})
	})
}

func TestIDsAreNeverReused(t *testing.T) {
	eachNotes(t, func(t *testing.T, db *sqldb.DB) {
		add := func() (id int64) {
			must(t, db.Write(context.Background(), func(tx *sqldb.Tx) error {
				return tx.Row("INSERT INTO notes (writer, part) VALUES ('n', 1) RETURNING id").Scan(&id)
			}))
			return id
		}
		add()
		newest := add()
		do(t, db, "DELETE FROM notes WHERE id = $1", newest)
		if id := add(); id <= newest {
			t.Errorf("the id %d came after %d, which was deleted", id, newest)
		}
		do(t, db, "DELETE FROM notes")
		if id := add(); id <= newest+1 {
			t.Errorf("the id %d came after all up to %d were deleted", id, newest+1)
		}
	})
}

// values is a table with every type that the schema uses.
const values = `CREATE TABLE vals (
	id @id, text TEXT, data @json, bytes @blob, flag BOOLEAN, number BIGINT)`

func TestTextSurvives(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		do(t, db, values)
		var controls strings.Builder
		for r := rune(1); r < ' '; r++ {
			controls.WriteRune(r)
		}
		for _, text := range []string{
			"", " ", "  both ends  ", controls.String() + "\x7f\u0085\u2028", "a\r\nb\nc\rd\te",
			`'single' "double" \back\ ` + "`tick`", "'; DROP TABLE vals; --", "$1 $2 ? :name @id @json", "%s %d %_",
			"<script>alert('x')</script>&amp;<!-- -->", "👩‍👩‍👧‍👦🇺🇳👍🏽 😀", "שלום עליכם \u202eRTL\u202c مرحبا",
			"e\u0301 is not é", "ÅÄÖ ñ ß ﬃ İı", "日本語 한국어 中文", "\ufeffmark first", "\U0010ffff\ufffd", strings.Repeat("long ", 100_000),
			"NULL", "0", "1e3", "  12", "2024-01-01", "true",
		} {
			do(t, db, "DELETE FROM vals")
			do(t, db, "INSERT INTO vals (text) VALUES ($1)", text)
			var got string
			read(t, db, "SELECT text FROM vals WHERE text = $1", []any{text}, &got)
			if got != text {
				t.Errorf("%.50q became %.50q", text, got)
			}
		}
	})
}

// PostgreSQL refuses text with NUL or invalid UTF-8, and SQLite stores both. So
// code that accepts text from outside must refuse them. This test records what
// happens otherwise.
func TestTextThatPostgresRefuses(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		do(t, db, values)
		for _, text := range []string{"a\x00b", "\x00", "not \xff UTF-8"} {
			err := db.Write(context.Background(), func(tx *sqldb.Tx) error {
				_, err := tx.Exec("INSERT INTO vals (text) VALUES ($1)", text)
				return err
			})
			if db.Engine() == sqldb.Postgres {
				if err == nil {
					t.Errorf("%q was taken", text)
				}
				continue
			}
			must(t, err)
			var got string
			read(t, db, "SELECT text FROM vals ORDER BY id DESC LIMIT 1", nil, &got)
			if got != text {
				t.Errorf("%q became %q", text, got)
			}
		}
	})
}

// Both engines return the same bytes, so that a keyed hash over them stays valid.
func TestJSONKeepsItsBytes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		do(t, db, values)
		for _, json := range []string{
			`{"b": 1,  "a": [true , null]}`, `{"a":1,"a":2}`, `1.0`, `1e400`, `12345678901234567890.10`,
			"\n[ ]\t", `"\u00e9 é \ud83d\ude00 \/"`, `{"":{}}`, `null`, `{"html":"<b>&'\""}`,
		} {
			do(t, db, "DELETE FROM vals")
			do(t, db, "INSERT INTO vals (data) VALUES ($1)", json)
			var text string
			var bytes []byte
			read(t, db, "SELECT data, data FROM vals", nil, &text, &bytes)
			if text != json || string(bytes) != json {
				t.Errorf("%q became %q and %q", json, text, bytes)
			}
		}
	})
}

func TestBlobKeepsItsBytes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		do(t, db, values)
		all := make([]byte, 256)
		for i := range all {
			all[i] = byte(i)
		}
		for _, blob := range [][]byte{all, {0}, {0xff, 0xfe}, bytes.Repeat(all, 4096), {}} {
			do(t, db, "DELETE FROM vals")
			do(t, db, "INSERT INTO vals (bytes) VALUES ($1)", blob)
			var got []byte
			var null bool
			var size int
			read(t, db, "SELECT bytes, bytes IS NULL, length(bytes) FROM vals", nil, &got, &null, &size)
			if !bytes.Equal(got, blob) || null || size != len(blob) {
				t.Errorf("%d bytes became %d, NULL %v", len(blob), len(got), null)
			}
		}
		do(t, db, "DELETE FROM vals")
		do(t, db, "INSERT INTO vals (bytes) VALUES ($1)", []byte(nil))
		var null bool
		read(t, db, "SELECT bytes IS NULL FROM vals", nil, &null)
		if !null {
			t.Error("a nil slice was not NULL")
		}
	})
}

func TestNumbersAndFlagsSurvive(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		do(t, db, values)
		for _, number := range []int64{0, 1, -1, 1 << 53, 1<<53 + 1, math.MaxInt64, math.MinInt64} {
			for _, flag := range []bool{true, false} {
				do(t, db, "DELETE FROM vals")
				do(t, db, "INSERT INTO vals (number, flag) VALUES ($1, $2)", number, flag)
				var gotNumber int64
				var gotFlag, where bool
				read(t, db, "SELECT number, flag, flag = $1 FROM vals WHERE number = $2", []any{true, number}, &gotNumber, &gotFlag, &where)
				if gotNumber != number || gotFlag != flag || where != flag {
					t.Errorf("%d, %v became %d, %v, %v", number, flag, gotNumber, gotFlag, where)
				}
			}
		}
	})
}

func TestNullIsNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		do(t, db, values)
		do(t, db, "INSERT INTO vals (text, data, bytes, flag, number) VALUES ($1, $2, $3, $4, $5)", nil, nil, nil, nil, (*int64)(nil))
		var text *string
		var data sql.NullString
		var blob []byte
		var flag *bool
		var number sql.NullInt64
		read(t, db, "SELECT text, data, bytes, flag, number FROM vals", nil, &text, &data, &blob, &flag, &number)
		if text != nil || data.Valid || blob != nil || flag != nil || number.Valid {
			t.Errorf("NULL became %v, %v, %v, %v, %v", text, data, blob, flag, number)
		}
	})
}

// A claim skips the rows that another claim has taken. On SQLite there is no other.
func TestSkipLockedPassesOverWhatIsTaken(t *testing.T) {
	eachNotes(t, func(t *testing.T, db *sqldb.DB) {
		do(t, db, "INSERT INTO notes (writer, part) VALUES ('a', 1), ('b', 1)")
		const next = "SELECT writer FROM notes ORDER BY id LIMIT 1 @skiplocked"
		must(t, db.Claim(context.Background(), func(tx *sqldb.Tx) error {
			var first, second string
			if err := tx.Row(next).Scan(&first); err != nil {
				return err
			}
			if db.Engine() == sqldb.SQLite {
				return nil
			}
			err := db.Claim(context.Background(), func(tx *sqldb.Tx) error { return tx.Row(next).Scan(&second) })
			if first != "a" || second != "b" {
				t.Errorf("claimed %q and %q, want a and b", first, second)
			}
			return err
		}))
	})
}

func TestPathMayHoldAnyCharacter(t *testing.T) {
	for _, name := range []string{
		"with space.db", "what?.db", "a?mode=memory", "#1.db", "100%.db", "%41.db", "a&b=c;d+e.db", "ünï.db", "-dash.db", "colon:.db",
		filepath.Join("new", "folder", "x.db"),
	} {
		path := filepath.Join(t.TempDir(), name)
		db, err := sqldb.Open(context.Background(), sqldb.Config{URL: path})
		must(t, err)
		addNotes(t, db)
		must(t, db.Write(context.Background(), noting("n")))
		wantNotes(t, db, map[string]int{"n": 1}) // a reader would open the file again
		must(t, db.Close())
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestPathMayBeRelative(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	for _, path := range []string{"plain.db", "./dot.db", "/" + folder + "/slashes.db"} {
		db, err := sqldb.Open(context.Background(), sqldb.Config{URL: path})
		must(t, err)
		addNotes(t, db)
		wantNotes(t, db, map[string]int{})
		must(t, db.Close())
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}

func TestFolderThatCannotBeWrittenIsNamed(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	must(t, os.WriteFile(file, []byte("not a database, and longer than a header of one hundred bytes"+strings.Repeat(".", 100)), 0o600))
	paths := []string{
		filepath.Join(file, "x.db"),        // under a regular file: root could write to any folder
		filepath.Join(file, "sub", "x.db"), // this folder cannot be created either
		file,                               // not a database
		folder,                             // not even a file
	}
	if os.Geteuid() != 0 {
		locked := filepath.Join(folder, "locked")
		must(t, os.Mkdir(locked, 0o500))
		paths = append(paths, filepath.Join(locked, "x.db"))
	}
	for _, path := range paths {
		db, err := sqldb.Open(context.Background(), sqldb.Config{URL: path})
		if err == nil {
			db.Close()
		}
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s gave %v", path, err)
		}
	}
}

func TestPingAnswers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		must(t, db.Ping(context.Background()))
		must(t, db.Close())
		if err := db.Ping(context.Background()); !errors.Is(err, sqldb.ErrUnavailable) {
			t.Errorf("after Close Ping gave %v, want ErrUnavailable", err)
		}
	})
}

// Callers of one turn do not conflict, however many there are and however many
// processes they are in.
func TestWriteInTurn(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		processes := []*sqldb.DB{dbtest.Open(t, sqldb.Config{URL: url})}
		if processes[0].Engine() == sqldb.Postgres {
			processes = append(processes, dbtest.Open(t, sqldb.Config{URL: url}))
		}
		db := processes[0]
		must(t, db.Write(t.Context(), func(tx *sqldb.Tx) error {
			if _, err := tx.Exec("CREATE TABLE turns (n BIGINT NOT NULL)"); err != nil {
				return err
			}
			_, err := tx.Exec("INSERT INTO turns (n) VALUES (0)")
			return err
		}))
		var running sync.WaitGroup
		for i := range 8 {
			running.Go(func() {
				for range 10 {
					if err := processes[i%len(processes)].WriteInTurn(t.Context(), 7, func(tx *sqldb.Tx) error {
						var n, again int
						if err := tx.Row("SELECT n FROM turns").Scan(&n); err != nil {
							return err
						}
						if _, err := tx.Exec("UPDATE turns SET n = $1", n+1); err != nil {
							return err
						}
						err := tx.Row("SELECT n FROM turns").Scan(&again)
						if again != n+1 {
							t.Errorf("it was %d, and after one more it is %d", n, again)
						}
						return err
					}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		running.Wait()
		var n int
		must(t, db.Read(t.Context(), func(tx *sqldb.Tx) error { return tx.Row("SELECT n FROM turns").Scan(&n) }))
		if n != 80 {
			t.Errorf("80 callers counted to %d", n)
		}
		for _, db := range processes {
			if again := db.Stats().Retries; again != 0 {
				t.Errorf("%d callers ran again", again)
			}
		}
		ended, end := context.WithCancel(t.Context())
		end()
		if err := db.WriteInTurn(ended, 7, func(*sqldb.Tx) error { t.Error("it ran"); return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("a wait that has ended gives %v", err)
		}
	})
}

// A caller that stalls in the middle of a turn does not block the others for good.
// The transaction ends. If the whole process stalls, the server ends it.
func TestATurnEnds(t *testing.T) {
	url := dbtest.URL(t, sqldb.Postgres)
	stopped, other := dbtest.Open(t, sqldb.Config{URL: url, WriteTimeout: 2 * time.Second}), dbtest.Open(t, sqldb.Config{URL: url})
	has, release := make(chan struct{}), make(chan struct{})
	var held sync.WaitGroup
	held.Go(func() {
		_ = stopped.WriteInTurn(context.Background(), 7, func(tx *sqldb.Tx) error {
			var bound string
			if err := tx.Row("SHOW idle_in_transaction_session_timeout").Scan(&bound); err != nil || bound != "1s" {
				t.Errorf("the server waits for %s, %v", bound, err)
			}
			close(has)
			<-release
			return nil
		})
	})
	<-has
	must(t, other.WriteInTurn(t.Context(), 7, func(*sqldb.Tx) error { return nil }))
	close(release)
	held.Wait()
}
