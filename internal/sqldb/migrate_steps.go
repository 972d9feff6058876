package sqldb

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// On a PostgreSQL server in use a migration runs in steps, while nodes of the version
// before go on reading and writing:
//
//	CREATE TABLE, with its indexes and rows  one short transaction, and one for each older table it refers to
//	ALTER TABLE, DROP, CREATE FUNCTION,
//	ALTER INDEX … SET                        one short transaction each
//	INSERT, SELECT                           one transaction each; they keep no writer waiting
//	CREATE INDEX on an older table           CREATE INDEX CONCURRENTLY, in no transaction
//	UPDATE, DELETE                           in pieces, by primary key
//
//  1. A step never waits long for a lock, because every writer would queue behind it. It
//     gives up, leaves the others some time and tries again. Where it can, it locks only one
//     table of others at a time, and so takes part in no deadlock. Autovacuum stops only for
//     whoever has waited a second. So a step first takes a lock that keeps nobody but
//     autovacuum away, and waits longer for that one.
//  2. Each step notes in the table schema_steps that it is done, in its own transaction.
//     Whoever continues a migration begins where it was left, even in the middle of the
//     pieces. An index cannot be noted like that, so it is looked for: a broken one is
//     dropped and built again.
//  3. The version of the database changes last.
//  4. A statement that is not in the table above is an error. The runner must know how long
//     it keeps others waiting.
//  5. An index that is dropped and created again under the same name is replaced once the
//     new one is complete. Queries that need it never do without.

// way is how a step runs.
type way string

const (
	inTransaction way = "in a transaction"
	concurrently  way = "concurrently"
	inPieces      way = "in pieces"
)

// A migrationStep is a part of a migration.
type migrationStep struct {
	way        way
	statements []string // several only if it is a new table and what belongs to it
	locks      []string // older tables that it locks, known from the text
	table      string   // that is created, gets an index, or is changed in pieces
	index      string   // that is built
	replaces   bool     // there is an older index of that name
}

// The statements that migrations use. The first group is the name of a table, or of an
// index that is dropped.
var (
	createTable = regexp.MustCompile(`^CREATE TABLE (\w+) \(`)
	createIndex = regexp.MustCompile(`^(CREATE (?:UNIQUE )?INDEX) (\w+) ON (\w+) `)
	createOther = regexp.MustCompile(`^CREATE (?:FUNCTION|AGGREGATE) (\w+)`)
	alterTable  = regexp.MustCompile(`^ALTER TABLE (\w+) (?:ADD COLUMN|DROP COLUMN|RENAME COLUMN) (\w+)`)
	alterIndex  = regexp.MustCompile(`^ALTER INDEX (\w+) SET \(`)
	dropTable   = regexp.MustCompile(`^DROP TABLE (\w+)$`)
	dropIndex   = regexp.MustCompile(`^DROP INDEX (\w+)$`)
	insertRows  = regexp.MustCompile(`^INSERT INTO (\w+) `)
	changeRows  = regexp.MustCompile(`^(?:UPDATE (\w+) SET\b|DELETE FROM (\w+)(?: WHERE\b|$))`)
	references  = regexp.MustCompile(`REFERENCES (\w+)`)
	referring   = regexp.MustCompile(`((\w+)\s[^,()]*?)\s(REFERENCES (\w+) \(\w+\))`)
	// A column that PostgreSQL can only add by writing or reading the whole table.
	slowColumn    = regexp.MustCompile(`ADD COLUMN [^']*(?:@id|GENERATED|UNIQUE|PRIMARY KEY|CHECK|DEFAULT\s+(?:\w+\s*\(|\())`)
	selectNothing = regexp.MustCompile(`^SELECT `)
)

// planSteps returns the steps of a migration.
func planSteps(text string) ([]migrationStep, error) {
	all := statements(text)
	var steps []migrationStep
	made := map[string]bool{} // tables of this migration, which nobody uses yet
	dropped := map[string]bool{}
	for i, s := range all {
		if m := createTable.FindStringSubmatch(s); m != nil {
			made[m[1]] = true
			steps = append(steps, newTableSteps(s, m[1], made)...)
			continue
		}
		if m := createIndex.FindStringSubmatch(s); m != nil && !made[m[3]] {
			steps = append(steps, migrationStep{way: concurrently, statements: []string{s}, table: m[3], index: m[2], replaces: dropped[m[2]]})
			continue
		}
		if m := dropIndex.FindStringSubmatch(s); m != nil && isCreated(m[1], all[i:], made) {
			dropped[m[1]] = true
			continue
		}
		if m := changeRows.FindStringSubmatch(s); m != nil {
			steps = append(steps, migrationStep{way: inPieces, statements: []string{s}, table: m[1] + m[2]})
			continue
		}
		if first := tableSteps(steps, ownTable(s)); first != nil {
			first.statements = append(first.statements, s)
			continue
		}
		if slowColumn.MatchString(s) || !slices.ContainsFunc([]*regexp.Regexp{createIndex, createOther, alterTable, alterIndex, dropTable, dropIndex, insertRows, selectNothing},
			func(known *regexp.Regexp) bool { return known.MatchString(s) }) {
			return nil, fmt.Errorf("it is not known how to run this beside other nodes: %s", firstLine(s))
		}
		steps = append(steps, migrationStep{way: inTransaction, statements: []string{s}, locks: lockedTables(s, made)})
	}
	return steps, nil
}

