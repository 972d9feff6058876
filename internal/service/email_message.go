package service

import (
	"bytes"
	"context"
	"io"
	"slices"

	"frontdesk/internal/blob"
	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/mail"
	"frontdesk/internal/markup"
	"frontdesk/internal/store"
)

// mailMessage returns a message of a request that the caller may see, with the
// request.
func mailMessage(tx *store.Tx, reach desk.Reach, id desk.MessageID) (m desk.Message, r desk.Request, err error) {
	if m, err = tx.Message(id); err != nil {
		return m, r, err
	}
	if r, err = tx.Request(m.Request, reach); desk.KindOf(err) == desk.NotFound {
		err = desk.Missing("Message")
	}
	return m, r, err
}

// errNoEmail is the answer for a message that no mail brought or carries.
var errNoEmail = desk.Errorf(desk.NotFound, "The message has no email.")

// Email returns the whole mail of a message, made safe to show. It returns NotFound if
// the message has none.
func (s *Service) Email(ctx context.Context, c Caller, id desk.MessageID) (e desk.ReceivedEmail, err error) {
	m, of, err := s.mailOf(ctx, c, desk.GetEmail, id)
	if err != nil {
		return e, err
	}
	if of.Direction == desk.EmailOut {
		return desk.ReceivedEmail{From: m.Email.From, To: m.Email.To, Cc: m.Email.Cc, Subject: m.Email.Subject, Date: &of.CreatedAt, HTML: m.HTML, Text: m.Text}, nil
	}
	raw, err := s.readMail(ctx, of)
	if err != nil {
		return e, err
	}
	parsed, err := mail.Parse(raw)
	if err != nil {
		return desk.ReceivedEmail{From: m.Email.From, To: m.Email.To, Cc: m.Email.Cc, Subject: m.Email.Subject, Date: &of.CreatedAt, HTML: m.HTML, Text: m.Text}, nil
	}
	named := func(all []mail.Address) []string {
		return desk.Each(all, func(a mail.Address) string { return mail.BlankTokens(a.String()) })
	}
	e = desk.ReceivedEmail{To: named(parsed.To), Cc: named(parsed.Cc), Subject: mail.BlankTokens(parsed.Subject), HTML: mail.BlankTokens(parsed.Whole(nil))}
	e.Text = markup.PlainText(e.HTML)
	if from := named(parsed.From); len(from) > 0 {
		e.From = from[0]
	}
	if !parsed.Date.IsZero() {
		e.Date = &parsed.Date
	}
	return e, nil
}

// mailOf returns a message that the caller may see, and its mail.
func (s *Service) mailOf(ctx context.Context, c Caller, op desk.Operation, id desk.MessageID) (m desk.Message, of store.Mail, err error) {
	of, err = read(ctx, s, c, op, func(tx *store.Tx) (store.Mail, error) {
		if m, _, err = mailMessage(tx, c.reach(op), id); err != nil {
			return of, err
		}
		of, err := tx.MailOf(id, desk.EmailIn)
		if desk.KindOf(err) == desk.NotFound {
			of, err = tx.MailOf(id, desk.EmailOut)
		}
		if desk.KindOf(err) == desk.NotFound || err == nil && m.Email == nil {
			err = errNoEmail
		}
		return of, err
	})
	return m, of, err
}

// readMail reads the bytes of a mail that came in.
func (s *Service) readMail(ctx context.Context, of store.Mail) ([]byte, error) {
	key, err := blob.ParseKey(of.Source)
	if err != nil || s.outside.Blobs == nil {
		return nil, errNoEmail
	}
	r, err := s.outside.OpenFile(ctx, key)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, mail.MostBytes))
}

// EmailSource returns the bytes of the mail that brought a message, without the tokens
// of reply addresses. It returns NotFound if no mail brought it.
func (s *Service) EmailSource(ctx context.Context, c Caller, id desk.MessageID) (desk.Attachment, io.ReadSeekCloser, error) {
	_, of, err := s.mailOf(ctx, c, desk.GetEmailSource, id)
	if err == nil && of.Direction != desk.EmailIn {
		err = errNoEmail
	}
	if err != nil {
		return desk.Attachment{}, nil, err
	}
	raw, err := s.readMail(ctx, of)
	if err != nil {
		return desk.Attachment{}, nil, err
	}
	raw = mail.BlankSource(raw)
	a := desk.Attachment{Name: "mail-" + desk.FormatID(id) + ".eml", Type: "message/rfc822", Size: int64(len(raw)), CreatedAt: of.CreatedAt}
	return a, unclosed{bytes.NewReader(raw)}, nil
}

