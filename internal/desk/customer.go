package desk

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// CRM is an external system that a customer can be linked to.
type CRM string

const (
	HubSpot    CRM = "hubspot"
	Salesforce CRM = "salesforce"
)

// CRMs lists every value.
var CRMs = []CRM{HubSpot, Salesforce}

// PortalRole says what a portal user may do for their organisation.
type PortalRole string

const (
	PortalAdmin  PortalRole = "ADMIN"
	PortalMember PortalRole = "USER"
)

// PortalRoles lists every value.
var PortalRoles = []PortalRole{PortalAdmin, PortalMember}

// PortalUser is a person who may use the portal of a customer.
type PortalUser struct {
	Email string // as written; compared without regard to case
	Role  PortalRole
}

const (
	// MostDomains bounds the domains of a customer.
	MostDomains = 100
	// MostCustomerChannels bounds the channels of a customer.
	MostCustomerChannels = 100
	// MostPortalUsers bounds the portal users of a customer.
	MostPortalUsers = 500
	// MostExternalID is the maximum length of a CRM id.
	MostExternalID = 255
)

type CustomerID int64

// Customer is an organisation that writes to us. Users and channels are named by
// the chat system's ids. A channel belongs to at most one customer; a domain may
// belong to several.
type Customer struct {
	ID             CustomerID
	Name           string
	Owner          *string // a user; without one the collection's owner is used
	Domains        []string
	Channels       []string
	Revisit        bool // somebody should look at it again
	PortalEnabled  bool
	PortalForAll   bool // also people who are not portal users
	PortalUsers    []PortalUser
	Values         FieldValues
	Collection     *CollectionID
	ExternalSystem *CRM
	ExternalEntity *string
	ExternalDeal   *string
	Version        int64 // starts at 1 and grows by one with each change
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

func (c Customer) Named() (resource, id string) { return "Customer", FormatID(c.ID) }

// HasCustomer reports whether a customer is in reach. A customer in a collection is
// in reach with that collection; a customer without one only if all collections
// are.
func (r Reach) HasCustomer(c Customer) bool {
	return r.All || c.Collection != nil && r.Has(*c.Collection)
}

// CustomerParts are the fields of a customer that can be given. A nil field stays
// as it is.
type CustomerParts struct {
	Name           *string
	Owner          Nullable[string]
	Domains        *[]string
	Channels       *[]string
	Revisit        *bool
	PortalEnabled  *bool
	PortalForAll   *bool
	PortalUsers    *[]PortalUser
	PortalEmails   *[]string // replaces all of them, new ones become admins; PortalUsers wins over it
	Values         FieldInput
	Collection     Nullable[CollectionID]
	ExternalSystem Nullable[CRM]
	ExternalEntity Nullable[string]
	ExternalDeal   Nullable[string]

	// Fields are the custom fields that Values names, as far as they exist. The
	// service looks them up; the caller does not give them.
	Fields map[CustomFieldID]CustomField
}

// NewCustomer is the input for a new customer. A name is required.
type NewCustomer struct {
	Body
	CustomerParts
}

// Customer checks the input and makes the customer. It does not check whether the
// users, channels and collection it names exist.
func (n NewCustomer) Customer(now time.Time) (Customer, error) {
	c := Customer{Version: 1, CreatedAt: now, UpdatedAt: now}
	err := c.take(n.problems(), n.CustomerParts)
	return c, err
}

// CustomerChange is a change to a customer, with the version that the caller has
// seen.
type CustomerChange struct {
	Body
	CustomerParts
	Version int64
}

// ErrOutdatedCustomer says that somebody else has changed the customer in the
// meantime.
var ErrOutdatedCustomer = Errorf(Stale, "An outdated customer version is being updated. Read the customer again and retry.")

// Apply makes the whole change, or returns Stale or Invalid and changes nothing. It
// does not check whether the things it names exist.
func (c *Customer) Apply(ch CustomerChange, now time.Time) error {
	if ch.Problem != nil {
		return ch.Problem
	}
	if ch.Version != c.Version {
		return ErrOutdatedCustomer
	}
	next := *c
	if err := next.take(Problems{}, ch.CustomerParts); err != nil {
		return err
	}
	next.Version, next.UpdatedAt = c.Version+1, now
	*c = next
	return nil
}

// take applies the given parts and checks them. The result shares nothing with the
// input, nor with the customer before.
func (c *Customer) take(p Problems, g CustomerParts) error {
	set(&c.Name, g.Name)
	p.Text("name", &c.Name, 1, mostName)
	setNullable(&c.Owner, g.Owner)
	set(&c.Revisit, g.Revisit)
	set(&c.PortalEnabled, g.PortalEnabled)
	set(&c.PortalForAll, g.PortalForAll)
	setNullable(&c.Collection, g.Collection)
	c.takeDomains(&p, g.Domains)
	c.takeChannels(&p, g.Channels)
	c.takePortalUsers(&p, g)
	c.takeExternal(&p, g)
	if g.Values != nil {
		c.Values = c.Values.Apply(&p, "custom_field_values", EntityCustomer, g.Fields, g.Values)
	}
	return p.Err()
}

func (c *Customer) takeDomains(p *Problems, given *[]string) {
	if given == nil || !p.atMost("domains", len(*given), MostDomains) {
		return
	}
	c.Domains = slices.Clone(*given)
	eachOnce(p, "domains", c.Domains, p.Domain)
}

func (c *Customer) takeChannels(p *Problems, given *[]string) {
	if given == nil || !p.atMost("channel_ids", len(*given), MostCustomerChannels) {
		return
	}
	c.Channels = slices.Clone(*given)
	eachOnce(p, "channel_ids", c.Channels, nil)
}

// takePortalUsers replaces the portal users. If only emails are given, existing
// users keep their role.
func (c *Customer) takePortalUsers(p *Problems, g CustomerParts) {
	var next []PortalUser
	name := "portal_users[%d].email"
	switch {
	case g.PortalUsers != nil:
		if !p.atMost("portal_users", len(*g.PortalUsers), MostPortalUsers) {
			return
		}
		next = slices.Clone(*g.PortalUsers)
	case g.PortalEmails != nil:
		name = "portal_allowed_user_emails[%d]"
		if !p.atMost("portal_allowed_user_emails", len(*g.PortalEmails), MostPortalUsers) {
			return
		}
		roles := map[string]PortalRole{}
		for _, u := range c.PortalUsers {
			roles[FoldEmail(u.Email)] = u.Role
		}
		for _, email := range *g.PortalEmails {
			role, kept := roles[FoldEmail(strings.TrimSpace(email))]
			if !kept {
				role = PortalAdmin
			}
			next = append(next, PortalUser{email, role})
		}
	default:
		return
	}
	seen := map[string]bool{}
	for i := range next {
		field := fmt.Sprintf(name, i)
		p.Email(field, &next[i].Email)
		p.once(field, seen, FoldEmail(next[i].Email))
		OneOf(p, fmt.Sprintf("portal_users[%d].role", i), next[i].Role, PortalRoles...)
	}
	c.PortalUsers = next
}

func (c *Customer) takeExternal(p *Problems, g CustomerParts) {
	setNullable(&c.ExternalSystem, g.ExternalSystem)
	optionalOneOf(p, "external_system", c.ExternalSystem, CRMs...)
	setNullable(&c.ExternalEntity, g.ExternalEntity)
	optionalText(p, "external_entity_id", &c.ExternalEntity, 1, MostExternalID)
	setNullable(&c.ExternalDeal, g.ExternalDeal)
	optionalText(p, "external_deal_id", &c.ExternalDeal, 1, MostExternalID)
}
