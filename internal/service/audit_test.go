package service

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/worker"
)

// done returns the audit log's entries from a source, after the first ones, such as
// "chat Maya message.created".
func (c *company) done(source desk.Source) (all []string) {
	c.t.Helper()
	var p desk.Page
	p.Ascending, p.Limit = true, 100
	for more := true; more; more = p.From != nil {
		l, err := c.AuditLogs(ctx, c.caller(), desk.AuditLogFilter{}, p)
		must(c.t, err)
		for _, e := range l.Items {
			if e.Actor.Source != source {
				continue
			}
			all = append(all, e.Actor.Name+" "+e.Action)
			if e.Actor.ID != 0 || e.ResourceID == "" || e.ResourceType == "" || e.Actor.IP != "" {
				c.t.Errorf("%s is recorded as %+v", e.Action, e)
			}
			if strings.HasPrefix(e.Action, "message.") && (!strings.Contains(string(e.Before)+string(e.After), `"request_id":`) || strings.Contains(string(e.Before)+string(e.After), "text")) {
				c.t.Errorf("%s: before %s, after %s", e.Action, e.Before, e.After)
			}
		}
		p.From = l.Next
	}
	return all
}

// What people do in the chat system is in the audit log under their names: writing,
// editing, removing, reacting and pressing buttons.
func TestAuditOfChat(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h := newHelpdesk(w, nil)
		var want []string
		// next waits for the entries of one action and checks that there are no
		// others.
		next := func(entries ...string) {
			t.Helper()
			want = append(want, entries...)
			become(t, fmt.Sprintf("%q in the audit log", want), func() []string { return h.done(desk.SourceChat) }, func(got []string) bool { return slices.Equal(got, want) })
			h.rests()
			if got := h.done(desk.SourceChat); !slices.Equal(got, want) {
				t.Errorf("audit log %q, want %q", got, want)
			}
		}
		oskar, maya, priya := h.nameOf(h.oskar), h.nameOf(h.maya), h.nameOf(h.priya)
		greeting := h.says(h.oskar, h.help, "good morning")
		next(oskar + " message.created")
		h.reacts(h.oskar, h.help, greeting.TS, "pushpin")
		next(oskar + " request.created")
		card := h.card(0)
		h.reacts(h.oskar, h.help, greeting.TS, "rotating_light")
		next(oskar + " request.updated")
		reply := h.replies(h.priya, h.help, greeting.TS, "Good morning, what is it?")
		next(priya+" request.updated", priya+" message.created")
		note := h.replies(h.priya, card.Channel, card.Message, "// odd")
		next(priya + " message.created")
		_, err := h.box.As(h.priya).Edit(ctx, card.Channel, note.TS, "// very odd")
		must(t, err)
		next(priya + " message.updated")
		must(t, h.box.As(h.priya).Delete(ctx, h.help, reply.TS))
		next(priya + " message.deleted")
		must(t, h.press(h.maya, card, worker.ButtonTake))
		next(maya + " request.updated")
		h.reacts(h.maya, h.help, greeting.TS, "ticket")
		next(maya + " ticket.created")
		h.reacts(h.maya, h.help, greeting.TS, "white_check_mark")
		next(maya + " request.updated")
	})
}

// nameOf returns a chat user's name.
func (h *helpdesk) nameOf(user string) string {
	h.t.Helper()
	l, err := h.Users(ctx, h.caller(), desk.UserQuery{IDs: []string{user}})
	must(h.t, err)
	return l.Items[0].Name
}

// Comments and changes on a linked ticket are in the audit log, under the name of
// their author, or of the system if it does not report the author.
func TestAuditOfLinkedTickets(t *testing.T) {
	eachLinkedDesk(t, func(t *testing.T, d *linkedDesk) {
		d.connects()
		d.links(nil)
		d.rests()
		system := d.there.kind().SystemName()
		d.there.says("It is the driver", true)
		become(t, "the comment in the audit log", func() []string { return d.done(desk.SourceTracker) }, func(got []string) bool {
			return slices.ContainsFunc(got, func(e string) bool {
				return strings.HasSuffix(e, " message.created") && !strings.HasPrefix(e, system)
			})
		})
		d.there.sets(true)
		become(t, "the change in the audit log", func() []string { return d.done(desk.SourceTracker) }, func(got []string) bool {
			return slices.Contains(got, system+" request.updated")
		})
		// The link itself was made here, and its entry names the request.
		l, err := d.AuditLogs(ctx, d.caller(), desk.AuditLogFilter{ResourceType: "Ticket"}, desk.Page{})
		must(t, err)
		want := fmt.Sprintf(`"request_id":%d,"is_task":false,`, d.requests()[0].ID)
		if len(l.Items) != 1 || l.Items[0].Action != "ticket.linked" || !strings.Contains(string(l.Items[0].After), want) || l.Items[0].Actor.ID == 0 {
			t.Errorf("%+v, want %s in it", l.Items, want)
		}
	})
}
