package chain

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// verifyBatch is how many entries are read at once, because each may hold a large
// request twice.
const verifyBatch = 200

// Broken says, as a sentence, where an audit log is not what it was.
type Broken string

func (b Broken) Error() string { return string(b) }

func broken(format string, args ...any) error { return Broken(fmt.Sprintf(format, args...)) }

// Receipt records how an account's audit log ended at some time. With a receipt
// stored elsewhere, its owner can prove later whether anything up to there was
// changed or cut off. This works even against restoring an older database, and
// against someone who has the key.
type Receipt struct {
	Account desk.AccountID
	Entry   int64
	Mark    []byte // of that entry
}

// String returns account:entry:mark.
func (r Receipt) String() string { return fmt.Sprintf("%d:%d:%x", r.Account, r.Entry, r.Mark) }

// ParseReceipt parses the result of Receipt.String.
func ParseReceipt(text string) (r Receipt, err error) {
	parts := strings.Split(text, ":")
	if len(parts) == 3 {
		account, err1 := strconv.ParseInt(parts[0], 10, 64)
		entry, err2 := strconv.ParseInt(parts[1], 10, 64)
		mark, err3 := hex.DecodeString(parts[2])
		if errors.Join(err1, err2, err3) == nil && account > 0 && entry > 0 && len(mark) == 32 {
			return Receipt{desk.AccountID(account), entry, mark}, nil
		}
	}
	return r, fmt.Errorf("%.100q is no receipt: it reads account:entry:mark, as frontdesk audit verify prints it", text)
}

// State describes the state of an audit log.
type State struct {
	Entries int64     // number of chained and sound entries
	Until   time.Time // when the last of them was created
	Receipt Receipt   // for the last of them
	Erased  int64     // number of them from which a person's data was erased

	Waiting int64 // number of entries still to be chained
	Since   time.Time
}

// Follow follows the account's chain from its beginning, compares it with receipts,
// and checks the entries that are not chained yet. It returns Broken for the first
// place where something is wrong, with the state up to there. It returns NotFound if
// nothing of the account exists. If progress is given, it is called now and then
// with how many entries of how many are sound.
func (c Chain) Follow(ctx context.Context, db *sqldb.DB, account desk.AccountID, receipts []Receipt, progress func(done, of int64)) (State, error) {
	f := following{chain: c, db: db, account: int64(account), receipts: receipts, end: c.EndMark(int64(account), 0, nil)}
	for {
		part, kept, err := f.read(ctx)
		if err != nil {
			return f.state, err
		}
		for _, e := range part {
			if err := f.take(e); err != nil {
				return f.state, err
			}
		}
		if progress != nil {
			progress(f.state.Entries, max(kept.Seq, f.state.Entries))
		}
		if len(part) == verifyBatch {
			continue
		}
		if err := f.check(kept); err != nil {
			return f.state, err
		}
		err = f.wait(ctx)
		return f.state, err
	}
}

// following is the state of one walk along a chain.
type following struct {
	chain    Chain
	db       *sqldb.DB
	account  int64
	receipts []Receipt
	state    State
	lastID   int64
	end      []byte // of the chain so far
}

// read reads the next entries. It reads the end in the same snapshot as the
// entries, because the chain may be growing.
func (f *following) read(ctx context.Context) (part []Entry, kept *End, err error) {
	next := f.state.Entries + 1
	if next == 1 {
		next = math.MinInt64 // everything with a number is shown, so it has to be in its place
	}
	err = f.db.Read(ctx, func(tx *sqldb.Tx) (err error) {
		kept, err = readEnd(tx, f.account)
		if errors.Is(err, sqldb.ErrNoRows) {
			return f.missing(tx)
		}
		if err != nil {
			return err
		}
		part, err = sqldb.Collect(tx, func(scan func(...any) error) (e Entry, err error) {
			err = scan(append(e.fields(), &e.Seq)...)
			return e, err
		}, "SELECT "+columns+`, seq FROM audit_logs WHERE account_id = $1 AND seq >= $2 ORDER BY seq LIMIT $3`, f.account, next, verifyBatch)
		return err
	})
	return part, kept, err
}

