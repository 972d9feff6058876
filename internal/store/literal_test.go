package store_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// All accounts share the same tables, so each statement must say which account it
// means. These tests read the statements from the source. If a statement names
// tables that have account_id, it must compare account_id (or insert it) as often
// as it names such tables. A statement for every account says why:
//
//	/* every account: one sequencer for all */
//
// The test counts; it does not understand SQL. It is meant to catch the forgotten
// condition, which no test of a single account can notice.

func TestLiteralsNameTheirAccount(t *testing.T) {
	tables := accountTables(t)
	packages := map[string][]*ast.File{}
	fset := token.NewFileSet()
	files := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if path == filepath.Join("..", "sandbox") {
			return fs.SkipDir // a separate world with its own tables
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files++
		packages[filepath.Dir(path)] = append(packages[filepath.Dir(path)], file)
		return nil
	})
	must(t, err)
	statements := 0
	for _, pkg := range packages {
		for _, l := range literals(pkg) {
			if problem := checkLiteral(l.text, tables); problem != "" {
				t.Errorf("%s: %s:\n%s", fset.Position(l.at), problem, l.text)
			}
			if len(mentions(l.text, tables)) > 0 {
				statements++
			}
		}
	}
	// Check that the test looks where the statements are.
	if files < 50 || statements < 30 {
		t.Errorf("only %d statements were found in %d files", statements, files)
	}
}

func TestCheckLiteral(t *testing.T) {
	tables := []string{"members", "tokens", "events"}
	for _, c := range []struct {
		text string
		ok   bool
	}{
		{"SELECT name FROM members WHERE account_id = $1 AND id = $2", true},
		{"SELECT name FROM members WHERE account_id=$1", true},
		{"SELECT name FROM members m WHERE m.account_id = $1", true},
		{"INSERT INTO members (account_id, name) VALUES ($1, $2)", true},
		{"INSERT INTO members (name, account_id) VALUES ($1, $2) RETURNING id", true},
		{"UPDATE members SET name = $1 WHERE account_id = $2 AND id = $3", true},
		{"DELETE FROM members WHERE account_id = $1", true},
		{"SELECT id FROM accounts WHERE id = $1", true},
		{"SELECT a.id FROM accounts a JOIN members m ON m.account_id = a.id", true},
		{"SELECT id FROM members WHERE account_id = $1 AND id IN (SELECT member_id FROM tokens WHERE account_id = $1)", true},
		{"/* every account: a token is how the account is found */ SELECT id FROM tokens WHERE prefix = $1", true},
		{"choose from members", true}, // not a statement
		{"members", true},
		{"SELECT id FROM members_of_parliament", true},

		{"SELECT name FROM members WHERE id = $1", false},
		{"select name from members where id = $1", false},
		{"SELECT account_id FROM members WHERE id = $1", false}, // read, not compared
		{"SELECT name\n\t\tFROM\n\t\tmembers\n\t\tWHERE id = $1", false},
		{"SELECT name FROM \"members\" WHERE id = $1", false},
		{"INSERT INTO members (name) VALUES ($1)", false},
		{"INSERT INTO members VALUES ($1)", false},
		{"UPDATE members SET name = $1 WHERE id = $2", false},
		{"DELETE FROM members", false},
		{"SELECT id FROM accounts a JOIN members m ON m.id = a.owner", false},
		{"SELECT 1 FROM accounts a, members m WHERE m.id = a.owner", false},
		{"SELECT id FROM members WHERE account_id = $1 AND id IN (SELECT member_id FROM tokens WHERE prefix = $2)", false},
		{"WITH x AS (SELECT id FROM events) SELECT * FROM x", false},
		{"/* every account */ SELECT id FROM tokens", false},        // gives no reason
		{"/* every account: */ SELECT id FROM tokens", false},       // neither does this
		{"UPDATE members SET account_id = $1 WHERE id = $2", false}, // set, not compared
	} {
		if problem := checkLiteral(c.text, tables); (problem == "") != c.ok {
			t.Errorf("%s\nproblem %q, want it fine: %v", c.text, problem, c.ok)
		}
	}
}

