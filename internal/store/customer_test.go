package store_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

func addCustomer(tx *store.Tx, c desk.Customer) (desk.Customer, error) {
	c.Version, c.CreatedAt, c.UpdatedAt = 1, tx.Now, tx.Now
	if c.Name == "" {
		c.Name = "C"
	}
	err := tx.AddCustomer(&c)
	return c, err
}

// A customer is stored as given, in its order. A change replaces it.
func TestCustomersAreKept(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, _ := newAccount(t, s, "Acme")
		crm := desk.HubSpot
		var full, empty desk.Customer
		fields := map[desk.FieldType]desk.CustomFieldID{}
		write(t, s, account.ID, func(tx *store.Tx) error {
			col, err := addCollection(tx, "chat", desk.ChatCollection)
			if err != nil {
				return err
			}
			for _, kind := range desk.FieldTypes {
				f, err := addCustomField(tx, kind, "a", "b", "c")
				if err != nil {
					return err
				}
				fields[kind] = f.ID
			}
			full, err = addCustomer(tx, desk.Customer{
				Name: "Harbor", Owner: ptr("U1"), Domains: []string{"z.example", "a.example"}, Channels: []string{"C9", "C1"}, Revisit: true,
				PortalEnabled: true, PortalForAll: true, PortalUsers: []desk.PortalUser{{Email: "Zo@a.example", Role: desk.PortalMember}, {Email: "al@a.example", Role: desk.PortalAdmin}},
				Collection: &col.ID, ExternalSystem: &crm, ExternalEntity: ptr("E"), ExternalDeal: ptr("D"),
				Values: desk.FieldValues{
					fields[desk.FieldSelect]:      {Type: desk.FieldSelect, Options: []desk.OptionID{2}},
					fields[desk.FieldMultiSelect]: {Type: desk.FieldMultiSelect, Options: []desk.OptionID{3, 1}},
					fields[desk.FieldText]:        {Type: desk.FieldText, Text: "漢字 '\"\\ \n"},
					fields[desk.FieldNumber]:      {Type: desk.FieldNumber, Text: "-9007199254740993.50"},
					fields[desk.FieldDate]:        {Type: desk.FieldDate, Text: "1969-12-31"},
					fields[desk.FieldUser]:        {Type: desk.FieldUser, Text: "U1"},
				},
			})
			if err != nil {
				return err
			}
			empty, err = addCustomer(tx, desk.Customer{Name: "Fern"})
			return err
		})
		same := func(want ...desk.Customer) {
			t.Helper()
			read(t, s, account.ID, func(tx *store.Tx) error {
				l, err := tx.Customers(desk.CustomerQuery{Reach: desk.Everything, Page: desk.Page{Ascending: true}})
				if err != nil || !reflect.DeepEqual(l.Items, want) {
					t.Errorf("listed %+v, %v\nwant %+v", l.Items, err, want)
				}
				ids := []desk.CustomerID{999999}
				for _, w := range want {
					if got, err := tx.Customer(w.ID); err != nil || !reflect.DeepEqual(got, w) {
						t.Errorf("got %+v, %v\nwant %+v", got, err, w)
					}
					ids = append(ids, w.ID)
				}
				named, err := tx.CustomersNamed(ids)
				if err != nil || len(named) != len(want) || !reflect.DeepEqual(named[want[0].ID], want[0]) {
					t.Errorf("named %+v, %v", named, err)
				}
				return nil
			})
		}
		same(full, empty)
		// Values that can be filtered on have their own columns.
		for field, want := range map[desk.FieldType]string{
			desk.FieldText:   `value_length="8" value_number="<nil>" value_day="<nil>" value_user="<nil>" `,
			desk.FieldNumber: `value_length="<nil>" value_number="-9.007199254740994e+15" value_day="<nil>" value_user="<nil>" `,
			desk.FieldDate:   `value_length="<nil>" value_number="<nil>" value_day="-86400000" value_user="<nil>" `,
			desk.FieldUser:   `value_length="<nil>" value_number="<nil>" value_day="<nil>" value_user="U1" `,
			desk.FieldSelect: `value_length="<nil>" value_number="<nil>" value_day="<nil>" value_user="<nil>" `,
		} {
			got := rows(t, s, "SELECT value_length, value_number, value_day, value_user FROM custom_field_values WHERE field_id = $1", fields[field])
			if !slices.Equal(got, []string{want}) {
				t.Errorf("%s: %q, want %q", field, got, want)
			}
		}

		c.move(time.Minute)
		was := full
		full.Name, full.Owner, full.Domains, full.Channels, full.Revisit = "Pine", nil, []string{"a.example", "b.example"}, []string{"C1"}, false
		full.PortalEnabled, full.PortalForAll, full.PortalUsers = false, false, []desk.PortalUser{{Email: "al@a.example", Role: desk.PortalMember}}
		full.Collection, full.ExternalSystem, full.ExternalEntity, full.ExternalDeal = nil, nil, nil, nil
		full.Version, full.UpdatedAt = 2, c.Now()
		full.Values = desk.FieldValues{
			fields[desk.FieldMultiSelect]: {Type: desk.FieldMultiSelect, Options: []desk.OptionID{1, 2, 3}},
			fields[desk.FieldText]:        was.Values[fields[desk.FieldText]],
			fields[desk.FieldNumber]:      {Type: desk.FieldNumber, Text: "1e-400"},
		}
		write(t, s, account.ID, func(tx *store.Tx) error { return tx.SaveCustomer(was, full) })
		same(full, empty)
		if err := s.Write(ctx, account.ID, func(tx *store.Tx) error { return tx.SaveCustomer(was, full) }); desk.KindOf(err) != desk.NotFound {
			t.Errorf("saved over a newer version: %v", err)
		}

		// The values of a removed field are no longer shown, and a removed
		// collection is no longer shown for its customers.
		write(t, s, account.ID, func(tx *store.Tx) error {
			if err := tx.RemoveCustomField(fields[desk.FieldMultiSelect]); err != nil {
				return err
			}
			col, err := addCollection(tx, "other", desk.ChatCollection)
			if err != nil {
				return err
			}
			placed := empty
			placed.Collection, placed.Version = &col.ID, 2
			if err := tx.SaveCustomer(empty, placed); err != nil {
				return err
			}
			empty.Version = 2
			return tx.RemoveCollection(col.ID)
		})
		full.Values = desk.FieldValues{fields[desk.FieldText]: full.Values[fields[desk.FieldText]], fields[desk.FieldNumber]: full.Values[fields[desk.FieldNumber]]}
		same(full, empty)
		// More values than one statement takes.
		var many []desk.OptionID
		for i := range desk.MostOptions {
			many = append(many, desk.OptionID(i+1))
		}
		next := empty
		next.Version, next.Values = 3, desk.FieldValues{}
		write(t, s, account.ID, func(tx *store.Tx) error {
			next.Values = desk.FieldValues{}
			for range 5 {
				f, err := addCustomField(tx, desk.FieldMultiSelect)
				if err != nil {
					return err
				}
				next.Values[f.ID] = desk.FieldValue{Type: desk.FieldMultiSelect, Options: many}
			}
			return tx.SaveCustomer(empty, next)
		})
		same(full, next)
	})
}

