package service

import (
	"context"
	"crypto/rand"
	"slices"

	"frontdesk/internal/change"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/heard"
	"frontdesk/internal/outside"
	"frontdesk/internal/store"
)

// Announcements returns a page of the announcements that the caller may see: they
// must have the collections of all of its channels.
func (s *Service) Announcements(ctx context.Context, c Caller, q desk.AnnouncementQuery) (desk.List[desk.Announcement], error) {
	q.Reach = c.reach(desk.ListAnnouncements)
	return look(ctx, s, c, desk.ListAnnouncements, func(tx *store.Tx) (desk.List[desk.Announcement], error) { return tx.Announcements(q) })
}

// Announcement returns one announcement that the caller may see, with the result
// for each recipient. The audit log records that it was read.
func (s *Service) Announcement(ctx context.Context, c Caller, id desk.AnnouncementID) (desk.ShownAnnouncement, error) {
	return write(ctx, s, c, desk.GetAnnouncement, func(tx *store.Tx) (shown desk.ShownAnnouncement, err error) {
		if shown.Announcement, err = tx.Announcement(id, c.reach(desk.GetAnnouncement)); err != nil {
			return shown, err
		}
		return shown, tx.Record(desk.Change{By: c.Actor, Action: "announcement.viewed", Resource: "Announcement", ID: desk.FormatID(id)})
	})
}

// AnnouncementMetrics returns how people reacted to an announcement. It returns
// Invalid if the announcement was not sent. The audit log records that it was read.
func (s *Service) AnnouncementMetrics(ctx context.Context, c Caller, id desk.AnnouncementID) (desk.Engagement, error) {
	return write(ctx, s, c, desk.AnnouncementMetrics, func(tx *store.Tx) (desk.Engagement, error) {
		a, err := tx.Announcement(id, c.reach(desk.AnnouncementMetrics))
		if err != nil {
			return desk.Engagement{}, err
		}
		if a.Status != desk.AnnouncementIsSent {
			return desk.Engagement{}, desk.ErrNoMetrics
		}
		e, err := heard.Engagement(tx, a)
		if err != nil {
			return e, err
		}
		return e, tx.Record(desk.Change{By: c.Actor, Action: "announcement.metrics_viewed", Resource: "Announcement", ID: desk.FormatID(id)})
	})
}

// CreateAnnouncement announces a message of the chat system, or a text that is given
// with the call, in channels, now or at a given time. It returns Refused if no chat
// system is connected. It asks the chat system whether the message exists before it
// opens the transaction.
func (s *Service) CreateAnnouncement(ctx context.Context, c Caller, n desk.NewAnnouncement) (desk.CreatedAnnouncement, error) {
	var none desk.CreatedAnnouncement
	if err := c.may(desk.CreateAnnouncement); err != nil {
		return none, err
	}
	if n.Text, n.Plain, n.Variables = written(n.Text); n.Text != nil {
		return s.addAnnouncement(ctx, c, n)
	}
	err := s.outside.WithChat(ctx, c.Account, func(i desk.Integration, connector chat.Connector) error {
		// Check twice. Nobody should wait for the chat system only to learn what is
		// wrong here, and things may have changed by the time it answers.
		_, err := read(ctx, s, c, desk.CreateAnnouncement, func(tx *store.Tx) (desk.Announcement, error) { return newAnnouncement(tx, c, i, n) })
		if err != nil {
			return err
		}
		return s.checkSource(ctx, connector, n.Source)
	})
	if err != nil {
		return none, err
	}
	return s.addAnnouncement(ctx, c, n)
}

// addAnnouncement adds an announcement whose message is known to exist.
func (s *Service) addAnnouncement(ctx context.Context, c Caller, n desk.NewAnnouncement) (none desk.CreatedAnnouncement, err error) {
	return write(ctx, s, c, desk.CreateAnnouncement, func(tx *store.Tx) (desk.CreatedAnnouncement, error) {
		i, err := tx.Chat()
		if err != nil {
			return none, err
		}
		a, err := newAnnouncement(tx, c, i, n)
		if err != nil {
			return none, err
		}
		if err := tx.AddAnnouncement(&a, rand.Text); err != nil {
			return none, err
		}
		at := tx.Now
		if a.ScheduledAt != nil {
			at = *a.ScheduledAt
		}
		if err := change.DeliverAnnouncementAt(tx, a.ID, at); err != nil {
			return none, err
		}
		return desk.CreatedAnnouncement{Announcement: a}, change.Record(tx, c.Actor, "announcement.created", nil, a)
	})
}

// newAnnouncement checks an announcement and everything it names, and builds it.
func newAnnouncement(tx *store.Tx, c Caller, i desk.Integration, n desk.NewAnnouncement) (a desk.Announcement, err error) {
	if err := mayActAs(tx, c, n.Sender); err != nil {
		return a, err
	}
	if a, err = n.Announcement(tx.Now); err != nil {
		return a, err
	}
	var p desk.Problems
	reach := c.reach(desk.CreateAnnouncement)
	var names []string
	if !a.Written() {
		names = append(names, a.Source.Channel)
	}
	var named []desk.CollectionID
	for _, r := range n.Recipients {
		if r.Kind == desk.RecipientChannel {
			if desk.Storable(r.Channel) {
				names = append(names, r.Channel)
			}
		} else {
			named = append(named, r.Collection)
		}
	}
	channels, err := tx.ChannelsNamed(names)
	if err != nil {
		return a, err
	}
	if !a.Written() && !announceable(channels[a.Source.Channel], reach) {
		p.Add("channel_id", change.UnknownChannel)
	}
	collections, err := collectionsWithChannels(tx, named)
	if err != nil {
		return a, err
	}
	a.Recipients, a.Collections = desk.Expand(&p, n.Recipients, channels, collections, reach)
	if err := checkSender(tx, &p, i, a.Sender); err != nil {
		return a, err
	}
	return a, p.Err()
}

