// Command frontdesk is the whole service: server, demo and tools in one binary.
// This package wires the others together and holds nothing of its own but
// settings and the words a person sees in a terminal.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // time zones work on a machine that has none

	"github.com/alecthomas/kong"

	"frontdesk/internal/rest"
)

// version is set at build time.
var version = "dev"

type commands struct {
	settings

	Serve    serveCommand    `cmd:"" help:"Run the service."`
	Demo     demoCommand     `cmd:"" help:"Run the service with a sample account, and print how to try it."`
	Account  accountCommand  `cmd:"" help:"Accounts."`
	Member   memberCommand   `cmd:"" help:"Members, for who is locked out."`
	Token    tokenCommand    `cmd:"" help:"Access tokens."`
	Audit    auditCommand    `cmd:"" help:"Audit logs."`
	Insights insightsCommand `cmd:"" help:"Insights."`
	Jobs     jobsCommand     `cmd:"" help:"Background jobs that were given up."`
	Slack    slackCommand    `cmd:"" help:"The connection to Slack."`
	Sandbox  sandboxCommand  `cmd:"" help:"The built-in chat workspace."`
	Migrate  migrateCommand  `cmd:"" help:"Bring the database's tables up to date. serve and demo do it by themselves."`
	Reindex  reindexCommand  `cmd:"" help:"Have the search index of every account put anew, by the service and beside its work."`
	Backup   backupCommand   `cmd:"" help:"Write the whole database into one file, while the service runs."`
	OpenAPI  openapiCommand  `cmd:"" name:"openapi" help:"Print the API document."`
	Version  versionCommand  `cmd:"" help:"Print the version."`
	Help     helpCommand     `cmd:"" help:"Print this, or the help of one command."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// After the first signal the next one ends the process at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:]))
}

// run is main with the things of a process handed in. 0 is success, 1 a
// failure that was told, 2 a call that makes no sense.
func run(ctx context.Context, args []string) int {
	var c commands
	parser, err := kong.New(&c,
		kong.Name("frontdesk"),
		kong.Description("Support requests from team chat, with an API.\n\nEvery setting is a flag, an environment variable, or a line in the file named by --config; the first of these that is given wins."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Vars{"data": defaultData},
		kong.BindTo(ctx, (*context.Context)(nil)),
	)
	if err != nil {
		panic(err) // the structs above are wrong
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(os.Stderr, "frontdesk: %v\nSee: frontdesk help\n", err)
		return 2
	}
	if err := parsed.Run(&c.settings, parser); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintf(os.Stderr, "frontdesk: %v\n", err)
		return 1
	}
	return 0
}

type helpCommand struct {
	Command []string `arg:"" optional:"" help:"The command to explain."`
}

func (h helpCommand) Run(parser *kong.Kong) error {
	_, err := parser.Parse(append(h.Command, "--help"))
	return err
}

type openapiCommand struct{}

func (openapiCommand) Run() error {
	doc, err := rest.Document()
	if err != nil {
		return err
	}
	_, err = fmt.Println(string(doc))
	return err
}

type versionCommand struct{}

func (versionCommand) Run() error {
	fmt.Println("frontdesk", version)
	return nil
}
