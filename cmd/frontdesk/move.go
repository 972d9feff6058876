package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"frontdesk/internal/move"
)

// moveTimeout is how long the one transaction of an import may take.
const moveTimeout = 24 * time.Hour

type accountExportCommand struct {
	File    string `arg:"" placeholder:"FILE" help:"The file to create."`
	Account int64  `placeholder:"ID" help:"The account. It need not be given if there is only one."`
}

func (accountExportCommand) Help() string {
	return "The file has everything of the account: its requests, settings, members, history, audit log and attachments. The server can keep running. Whoever has the file and the server's key can read all of it."
}

func (c *accountExportCommand) Run(ctx context.Context, o *resources) error {
	account, err := chooseAccount(ctx, o, c.Account)
	if err != nil {
		return err
	}
	s, err := move.Export(ctx, o.desk(), account, c.File, o.store.Now(), printProgress())
	if err != nil {
		return err
	}
	fmt.Printf("Exported account %d, %s: %d requests, %d rows, %d files (%d bytes).\n", s.Account, s.Name, s.Requests, s.Rows, s.Files, s.Bytes)
	if n := len(s.Missing); n > 0 {
		fmt.Printf("The bytes of %d files were gone already: %s\n", n, s.Missing[0])
	}
	fmt.Println("To bring it into another database: frontdesk account import " + filepath.Base(c.File))
	return nil
}

// chooseAccount returns the given account, or the only one if none is given.
func chooseAccount(ctx context.Context, o *resources, given int64) (int64, error) {
	if given != 0 {
		return given, nil
	}
	ids, err := o.store.Accounts(ctx)
	if err != nil {
		return 0, err
	}
	if len(ids) != 1 {
		return 0, fmt.Errorf("there are %d accounts: choose one with --account", len(ids))
	}
	return int64(ids[0]), nil
}

type accountImportCommand struct {
	File   string `arg:"" type:"existingfile" placeholder:"FILE" help:"The file that frontdesk account export made."`
	DryRun bool   `help:"Only say what would be imported, and whether it fits."`
}

func (accountImportCommand) Help() string {
	return "Everything keeps its id, so links, reply addresses and cursors stay valid. The server must have the key that the account had before. If anything does not fit, nothing is imported. On PostgreSQL, the server can keep running. On SQLite, stop it first, because others could write nothing meanwhile."
}

func (c *accountImportCommand) Run(ctx context.Context, s *settings) error {
	s.writeTimeout = moveTimeout
	o, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	done, err := move.Import(ctx, c.File, o.desk(), c.DryRun, printProgress())
	if err != nil {
		return err
	}
	if c.DryRun {
		fmt.Printf("Account %d, %s, as of %s, fits: %d requests, %d rows. Nothing was changed.\n", done.Account, done.Name, done.At.Format(time.RFC3339), done.Requests, done.Rows)
		return nil
	}
	fmt.Printf("Imported account %d, %s, as of %s: %d requests, %d rows, %d files (%d bytes).\n",
		done.Account, done.Name, done.At.Format(time.RFC3339), done.Requests, done.Rows, done.Files, done.Bytes)
	fmt.Println("Its search index is made in the background. If the account still runs where it came from, stop it there: both would post, mail and deliver.")
	return nil
}

func (o *resources) desk() move.Desk { return move.Desk{DB: o.db, Blobs: o.blobs, Key: o.key} }

// printProgress prints a line on standard error for each part that is done, and
// while a part takes long.
func printProgress() move.Progress {
	last := ""
	return func(what string, copied int) {
		if what != last && last != "" {
			fmt.Fprintln(os.Stderr)
		}
		last = what
		fmt.Fprintf(os.Stderr, "\r%s: %d", what, copied)
	}
}
