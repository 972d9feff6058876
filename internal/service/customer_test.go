package service

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
	"pgregory.net/rapid"
)

func (c *company) newCustomer(parts desk.CustomerParts) desk.Customer {
	c.t.Helper()
	if parts.Name == nil {
		parts.Name = ptr("C")
	}
	cust, err := c.CreateCustomer(ctx, c.caller(), desk.NewCustomer{CustomerParts: parts})
	must(c.t, err)
	return cust
}

// If several take a channel at the same time, one of them gets it.
func TestAChannelIsOneCustomers(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := companyAt(t, url)
		processes := []*Service{c.Service, c.another().Service, c.another().Service}
		chat := c.newCollection("chat", desk.ChatCollection)
		old := c.newCustomer(desk.CustomerParts{})
		for round := range 15 {
			id := fmt.Sprint("C", round)
			c.addChannels(id)
			before, err := c.Customer(ctx, c.caller(), old.ID)
			must(t, err)
			list := append(slices.Clone(before.Channels), id)
			takes := []func(*Service) error{
				func(s *Service) error {
					return errOf(s.CreateCustomer(ctx, c.caller(), desk.NewCustomer{CustomerParts: desk.CustomerParts{Name: ptr("new"), Channels: &[]string{id}}}))
				},
				func(s *Service) error {
					return errOf(s.UpdateCustomer(ctx, c.caller(), old.ID, desk.CustomerChange{Version: before.Version, CustomerParts: desk.CustomerParts{Channels: &list}}))
				},
				func(s *Service) error {
					return errOf(s.AddChannels(ctx, c.caller(), chat.ID, desk.NewChannels{Channels: []desk.NewChannel{{ID: id, Customer: &desk.ChannelCustomer{New: &desk.NewCustomer{}}}}}))
				},
			}
			errs := make([]error, len(processes))
			var all sync.WaitGroup
			for i, s := range processes {
				all.Go(func() { errs[i] = takes[(i+round)%len(takes)](s) })
			}
			all.Wait()
			won := 0
			for _, err := range errs {
				if err == nil {
					won++
				} else if desk.KindOf(err) != desk.Invalid {
					t.Fatal(err)
				}
			}
			if won != 1 {
				t.Errorf("round %d: %d got the channel: %v", round, won, errs)
			}
		}
		if n := c.rows("customer_channels"); n != 15 {
			t.Errorf("%d channels belong to customers, want 15", n)
		}
	})
}

// When a customer gets a collection, its channels move there and the bot joins
// them. A refused change moves nothing.
func TestACustomersChannelsAreJoined(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := companyAt(t, url)
		c.addChannels("C1", "C2", "C3")
		chat, api := c.newCollection("chat", desk.ChatCollection), c.newCollection("api", desk.APICollection)
		cust := c.newCustomer(desk.CustomerParts{Channels: &[]string{"C2", "C1"}, Collection: desk.Just(chat.ID)})
		if got := c.joins(); !slices.Equal(got, []string{"C2", "C1"}) {
			t.Errorf("the bot is to join %v", got)
		}
		_, err := c.UpdateCustomer(ctx, c.caller(), cust.ID, desk.CustomerChange{Version: 1, CustomerParts: desk.CustomerParts{Channels: &[]string{"C3"}, Collection: desk.Just(api.ID)}})
		wantKind(t, err, desk.Invalid)
		_, err = c.UpdateCustomer(ctx, c.caller(), cust.ID, desk.CustomerChange{Version: 1, CustomerParts: desk.CustomerParts{Name: ptr("X"), Collection: desk.Just(chat.ID)}})
		must(t, err)
		if got := c.joins(); !slices.Equal(got, []string{"C2", "C1"}) {
			t.Errorf("the bot is to join %v", got)
		}
	})
}

