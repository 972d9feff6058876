package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/markup"
	"frontdesk/internal/outside"
	"frontdesk/internal/store"
)

// sourceTime is how long a caller waits for the chat system to show the message to
// announce.
const sourceTime = 10 * time.Second

// AnnouncementMessage returns a message of the chat system as it would be
// announced. It returns Invalid if the message cannot be found or read, as
// CreateAnnouncement does. If the message exists but cannot be announced, the
// result says why.
func (s *Service) AnnouncementMessage(ctx context.Context, c Caller, q desk.SourceQuery) (desk.SourceMessage, error) {
	var none desk.SourceMessage
	if err := c.may(desk.GetAnnouncementMessage); err != nil {
		return none, err
	}
	if err := q.Check(); err != nil {
		return none, err
	}
	var ch desk.Channel
	var m chat.Message
	err := s.outside.WithChat(ctx, c.Account, func(i desk.Integration, connector chat.Connector) (err error) {
		from, say := q.ChatMessage, byID
		if q.Link != "" {
			say = byLink
			if from, err = s.linkedMessage(i, q.Link); err != nil {
				return err
			}
		}
		if ch, err = s.sourceChannel(ctx, c, desk.GetAnnouncementMessage, from.Channel, say); err != nil {
			return err
		}
		m, err = s.source(ctx, connector, from, ch.BotMember, say)
		return err
	})
	if err != nil {
		return none, err
	}
	all, err := s.shownSources(ctx, c, desk.GetAnnouncementMessage, ch, []chat.Message{m})
	if err != nil {
		return none, err
	}
	return all[0], nil
}

// AnnouncementMessages returns the newest messages of a channel, newest first, to
// choose one to announce. It leaves out replies in threads. Notices of the chat
// system do not count as messages, so there may be fewer than limit.
func (s *Service) AnnouncementMessages(ctx context.Context, c Caller, channel string, limit int) (desk.List[desk.SourceMessage], error) {
	var l desk.List[desk.SourceMessage]
	if err := c.may(desk.ListAnnouncementMessages); err != nil {
		return l, err
	}
	var ch desk.Channel
	var h chat.History
	err := s.outside.WithChat(ctx, c.Account, func(_ desk.Integration, connector chat.Connector) (err error) {
		if ch, err = s.sourceChannel(ctx, c, desk.ListAnnouncementMessages, channel, byID); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, sourceTime)
		defer cancel()
		h, err = connector.History(ctx, chat.Span{Channel: channel, Limit: limit, Newest: true})
		switch desk.KindOf(err) {
		case desk.Forbidden, desk.NotFound, desk.Invalid:
			return desk.Wrong(byID.channel, "%s", byID.notIn)
		}
		return ours(err)
	})
	if err != nil {
		return l, err
	}
	top := slices.DeleteFunc(h.Messages, func(m chat.Message) bool { return m.Thread != "" }) // said in a thread and also sent to the channel
	slices.Reverse(top)
	l.Items, err = s.shownSources(ctx, c, desk.ListAnnouncementMessages, ch, top)
	return l, err
}

// sourceWords are the parameters with which a caller named a message, and the
// problems they are told if it is not available.
type sourceWords struct {
	channel, message         string // the parameters
	unseen, notIn, noMessage string
}

var (
	byID = sourceWords{"channel_id", "message_ts", change.UnknownChannel, "must be a channel that our bot is a member of",
		"must be a message that our bot can read; the bot must be a member of the channel"}
	byLink = sourceWords{"link", "link", "must lead to a channel that we can see in the chat system", "must lead to a channel that our bot is a member of",
		"must lead to a message that our bot can read"}
)

// linkedMessage returns the message that a link of the chat system leads to.
func (s *Service) linkedMessage(i desk.Integration, link string) (desk.ChatMessage, error) {
	at, err := s.outside.Chats[i.Kind].Linked(chat.Installation{Workspace: i.ExternalID, URL: i.URL}, link)
	switch {
	case errors.Is(err, chat.ErrElsewhere):
		return desk.ChatMessage{}, desk.Wrong("link", "must lead to a message in %s, the workspace that the account is connected to", i.Name)
	case err != nil:
		return desk.ChatMessage{}, desk.Wrong("link", "must be the link to a message, as copied from the chat system")
	}
	return desk.ChatMessage{Channel: at.Channel, Message: at.ID}, nil
}

// sourceChannel returns the channel of a message if the caller may announce from
// it.
func (s *Service) sourceChannel(ctx context.Context, c Caller, op desk.Operation, id string, say sourceWords) (desk.Channel, error) {
	ch, err := read(ctx, s, c, op, func(tx *store.Tx) (desk.Channel, error) {
		named, err := tx.ChannelsNamed([]string{id})
		return named[id], err
	})
	if err == nil && !announceable(ch, c.reach(op)) {
		err = desk.Wrong(say.channel, "%s", say.unseen)
	}
	return ch, err
}

