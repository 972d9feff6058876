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
	Dead    deadCommand    `cmd:"" help:"List the jobs that were given up, the newest first."`
	Retry   retryCommand   `cmd:"" help:"Let jobs that were given up run again."`
	Discard discardCommand `cmd:"" help:"Forget a job that was given up."`
}

type deadCommand struct {
	Limit int `default:"50" help:"How many to list."`
}

func (c *deadCommand) Run(ctx context.Context, s *settings) error {
	o, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	var letters []job.Letter
	err = o.db.Read(ctx, func(tx *sqldb.Tx) (err error) {
		letters, err = job.Dead(tx, job.Cursor{}, c.Limit)
		return err
	})
	if err != nil {
		return err
	}
	if len(letters) == 0 {
		fmt.Println("No job was given up.")
		return nil
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tKIND\tGIVEN UP\tFAILURES\tLAST ERROR")
	for _, l := range letters {
		fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%.80q\n", l.ID, l.Kind, l.DeadAt.Format(time.DateTime), l.Failures, l.LastError)
	}
	return w.Flush()
}

type retryCommand struct {
	ID  []int64 `arg:"" optional:"" help:"The ids of the jobs."`
	All bool    `help:"All of them."`
}

func (c *retryCommand) Run(ctx context.Context, s *settings) error {
	if c.All == (len(c.ID) > 0) {
		return errors.New("name the ids of jobs to retry, or --all; frontdesk jobs dead lists them")
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
			n, err := job.RetryAll(tx, "", now, piece)
			retried += n
			return n == piece, err
		})
		if err != nil {
			return err
		}
	}
	fmt.Printf("%d jobs will run again.\n", retried)
	return nil
}

type discardCommand struct {
	ID int64 `arg:"" help:"The id of the job."`
}

func (c *discardCommand) Run(ctx context.Context, s *settings) error {
	o, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	if err := o.db.Write(ctx, func(tx *sqldb.Tx) error { return job.Discard(tx, c.ID) }); err != nil {
		return fmt.Errorf("job %d: %w", c.ID, err)
	}
	fmt.Printf("Job %d is forgotten.\n", c.ID)
	return nil
}
