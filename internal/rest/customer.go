package rest

import (
	"fmt"

	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

func (s *Server) listCustomers(c *call) (any, error) {
	var p desk.Problems
	q := desk.CustomerQuery{IDs: ids[desk.CustomerID](c, &p, "ids"), Page: c.page(&p)}
	q.Problem = p.Err()
	l, err := s.service.Customers(c.ctx, c.caller, q)
	return list(c, "customers", wire.NewCustomer, l, err)
}

func (s *Server) searchCustomers(c *call) (any, error) {
	b := c.object()
	q := desk.CustomerQuery{Page: c.pageIn(b), Filters: orZero(listOf(b, "filters", desk.MostFilters, customerFilter))}
	q.Problem = b.problem()
	l, err := s.service.SearchCustomers(c.ctx, c.caller, q)
	return list(c, "customers", wire.NewCustomer, l, err)
}

// customerFilter reads a filter. Its field determines which other fields it has.
func customerFilter(o object) desk.CustomerFilter {
	f := desk.CustomerFilter{Field: o.required("field")}
	switch f.Field {
	case desk.ByDomains:
		f.Operator = o.required("operator")
		o.demand("values")
		f.Values = orZero(o.texts("values"))
	case desk.ByExternalEntity:
		f.System, f.Entity = desk.CRM(o.required("entity_type")), o.required("entity_id")
	case desk.ByExternalCompany:
		f.System, f.Entity = desk.CRM(o.required("system")), o.required("id")
	}
	return f
}

// newCustomer reads a new customer.
func newCustomer(b object) desk.NewCustomer {
	name := b.required("name")
	n := desk.NewCustomer{CustomerParts: customerParts(b)}
	n.Name = &name
	return n
}

// customerChange reads a change to a customer.
func customerChange(b object) desk.CustomerChange {
	name := b.text("name")
	ch := desk.CustomerChange{CustomerParts: customerParts(b)}
	ch.Name = name
	b.demand("version")
	b.read("version", "a whole number", &ch.Version)
	return ch
}

// customerParts reads every part of a customer except the name, which is required
// for a new customer.
func customerParts(b object) desk.CustomerParts {
	return desk.CustomerParts{
		Owner: b.nullableText("owner"), Domains: b.texts("domains"), Channels: b.texts("channel_ids"), Revisit: b.flag("revisit"),
		PortalEnabled: b.inside("portal_config").flag("enabled"), PortalForAll: b.flag("is_portal_available_to_all_users"),
		PortalUsers: portalUsers(b), PortalEmails: b.texts("portal_allowed_user_emails"),
		Values: b.fieldInput("custom_field_values"), Collection: nullable[desk.CollectionID](b, "collection_id", "a number"),
		ExternalSystem: nullable[desk.CRM](b, "external_system", "a string"),
		ExternalEntity: b.nullableText("external_entity_id"), ExternalDeal: b.nullableText("external_deal_id"),
	}
}

func portalUsers(b object) *[]desk.PortalUser {
	return listOf(b, "portal_users", desk.MostPortalUsers, func(u object) desk.PortalUser {
		return desk.PortalUser{Email: u.required("email"), Role: desk.PortalRole(u.required("role"))}
	})
}

// channelCustomer reads the customer that a channel is assigned to. It returns nil
// if there is none.
func channelCustomer(o object) *desk.ChannelCustomer {
	in := o.inside("customer")
	if in.members == nil {
		return nil
	}
	switch kind := in.required("type"); kind {
	case "existing":
		var id desk.CustomerID
		if in.demand("id"); !in.read("id", "a number", &id) {
			return nil
		}
		return &desk.ChannelCustomer{ID: id}
	case "new":
		return &desk.ChannelCustomer{New: &desk.NewCustomer{CustomerParts: desk.CustomerParts{
			Name: in.text("name"), Owner: in.nullableText("owner"), Domains: in.texts("domains"),
		}}}
	default:
		if in.has("type") {
			desk.OneOf(in.problems, in.at+"type", kind, "existing", "new")
		}
		return nil
	}
}

// texts reads a list of strings. It returns nil if it is not given.
func (o object) texts(name string) *[]string {
	given := member[[]*string](o, name, "a list of strings")
	if given == nil {
		return nil
	}
	all := make([]string, len(*given))
	for i, s := range *given {
		if s == nil {
			o.problems.Add(fmt.Sprintf("%s%s[%d]", o.at, name, i), "must be a string")
			continue
		}
		all[i] = *s
	}
	return &all
}
