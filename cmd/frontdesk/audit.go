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

	"frontdesk/internal/chain"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
	"frontdesk/internal/wire"
)

type auditCommand struct {
	Verify auditVerifyCommand `cmd:"" help:"Check that the audit logs are complete and unchanged. The server can keep running."`
	Export auditExportCommand `cmd:"" help:"Export the audit log of an account."`
}

type auditVerifyCommand struct {
	Account  int64    `placeholder:"ID" help:"Only this account."`
	Receipt  []string `placeholder:"RECEIPT" help:"A receipt that an earlier run printed. The log must still contain its entry. You can repeat this flag."`
	Receipts string   `placeholder:"FILE" help:"A file with the output of an earlier run, for its receipts."`
}

// chainingOverdue is how old an unchained entry must be to deserve a warning. A
// running service chains entries many times faster.
const chainingOverdue = time.Minute

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
			return errors.New("stopped before the end: this run proves nothing")
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
		return fmt.Errorf("audit logs that were changed: %d of %d", broken, len(accounts))
	case len(accounts) == 0:
		fmt.Println("There is no account.")
	}
	return nil
}

// receipts returns the given receipts by account.
func (c *auditVerifyCommand) receipts() (map[desk.AccountID][]chain.Receipt, error) {
	all := map[desk.AccountID][]chain.Receipt{}
	for _, text := range c.Receipt {
		r, err := chain.ParseReceipt(strings.TrimSpace(strings.TrimPrefix(text, receiptLine)))
		if err != nil {
			return nil, err
		}
		if c.Account != 0 && r.Account != desk.AccountID(c.Account) {
			return nil, fmt.Errorf("the receipt %s belongs to account %d, not to %d", r, r.Account, c.Account)
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
			continue // another line of verify's output
		}
		r, err := chain.ParseReceipt(strings.TrimSpace(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Receipts, err)
		}
		found = true
		if c.Account == 0 || r.Account == desk.AccountID(c.Account) {
			all[r.Account] = append(all[r.Account], r)
		}
	}
	if !found {
		return nil, fmt.Errorf("%s has no line that begins with %q: use the output of frontdesk audit verify", c.Receipts, receiptLine)
	}
	return all, nil
}

