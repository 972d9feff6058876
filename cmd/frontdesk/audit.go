package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
	"frontdesk/internal/wire"
)

type auditCommand struct {
	Verify auditVerifyCommand `cmd:"" help:"Look whether the audit logs are whole and unchanged, while the service runs or not."`
	Export auditExportCommand `cmd:"" help:"Write the audit log of an account into a file."`
}

type auditVerifyCommand struct {
	Account  int64    `placeholder:"ID" help:"Only that of this account."`
	Receipt  []string `placeholder:"RECEIPT" help:"What an earlier run printed, and must be found again. Can be given several times."`
	Receipts string   `placeholder:"FILE" help:"A file with what an earlier run printed."`
}

// chainedBy is how soon a running service has chained an entry, many times over.
const chainedBy = time.Minute

func (c *auditVerifyCommand) Run(ctx context.Context, s *settings) error {
	receipts, err := c.receipts()
	if err != nil {
		return err
	}
	o, err := s.openWithKey(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	accounts, err := c.accounts(ctx, o.store, receipts)
	if err != nil {
		return err
	}
	broken := 0
	for _, id := range accounts {
		sound, err := verifyAccount(ctx, o.store, id, receipts[id])
		if ctx.Err() != nil {
			return errors.New("stopped before the end: nothing is proved")
		}
		if err != nil {
			return err
		}
		if !sound {
			broken++
		}
	}
	switch {
	case broken > 0:
		return fmt.Errorf("audit logs that are not as they were written: %d of %d", broken, len(accounts))
	case len(accounts) == 0:
		fmt.Println("There is no account.")
	}
	return nil
}

// receipts are those that were given, by account.
func (c *auditVerifyCommand) receipts() (map[desk.AccountID][]store.Receipt, error) {
	all := map[desk.AccountID][]store.Receipt{}
	for _, text := range c.Receipt {
		r, err := store.ParseReceipt(strings.TrimSpace(strings.TrimPrefix(text, receiptLine)))
		if err != nil {
			return nil, err
		}
		if c.Account != 0 && r.Account != desk.AccountID(c.Account) {
			return nil, fmt.Errorf("the receipt %s is of account %d, not of %d", r, r.Account, c.Account)
		}
		all[r.Account] = append(all[r.Account], r)
	}
	if c.Receipts == "" {
		return all, nil
	}
	f, err := os.Open(c.Receipts)
	if err != nil {
		return nil, fmt.Errorf("read the receipts: %w", err)
	}
	defer f.Close()
	found := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		text, ok := strings.CutPrefix(lines.Text(), receiptLine)
		if !ok {
			continue // the other things that verify prints
		}
		r, err := store.ParseReceipt(strings.TrimSpace(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Receipts, err)
		}
		found = true
		if c.Account == 0 || r.Account == desk.AccountID(c.Account) {
			all[r.Account] = append(all[r.Account], r)
		}
	}
	if !found {
		return nil, fmt.Errorf("%s has no line that begins with %q, as frontdesk audit verify prints them", c.Receipts, receiptLine)
	}
	return all, nil
}

// accounts are those whose logs are looked at, in the order of their ids: also one
// of which there is nothing left but a receipt.
func (c *auditVerifyCommand) accounts(ctx context.Context, s *store.Store, receipts map[desk.AccountID][]store.Receipt) ([]desk.AccountID, error) {
	if c.Account != 0 {
		return []desk.AccountID{desk.AccountID(c.Account)}, nil
	}
	ids, err := s.AuditedAccounts(ctx)
	for id := range receipts {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, err
}

// receiptLine is what a line with a receipt begins with.
const receiptLine = "Receipt: "

// verifyAccount looks at one log and says what it found.
func verifyAccount(ctx context.Context, s *store.Store, id desk.AccountID, receipts []store.Receipt) (sound bool, err error) {
	name := fmt.Sprintf("account %d", id)
	err = s.Look(ctx, id, func(tx *store.Tx) error {
		a, err := tx.ThisAccount()
		if err == nil {
			name += " (" + a.Name + ")"
		}
		return err
	})
	if err != nil && desk.KindOf(err) != desk.NotFound {
		return false, err
	}
	p := newProgress(os.Stderr, name)
	st, err := s.FollowAuditLog(ctx, id, receipts, p.tell)
	p.clear()
	if b := store.Broken(""); errors.As(err, &b) {
		fmt.Fprintf(os.Stderr, "%s: %s. %s\n", name, b, soundUntil(st))
		return false, nil
	}
	if desk.KindOf(err) == desk.NotFound {
		return false, fmt.Errorf("there is no account %d", id)
	}
	if err != nil {
		return false, err
	}
	fmt.Printf("%s: %s\n", name, soundUntil(st))
	if st.Entries > 0 {
		fmt.Println(receiptLine + st.Receipt.String())
	}
	if len(receipts) > 0 {
		fmt.Printf("%s: Receipts that were found again: %d.\n", name, len(receipts))
	}
	if st.Waiting > 0 {
		fmt.Printf("%s: Entries that are not chained yet: %d. Until they are, it could not be seen that one was taken out.\n", name, st.Waiting)
	}
	if st.Waiting > 0 && s.Now().Sub(st.Since) > chainedBy {
		fmt.Fprintf(os.Stderr, "Warning: %s: an entry waits to be chained since %s. A running service does that within a second: either none runs, or its log says why it does not.\n",
			name, st.Since.Format(time.DateTime+" MST"))
	}
	return true, nil
}

// soundUntil says how far a log is known to be as it was written.
func soundUntil(st store.AuditState) string {
	if st.Entries == 0 {
		return "No entry is chained yet."
	}
	return fmt.Sprintf("It is sound up to entry %d, of %s.", st.Entries, st.Until.Format(time.DateTime+" MST"))
}

// progress tells a person at a terminal how far something is that takes long.
type progress struct {
	w    io.Writer // nil where there is nobody
	what string
	next time.Time // when to say something again
	told bool
}

// progressEvery is how often.
const progressEvery = 300 * time.Millisecond

func newProgress(f *os.File, what string) *progress {
	p := &progress{what: what, next: time.Now().Add(progressEvery)}
	if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		p.w = f
	}
	return p
}

