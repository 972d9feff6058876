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

type personCommand struct {
	Export     personExportCommand     `cmd:"" help:"Write everything that is known about a person to a zip file."`
	Erase      personEraseCommand      `cmd:"" help:"Erase a person everywhere."`
	EraseAgain personEraseAgainCommand `cmd:"" help:"Erase everybody again who was erased after a backup was made. Run it after you restore one."`
}

// who says which person of which account is meant.
type who struct {
	Email   []string `placeholder:"ADDRESS" help:"An address of the person. You can repeat this flag. Give an address or a user."`
	User    []string `placeholder:"ID" help:"The id of the person in the chat system. You can repeat this flag."`
	Account int64    `placeholder:"ID" help:"The account. It need not be given if there is only one."`
}

func (w who) person() (privacy.Person, error) {
	if len(w.Email)+len(w.User) == 0 {
		return privacy.Person{}, errors.New("say who it is, with --email or --user")
	}
	return privacy.Person{Emails: w.Email, Users: w.User}, nil
}

func (w who) account(ctx context.Context, o *resources) (desk.AccountID, error) {
	id, err := chooseAccount(ctx, o, w.Account)
	return desk.AccountID(id), err
}

func (o *resources) privacy() privacy.Desk {
	return privacy.Desk{Store: o.store, Blobs: o.blobs, Key: o.key}
}

type personExportCommand struct {
	File string `arg:"" placeholder:"FILE" help:"The zip file to create. It must not exist yet."`
	who  `embed:""`
}

func (personExportCommand) Help() string {
	return "The file has data.jsonl, with a line for each row that is the person's own or mentions them, and the files that they sent. Rows that mention the person may be by others: read them before you hand the file out. The server can keep running."
}

func (c *personExportCommand) Run(ctx context.Context, o *resources) error {
	p, err := c.person()
	if err != nil {
		return err
	}
	account, err := c.account(ctx, o)
	if err != nil {
		return err
	}
	if _, err := os.Stat(c.File); err == nil {
		return fmt.Errorf("%s already exists: choose another name", c.File)
	}
	var x privacy.Exported
	err = writeFileAtomically(c.File, func(w io.Writer) (err error) {
		x, err = o.privacy().Export(ctx, account, p, w)
		return err
	})
	if err != nil {
		return err
	}
	printCounts(x.Rows)
	fmt.Printf("Wrote %s. Files: %d.\n", c.File, x.Files)
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

type personEraseCommand struct {
	who    `embed:""`
	DryRun bool `help:"Only say what would be erased."`
	Yes    bool `help:"Erase it. This cannot be undone."`
}

func (personEraseCommand) Help() string {
	return `What the person wrote becomes "This text was erased.", their name "Erased person". Their files and addresses go. The audit log stays verifiable, and says that something was erased. The server can keep running; on SQLite nobody can write for a while. Remove the person in the chat system too, or Frontdesk reads their name there again. See docs/privacy.md.`
}

func (c *personEraseCommand) Run(ctx context.Context, s *settings) error {
	p, err := c.person()
	if err != nil {
		return err
	}
	s.writeTimeout = moveTimeout
	o, err := s.openWithKey(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	account, err := c.account(ctx, o)
	if err != nil {
		return err
	}
	if c.DryRun || !c.Yes {
		would, err := o.privacy().Preview(ctx, account, p)
		if err != nil {
			return err
		}
		printCounts(would.Rows)
		fmt.Printf("Requests: %d. Messages: %d. Files: %d. Nothing was changed.\n", would.Requests, would.Messages, would.Files)
		if !c.DryRun {
			return errors.New("to erase all of this for good, add --yes")
		}
		return nil
	}
	done, err := o.privacy().Erase(ctx, account, p, s.noteErased)
	if err != nil {
		return err
	}
	printCounts(done.Rows)
	fmt.Printf("Erased. Requests: %d. Messages: %d. Files: %d. The person is %s now.\n", done.Requests, done.Messages, done.Files, done.Person)
	return s.finishErasing(ctx, o)
}

// erasedList is the path of the list of erased people, which is outside every backup.
func (s *settings) erasedList() string { return filepath.Join(s.Data, "erasures.jsonl") }

// noteErased appends to the list of erased people.
func (s *settings) noteErased(people []privacy.Listed) error {
	if err := os.MkdirAll(s.Data, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(s.erasedList(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := privacy.WriteList(f, people); err != nil {
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
		return fmt.Errorf("the person is erased, but the database file still has old pages: run this command again, or stop the server first: %w", err)
	}
	fmt.Printf("Backups still have the person. After you restore one, run: frontdesk person erase-again %s\n", s.erasedList())
	if copies, err := filepath.Glob(filepath.Join(s.Data, "backups", "*")); err == nil && len(copies) > 0 {
		fmt.Printf("So have the copies in %s: delete them if you can do without them.\n", filepath.Join(s.Data, "backups"))
	}
	return nil
}

type personEraseAgainCommand struct {
	List string `arg:"" optional:"" placeholder:"FILE" help:"The list of erased people. Default: \"erasures.jsonl\" in the data folder"`
}

func (personEraseAgainCommand) Help() string {
	return "Run it before the server starts on a restored backup. It needs the key that the server had. People who were erased before the backup was made are left as they are."
}

func (c *personEraseAgainCommand) Run(ctx context.Context, s *settings) error {
	s.writeTimeout = moveTimeout
	o, err := s.openWithKey(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	n, err := s.eraseAgain(ctx, o, c.List)
	if err != nil || n == 0 {
		return err
	}
	return s.finishErasing(ctx, o)
}

// eraseAgain erases everybody on a list from a restored database, and returns how many
// people these are. An empty path is the list in the data folder, which need not
// exist.
func (s *settings) eraseAgain(ctx context.Context, o *resources, path string) (people int, err error) {
	f, err := os.Open(cmp.Or(path, s.erasedList()))
	if errors.Is(err, fs.ErrNotExist) && path == "" {
		fmt.Println("There is no list of erased people.")
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
	people, err = o.privacy().EraseAgain(ctx, all)
	if err == nil {
		fmt.Printf("People erased again: %d.\n", people)
	}
	return people, err
}
