package service

import (
	"context"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// AuditLogs is a page of the account's audit log.
func (s *Service) AuditLogs(ctx context.Context, c Caller, f desk.AuditLogFilter, p desk.Page) (desk.List[desk.AuditLog], error) {
	if err := c.may(desk.ListAuditLogs); err != nil {
		return desk.List[desk.AuditLog]{}, err
	}
	return look(ctx, s, c, func(tx *store.Tx) (desk.List[desk.AuditLog], error) { return tx.AuditLogs(f, p) })
}