// newTableSteps returns the steps of a CREATE TABLE. If the table refers to several older ones,
// each is a step: a transaction that has locked one table and waits for a second one, while a
// writer has the second and waits for the first, would be a deadlock.
func newTableSteps(s, table string, made map[string]bool) []migrationStep {
	locks := lockedTables(s, made)
	columns := referring.FindAllStringSubmatch(s, -1)
	if len(locks) < 2 || len(columns) < len(references.FindAllString(s, -1)) {
		return []migrationStep{{way: inTransaction, statements: []string{s}, table: table, locks: locks}}
	}
	steps := []migrationStep{{way: inTransaction, table: table}}
	for _, lock := range locks {
		next := migrationStep{way: inTransaction, table: table, locks: []string{lock}}
		for _, m := range columns {
			if column, reference := m[2], m[3]; m[4] == lock {
				s = strings.Replace(s, m[0], m[1], 1)
				next.statements = append(next.statements, fmt.Sprintf("ALTER TABLE %s ADD CONSTRAINT %s_%s_fkey FOREIGN KEY (%s) %s", table, table, column, column, reference))
			}
		}
		steps = append(steps, next)
	}
	steps[0].statements = []string{s}
	return steps
}

// tableSteps returns the first of the steps of a new table, if these are the last ones.
func tableSteps(steps []migrationStep, table string) (first *migrationStep) {
	for i := len(steps) - 1; i >= 0 && table != "" && steps[i].way == inTransaction && steps[i].table == table; i-- {
		first = &steps[i]
	}
	return first
}

// lockedTables returns the older tables that a statement changes or refers to, in the order of
// their names.
func lockedTables(s string, made map[string]bool) (tables []string) {
	for _, m := range append(references.FindAllStringSubmatch(s, -1), alterTable.FindAllStringSubmatch(s, 1)...) {
		if !made[m[1]] && !slices.Contains(tables, m[1]) {
			tables = append(tables, m[1])
		}
	}
	slices.Sort(tables)
	return tables
}

// ownTable returns the table that a statement adds an index or constant rows to.
func ownTable(s string) string {
	if m := createIndex.FindStringSubmatch(s); m != nil {
		return m[3]
	}
	if m := insertRows.FindStringSubmatch(s); m != nil && !strings.Contains(s, "SELECT") {
		return m[1]
	}
	return ""
}

// isCreated reports whether one of the statements creates an index of this name on an
// older table.
func isCreated(index string, all []string, made map[string]bool) bool {
	return slices.ContainsFunc(all, func(s string) bool {
		m := createIndex.FindStringSubmatch(s)
		return m != nil && m[2] == index && !made[m[3]]
	})
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// withCondition adds a condition to a statement.
func withCondition(statement, condition string) string {
	if i := findWhere(statement); i >= 0 {
		return statement[:i] + "WHERE (" + statement[i+len("WHERE "):] + "\n) AND " + condition
	}
	return statement + "\nWHERE " + condition
}

// findWhere returns where the WHERE of the statement itself begins, not that of a
// query in parentheses or a word in a text or comment. It returns -1 if there is none.
func findWhere(statement string) int {
	depth := 0
	for i := 0; i < len(statement); i++ {
		rest := statement[i:]
		switch {
		case rest[0] == '\'':
			i += 1 + strings.IndexByte(rest[1:], '\'')
		case strings.HasPrefix(rest, "/*"):
			i += 1 + strings.Index(rest, "*/")
		case rest[0] == '(':
			depth++
		case rest[0] == ')':
			depth--
		case depth == 0 && i > 0 && strings.HasPrefix(rest, "WHERE ") && strings.ContainsRune(" \n", rune(statement[i-1])):
			return i
		}
	}
	return -1
}
