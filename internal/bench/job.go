package main

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"frontdesk/internal/job"
	"frontdesk/internal/schema"
	"frontdesk/internal/sqldb"
)

type nothing struct {
	N int `json:"n"`
}

func (nothing) Kind() string { return "bench.nothing" }

// benchJob counts jobs added one per transaction, and jobs worked.
func benchJob(ctx context.Context, engines map[sqldb.Engine]string) {
	fmt.Println("Jobs that do nothing: added, one a transaction, by 64 callers; then worked by 16 workers")
	var sqlite float64
	for _, engine := range names(engines) {
		var added, worked []float64
		for range *rounds {
			a, w := jobRates(ctx, engine, engines[engine])
			added, worked = append(added, a), append(worked, w)
		}
		fmt.Printf("  %-8s %7.0f/s added   %7.0f/s worked", engine, median(added), median(worked))
		if engine == sqldb.SQLite {
			sqlite = median(worked)
			fmt.Println()
		} else {
			fmt.Printf("   worked at %.2f of SQLite\n", median(worked)/sqlite)
		}
	}
}

func jobRates(ctx context.Context, engine sqldb.Engine, server string) (added, worked float64) {
	url, drop := freshURL(engine, server)
	defer drop()
	db := must(sqldb.Open(ctx, sqldb.Config{URL: url}))
	defer db.Close()
	must(db.Migrate(ctx, schema.Files))
	var n atomic.Int64
	added = repeat(ctx, writers, *length, func() error {
		return db.Write(ctx, func(tx *sqldb.Tx) error { return job.Add(tx, nothing{int(n.Add(1))}, time.Now()) })
	})
	var jobs int64
	check(db.Read(ctx, func(tx *sqldb.Tx) error { return tx.Row("SELECT count(*) FROM jobs").Scan(&jobs) }))
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r := job.New(job.Config{DB: db, Log: slog.New(slog.DiscardHandler)})
	var done atomic.Int64
	job.Handle(r, func(context.Context, *job.Job, nothing) error {
		if done.Add(1) == jobs {
			stop()
		}
		return nil
	})
	began := time.Now()
	check(r.Run(ctx))
	return added, float64(done.Load()) / time.Since(began).Seconds()
}
