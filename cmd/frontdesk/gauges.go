package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/telemetry"
)

// gaugeTimeout is how long a gauge waits for the database when metrics are collected.
const gaugeTimeout = 2 * time.Second

// registerGauges exports what an operator wants to be told of before people notice it.
// What it asks the database reads a few rows, however large the tables are.
func (o *resources) registerGauges(m *telemetry.Metrics) {
	m.Gauges("frontdesk_jobs_late_seconds", "How long the oldest due job of a queue has waited. The same on every node.", "queue", func() (map[string]float64, error) {
		ctx, cancel := context.WithTimeout(context.Background(), gaugeTimeout)
		defer cancel()
		late, err := o.worker.JobLateness(ctx)
		seconds := map[string]float64{}
		for queue, wait := range late {
			seconds[queue] = wait.Seconds()
		}
		return seconds, err
	})
	m.Gauges("frontdesk_jobs_set_aside", "Jobs that failed for good and wait for frontdesk jobs, up to 1000. The same on every node.", "", func() (map[string]float64, error) {
		ctx, cancel := context.WithTimeout(context.Background(), gaugeTimeout)
		defer cancel()
		n, err := o.worker.DeadJobs(ctx)
		return map[string]float64{"": float64(n)}, err
	})
	if o.db.Engine() != sqldb.SQLite {
		return
	}
	for name, file := range map[string]string{"frontdesk_sqlite_bytes": "frontdesk.db", "frontdesk_sqlite_wal_bytes": "frontdesk.db-wal"} {
		m.Gauges(name, "The size of "+file+".", "", func() (map[string]float64, error) {
			info, err := os.Stat(filepath.Join(o.data, file))
			if err != nil {
				return nil, err
			}
			return map[string]float64{"": float64(info.Size())}, nil
		})
	}
}
