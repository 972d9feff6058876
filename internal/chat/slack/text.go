package slack

import (
	"frontdesk/internal/chat/slack/mrkdwn"
	"frontdesk/internal/markup"
)

// Everything that converts between Slack's markup and chat's HTML is called here.

// toHTML returns a message's text as chat's HTML.
func toHTML(text string) string { return mrkdwn.HTML(text) }

// toMrkdwn returns chat's HTML as Slack's markup.
func toMrkdwn(html string) string { return mrkdwn.Text(html) }

// plainText returns a text in which Slack sees no markup.
func plainText(s string) string { return mrkdwn.Text(markup.FromText(s)) }
