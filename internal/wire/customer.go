package wire

import "frontdesk/internal/desk"

// Customer is a customer on the wire.
type Customer struct {
	ID             desk.CustomerID            `json:"id"`
	Name           string                     `json:"name"`
	Owner          *string                    `json:"owner"`
	Domains        []string                   `json:"domains"`
	Channels       []string                   `json:"channel_ids"`
	Revisit        bool                       `json:"revisit"`
	PortalConfig   PortalConfig               `json:"portal_config"`
	Values         map[desk.CustomFieldID]any `json:"custom_field_values"`
	PortalForAll   bool                       `json:"is_portal_available_to_all_users"`
	PortalEmails   []string                   `json:"portal_allowed_user_emails"` // of the portal users, for older clients
	PortalUsers    []PortalUser               `json:"portal_users"`
	Collection     *desk.CollectionID         `json:"collection_id,omitempty"`
	ExternalSystem *desk.CRM                  `json:"external_system"`
	ExternalEntity *string                    `json:"external_entity_id"`
	ExternalDeal   *string                    `json:"external_deal_id"`
	Version        int64                      `json:"version"`
	CreatedAt      Time                       `json:"created_at"`
	UpdatedAt      Time                       `json:"updated_at"`
}

// PortalConfig is the configuration of a customer's portal.
type PortalConfig struct {
	Enabled bool `json:"enabled"`
}

// PortalUser is a person who may use the portal.
type PortalUser struct {
	Email string          `json:"email"`
	Role  desk.PortalRole `json:"role"`
}

// NewCustomer returns the wire form of a customer.
func NewCustomer(c desk.Customer) Customer {
	plain := func(s string) string { return s }
	return Customer{
		ID: c.ID, Name: c.Name, Owner: c.Owner, Domains: desk.Each(c.Domains, plain), Channels: desk.Each(c.Channels, plain), Revisit: c.Revisit,
		PortalConfig: PortalConfig{c.PortalEnabled}, Values: NewFieldValues(c.Values), PortalForAll: c.PortalForAll,
		PortalEmails: desk.Each(c.PortalUsers, func(u desk.PortalUser) string { return u.Email }),
		PortalUsers:  desk.Each(c.PortalUsers, func(u desk.PortalUser) PortalUser { return PortalUser(u) }),
		Collection:   c.Collection, ExternalSystem: c.ExternalSystem, ExternalEntity: c.ExternalEntity, ExternalDeal: c.ExternalDeal,
		Version: c.Version, CreatedAt: NewTime(c.CreatedAt), UpdatedAt: NewTime(c.UpdatedAt),
	}
}
