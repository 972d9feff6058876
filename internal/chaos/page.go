package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// The report of clean runs stands in a page between these lines.
const pageBegin, pageEnd = "<!-- What follows is written by make chaos ARGS='-report docs/chaos.md'. -->\n", "<!-- Until here. -->\n"

// insertReport returns a page with another report between its marks.
func insertReport(page, text string) (string, error) {
	before, rest, begins := strings.Cut(page, pageBegin)
	_, after, ends := strings.Cut(rest, pageEnd)
	if !begins || !ends {
		return "", fmt.Errorf("the page has no place for the report: it needs the lines %q and %q", pageBegin, pageEnd)
	}
	return before + pageBegin + "\n" + text + "\n\n" + pageEnd + after, nil
}

// writePage writes the report of clean runs into a page. It names the commit that was built, if there is one.
func writePage(path, commit string, tales []*tale) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	of := ""
	if commit != "" {
		of = " of commit " + commit
	}
	line("`make chaos ARGS='-minutes %g -seed %d -runs %d'`%s, on %s. Every ledger was clean.\n", *minutes, tales[0].seed, len(tales), of, tales[0].began.UTC().Format("2 January 2006"))
	writeCounts(line, tales...)
	writeFaults(line, tales...)
	text, err := insertReport(string(page), strings.TrimSpace(b.String()))
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// cleanCommit names the commit that is checked out. It is empty if files other than the report's page differ from it.
func cleanCommit(page string) string {
	differ, err := exec.Command("git", "status", "--porcelain", "--untracked-files=no", "--", ":/", ":(exclude)"+page).Output()
	if err != nil || len(differ) > 0 {
		return ""
	}
	commit, err := exec.Command("git", "rev-parse", "--short=8", "HEAD").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(commit))
}
