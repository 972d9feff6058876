package sqldb

import "testing"

// Parameters lose their names only if the order alone identifies them.
func TestNameless(t *testing.T) {
	for _, test := range []struct{ query, want string }{
		{"SELECT 1", "SELECT 1"},
		{"INSERT INTO a VALUES ($1, $2), ($3, $4)", "INSERT INTO a VALUES (?, ?), (?, ?)"},
		{"SELECT a FROM b WHERE c = $1 ORDER BY d LIMIT $2 + 0", "SELECT a FROM b WHERE c = ? ORDER BY d LIMIT ? + 0"},
		{"UPDATE a SET b = $2 WHERE c = $1", "UPDATE a SET b = $2 WHERE c = $1"},
		{"UPDATE a SET b = $1 WHERE c = $1", "UPDATE a SET b = $1 WHERE c = $1"},
		{"SELECT '$2', $1, 'it''s $7', $2", "SELECT '$2', ?, 'it''s $7', ?"},
		{"SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11", "SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"},
		{"SELECT $2", "SELECT $2"},
	} {
		if got := nameless(test.query); got != test.want {
			t.Errorf("%s becomes %s, want %s", test.query, got, test.want)
		}
	}
}
