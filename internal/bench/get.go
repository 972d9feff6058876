package main

import (
	"context"
	"fmt"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

const connections = 32

// benchGet compares a GET by id, with its token, with the minimum that net/http can
// do.
func benchGet(ctx context.Context, engines map[sqldb.Engine]string) {
	bare := startChild(ctx, "bare")
	defer bare.stop()
	fmt.Printf("GET one member over HTTP with a token, %d connections, against a bare net/http JSON answer\n", connections)
	for _, engine := range names(engines) {
		url, drop := freshURL(engine, engines[engine])
		defer drop()
		ours := startChild(ctx, url)
		defer ours.stop()
		var a, b, cpuA, cpuB []float64
		for range *rounds {
			rate, cpu := ours.measure(ctx, "/v1/rest/members/7")
			a, cpuA = append(a, rate), append(cpuA, cpu)
			rate, cpu = bare.measure(ctx, "/v1/rest/members/7")
			b, cpuB = append(b, rate), append(cpuB, cpu)
		}
		goal := verdict(median(ratios(a, b)), 0.25)
		if engine == sqldb.Postgres {
			goal = fmt.Sprintf("%.2f", median(ratios(a, b)))
		}
		fmt.Printf("  %-8s %7.0f/s, %5.1f µs of CPU each   bare %7.0f/s, %5.1f µs   ratio %s\n", engine, median(a), median(cpuA), median(b), median(cpuB), goal)
	}
}

// measure loads the server for a round and returns the answers a second, and its
// CPU time for each in microseconds.
func (c *child) measure(ctx context.Context, path string) (rate, cpu float64) {
	before, began := c.cpu(), time.Now()
	rate = load(ctx, c.addr, path, c.token, connections, *length)
	answers := rate * time.Since(began).Seconds()
	return rate, float64((c.cpu() - before).Microseconds()) / answers
}

// benchList compares a page of fifty over HTTP with the same query of the store.
func benchList(ctx context.Context, engines map[sqldb.Engine]string) {
	fmt.Printf("A list of 50 members over HTTP, %d connections, against the same store query without HTTP\n", connections)
	for _, engine := range names(engines) {
		url, drop := freshURL(engine, engines[engine])
		defer drop()
		over := startChild(ctx, url)
		defer over.stop()
		direct := openBase(ctx, url)
		defer direct.db.Close()
		var a, b, cpuA []float64
		for range *rounds {
			rate, cpu := over.measure(ctx, "/v1/rest/members?limit=50")
			a, cpuA = append(a, rate), append(cpuA, cpu)
			rate = repeat(ctx, connections, *length, func() error {
				return direct.store.Look(ctx, 1, func(tx *store.Tx) error {
					l, err := tx.Members(desk.Page{Limit: 50})
					if err == nil && len(l.Items) != 50 {
						err = fmt.Errorf("%d members", len(l.Items))
					}
					return err
				})
			})
			b = append(b, rate)
		}
		goal := verdict(median(ratios(a, b)), 0.5)
		fmt.Printf("  %-8s %7.0f/s, %5.1f µs of CPU each   store %7.0f/s   ratio %s\n", engine, median(a), median(cpuA), median(b), goal)
	}
}
