package chattest

import (
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/chat"
)

func editContent(r *room) {
	p := r.draft("Open")
	p.Fields = []chat.Field{{Name: "State", Value: "new"}}
	p.Buttons = []chat.Button{{ID: "take", Label: "Take it"}, {ID: "close", Label: "Close"}}
	p.Colour = "#36c5f0"
	at := r.post(p)
	r.heard(at)
	next := chat.Content{HTML: written("Taken"), Fields: []chat.Field{{Name: "State", Value: "in work"}},
		Buttons: []chat.Button{{ID: "close", Label: "Close"}}, Colour: "#2eb67d"}
	for range 2 {
		r.must(r.Connector.Edit(r.ctx, at, &next))
	}
	got := r.sees(r.customer, at)
	if !strings.HasPrefix(got.Text, "Taken") || !strings.Contains(got.Text, "in work") || strings.Contains(got.Text, "new") ||
		fmt.Sprint(got.Buttons) != fmt.Sprint([]ShownButton{{Label: "Close"}}) || r.Can.Colours && !strings.EqualFold(got.Colour, next.Colour) {
		r.t.Errorf("people see %+v after an edit", got)
	}
	m := r.Inbox.event(r.t, "our edit", func(e chat.Event) bool {
		return e.Message != nil && e.Message.Ref == at && !e.Message.EditedAt.IsZero()
	}).Message
	if !m.Own || !m.Bot || r.Can.Marks && m.Mark != p.Mark {
		r.t.Errorf("our edit is told as %+v", m)
	}
	r.must(r.Connector.Edit(r.ctx, at, &chat.Content{HTML: written("Done")}))
	if got := r.sees(r.customer, at); got.Text != "Done" || len(got.Buttons) != 0 || got.Colour != "" {
		r.t.Errorf("people see %+v after an edit to a text alone", got)
	}
}

func editRemoval(r *room) {
	stays := r.post(r.draft("stays"))
	at := r.post(r.draft("goes"))
	for range 2 {
		r.must(r.Connector.Edit(r.ctx, at, nil))
	}
	r.Inbox.event(r.t, "our removal", func(e chat.Event) bool { return e.Removed != nil && e.Removed.Ref == at })
	r.runs("the history", r.history(chat.Span{Channel: r.channel}), []chat.Ref{stays})
	if all := r.reads(r.customer, r.channel); len(all) != 1 {
		r.t.Errorf("people see %+v after a removal", all)
	}
	direct := r.draft("goes as well")
	toPerson(r, &direct)
	at = r.post(direct)
	r.must(r.Connector.Edit(r.ctx, at, &chat.Content{HTML: written("changed")}))
	if got := r.sees(r.customer, at); got.Text != "changed" {
		r.t.Errorf("they see %+v after an edit", got)
	}
	r.must(r.Connector.Edit(r.ctx, at, nil))
	if n := len(r.reads(r.customer, at.Channel)); n != 0 {
		r.t.Errorf("they see %d direct messages after a removal", n)
	}
}

func editNotOurs(r *room) {
	at := r.say(r.customer, "mine")
	if err := r.Connector.Edit(r.ctx, at, &chat.Content{HTML: written("yours")}); err == nil {
		r.t.Error("somebody else's message could be edited")
	}
	if err := r.Connector.Edit(r.ctx, at, nil); err == nil {
		r.t.Error("somebody else's message could be removed")
	}
	if got := r.sees(r.customer, at); got.Text != "mine" {
		r.t.Errorf("people see %+v", got)
	}
}

func reactTwice(r *room) {
	at := r.say(r.customer, "Please look")
	for _, on := range []bool{true, false} {
		for range 2 {
			r.must(r.Connector.React(r.ctx, at, "eyes", on))
			if got := r.sees(r.customer, at); slices.Contains(got.Emoji, "eyes") != on {
				r.t.Errorf("people see the emoji %v, want eyes: %v", got.Emoji, on)
			}
		}
		told := r.Inbox.event(r.t, "our reaction", func(e chat.Event) bool {
			return e.Reacted != nil && e.Reacted.Ref == at && e.Reacted.On == on
		}).Reacted
		if told.User != r.Bot || told.Emoji != "eyes" {
			r.t.Errorf("our reaction is told as %+v", told)
		}
	}
	// Removing our reaction must leave those of others.
	r.must(r.agent.React(at, "white_check_mark", true))
	r.must(r.Connector.React(r.ctx, at, "white_check_mark", false))
	if got := r.sees(r.customer, at); !slices.Contains(got.Emoji, "white_check_mark") {
		r.t.Errorf("people see the emoji %v, want the agent's", got.Emoji)
	}
}
