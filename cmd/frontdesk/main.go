// Command frontdesk is the whole product in one binary: the server, the demo
// and the tools for operators. This package connects the other packages. It
// contains only the settings and the text that people see in a terminal.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	_ "time/tzdata" // time zones work on a machine that has none installed

	"github.com/alecthomas/kong"

	"frontdesk/internal/rest"
)

// version is set at build time.
var version = "dev"

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // the command failed and printed why
	exitMisuse = 2 // the command line or a setting is wrong
)

// commands is the command line. The commands tagged settings:"all" list every
// setting in their help.
type commands struct {
	settings
	ShowVersion kong.VersionFlag `name:"version" help:"Print the version."`

	Demo  demoCommand  `cmd:"" settings:"all" group:"Start here:" help:"Run a server with sample data, and print how to try it."`
	Serve serveCommand `cmd:"" settings:"all" group:"Start here:" help:"Run the server."`

	Account  accountCommand  `cmd:"" group:"Accounts and access:" help:"Create accounts, and move them between databases."`
	Member   memberCommand   `cmd:"" group:"Accounts and access:" help:"Let members in who are locked out."`
	Token    tokenCommand    `cmd:"" group:"Accounts and access:" help:"Create access tokens."`
	Person   personCommand   `cmd:"" group:"Accounts and access:" help:"Export or erase what is known about a person."`
	Customer customerCommand `cmd:"" group:"Accounts and access:" help:"Export or erase what is known about a customer."`

	Import importCommand `cmd:"" group:"Move in and out:" help:"Import requests of another system from its files."`
	Export exportCommand `cmd:"" group:"Move in and out:" help:"Write the requests of an account to files that other programs read."`

	Slack   slackCommand   `cmd:"" group:"Chat:" help:"Connect Slack."`
	Sandbox sandboxCommand `cmd:"" group:"Chat:" help:"Use the built-in chat workspace."`

	Mail mailCommand `cmd:"" group:"Mail:" help:"Check mail."`

	Health   healthCommand   `cmd:"" group:"Operations:" help:"Say whether the server on this machine can answer calls."`
	Backup   backupCommand   `cmd:"" group:"Operations:" help:"Make, list and verify backups. frontdesk backup alone makes one. The server can keep running."`
	Restore  restoreCommand  `cmd:"" group:"Operations:" help:"Bring back a backup, with its attachments, into an empty data folder or PostgreSQL database."`
	Verify   verifyCommand   `cmd:"" group:"Operations:" help:"Read everything and say what is wrong. Nothing is changed, and the server can keep running."`
	Migrate  migrateCommand  `cmd:"" group:"Operations:" help:"Update the database schema. serve and demo do this when they start."`
	Reindex  reindexCommand  `cmd:"" group:"Operations:" help:"Ask the server to rebuild every search index in the background."`
	Insights insightsCommand `cmd:"" group:"Operations:" help:"Maintain the facts behind Insights."`
	Audit    auditCommand    `cmd:"" group:"Operations:" help:"Verify and export audit logs."`
	Doctor   doctorCommand   `cmd:"" group:"Operations:" help:"Say what is wrong with the set-up, and what to do. It changes nothing."`
	Jobs     jobsCommand     `cmd:"" group:"Operations:" help:"Handle background jobs that failed for good."`

	OpenAPI openapiCommand `cmd:"" name:"openapi" group:"Reference:" help:"Print the OpenAPI document of the API."`
	Version versionCommand `cmd:"" group:"Reference:" help:"Print the version."`
	Help    helpCommand    `cmd:"" group:"Reference:" help:"Print this help, or the help of one command."`
}

// firstSteps is what frontdesk prints when it is called without a command.
const firstSteps = `Frontdesk turns conversations in team chat into support requests.

  frontdesk demo     Try it with sample data, without any setup.
  frontdesk serve    Run it for your team.
  frontdesk help     List every command and setting.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// After the first signal, the next one ends the process at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:]))
}

// run is main without the process: it takes the arguments and returns the exit
// code.
func run(ctx context.Context, args []string) int {
	if len(args) == 0 {
		// Like any other missing argument: a unit file that forgot "serve" must fail.
		fmt.Fprint(os.Stderr, firstSteps)
		return exitMisuse
	}
	if args[0] == "help" {
		// With --help, kong does not read settings. Help works although one is wrong.
		args = append(args[1:], "--help")
	}
	var c commands
	parser, err := newParser(ctx, &c)
	if err != nil {
		panic(err) // a struct tag is wrong
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return printMisuse(err)
	}
	var opened *resources
	defer func() {
		if opened != nil {
			opened.Close()
		}
	}()
	// Most commands take resources and nothing else.
	err = parsed.BindSingletonProvider(func() (_ *resources, err error) {
		opened, err = c.settings.open(ctx)
		return opened, err
	})
	if err == nil {
		err = parsed.Run(&c.settings, parser)
	}
	var misuse *kong.ParseError
	switch {
	case err == nil || errors.Is(err, context.Canceled):
		return exitOK
	case errors.As(err, &misuse):
		return printMisuse(err)
	}
	fmt.Fprintf(os.Stderr, "frontdesk: %v\n", err)
	return exitFailed
}

func newParser(ctx context.Context, c *commands) (*kong.Kong, error) {
	parser, err := kong.New(c,
		kong.Name("frontdesk"),
		kong.Description("Frontdesk turns conversations in team chat into support requests."),
		kong.Help(printHelp),
		kong.Vars{"data": defaultData, "version": "frontdesk " + version},
		kong.BindTo(ctx, (*context.Context)(nil)),
	)
	if err == nil {
		parser.Model.HelpFlag.Help = "Print help."
	}
	return parser, err
}

// printMisuse prints what is wrong with the command line or a setting, and
// which help to read.
func printMisuse(err error) int {
	message, command, isCommand := err.Error(), "", false
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil {
		if node := parse.Context.Selected(); node != nil {
			command, isCommand = " "+node.Path(), node.Leaf()
		}
	}
	if rest, ok := strings.CutPrefix(message, "unexpected argument "); ok && !isCommand {
		message = "unknown command " + rest
	}
	fmt.Fprintf(os.Stderr, "frontdesk%s: %s\nSee: frontdesk help%s\n", command, message, command)
	return exitMisuse
}

// helpCommand prints help when flags come before it, as in
// frontdesk --data=x help serve. run handles the plain form.
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