func TestCustomersAreFound(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, _ := newAccount(t, s, "Acme")
		crm, other := desk.HubSpot, desk.Salesforce
		var col desk.Collection
		write(t, s, account.ID, func(tx *store.Tx) (err error) {
			if col, err = addCollection(tx, "chat", desk.ChatCollection); err != nil {
				return err
			}
			for i, one := range []desk.Customer{
				{Name: "a", Domains: []string{"a.example", "x.example"}, ExternalSystem: &crm, ExternalEntity: ptr("1")},
				{Name: "b", Domains: []string{"b.example", "x.example", "y.example"}, Collection: &col.ID},
				{Name: "c", Domains: []string{"y.example"}, ExternalSystem: &other, ExternalEntity: ptr("1"), Collection: &col.ID},
				{Name: "d", ExternalEntity: ptr("1")},
			} {
				one.Version, one.CreatedAt, one.UpdatedAt = 1, tx.Now.Add(time.Duration(i)*time.Second), tx.Now
				if err := tx.AddCustomer(&one); err != nil {
					return err
				}
			}
			return nil
		})
		domains := func(operator string, values ...string) desk.CustomerFilter {
			return desk.CustomerFilter{Field: desk.ByDomains, Operator: operator, Values: values}
		}
		entity := func(system desk.CRM, id string) desk.CustomerFilter {
			return desk.CustomerFilter{Field: desk.ByExternalEntity, System: system, Entity: id}
		}
		for _, w := range []struct {
			want string
			q    desk.CustomerQuery
		}{
			{"abcd", desk.CustomerQuery{Reach: desk.Everything}},
			{"bc", desk.CustomerQuery{Reach: desk.Reach{IDs: []desk.CollectionID{col.ID}}}},
			{"", desk.CustomerQuery{}},
			{"ab", desk.CustomerQuery{Reach: desk.Everything, Filters: []desk.CustomerFilter{domains(desk.Overlaps, "x.example", "nowhere.example", "x.example")}}},
			{"b", desk.CustomerQuery{Reach: desk.Everything, Filters: []desk.CustomerFilter{domains(desk.ContainsAll, "x.example", "y.example", "x.example")}}},
			{"ab", desk.CustomerQuery{Reach: desk.Everything, Filters: []desk.CustomerFilter{domains(desk.ContainsAll, "x.example")}}},
			{"", desk.CustomerQuery{Reach: desk.Everything, Filters: []desk.CustomerFilter{domains(desk.ContainsAll, "x.example", "nowhere.example")}}},
			{"b", desk.CustomerQuery{Reach: desk.Reach{IDs: []desk.CollectionID{col.ID}}, Filters: []desk.CustomerFilter{domains(desk.Overlaps, "x.example")}}},
			{"a", desk.CustomerQuery{Reach: desk.Everything, Filters: []desk.CustomerFilter{entity(crm, "1")}}},
			{"c", desk.CustomerQuery{Reach: desk.Everything, Filters: []desk.CustomerFilter{{Field: desk.ByExternalCompany, System: other, Entity: "1"}, domains(desk.Overlaps, "y.example")}}},
			{"", desk.CustomerQuery{Reach: desk.Everything, Filters: []desk.CustomerFilter{entity(crm, "1"), entity(other, "1")}}},
		} {
			w.q.Ascending = true
			read(t, s, account.ID, func(tx *store.Tx) error {
				l, err := tx.Customers(w.q)
				got := ""
				for _, one := range l.Items {
					got += one.Name
				}
				if got != w.want {
					t.Errorf("%+v: %q, want %q", w.q, got, w.want)
				}
				return err
			})
		}
	})
}

