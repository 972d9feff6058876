package sandbox

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"frontdesk/internal/sandbox/richtext"
)

// maxMarkdown bounds the characters of a message's Markdown.
const maxMarkdown = 12000

// markdown returns the argument markdown_text, which cannot be combined with text
// or blocks.
func (a arguments) markdown() (string, error) {
	s := a.text("markdown_text")
	switch {
	case s == "":
		return "", nil
	case a.text("text") != "" || a.text("blocks") != "":
		return "", refuse("markdown_text_conflict")
	case utf8.RuneCountInString(s) > maxMarkdown:
		return "", refuse("msg_too_long")
	}
	return s, nil
}

// fromMarkdown returns the text and the blocks that Slack makes from Markdown.
func fromMarkdown(s string) (text string, blocks json.RawMessage, err error) {
	text, made := richtext.FromMarkdown(s)
	if len(made) > maxMessageBlocks {
		return "", nil, refuse("msg_blocks_too_long")
	}
	return text, encode(made), nil
}

// messageBlocks checks the blocks of a message. Markdown blocks become what Slack
// makes of them, which may be several blocks.
func messageBlocks(raw json.RawMessage) (json.RawMessage, error) {
	var blocks []block
	if json.Unmarshal(raw, &blocks) != nil {
		return checkBlocks(raw, "blocks", maxMessageBlocks) // this says what is wrong
	}
	var all []any
	length, translated := 0, false
	for _, b := range blocks {
		if b.text("type") != "markdown" || b.text("text") == "" {
			all = append(all, b)
			continue
		}
		translated = true
		if length += utf8.RuneCountInString(b.text("text")); length > maxMarkdown {
			return nil, &Error{Code: "invalid_blocks", Messages: []string{fmt.Sprintf("[ERROR] must be less than %d characters in all markdown blocks [json-pointer:/blocks]", maxMarkdown+1)}}
		}
		_, made := richtext.FromMarkdown(b.text("text"))
		for _, m := range made {
			all = append(all, m)
		}
	}
	if translated {
		raw = encode(all)
	}
	return checkBlocks(raw, "blocks", maxMessageBlocks)
}
