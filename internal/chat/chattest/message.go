package chattest

import (
	"errors"
	"net/url"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/chat"
)

// skew is how much a system's clock may differ from ours.
const skew = 5 * time.Second

func messageWritten(r *room) {
	before := time.Now()
	at := r.say(r.customer, "The printer is on fire")
	m := r.heard(at)
	after := time.Now()
	if m.Author != r.customer.ID || m.Thread != "" || m.Bot || m.Own || m.Mark != "" || len(m.Files) != 0 {
		r.t.Errorf("a person's message is %+v", m)
	}
	if got := read(m.HTML); got != "The printer is on fire" {
		r.t.Errorf("its text is %q (%q)", got, m.HTML)
	}
	if m.At.Before(before.Add(-skew)) || m.At.After(after.Add(skew)) {
		r.t.Errorf("it was written at %v, want between %v and %v", m.At, before, after)
	}
	if u, err := url.Parse(m.Link); err != nil || !u.IsAbs() {
		r.t.Errorf("its link is %q", m.Link)
	}
	second := r.heard(r.say(r.customer, "Now the desk too"))
	if !second.At.After(m.At) {
		r.t.Errorf("the next message is of %v, not after %v", second.At, m.At)
	}
}

func messageInThread(r *room) {
	root := r.say(r.customer, "It does not print")
	reply := r.heard(r.reply(r.agent, root.ID, "Is it plugged in?"))
	if reply.Thread != root.ID || reply.Channel != r.channel || reply.Author != r.agent.ID {
		r.t.Errorf("a reply is %+v, want it in the thread %s", reply, root.ID)
	}
	if m := r.heard(root); m.Thread != "" {
		r.t.Errorf("what was answered is %+v, want it at the top level", m)
	}
	if later := r.heard(r.say(r.customer, "Another thing")); later.Thread != "" {
		r.t.Errorf("a message after a thread is %+v, want it at the top level", later)
	}
}

func messageHostile(r *room) {
	root := r.say(r.customer, "hostile")
	texts := map[chat.Ref]string{}
	for _, text := range hostile {
		texts[r.say(r.customer, text)] = text
		texts[r.reply(r.agent, root.ID, text)] = text
	}
	for at, text := range texts {
		if m := r.heard(at); !looksLike(read(m.HTML), text) {
			r.t.Errorf("told %q as %q, which reads %q", text, m.HTML, read(m.HTML))
		}
	}
	for _, s := range []chat.Span{{Channel: r.channel, After: root.ID}, {Channel: r.channel, Thread: root.ID, After: root.ID}} {
		all := r.history(s)
		if len(all) != len(hostile) {
			r.t.Fatalf("%d messages in %+v, want %d", len(all), s, len(hostile))
		}
		for _, m := range all {
			if !looksLike(read(m.HTML), texts[m.Ref]) {
				r.t.Errorf("the history has %q as %q, which reads %q", texts[m.Ref], m.HTML, read(m.HTML))
			}
		}
	}
}

func messageEdited(r *room) {
	at := r.say(r.customer, "I need a new moniter")
	r.heard(at)
	r.must(r.customer.Edit(at, "I need a new monitor"))
	m := r.Inbox.event(r.t, "the edit", func(e chat.Event) bool {
		return e.Message != nil && e.Message.Ref == at && !e.Message.EditedAt.IsZero()
	}).Message
	if read(m.HTML) != "I need a new monitor" || m.Author != r.customer.ID || m.Own || m.Bot || m.EditedAt.Before(m.At.Add(-skew)) {
		r.t.Errorf("an edited message is %+v", m)
	}
	all := r.history(chat.Span{Channel: r.channel})
	if len(all) != 1 || read(all[0].HTML) != "I need a new monitor" || all[0].EditedAt.Sub(m.EditedAt).Abs() > time.Second {
		r.t.Errorf("the history of an edited message is %+v, want it edited at %v, to the second", all, m.EditedAt)
	}
}

