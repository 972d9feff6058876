package service

import (
	"context"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Users returns users of the account's chat system: all, by a search, by their ids,
// or those to whom requests can be assigned. It returns Refused if the account is
// not connected to a chat system.
func (s *Service) Users(ctx context.Context, c Caller, q desk.UserQuery) (desk.List[desk.User], error) {
	return read(ctx, s, c, desk.ListUsers, func(tx *store.Tx) (l desk.List[desk.User], err error) {
		chat, err := tx.Chat()
		if err != nil {
			return l, err
		}
		if chat.Status != desk.StatusConnected {
			return l, desk.ErrNotConnected
		}
		if err := q.Check(); err != nil {
			return l, err
		}
		known := q.AtDesk == nil || c.reach(desk.GetCollection).Has(*q.AtDesk)
		if known {
			l, err = tx.Users(q)
		}
		if !known || q.AtDesk != nil && desk.KindOf(err) == desk.NotFound {
			return l, desk.Wrong("collection_id", "must name a collection of the account")
		}
		return l, err
	})
}
