package service

import (
	"context"
	"crypto/rand"
	"html"

	"frontdesk/internal/change"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/markup"
	"frontdesk/internal/store"
)

// PreviewAnnouncement returns what an announcement would look like in a channel that
// the caller may send it to, and why it could not be sent there. It returns Refused if
// no chat system is connected.
func (s *Service) PreviewAnnouncement(ctx context.Context, c Caller, d desk.AnnouncementDraft) (desk.AnnouncementCopyView, error) {
	return read(ctx, s, c, desk.PreviewAnnouncement, func(tx *store.Tx) (desk.AnnouncementCopyView, error) {
		return viewDraft(tx, c, d, desk.PreviewAnnouncement, false)
	})
}

// TestAnnouncement sends the caller what an announcement would look like in a channel,
// as a direct message. It returns Refused if it could not be sent there, if the chat
// system does not know the caller, or if none is connected.
func (s *Service) TestAnnouncement(ctx context.Context, c Caller, d desk.AnnouncementDraft) (None, error) {
	return write(ctx, s, c, desk.TestAnnouncement, func(tx *store.Tx) (None, error) {
		view, err := viewDraft(tx, c, d, desk.TestAnnouncement, true)
		if err != nil {
			return None{}, err
		}
		if view.Problem != "" {
			return None{}, desk.Errorf(desk.Refused, "%s", view.Problem)
		}
		user, err := tx.UserIDByEmail(c.Actor.Email)
		if err != nil {
			return None{}, err
		}
		if user == nil {
			return None{}, errNoDirectMessage
		}
		note := change.NotifyUser{Account: tx.Account, User: *user, HTML: view.HTML, Mark: rand.Text(),
			Footer: markup.Sanitize("<p>A test that only you get. It will look like this in #" + html.EscapeString(view.ChannelName) + ".</p>")}
		if d.Sender.Kind != desk.NativeSender {
			note.As = &chat.Persona{Name: view.Sender.Name, Avatar: view.Sender.Avatar}
		}
		if err := job.Add(tx.Tx, note, tx.Now); err != nil {
			return None{}, err
		}
		return None{}, tx.Record(desk.Change{By: c.Actor, Action: "announcement.tested", Resource: "Channel", ID: view.Channel})
	})
}

// written brings the text of an announcement into the product's subset of HTML, and
// returns it without its markup, too, and its variables.
func written(text *desk.AnnouncementText) (html *desk.AnnouncementText, plain string, variables []string) {
	if text == nil {
		return nil, "", nil
	}
	clean := desk.AnnouncementText(change.FormatHTML(string(*text)))
	plain = markup.PlainText(string(clean))
	return &clean, plain, markup.Variables(plain)
}

var errNoDirectMessage = desk.Errorf(desk.Refused, "We do not know you in the chat system, so there is nobody to send the test to. Your address there must be that of your account here.")

// viewDraft checks a draft and returns what it looks like in its channel.
func viewDraft(tx *store.Tx, c Caller, d desk.AnnouncementDraft, op desk.Operation, needsText bool) (v desk.AnnouncementCopyView, err error) {
	d.Text, d.Plain, d.Variables = written(d.Text)
	if err := d.Check(needsText); err != nil {
		return v, err
	}
	i, err := tx.Chat()
	if err != nil {
		return v, err
	}
	var p desk.Problems
	channels, err := tx.ChannelsNamed([]string{d.Channel})
	if err != nil {
		return v, err
	}
	if !announceable(channels[d.Channel], c.reach(op)) {
		p.Add("channel_id", change.UnknownChannel)
	}
	d.Sender.AsUser = false // a test comes from our bot, whoever will send the announcement
	if err := checkSender(tx, &p, i, d.Sender); err != nil {
		return v, err
	}
	if err := p.Err(); err != nil {
		return v, err
	}
	return change.ViewCopy(tx, i, d.Sender, d.Channel, d.Text)
}