// A full collection refuses a customer's channels.
func TestACustomerFindsNoRoom(t *testing.T) {
	c := newCompany(t)
	chat := c.newCollection("chat", desk.ChatCollection)
	must(t, c.store.Write(ctx, c.account.ID, func(tx *store.Tx) error {
		for i := range desk.MostChannels - 1 {
			if _, err := tx.Exec(`INSERT INTO channels (account_id, channel_id, name, is_private, is_archived, is_member, is_gone, revision, collection_id, is_active, created_at, updated_at)
				VALUES ($1, $2, $2, FALSE, FALSE, FALSE, FALSE, 1, $3, TRUE, $4, $4)`, c.account.ID, fmt.Sprint("X", i), chat.ID, tx.Now.UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	}))
	c.addChannels("C1", "C2")
	_, err := c.CreateCustomer(ctx, c.caller(), desk.NewCustomer{CustomerParts: desk.CustomerParts{Name: ptr("A"), Channels: &[]string{"C1", "C2"}, Collection: desk.Just(chat.ID)}})
	wantKind(t, err, desk.Invalid)
	c.newCustomer(desk.CustomerParts{Channels: &[]string{"C1"}, Collection: desk.Just(chat.ID)})
}

// The number of a customer's channels is limited, however they are added.
func TestACustomerIsFull(t *testing.T) {
	c := newCompany(t)
	chat := c.newCollection("chat", desk.ChatCollection)
	var ids []string
	for i := range desk.MostCustomerChannels {
		ids = append(ids, fmt.Sprint("C", i))
	}
	c.addChannels(append(ids, "D1", "D2")...)
	rest := ids[1:]
	cust := c.newCustomer(desk.CustomerParts{Channels: &rest})
	give := func(ids ...string) error {
		n := channelsNamed(ids...)
		for i := range n.Channels {
			n.Channels[i].Customer = &desk.ChannelCustomer{ID: cust.ID}
		}
		return errOf(c.AddChannels(ctx, c.caller(), chat.ID, n))
	}
	wantKind(t, give("D1", "D2"), desk.Invalid)
	must(t, give("D1"))
	wantKind(t, give("D2"), desk.Invalid)
}

// More values than there can be fields are refused without a look-up.
func TestTooManyValues(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := companyAt(t, url)
		in := desk.FieldInput{}
		for i := range 100_000 {
			in[strconv.Itoa(i+1)] = nil
		}
		_, err := c.CreateCustomer(ctx, c.caller(), desk.NewCustomer{CustomerParts: desk.CustomerParts{Name: ptr("A"), Values: in}})
		wantKind(t, err, desk.Invalid)
	})
}

// fieldWorld is an account whose fields and values change at random.
type fieldWorld struct {
	*Service
	caller    Caller
	customers []desk.CustomerID
}

var fieldUsers = []string{"U1", "U2"}

func newFieldWorld(t testing.TB, s *Service) *fieldWorld {
	account, admin, err := s.NewAccount(ctx, "Acme", desk.NewMember{Email: "admin@acme.example"})
	must(t, err)
	w := &fieldWorld{Service: s, caller: Caller{Account: account.ID, Role: desk.Admin, Scope: desk.ReadWrite, Actor: desk.Actor{ID: admin.ID, Source: desk.SourceAPI}}}
	must(t, s.store.Write(ctx, account.ID, func(tx *store.Tx) error {
		var told []store.Report[desk.User]
		for _, id := range fieldUsers {
			told = append(told, store.Report[desk.User]{Is: desk.User{ID: id}, Revision: 1})
		}
		_, err := tx.PutUsers(told, tx.Now)
		return err
	}))
	for range 2 {
		cust, err := s.CreateCustomer(ctx, w.caller, desk.NewCustomer{CustomerParts: desk.CustomerParts{Name: ptr("C")}})
		must(t, err)
		w.customers = append(w.customers, cust.ID)
	}
	return w
}

