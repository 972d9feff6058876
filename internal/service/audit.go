package service

import (
	"context"
	"iter"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// AuditLogs returns a page of the account's audit log.
func (s *Service) AuditLogs(ctx context.Context, c Caller, f desk.AuditLogFilter, p desk.Page) (desk.List[desk.AuditLog], error) {
	return look(ctx, s, c, desk.ListAuditLogs, func(tx *store.Tx) (desk.List[desk.AuditLog], error) { return tx.AuditLogs(f, p) })
}

// ExportAuditLogs returns the entries that the account's audit log has now, oldest
// first, however long that takes. The export itself is in the log by the time the
// function returns. If an error occurs on the way, it is the last thing that the
// sequence yields.
func (s *Service) ExportAuditLogs(ctx context.Context, c Caller, x desk.AuditExport) (iter.Seq2[desk.AuditLog, error], error) {
	if err := c.may(desk.ExportAuditLogs); err != nil {
		return nil, err
	}
	return s.exportAuditLogs(ctx, c.Account, c.Actor, x)
}

// NewAuditExport is ExportAuditLogs for the command line.
func (s *Service) NewAuditExport(ctx context.Context, account desk.AccountID, x desk.AuditExport) (iter.Seq2[desk.AuditLog, error], error) {
	return s.exportAuditLogs(ctx, account, byCommand, x)
}

// exportPage is how many entries an export reads at once.
const exportPage = 200

func (s *Service) exportAuditLogs(ctx context.Context, account desk.AccountID, by desk.Actor, x desk.AuditExport) (iter.Seq2[desk.AuditLog, error], error) {
	if err := x.Check(); err != nil {
		return nil, err
	}
	filter := x.Filter
	err := s.store.Write(ctx, account, func(tx *store.Tx) error {
		a, err := tx.ThisAccount()
		if err != nil {
			return err
		}
		// Entries never change, so it is enough to fix where a consistent export
		// ends.
		if filter.UpTo, err = tx.AuditLogEnd(); err != nil {
			return err
		}
		return tx.Record(desk.Change{By: by, Action: desk.AuditExported, Resource: "AuditLog", ID: desk.FormatID(a.ID), After: x})
	})
	if err != nil {
		return nil, err
	}
	return func(yield func(desk.AuditLog, error) bool) {
		// Read each page by itself, so that a slow reader holds no transaction
		// open.
		p := desk.Page{Limit: exportPage, Ascending: true, After: x.After, Before: x.Before}
		for more := true; more; more = p.From != nil {
			l, err := transact(ctx, account, s.store.Look, func(tx *store.Tx) (desk.List[desk.AuditLog], error) { return tx.AuditLogs(filter, p) })
			if err != nil {
				yield(desk.AuditLog{}, err)
				return
			}
			for _, e := range l.Items {
				if !yield(e, nil) {
					return
				}
			}
			p.From = l.Next
		}
	}, nil
}
