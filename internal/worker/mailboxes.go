package worker

import (
	"context"
	"errors"
	"sync"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/mail"
	"frontdesk/internal/mail/mailbox"
	"frontdesk/internal/store"
)

// Mailboxes are read for as long as the process runs, each by one process: whoever
// holds its lane. How far a mailbox was read is saved after each mail, so after a crash
// at most one mail is read twice, which its digest tells.

const (
	// mailboxEvery is how often this process looks for mailboxes that nobody reads. It
	// also does when one has changed.
	mailboxEvery = 15 * time.Second
	// mailboxHold is how long a mailbox is held, and mailboxRenew how often the hold is
	// prolonged.
	mailboxHold  = time.Minute
	mailboxRenew = 15 * time.Second
	// shortPause and longPause are the pauses after an error.
	shortPause = 10 * time.Second
	longPause  = 5 * time.Minute
)

// mailboxes reads the mailboxes of all accounts.
type mailboxes struct {
	w        *Worker
	dial     mailbox.Dial
	authserv string

	mu      sync.Mutex
	reading map[store.AccountCollection]bool
	running sync.WaitGroup
}

// ReadMailboxes reads the mailboxes of all accounts until ctx ends. dial connects with
// their servers. authserv is the server whose checks of mail are believed.
func (w *Worker) ReadMailboxes(ctx context.Context, dial mailbox.Dial, authserv string) {
	b := &mailboxes{w: w, dial: dial, authserv: authserv, reading: map[store.AccountCollection]bool{}}
	defer b.running.Wait()
	bell, stop := w.store.DB().Listen(store.TopicMailbox)
	defer stop()
	for {
		if err := b.start(ctx); err != nil && ctx.Err() == nil {
			w.log.Warn("the mailboxes could not be listed", "error", err)
		}
		if !pause(ctx, mailboxEvery, bell) {
			return
		}
	}
}

// pause waits for a time or until a bell rings, which may be nil. It returns false when
// ctx ends.
func pause(ctx context.Context, d time.Duration, bell <-chan struct{}) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-bell:
	case <-t.C:
	}
	return true
}

// start reads each mailbox that this process does not read yet.
func (b *mailboxes) start(ctx context.Context) error {
	all, err := b.w.store.Mailboxes(ctx)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, at := range all {
		if b.reading[at] {
			continue
		}
		b.reading[at] = true
		b.running.Go(func() {
			for again := true; again; {
				r := mailboxReader{mailboxes: b, at: at, lane: store.Lane{Kind: store.MailboxLane, ID: int64(at.Collection)}}
				r.run(ctx)
				again = r.changed && ctx.Err() == nil
			}
			b.mu.Lock()
			defer b.mu.Unlock()
			delete(b.reading, at)
		})
	}
	return nil
}

// mailboxReader reads one mailbox.
type mailboxReader struct {
	*mailboxes
	at      store.AccountCollection
	lane    store.Lane
	is      store.Mailbox
	changed bool // it is no longer as it was
}

// run reads the mailbox until ctx ends, it is gone, or another process holds it.
func (r *mailboxReader) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var holding sync.WaitGroup
	defer holding.Wait()
	if held, err := r.hold(ctx); err != nil || !held {
		return
	}
	defer r.release(ctx)
	bell, stop := r.w.store.DB().Listen(store.TopicMailbox)
	defer stop()
	holding.Go(func() {
		defer cancel()
		for pause(ctx, mailboxRenew, bell) {
			if held, err := r.hold(ctx); err != nil || !held {
				return
			}
		}
	})
	for wait := shortPause; ; {
		err := r.read(ctx)
		if ctx.Err() != nil || desk.KindOf(err) == desk.NotFound {
			cancel()
			return
		}
		r.w.log.Warn("a mailbox could not be read", "account", int64(r.at.Account), "collection", int64(r.at.Collection), "error", err)
		if errors.Is(err, mailbox.ErrLost) || desk.KindOf(err) == desk.Refused {
			wait = longPause
		}
		r.saveFailure(ctx, err)
		if !pause(ctx, wait, nil) {
			return
		}
		wait = min(2*wait, longPause)
	}
}