// announceable reports whether a caller with this reach may announce messages of a
// channel.
func announceable(ch desk.Channel, reach desk.Reach) bool {
	return ch.ID != "" && !ch.Gone && reach.HasChannel(ch)
}

// source asks the chat system for a message. member says whether we believe that
// our bot is in the channel. We need it because some systems answer the same
// whether the bot is not a member or the message does not exist.
func (s *Service) source(ctx context.Context, c chat.Connector, from desk.ChatMessage, member bool, say sourceWords) (chat.Message, error) {
	ctx, cancel := context.WithTimeout(ctx, sourceTime)
	defer cancel()
	m, err := outside.ReadSource(ctx, c, from)
	switch kind := desk.KindOf(err); {
	case err == nil:
		return m, nil
	case kind == desk.Forbidden, kind == desk.NotFound && !member:
		return m, desk.Wrong(say.channel, "%s", say.notIn)
	case kind == desk.NotFound, kind == desk.Invalid:
		return m, desk.Wrong(say.message, "%s", say.noMessage)
	}
	return m, ours(err)
}

// ours turns an error of the chat system into what the caller is told. If the chat
// system limits calls, the limit is on us, not on the caller.
func ours(err error) error {
	var e *desk.Error
	if errors.As(err, &e) && e.Kind == desk.Busy {
		return &desk.Error{Kind: desk.Unavailable, Message: e.Message, RetryAfter: e.RetryAfter, Err: err}
	}
	return err
}

// checkSource asks the chat system for the message to announce, and checks that it
// can be announced.
func (s *Service) checkSource(ctx context.Context, c chat.Connector, from desk.ChatMessage) error {
	m, err := s.source(ctx, c, from, true, byID)
	if err != nil {
		return err
	}
	if wrong := unsendable(m); wrong != "" {
		return desk.Wrong(byID.message, "is a message %s", wrong)
	}
	return nil
}

// unsendable returns why a message cannot be announced, or "" if it can.
func unsendable(m chat.Message) string {
	switch {
	case m.HTML == "" && len(m.Files) == 0:
		return "with nothing that can be sent"
	case change.FilesTooLarge(m.Files):
		return fmt.Sprintf("whose files are larger than %d MiB together", change.MostAnnouncedFiles>>20)
	}
	return ""
}

// shownSources returns messages of a channel as they would be announced, with their
// authors.
func (s *Service) shownSources(ctx context.Context, c Caller, op desk.Operation, ch desk.Channel, messages []chat.Message) ([]desk.SourceMessage, error) {
	var ids []string
	for _, m := range messages {
		if m.Author != "" && desk.Storable(m.Author) && !slices.Contains(ids, m.Author) {
			ids = append(ids, m.Author)
		}
	}
	people := map[string]desk.User{}
	if len(ids) > 0 {
		l, err := read(ctx, s, c, op, func(tx *store.Tx) (desk.List[desk.User], error) { return tx.Users(desk.UserQuery{IDs: ids}) })
		if err != nil {
			return nil, err
		}
		for _, u := range l.Items {
			people[u.ID] = u
		}
	}
	all := make([]desk.SourceMessage, len(messages))
	for i, m := range messages {
		all[i] = shownSource(ch, m)
		if who, known := people[m.Author]; known {
			all[i].Author = &who
		}
		all[i].Sender = faceOf(m, all[i].Author)
	}
	return all, nil
}

// faceOf returns how the chat system shows who sent a message: as it says itself, which
// is the only place that knows under whose name our bot posted, or as its author.
func faceOf(m chat.Message, author *desk.User) *desk.Face {
	var face desk.Face
	if author != nil {
		face = desk.FaceOf(*author)
	}
	if name := desk.CleanText(m.Shown.Name); name != "" {
		face = desk.Face{Name: name, Avatar: desk.CleanText(m.Shown.Avatar)}
	}
	if face.Name == "" {
		return nil
	}
	return &face
}

func shownSource(ch desk.Channel, m chat.Message) desk.SourceMessage {
	shown := desk.SourceMessage{
		ChatMessage: desk.ChatMessage{Channel: ch.ID, Message: m.ID}, ChannelName: ch.Name, HTML: markup.Sanitize(m.HTML), Link: m.Link, CreatedAt: m.At,
	}
	if wrong := unsendable(m); wrong != "" {
		shown.Problem = "This is a message " + wrong + "."
	}
	if !m.EditedAt.IsZero() {
		shown.EditedAt = &m.EditedAt
	}
	for _, f := range m.Files {
		shown.Files = append(shown.Files, desk.SourceFile{Name: desk.FileName(desk.CleanText(f.Name)), Type: desk.FileType(desk.CleanText(f.Type)), Size: f.Size})
	}
	return shown
}
