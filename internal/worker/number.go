package worker

import (
	"context"
	"time"

	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

const (
	// numberEvery is how often to look for requests without a number. Only nodes of the
	// version before add them.
	numberEvery = time.Minute
	// NumberPiece is how many requests get their numbers in one transaction.
	NumberPiece = 200
	// numberPieces is how many pieces one run of the job does, so that none takes
	// longer than jobs may.
	numberPieces = 500
)

// NumberRequests is a job that gives numbers to requests without one.
type NumberRequests struct{}

func (NumberRequests) Kind() string { return "request.number" }

func (w *Worker) numberRequests(ctx context.Context, _ *job.Job, _ NumberRequests) error {
	accounts, err := w.store.WithoutNumbers(ctx)
	if err != nil {
		return err
	}
	left := numberPieces
	for _, account := range accounts {
		for done := NumberPiece; done == NumberPiece; left-- {
			if left == 0 {
				return job.Snooze(time.Second)
			}
			err := w.store.Write(ctx, account, func(tx *store.Tx) (err error) {
				done, err = tx.NumberRequests(NumberPiece)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
