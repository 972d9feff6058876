package slack

import (
	"frontdesk/internal/chat/slack/mrkdwn"
	"frontdesk/internal/markup"
)

// All that turns Slack's markup into chat's HTML, and back, is called here.

// toHTML is a message's text as chat has it.
func toHTML(text string) string { return mrkdwn.HTML(text) }

// toMrkdwn is chat's HTML as Slack has it.
func toMrkdwn(html string) string { return mrkdwn.Text(html) }

// plainText is a text in which Slack is to see no marks.
func plainText(s string) string { return mrkdwn.Text(markup.FromText(s)) }
