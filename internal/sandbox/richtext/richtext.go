// Package richtext makes what Slack makes from the words of a message: its text in
// Slack's own markup, and blocks of rich text. It knows no workspace and checks
// nothing that apps send. The blocks have no block_id yet.
package richtext

import (
	"regexp"
	"strings"
)

// object is a JSON object to be sent.
type object = map[string]any

// escaped and unescaped convert between what people see, which is how blocks hold
// it, and the text of a message, where these characters begin markup.
var (
	escaped   = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	unescaped = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")
)

// Escape escapes words for the text of a message.
func Escape(words string) string { return escaped.Replace(words) }

// bareURL also matches markup, so that what is inside is not bare.
var bareURL = regexp.MustCompile(`<[^<>]*>|https?://[^\s<>|]*[^\s<>|.,;:!?)\]'"]`)

// LinkAddresses marks bare addresses as Slack does, and leaves existing markup alone.
func LinkAddresses(text string) string {
	return bareURL.ReplaceAllStringFunc(text, func(s string) string {
		if s[0] == '<' {
			return s
		}
		return "<" + s + ">"
	})
}

// marked matches what is between < and > in a message's text.
var marked = regexp.MustCompile(`<([@#!]?)([^<>|]+)(?:\|([^<>]*))?>`)

// FromText returns the block that Slack makes from a message's text.
func FromText(text string) map[string]any {
	var parts []object
	say := func(s string) {
		if s != "" {
			parts = append(parts, object{"type": "text", "text": unescaped.Replace(s)})
		}
	}
	rest := text
	for {
		at := marked.FindStringSubmatchIndex(rest)
		if at == nil {
			break
		}
		say(rest[:at[0]])
		mark, what := rest[at[2]:at[3]], rest[at[4]:at[5]]
		if mark != "" {
			parts = append(parts, namedElement(mark, what))
		} else {
			l := object{"type": "link", "url": what}
			if at[6] >= 0 {
				l["text"] = rest[at[6]:at[7]]
			}
			parts = append(parts, l)
		}
		rest = rest[at[1]:]
	}
	say(rest)
	return object{"type": "rich_text", "elements": []object{{"type": "rich_text_section", "elements": parts}}}
}

// namedElement returns the element of rich text for a mention.
func namedElement(mark, what string) object {
	switch mark {
	case "@":
		return object{"type": "user", "user_id": what}
	case "#":
		return object{"type": "channel", "channel_id": what}
	}
	return object{"type": "broadcast", "range": what}
}
