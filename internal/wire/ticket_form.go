package wire

import "frontdesk/internal/desk"

// TicketForm is a ticket form on the wire.
type TicketForm struct {
	ID              desk.TicketFormID `json:"id"`
	Name            string            `json:"name"`
	Description     *string           `json:"description"`
	Enabled         bool              `json:"enabled"`
	ActionConfig    ActionConfig      `json:"action_config"`
	CreatedAt       Time              `json:"created_at"`
	UpdatedAt       Time              `json:"updated_at"`
	IntegrationType desk.TicketType   `json:"integration_type"`
	DeletedAt       *Time             `json:"deleted_at,omitempty"` // of a deleted form that is kept only for its tickets
}

// ActionConfig says what a form does.
type ActionConfig struct {
	Create FormAction `json:"create"`
}

// FormAction is an action of a form and the fields that it asks for.
type FormAction struct {
	Enabled bool        `json:"enabled"`
	Fields  []FormField `json:"fields"`
}

// FormField is a field that a form asks for. Its key is a string, even if it is the
// id of a custom field.
type FormField struct {
	Key                    desk.FormKey      `json:"key"`
	Label                  string            `json:"label"`
	Audience               desk.FormAudience `json:"audience"`
	Hidden                 bool              `json:"is_hidden"`
	RequiredByResponder    bool              `json:"required_by_responder"`
	RequiredByNonResponder bool              `json:"required_by_non_responder"`
}

// NewTicketForm returns the wire form of a form.
func NewTicketForm(f desk.TicketForm) TicketForm {
	return TicketForm{
		ID: f.ID, Name: f.Name, Description: f.Description, Enabled: f.Enabled, IntegrationType: f.Type,
		ActionConfig: ActionConfig{FormAction{Enabled: f.Create.Enabled, Fields: desk.Each(f.Create.Fields, func(f desk.FormField) FormField { return FormField(f) })}},
		CreatedAt:    NewTime(f.CreatedAt), UpdatedAt: NewTime(f.UpdatedAt), DeletedAt: optional(f.DeletedAt),
	}
}

// ShownTicketForm is a form fetched by id. It has all of its fields twice, the
// second time under its name, because some clients look there.
type ShownTicketForm struct {
	TicketForm
	Again TicketForm `json:"ticket_form"`
}

// NewShownTicketForm returns the wire form of a form fetched by id.
func NewShownTicketForm(f desk.TicketForm) ShownTicketForm {
	w := NewTicketForm(f)
	return ShownTicketForm{w, w}
}

// CreatedTicket is the answer to the creation of a ticket with a form.
type CreatedTicket struct {
	Ticket  createdTicket `json:"ticket"`
	Request requestRef    `json:"request"`
}

type (
	createdTicket struct {
		Ticket
		RequestID desk.RequestID `json:"request_id"`
	}
	requestRef struct {
		ID desk.RequestID `json:"id"`
	}
)

// NewCreatedTicket returns the wire form of a new ticket.
func NewCreatedTicket(t desk.CreatedTicket) CreatedTicket {
	return CreatedTicket{createdTicket{NewTicket(t.Ticket), t.Request}, requestRef{t.Request}}
}
