package mrkdwn

import (
	"os"
	"strings"
	"testing"

	"frontdesk/internal/markup"
)

// docs/formats.md is correct, row by row.
func TestFormatsDocument(t *testing.T) {
	b, err := os.ReadFile("../../../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for _, section := range strings.Split(string(b), "\n## ")[1:] {
		title, text, _ := strings.Cut(section, "\n")
		for line := range strings.Lines(text) {
			cells := examples(line)
			if len(cells) < 2 {
				continue
			}
			rows[title]++
			switch title {
			case "What is kept":
				wantSame(t, "Sanitize", cells[0], markup.Sanitize(cells[0]), cells[0])
				wantSame(t, "Text", cells[0], Text(cells[0]), cells[1])
				wantSame(t, "HTML", cells[1], HTML(cells[1]), cells[0])
				wantSame(t, "PlainText", cells[0], markup.PlainText(cells[0]), cells[2])
				if !common(markup.Parse(cells[0])) {
					t.Errorf("%s is not of the common subset", cells[0])
				}
			case "What is not kept when it comes in":
				wantSame(t, "Sanitize", cells[0], markup.Sanitize(cells[0]), cells[1])
			case "What does not survive Slack":
				wantSame(t, "Sanitize", cells[0], markup.Sanitize(cells[0]), cells[0])
				wantSame(t, "Text", cells[0], Text(cells[0]), cells[1])
				wantSame(t, "HTML", cells[1], HTML(cells[1]), cells[2])
			}
		}
	}
	if rows["What is kept"] < 18 || rows["What is not kept when it comes in"] < 7 || rows["What does not survive Slack"] < 15 {
		t.Errorf("rows: %v", rows)
	}
}

// examples returns the cells of a table row that hold code, unescaped.
func examples(line string) (cells []string) {
	if !strings.HasPrefix(line, "| ") {
		return nil
	}
	const bar = "\x00"
	line = strings.ReplaceAll(strings.TrimSpace(line), `\|`, bar)
	for cell := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
		cell = strings.TrimSpace(cell)
		code := strings.TrimLeft(cell, "`")
		ticks := cell[:len(cell)-len(code)]
		code, ok := strings.CutSuffix(code, ticks)
		if ticks == "" || !ok {
			continue
		}
		if len(ticks) > 2 || strings.HasSuffix(code, "` ") { // a space separates backticks
			code = strings.TrimSuffix(strings.TrimPrefix(code, " "), " ")
		}
		cells = append(cells, strings.NewReplacer(bar, "|", "⏎", "\n", "·", joint).Replace(code))
	}
	return cells
}

func wantSame(t *testing.T, what, in, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s(%q)\ngot  %q\nwant %q", what, in, got, want)
	}
}
