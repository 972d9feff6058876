package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/movein"
	"frontdesk/internal/service"
	"frontdesk/internal/store"
)

type exportCommand struct {
	Folder  string        `arg:"" type:"path" placeholder:"FOLDER" help:"The folder to write to. It is created if it does not exist. No file is replaced."`
	Account int64         `placeholder:"ID" help:"The account. It need not be given if there is only one."`
	Format  movein.Format `placeholder:"FORMAT" enum:"jsonl,csv" default:"jsonl" help:"jsonl or csv."`
	After   time.Time     `placeholder:"DATE" format:"2006-01-02" help:"Only requests that were created on this day or later, in UTC."`
}

func (exportCommand) Help() string {
	return "jsonl writes requests with their messages, which frontdesk import --from frontdesk reads. csv writes requests, messages and customers as tables for programs that analyse data. The server can keep running. docs/import.md has the formats. To move a whole account, use frontdesk account export."
}

func (c *exportCommand) Run(ctx context.Context, o *resources) error {
	account, err := chooseAccount(ctx, o, c.Account)
	if err != nil {
		return err
	}
	by := service.ByCommand(desk.AccountID(account))
	if _, err := o.service.Account(ctx, by); err != nil {
		return err
	}
	progress := printProgress()
	done, err := movein.Export{Source: exportSource{o, by}, Format: c.Format, Folder: c.Folder, After: c.After, Until: o.store.Now(), Progress: progress}.Run(ctx)
	fmt.Fprintln(os.Stderr)
	if err != nil {
		return err
	}
	fmt.Printf("Exported %d requests with %d messages to %s.\n", done.Requests, done.Messages, filepath.Clean(c.Folder))
	return nil
}

// exportSource is an account, as a command sees it.
type exportSource struct {
	o  *resources
	by service.Caller
}

func (s exportSource) Requests(ctx context.Context, p desk.Page) (desk.List[desk.Request], error) {
	return s.o.service.Requests(ctx, s.by, desk.RequestFilter{}, p, true)
}

func (s exportSource) Customers(ctx context.Context, q desk.CustomerQuery) (desk.List[desk.Customer], error) {
	return s.o.service.Customers(ctx, s.by, q)
}

func (s exportSource) Users(ctx context.Context, ids []string) (users map[string]desk.User, err error) {
	err = s.o.store.Read(ctx, s.by.Account, func(tx *store.Tx) (err error) {
		users, err = tx.UsersNamed(ids)
		return err
	})
	return users, err
}
