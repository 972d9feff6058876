package change

import (
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/mail"
	"frontdesk/internal/store"
	"frontdesk/internal/suggest"
)

// BeginMailRequest creates the request that a mail begins. A conversation that is not
// a request yet gets only a card in triage.
func (s Setup) BeginMailRequest(tx *store.Tx, by desk.Actor, col desk.Collection, r desk.Request, first *desk.Message, with Beginning) (desk.Request, error) {
	if r.State != nil {
		if err := AssignByTurn(tx, col, &r); err != nil {
			return r, err
		}
		r, _, err := s.BeginRequest(tx, by, col, r, first, with)
		return r, err
	}
	if err := tx.AddRequest(&r); err != nil {
		return r, err
	}
	first.Request = r.ID
	if err := addMessage(tx, first, with); err != nil {
		return r, err
	}
	if err := AddCard(tx, col, r.ID); err != nil {
		return r, err
	}
	return r, recordMessage(tx, by, *first)
}

// AcceptMail takes over a mail of which nothing showed who wrote it: somebody of the
// team has looked at it. It becomes a message like any other. participant says that
// its author takes part in the request from now on.
func (s Setup) AcceptMail(tx *store.Tx, by desk.Actor, r desk.Request, m desk.Message, participant bool) (desk.Message, error) {
	if err := r.Changeable(); err != nil {
		return m, err
	}
	if !m.Unproven() {
		return m, desk.Errorf(desk.Refused, "The message did not come by an unverified mail.")
	}
	was, email := m, *m.Email
	email.Status = desk.EmailReceived
	m.Email, m.Private = &email, false
	m.Idle = len(m.Attachments) == 0 && !suggest.Judge(m.HTML).IsRequest()
	isFirst := r.State == nil && r.NotARequest == nil && r.Source == desk.FromEmail && len(r.Tickets) == 0
	if isFirst {
		m.Idle = false // it was sent to begin a request
	}
	if err := tx.PublishMessage(m); err != nil {
		return m, err
	}
	if participant && m.Author.Email != "" && desk.FoldEmail(m.Author.Email) != desk.FoldEmail(r.Author.Email) {
		if _, err := AddParticipant(tx, by, r, m.Author.Email, &m.Author.Name); err != nil {
			return m, err
		}
	}
	col, err := CollectionOf(tx, r)
	if err != nil {
		return m, err
	}
	before := r.Clone()
	concerns, err := applyMessage(tx, col, &r, m)
	if err != nil {
		return m, err
	}
	if err := s.SaveConversation(tx, by, before, &r); err != nil {
		return m, err
	}
	if err := tellOfMessage(tx, by, r, m, concerns); err != nil {
		return m, err
	}
	people := desk.Each(slices.Concat(m.Email.To, m.Email.Cc), func(email string) mail.Address { return mail.Address{Email: email} })
	if err := s.AddAddressees(tx, col, r, m.Author.Email, false, people); err != nil {
		return m, err
	}
	if err := tx.Record(desk.Change{By: by, Action: "message.accepted", Event: desk.MessageCreated, Before: was, After: m}); err != nil {
		return m, err
	}
	if isFirst {
		return m, s.completeMailRequest(tx, by, col, r)
	}
	if err := RefreshCard(tx, r.ID); err != nil || !r.InChat() {
		return m, err
	}
	if err := AddPostings(tx, m, desk.InThread, 0, true); err != nil {
		return m, err
	}
	return m, PostSoon(tx, r.ID)
}

// completeMailRequest gives a conversation that became a request what a request has:
// a ticket, a thread in the chat system, and people who know of it.
func (s Setup) completeMailRequest(tx *store.Tx, by desk.Actor, col desk.Collection, r desk.Request) error {
	t, err := s.AddNativeTicket(tx, r, nil)
	if err != nil {
		return err
	}
	if err := postNew(tx, col, r); err != nil {
		return err
	}
	if err := RefreshCard(tx, r.ID); err != nil {
		return err
	}
	return tx.Record(TicketChange(by, r.ID, t))
}

// RetryMail sends the copies of a message's mail again that failed, or that were
// perhaps sent. It returns Refused if there are none.
func (s Setup) RetryMail(tx *store.Tx, by desk.Actor, m desk.Message) (desk.Message, error) {
	of, err := tx.MailOf(m.ID, desk.EmailOut)
	if err != nil && desk.KindOf(err) != desk.NotFound {
		return m, err
	}
	if err != nil || m.Email == nil {
		return m, errNoRetry
	}
	copies, err := tx.MailCopies(of.ID)
	if err != nil {
		return m, err
	}
	was, email, again := m, *m.Email, false
	for _, c := range copies {
		if status := c.Status().Status; status != desk.EmailFailed && status != desk.EmailPerhapsSent {
			continue
		}
		if err := tx.RenewMailCopy(c); err != nil {
			return m, err
		}
		email.Set(desk.EmailRecipient{Email: c.Email, Status: desk.EmailWaiting})
		again = true
	}
	if !again {
		return m, errNoRetry
	}
	m.Email = &email
	if err := tx.SaveMessageEmail(m); err != nil {
		return m, err
	}
	if _, err := setMailStatus(tx, m.Request); err != nil {
		return m, err
	}
	if err := SendMailSoon(tx, of.ID); err != nil {
		return m, err
	}
	return m, Record(tx, by, "message.mailed_again", was, m)
}

var errNoRetry = desk.Errorf(desk.Refused, "No copy of this message's mail has failed, so there is nothing to send again.")

// ReplyAddress returns the address that answers to a mail go to. token leads to its
// conversation. With a mailbox, mail comes in only by its own address.
func (m Mail) ReplyAddress(c desk.EmailConfig, token string) string {
	switch {
	case c.Mailbox == nil:
		return mail.Reply.Address(token, m.Domain)
	case c.Mailbox.PlusAddressing:
		base, _ := mail.CutPlus(c.Address)
		return base + "+" + token + "@" + desk.EmailDomain(c.Address)
	}
	return c.Address
}
