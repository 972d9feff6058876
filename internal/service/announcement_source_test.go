package service

import (
	"context"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/outside"
	"frontdesk/internal/sandbox"
	"frontdesk/internal/store"
)

// A message is shown as it would be announced, and its link leads back to it. The
// newest messages of a channel are everything said there, without replies.
func TestAnnouncementMessage(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		n := newNewsroom(w, 1)
		first := n.drafted("*Maintenance* on _Sunday_ <@" + n.oskar + ">")
		file, err := n.box.As(n.maya).Upload(ctx, n.drafts, sandbox.Upload{Name: "plan.txt", Content: []byte("what will be done"), Comment: "The plan"})
		must(t, err)

		shown, err := n.AnnouncementMessage(ctx, n.caller(), desk.SourceQuery{ChatMessage: first})
		must(t, err)
		if shown.ChatMessage != first || shown.ChannelName != "drafts" || shown.Author == nil || shown.Author.ID != n.maya || shown.Problem != "" || len(shown.Files) != 0 || shown.CreatedAt.IsZero() {
			t.Errorf("shown is %+v", shown)
		}
		again, err := n.AnnouncementMessage(ctx, n.caller(), desk.SourceQuery{Link: shown.Link})
		must(t, err)
		if again.ChatMessage != first || again.HTML != shown.HTML {
			t.Errorf("its link %q leads to %+v", shown.Link, again)
		}
		id := n.announces(n.announcement(first))
		n.sent(id)
		var src store.AnnouncementSource
		must(t, n.store.Read(ctx, n.account.ID, func(tx *store.Tx) (err error) {
			src, err = tx.AnnouncementSource(id)
			return err
		}))
		if src.HTML != shown.HTML || !strings.Contains(shown.HTML, "<strong>Maintenance</strong>") {
			t.Errorf("shown is %q, announced was %q", shown.HTML, src.HTML)
		}

		l, err := n.AnnouncementMessages(ctx, n.caller(), n.drafts, 10)
		must(t, err)
		if len(l.Items) != 2 || l.Items[0].Message != file.TS || l.Items[1].Message != first.Message {
			t.Fatalf("the newest are %+v", l.Items)
		}
		if f := l.Items[0].Files; len(f) != 1 || f[0].Name != "plan.txt" || f[0].Size != int64(len("what will be done")) {
			t.Errorf("its files are %+v", f)
		}
		if l, err = n.AnnouncementMessages(ctx, n.caller(), n.drafts, 1); err != nil || len(l.Items) != 1 || l.Items[0].Message != file.TS {
			t.Errorf("the newest is %+v, %v", l.Items, err)
		}
	})
}

// A channel without our bot and a message that does not exist give different
// errors, even if the chat system answers both the same.
func TestAnnouncementMessageWithoutTheBot(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		n := newNewsroom(w, 0)
		c, err := n.box.As(n.workspace.Owner).CreateChannel(ctx, "without-us", false)
		must(t, err)
		line := channelLine(c.ID, "without-us", false, false, false)
		become(t, "the channel", n.ourChannels, func(all []string) bool { return strings.Contains(strings.Join(all, "\n"), line) })
		said := n.says(n.workspace.Owner, c.ID, "not for the bot")
		drafted, err := n.AnnouncementMessage(ctx, n.caller(), desk.SourceQuery{ChatMessage: n.drafted("for the bot")})
		must(t, err)
		link := strings.TrimSuffix(drafted.Link, strings.ReplaceAll(drafted.Message, ".", "")) + strings.ReplaceAll(said.TS, ".", "")
		link = strings.Replace(link, n.drafts, c.ID, 1)
		_, err = n.AnnouncementMessage(ctx, n.caller(), desk.SourceQuery{Link: link})
		wantProblem(t, err, "link must lead to a channel that our bot is a member of.")
		_, err = n.AnnouncementMessage(ctx, n.caller(), desk.SourceQuery{Link: strings.Replace(link, c.ID, n.drafts, 1)})
		wantProblem(t, err, "link must lead to a message that our bot can read.")
		_, err = n.AnnouncementMessages(ctx, n.caller(), c.ID, 10)
		wantProblem(t, err, "channel_id must be a channel that our bot is a member of.")
	})
}

func wantProblem(t *testing.T, err error, want string) {
	t.Helper()
	if desk.KindOf(err) != desk.Invalid || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// pages is a chat system that only has a history.
type pages struct {
	chat.Connector
	list  []chat.History
	after []string // what was asked for
}

func (p *pages) History(_ context.Context, s chat.Span) (chat.History, error) {
	p.after = append(p.after, s.After)
	next := p.list[0]
	p.list = p.list[1:]
	return next, nil
}

// A message is searched for to the end of its thread, and no further.
func TestReadSource(t *testing.T) {
	page := func(more bool, ids ...string) (h chat.History) {
		for _, id := range ids {
			h.Messages = append(h.Messages, chat.Message{Ref: chat.Ref{ID: id}})
		}
		h.More = more
		return h
	}
	for name, c := range map[string]struct {
		pages []chat.History
		after []string
		found bool
	}{
		"on the first page": {[]chat.History{page(true, "1", "3")}, []string{""}, true},
		"on the last page":  {[]chat.History{page(true, "1", "2"), page(false, "3")}, []string{"", "2"}, true},
		"nowhere":           {[]chat.History{page(true, "1", "2"), page(false, "4")}, []string{"", "2"}, false},
		"behind nothing":    {[]chat.History{page(true)}, []string{""}, false},
	} {
		p := &pages{list: c.pages}
		m, err := outside.ReadSource(ctx, p, desk.ChatMessage{Channel: "C", Message: "3"})
		if c.found && (err != nil || m.ID != "3") || !c.found && desk.KindOf(err) != desk.NotFound || !slices.Equal(p.after, c.after) {
			t.Errorf("%s: %q, %v; asked after %q", name, m.ID, err, p.after)
		}
	}
}