// The customer of a new request is found by channel, then by the domain of the
// email. The oldest customer wins.
func TestCustomerFor(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, _ := newAccount(t, s, "Acme")
		var newer, older, free desk.Customer
		write(t, s, account.ID, func(tx *store.Tx) (err error) {
			// The older one has the higher id and the earlier time, because age
			// means when it was created.
			if newer, err = addCustomer(tx, desk.Customer{Domains: []string{"acme.example"}, Channels: []string{"C1"}}); err != nil {
				return err
			}
			older = desk.Customer{Name: "old", Domains: []string{"acme.example", "old.example"}, Version: 1, CreatedAt: tx.Now.Add(-time.Hour), UpdatedAt: tx.Now}
			if err = tx.AddCustomer(&older); err != nil {
				return err
			}
			free, err = addCustomer(tx, desk.Customer{Domains: []string{"gmail.com"}, Channels: []string{"C2"}})
			return err
		})
		for _, w := range []struct {
			channel, email string
			want           desk.CustomerID
		}{
			{"C1", "", newer.ID},
			{"C1", "jo@old.example", newer.ID}, // the channel counts more
			{"C9", "jo@ACME.Example", older.ID},
			{"", "jo@acme.example", older.ID},
			{"", "jo@old.example", older.ID},
			{"C2", "jo@acme.example", free.ID},
			{"", "jo@gmail.com", 0},
			{"C9", "jo@GMail.com", 0},
			{"", "jo@sub.acme.example", 0},
			{"", "acme.example", 0},
			{"", "", 0},
			{"C9", "jo@", 0},
			{"a\x00", "jo@\x00", 0},
			{"\xff", "jo@\xff", 0},
		} {
			read(t, s, account.ID, func(tx *store.Tx) error {
				got, err := tx.CustomerFor(w.channel, w.email)
				if got != w.want {
					t.Errorf("%q, %q: %d, want %d", w.channel, w.email, got, w.want)
				}
				return err
			})
		}
		// At the same time, the one with the lower id wins.
		write(t, s, account.ID, func(tx *store.Tx) error {
			var first desk.CustomerID
			for i := range 2 {
				one, err := addCustomer(tx, desk.Customer{Domains: []string{"same.example"}})
				if err != nil {
					return err
				}
				if i == 0 {
					first = one.ID
				}
			}
			got, err := tx.CustomerFor("", "jo@same.example")
			if err == nil && got != first {
				err = fmt.Errorf("got %d, want %d", got, first)
			}
			return err
		})
	})
}
