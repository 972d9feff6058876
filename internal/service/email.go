package service

import (
	"context"
	"errors"
	"net/url"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

var errNoEmailConfig = desk.Errorf(desk.Refused, "The collection has no mail. Give it an email_config first.")

// collectionWithMail returns a collection, and Refused if it has no mail.
func (s *Service) collectionWithMail(tx *store.Tx, id desk.CollectionID) (desk.Collection, error) {
	col, err := s.collection(tx, id)
	if err == nil && col.Email == nil {
		err = errNoEmailConfig
	}
	return col, err
}

// TestCollectionEmail sends a mail to the address of a collection and waits for it to come back.
// If it does, the address is verified.
func (s *Service) TestCollectionEmail(ctx context.Context, c Caller, id desk.CollectionID, n desk.NewEmailTest) (t desk.EmailTest, err error) {
	token := s.change.Mail.Tokens.MakeTest(c.Account, id)
	col, err := write(ctx, s, c, desk.TestCollectionEmail, func(tx *store.Tx) (desk.Collection, error) {
		col, err := s.collectionWithMail(tx, id)
		if err != nil {
			return col, err
		}
		if err := n.Check(); err != nil {
			return col, err
		}
		if err := tx.AddMailTest(store.MailTest{ID: token, Collection: id, Address: col.Email.Address, SentAt: tx.Now}); err != nil {
			return col, err
		}
		return col, change.Record(tx, c.Actor, "collection.email_tested", col, col)
	})
	if err != nil {
		return t, err
	}
	t.Verified = col.Email.Verified
	waiting, cancel := context.WithTimeout(ctx, s.mailTest)
	defer cancel()
	sent := s.sendTest(waiting, *col.Email, n.To, token)
	if t.Steps = append(t.Steps, sent); !sent.OK {
		return t, nil
	}
	cameBack := desk.EmailTestStep{Step: desk.StepCameBack, Detail: "The mail came back."}
	if cameBack.OK, t.Verified, err = s.awaitTest(ctx, waiting, c, id, token); err != nil {
		return t, err
	}
	if !cameBack.OK {
		cameBack.Detail = whyNotBack(*col.Email)
	}
	t.Steps = append(t.Steps, cameBack)
	return t, nil
}

// sendTest sends the mail of a test.
func (s *Service) sendTest(ctx context.Context, config desk.EmailConfig, to *string, token string) desk.EmailTestStep {
	failed := func(detail string) desk.EmailTestStep { return desk.EmailTestStep{Step: desk.StepSent, Detail: detail} }
	switch {
	case s.outside.Mail == nil:
		return failed("This server sends no mail: FRONTDESK_MAIL_RELAY is not set.")
	case s.change.Mail.Domain == "":
		return failed("This server has no mail domain: FRONTDESK_MAIL_DOMAIN is not set.")
	}
	recipients := []string{config.Address}
	if to != nil && desk.FoldEmail(*to) != desk.FoldEmail(config.Address) {
		recipients = append(recipients, *to)
	}
	for i, recipient := range recipients {
		if i > 0 {
			token = "" // who has it could verify the address
		}
		mail, err := s.change.Mail.TestDraft(config, recipient, token, s.store.Now()).Bytes()
		if err == nil {
			err = s.outside.Mail.Send(ctx, s.change.Mail.NoReply(), recipient, mail)
		}
		if known := (*desk.Error)(nil); errors.As(err, &known) {
			return failed("The mail to " + recipient + " was not sent. " + known.Message)
		}
		if err != nil {
			s.log.Error("send a test mail", "error", err)
			return failed("The mail to " + recipient + " was not sent. The log of the server says why.")
		}
	}
	return desk.EmailTestStep{Step: desk.StepSent, OK: true, Detail: "The mail server took the mail."}
}

// lookAgain is how often a test looks for its mail without having been woken, because
// a bell can be missed.
const lookAgain = time.Second

// awaitTest waits for the mail of a test until waiting ends. It returns whether the
// mail came back, and whether the collection's address is verified.
func (s *Service) awaitTest(ctx, waiting context.Context, c Caller, id desk.CollectionID, token string) (back, verified bool, err error) {
	bell, stop := s.store.DB().Listen(store.TopicMailTest)
	defer stop()
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for {
		over := waiting.Err() != nil
		_, err := read(ctx, s, c, desk.TestCollectionEmail, func(tx *store.Tx) (None, error) {
			test, err := tx.MailTest(token)
			if err != nil {
				return None{}, err
			}
			col, err := s.collection(tx, id)
			back, verified = test.CameBackAt != nil, col.Email != nil && col.Email.Verified
			return None{}, err
		})
		if err != nil || back || over {
			return back, verified, err
		}
		select {
		case <-bell:
		case <-tick.C:
		case <-waiting.Done():
		}
	}
}

// whyNotBack says what to check if a test mail does not come back.
func whyNotBack(c desk.EmailConfig) string {
	const late = "The mail has not come back yet. If it comes within an hour, it still counts. "
	if c.Mailbox != nil {
		return late + "Check that it is in the folder " + c.Mailbox.Folder + " of " + c.Mailbox.User + " at " + c.Mailbox.Host + ", and that this mailbox can be read."
	}
	return late + "Check that mail for " + c.Address + " is forwarded to " + c.Inbound + ", or that the MX record of its domain names this server."
}

// EmailRecords returns the DNS records that the mail of a collection needs, and
// whether they are there.
func (s *Service) EmailRecords(ctx context.Context, c Caller, id desk.CollectionID) ([]desk.DNSRecord, error) {
	col, err := read(ctx, s, c, desk.GetEmailRecords, func(tx *store.Tx) (desk.Collection, error) { return s.collectionWithMail(tx, id) })
	if err != nil {
		return nil, err
	}
	here, err := url.Parse(s.change.PublicURL)
	if err != nil {
		return nil, during(desk.GetEmailRecords, err)
	}
	records := s.change.Mail.Records(col.Email.Address, here.Hostname())
	s.outside.FindRecords(ctx, records)
	return records, nil
}
