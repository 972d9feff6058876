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
	n := desk.NewAnnouncement{
		Source:     desk.ChatMessage{Channel: b.required("channel_id"), Message: b.required("message_ts")},
		Name:       b.required("name"),
		Recipients: recipients(b), Action: desk.SendAction(b.required("action")), ScheduledAt: b.moment("scheduled_time"),
		Sender: sender(b), Unfurl: desk.Unfurl{Links: b.isSet("unfurl_links"), Media: b.isSet("unfurl_media")},
	}
	n.Problem = b.problem()
	return n
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
func recipients(b object) (all []desk.NamedRecipient) {
	given := b.objects("recipients", desk.MostNamedRecipients)
	if _, ok := b.members["recipients"]; !ok {
		b.problems.Add("recipients", "is required")
	}
	if given == nil {
		return nil
	}
	for _, o := range *given {
		if o.members == nil { // not an object, which is already reported
			continue
		}
		r := desk.NamedRecipient{Kind: desk.RecipientKind(o.required("type"))}
		switch r.Kind {
		case desk.RecipientChannel:
			r.Channel = o.required("id")
		case desk.RecipientCollection:
			r.Collection = o.number("id")
		default:
			if _, ok := o.members["type"]; ok {
				desk.OneOf(o.problems, o.at+"type", r.Kind, desk.RecipientChannel, desk.RecipientCollection)
			}
		}
		all = append(all, r)
	}
	return all
}

// number reads the id of a collection. It may also be a string of digits.
func (o object) number(name string) desk.CollectionID {
	raw, ok := o.members[name]
	if !ok {
		o.problems.Add(o.at+name, "is required")
		return 0
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		o.problems.Add(o.at+name, "must be the id of a collection, a whole number")
	}
	return desk.CollectionID(n)
}

// isSet reads a flag. It is false if it is not given.
func (o object) isSet(name string) bool {
	v := o.flag(name)
	return v != nil && *v
}

// sender reads in whose name an announcement is sent.
func sender(b object) desk.Sender {
	in := b.inside("sender_config")
	to := desk.Sender{Kind: desk.NativeSender, AsUser: in.isSet("useUserToken")}
	if kind := in.text("type"); kind != nil {
		to.Kind = desk.SenderKind(*kind)
	}
	if user := in.nullableText("senderId").Value; user != nil {
		to.User = *user
	}
	return to
}
