package demo

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/desk"
)

// The conversations are in text files, one a language:
//
//	= Area | tags | priority | ending
//	? what is asked
//	| the same in other words
//	< 10m an answer, and how long after the previous message
//	> 5m  what the requester says to that
//	# 2m  a private note
//
// Priority and ending may be missing. Text in braces is a slot, see story.fill: the
// same slot has the same value everywhere in a conversation.
//
//go:embed conversations/*.txt
var conversationFiles embed.FS

// template is one conversation.
type template struct {
	area     string
	tags     []string
	priority desk.Priority // empty: as the rules suggest
	ending   string
	lines    []templateLine
}

type templateLine struct {
	by    byte // asks, answers, says or notes
	after time.Duration
	texts []string // alternative wordings
}

const (
	asks    = '?'
	answers = '<'
	says    = '>'
	notes   = '#'
)

// The endings of a conversation, besides being solved.
const (
	endsPending = "pending" // the requester never answers
	endsOnHold  = "hold"    // put on hold
	endsAsNone  = "none"    // it was not a request
)

// outage is the area of what is asked on the one bad day.
const outage = "Outage"

// templates returns all of them, by language.
func templates() (map[string][]template, error) {
	all := map[string][]template{}
	for language := range words {
		text, err := conversationFiles.ReadFile(path.Join("conversations", language+".txt"))
		if err != nil {
			return nil, err
		}
		for n, line := range strings.Split(string(text), "\n") {
			if all[language], err = readLine(all[language], line); err != nil {
				return nil, fmt.Errorf("%s.txt:%d: %w", language, n+1, err)
			}
		}
	}
	return all, nil
}

// readLine adds a line of a file to what was read before it.
func readLine(all []template, line string) ([]template, error) {
	if line = strings.TrimSpace(line); line == "" {
		return all, nil
	}
	text := strings.TrimSpace(line[1:])
	if line[0] == '=' {
		t, err := readHead(text)
		return append(all, t), err
	}
	if len(all) == 0 {
		return all, fmt.Errorf("%q is in no conversation", line)
	}
	t := &all[len(all)-1]
	if line[0] == '|' && len(t.lines) > 0 {
		last := &t.lines[len(t.lines)-1]
		last.texts = append(last.texts, text)
		return all, nil
	}
	said := templateLine{by: line[0]}
	if said.by != asks {
		after, rest, _ := strings.Cut(text, " ")
		var err error
		if said.after, err = time.ParseDuration(after); err != nil {
			return all, err
		}
		text = strings.TrimSpace(rest)
	}
	if !strings.ContainsRune("?<>#", rune(said.by)) || (said.by == asks) != (len(t.lines) == 0) {
		return all, fmt.Errorf("%q cannot stand here", line)
	}
	said.texts = []string{text}
	t.lines = append(t.lines, said)
	return all, nil
}

func readHead(text string) (t template, err error) {
	parts := append(strings.Split(text, "|"), "", "", "")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	t = template{area: parts[0], priority: desk.Priority(parts[2]), ending: parts[3]}
	for tag := range strings.SplitSeq(parts[1], ",") {
		t.tags = append(t.tags, strings.TrimSpace(tag))
	}
	if !slices.Contains(areas, t.area) || !slices.Contains([]string{"", endsPending, endsOnHold, endsAsNone}, t.ending) {
		err = fmt.Errorf("%q is no head of a conversation", text)
	}
	return t, err
}
