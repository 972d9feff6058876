package worker

import (
	"context"
	"time"

	"frontdesk/internal/blob"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

const (
	sweepEvery = time.Hour
	// SweepAfter is the age at which a file that no row names is removed. No call
	// takes that long, so nobody is still about to name it.
	SweepAfter = 6 * time.Hour
	sweepPage  = 200
)

// SweepFiles is a job that removes files that no row names.
type SweepFiles struct{}

func (SweepFiles) Kind() string { return "attachment.sweep" }

func (w *Worker) sweepFiles(ctx context.Context, _ *job.Job, _ SweepFiles) error {
	if w.outside.Blobs == nil {
		return nil
	}
	before := w.store.Now().Add(-SweepAfter)
	for after, more := (blob.Key{}), true; more; {
		keys, err := w.outside.Blobs.Keys(ctx, before, after, sweepPage)
		if err != nil {
			return err
		}
		if more = len(keys) == sweepPage; more {
			after = keys[len(keys)-1]
		}
		if err := w.sweepBlobs(ctx, keys); err != nil {
			return err
		}
	}
	return nil
}

func (w *Worker) sweepBlobs(ctx context.Context, keys []blob.Key) error {
	of := map[desk.AccountID][]string{}
	for _, key := range keys {
		of[key.Account()] = append(of[key.Account()], key.String())
	}
	for account, texts := range of {
		var named map[string]bool
		err := w.store.Look(ctx, account, func(tx *store.Tx) (err error) {
			named, err = tx.NamedBlobs(texts)
			return err
		})
		if err != nil {
			return err
		}
		for _, text := range texts {
			if key, err := blob.ParseKey(text); err == nil && !named[text] {
				if err := w.outside.Blobs.Remove(ctx, key); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
