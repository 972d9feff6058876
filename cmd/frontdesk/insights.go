package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/desk"
)

type insightsCommand struct {
	Rebuild insightsRebuildCommand `cmd:"" help:"Make what insights are answered from anew, while the service runs or not."`
}

type insightsRebuildCommand struct {
	Account int64 `placeholder:"ID" help:"Only that of this account."`
}

// tellEvery is how often a long work says how far it is.
const tellEvery = 2 * time.Second

func (c *insightsRebuildCommand) Run(ctx context.Context, s *settings) error {
	o, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
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

func rebuildInsights(ctx context.Context, o *opened, id desk.AccountID) error {
	looked, wrong, told := 0, 0, time.Now()
	err := o.service.RebuildInsights(ctx, id, func(l, w int) {
		if looked, wrong = l, w; time.Since(told) >= tellEvery {
			told = time.Now()
			fmt.Printf("Account %d: %d requests so far.\n", id, looked)
		}
	})
	if ctx.Err() != nil {
		return errors.New("stopped before the end: what was looked at is right, and the rest is as it was")
	}
	if err != nil {
		return err
	}
	fmt.Printf("Account %d: %d requests looked at, %d of them mended.\n", id, looked, wrong)
	return nil
}
