package desk

import "fmt"

// CustomerQuery says which customers are wanted: those that match every filter and,
// if any ids are given, have one of them.
type CustomerQuery struct {
	Body
	IDs     []CustomerID // nil for any
	Filters []CustomerFilter
	Reach   Reach
	Page
}

const (
	// MostCustomerIDs bounds the ids in a query.
	MostCustomerIDs = 100
	// MostFilters bounds the filters of a query.
	MostFilters = 20
	// MostFilterValues bounds the domains in one filter.
	MostFilterValues = 100
)

// The fields that a filter can use.
const (
	ByDomains         = "domains"
	ByExternalEntity  = "external_entity"
	ByExternalCompany = "external_company" // another name for it, with other names for its fields
)

// The ways a filter compares domains.
const (
	Overlaps    = "overlaps"     // the customer has one of them
	ContainsAll = "contains_all" // the customer has all of them
)

// CustomerFilter is one filter. Which fields it uses depends on Field.
type CustomerFilter struct {
	Field    string
	Operator string   // for domains
	Values   []string // for domains
	System   CRM      // for an external entity
	Entity   string   // for an external entity
}

// Check returns what is wrong with the query, and normalises domains to the stored
// form.
func (q *CustomerQuery) Check() error {
	p := q.problems()
	if q.IDs != nil && q.From != nil {
		p.Add("ids", "cannot be combined with next_cursor")
	}
	if !p.atMost("ids", len(q.IDs), MostCustomerIDs) || !p.atMost("filters", len(q.Filters), MostFilters) {
		return p.Err()
	}
	for i := range q.Filters {
		q.Filters[i].check(&p, fmt.Sprintf("filters[%d].", i))
	}
	return p.Err()
}

func (f *CustomerFilter) check(p *Problems, at string) {
	switch f.Field {
	case ByDomains:
		OneOf(p, at+"operator", f.Operator, Overlaps, ContainsAll)
		if !p.oneTo(MostFilterValues, at+"values", len(f.Values)) {
			return
		}
		for i := range f.Values {
			p.Domain(fmt.Sprintf("%svalues[%d]", at, i), &f.Values[i])
		}
	case ByExternalEntity, ByExternalCompany:
		system, entity := "entity_type", "entity_id"
		if f.Field == ByExternalCompany {
			system, entity = "system", "id"
		}
		OneOf(p, at+system, f.System, CRMs...)
		p.Text(at+entity, &f.Entity, 0, MostExternalID)
	default:
		p.Add(at+"field", "must be one of %s, %s", ByDomains, ByExternalEntity)
	}
}
