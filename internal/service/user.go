package service

import (
	"context"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Users are those of the account's chat system: listed, searched, or by their
// ids. It is Refused in an account that is not connected to one.
func (s *Service) Users(ctx context.Context, c Caller, q desk.UserQuery) (desk.List[desk.User], error) {
	if err := c.may(desk.ListUsers); err != nil {
		return desk.List[desk.User]{}, err
	}
	var l desk.List[desk.User]
	err := s.store.Read(ctx, c.Account, func(tx *store.Tx) error {
		chat, err := tx.Chat()
		if err != nil {
			return err
		}
		if chat.Status != desk.StatusConnected {
			return desk.ErrNotConnected
		}
		if err := q.Check(); err != nil {
			return err
		}
		l, err = tx.Users(q)
		return err
	})
	return l, err
}
