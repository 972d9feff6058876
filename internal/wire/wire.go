// Package wire defines the JSON form of the nouns, for the API, events, webhooks
// and exports alike. It decides on names and forms, never on who may see what.
package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/report"
)

// TimeFormat is the only form of a time on the wire: UTC, in milliseconds.
const TimeFormat = "2006-01-02T15:04:05.000Z"

// Time is a time on the wire. It is a string, because a type with its own
// MarshalJSON would cost a list of fifty more than everything else in it.
type Time string

// NewTime returns the wire form of a time in TimeFormat. It is written by hand,
// because a list has a hundred times and Format takes five times as long.
func NewTime(t time.Time) Time {
	t = t.UTC()
	year, month, day := t.Date()
	if year < 0 || year > 9999 {
		return Time(t.Format(TimeFormat))
	}
	hour, minute, second := t.Clock()
	b := []byte(TimeFormat)
	digits(b[0:4], year)
	digits(b[5:7], int(month))
	digits(b[8:10], day)
	digits(b[11:13], hour)
	digits(b[14:16], minute)
	digits(b[17:19], second)
	digits(b[20:23], t.Nanosecond()/1e6)
	return Time(b)
}

// digits fills b with the last digits of n.
func digits(b []byte, n int) {
	for i := len(b) - 1; i >= 0; i-- {
		b[i] = byte('0' + n%10)
		n /= 10
	}
}

func optional(t *time.Time) *Time {
	if t == nil {
		return nil
	}
	text := NewTime(*t)
	return &text
}

// JSON encodes a value as the API shows it. It is like json.Marshal, but leaves <,
// > and & as they are. Nothing reads the result as HTML, because it is always sent
// as JSON with sniffing turned off.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// AppendJSON appends the JSON of a value to b.
func AppendJSON(b []byte, v any) ([]byte, error) {
	text, err := JSON(v)
	return append(b, text...), err
}

// Of returns the name of a noun and its wire form, such as "member" and a Member. It
// knows what the audit log and events show.
func Of(noun any) (name string, v any) {
	switch n := noun.(type) {
	case desk.Account:
		return "account", NewAccount(n)
	case desk.Member:
		return "member", NewMember(n)
	case desk.Token:
		return "token", NewToken(n)
	case desk.Session:
		return "session", NewSession(n)
	case desk.Integration:
		return "integration", NewIntegration(n)
	case desk.Collection:
		return "collection", NewCollection(n)
	case desk.Mute:
		return "mute", NewMute(n)
	case desk.Channel:
		return "channel", NewChannel(n)
	case desk.Ticket:
		return "ticket", NewTicket(n)
	case desk.TicketLink:
		return "ticket_link", NewTicketLink(n)
	case desk.Message:
		return "message", NewRequestMessage(n)
	case desk.Request:
		return "request", NewRequest(n)
	case desk.CustomField:
		return "custom_field", NewCustomField(n)
	case desk.TicketForm:
		return "ticket_form", NewTicketForm(n)
	case desk.Customer:
		return "customer", NewCustomer(n)
	case desk.Announcement:
		return "announcement", NewAnnouncement(n)
	case desk.Webhook:
		return "webhook", NewWebhook(n)
	case desk.Survey:
		return "survey", NewSurvey(n)
	case desk.AgentSession:
		return "agent_session", NewAgentSession(n)
	case desk.Schedule:
		return "schedule", NewSchedule(n)
	case desk.SLAPolicy:
		return "sla_policy", NewSLAPolicy(n)
	case desk.SLABreach:
		return "sla", NewSLABreach(n)
	case desk.View:
		return "view", NewView(n)
	case desk.CustomerNote:
		return "customer_note", NewCustomerNote(n)
	case report.Exploration:
		return "exploration", NewExploration(n)
	case report.Dashboard:
		return "dashboard", NewDashboard(n)
	case report.Report:
		return "report", NewReport(n)
	case desk.QuickReply:
		return "quick_reply", NewQuickReply(n)
	case desk.WaitingMessage:
		return "waiting_message", NewWaitingMessage(n)
	case desk.EmailRecipient:
		return "recipient", newEmailRecipient(n)
	case desk.Participant:
		return "participant", NewRequestParticipant(n)
	case desk.AuditExport:
		return "audit_export", NewAuditExport(n)
	case desk.Erasure:
		return "person", NewErasure(n)
	case desk.CustomerErasure:
		return "customer", NewCustomerErasure(n)
	}
	panic(fmt.Sprintf("wire: no form for %T", noun))
}

// Object returns {"member": {…}} for a noun: the body of an answer, or the data of
// an event.
func Object(noun any) ([]byte, error) {
	if r, ok := noun.(desk.Request); ok {
		body, err := AppendRequest([]byte(`{"request":`), r, ByID)
		return append(body, '}'), err
	}
	return Named(Of(noun))
}

// Named returns {"member": {…}} for a wire form and its name.
func Named(name string, v any) ([]byte, error) {
	body, err := JSON(v)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", name, err)
	}
	return fmt.Appendf(make([]byte, 0, len(body)+len(name)+5), "{%q:%s}", name, body), nil
}

// ListMetadata ends every list.
type ListMetadata struct {
	NextCursor *string `json:"next_cursor"` // null if there is no more
	Count      int     `json:"count"`       // of the records in this page
}