// checkSender adds a problem to p if a named sender does not exist, or does not let us
// act as them.
func checkSender(tx *store.Tx, p *desk.Problems, i desk.Integration, s desk.Sender) error {
	if s.Kind != desk.UserSender {
		return nil
	}
	users, err := tx.KnownUsers([]string{s.User})
	if err != nil {
		return err
	}
	credential, err := outside.UserCredential(tx, i.ID, s.User)
	if err != nil {
		return err
	}
	switch {
	case !users[s.User]:
		p.Add("sender_config.senderId", change.MustBeActiveUser)
	case s.AsUser && credential == nil:
		p.Add("sender_config.useUserToken", "must not be set for %s, who has not allowed Frontdesk to act as them in the chat system", s.User)
	}
	return nil
}

var errActAs = desk.Errorf(desk.Forbidden, "Only the person themselves can post or change something with their own chat token.")

// mayActAs returns errActAs if somebody else would use the sender's own token. This
// includes admins: a person who lets Frontdesk act for them has not allowed their
// colleagues to speak in their name.
func mayActAs(tx *store.Tx, c Caller, sender desk.Sender) error {
	if sender.Kind != desk.UserSender || !sender.AsUser {
		return nil
	}
	own, err := tx.UserIDByEmail(c.Actor.Email)
	if err == nil && (own == nil || *own != sender.User) {
		err = errActAs
	}
	return err
}

// collectionsWithChannels returns the collections with these ids, with their
// channels. Unknown ids are left out.
func collectionsWithChannels(tx *store.Tx, ids []desk.CollectionID) (map[desk.CollectionID]desk.Collection, error) {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	all := map[desk.CollectionID]desk.Collection{}
	for _, id := range ids {
		col, err := tx.Collection(id)
		if desk.KindOf(err) == desk.NotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		if col.Channels, err = tx.ChannelsOf([]desk.CollectionID{id}); err != nil {
			return nil, err
		}
		all[id] = col
	}
	return all, nil
}

// DeleteAnnouncement cancels a scheduled announcement. It returns Refused if
// sending has started.
func (s *Service) DeleteAnnouncement(ctx context.Context, c Caller, id desk.AnnouncementID) (None, error) {
	cancellable := func(tx *store.Tx, id desk.AnnouncementID) (desk.Announcement, error) {
		a, err := tx.Announcement(id, c.reach(desk.DeleteAnnouncement))
		if err == nil {
			err = a.Cancellable()
		}
		return a, err
	}
	return remove(ctx, s, c, desk.DeleteAnnouncement, "announcement.cancelled", id, cancellable, (*store.Tx).RemoveAnnouncement)
}

// RetryAnnouncement sends a sent announcement to its failed recipients once more.
// It returns Refused if none failed or it is being sent, and Forbidden if it would
// be posted with somebody else's token.
func (s *Service) RetryAnnouncement(ctx context.Context, c Caller, id desk.AnnouncementID) (None, error) {
	return write(ctx, s, c, desk.RetryAnnouncement, func(tx *store.Tx) (None, error) {
		a, err := tx.Announcement(id, c.reach(desk.RetryAnnouncement))
		if err != nil {
			return None{}, err
		}
		if err := mayActAs(tx, c, a.Sender); err != nil {
			return None{}, err
		}
		before := a
		before.Recipients = slices.Clone(a.Recipients)
		if err := a.Retry(); err != nil {
			return None{}, err
		}
		if err := tx.SaveAnnouncementStatus(a); err != nil {
			return None{}, err
		}
		if err := change.DeliverAnnouncementAt(tx, id, tx.Now); err != nil {
			return None{}, err
		}
		return None{}, change.Record(tx, c.Actor, "announcement.retried", before, a)
	})
}

// ResyncAnnouncement updates every copy of a sent announcement to what the message
// says now or, of a written one, to a new text. It returns Refused if it has not been
// sent, and Forbidden if somebody else's token would change the copies.
func (s *Service) ResyncAnnouncement(ctx context.Context, c Caller, id desk.AnnouncementID, r desk.AnnouncementDraft) (None, error) {
	r.Text, r.Plain, r.Variables = written(r.Text)
	return write(ctx, s, c, desk.ResyncAnnouncement, func(tx *store.Tx) (None, error) {
		a, err := tx.Announcement(id, c.reach(desk.ResyncAnnouncement))
		if err != nil {
			return None{}, err
		}
		if err := mayActAs(tx, c, a.Sender); err != nil {
			return None{}, err
		}
		if err := a.Resyncable(); err != nil {
			return None{}, err
		}
		if err := r.CheckResync(a); err != nil {
			return None{}, err
		}
		again := tx.WantResync
		if r.Text != nil {
			again = func(id desk.AnnouncementID) error { return tx.RewriteAnnouncement(id, *r.Text) }
		}
		if err := again(id); err != nil {
			return None{}, err
		}
		if err := change.DeliverAnnouncementAt(tx, id, tx.Now); err != nil {
			return None{}, err
		}
		return None{}, tx.Record(desk.Change{By: c.Actor, Action: "announcement.resynced", Resource: "Announcement", ID: desk.FormatID(id)})
	})
}
