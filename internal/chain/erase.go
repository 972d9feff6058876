package chain

import (
	"fmt"
	"slices"

	"frontdesk/internal/sqldb"
)

// A person can ask that what is known about them is erased, also from the audit log.
// Such an entry gets another content and keeps its mark. The mark no longer fits the
// content, but everything behind it is chained to the mark, and receipts name it. So
// the entry gets a second mark: a keyed hash over the first one, the end of the chain
// before it, what is left of it, and the time.
//
//  1. Without the key nobody can make the second mark. A change cannot be passed off
//     as an erasure, and a mark cannot be moved to another entry.
//  2. Nothing that somebody else changed is made sound: an entry gets its second mark
//     only if its first one, or its second one of an earlier erasure, was right.
//  3. No digest of the erased content is kept besides the mark, which is keyed. So
//     nobody can guess what the entry said and check the guess.

// erasedMark returns the second mark of an entry that follows the given end.
func (c Chain) erasedMark(e Entry, end []byte) []byte {
	at := int64(0)
	if e.ErasedAt != nil {
		at = *e.ErasedAt
	}
	return c.signer.Sign(append([][]byte{[]byte("erased"), end, e.Mark, fmt.Appendf(nil, "%d", at)}, e.parts()...)...)
}

// isErased reports whether Frontdesk erased something from an entry, and nobody has
// changed it since.
func (c Chain) isErased(e Entry, end []byte) bool {
	return e.ErasedAt != nil && string(e.ErasedMark) == string(c.erasedMark(e, end))
}

// Erase passes entries of an account through rewrite, which takes a person out of
// them, and saves those that it changed. It returns how many these are.
func (c Chain) Erase(tx *sqldb.Tx, account, at int64, ids []int64, rewrite func(*Entry) bool) (changed int, err error) {
	for some := range slices.Chunk(ids, verifyBatch) {
		n, err := c.eraseSome(tx, account, at, some, rewrite)
		changed += n
		if err != nil {
			return changed, err
		}
	}
	return changed, nil
}

func (c Chain) eraseSome(tx *sqldb.Tx, account, at int64, ids []int64, rewrite func(*Entry) bool) (changed int, err error) {
	var q sqldb.Query
	q.Add("SELECT "+columns+", coalesce(seq, 0) FROM audit_logs WHERE account_id = ? AND id IN ", account)
	sqldb.In(&q, ids)
	entries, err := sqldb.Collect(tx, func(scan func(...any) error) (e Entry, err error) {
		err = scan(append(e.fields(), &e.Seq)...)
		return e, err
	}, q.String(), q.Args()...)
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		was := e
		if !rewrite(&e) {
			continue
		}
		changed++
		if err := c.saveErased(tx, was, e, at); err != nil {
			return changed, fmt.Errorf("erase from entry %d of the audit log: %w", e.ID, err)
		}
	}
	return changed, nil
}

// saveErased saves an entry with its new content and the marks that it deserves.
func (c Chain) saveErased(tx *sqldb.Tx, was, e Entry, at int64) error {
	if e.Seq == 0 { // it is not chained yet, and will be as it is now
		if c.IsWritten(was) {
			e.Mark = c.WrittenMark(e)
		}
	} else {
		end, err := c.endBefore(tx, e)
		if err != nil {
			return err
		}
		if was.ErasedAt == nil && string(was.Mark) == string(c.mark(was, end)) || c.isErased(was, end) {
			e.ErasedAt = &at
			e.ErasedMark = c.erasedMark(e, end)
		}
	}
	return tx.Do(`UPDATE audit_logs SET actor = $1, resource_id = $2, ip = $3, before = $4, after = $5, mac = $6, erased_at = $7, erased_mac = $8
		WHERE account_id = $9 AND id = $10`, e.Actor, e.ResourceID, e.IP, e.Before, e.After, e.Mark, e.ErasedAt, e.ErasedMark, e.Account, e.ID)
}

// endBefore returns the end of the chain as it was before an entry.
func (c Chain) endBefore(tx *sqldb.Tx, e Entry) ([]byte, error) {
	if e.Seq == 1 {
		return c.EndMark(e.Account, 0, nil), nil
	}
	var mac []byte
	err := tx.Row("SELECT mac FROM audit_logs WHERE account_id = $1 AND seq = $2", e.Account, e.Seq-1).Scan(&mac)
	return c.EndMark(e.Account, e.Seq-1, mac), err
}
