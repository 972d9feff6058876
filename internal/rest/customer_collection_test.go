package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// placesModel is a plain model of where customers and channels should be: the
// collection of each, or 0 for none.
type placesModel struct {
	channels  map[string]modelChannel
	customers []modelCustomer
}

type modelChannel struct {
	in     int64
	active bool
}

type modelCustomer struct {
	id       int64
	in       int64
	channels []string
}

func (m *placesModel) place(id string, in int64) { m.channels[id] = modelChannel{in, true} }

// holder returns the customer that a channel belongs to, or nil.
func (m *placesModel) holder(id string) *modelCustomer {
	for i := range m.customers {
		if slices.Contains(m.customers[i].channels, id) {
			return &m.customers[i]
		}
	}
	return nil
}

func (m *placesModel) takeAlong(c modelCustomer) {
	for _, id := range c.channels {
		if c.in != 0 && m.channels[id].in != c.in {
			m.place(id, c.in)
		}
	}
}

// give sets a customer's channels. A customer in no collection takes that of the
// new channels, unless its channels are in several.
func (m *placesModel) give(c *modelCustomer, channels []string) {
	gets, in := false, map[int64]bool{}
	for _, id := range channels {
		if ch := m.channels[id]; ch.active {
			in[ch.in] = true
			gets = gets || !slices.Contains(c.channels, id)
		}
	}
	c.channels = channels
	if c.in != 0 || !gets || len(in) != 1 {
		return
	}
	for one := range in {
		c.in = one
	}
	m.takeAlong(*c)
}

// move moves a channel. Its customer moves along if it is in no collection, or has
// no other active channel in the collection that the channel leaves.
func (m *placesModel) move(id string, to int64) {
	from := m.channels[id].in
	m.place(id, to)
	c := m.holder(id)
	if c == nil || c.in != 0 && c.in != from {
		return
	}
	for _, other := range c.channels {
		if ch := m.channels[other]; ch.active && (ch.in == c.in || c.in == 0 && ch.in != to) {
			return
		}
	}
	c.in = to
}

// places is a desk with the collections, channels and customers of the model.
type places struct {
	*frame
	model       placesModel
	collections []int64
	names       []string // the ids of the channels
}

func newPlaces(t *testing.T, db *sqldb.DB) *places {
	p := &places{frame: newFrame(t, db), names: []string{"C0", "C1", "C2", "C3", "C4"}, model: placesModel{channels: map[string]modelChannel{}}}
	p.must(p.store.Write(context.Background(), p.account.ID, func(tx *store.Tx) error {
		var told []store.Report[desk.Channel]
		for _, id := range p.names {
			p.model.channels[id] = modelChannel{}
			told = append(told, store.Report[desk.Channel]{Revision: 1, Is: desk.Channel{ID: id, Name: id}})
		}
		_, err := tx.PutChannels(told, tx.Now)
		return err
	}))
	for i := range 3 {
		var made struct{ Collection struct{ ID int64 } }
		p.ask(201, "POST", "collections", fmt.Sprintf(`{"name":"%d","kind":"chat"}`, i), &made)
		p.collections = append(p.collections, made.Collection.ID)
	}
	return p
}

// ask makes a call that must return the status.
func (p *places) ask(status int, method, path, body string, into any) {
	p.t.Helper()
	r := p.send(method, "/v1/rest/"+path, body)
	p.answered()
	if r.status != status {
		p.t.Fatalf("%s %s %s: got %v", method, path, body, r)
	}
	if into != nil {
		p.must(json.Unmarshal([]byte(r.body), into))
	}
}

// list returns what the API shows of all customers, oldest first.
func (p *places) list() []map[string]any {
	var l struct{ Customers []map[string]any }
	p.ask(200, "GET", "customers?limit=100&sort_order=asc", "", &l)
	return l.Customers
}

// look returns where everything is, according to the API.
func (p *places) look() placesModel {
	seen := placesModel{channels: map[string]modelChannel{}}
	for _, c := range p.list() {
		one := modelCustomer{id: int64(c["id"].(float64)), channels: []string{}}
		if in, ok := c["collection_id"].(float64); ok {
			one.in = int64(in)
		}
		for _, id := range c["channel_ids"].([]any) {
			one.channels = append(one.channels, id.(string))
		}
		seen.customers = append(seen.customers, one)
	}
	var l struct {
		Channels []struct {
			ID     string
			In     *int64 `json:"collection_id"`
			Status string
		}
	}
	p.ask(200, "GET", "channels?limit=100", "", &l)
	for _, ch := range l.Channels {
		one := modelChannel{active: ch.Status == "active"}
		if ch.In != nil {
			one.in = *ch.In
		}
		seen.channels[ch.ID] = one
	}
	return seen
}