func (p *progress) tell(done, of int64) {
	if p.w == nil || time.Now().Before(p.next) {
		return
	}
	fmt.Fprintf(p.w, "\r%s: %d of %d entries\x1b[K", p.what, done, of)
	p.next, p.told = time.Now().Add(progressEvery), true
}

func (p *progress) clear() {
	if p.told {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// openWithKey is open where a key that was made just now is of no use.
func (s *settings) openWithKey(ctx context.Context) (*opened, error) {
	path := s.keyPath()
	if _, err := os.Stat(path); s.Key == "" && errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no key at %s: an audit log can only be used with the key that the service has", path)
	}
	return s.open(ctx)
}

type auditExportCommand struct {
	Account      int64  `required:"" placeholder:"ID" help:"The account."`
	Format       string `default:"jsonl" enum:"jsonl,csv" help:"jsonl or csv."`
	ResourceType string `placeholder:"NAME" help:"Only entries about this kind of thing, such as Member."`
	ResourceID   string `placeholder:"ID" help:"Only entries about the thing with this id."`
	Actor        int64  `placeholder:"ID" help:"Only what this member did."`
	After        string `placeholder:"TIME" help:"Only later entries: 2026-05-13 or 2026-05-13T09:12:33Z."`
	Before       string `placeholder:"TIME" help:"Only earlier ones."`
	Output       string `short:"o" placeholder:"FILE" help:"The file, which must not be there yet. Without it, standard output."`
}

func (c *auditExportCommand) Run(ctx context.Context, s *settings) error {
	x := desk.AuditExport{Format: desk.ExportFormat(c.Format),
		Filter: desk.AuditLogFilter{ResourceType: c.ResourceType, ResourceID: c.ResourceID, Actor: desk.MemberID(c.Actor)}}
	var err error
	if x.After, err = moment("--after", c.After); err != nil {
		return err
	}
	if x.Before, err = moment("--before", c.Before); err != nil {
		return err
	}
	if c.Output != "" {
		if _, err := os.Stat(c.Output); err == nil {
			return fmt.Errorf("%s is there already: choose another name", c.Output)
		}
	}
	o, err := s.openWithKey(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	n := 0
	write := func(w io.Writer) error {
		entries, err := o.service.NewAuditExport(ctx, desk.AccountID(c.Account), x)
		if desk.KindOf(err) == desk.NotFound {
			return fmt.Errorf("there is no account %d", c.Account)
		}
		if err != nil {
			return err
		}
		return wire.WriteAuditLogs(w, x.Format, counted(entries, &n))
	}
	if c.Output == "" {
		err = write(os.Stdout)
	} else {
		err = writeWhole(c.Output, write)
	}
	if ctx.Err() != nil {
		return errors.New("stopped before the end: the export is not whole")
	}
	if err == nil && c.Output != "" {
		fmt.Printf("%s, entries: %d.\n", c.Output, n)
	}
	return err
}

// moment reads a time, UTC without a zone; nil without it.
func moment(flag, text string) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateOnly} {
		if t, err := time.Parse(form, text); err == nil {
			return &t, nil
		}
	}
	return nil, fmt.Errorf("%s must be a date or a time, such as 2026-05-13 or 2026-05-13T09:12:33Z", flag)
}

// counted counts what goes by.
func counted(entries iter.Seq2[desk.AuditLog, error], n *int) iter.Seq2[desk.AuditLog, error] {
	return func(yield func(desk.AuditLog, error) bool) {
		for e, err := range entries {
			*n++
			if !yield(e, err) {
				return
			}
		}
	}
}

// writeWhole writes a file that has its name only once it is whole and on disk.
func writeWhole(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".audit-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer os.Remove(f.Name()) // what has its name is not found under this one
	defer f.Close()
	if err := write(f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.Rename(f.Name(), path)
}
