package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/privacy"
	"frontdesk/internal/sqldb"
)

func (o *resources) privacy() privacy.Desk {
	return privacy.Desk{Store: o.store, Blobs: o.blobs, Key: o.key}
}

// exportSubject writes what is known about a person or a customer to a zip file.
func (o *resources) exportSubject(ctx context.Context, account desk.AccountID, of privacy.Subject, path string) error {
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("%s already exists: choose another name", path)
	}
	var x privacy.Exported
	err := writeFileAtomically(path, func(w io.Writer) (err error) {
		x, err = o.privacy().Export(ctx, account, of, w)
		return err
	})
	if err != nil {
		return err
	}
	printCounts(x.Rows)
	fmt.Printf("Wrote %s. Files: %d.\n", path, x.Files)
	if x.Missing > 0 {
		fmt.Printf("Files whose bytes were gone already: %d.\n", x.Missing)
	}
	return nil
}

// printCounts prints how many rows each table has.
func printCounts(rows map[string]int) {
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		fmt.Printf("  %-24s %d\n", name, rows[name])
	}
}

// sure says whether something is to be erased for good.
type sure struct {
	DryRun bool `help:"Only say what would be erased."`
	Yes    bool `help:"Erase it. This cannot be undone."`
}

// erase erases a person or a customer, or only says what would go, and prints how much
// it is. Without --yes and --dry-run it returns an error.
func (s *settings) erase(ctx context.Context, o *resources, account desk.AccountID, of privacy.Subject, c sure) (done privacy.Erased, err error) {
	sum := func(e privacy.Erased) string {
		text := fmt.Sprintf("Requests: %d. Messages: %d. Files: %d.", e.Requests, e.Messages, e.Files)
		if _, isCustomer := of.(privacy.Customer); isCustomer {
			text += fmt.Sprintf(" People: %d.", e.People)
		}
		return text
	}
	if c.DryRun || !c.Yes {
		if done, err = o.privacy().Preview(ctx, account, of); err != nil {
			return done, err
		}
		printCounts(done.Rows)
		fmt.Println(sum(done), "Nothing was changed.")
		if !c.DryRun {
			err = errors.New("to erase all of this for good, add --yes")
		}
		return done, err
	}
	if done, err = o.privacy().Erase(ctx, account, of, s.noteErased); err != nil {
		return done, err
	}
	printCounts(done.Rows)
	fmt.Println("Erased.", sum(done))
	return done, nil
}

// erasedList is the path of the list of erased people and customers, which is outside every backup.
func (s *settings) erasedList() string { return filepath.Join(s.Data, "erasures.jsonl") }

// noteErased appends to that list.
func (s *settings) noteErased(lines []privacy.Listed) error {
	if err := os.MkdirAll(s.Data, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(s.erasedList(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := privacy.WriteList(f, lines); err != nil {
		return err
	}
	return f.Sync()
}

// finishErasing removes what the database's own files still have of what was erased,
// and says what the operator has to do.
func (s *settings) finishErasing(ctx context.Context, o *resources) error {
	if o.db.Engine() == sqldb.Postgres {
		fmt.Println("PostgreSQL keeps old rows in its files until VACUUM FULL, and in its write-ahead log and archives.")
	} else if err := o.db.Vacuum(ctx, "search_index"); err != nil {
		return fmt.Errorf("it is erased, but the database file still has old pages: run this command again, or stop the server first: %w", err)
	}
	fmt.Printf("Backups still have it. After you restore one, run: frontdesk person erase-again %s\n", s.erasedList())
	if copies, err := filepath.Glob(filepath.Join(s.Data, "backups", "*")); err == nil && len(copies) > 0 {
		fmt.Printf("So have the copies in %s: delete them if you can do without them.\n", filepath.Join(s.Data, "backups"))
	}
	return nil
}

// eraseAgain erases everybody on a list from a restored database, and returns how many
// people and customers these are. An empty path is the list in the data folder, which need not
// exist.
func (s *settings) eraseAgain(ctx context.Context, o *resources, path string) (n int, err error) {
	f, err := os.Open(cmp.Or(path, s.erasedList()))
	if errors.Is(err, fs.ErrNotExist) && path == "" {
		fmt.Println("There is no list of erased people and customers.")
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	all, err := privacy.ReadList(f)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", f.Name(), err)
	}
	again, err := o.privacy().EraseAgain(ctx, all)
	if err == nil {
		fmt.Printf("People erased again: %d. Customers: %d.\n", again.People, again.Customers)
	}
	return again.People + again.Customers, err
}
