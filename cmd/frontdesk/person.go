package main

import (
	"context"
	"errors"
	"fmt"

	"frontdesk/internal/desk"
	"frontdesk/internal/privacy"
)

type personCommand struct {
	Export     personExportCommand     `cmd:"" help:"Write everything that is known about a person to a zip file."`
	Erase      personEraseCommand      `cmd:"" help:"Erase a person everywhere."`
	EraseAgain personEraseAgainCommand `cmd:"" help:"Erase everybody again who was erased after a backup was made, customers as well. Run it after you restore one."`
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
	return o.exportSubject(ctx, account, p, c.File)
}

type personEraseCommand struct {
	who  `embed:""`
	sure `embed:""`
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
	done, err := s.erase(ctx, o, account, p, c.sure)
	if err != nil || c.DryRun {
		return err
	}
	fmt.Printf("The person is %s now.\n", done.Person)
	return s.finishErasing(ctx, o)
}

type personEraseAgainCommand struct {
	List string `arg:"" optional:"" placeholder:"FILE" help:"The list of erased people and customers. Default: \"erasures.jsonl\" in the data folder"`
}

func (personEraseAgainCommand) Help() string {
	return "Run it before the server starts on a restored backup. It needs the key that the server had. It also erases the customers on the list. Who was erased before the backup was made is left as they are."
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
