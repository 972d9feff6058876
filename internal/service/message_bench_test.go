package service

import (
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// BenchmarkAddMessage answers requests through the API, with 8 callers in parallel.
func BenchmarkAddMessage(b *testing.B) {
	for _, engine := range []sqldb.Engine{sqldb.SQLite, sqldb.Postgres} {
		b.Run(string(engine), func(b *testing.B) {
			now := time.Now()
			c := openCompany(b, &company{url: dbtest.URL(b, engine), clock: &clock{now: now, goes: now}})
			_, err := c.CreateCollection(ctx, c.caller(), desk.NewCollection{Name: "API", Kind: desk.APICollection})
			must(b, err)
			var ids []desk.RequestID
			for range 8 {
				made, err := c.CreateRequest(ctx, c.caller(), desk.NewRequest{Description: "Our export fails since this morning, can you help?"})
				must(b, err)
				ids = append(ids, made.ID)
			}
			var next atomic.Int64
			text := "<p>We are looking at it and will tell you more within the hour.</p>"
			b.SetParallelism(4) // 8 on two cores
			b.ResetTimer()
			b.RunParallel(func(p *testing.PB) {
				id := ids[int(next.Add(1))%len(ids)]
				for p.Next() {
					if _, err := c.AddMessage(ctx, c.caller(), id, desk.NewMessage{HTML: &text}); err != nil {
						b.Error(err)
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
		})
	}
}