// Statements that are put together from constants are read as a whole.
func TestLiterals(t *testing.T) {
	const source = `package p

import "fmt"

const columns = "id, " + more
const more = "name"
const (
	table = "members"
	other, where = "tokens", " WHERE id = $1"
)

type tx struct{}
func (tx) Row(string, ...any) {}

func f(t tx, filter string) {
	t.Row("SELECT " + columns + " FROM " + table + where)
	t.Row("SELECT " + columns + " FROM members WHERE account_id = $1" + filter)
	t.Row(("SELECT " + filter) + (" FROM " + other))
	const table = "accounts"
	t.Row("SELECT id FROM " + table)
	t.Row(fmt.Sprintf("SELECT id FROM %s", table))
	t.Row(` + "`DELETE FROM members`" + `)
}
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, parser.SkipObjectResolution)
	must(t, err)
	var found []string
	for _, l := range literals([]*ast.File{file}) {
		if strings.Contains(l.text, "FROM") {
			found = append(found, l.text)
		}
	}
	want := []string{
		"SELECT id, name FROM members WHERE id = $1",
		"SELECT id, name FROM members WHERE account_id = $1 … ",
		"SELECT  …  FROM tokens",
		// Two constants have the name table, so both are tried everywhere.
		"SELECT id, name FROM accounts WHERE id = $1", "SELECT id FROM members", "SELECT id FROM accounts",
		"SELECT id FROM %s",
		"DELETE FROM members",
	}
	slices.Sort(found)
	slices.Sort(want)
	if !slices.Equal(found, want) {
		t.Errorf("found %q\nwant  %q", found, want)
	}
}

// indexExceptions are the indexes of account tables that do not start with
// account_id, with the reason.
var indexExceptions = map[string]string{
	"tokens_prefix":         "a token is how the account is found",
	"events_unnumbered":     "one sequencer works for every account",
	"integrations_external": "a workspace is how the account is found",
	"audit_logs_unnumbered": "one sequencer works for every account",
}

func TestIndexesBeginWithTheAccount(t *testing.T) {
	tables := accountTables(t)
	queries := map[sqldb.Engine]string{
		// This includes the indexes that a UNIQUE in a table creates.
		sqldb.SQLite: `SELECT i.name, m.name, c.name FROM sqlite_schema m JOIN pragma_index_list(m.name) i JOIN pragma_index_info(i.name) c
			WHERE m.type = 'table' AND i.origin <> 'pk' AND c.seqno = 0`,
		sqldb.Postgres: `SELECT i.relname, t.relname, a.attname FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
			JOIN pg_attribute a ON a.attrelid = x.indexrelid AND a.attnum = 1
			WHERE t.relnamespace = current_schema()::regnamespace AND NOT x.indisprimary`,
	}
	each(t, func(t *testing.T, s *store.Store, _ *clock) {
		type index struct{ name, table, first string }
		var indexes []index
		must(t, s.DB().Read(ctx, func(tx *sqldb.Tx) (err error) {
			indexes, err = sqldb.Collect(tx, func(scan func(...any) error) (x index, err error) {
				err = scan(&x.name, &x.table, &x.first)
				return x, err
			}, queries[s.DB().Engine()])
			return err
		}))
		seen := map[string]bool{}
		for _, x := range indexes {
			if !slices.Contains(tables, x.table) {
				continue
			}
			seen[x.name] = true
			if _, excepted := indexExceptions[x.name]; excepted == (x.first == "account_id") {
				t.Errorf("%s of %s begins with %s; an exception: %v", x.name, x.table, x.first, excepted)
			}
		}
		for name := range indexExceptions {
			if !seen[name] {
				t.Errorf("there is no index %s to make an exception for", name)
			}
		}
		if len(seen) < 10 {
			t.Errorf("only %d indexes were found", len(seen))
		}
	})
}

// accountTables returns the tables that have account_id, as the migrations create
// them.
func accountTables(t *testing.T) []string {
	t.Helper()
	tablesOnce.Do(func() {
		db := dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite)})
		must(t, db.Read(ctx, func(tx *sqldb.Tx) (err error) {
			tablesFound, err = sqldb.Collect(tx, func(scan func(...any) error) (name string, err error) {
				err = scan(&name)
				return name, err
			}, `SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'account_id' ORDER BY m.name`)
			return err
		}))
	})
	if len(tablesFound) < 6 || !slices.Contains(tablesFound, "members") || slices.Contains(tablesFound, "accounts") {
		t.Fatalf("the tables with account_id are %v", tablesFound)
	}
	return tablesFound
}

var (
	tablesOnce  sync.Once
	tablesFound []string
)

var (
	isStatement = regexp.MustCompile(`(?is)\b(SELECT\b.*\bFROM|INSERT\s+INTO|UPDATE|DELETE\s+FROM|TRUNCATE)\b`)
	// A table name follows one of these words, or a comma after them.
	namesTable  = regexp.MustCompile(`(?i)\b(?:FROM|JOIN|INTO|UPDATE|TRUNCATE(?:\s+TABLE)?|USING)\s+((?:[\w".]+(?:\s+(?:AS\s+)?\w+)?\s*,\s*)*[\w".]+)`)
	insertsInto = regexp.MustCompile(`(?i)\bINTO\s+[\w".]+\s*\([^)]*\baccount_id\b`)
	compares    = regexp.MustCompile(`(?i)\baccount_id\s*=|=\s*(?:\w+\.)?account_id\b`)
	assigns     = regexp.MustCompile(`(?is)\bSET\b.*?(?:\bWHERE\b|$)`)
	everyone    = regexp.MustCompile(`/\* every account: \S.*\*/`)
)

// mentions returns the tables that a statement names, once for each time.
func mentions(text string, tables []string) (named []string) {
	if !isStatement.MatchString(text) {
		return nil
	}
	for _, m := range namesTable.FindAllStringSubmatch(text, -1) {
		for part := range strings.SplitSeq(m[1], ",") {
			name, _, _ := strings.Cut(strings.TrimSpace(part), " ")
			if name = strings.ToLower(strings.Trim(name, `"`)); slices.Contains(tables, name) {
				named = append(named, name)
			}
		}
	}
	return named
}

// checkLiteral returns what is wrong with a statement, or "" if nothing is.
func checkLiteral(text string, tables []string) string {
	named := mentions(text, tables)
	if len(named) == 0 || everyone.MatchString(text) {
		return ""
	}
	conditions := assigns.ReplaceAllStringFunc(text, func(set string) string {
		return strings.ReplaceAll(set, "account_id", "") // set, not compared
	})
	if has := len(compares.FindAllString(conditions, -1)) + len(insertsInto.FindAllString(text, -1)); has < len(named) {
		return fmt.Sprintf("it names %s and account_id only %d times; add it, or say /* every account: why */", strings.Join(named, ", "), has)
	}
	return ""
}

type literal struct {
	at   token.Pos
	text string
}

// literals returns the texts in a package: each string literal, and for a sum of
// several the whole. A part of a sum that is not a constant becomes …
func literals(files []*ast.File) (found []literal) {
	consts := constants(files)
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			switch e := e.(type) {
			case *ast.BasicLit:
				if e.Kind == token.STRING {
					found = append(found, literal{e.Pos(), constant.StringVal(constant.MakeFromLiteral(e.Value, e.Kind, 0))})
				}
			case *ast.BinaryExpr:
				if e.Op != token.ADD {
					return true
				}
				texts := textsOf(e, consts)
				for _, text := range texts {
					found = append(found, literal{e.Pos(), text})
				}
				return false // its parts are included
			}
			return true
		})
	}
	slices.SortFunc(found, func(a, b literal) int { return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.text, b.text)) })
	return slices.Compact(found)
}

