package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"frontdesk/internal/job"
	"frontdesk/internal/sqldb"
)

type jobsCommand struct {
	Dead    deadCommand    `cmd:"" help:"List the jobs that failed for good, newest first."`
	Retry   retryCommand   `cmd:"" help:"Retry jobs that failed for good."`
	Discard discardCommand `cmd:"" help:"Delete a job that failed for good."`
}

type deadCommand struct {
	Limit int `placeholder:"N" default:"50" help:"How many jobs to list."`
}

func (c *deadCommand) Run(ctx context.Context, o *resources) error {
	var letters []job.Letter
	err := o.db.Read(ctx, func(tx *sqldb.Tx) (err error) {
		letters, err = job.Dead(tx, c.Limit)
		return err
	})
	if err != nil {
		return err
	}
	if len(letters) == 0 {
		fmt.Println("No job has failed for good.")
		return nil
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tKIND\tGAVE UP AT\tFAILURES\tLAST ERROR")
	for _, l := range letters {
		fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%.80q\n", l.ID, l.Kind, l.DeadAt.Format(time.DateTime), l.Failures, l.LastError)
	}
	return w.Flush()
}

type retryCommand struct {
	ID  []int64 `arg:"" optional:"" help:"The IDs of the jobs."`
	All bool    `help:"Retry every job that failed for good."`
}

func (c *retryCommand) Run(ctx context.Context, s *settings) error {
	if c.All == (len(c.ID) > 0) {
		return errors.New("name the IDs of the jobs to retry, or use --all; to list them: frontdesk jobs dead")
	}
	o, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	retried := 0
	for _, id := range c.ID {
		if err := o.db.Write(ctx, func(tx *sqldb.Tx) error { return job.Retry(tx, id, o.store.Now()) }); err != nil {
			return fmt.Errorf("job %d: %w", id, err)
		}
		retried++
	}
	if c.All {
		const piece = 100
		now := o.store.Now()
		err := o.db.Pieces(ctx, func(tx *sqldb.Tx) (more bool, err error) {
			n, err := job.RetryAll(tx, now, piece)
			retried += n
			return n == piece, err
		})
		if err != nil {
			return err
		}
	}
	fmt.Printf("Jobs that will run again: %d.\n", retried)
	return nil
}

type discardCommand struct {
	ID int64 `arg:"" help:"The ID of the job."`
}

func (c *discardCommand) Run(ctx context.Context, o *resources) error {
	if err := o.db.Write(ctx, func(tx *sqldb.Tx) error { return job.Discard(tx, c.ID) }); err != nil {
		return fmt.Errorf("job %d: %w", c.ID, err)
	}
	fmt.Printf("Deleted job %d.\n", c.ID)
	return nil
}
