package wire

import (
	"encoding/json"

	"frontdesk/internal/desk"
)

// AuditLog is an entry of the audit log on the wire.
type AuditLog struct {
	ID           desk.AuditLogID `json:"id"`
	At           Time            `json:"at"`
	Actor        Actor           `json:"actor"`
	Action       string          `json:"action"`
	ResourceType string          `json:"resource_type"`
	ResourceID   string          `json:"resource_id"`
	Source       desk.Source     `json:"source"`
	IP           *string         `json:"ip"`
	Before       json.RawMessage `json:"before"`
	After        json.RawMessage `json:"after"`
}

// Actor is the author of a change. id and email are null if it was not a member.
type Actor struct {
	ID    *desk.MemberID `json:"id"`
	Name  string         `json:"name"`
	Email *string        `json:"email"`
}

// NewActor returns the wire form of an actor.
func NewActor(a desk.Actor) Actor {
	return Actor{ID: orNull(a.ID), Name: a.Name, Email: orNull(a.Email)}
}

// NewAuditLog returns the wire form of an entry.
func NewAuditLog(e desk.AuditLog) AuditLog {
	return AuditLog{
		ID: e.ID, At: NewTime(e.At), Actor: NewActor(e.Actor), Action: e.Action,
		ResourceType: e.ResourceType, ResourceID: e.ResourceID,
		Source: e.Actor.Source, IP: orNull(e.Actor.IP), Before: e.Before, After: e.After,
	}
}

// AuditExport is the record of an export of the audit log. A filter that is null
// was not used.
type AuditExport struct {
	Format       desk.ExportFormat `json:"format"`
	Action       *string           `json:"action"`
	ResourceType *string           `json:"resource_type"`
	ResourceID   *string           `json:"resource_id"`
	Actor        *desk.MemberID    `json:"actor"`
	After        *Time             `json:"after"`
	Before       *Time             `json:"before"`
}

// NewAuditExport returns the wire form of an export.
func NewAuditExport(x desk.AuditExport) AuditExport {
	return AuditExport{Format: x.Format, Action: orNull(x.Filter.Action), ResourceType: orNull(x.Filter.ResourceType), ResourceID: orNull(x.Filter.ResourceID), Actor: orNull(x.Filter.Actor),
		After: optional(x.After), Before: optional(x.Before)}
}

// Erasure is the record of how much was erased about a person.
type Erasure struct {
	Person   string `json:"person"`
	Requests int    `json:"requests"`
	Messages int    `json:"messages"`
	Files    int    `json:"files"`
	Rows     int    `json:"rows"`
}

// NewErasure returns the wire form of an erasure.
func NewErasure(e desk.Erasure) Erasure { return Erasure(e) }

// CustomerErasure is the record of how much was erased about a customer.
type CustomerErasure struct {
	Customer desk.CustomerID `json:"customer"`
	People   int             `json:"people"`
	Requests int             `json:"requests"`
	Messages int             `json:"messages"`
	Files    int             `json:"files"`
	Rows     int             `json:"rows"`
}

// NewCustomerErasure returns the wire form of an erasure.
func NewCustomerErasure(e desk.CustomerErasure) CustomerErasure { return CustomerErasure(e) }

// orNull returns nil for the zero value, which stands for "none".
func orNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
