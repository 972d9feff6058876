package rest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// parseScript reads a script. Errors begin with a line number.
func parseScript(text string) (script, error) {
	var s script
	blocks, starts := scriptBlocks(text)
	if err := s.parseHead(blocks[0]); err != nil {
		return s, fmt.Errorf("1: %w", err)
	}
	for i, block := range blocks[1:] {
		step, err := parseStep(block)
		if err != nil {
			return s, fmt.Errorf("%d: %w", starts[i+1], err)
		}
		step.line = starts[i+1]
		s.steps = append(s.steps, step)
	}
	if len(s.steps) == 0 {
		return s, errors.New("1: no exchange; each begins with a line ===")
	}
	return s, nil
}

// scriptBlocks cuts a script before each line that begins with ===.
func scriptBlocks(text string) (blocks [][]string, starts []int) {
	var block []string
	start := 1
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if strings.HasPrefix(line, "===") {
			blocks, starts = append(blocks, block), append(starts, start)
			block, start = nil, i+1
		}
		block = append(block, line)
	}
	return append(blocks, block), append(starts, start)
}

func (s *script) parseHead(lines []string) error {
	about := ""
	for i, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		switch {
		case name == "Rules" && i == 0:
			s.rules = strings.Split(value, ", ")
		case name == "Rate":
			if _, err := fmt.Sscanf(value, "%d a minute, %d at once", &s.rate.perMinute, &s.rate.burst); err != nil {
				return fmt.Errorf("write it as Rate: 60 a minute, 2 at once: %w", err)
			}
		default:
			about += line
		}
	}
	if len(s.rules) == 0 || about == "" {
		return errors.New("a script begins with Rules: and its rules, and a sentence that says what it shows")
	}
	return nil
}

var requestLine = regexp.MustCompile(`^([A-Z]+) (/\S*)$`)

func parseStep(lines []string) (step scriptStep, err error) {
	step.caption = strings.TrimSpace(strings.TrimPrefix(lines[0], "==="))
	step.as, step.repeat = "admin", 1
	lines = lines[1:]
	for len(lines) > 0 && !requestLine.MatchString(lines[0]) {
		if n, ok := strings.CutPrefix(lines[0], "repeat "); ok {
			if step.repeat, err = strconv.Atoi(n); err != nil {
				return step, err
			}
		} else if text, ok := strings.CutPrefix(lines[0], "|"); ok && len(step.before) > 0 { // belongs to the line before
			step.before[len(step.before)-1] += "\n" + strings.TrimPrefix(text, " ")
		} else if lines[0] != "" {
			step.before = append(step.before, lines[0])
		}
		lines = lines[1:]
	}
	divider := slices.Index(lines, "---")
	if len(lines) == 0 || divider < 0 {
		return step, errors.New("an exchange is a request, a line --- and a reply")
	}
	match := requestLine.FindStringSubmatch(lines[0])
	step.method, step.target = match[1], match[2]
	header, body, err := headAndBody(lines[1:divider])
	if err != nil {
		return step, err
	}
	step.body = body
	for _, h := range header {
		switch h[0] {
		case "As":
			step.as = h[1]
		case "Wrong":
			step.wrong = true
		default:
			step.header = append(step.header, h)
		}
	}
	reply := lines[divider+1:]
	if len(reply) == 0 {
		return step, errors.New("a reply begins with its status")
	}
	if step.status, err = strconv.Atoi(reply[0]); err != nil {
		return step, fmt.Errorf("a reply begins with its status: %w", err)
	}
	step.reply, step.want, err = headAndBody(reply[1:])
	return step, err
}

// headAndBody reads header lines up to a blank line, and the body after it without
// the line breaks around it.
func headAndBody(lines []string) (header [][2]string, body string, err error) {
	for i, line := range lines {
		if line == "" {
			return header, strings.Trim(strings.Join(lines[i:], "\n"), "\n"), nil
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, "", fmt.Errorf("%q is no header; a blank line comes before the body", line)
		}
		header = append(header, [2]string{name, strings.TrimSpace(value)})
	}
	return header, "", nil
}

func TestScriptParse(t *testing.T) {
	s, err := parseScript(`Rules: a.b, c.d
Rate: 60 a minute, 2 at once

What it shows.

=== First
clock +1h
mail passed
| From: a@b.example
|
|  x
repeat 3
POST /v1/rest/members?x=1
As: agent
Wrong: no email
Idempotency-Key: k

{"a":

1}
---
201
X-Request-Id: {{:request-id}}

{}

=== Second
GET /v1/rest/account
---
204
`)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(s.rules, " ") != "a.b c.d" || s.rate != (scriptRate{60, 2}) || len(s.steps) != 2 {
		t.Errorf("got %+v", s)
	}
	first, second := s.steps[0], s.steps[1]
	if first.caption != "First" || first.line != 6 || first.before[0] != "clock +1h" || first.before[1] != "mail passed\nFrom: a@b.example\n\n x" || first.repeat != 3 || first.method != "POST" ||
		first.target != "/v1/rest/members?x=1" || first.as != "agent" || !first.wrong || len(first.header) != 1 ||
		first.body != "{\"a\":\n\n1}" || first.status != 201 || len(first.reply) != 1 || first.want != "{}" {
		t.Errorf("first: %+v", first)
	}
	if second.as != "admin" || second.wrong || second.repeat != 1 || second.body != "" || second.status != 204 || second.want != "" {
		t.Errorf("second: %+v", second)
	}

	const head, exchange = "Rules: a.b\n\nIt.\n\n", "=== One\nGET /\n---\n200\n"
	for name, text := range map[string]string{
		"no rules":       "It.\n" + exchange,
		"no sentence":    "Rules: a.b\n" + exchange,
		"a bad rate":     "Rules: a.b\nRate: fast\n\nIt.\n" + exchange,
		"no exchange":    head,
		"no reply":       head + "=== One\nGET /\n",
		"an empty reply": head + "=== One\nGET /\n---\n",
		"no status":      head + "=== One\nGET /\n---\nfine\n",
		"no request":     head + "=== One\n---\n200\n",
		"a bad header":   head + "=== One\nGET /\nhello\n---\n200\n",
		"a bad repeat":   head + "=== One\nrepeat often\nGET /\n---\n200\n",
	} {
		if _, err := parseScript(text); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