// textsOf returns the texts that an expression may be. There are several if more
// than one constant has the name.
func textsOf(e ast.Expr, consts map[string][]ast.Expr) []string {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return textsOf(e.X, consts)
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			return []string{constant.StringVal(constant.MakeFromLiteral(e.Value, e.Kind, 0))}
		}
	case *ast.Ident:
		var all []string
		for _, value := range consts[e.Name] {
			all = append(all, textsOf(value, consts)...)
		}
		if all != nil {
			return all
		}
	case *ast.BinaryExpr:
		var all []string
		for _, left := range textsOf(e.X, consts) {
			for _, right := range textsOf(e.Y, consts) {
				all = append(all, left+right)
			}
		}
		return all
	}
	return []string{" … "}
}

// constants returns the values of a package's constants by name.
func constants(files []*ast.File) map[string][]ast.Expr {
	all := map[string][]ast.Expr{}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			d, ok := n.(*ast.GenDecl)
			if !ok || d.Tok != token.CONST {
				return true
			}
			for _, spec := range d.Specs {
				v := spec.(*ast.ValueSpec)
				for i, name := range v.Names {
					if i < len(v.Values) {
						all[name.Name] = append(all[name.Name], v.Values[i])
					}
				}
			}
			return true
		})
	}
	return all
}
