package demo

import (
	"context"
	"slices"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/service"
)

// The team's post about the release is announced to customers, who like it.
const (
	newsRoom         = "releases"
	newsName         = "Release 4-2"
	newsCollection   = "Customer channels"
	sendingTakesMost = 30 * time.Second
)

var newsReactions = []reaction{{ines, "tada"}, {oskar, "tada"}, {oskar, "printer"}, {leila, "heart"}, {jonas, "tada"}, {amara, "eyes"}}

// announce announces the news once, and makes people react to it when it is there.
func (d Desk) announce(ctx context.Context, c service.Caller, channels map[string]string) error {
	there, err := d.Service.Announcements(ctx, c, desk.AnnouncementQuery{Page: desk.Page{Limit: 1}})
	if err != nil || len(there.Items) > 0 {
		return err
	}
	f, err := d.inThePast(ctx)
	if err != nil {
		return err
	}
	// A bot must be able to read the message it announces.
	if err := f.inviteBots(d.Box.As(d.Workspace.Owner), channels[newsRoom]); err != nil {
		return err
	}
	news, err := d.news(ctx, c, channels[newsRoom])
	if err != nil {
		return err
	}
	made, err := d.Service.CreateAnnouncement(ctx, c, news)
	if err != nil {
		return err
	}
	sent, err := d.sent(ctx, c, made.ID)
	if err != nil {
		return err
	}
	for _, to := range sent.Recipients {
		if err := f.like(to, channels); err != nil {
			return err
		}
	}
	return nil
}

// like makes the people in a channel react to the copy there.
func (f furnisher) like(to desk.Recipient, channels map[string]string) error {
	at := slices.IndexFunc(rooms, func(r room) bool { return channels[r.name] == to.Channel })
	for _, r := range newsReactions {
		if at < 0 || !slices.Contains(rooms[at].people, r.who) {
			continue
		}
		if err := f.box.As(f.ids[r.who]).React(f.ctx, to.Channel, to.Message, r.emoji); err != nil {
			return err
		}
	}
	return nil
}

// news returns what is announced: the first message in its room.
func (d Desk) news(ctx context.Context, c service.Caller, room string) (n desk.NewAnnouncement, err error) {
	said, err := d.said(ctx, room)
	if err != nil {
		return n, err
	}
	collections, err := d.Service.Collections(ctx, c, desk.Page{Limit: desk.MostLimit}, false)
	if err != nil {
		return n, err
	}
	n = desk.NewAnnouncement{Name: newsName, Action: desk.SendNow, Sender: desk.Sender{Kind: desk.TopicOwnerSender}}
	for _, r := range rooms {
		if r.name == newsRoom {
			n.Source = desk.ChatMessage{Channel: room, Message: said[r.talk[0].says]}
		}
	}
	for _, col := range collections.Items {
		if col.Name == newsCollection {
			n.Recipients = append(n.Recipients, desk.NamedRecipient{Kind: desk.RecipientCollection, Collection: col.ID})
		}
	}
	return n, nil
}

// sent returns the announcement once the background job has sent it.
func (d Desk) sent(ctx context.Context, c service.Caller, id desk.AnnouncementID) (desk.Announcement, error) {
	ctx, cancel := context.WithTimeout(ctx, sendingTakesMost)
	defer cancel()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		a, err := d.Service.Announcement(ctx, c, id)
		if err != nil || a.Status == desk.AnnouncementIsSent {
			return a.Announcement, err
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return a.Announcement, ctx.Err()
		}
	}
}
