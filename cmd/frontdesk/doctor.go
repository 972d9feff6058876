package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"text/tabwriter"

	"frontdesk/internal/sqldb"
)

type doctorCommand struct {
	JSON bool `help:"Print JSON."`
}

func (doctorCommand) Help() string {
	return "Run it with the settings of the server, as the user of the server. It changes nothing: it writes a test file into the data folder, the store for attachments and the place for backups, and removes it. It exits with 1 if something is wrong."
}

// level says how bad a finding is.
type level string

const (
	isOK    level = "ok"
	isNote  level = "note"  // worth knowing, or not known
	isWrong level = "wrong" // the server will not work well, or not at all
)

// finding is what the doctor found out about one thing.
type finding struct {
	Level level  `json:"level"`
	Check string `json:"check"`
	Says  string `json:"says"`
	Do    string `json:"do,omitempty"` // what to do about it
}

func ok(check, format string, args ...any) finding {
	return finding{isOK, check, fmt.Sprintf(format, args...), ""}
}

func note(check, do, format string, args ...any) finding {
	return finding{isNote, check, fmt.Sprintf(format, args...), do}
}

func wrong(check, do, format string, args ...any) finding {
	return finding{isWrong, check, fmt.Sprintf(format, args...), do}
}

// examination is one run of the doctor.
type examination struct {
	*settings
	db *sqldb.DB // nil if it cannot be read, or has another schema
}

// checks are what the doctor looks at, in the order in which it says so. The database
// comes before what reads it.
var checks = []func(*examination, context.Context) []finding{
	(*examination).checkSettings,
	(*examination).checkFolder,
	(*examination).checkDatabase,
	(*examination).checkPostgres,
	(*examination).checkKey,
	(*examination).checkAddress,
	(*examination).checkAttachments,
	(*examination).checkBackups,
	(*examination).checkChat,
	(*examination).checkMail,
	(*examination).checkProxy,
	(*examination).checkWork,
	(*examination).checkMachine,
}

func (c *doctorCommand) Run(ctx context.Context, s *settings) error {
	e := &examination{settings: s}
	var all []finding
	for _, check := range checks {
		all = append(all, check(e, ctx)...)
	}
	if e.db != nil {
		e.db.Close()
	}
	if err := c.print(all); err != nil {
		return err
	}
	n := 0
	for _, f := range all {
		if f.Level == isWrong {
			n++
		}
	}
	switch n {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("one thing is wrong")
	}
	return fmt.Errorf("%d things are wrong", n)
}

func (c *doctorCommand) print(all []finding) error {
	if c.JSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		out.SetEscapeHTML(false)
		return out.Encode(map[string][]finding{"findings": all})
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, f := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\n", f.Level, f.Check, f.Says)
		if f.Do != "" {
			fmt.Fprintf(w, "\t\t→ %s\n", f.Do)
		}
	}
	return w.Flush()
}
