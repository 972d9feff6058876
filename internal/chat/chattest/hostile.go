package chattest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/chat"
)

// RunHostile checks that nothing is lost or doubled while the system misbehaves. It
// tries one fault at a time, each in its own world.
func RunHostile(t *testing.T, open Open) {
	for _, f := range []Fault{
		{Kind: DropAnswer, Chance: 0.25},
		{Kind: LateAnswer, Chance: 0.25, Delay: time.Minute},
		{Kind: ErrorAnswer, Chance: 0.25},
		{Kind: RateLimit, Chance: 0.2, Delay: time.Second},
		{Kind: Down, Delay: 1500 * time.Millisecond},
	} {
		t.Run(string(f.Kind), func(t *testing.T) {
			t.Parallel()
			postsUnder(enter(t, open), f)
		})
	}
	for _, f := range []Fault{
		{Kind: DuplicateEvent},
		{Kind: ReorderEvent, Delay: 400 * time.Millisecond},
		{Kind: DelayEvent, Delay: 300 * time.Millisecond},
	} {
		t.Run(string(f.Kind), func(t *testing.T) {
			t.Parallel()
			eventsUnder(enter(t, open), f)
		})
	}
	t.Run(string(LoseEvent), func(t *testing.T) {
		t.Parallel()
		eventsLost(enter(t, open))
	})
}

// postsUnder posts as jobs do, several at a time, until everything is there. Then
// it checks that nothing else is.
func postsUnder(r *room, f Fault) {
	limit := r.limit()
	var posts []chat.Post
	for _, s := range shapes {
		for i := range 2 {
			posts = append(posts, s.post(r, fmt.Sprintf("%s, number %d", s.name, i)))
		}
	}
	before := len(r.reads(r.customer, r.channel))
	began := time.Now()
	r.misbehave(f)
	found, errs := make([]chat.Ref, len(posts)), make([]error, len(posts))
	next := make(chan int)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for i := range next {
				a := &attempt{room: r, post: posts[i]}
				found[i], errs[i] = a.insist(limit)
			}
		})
	}
	for i := range posts {
		next <- i
	}
	close(next)
	wait.Wait()
	if f.Kind == Down && time.Since(began) < f.Delay || f.Kind != Down && r.Struck() == 0 {
		r.t.Error("every post went well at once: the world does not misbehave")
	}
	r.misbehave(Fault{})
	direct := map[string]bool{}
	for i, p := range posts {
		if errs[i] != nil {
			r.t.Fatalf("%s was never posted: %v", p.Mark, errs[i])
		}
		r.once(found[i], p)
		direct[found[i].Channel] = true
	}
	total := -before
	for channel := range direct {
		total += len(r.reads(r.customer, channel))
	}
	if total != len(posts) {
		r.t.Errorf("%d messages are there, want the %d that were posted", total, len(posts))
	}
}

// happening is what an event must report, by its natural key.
type happening struct {
	chat.Ref
	what string // written, edited, removed, or a reaction
}

func happened(e chat.Event) happening {
	switch {
	case e.Message != nil && e.Message.EditedAt.IsZero():
		return happening{e.Message.Ref, "written"}
	case e.Message != nil:
		return happening{e.Message.Ref, "edited"}
	case e.Removed != nil:
		return happening{e.Removed.Ref, "removed"}
	case e.Reacted != nil:
		return happening{e.Reacted.Ref, fmt.Sprintf("%s %v by %s", e.Reacted.Emoji, e.Reacted.On, e.Reacted.User)}
	}
	return happening{}
}

// converse makes people and the connector say and change all sorts of things, and
// returns what must be reported, in order.
func (r *room) converse() (all []happening) {
	r.t.Helper()
	note := func(at chat.Ref, what string) chat.Ref {
		all = append(all, happening{at, what})
		return at
	}
	for i := range 3 {
		root := note(r.say(r.customer, fmt.Sprintf("question %d", i)), "written")
		reply := note(r.reply(r.agent, root.ID, fmt.Sprintf("answer %d", i)), "written")
		typo := note(r.reply(r.customer, root.ID, fmt.Sprintf("thnaks %d", i)), "written")
		secret := note(r.say(r.customer, fmt.Sprintf("password %d", i)), "written")
		p := r.draft(fmt.Sprintf("post %d", i))
		p.Thread = root.ID
		own := r.post(p)
		note(own, "written")
		r.must(r.customer.Edit(typo, fmt.Sprintf("thanks %d", i)))
		note(typo, "edited")
		r.must(r.customer.Delete(secret))
		note(secret, "removed")
		for _, on := range []bool{true, false, true} {
			r.must(r.customer.React(reply, "tada", on))
			note(reply, fmt.Sprintf("tada %v by %s", on, r.customer.ID))
		}
		r.must(r.agent.React(root, "eyes", true))
		note(root, "eyes true by "+r.agent.ID)
		r.must(r.agent.React(root, "eyes", false))
		note(root, "eyes false by "+r.agent.ID)
	}
	return all
}

// eventsUnder merges events that come twice, out of order or late. None is lost, so
// they alone must yield the state of the channel.
func eventsUnder(r *room, f Fault) {
	r.settle(r.channel)
	r.misbehave(f)
	must := r.converse()
	times := map[happening]int{}
	for _, h := range must {
		times[h]++
		if f.Kind == DuplicateEvent {
			times[h]++
		}
	}
	var told []chat.Event
	r.Inbox.await(r.t, "all that happened", func(events []chat.Event) bool {
		told = events
		counted := map[happening]int{}
		for _, e := range events {
			counted[happened(e)]++
		}
		for h, n := range times {
			if counted[h] < n {
				return false
			}
		}
		return true
	})
	r.misbehave(Fault{})
	k := newReader()
	var order []happening
	for _, e := range told {
		k.hear(e)
		if h := happened(e); times[h] > 0 {
			order = append(order, h)
		}
	}
	if got, want := k.content(r.channel), shown(r.reads(r.owner, r.channel)); got != want {
		r.t.Errorf("events give\n%s\nwant\n%s", got, want)
	}
	if f.Kind == ReorderEvent && slices.Equal(order, must) {
		r.t.Error("everything was told in order: the world does not misbehave")
	}
}

// eventsLost merges the events that arrive, and fills the gaps from the history.
func eventsLost(r *room) {
	r.settle(r.channel)
	r.misbehave(Fault{Kind: LoseEvent, Chance: 0.6})
	must := r.converse()
	r.misbehave(Fault{})
	r.settle(r.channel)
	events, _ := r.Inbox.now()
	k := newReader()
	told := map[happening]bool{}
	for _, e := range events {
		k.hear(e)
		told[happened(e)] = true
	}
	want := shown(r.reads(r.owner, r.channel))
	if k.content(r.channel) == want || !slices.ContainsFunc(must, func(h happening) bool { return !told[h] }) {
		r.t.Error("events alone give everything: the world does not misbehave")
	}
	k.fill(r, r.channel)
	if got := k.content(r.channel); got != want {
		r.t.Errorf("events and history give\n%s\nwant\n%s", got, want)
	}
}
