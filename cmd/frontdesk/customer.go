package main

import (
	"context"
	"fmt"

	"frontdesk/internal/desk"
	"frontdesk/internal/privacy"
)

type customerCommand struct {
	Export customerExportCommand `cmd:"" help:"Write everything that is known about a customer to a zip file."`
	Erase  customerEraseCommand  `cmd:"" help:"Erase a customer everywhere, with what its requests say and its people."`
}

// which says which customer of which account is meant.
type which struct {
	Customer string `arg:"" placeholder:"CUSTOMER" help:"The id of the customer, or its exact name."`
	Account  int64  `placeholder:"ID" help:"The account. It need not be given if there is only one."`
}

func (w which) find(ctx context.Context, o *resources) (account desk.AccountID, c privacy.Customer, err error) {
	id, err := chooseAccount(ctx, o, w.Account)
	if err != nil {
		return 0, c, err
	}
	account = desk.AccountID(id)
	c, err = o.privacy().CustomerCalled(ctx, account, w.Customer)
	return account, c, err
}

type customerExportCommand struct {
	which `embed:""`
	File  string `arg:"" placeholder:"FILE" help:"The zip file to create. It must not exist yet."`
}

func (customerExportCommand) Help() string {
	return "The file has data.jsonl, with a line for each row that is the customer's own, including all that its requests say, or that mentions the customer or its people, and their files. Private notes are among them, and rows that mention the customer may be about others: read them before you hand the file out. The server can keep running."
}

func (c *customerExportCommand) Run(ctx context.Context, o *resources) error {
	account, customer, err := c.find(ctx, o)
	if err != nil {
		return err
	}
	return o.exportSubject(ctx, account, customer, c.File)
}

type customerEraseCommand struct {
	which `embed:""`
	sure  `embed:""`
}

func (customerEraseCommand) Help() string {
	return `Everything that the customer's requests say goes, whoever said it. Its name becomes "Erased customer"; its domains, portal users and the values of its fields go, and its channels belong to no customer. People who asked only in its requests are erased as with "person erase". Numbers stay, so reports stay right. The audit log stays verifiable. The server can keep running; on SQLite nobody can write for a while. See docs/privacy.md.`
}

func (c *customerEraseCommand) Run(ctx context.Context, s *settings) error {
	s.writeTimeout = moveTimeout
	o, err := s.openWithKey(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	account, customer, err := c.find(ctx, o)
	if err != nil {
		return err
	}
	if _, err := s.erase(ctx, o, account, customer, c.sure); err != nil || c.DryRun {
		return err
	}
	fmt.Printf("The customer keeps its id, %d.\n", customer.ID)
	return s.finishErasing(ctx, o)
}
