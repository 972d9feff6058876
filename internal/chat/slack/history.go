package slack

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"time"

	"frontdesk/internal/chat"
)

// messagesAtOnce is the largest page that Slack recommends.
const messagesAtOnce = 200

func (c *connector) History(ctx context.Context, s chat.Span) (chat.History, error) {
	me, err := c.identity(ctx)
	if err != nil {
		return chat.History{}, err
	}
	if s.Limit <= 0 || s.Limit > messagesAtOnce {
		s.Limit = messagesAtOnce
	}
	if s.Newest {
		return c.newest(ctx, s, me)
	}
	var h chat.History
	for {
		page, more, err := c.page(ctx, s)
		if err != nil {
			return chat.History{}, err
		}
		h.Messages = c.said(page, s.Channel, me)
		h.More = more
		// A page may have only notices, but the next one must begin after a message
		// that the caller has seen.
		if len(h.Messages) > 0 || !more {
			return h, nil
		}
		s.After = page[len(page)-1].TS
	}
}

// newest returns the last messages of a channel. With notices among them there are
// fewer than asked for, but never none while there are older ones.
func (c *connector) newest(ctx context.Context, s chat.Span, me identity) (h chat.History, err error) {
	args := url.Values{"channel": {s.Channel}, "limit": {strconv.Itoa(s.Limit)}, "include_all_metadata": {"true"}}
	for {
		var got messages
		if err := c.app.call(ctx, c.bot(), "conversations.history", args, &got); err != nil {
			return h, err
		}
		got.sort()
		h = chat.History{Messages: c.said(got.Messages, s.Channel, me), More: got.HasMore}
		if len(h.Messages) > 0 || !got.HasMore {
			return h, nil
		}
		if len(got.Messages) == 0 || got.Messages[0].TS == args.Get("latest") {
			return h, unknown("conversations.history", errors.New("there is more, and nothing to go on from"))
		}
		args.Set("latest", got.Messages[0].TS)
	}
}

// said returns the messages of a page without the notices, as chat.Messages.
func (c *connector) said(page []message, channel string, me identity) (all []chat.Message) {
	for _, m := range page {
		if m.said() {
			all = append(all, m.kept(channel, me, c.app.workspace(c.in.Workspace).url))
		}
	}
	return all
}

// messages is a page in Slack's answer.
type messages struct {
	Messages []message `json:"messages"`
	HasMore  bool      `json:"has_more"`
}

// sort sorts the messages oldest first, whatever Slack's order.
func (m messages) sort() {
	slices.SortStableFunc(m.Messages, func(a, b message) int {
		x, _ := parseTS(a.TS)
		y, _ := parseTS(b.TS)
		return cmp.Compare(x, y)
	})
}

// page returns a page of a channel or a thread, oldest first, notices included. If
// there is more, it is not empty.
func (c *connector) page(ctx context.Context, s chat.Span) (page []message, more bool, err error) {
	var got messages
	method, from := "conversations.history", oldest(s)
	args := url.Values{"channel": {s.Channel}, "oldest": {from}, "include_all_metadata": {"true"}}
	limit := s.Limit
	if s.Thread != "" {
		method = "conversations.replies"
		args.Set("ts", s.Thread)
		// The first message of a thread is on every page.
		if from != beginning {
			limit++
		}
	}
	args.Set("limit", strconv.Itoa(limit))
	if err := c.app.call(ctx, c.bot(), method, args, &got); err != nil {
		return nil, false, err
	}
	got.sort()
	for _, m := range got.Messages {
		if after(m.TS, from) {
			page = append(page, m)
		}
	}
	if got.HasMore && len(page) == 0 {
		return nil, false, unknown(method, errors.New("there is more, and nothing to go on from"))
	}
	if len(page) > s.Limit { // the first message of the thread belongs to the span
		return page[:s.Limit], true, nil
	}
	return page, got.HasMore, nil
}

// oldest returns the ts that all messages of a span come after.
func oldest(s chat.Span) string {
	from := cmp.Or(s.After, beginning)
	// Slack refuses what is not a ts.
	if _, ok := parseTS(from); !ok || s.Since.IsZero() {
		return from
	}
	// The last ts before the moment, because a message said at that moment belongs
	// to the span.
	if since := tsAt(s.Since.Add(-time.Nanosecond)); after(since, from) {
		return since
	}
	return from
}