// hold holds the mailbox for this process, if it is as it was. A changed one is read
// anew.
func (r *mailboxReader) hold(ctx context.Context) (held bool, err error) {
	err = r.w.store.Write(ctx, r.at.Account, func(tx *store.Tx) (err error) {
		is, err := tx.MailboxOf(r.at.Collection)
		if err != nil {
			return err
		}
		if r.is.Collection != 0 && (is.Mailbox != r.is.Mailbox || is.Password != r.is.Password) {
			held, r.changed = false, true
			return nil
		}
		if r.is.Collection == 0 {
			r.is = is
		}
		held, err = tx.Hold(r.lane, r.w.process, tx.Now.Add(mailboxHold))
		return err
	})
	return held, err
}

func (r *mailboxReader) release(ctx context.Context) {
	_ = r.w.store.Write(context.WithoutCancel(ctx), r.at.Account, func(tx *store.Tx) error { return tx.Release(r.lane, r.w.process) }) // else it runs out
}

// saveFailure saves why the mailbox cannot be read, for its admins.
func (r *mailboxReader) saveFailure(ctx context.Context, failure error) {
	err := r.w.store.Write(ctx, r.at.Account, func(tx *store.Tx) error { return tx.SaveMailboxFailure(r.is, refusalText(failure)) })
	if err != nil && ctx.Err() == nil && desk.KindOf(err) != desk.NotFound {
		r.w.log.Warn("the failure of a mailbox could not be saved", "error", err)
	}
}

// read takes in what is new in the mailbox, and what comes, until an error.
func (r *mailboxReader) read(ctx context.Context) error {
	at, err := r.position(ctx)
	if err != nil {
		return err
	}
	m := r.is
	s, err := mailbox.Open(ctx, mailbox.Settings{Host: m.Host, Port: m.Port, TLS: string(m.TLS), User: m.User, Password: m.Password, Folder: m.Folder}, r.dial)
	if err != nil {
		return err
	}
	defer s.Close()
	for {
		next, err := s.New(ctx, at, func(m mailbox.Mail) error { return r.take(ctx, m) })
		if errors.Is(err, mailbox.ErrRenumbered) {
			r.w.log.Warn("a mailbox counts its mails anew; what came before is not read", "account", int64(r.at.Account), "collection", int64(r.at.Collection))
			err = nil
		}
		if err == nil && next != at {
			err = r.save(ctx, next)
		}
		if at = next; err != nil {
			return err
		}
		if err := s.Wait(ctx, time.Duration(m.PollSeconds)*time.Second); err != nil {
			return err
		}
	}
}

// position returns how far the mailbox was read.
func (r *mailboxReader) position(ctx context.Context) (at mailbox.Position, err error) {
	err = r.w.store.Look(ctx, r.at.Account, func(tx *store.Tx) error {
		is, err := tx.MailboxOf(r.at.Collection)
		if err == nil && is.UID != nil {
			at = mailbox.Position{Validity: is.UIDValidity, UID: *is.UID}
		}
		return err
	})
	return at, err
}

// take takes in a mail, and saves that it was.
func (r *mailboxReader) take(ctx context.Context, m mailbox.Mail) error {
	parsed, _ := mail.Parse(m.Raw) // what cannot be read is for nobody but the collection
	to := desk.Each(append(parsed.To, parsed.Cc...), func(a mail.Address) string { return a.Email })
	for _, name := range []string{"Delivered-To", "X-Original-To", "Envelope-To"} {
		to = append(to, parsed.Header.All(name)...)
	}
	in := IncomingMail{To: to, Raw: m.Raw, Cut: m.Cut, Mailbox: &r.at,
		Check: func(_ context.Context, m mail.Mail) mail.Checks { return mail.ReadChecks(m.Header, r.authserv) }}
	if err := r.w.TakeMail(ctx, in); err != nil {
		return err
	}
	return r.save(ctx, m.At)
}

func (r *mailboxReader) save(ctx context.Context, at mailbox.Position) error {
	return r.w.store.Write(context.WithoutCancel(ctx), r.at.Account, func(tx *store.Tx) error {
		held, err := tx.Prolong(r.lane, r.w.process, tx.Now.Add(mailboxHold))
		if err == nil && !held {
			err = job.ErrLost
		}
		if err != nil {
			return err
		}
		return tx.SaveMailboxPosition(r.is, store.MailboxPosition{UIDValidity: at.Validity, UID: &at.UID})
	})
}