func messageRemoved(r *room) {
	root := r.say(r.customer, "a thread")
	alone := r.say(r.customer, "said too much")
	reply := r.reply(r.agent, root.ID, "and I as well")
	stays := r.reply(r.agent, root.ID, "not this")
	removed := func(at chat.Ref) *chat.Removed {
		return r.Inbox.event(r.t, "a removal", func(e chat.Event) bool { return e.Removed != nil && e.Removed.Ref == at }).Removed
	}
	r.must(r.customer.Delete(alone))
	if got := removed(alone); got.Thread != "" {
		r.t.Errorf("a message was removed at the top level, and told as %+v", got)
	}
	r.must(r.agent.Delete(reply))
	if got := removed(reply); got.Thread != root.ID {
		r.t.Errorf("a message was removed in the thread %s, and told as %+v", root.ID, got)
	}
	if all := r.history(chat.Span{Channel: r.channel}); len(all) != 1 || all[0].Ref != root {
		r.t.Errorf("the history after a removal is %+v", all)
	}
	if all := r.history(chat.Span{Channel: r.channel, Thread: root.ID}); len(all) != 2 || all[1].Ref != stays {
		r.t.Errorf("the thread after a removal is %+v", all)
	}
	// The first message of a thread may leave something behind, because its replies
	// stay. Its text must be gone.
	r.must(r.customer.Delete(root))
	removed(root)
	for _, m := range r.history(chat.Span{Channel: r.channel}) {
		if read(m.HTML) == "a thread" {
			r.t.Errorf("the history has a removed message: %+v", m)
		}
	}
}

func messageReaction(r *room) {
	at := r.say(r.customer, "Thank you")
	reacted := func(by Person, emoji string, on bool) {
		r.Inbox.event(r.t, "a reaction", func(e chat.Event) bool {
			return e.Reacted != nil && *e.Reacted == chat.Reacted{Ref: at, User: by.ID, Emoji: emoji, On: on}
		})
	}
	r.must(r.agent.React(at, "tada", true))
	reacted(r.agent, "tada", true)
	r.must(r.owner.React(at, "tada", true))
	r.must(r.agent.React(at, "eyes", true))
	all := r.history(chat.Span{Channel: r.channel})
	if len(all) != 1 || len(all[0].Reactions) != 2 {
		r.t.Fatalf("the history of reactions is %+v", all)
	}
	for _, got := range all[0].Reactions {
		want := map[string][]string{"tada": {r.agent.ID, r.owner.ID}, "eyes": {r.agent.ID}}[got.Emoji]
		if got.Count != len(want) || !same(got.Users, want...) {
			r.t.Errorf("the history has the reaction %+v, want %v", got, want)
		}
	}
	r.must(r.agent.React(at, "tada", false))
	reacted(r.agent, "tada", false)
	all = r.history(chat.Span{Channel: r.channel})
	if !slices.ContainsFunc(all[0].Reactions, func(got chat.Reaction) bool {
		return got.Emoji == "tada" && got.Count == 1 && same(got.Users, r.owner.ID)
	}) {
		r.t.Errorf("the history after a reaction was taken away is %+v", all)
	}
}

// We confirm an event to the system only when it is on disk. Until then the system
// must report it again.
func messageToldAgain(r *room) {
	var mu sync.Mutex
	tries := map[chat.Ref]int{}
	r.Inbox.answers(func(e chat.Event) error {
		if e.Message == nil {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		if tries[e.Message.Ref]++; tries[e.Message.Ref] == 1 {
			return errors.New("the disk is full")
		}
		return nil
	})
	for _, text := range []string{"one", "two", "three"} {
		at := r.say(r.customer, text)
		if m := r.heard(at); !looksLike(read(m.HTML), text) {
			r.t.Errorf("told again: %+v", m)
		}
	}
}

func messageOfStranger(r *room) {
	at, err := r.Stranger(r.channel, "I am a robot", "forged")
	r.must(err)
	all := r.history(chat.Span{Channel: r.channel})
	r.runs("the history", all, []chat.Ref{at})
	for _, m := range []chat.Message{*r.heard(at), all[0]} {
		if !m.Bot || m.Own || m.Mark != "" || read(m.HTML) != "I am a robot" {
			r.t.Errorf("another program's message is %+v", m)
		}
	}
	r.sameSender(at)
}
