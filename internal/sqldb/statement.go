package sqldb

import (
	"container/list"
	"context"
	"database/sql"
	"database/sql/driver"
	"regexp"
	"strconv"
	"strings"
)

// statementCacheSize is how many prepared statements a SQLite connection keeps.
// There are about as many query texts as the store has methods. Lists with filters
// add a few more.
const statementCacheSize = 256

// conn is a SQLite connection that prepares each query text once.
type conn struct {
	*sql.Conn
	statements *statementCache
}

func (c *conn) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	s, err := c.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}

func (c *conn) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := c.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

func (c *conn) prepared(ctx context.Context, query string) (*sql.Stmt, error) {
	if s := c.statements.get(query); s != nil {
		return s, nil
	}
	s, err := c.PrepareContext(ctx, nameless(limitParameter.ReplaceAllString(query, "LIMIT $1 + 0")))
	if err != nil {
		return nil, err
	}
	c.statements.put(query, s)
	return s, nil
}

// limitParameter matches a LIMIT that is a parameter. SQLite uses the value of such
// a parameter in the query plan, so it plans again each time the value is bound.
// That costs a list of fifty rows an eighth of its time. SQLite does not do this if
// LIMIT is a sum.
var limitParameter = regexp.MustCompile(`\bLIMIT (\$\d+)`)

// parameter matches parameters such as $1, and whole string literals, so that a $1
// inside a literal can be skipped.
var parameter = regexp.MustCompile(`'(?:[^']|'')*'|\$(\d+)`)

// nameless replaces the parameters with ? if the statement has each of them once
// and in order. To SQLite $1 is a name, and it searches all names each time it
// binds one. That is most of the time of an insert of two hundred rows.
func nameless(query string) string {
	var b strings.Builder
	end, n := 0, 0
	for _, at := range parameter.FindAllStringSubmatchIndex(query, -1) {
		if at[2] < 0 {
			continue // a string literal
		}
		if n++; query[at[2]:at[3]] != strconv.Itoa(n) {
			return query
		}
		b.WriteString(query[end:at[0]])
		b.WriteByte('?')
		end = at[1]
	}
	b.WriteString(query[end:])
	return b.String()
}

// close returns the connection to its pool.
func (c *conn) close() {
	c.statements.clear()
	c.Conn.Close()
}

// discard closes the connection for good. A pool would lend it again as it is, with
// its transaction still open.
func (c *conn) discard() {
	c.statements.clear()
	_ = c.Raw(func(any) error { return driver.ErrBadConn })
	c.Conn.Close()
}

// statementCache keeps the most recently used statements.
type statementCache struct {
	size  int
	order *list.List // of cachedStatement, most recently used first
	byKey map[string]*list.Element
}

type cachedStatement struct {
	query string
	stmt  *sql.Stmt
}

func newStatementCache(size int) *statementCache {
	return &statementCache{size: size, order: list.New(), byKey: map[string]*list.Element{}}
}

func (c *statementCache) get(query string) *sql.Stmt {
	e, ok := c.byKey[query]
	if !ok {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(cachedStatement).stmt
}

func (c *statementCache) put(query string, s *sql.Stmt) {
	c.byKey[query] = c.order.PushFront(cachedStatement{query, s})
	if c.order.Len() > c.size {
		oldest := c.order.Remove(c.order.Back()).(cachedStatement)
		delete(c.byKey, oldest.query)
		oldest.stmt.Close()
	}
}

func (c *statementCache) clear() {
	for e := c.order.Front(); e != nil; e = e.Next() {
		e.Value.(cachedStatement).stmt.Close()
	}
	c.order.Init()
	clear(c.byKey)
}