// accounts returns the accounts to check, ordered by ID. It includes deleted
// accounts that have a receipt.
func (c *auditVerifyCommand) accounts(ctx context.Context, s *store.Store, receipts map[desk.AccountID][]chain.Receipt) ([]desk.AccountID, error) {
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

// receiptLine is how a line with a receipt begins.
const receiptLine = "Receipt: "

// verifyAccount checks one log and prints the result.
func verifyAccount(ctx context.Context, s *store.Store, id desk.AccountID, receipts []chain.Receipt) (sound bool, err error) {
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
	st, err := s.FollowAuditLog(ctx, id, receipts, p.print)
	p.clear()
	if b := chain.Broken(""); errors.As(err, &b) {
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
	if st.Erased > 0 {
		fmt.Printf("%s: Entries from which Frontdesk erased a person or customer: %d.\n", name, st.Erased)
	}
	if len(receipts) > 0 {
		fmt.Printf("%s: Receipts found in the log: %d.\n", name, len(receipts))
	}
	if st.Waiting > 0 {
		fmt.Printf("%s: Entries that are not chained yet: %d. Until they are, someone could remove one unnoticed.\n", name, st.Waiting)
	}
	if st.Waiting > 0 && s.Now().Sub(st.Since) > chainingOverdue {
		fmt.Fprintf(os.Stderr, "Warning: %s: an entry has not been chained since %s. A running server chains entries within a second. Either no server is running, or its log says why it cannot.\n",
			name, st.Since.Format(time.DateTime+" MST"))
	}
	return true, nil
}

// soundUntil describes the part of a log that is verified.
func soundUntil(st chain.State) string {
	if st.Entries == 0 {
		return "No entry is chained yet."
	}
	return fmt.Sprintf("It is sound up to entry %d, written %s.", st.Entries, st.Until.Format(time.DateTime+" MST"))
}

// progress shows a person at a terminal how far a long check is.
type progress struct {
	w       io.Writer // nil if the output is not a terminal
	what    string
	next    time.Time // when to print again
	printed bool
}

// progressEvery is how often progress prints.
const progressEvery = 300 * time.Millisecond

func newProgress(f *os.File, what string) *progress {
	p := &progress{what: what, next: time.Now().Add(progressEvery)}
	if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		p.w = f
	}
	return p
}

func (p *progress) print(done, of int64) {
	if p.w == nil || time.Now().Before(p.next) {
		return
	}
	fmt.Fprintf(p.w, "\r%s: %d of %d entries\x1b[K", p.what, done, of)
	p.next, p.printed = time.Now().Add(progressEvery), true
}

func (p *progress) clear() {
	if p.printed {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// openWithKey is open for commands that need the server's key. It fails if there
// is none, because a new key could not verify anything.
func (s *settings) openWithKey(ctx context.Context) (*resources, error) {
	path := s.keyPath()
	if _, err := os.Stat(path); s.Key == "" && errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no key at %s: audit logs need the key of the server that wrote them", path)
	}
	return s.open(ctx)
}

type auditExportCommand struct {
	Account      int64  `required:"" placeholder:"ID" help:"The account."`
	Format       string `placeholder:"FORMAT" default:"jsonl" enum:"jsonl,csv" help:"jsonl or csv."`
	ResourceType string `placeholder:"NAME" help:"Only entries about this type of resource, such as Member."`
	ResourceID   string `placeholder:"ID" help:"Only entries about the resource with this ID."`
	Actor        int64  `placeholder:"ID" help:"Only entries about what this member did."`
	After        string `placeholder:"TIME" help:"Only entries after this time, such as 2026-05-13 or 2026-05-13T09:12:33Z."`
	Before       string `placeholder:"TIME" help:"Only entries before this time."`
	Output       string `short:"o" placeholder:"FILE" help:"The file to create. It must not exist yet. Default: standard output"`
}

func (c *auditExportCommand) Run(ctx context.Context, s *settings) error {
	x := desk.AuditExport{Format: desk.ExportFormat(c.Format),
		Filter: desk.AuditLogFilter{ResourceType: c.ResourceType, ResourceID: c.ResourceID, Actor: desk.MemberID(c.Actor)}}
	var err error
	if x.After, err = parseTime("--after", c.After); err != nil {
		return err
	}
	if x.Before, err = parseTime("--before", c.Before); err != nil {
		return err
	}
	if c.Output != "" {
		if _, err := os.Stat(c.Output); err == nil {
			return fmt.Errorf("%s already exists: choose another name", c.Output)
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
		return wire.WriteAuditLogs(w, x.Format, countEntries(entries, &n))
	}
	if c.Output == "" {
		err = write(os.Stdout)
	} else {
		err = writeFileAtomically(c.Output, write)
	}
	if ctx.Err() != nil {
		return errors.New("stopped before the end: the export is incomplete")
	}
	if err == nil && c.Output != "" {
		fmt.Printf("Wrote %s. Entries: %d.\n", c.Output, n)
	}
	return err
}

// parseTime parses the value of a flag. A time without a zone is UTC. It returns
// nil for an empty value.
func parseTime(flag, text string) (*time.Time, error) {
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

// countEntries passes entries on and counts them in n.
func countEntries(entries iter.Seq2[desk.AuditLog, error], n *int) iter.Seq2[desk.AuditLog, error] {
	return func(yield func(desk.AuditLog, error) bool) {
		for e, err := range entries {
			*n++
			if !yield(e, err) {
				return
			}
		}
	}
}

// writeFileAtomically writes a file under a temporary name. It renames the file
// once it is complete and on disk.
func writeFileAtomically(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".audit-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer os.Remove(f.Name()) // fails harmlessly after the rename
	defer f.Close()
	if err := write(f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.Rename(f.Name(), path)
}
