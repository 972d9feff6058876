// Package schema defines the tables as numbered migrations, written once for
// both engines with the tokens of sqldb. Nodes of the version before work beside a
// new one, so migrations only add, until nothing uses what they take away
// (CONTRIBUTING.md). Every table that belongs to an account has account_id, and all
// of its indexes except the primary key begin with it.
package schema

import "embed"

// Files are the migrations.
//
//go:embed *.sql
var Files embed.FS
