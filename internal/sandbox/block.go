package sandbox

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"frontdesk/internal/sandbox/richtext"
)

const (
	maxMessageBlocks = 50
	maxViewBlocks    = 100
)

// blockTypes are the known blocks, with the required fields of each.
var blockTypes = map[string][]string{
	"actions": {"elements"}, "context": {"elements"}, "divider": nil, "file": {"external_id", "source"}, "header": {"text"},
	"image": {"alt_text"}, "input": {"label", "element"}, "markdown": {"text"}, "rich_text": {"elements"}, "section": nil,
	"table": {"rows"}, "video": {"alt_text", "title", "video_url", "thumbnail_url"}, "context_actions": {"elements"},
}

// block is a block with the fields we read; the rest is kept as received.
type block map[string]json.RawMessage

func (b block) text(name string) string {
	var s string
	json.Unmarshal(b[name], &s)
	return s
}

// checkBlocks refuses blocks that Slack would not accept, and adds a block_id to
// those without one. place says where they are, for the error messages.
func checkBlocks(raw json.RawMessage, place string, most int) (json.RawMessage, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var blocks []block
	if json.Unmarshal(raw, &blocks) != nil {
		return nil, refuse("invalid_blocks_format")
	}
	if len(blocks) == 0 {
		return nil, nil
	}
	wrong := &Error{Code: "invalid_blocks"}
	report := func(pointer, format string, args ...any) {
		wrong.Messages = append(wrong.Messages, fmt.Sprintf("[ERROR] %s [json-pointer:/%s%s]", fmt.Sprintf(format, args...), place, pointer))
	}
	if len(blocks) > most {
		report("", "no more than %d items allowed", most)
	}
	var ids []string
	for i, b := range blocks {
		pointer := fmt.Sprintf("/%d", i)
		if b == nil {
			report(pointer, "must be an object")
			continue
		}
		checkBlock(b, pointer, report)
		id := b.text("block_id")
		if id == "" {
			id = newSecret(5)
			b["block_id"] = encode(id)
		}
		if slices.Contains(ids, id) {
			report(pointer+"/block_id", "`block_id` already exists: %s", id)
		}
		ids = append(ids, id)
	}
	if len(wrong.Messages) > 0 {
		return nil, wrong
	}
	return encode(blocks), nil
}

func checkBlock(b block, pointer string, report func(pointer, format string, args ...any)) {
	name := b.text("type")
	required, known := blockTypes[name]
	switch {
	case name == "":
		report(pointer, "missing required field: type")
		return
	case !known:
		report(pointer+"/type", "unsupported type: %s", name)
		return
	}
	for _, field := range required {
		if b[field] == nil {
			report(pointer, "missing required field: %s", field)
		}
	}
	if utf8.RuneCountInString(b.text("block_id")) > 255 {
		report(pointer+"/block_id", "must be less than 256 characters")
	}
	switch name {
	case "section":
		if b["text"] == nil && b["fields"] == nil {
			report(pointer, "missing required field: text")
		}
		checkText(b["text"], pointer+"/text", 3000, report)
	case "header":
		checkText(b["text"], pointer+"/text", 150, report)
	case "actions":
		checkElements(b["elements"], pointer+"/elements", 25, report)
	case "context":
		checkElements(b["elements"], pointer+"/elements", 10, report)
	}
}

func checkText(raw json.RawMessage, pointer string, most int, report func(pointer, format string, args ...any)) {
	if raw == nil {
		return
	}
	var t struct{ Type, Text string }
	switch {
	case json.Unmarshal(raw, &t) != nil:
		report(pointer, "must be an object")
	case t.Type != "mrkdwn" && t.Type != "plain_text":
		report(pointer+"/type", "unsupported type: %s", t.Type)
	case t.Text == "":
		report(pointer+"/text", "must be more than 0 characters")
	case utf8.RuneCountInString(t.Text) > most:
		report(pointer+"/text", "must be less than %d characters", most+1)
	}
}

func checkElements(raw json.RawMessage, pointer string, most int, report func(pointer, format string, args ...any)) {
	var elements []block
	if json.Unmarshal(raw, &elements) != nil {
		return // it was already reported as missing
	}
	if len(elements) == 0 || len(elements) > most {
		report(pointer, "must be between 1 and %d items", most)
	}
	for i, e := range elements {
		at := fmt.Sprintf("%s/%d", pointer, i)
		if e.text("type") == "" {
			report(at, "missing required field: type")
		}
		if e.text("type") == "button" {
			if e["text"] == nil {
				report(at, "missing required field: text")
			}
			checkText(e["text"], at+"/text", 75, report)
		}
		if utf8.RuneCountInString(e.text("action_id")) > 255 {
			report(at+"/action_id", "must be less than 256 characters")
		}
	}
}

// initially returns what an untouched input holds.
func (b block) initially() string {
	var option struct {
		Value string `json:"value"`
	}
	if raw, ok := b["initial_option"]; ok && json.Unmarshal(raw, &option) == nil {
		return option.Value
	}
	for _, name := range []string{"initial_value", "initial_user", "initial_date", "initial_conversation", "initial_channel"} {
		if v := b.text(name); v != "" {
			return v
		}
	}
	return ""
}

// richText returns the block that Slack makes from a text.
func richText(text string) json.RawMessage {
	b := richtext.FromText(text)
	b["block_id"] = newSecret(5)
	return encode([]object{b})
}

// findElement finds an interactive element in blocks by its action_id and, if
// given, its block_id.
func findElement(raw json.RawMessage, blockID, actionID string) (in block, element block, ok bool) {
	var blocks []block
	json.Unmarshal(raw, &blocks)
	for _, b := range blocks {
		if blockID != "" && b.text("block_id") != blockID {
			continue
		}
		var candidates []block
		json.Unmarshal(b["elements"], &candidates)
		for _, name := range []string{"accessory", "element"} {
			var one block
			if json.Unmarshal(b[name], &one) == nil && one != nil {
				candidates = append(candidates, one)
			}
		}
		for _, e := range candidates {
			if e.text("action_id") == actionID {
				return b, e, true
			}
		}
	}
	return nil, nil, false
}
