package worker

import (
	"cmp"
	"context"
	"time"
)

// mainQueue is what metrics call the queue without a name.
const mainQueue = "main"

// mostDeadCounted is where counting dead letters stops. An operator does not need to
// know how many thousands there are.
const mostDeadCounted = 1000

// JobLateness returns for each queue of this process how long its oldest due job has
// waited, whichever process added it.
func (w *Worker) JobLateness(ctx context.Context) (map[string]time.Duration, error) {
	late := map[string]time.Duration{}
	for _, r := range w.runners() {
		wait, err := r.Lateness(ctx)
		if err != nil {
			return nil, err
		}
		late[cmp.Or(r.Queue(), mainQueue)] = wait
	}
	return late, nil
}

// DeadJobs returns how many jobs are set aside in the database, up to 1,000.
func (w *Worker) DeadJobs(ctx context.Context) (int, error) {
	return w.jobs.CountDead(ctx, mostDeadCounted)
}
