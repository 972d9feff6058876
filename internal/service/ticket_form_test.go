package service

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// newForm adds a form with fields for everyone.
func (c *company) newForm(keys ...desk.FormKey) desk.TicketForm {
	c.t.Helper()
	fields := make([]desk.FormField, len(keys))
	for i, key := range keys {
		fields[i] = desk.FormField{Key: key, Audience: desk.ForAll}
	}
	f, err := c.CreateTicketForm(ctx, c.caller(), desk.GivenForm{Name: ptr("Form"), Fields: &fields})
	must(c.t, err)
	return f
}

// traces returns everything that creating a request leaves behind, except ids and
// times.
func (h *helpdesk) traces(id desk.RequestID) (all []string) {
	h.t.Helper()
	must(h.t, h.store.DB().Read(ctx, func(tx *sqldb.Tx) (err error) {
		all, err = sqldb.Collect(tx, func(scan func(...any) error) (text string, err error) {
			var kind, place string
			var user *string
			var asBot bool
			err = scan(&kind, &place, &user, &asBot)
			return fmt.Sprint("post ", kind, " ", place, " ", user != nil, " ", asBot), err
		}, "SELECT kind, place, user_id, as_bot FROM posts WHERE request_id = $1 ORDER BY id", id)
		return err
	}))
	r, err := h.Request(ctx, h.caller(), id, RequestParts{Messages: true})
	must(h.t, err)
	all = append(all, fmt.Sprint(r.Title, *r.State, r.Priority, r.Author, r.Customer != nil, r.Assignee != nil, r.Collection, *r.Channel, r.Source, r.AI.Category != nil, len(r.Tickets)))
	for _, m := range r.Messages {
		all = append(all, fmt.Sprint("message ", m.HTML, m.Author, m.Responder, m.Private, m.Source, len(m.Attachments)))
	}
	for _, e := range h.events() {
		if name := `"url":"https://desk.example/requests/` + r.Key + `"`; strings.Contains(string(e.Data), name) && e.Type != desk.RequestUpdated {
			all = append(all, fmt.Sprint("event ", e.Type, e.Source))
		}
	}
	return all
}

// A ticket created with a form leaves the same behind as a request created without
// one: posts, notices, customer, assignee, suggestions and events.
func TestTicketWithAFormIsARequest(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		notify, assign := desk.NotifyDirect, desk.AssignRoundRobin
		h, tickets := newDesk(w, func(n *desk.NewCollection) { n.Settings.Notify, n.Settings.AutoAssign = &notify, &assign })
		_, err := h.CreateCustomer(ctx, h.caller(), desk.NewCustomer{CustomerParts: desk.CustomerParts{Name: ptr("Acme"), Domains: &[]string{"acme.example"}}})
		must(t, err)
		file := func(name string) desk.NewFile {
			f, err := h.StoreFile(ctx, h.caller(), name, "text/plain", strings.NewReader(name))
			must(t, err)
			return f
		}
		const description = "<p>The door does not open. It is urgent!</p>"
		plain, err := h.CreateRequest(ctx, h.caller(), desk.NewRequest{Description: description, Files: []desk.NewFile{file("a.txt")}})
		must(t, err)
		form := h.newForm(desk.FormTitle)
		formed, err := h.CreateTicket(ctx, h.caller(), desk.NewFormTicket{Form: form.ID, Description: description, Files: []desk.NewFile{file("a.txt")}})
		must(t, err)
		for _, id := range []desk.RequestID{plain.ID, formed.Request} {
			thread, card := h.posted(id)
			if thread.Channel != tickets || card.Channel != h.triage {
				t.Errorf("it is in %s and %s", thread.Channel, card.Channel)
			}
			become(t, "suggestions", func() []desk.Request {
				r, err := h.Request(ctx, h.caller(), id, RequestParts{})
				must(t, err)
				return []desk.Request{r}
			}, func(all []desk.Request) bool { return all[0].AI.Category != nil })
		}
		h.rests()
		want, got := h.traces(plain.ID), h.traces(formed.Request)
		if !slices.Equal(got, want) || len(want) < 8 {
			t.Errorf("with a form it leaves\n%s\nand without\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		r, err := h.Request(ctx, h.caller(), formed.Request, RequestParts{})
		must(t, err)
		if f := r.Tickets[0].Form; f == nil || *f != form.ID || r.Tickets[0].Key != formed.Key {
			t.Errorf("ticket: %+v", r.Tickets[0])
		}
	})
}
