package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/blob"
	"frontdesk/internal/change"
	"frontdesk/internal/job"
	"frontdesk/internal/privacy"
	"frontdesk/internal/store"
)

const (
	// RetentionEvery is how often to look for what collections keep no longer.
	RetentionEvery = time.Hour
	// RetentionPiece is how many requests one transaction deletes from. It is small
	// because others wait for the transaction.
	RetentionPiece = 20
	// retentionPieces is how many pieces one run of the job does. Then it goes on as
	// a run of its own, so that none takes longer than jobs may.
	retentionPieces = 500
	// ForgetAfter is how long after a deletion the database's own files are rid of
	// it. That takes longer the more a desk has, so it is done once a day at most.
	ForgetAfter = 24 * time.Hour
	// forgetTime is how long that may take.
	forgetTime = 6 * time.Hour
)

// ForgetDeleted is a job that removes what was deleted from the database's own files.
type ForgetDeleted struct{}

func (ForgetDeleted) Kind() string { return "retention.forget" }

func (w *Worker) forgetDeleted(ctx context.Context, _ *job.Job, _ ForgetDeleted) error {
	return privacy.Forget(ctx, w.store)
}

func (w *Worker) sweepRetention(ctx context.Context, _ *job.Job, _ change.SweepRetention) error {
	all, err := privacy.KeptForATime(ctx, w.store)
	if err != nil {
		return err
	}
	var failed []error
	left := retentionPieces
	for _, k := range all {
		if left, err = w.expire(ctx, k, left); err != nil {
			failed = append(failed, fmt.Errorf("account %d, collection %d: %w", k.Account, k.Collection, err))
		}
		if left == 0 && len(failed) == 0 {
			return job.Snooze(time.Second)
		}
	}
	return errors.Join(failed...)
}

// expire deletes what a collection keeps no longer, in pieces, and returns how many
// more pieces may be done. It reads for how long the collection keeps things in each
// piece, so somebody who changes that is heard at once.
func (w *Worker) expire(ctx context.Context, k privacy.Kept, pieces int) (left int, err error) {
	var sum privacy.Expired
	for left = pieces; left > 0 && !sum.Done && err == nil; left-- {
		var done privacy.Expired
		err = w.store.Write(ctx, k.Account, func(tx *store.Tx) (err error) {
			if done, err = privacy.Expire(tx, k.Collection, RetentionPiece); err != nil || done.Requests == 0 {
				return err
			}
			return job.Add(tx.Tx, ForgetDeleted{}, tx.Now, job.Key("forget"), job.At(tx.Now.Add(ForgetAfter)))
		})
		if err == nil {
			sum.Done, sum.Requests, sum.Messages = done.Done, sum.Requests+done.Requests, sum.Messages+done.Messages
			sum.Files, sum.Bytes = sum.Files+done.Files, sum.Bytes+done.Bytes
			w.removeBlobs(ctx, done.Blobs)
		}
	}
	if sum.Requests > 0 {
		w.log.Info("deleted what a collection keeps no longer", "account", k.Account, "collection", k.Collection, "requests", sum.Requests,
			"messages", sum.Messages, "files", sum.Files, "bytes", sum.Bytes, "more", !sum.Done)
	}
	return left, err
}

// removeBlobs removes files that no row names any more. What cannot be removed now is
// removed by the sweep of files.
func (w *Worker) removeBlobs(ctx context.Context, keys []string) {
	if w.outside.Blobs == nil {
		return
	}
	for _, text := range keys {
		key, err := blob.ParseKey(text)
		if err == nil {
			err = w.outside.Blobs.Remove(ctx, key)
		}
		if err != nil {
			w.log.Warn("a deleted file could not be removed; the sweep of files removes it", "error", err)
			return
		}
	}
}