// sendBack sends every customer back as the list shows it.
func (p *places) sendBack() {
	for _, c := range p.list() {
		body, err := json.Marshal(c)
		p.must(err)
		p.ask(200, "PATCH", fmt.Sprintf("customers/%v", c["id"]), string(body), nil)
	}
}

// free returns the channels that a customer may have: those that belong to nobody
// else.
func (p *places) free(c *modelCustomer) []string {
	list := []string{}
	for _, id := range p.names {
		if holder := p.model.holder(id); rand.IntN(2) == 0 && (holder == nil || holder == c) {
			list = append(list, id)
		}
	}
	return list
}

// step does something at random, here and in the model, and returns what it did.
func (p *places) step() string {
	m := &p.model
	to, id := p.collections[rand.IntN(len(p.collections))], p.names[rand.IntN(len(p.names))]
	text := func(v any) string { b, err := json.Marshal(v); p.must(err); return string(b) }
	var c *modelCustomer
	if len(m.customers) > 0 {
		c = &m.customers[rand.IntN(len(m.customers))]
	}
	patch := func(body string) string {
		var is struct{ Customer struct{ Version int64 } }
		p.ask(200, "GET", fmt.Sprintf("customers/%d", c.id), "", &is)
		p.ask(200, "PATCH", fmt.Sprintf("customers/%d", c.id), fmt.Sprintf(`{"version":%d,%s}`, is.Customer.Version, body), nil)
		return fmt.Sprintf("customer %d: %s", c.id, body)
	}
	switch kind := rand.IntN(7); {
	case c == nil || kind == 0 && len(m.customers) < 4:
		channels := p.free(nil)
		body := `{"name":"C","channel_ids":` + text(channels)
		made, next := struct{ Customer struct{ ID int64 } }{}, modelCustomer{channels: []string{}}
		if rand.IntN(2) == 0 {
			next.in, body = to, body+fmt.Sprintf(`,"collection_id":%d`, to)
		}
		p.ask(201, "POST", "customers", body+"}", &made)
		next.id = made.Customer.ID
		if m.give(&next, channels); next.in == to {
			m.takeAlong(next)
		}
		m.customers = append(m.customers, next)
		return body
	case kind <= 1:
		channels := p.free(c)
		did := patch(`"channel_ids":` + text(channels))
		m.give(c, channels)
		return did
	case kind == 2:
		did := patch(fmt.Sprintf(`"collection_id":%d`, to))
		c.in = to
		m.takeAlong(*c)
		return did
	case kind == 3 && rand.IntN(3) == 0:
		did := patch(`"collection_id":null`)
		c.in = 0
		return did
	case kind == 4:
		p.ask(204, "DELETE", "channels/"+id, "", nil)
		m.channels[id] = modelChannel{m.channels[id].in, false}
		return "delete " + id
	case kind == 5 && (!m.channels[id].active || m.channels[id].in == to):
		body := fmt.Sprintf(`{"channels":[{"id":%q}]}`, id)
		if m.holder(id) == nil {
			body = fmt.Sprintf(`{"channels":[{"id":%q,"customer":{"type":"existing","id":%d}}]}`, id, c.id)
			p.ask(201, "POST", fmt.Sprintf("collections/%d/channels", to), body, nil)
			from := c.in
			c.channels = append(c.channels, id)
			if from != 0 { // a customer in no collection had nothing to lose
				m.place(id, to)
				return body
			}
			m.move(id, to)
			return body
		}
		p.ask(201, "POST", fmt.Sprintf("collections/%d/channels", to), body, nil)
		if !m.channels[id].active || m.channels[id].in != to {
			m.move(id, to)
		}
		return body
	default:
		p.ask(200, "PATCH", "channels/"+id, fmt.Sprintf(`{"collection_id":%d}`, to), nil)
		if !m.channels[id].active || m.channels[id].in != to {
			m.move(id, to)
		}
		return fmt.Sprintf("move %s to %d", id, to)
	}
}

// Customers and their channels agree about the collection, whichever of them is
// moved. Once every customer was sent back as it was read, all its channels are in
// its collection, and sending all of them back again changes nothing.
func TestCustomersAndChannelsAgree(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		p := newPlaces(t, db)
		var did []string
		wanted := func(what string) {
			t.Helper()
			if seen := p.look(); !reflect.DeepEqual(seen, p.model) {
				t.Fatalf("%s: after %q\n is   %+v\n want %+v", what, did, seen, p.model)
			}
		}
		for n := range 60 {
			did = append(did, p.step())
			wanted("a change")
			if n%15 != 14 {
				continue
			}
			p.sendBack()
			for _, c := range p.model.customers {
				p.model.takeAlong(c)
			}
			wanted("sent back once")
			p.sendBack()
			wanted("sent back again")
		}
	})
}
