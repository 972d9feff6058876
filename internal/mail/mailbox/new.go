package mailbox

import (
	"context"
	"io"
	"net"
	"slices"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"frontdesk/internal/desk"
	"frontdesk/internal/mail"
)

// Position is a place between the mails of a folder. The zero Position is the end of a
// folder that was never read.
type Position struct {
	Validity uint32 // of UIDs; another number means another folder
	UID      uint32 // of the last mail that was read
}

// Mail is a mail of the folder.
type Mail struct {
	At   Position
	Raw  []byte
	Size int64 // as the server says, which may be wrong by some bytes
	// Cut says that the mail has more than mail.MostBytes, or that the server does not
	// hand it out. Raw is its beginning then, and may be empty.
	Cut bool
}

// mostOfLarge is how much is read of a mail that is too large: its header, and usually
// its text.
const mostOfLarge = 1 << 20

// New calls take for each mail after a position, the oldest first. It returns the
// position after the last mail that take has taken, also with an error. Mails that people
// have removed in the meantime are left out.
//
// From the zero Position nothing is new: what was there when the session began is not
// for us. ErrRenumbered comes with the position of the end, from which to go on.
func (s *Session) New(ctx context.Context, since Position, take func(Mail) error) (Position, error) {
	switch since.Validity {
	case s.end.Validity:
	case 0:
		return s.end, nil
	default:
		return s.end, ErrRenumbered
	}
	if err := s.look(ctx); err != nil {
		return since, err
	}
	select {
	case <-s.came: // whatever comes from here on is noted again
	default:
	}
	uids, err := s.list(ctx, since.UID+1, 0)
	if err != nil {
		return since, err
	}
	for _, uid := range uids {
		m, found, err := s.fetch(ctx, uid)
		if err == nil && found {
			err = take(m)
		}
		if err != nil {
			return since, err
		}
		since.UID = uid
	}
	return since, nil
}

// look lets the server look for mail that has come. Until then it lists what was there
// before.
func (s *Session) look(ctx context.Context) error {
	ctx, done := s.within(ctx, commandTime, mostAnswers)
	defer done()
	if err := s.client.Noop().Wait(); err != nil {
		return s.refused(ctx, "look for mail", err, refuse)
	}
	return nil
}

// list returns the UIDs of mails in order, from one to another, or to the end if that is
// zero. Servers name the last mail of the folder even if it comes before the first that
// was asked for; the client leaves that out.
func (s *Session) list(ctx context.Context, from, to uint32) (uids []uint32, err error) {
	ctx, done := s.within(ctx, commandTime, mostAnswers)
	defer done()
	command := s.client.Fetch(imap.UIDSet{{Start: imap.UID(from), Stop: imap.UID(to)}}, &imap.FetchOptions{UID: true})
	for m := command.Next(); m != nil; m = command.Next() {
		if data, err := m.Collect(); err == nil {
			uids = append(uids, uint32(data.UID))
		}
	}
	if err := command.Close(); err != nil {
		return nil, s.refused(ctx, "list mails", err, refuse)
	}
	slices.Sort(uids)
	return slices.Compact(uids), nil
}

func refuse(answer string) error {
	return desk.Errorf(desk.Refused, "The mail server answers: %s", answer)
}

// fetch returns a mail, if it is still there.
func (s *Session) fetch(ctx context.Context, uid uint32) (m Mail, found bool, err error) {
	m.At = Position{s.end.Validity, uid}
	if err = s.read(ctx, &m); err != nil || m.Raw != nil {
		return m, true, err
	}
	// It was removed; or the server did not send it, and then people shall know.
	still, err := s.list(ctx, uid, uid)
	m.Cut = true
	return m, len(still) > 0, err
}

// read reads the content of a mail, without marking it as read.
func (s *Session) read(ctx context.Context, m *Mail) error {
	ctx, done := s.within(ctx, mailTime, mail.MostBytes+mostAnswers)
	defer done()
	command := s.client.Fetch(imap.UIDSetNum(imap.UID(m.At.UID)), &imap.FetchOptions{
		UID: true, RFC822Size: true,
		BodySection: []*imap.FetchItemBodySection{{Peek: true, Partial: &imap.SectionPartial{Size: mail.MostBytes + 1}}},
	})
	for message := command.Next(); message != nil; message = command.Next() {
		for item := message.Next(); item != nil; item = message.Next() {
			m.take(item)
		}
	}
	if err := command.Close(); err != nil {
		return s.refused(ctx, "read a mail", err, refuse)
	}
	return nil
}

// take takes an item of what the server sends of a mail. An error of its content is one
// of the connection, which the command returns, too.
func (m *Mail) take(item imapclient.FetchItemData) {
	switch item := item.(type) {
	case imapclient.FetchItemDataRFC822Size:
		m.Size = item.Size
	case imapclient.FetchItemDataBodySection:
		if item.Literal == nil {
			return
		}
		m.Raw, _ = io.ReadAll(io.LimitReader(item.Literal, mail.MostBytes+1))
		if m.Cut = len(m.Raw) > mail.MostBytes; m.Cut {
			m.Raw = slices.Clone(m.Raw[:mostOfLarge])
		}
	}
}

// idleTime is how long a server is believed to be there although it says nothing.
const idleTime = 10 * time.Minute

// Wait waits until there may be new mail. Servers that cannot tell are to be asked again
// after poll.
func (s *Session) Wait(ctx context.Context, poll time.Duration) error {
	if !s.idles {
		return s.waitFor(ctx, poll)
	}
	ctx, done := s.within(ctx, idleTime+commandTime, mostAnswers)
	defer done()
	command, err := s.client.Idle()
	if err != nil {
		return s.refused(ctx, "wait for mail", err, refuse)
	}
	if err := s.waitFor(ctx, idleTime); err != nil {
		return err
	}
	if err := command.Close(); err != nil {
		return s.unavailable(ctx, "end waiting for mail", err)
	}
	if err := command.Wait(); err != nil {
		return s.refused(ctx, "end waiting for mail", err, refuse)
	}
	return nil
}

// waitFor waits for mail, but not longer than d.
func (s *Session) waitFor(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-s.came:
		return nil
	case <-timer.C:
		return nil
	case <-s.client.Closed():
		return s.unavailable(ctx, "wait for mail", net.ErrClosed)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
