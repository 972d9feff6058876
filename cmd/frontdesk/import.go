package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/movein"
	"frontdesk/internal/service"
)

type importCommand struct {
	Files   []string      `arg:"" type:"existingfile" placeholder:"FILE" help:"The files of the other system: JSON, also compressed with gzip."`
	From    movein.System `required:"" placeholder:"SYSTEM" enum:"zendesk,zammad,chatwoot,frontdesk" help:"zendesk, zammad, chatwoot, or frontdesk for what frontdesk export wrote."`
	Account int64         `placeholder:"ID" help:"The account. It need not be given if there is only one."`
	DryRun  bool          `help:"Read and check everything and report, but import nothing."`
	Report  string        `type:"path" placeholder:"FILE" help:"Write the report to this file, as JSON. A file with this name is replaced."`
	Prefix  string        `placeholder:"NAME" help:"What external ids begin with. Give one if you import from two systems of the same kind. Default: the system's name"`
}

func (importCommand) Help() string {
	return "The requests come into the account's API collection, with their messages and times. Nothing is posted or sent. A request that was imported before stays as it is, so run the same command again after an interruption. The server can keep running. docs/import.md says what is read."
}

func (c *importCommand) Run(ctx context.Context, o *resources) error {
	id, err := chooseAccount(ctx, o, c.Account)
	if err != nil {
		return err
	}
	caller := service.ByCommand(desk.AccountID(id))
	account, err := o.service.Account(ctx, caller)
	if err != nil {
		return err
	}
	customers, err := customersByName(ctx, o, caller)
	if err != nil {
		return err
	}
	take := o.service.ImportRequests
	if c.DryRun {
		take = o.service.CheckImport
	}
	report, err := movein.Import{
		From: c.From, Prefix: c.Prefix, Files: c.Files, DryRun: c.DryRun, Customers: customers, OnHold: account.OnHoldAllowed, Progress: printImport,
		Take: func(ctx context.Context, next func() (desk.ImportedRequest, error)) ([]desk.Imported, error) {
			return take(ctx, caller, next)
		},
	}.Run(ctx)
	if report.Read > 0 {
		fmt.Fprintln(os.Stderr)
	}
	printReport(os.Stdout, report)
	return errors.Join(c.outcome(report, err), c.save(report))
}

// outcome returns the error that the command ends with.
func (c *importCommand) outcome(r movein.Report, err error) error {
	switch {
	case errors.Is(err, context.Canceled):
		return errors.New("stopped before the end; run the same command again to go on")
	case err != nil:
		return err
	case r.Refused == 0:
		return nil
	case c.Report == "":
		return fmt.Errorf("%d could not be imported; --report FILE writes down which ones and why", r.Refused)
	}
	return fmt.Errorf("%d could not be imported; %s says which ones and why", r.Refused, c.Report)
}

// customersByName returns the account's customers by their folded names. Of several
// with the same name, the oldest counts.
func customersByName(ctx context.Context, o *resources, caller service.Caller) (map[string]desk.CustomerID, error) {
	names := map[string]desk.CustomerID{}
	q := desk.CustomerQuery{Page: desk.Page{Limit: desk.MostLimit, Ascending: true}}
	for {
		page, err := o.service.Customers(ctx, caller, q)
		if err != nil {
			return nil, err
		}
		for _, c := range page.Items {
			if _, taken := names[desk.Fold(c.Name)]; !taken {
				names[desk.Fold(c.Name)] = c.ID
			}
		}
		if q.From = page.Next; q.From == nil {
			return names, nil
		}
	}
}

func printImport(r movein.Report) {
	fmt.Fprintf(os.Stderr, "\rRead %d: %d created, %d existed, %d refused", r.Read, r.Created, r.Existed, r.Refused)
}

// printReport prints what matters of a report. The rest is in its file.
func printReport(w io.Writer, r movein.Report) {
	verb := "Imported"
	if r.DryRun {
		verb = "Nothing was imported. It would be"
	}
	fmt.Fprintf(w, "%s: %d requests of %d that were read. Here already: %d. Refused: %d.\n", verb, r.Created, r.Read, r.Existed, r.Refused)
	line := func(n int, what string) {
		if n > 0 {
			fmt.Fprintf(w, "  %s: %d\n", what, n)
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(r.LeftOut)) {
		line(r.LeftOut[reason], "left out, "+reason)
	}
	line(r.HistoriesCut, "more messages than a request may have, so the middle was left out")
	line(r.TextsCut, "messages that were too long and cut")
	line(r.WithoutMessages, "without messages")
	line(r.FilesLeft, "files that stay where they are, with their names in the messages")
	line(r.OnHoldPending, "on hold, and pending here, because the account does not allow requests on hold")
	line(r.ValuesLeft, "with values of custom fields, which are not imported")
	line(len(r.Assignees), "assignees who are no users here, so that their requests have none")
	line(len(r.Organizations), "organisations that are no customers here")
	const most = 10
	for i, bad := range r.Refusals {
		if i == most {
			fmt.Fprintf(w, "  … and %d more\n", r.Refused-most)
			break
		}
		fmt.Fprintf(w, "  %s:%d: %s\n", bad.File, bad.Line, bad.Problems[0])
	}
}

// save writes the report to its file, which is never half written.
func (c *importCommand) save(r movein.Report) error {
	if c.Report == "" {
		return nil
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(c.Report), filepath.Base(c.Report)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already if all went well
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), c.Report)
}
