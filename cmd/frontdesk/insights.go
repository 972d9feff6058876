package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/desk"
)

type insightsCommand struct {
	Rebuild insightsRebuildCommand `cmd:"" help:"Recompute the facts behind Insights. The server can keep running."`
}

type insightsRebuildCommand struct {
	Account int64 `placeholder:"ID" help:"Only this account."`
}

// rebuildProgressEvery is how often a long rebuild prints its progress.
const rebuildProgressEvery = 2 * time.Second

func (c *insightsRebuildCommand) Run(ctx context.Context, o *resources) error {
	accounts, err := o.store.Accounts(ctx)
	if err != nil {
		return err
	}
	found := false
	for _, id := range accounts {
		if c.Account != 0 && desk.AccountID(c.Account) != id {
			continue
		}
		found = true
		if err := rebuildInsights(ctx, o, id); err != nil {
			return err
		}
	}
	switch {
	case c.Account != 0 && !found:
		return fmt.Errorf("there is no account %d", c.Account)
	case !found:
		fmt.Println("There is no account.")
	}
	return nil
}

func rebuildInsights(ctx context.Context, o *resources, id desk.AccountID) error {
	checked, corrected, printed := 0, 0, time.Now()
	err := o.worker.RebuildInsights(ctx, id, func(c, w int) {
		if checked, corrected = c, w; time.Since(printed) >= rebuildProgressEvery {
			printed = time.Now()
			fmt.Printf("Account %d: %d requests so far.\n", id, checked)
		}
	})
	if ctx.Err() != nil {
		return errors.New("stopped before the end: the requests checked so far are correct, the others are unchanged")
	}
	if err != nil {
		return err
	}
	fmt.Printf("Account %d: checked %d requests, corrected %d.\n", id, checked, corrected)
	return nil
}
