package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

const (
	// helpWidth fits the narrowest terminal that is common.
	helpWidth = 80
	// helpColumn is where explanations begin.
	helpColumn = 30
)

// The titles of flag sections. A setting belongs to the section that its group
// tag names, or else to commonFlags.
const (
	ownFlags    = "Flags:"
	serverFlags = "Server settings:"
	commonFlags = "Common flags:"
)

const settingsRule = "You can also set a flag with the environment variable below it, or with a line in the file that --config names. A flag wins over a variable, and a variable wins over the file."

// printHelp prints the help of the selected command, or of frontdesk itself.
// A command's own flags come first and the common flags in a section of their
// own. Only frontdesk itself and the commands that run a server list the
// settings of the server.
func printHelp(_ kong.HelpOptions, ctx *kong.Context) error {
	p := &helpPrinter{}
	node := ctx.Selected()
	if node == nil {
		node = ctx.Model.Node
		p.paragraph("Usage: frontdesk <command> [flags]")
	} else {
		p.paragraph("Usage: frontdesk " + node.Summary())
	}
	p.paragraph(node.Help)
	p.paragraph(node.Detail)
	p.arguments(node.Positional)
	p.commands(node)
	for n := node; n.Parent != nil; n = n.Parent {
		p.flags(ownFlags, n.Flags)
	}

	isRoot, runsServer := node.Parent == nil, node.Tag.Has("settings")
	sections := sectionFlags(ctx.Model.Flags)
	titles := []string{commonFlags}
	switch {
	case isRoot:
		titles = sections.titles
	case runsServer:
		others := slices.DeleteFunc(sections.titles, func(t string) bool { return t == serverFlags })
		titles = append([]string{serverFlags}, others...)
	}
	for _, title := range titles {
		if title == commonFlags {
			p.paragraph(settingsRule)
		}
		p.flags(title, sections.flags[title])
	}

	switch {
	case !node.Leaf():
		p.paragraph("To see the flags of a command: " + node.FullPath() + " <command> --help")
	case !runsServer:
		p.paragraph("To see every setting: frontdesk help")
	}
	_, err := io.WriteString(ctx.Stdout, p.text.String())
	return err
}

// sections are flags by the title of their section, and the titles in order.
type sections struct {
	titles []string
	flags  map[string][]*kong.Flag
}

func sectionFlags(flags []*kong.Flag) sections {
	s := sections{flags: map[string][]*kong.Flag{}}
	for _, f := range flags {
		title := commonFlags
		if f.Group != nil {
			title = f.Group.Title
		}
		if !slices.Contains(s.titles, title) {
			s.titles = append(s.titles, title)
		}
		s.flags[title] = append(s.flags[title], f)
	}
	return s
}

// helpPrinter collects help text. Blank lines separate its parts.
type helpPrinter struct{ text strings.Builder }

func (p *helpPrinter) title(text string) {
	if p.text.Len() > 0 {
		p.text.WriteByte('\n')
	}
	p.text.WriteString(text)
	p.text.WriteByte('\n')
}

func (p *helpPrinter) paragraph(text string) {
	if text != "" {
		p.title(strings.Join(wrapText(text, helpWidth), "\n"))
	}
}

// row prints a name and its explanation. Each part of the explanation begins on a
// line of its own.
func (p *helpPrinter) row(name string, explanation ...string) {
	line := "  " + name
	if len(line)+2 > helpColumn {
		fmt.Fprintln(&p.text, line)
		line = ""
	}
	for _, part := range explanation {
		for _, text := range wrapText(part, helpWidth-helpColumn) {
			fmt.Fprintf(&p.text, "%-*s%s\n", helpColumn, line, text)
			line = ""
		}
	}
}

func (p *helpPrinter) arguments(arguments []*kong.Positional) {
	if len(arguments) > 0 {
		p.title("Arguments:")
	}
	for _, a := range arguments {
		p.row(a.Summary(), a.Help)
	}
}

// commands lists the commands below node, in their groups.
func (p *helpPrinter) commands(node *kong.Node) {
	last := ""
	for _, c := range node.Leaves(true) {
		title := "Commands:"
		if group := c.ClosestGroup(); group != nil && node.Parent == nil {
			title = group.Title
		}
		if title != last {
			p.title(title)
			last = title
		}
		p.row(c.Path(), c.Help)
	}
}

func (p *helpPrinter) flags(title string, flags []*kong.Flag) {
	if len(flags) > 0 {
		p.title(title)
	}
	for _, f := range flags {
		name := "--" + f.Name
		if !f.IsBool() {
			name += "=" + f.FormatPlaceHolder()
		}
		if f.Short != 0 {
			name += ", -" + string(f.Short)
		}
		help := f.Help
		switch {
		case f.Required:
			help += " Required."
		case cmp.Or(f.Default, "0") != "0":
			help += " Default: " + f.Default
		}
		explanation := []string{help}
		for _, env := range f.Envs {
			explanation = append(explanation, "$"+env)
		}
		p.row(name, explanation...)
	}
}

// wrapText breaks text into lines of at most width bytes, where words allow it.
func wrapText(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
