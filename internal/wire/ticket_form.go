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
	DeletedAt       *Time             `json:"deleted_at,omitempty"` // of one that is there only for its tickets
}

// ActionConfig is what a form does.
type ActionConfig struct {
	Create FormAction `json:"create"`
}

// FormAction is something that a form does, and what it asks for.
type FormAction struct {
	Enabled bool        `json:"enabled"`
	Fields  []FormField `json:"fields"`
}

// FormField is something that a form asks for; its key is a text, also where it
// is the id of a custom field.
type FormField struct {
	Key                    desk.FormKey      `json:"key"`
	Label                  string            `json:"label"`
	Audience               desk.FormAudience `json:"audience"`
	Hidden                 bool              `json:"is_hidden"`
	RequiredByResponder    bool              `json:"required_by_responder"`
	RequiredByNonResponder bool              `json:"required_by_non_responder"`
}

// NewTicketForm is how a form looks.
func NewTicketForm(f desk.TicketForm) TicketForm {
	return TicketForm{
		ID: f.ID, Name: f.Name, Description: f.Description, Enabled: f.Enabled, IntegrationType: f.Type,
		ActionConfig: ActionConfig{FormAction{Enabled: f.Create.Enabled, Fields: each(f.Create.Fields, func(f desk.FormField) FormField { return FormField(f) })}},
		CreatedAt:    NewTime(f.CreatedAt), UpdatedAt: NewTime(f.UpdatedAt), DeletedAt: optional(f.DeletedAt),
	}
}

// ShownTicketForm is a form by its id: its members, and all of them once more
// under its name, where some clients look.
type ShownTicketForm struct {
	TicketForm
	Again TicketForm `json:"ticket_form"`
}

// NewShownTicketForm is how a form looks by its id.
func NewShownTicketForm(f desk.TicketForm) ShownTicketForm {
	w := NewTicketForm(f)
	return ShownTicketForm{w, w}
}

// CreatedTicket is the answer to a ticket that was made with a form.
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

// NewCreatedTicket is how a ticket looks that was just made.
func NewCreatedTicket(t desk.CreatedTicket) CreatedTicket {
	return CreatedTicket{createdTicket{NewTicket(t.Ticket), t.Request}, requestRef{t.Request}}
}