func (w *fieldWorld) fields(t *rapid.T) []desk.CustomField {
	all, err := w.CustomFields(ctx, w.caller, desk.EntityCustomer)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// field draws one of the fields, and creates one if there is none.
func (w *fieldWorld) field(t *rapid.T) desk.CustomField {
	if len(w.fields(t)) == 0 {
		w.create(t)
	}
	return rapid.SampledFrom(w.fields(t)).Draw(t, "field")
}

func refusedOnly(t *rapid.T, err error) {
	if err != nil && desk.KindOf(err) != desk.Invalid {
		t.Fatal(err)
	}
}

// value draws a value that a field may or may not accept.
func value(t *rapid.T, f desk.CustomField) any {
	id := rapid.Map(rapid.IntRange(1, 6), strconv.Itoa)
	switch f.Type {
	case desk.FieldSelect:
		return id.Draw(t, "option")
	case desk.FieldMultiSelect:
		return rapid.SliceOfNDistinct(id, 0, 4, rapid.ID[string]).Draw(t, "options")
	case desk.FieldText:
		return strings.Repeat("漢", rapid.IntRange(0, 12).Draw(t, "length"))
	case desk.FieldNumber:
		return json.Number(rapid.SampledFrom([]string{"0", "-1.50", "1e3", "1e999", "9007199254740993"}).Draw(t, "number"))
	case desk.FieldDate:
		return rapid.SampledFrom([]string{"2026-05-13", "2026-02-30", "0001-01-01"}).Draw(t, "date")
	case desk.FieldUser:
		return rapid.SampledFrom(append([]string{"U9"}, fieldUsers...)).Draw(t, "user")
	}
	return "files"
}

func (w *fieldWorld) create(t *rapid.T) {
	n := desk.NewCustomField{Name: "F", Type: rapid.SampledFrom(desk.FieldTypes).Draw(t, "type"), Entity: desk.EntityCustomer}
	n.Config.Options = &[]desk.GivenOption{{Value: "a"}, {Value: "b"}, {Value: "c"}}
	n.Config.MaxLength = ptr(rapid.IntRange(1, 12).Draw(t, "max length"))
	refusedOnly(t, errOf(w.CreateCustomField(ctx, w.caller, n)))
}

// change renames, removes, adds and shuffles options, and changes the limit.
func (w *fieldWorld) change(t *rapid.T) {
	f := w.field(t)
	ch := desk.CustomFieldChange{Name: "F", Type: f.Type}
	ch.Config.MaxLength = ptr(rapid.IntRange(1, 12).Draw(t, "max length"))
	options := []desk.GivenOption{}
	for _, o := range rapid.Permutation(f.Config.Options).Draw(t, "order") {
		if rapid.Bool().Draw(t, "kept") {
			options = append(options, desk.GivenOption{ID: ptr(o.ID.String()), Value: "o" + o.ID.String()})
		}
	}
	for i := range rapid.IntRange(0, 1).Draw(t, "new") {
		options = append(options, desk.GivenOption{Value: fmt.Sprint("new", i)})
	}
	ch.Config.Options = &options
	refusedOnly(t, errOf(w.UpdateCustomField(ctx, w.caller, f.ID, ch)))
}

func (w *fieldWorld) remove(t *rapid.T) {
	refusedOnly(t, errOf(w.DeleteCustomField(ctx, w.caller, w.field(t).ID)))
}

func (w *fieldWorld) set(t *rapid.T) {
	f := w.field(t)
	cust, err := w.Customer(ctx, w.caller, rapid.SampledFrom(w.customers).Draw(t, "customer"))
	if err != nil {
		t.Fatal(err)
	}
	in := desk.FieldInput{strconv.FormatInt(int64(f.ID), 10): value(t, f)}
	if rapid.IntRange(0, 5).Draw(t, "clear") == 0 {
		in[strconv.FormatInt(int64(f.ID), 10)] = nil
	}
	after, err := w.UpdateCustomer(ctx, w.caller, cust.ID, desk.CustomerChange{Version: cust.Version, CustomerParts: desk.CustomerParts{Values: in}})
	refusedOnly(t, err)
	// Fields that were not named have not changed.
	for id, v := range cust.Values {
		if err == nil && id != f.ID && !after.Values[id].Equal(v) {
			t.Fatalf("field %d was not named, but changed from %v to %v", id, v, after.Values[id])
		}
	}
}

// check is the property: every shown value belongs to an existing field, and is
// valid or names options that the field has removed.
func (w *fieldWorld) check(t *rapid.T) {
	fields := map[desk.CustomFieldID]desk.CustomField{}
	for _, f := range w.fields(t) {
		fields[f.ID] = f
	}
	l, err := w.Customers(ctx, w.caller, desk.CustomerQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, cust := range l.Items {
		for id, v := range cust.Values {
			f, ok := fields[id]
			if !ok || f.Type != v.Type {
				t.Fatalf("value %v in the field %d, which is %+v", v, id, f)
			}
			offered := v
			offered.Options = nil
			for _, o := range v.Options {
				switch {
				case slices.ContainsFunc(f.Config.Options, func(have desk.FieldOption) bool { return have.ID == o }):
					offered.Options = append(offered.Options, o)
				case o < 1 || o > f.Config.LastOption:
					t.Fatalf("option %d of the field %+v never existed", o, f)
				}
			}
			if v.Type == desk.FieldSelect && offered.Options == nil {
				continue // its option was removed
			}
			if _, err := f.Check(offered.JSON()); err != nil {
				t.Fatalf("%v in the field %+v: %v", v, f, err)
			}
		}
	}
}

func TestValuesStayValid(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		w := newFieldWorld(t, companyAt(t, url).Service)
		actions := map[string]func(*rapid.T){"create": w.create, "change": w.change, "remove": w.remove, "set": w.set}
		rapid.Check(t, func(t *rapid.T) {
			for _, f := range w.fields(t) { // from the run before; a new account for each run takes too long
				if _, err := w.DeleteCustomField(ctx, w.caller, f.ID); err != nil {
					t.Fatal(err)
				}
			}
			w.create(t)
			for _, name := range rapid.SliceOfN(rapid.SampledFrom([]string{"create", "change", "change", "remove", "set", "set", "set"}), 1, 12).Draw(t, "actions") {
				actions[name](t)
				w.check(t)
			}
		})
	})
}
