package slack

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/remote"
)

// apart is how much Slack's clock and ours may differ. It is the tolerance of
// Slack's signatures.
const apart = 5 * time.Minute

// Post posts a message. A message without files carries its mark, which a later try
// uses to find it. A message with files is found by the files, see postFiles.
func (c *connector) Post(ctx context.Context, p chat.Post) (chat.Ref, error) {
	if p.Mark == "" {
		return chat.Ref{}, desk.Errorf(desk.Invalid, "A post must have a mark.")
	}
	if p.User != "" {
		id, err := c.direct(ctx, p.User)
		if err != nil {
			return chat.Ref{}, err
		}
		p.Channel = id
	}
	switch {
	case p.Only != "":
		return c.whisper(ctx, p)
	case len(p.Files) > 0:
		return c.postFiles(ctx, p)
	}
	if !p.Tried.IsZero() {
		if at, found, err := c.find(ctx, p); err != nil || found {
			return at, err
		}
	}
	args := c.arguments(p)
	args.Set("metadata", encode(metadata{postEvent, markPayload{p.Mark}}))
	args.Set("unfurl_links", strconv.FormatBool(p.Unfurl.Links))
	args.Set("unfurl_media", strconv.FormatBool(p.Unfurl.Media))
	var done struct {
		TS string `json:"ts"`
	}
	if err := c.app.call(ctx, c.as(p.By), "chat.postMessage", args, &done); err != nil {
		return chat.Ref{}, err
	}
	return c.posted(p, "chat.postMessage", done.TS)
}

// arguments returns the arguments that all ways to post share.
func (c *connector) arguments(p chat.Post) url.Values {
	args := url.Values{"channel": {p.Channel}}
	setContent(args, p.Content)
	setGiven(args, "thread_ts", p.Thread)
	if p.As != nil && p.By == nil {
		setGiven(args, "username", cut(p.As.Name, mostUsername))
		setGiven(args, "icon_url", p.As.Avatar)
	}
	return args
}

// setGiven sets an argument unless its value is empty.
func setGiven(args url.Values, name, value string) {
	if value != "" {
		args.Set(name, value)
	}
}

// posted returns the name of a message that Slack says it has accepted.
func (c *connector) posted(p chat.Post, method, ts string) (chat.Ref, error) {
	if _, ok := parseTS(ts); !ok {
		return chat.Ref{}, unknown(method, errors.New("the answer does not name the message"))
	}
	return chat.Ref{Channel: p.Channel, ID: ts}, nil
}

// whisper shows a message to one person. Slack does not keep such messages, so it
// cannot be found again.
func (c *connector) whisper(ctx context.Context, p chat.Post) (chat.Ref, error) {
	if len(p.Files) > 0 {
		return chat.Ref{}, desk.Errorf(desk.Invalid, "Slack shows no files to one person only.")
	}
	args := c.arguments(p)
	args.Set("user", p.Only)
	var done struct {
		TS string `json:"message_ts"`
	}
	if err := c.app.call(ctx, c.as(p.By), "chat.postEphemeral", args, &done); err != nil {
		return chat.Ref{}, err
	}
	return c.posted(p, "chat.postEphemeral", done.TS)
}

// find looks for the message of an earlier try by its mark.
func (c *connector) find(ctx context.Context, p chat.Post) (chat.Ref, bool, error) {
	s := chat.Span{Channel: p.Channel, Thread: p.Thread, After: tsAt(p.Tried.Add(-apart)), Limit: messagesAtOnce}
	at, found, err := c.findIn(ctx, s, p.Mark)
	if s.Thread != "" && remote.CodeOf(err) == "thread_not_found" {
		// A reply to a removed message lands at the top level.
		s.Thread = ""
		at, found, err = c.findIn(ctx, s, p.Mark)
	}
	return at, found, err
}

func (c *connector) findIn(ctx context.Context, s chat.Span, mark string) (chat.Ref, bool, error) {
	for {
		h, err := c.History(ctx, s)
		if err != nil {
			return chat.Ref{}, false, err
		}
		for _, m := range h.Messages {
			if m.Mark == mark {
				return m.Ref, true, nil
			}
		}
		if !h.More {
			return chat.Ref{}, false, nil
		}
		s.After = h.Messages[len(h.Messages)-1].ID
	}
}
