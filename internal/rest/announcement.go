package rest

import (
	"encoding/json"
	"strconv"

	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

func (s *Server) listAnnouncements(c *call) (any, error) {
	var p desk.Problems
	q := desk.AnnouncementQuery{Status: desk.AnnouncementStatus(c.text(&p, "status")), Page: c.page(&p)}
	if c.values.Has("status") {
		desk.OneOf(&p, "status", q.Status, desk.AnnouncementStatuses...)
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	l, err := s.service.Announcements(c.ctx, c.caller, q)
	return list(c, "announcements", wire.NewListedAnnouncement, l, err)
}

// newAnnouncement reads a new announcement.
func newAnnouncement(b object) desk.NewAnnouncement {
	text, named := announcementText(b), b.required
	if b.has("html_body") {
		named = func(name string) string { return orZero(b.text(name)) }
	}
	return desk.NewAnnouncement{
		Text: text, Source: desk.ChatMessage{Channel: named("channel_id"), Message: named("message_ts")},
		Name:       b.required("name"),
		Recipients: recipients(b), Action: desk.SendAction(b.required("action")), ScheduledAt: b.moment("scheduled_time"),
		Sender: sender(b), Unfurl: desk.Unfurl{Links: b.isSet("unfurl_links"), Media: b.isSet("unfurl_media")},
	}
}

// announcementText reads the text of an announcement, nil if there is none.
func announcementText(b object) *desk.AnnouncementText {
	return (*desk.AnnouncementText)(b.text("html_body"))
}

// announcementDraft reads what would be announced in a channel.
func announcementDraft(b object) desk.AnnouncementDraft {
	return desk.AnnouncementDraft{Channel: b.required("channel_id"), Text: announcementText(b), Sender: sender(b)}
}

// announcementResync reads the new text of a written announcement.
func announcementResync(b object) desk.AnnouncementDraft {
	return desk.AnnouncementDraft{Text: announcementText(b)}
}

func (s *Server) getAnnouncementMessage(c *call) (any, error) {
	var p desk.Problems
	q := desk.SourceQuery{Link: c.text(&p, "link"), ChatMessage: desk.ChatMessage{Channel: c.text(&p, "channel_id"), Message: c.text(&p, "message_ts")}}
	if err := p.Err(); err != nil {
		return nil, err
	}
	return s.service.AnnouncementMessage(c.ctx, c.caller, q)
}

func (s *Server) listAnnouncementMessages(c *call) (any, error) {
	var p desk.Problems
	channel, limit := c.text(&p, "channel_id"), c.limit(&p)
	if channel == "" {
		p.Add("channel_id", "is required")
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	l, err := s.service.AnnouncementMessages(c.ctx, c.caller, channel, limit)
	return list(c, "messages", wire.NewSourceMessage, l, err)
}

// recipients reads the recipients of an announcement.
func recipients(b object) []desk.NamedRecipient {
	b.demand("recipients")
	return orZero(listOf(b, "recipients", desk.MostNamedRecipients, recipient))
}

// recipient reads one recipient of an announcement.
func recipient(o object) desk.NamedRecipient {
	r := desk.NamedRecipient{Kind: desk.RecipientKind(o.required("type"))}
	switch r.Kind {
	case desk.RecipientChannel:
		r.Channel = o.required("id")
	case desk.RecipientCollection:
		r.Collection = o.number("id")
	default:
		if o.has("type") {
			desk.OneOf(o.problems, o.at+"type", r.Kind, desk.RecipientChannel, desk.RecipientCollection)
		}
	}
	return r
}

// number reads the id of a collection. It may also be a string of digits.
func (o object) number(name string) desk.CollectionID {
	if o.demand(name); !o.has(name) {
		return 0
	}
	var text string
	if raw := o.members[name]; json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		o.problems.Add(o.at+name, "must be the id of a collection, a whole number")
	}
	return desk.CollectionID(n)
}

// isSet reads a flag. It is false if it is not given.
func (o object) isSet(name string) bool { return orZero(o.flag(name)) }

// sender reads in whose name an announcement is sent.
func sender(b object) desk.Sender {
	in := b.inside("sender_config")
	to := desk.Sender{Kind: desk.NativeSender, AsUser: in.isSet("useUserToken")}
	in.read("type", "a string", &to.Kind)
	to.User = orZero(in.nullableText("senderId").Value)
	return to
}
