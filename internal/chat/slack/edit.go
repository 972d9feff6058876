package slack

import (
	"context"
	"net/url"

	"frontdesk/internal/chat"
	"frontdesk/internal/remote"
)

// Edit changes or removes a message. The mark stays, because Slack keeps metadata
// that an update does not mention.
func (c *connector) Edit(ctx context.Context, at chat.Ref, content *chat.Content) error {
	args := url.Values{"channel": {at.Channel}, "ts": {at.ID}}
	if content != nil {
		setContent(args, *content)
		return c.app.call(ctx, c.bot(), "chat.update", args, &struct{}{})
	}
	err := c.app.call(ctx, c.bot(), "chat.delete", args, &struct{}{})
	if remote.CodeOf(err) == "message_not_found" {
		return nil
	}
	return err
}

func (c *connector) React(ctx context.Context, at chat.Ref, emoji string, on bool) error {
	method := "reactions.remove"
	if on {
		method = "reactions.add"
	}
	err := c.app.call(ctx, c.bot(), method, url.Values{"channel": {at.Channel}, "timestamp": {at.ID}, "name": {emoji}}, &struct{}{})
	switch remote.CodeOf(err) {
	case "already_reacted", "no_reaction":
		return nil
	}
	return err
}
