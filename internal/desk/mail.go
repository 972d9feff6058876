package desk

import (
	"slices"
	"time"
)

// NewMessageEmail returns what a message shows of a mail that goes out.
func NewMessageEmail(from, subject string, to, cc []string) MessageEmail {
	e := MessageEmail{Direction: EmailOut, Status: EmailWaiting, From: from, Subject: subject, To: to, Cc: cc}
	for _, email := range slices.Concat(to, cc) {
		e.Recipients = append(e.Recipients, EmailRecipient{Email: email, Status: EmailWaiting})
	}
	return e
}

// Set records what became of one copy. The mail has the worst status of its copies,
// and the first error.
func (e *MessageEmail) Set(r EmailRecipient) {
	e.Recipients = slices.Clone(e.Recipients)
	e.Status, e.Error = EmailSent, ""
	for i := range e.Recipients {
		at := &e.Recipients[i]
		if FoldEmail(at.Email) == FoldEmail(r.Email) {
			*at = r
		}
		if slices.Index(emailStatuses, at.Status) > slices.Index(emailStatuses, e.Status) {
			e.Status = at.Status
		}
		if e.Error == "" {
			e.Error = at.Error
		}
	}
}

// Unproven reports whether a message came by a mail of which nothing shows who wrote
// it.
func (m Message) Unproven() bool { return m.Email != nil && m.Email.Status == EmailUnverified }

// ParticipantFrom decides whether somebody in To or Cc of a mail gets the answers:
// only if the sender proved who they are, or if both are of one organisation.
func ParticipantFrom(sender, email string, passed, forward bool) ParticipantStatus {
	domain := EmailDomain(email)
	together := domain != "" && domain == EmailDomain(sender) && !IsFreeMail(domain)
	if forward && (passed || together) {
		return ParticipantActive
	}
	return ParticipantAsked
}

// NewParticipant is the input for somebody who is to take part in a request.
type NewParticipant struct {
	Body
	Email string
	Name  *string
}

// Check returns what is wrong with it, and trims it.
func (n *NewParticipant) Check() error {
	p := n.problems()
	p.Email("email", &n.Email)
	optionalText(&p, "name", &n.Name, 0, mostName)
	return p.Err()
}

// ReceivedEmail is a mail as it came, made safe to show. Addresses have the names that
// their owners gave themselves.
type ReceivedEmail struct {
	From       string
	To, Cc     []string
	Subject    string
	Date       *time.Time
	HTML, Text string
}

func (p Participant) Named() (resource, id string) { return "Participant", p.Email }

// MailRequest makes the request that a mail begins, or with isRequest false a
// conversation that is none yet. subject is that of the answers to it.
func MailRequest(c Collection, first Message, title string, priority Priority, subject string, isRequest bool, now time.Time) Request {
	r := Request{
		Title: title, TitleBy: ByPerson, Priority: priority, PriorityBy: ByRules, Author: first.Author, MailSubject: &subject, MailsRequester: true,
		Collection: CollectionRef{ID: c.ID, Name: c.Name}, Source: FromEmail,
		CreatedAt: now, UpdatedAt: now, LastMessageAt: now,
	}
	if c.RequestChannel != nil {
		r.Channel = &ChannelRef{ID: *c.RequestChannel}
	}
	if isRequest {
		r.enter(Open, now)
	}
	return r
}

// AcceptedEmail says how an unverified mail is taken over.
type AcceptedEmail struct {
	Body
	Participant bool // its author takes part in the request from now on
}