// unclosed is bytes in memory, which need not be closed.
type unclosed struct{ *bytes.Reader }

func (unclosed) Close() error { return nil }

// RetryEmail sends the copies of a message's mail again that failed or were perhaps
// sent. It returns Refused if there are none.
func (s *Service) RetryEmail(ctx context.Context, c Caller, id desk.MessageID) (desk.Message, error) {
	return write(ctx, s, c, desk.RetryEmail, func(tx *store.Tx) (desk.Message, error) {
		m, _, err := mailMessage(tx, c.reach(desk.RetryEmail), id)
		if err != nil {
			return m, err
		}
		return s.change.RetryMail(tx, c.Actor, m)
	})
}

// AcceptEmail takes over a message of an unverified mail. It returns Refused if it is
// none.
func (s *Service) AcceptEmail(ctx context.Context, c Caller, id desk.MessageID, a desk.AcceptedEmail) (desk.Message, error) {
	return write(ctx, s, c, desk.AcceptEmail, func(tx *store.Tx) (desk.Message, error) {
		m, r, err := mailMessage(tx, c.reach(desk.AcceptEmail), id)
		if err != nil {
			return m, err
		}
		if a.Problem != nil {
			return m, a.Problem
		}
		return s.change.AcceptMail(tx, c.Actor, r, m, a.Participant)
	})
}

// Participants returns who takes part in a request by mail: its requester, unless they
// read elsewhere, and then those in Cc.
func (s *Service) Participants(ctx context.Context, c Caller, id desk.RequestID) ([]desk.Participant, error) {
	return read(ctx, s, c, desk.ListParticipants, func(tx *store.Tx) ([]desk.Participant, error) {
		r, err := tx.Request(id, c.reach(desk.ListParticipants))
		if err != nil {
			return nil, err
		}
		all, err := tx.Participants(id)
		if r.MailsRequester && r.Author.Email != "" {
			all = slices.Insert(all, 0, desk.Participant{Request: id, Email: r.Author.Email, Name: r.Author.Name, Role: desk.RoleRequester, Status: desk.ParticipantActive})
		}
		return all, err
	})
}

// AddParticipant lets somebody take part in a request: somebody new, or somebody who
// was asked or removed. They get later answers.
func (s *Service) AddParticipant(ctx context.Context, c Caller, id desk.RequestID, n desk.NewParticipant) (desk.Participant, error) {
	return write(ctx, s, c, desk.AddParticipant, func(tx *store.Tx) (p desk.Participant, err error) {
		n := n // Check trims it, and the transaction may run again
		r, err := tx.Request(id, c.reach(desk.AddParticipant))
		if err != nil {
			return p, err
		}
		if err := r.Changeable(); err != nil {
			return p, err
		}
		if err := n.Check(); err != nil {
			return p, err
		}
		if desk.FoldEmail(r.Author.Email) == desk.FoldEmail(n.Email) {
			return p, desk.Wrong("email", "is the requester's, who takes part anyway")
		}
		return change.AddParticipant(tx, c.Actor, r, n.Email, n.Name)
	})
}

// RemoveParticipant removes somebody from a request. They stay out when they are in
// Cc of a later mail.
func (s *Service) RemoveParticipant(ctx context.Context, c Caller, id desk.RequestID, email string) (None, error) {
	return write(ctx, s, c, desk.RemoveParticipant, func(tx *store.Tx) (None, error) {
		r, err := tx.Request(id, c.reach(desk.RemoveParticipant))
		if err != nil {
			return None{}, err
		}
		if err := r.Changeable(); err != nil {
			return None{}, err
		}
		if desk.FoldEmail(email) == desk.FoldEmail(r.Author.Email) && email != "" {
			return None{}, desk.Errorf(desk.Refused, "The requester cannot be removed from their own request.")
		}
		return None{}, change.RemoveParticipant(tx, c.Actor, r, email)
	})
}
