package service

import (
	"context"
	"encoding/json"
	"sync"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/notify"
	"frontdesk/internal/store"
)

// Notifications returns a page of the caller's notifications, about requests that they
// can see.
func (s *Service) Notifications(ctx context.Context, c Caller, f desk.NotificationFilter, p desk.Page) (desk.List[desk.Notification], error) {
	return look(ctx, s, c, desk.ListNotifications, func(tx *store.Tx) (desk.List[desk.Notification], error) {
		return notify.List(tx, c.Actor.ID, f, c.reach(desk.ListNotifications), p)
	})
}

// UpdateNotification marks one of the caller's notifications as read or unread. The
// audit log has nothing of it: what somebody has read is their own business.
func (s *Service) UpdateNotification(ctx context.Context, c Caller, id desk.NotificationID, ch desk.NotificationChange) (desk.Notification, error) {
	n, err := write(ctx, s, c, desk.UpdateNotification, func(tx *store.Tx) (desk.Notification, error) {
		n, err := notify.One(tx, id, c.Actor.ID, c.reach(desk.UpdateNotification))
		if err != nil {
			return n, err
		}
		if err := n.Apply(ch, tx.Now); err != nil {
			return n, err
		}
		return n, notify.SetRead(tx, id, c.Actor.ID, n.ReadAt != nil)
	})
	if err == nil {
		s.Ring(c.Account, []desk.MemberID{c.Actor.ID})
	}
	return n, err
}

// ReadNotifications marks the caller's notifications as read, up to one of them. Newer
// ones stay unread: nobody has seen them when they say this.
func (s *Service) ReadNotifications(ctx context.Context, c Caller, g desk.ReadUpTo) (None, error) {
	_, err := write(ctx, s, c, desk.ReadNotifications, func(tx *store.Tx) (None, error) {
		if err := g.Check(); err != nil {
			return None{}, err
		}
		return None{}, notify.ReadUpTo(tx, g.UpTo, c.Actor.ID)
	})
	if err == nil {
		s.Ring(c.Account, []desk.MemberID{c.Actor.ID})
	}
	return None{}, err
}

// TestNotification sends the caller a message by one way, as notifications come. It
// returns Refused with the reason if that cannot work.
func (s *Service) TestNotification(ctx context.Context, c Caller, g desk.TestNotice) (None, error) {
	return write(ctx, s, c, desk.TestNotification, func(tx *store.Tx) (None, error) {
		if err := g.Check(); err != nil {
			return None{}, err
		}
		m, err := tx.Member(c.Actor.ID)
		if err != nil {
			return None{}, gone(err)
		}
		if g.Way == desk.NoticeByEmail && !s.change.Mail.Sends {
			return None{}, desk.Errorf(desk.Refused, "This server sends no mail. Whoever runs it can give it a mail domain and a relay.")
		}
		if g.Way == desk.NoticeByChat {
			user, err := tx.UserIDByEmail(m.Email)
			if err != nil {
				return None{}, err
			}
			if user == nil {
				return None{}, desk.Errorf(desk.Refused, "Nobody in the chat system has your email address, so no message can reach you there.")
			}
		}
		return None{}, change.AddNotice(tx, store.Notice{Member: m.ID, Way: g.Way, Test: true}, nil)
	})
}

// topicNotified is what processes tell each other of whose notifications have changed.
const topicNotified = "notified"

// memberKey is a member of an account.
type memberKey struct {
	account desk.AccountID
	member  desk.MemberID
}

// notified are the streams that wait for notifications of their members.
type notified struct {
	mu  sync.Mutex
	all map[memberKey]map[*NotificationFollower]bool
}

// NotificationFollower learns that the notifications of a member have changed. It
// belongs to one stream.
type NotificationFollower struct {
	hub  *notified
	key  memberKey
	bell chan struct{}
}

// FollowNotifications follows the caller's notifications. Tokens are told nothing:
// their bell never rings.
func (s *Service) FollowNotifications(c Caller) *NotificationFollower {
	f := &NotificationFollower{hub: &s.notified, key: memberKey{c.Account, c.Actor.ID}}
	if !c.Session || c.may(desk.CountNotifications) != nil {
		return f
	}
	f.bell = make(chan struct{}, 1)
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	if f.hub.all == nil {
		f.hub.all = map[memberKey]map[*NotificationFollower]bool{}
	}
	if f.hub.all[f.key] == nil {
		f.hub.all[f.key] = map[*NotificationFollower]bool{}
	}
	f.hub.all[f.key][f] = true
	return f
}

// Bell rings when there may be news.
func (f *NotificationFollower) Bell() <-chan struct{} { return f.bell }

// Stop ends it.
func (f *NotificationFollower) Stop() {
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	if delete(f.hub.all[f.key], f); len(f.hub.all[f.key]) == 0 {
		delete(f.hub.all, f.key)
	}
}

// toldNotified is a word to the other processes. Other versions read it, so its names
// stay.
type toldNotified struct {
	Account desk.AccountID  `json:"account"`
	Members []desk.MemberID `json:"members"`
}

// Ring tells the streams of members, in all processes, that their notifications have
// changed. A word that is lost is made up for by the next, and by whoever looks.
func (s *Service) Ring(account desk.AccountID, members []desk.MemberID) {
	s.ringHere(account, members)
	word, err := json.Marshal(toldNotified{account, members})
	if err == nil { // numbers always have a form
		s.store.DB().Tell(topicNotified, string(word))
	}
}

func (s *Service) ringHere(account desk.AccountID, members []desk.MemberID) {
	s.notified.mu.Lock()
	defer s.notified.mu.Unlock()
	for _, m := range members {
		for f := range s.notified.all[memberKey{account, m}] {
			select {
			case f.bell <- struct{}{}:
			default: // it has not looked since the last time
			}
		}
	}
}

// hearNotified takes what another process was told.
func (s *Service) hearNotified(word string) {
	var t toldNotified
	if json.Unmarshal([]byte(word), &t) == nil {
		s.ringHere(t.Account, t.Members)
	}
}

// NotificationCount returns how many unread notifications the caller has, and the
// newest of them.
func (s *Service) NotificationCount(ctx context.Context, c Caller) (desk.NotificationCount, error) {
	return read(ctx, s, c, desk.CountNotifications, func(tx *store.Tx) (n desk.NotificationCount, err error) {
		reach := c.reach(desk.CountNotifications)
		if n.Unread, err = notify.Count(tx, c.Actor.ID, reach); err != nil || n.Unread == 0 {
			return n, err
		}
		l, err := notify.List(tx, c.Actor.ID, desk.NotificationFilter{Unread: true}, reach, desk.Page{Limit: 1})
		if err == nil && len(l.Items) > 0 {
			n.Newest = &l.Items[0]
		}
		return n, err
	})
}

// At returns the members who are at a request now.
func (s *Service) At(account desk.AccountID, request desk.RequestID) []desk.MemberID {
	s.presences.mu.Lock()
	defer s.presences.mu.Unlock()
	return desk.Each(s.presences.others(requestPlace{account, request}, 0), func(p desk.Present) desk.MemberID { return p.Member })
}
