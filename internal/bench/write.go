package main

import (
	"context"
	"fmt"

	"frontdesk/internal/schema"
	"frontdesk/internal/sqldb"
)

const writers = 64

// benchWrite compares durable writes that share commits with one commit each.
func benchWrite(ctx context.Context, engines map[sqldb.Engine]string) {
	fmt.Printf("Durable writes of %d callers: commits shared by a group, against one transaction each\n", writers)
	var shared, alone, postgres []float64
	for range *rounds {
		for _, c := range []struct {
			engine sqldb.Engine
			limit  int
			into   *[]float64
		}{{sqldb.SQLite, 0, &shared}, {sqldb.SQLite, 1, &alone}, {sqldb.Postgres, 0, &postgres}} {
			server, ok := engines[c.engine]
			if !ok {
				continue
			}
			rate := writeRate(ctx, c.engine, server, c.limit)
			*c.into = append(*c.into, rate)
		}
	}
	fmt.Printf("  sqlite   %7.0f/s in groups   %7.0f/s one by one   ratio %s\n", median(shared), median(alone), verdict(median(ratios(shared, alone)), 5))
	if len(postgres) > 0 {
		fmt.Printf("  postgres %7.0f/s, which is %.2f of SQLite in groups\n", median(postgres), median(ratios(postgres, shared)))
	}
}

func writeRate(ctx context.Context, engine sqldb.Engine, server string, limit int) float64 {
	url, drop := freshURL(engine, server)
	defer drop()
	db := must(sqldb.Open(ctx, sqldb.Config{URL: url, GroupLimit: limit}))
	defer db.Close()
	must(db.Migrate(ctx, schema.Files))
	return repeat(ctx, writers, *length, func() error {
		return db.Write(ctx, func(tx *sqldb.Tx) error {
			_, err := tx.Exec(`INSERT INTO accounts (name, key_prefix, time_zone, on_hold_allowed, created_at, updated_at)
				VALUES ($1, $2, $3, $4, $5, $6)`, "Acme Support", "ACME", "UTC", true, 1, 1)
			return err
		})
	})
}