// missing returns the error for a chain whose end is not stored.
func (f *following) missing(tx *sqldb.Tx) error {
	var accounts, entries int
	err := tx.Row(`SELECT (SELECT count(*) FROM accounts WHERE id = $1),
		(SELECT count(*) FROM (SELECT 1 FROM audit_logs WHERE account_id = $1 LIMIT 1) e)`, f.account).Scan(&accounts, &entries)
	switch {
	case err != nil:
		return err
	case accounts+entries > 0:
		return broken("the row that says where the audit log ends was removed from the table sequences")
	case len(f.receipts) > 0:
		return broken("there is no such account, and the receipt %s says that its audit log had %d entries: the account was removed", f.receipts[0], f.receipts[0].Entry)
	}
	return desk.Missing("Account")
}

// take checks the next entry and moves past it.
func (f *following) take(e Entry) error {
	next := f.state.Entries + 1
	switch {
	case e.Seq < next:
		return broken("an entry was put in before entry %d of the audit log (id %d)", next, e.ID)
	case e.Seq > next:
		return broken("the audit log misses an entry behind entry %d (id %d)", f.state.Entries, f.lastID)
	}
	switch mac := string(e.Mark); {
	case f.chain.isErased(e, f.end):
		f.state.Erased++
	case e.ErasedAt == nil && mac == string(f.chain.mark(e, f.end)):
	case mac == string(f.chain.strayMark(e, f.end)):
		return broken("entry %d of the audit log (id %d) was put in by somebody else, or changed before it was chained", e.Seq, e.ID)
	default:
		hint := ""
		if e.Seq == 1 {
			hint = "; or it was made with another key"
		}
		return broken("entry %d of the audit log (id %d) was changed, or one before it taken out%s", e.Seq, e.ID, hint)
	}
	for _, r := range f.receipts {
		if r.Entry == e.Seq && string(r.Mark) != string(e.Mark) {
			return broken("entry %d of the audit log (id %d) is another than the receipt %s was given for: what was there has been replaced", e.Seq, e.ID, r)
		}
	}
	f.end, f.lastID = f.chain.EndMark(e.Account, e.Seq, e.Mark), e.ID
	f.state.Entries, f.state.Until = e.Seq, time.UnixMilli(e.At).UTC()
	f.state.Receipt = Receipt{desk.AccountID(e.Account), e.Seq, e.Mark}
	return nil
}

// check compares the stored end with the one that was found, and that with the
// receipts.
func (f *following) check(kept *End) error {
	found := f.state.Entries
	switch {
	case kept.Seq > found:
		return broken("the audit log was cut behind entry %d of %d", found, kept.Seq)
	case found == 0 && kept.Seq == 0 && string(kept.Mark) != string(f.end):
		return broken("the audit log does not end where it should, at entry 0; or it was made with another key")
	case kept.Seq < found || string(kept.Mark) != string(f.end):
		return broken("the audit log does not end where it should, at entry %d", kept.Seq)
	}
	for _, r := range f.receipts {
		if r.Entry > found {
			return broken("the audit log ends at entry %d, and the receipt %s says that it had %d: it was cut, or an older one was put back", found, r, r.Entry)
		}
	}
	return nil
}

// wait checks the entries that are not chained yet. Among these a removed entry
// goes unnoticed, but a changed or inserted one does not.
func (f *following) wait(ctx context.Context) error {
	for next := int64(math.MinInt64); ; {
		var part []Entry
		err := f.db.Look(ctx, func(tx *sqldb.Tx) (err error) {
			part, err = sqldb.Collect(tx, scanEntry, "SELECT "+columns+` FROM audit_logs
				WHERE account_id = $1 AND seq IS NULL AND id >= $2 ORDER BY id LIMIT $3`, f.account, next, verifyBatch)
			return err
		})
		if err != nil {
			return err
		}
		for _, e := range part {
			if !f.chain.IsWritten(e) {
				return broken("an entry that is not chained yet (id %d) was put in by somebody else, or changed", e.ID)
			}
			if at := time.UnixMilli(e.At).UTC(); f.state.Waiting == 0 || at.Before(f.state.Since) {
				f.state.Since = at
			}
			f.state.Waiting++
			next = e.ID + 1
		}
		if len(part) < verifyBatch {
			return nil
		}
	}
}
