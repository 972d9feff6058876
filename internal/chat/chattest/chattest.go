// Package chattest is the suite that every chat connector passes. It knows
// connectors only by their interface and a system only as people use it: see World.
// Its own tests have a small chat system in memory that differs from Slack, to prove
// that the interface fits more than one system.
package chattest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"frontdesk/internal/chat"
)

// Open makes a new world for a test and removes it when the test ends.
type Open func(t *testing.T) *World

// Run checks the promises of chat.Connector, chat.Presence, chat.Finder and
// chat.Event, each in its own world.
func Run(t *testing.T, open Open) {
	for _, p := range proofs {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			p.prove(enter(t, open))
		})
	}
}

// proofs are the promises of a chat.System, each with its proof.
var proofs = []struct {
	name  string
	prove func(*room)
}{
	{"directory/pages", directoryPages},
	{"directory/person", personChanges},
	{"directory/team", teamChanges},
	{"directory/channel", channelChanges},
	{"join/public", joinPublic},
	{"join/private", joinPrivate},

	{"message/written", messageWritten},
	{"message/thread", messageInThread},
	{"message/hostile text", messageHostile},
	{"message/edited", messageEdited},
	{"message/removed", messageRemoved},
	{"message/reaction", messageReaction},
	{"message/told again", messageToldAgain},
	{"message/of another program", messageOfStranger},

	{"history/whole", historyWhole},
	{"history/pages", historyPages},
	{"history/thread", historyThread},
	{"history/newest", historyNewest},
	{"history/since", historySince},
	{"history/thread since", historyThreadSince},
	{"history/after a removed message", historyAfterRemoved},
	{"history/fills gaps", historyFillsGaps},

	{"post/channel", postChannel},
	{"post/thread", postThread},
	{"post/direct", postDirect},
	{"post/only", postOnly},
	{"post/persona", postPersona},
	{"post/by a person", postBy},
	{"post/content", postContent},
	{"post/hostile text", postHostile},
	{"post/refused", postRefused},
	{"post/echo before the answer", postEchoFirst},

	{"once/after success", onceAfterSuccess},
	{"once/never arrived", onceNeverArrived},
	{"once/answer lost at each step", func(r *room) { onceAtEachStep(r, DropAnswer) }},
	{"once/error at each step", func(r *room) { onceAtEachStep(r, ErrorAnswer) }},
	{"once/crash at each step", func(r *room) { onceAtEachStep(r, LateAnswer) }},
	{"once/crash at each keep", onceAtEachKeep},
	{"once/far behind", onceFarBehind},
	{"once/edited since", onceEditedSince},
	{"once/many at a time", onceManyAtATime},
	{"once/same words twice", onceSameWords},
	{"once/forged", onceForged},

	{"file/in", fileIn},
	{"file/out", fileOut},
	{"file/large", fileLarge},
	{"file/empty", fileEmpty},
	{"file/cannot be opened", fileCannotBeOpened},

	{"edit/content", editContent},
	{"edit/removal", editRemoval},
	{"edit/not ours", editNotOurs},
	{"react/twice", reactTwice},

	{"form/button", formButton},
	{"form/submission", formSubmission},
	{"form/rejection", formRejection},
	{"form/trigger", formTrigger},

	{"presence", presence},

	{"error/not found", errorNotFound},
	{"error/lost", errorLost},
	{"error/person lost", errorPersonLost},
	{"error/busy", errorBusy},
	{"error/pause", errorPause},
	{"error/unknown outcome", errorUnknown},
	{"error/cancelled", errorCancelled},
	{"concurrent", concurrent},
}

// room is a world and one of its channels, with everybody in it.
type room struct {
	*World
	t       *testing.T
	ctx     context.Context
	channel string

	owner, agent, customer Person
}

func enter(t *testing.T, open Open) *room {
	t.Helper()
	w := open(t)
	if len(w.People) < 3 {
		t.Fatal("a world has at least three people")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	t.Cleanup(cancel)
	t.Cleanup(func() { w.Inbox.check(t, w) })
	r := &room{World: w, t: t, ctx: ctx, owner: w.People[0], agent: w.People[1], customer: w.People[2]}
	r.channel = r.open("lobby")
	return r
}

// open makes a public channel with everybody in it.
func (r *room) open(name string) string {
	r.t.Helper()
	id, err := r.Office.Open(name, false, r.agent.ID, r.customer.ID, r.Bot)
	r.must(err)
	return id
}

func (r *room) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// say makes a person write at the top level of the channel.
func (r *room) say(p Person, text string) chat.Ref {
	r.t.Helper()
	return r.reply(p, "", text)
}

func (r *room) reply(p Person, thread, text string, files ...File) chat.Ref {
	r.t.Helper()
	at, err := p.Say(r.channel, thread, text, files...)
	r.must(err)
	return at
}

// reads returns what the channel shows to a person.
func (r *room) reads(p Person, channel string) []Shown {
	r.t.Helper()
	all, err := p.Read(channel)
	r.must(err)
	return all
}

// sees returns a message as a person sees it.
func (r *room) sees(p Person, at chat.Ref) Shown {
	r.t.Helper()
	all := r.reads(p, at.Channel)
	for _, m := range all {
		if m.Ref == at {
			return m
		}
	}
	r.t.Fatalf("%s does not see %v but %+v", p.Name, at, all)
	panic("unreachable")
}

// count returns how many messages with a text the channel shows to a person.
func (r *room) count(p Person, channel, text string) (n int) {
	r.t.Helper()
	for _, m := range r.reads(p, channel) {
		if m.Text == text {
			n++
		}
	}
	return n
}

// heard waits for the event of a message before any edit.
func (r *room) heard(at chat.Ref) *chat.Message {
	r.t.Helper()
	return r.Inbox.event(r.t, fmt.Sprintf("the message %v", at), func(e chat.Event) bool {
		return e.Message != nil && e.Message.Ref == at && e.Message.EditedAt.IsZero()
	}).Message
}

// senderOf returns the name that a message is reported to be shown under: its own, or
// that of its author in the directory.
func (r *room) senderOf(m chat.Message) string {
	r.t.Helper()
	if m.Shown.Name != "" {
		return m.Shown.Name
	}
	for cursor := ""; ; {
		page, err := r.Connector.Directory(r.ctx, chat.People, cursor)
		r.must(err)
		for _, u := range page.Users {
			if u.ID == m.Author {
				return u.Name
			}
		}
		if cursor = page.Next; cursor == "" {
			return ""
		}
	}
}

// sameSender fails the test if the event or the history of a message names another
// sender than people see.
func (r *room) sameSender(at chat.Ref) {
	r.t.Helper()
	seen := r.sees(r.customer, at).Author
	if got := r.senderOf(*r.heard(at)); got == "" || got != seen {
		r.t.Errorf("a message is told as sent by %q, people see %q", got, seen)
	}
	for _, m := range r.history(chat.Span{Channel: at.Channel}) {
		if got := r.senderOf(m); m.Ref == at && got != seen {
			r.t.Errorf("the history has a message as sent by %q, people see %q", got, seen)
		}
	}
}

// history returns everything at a channel's top level or in a thread, page by page.
// It uses a fresh connector, which has made no calls yet, so that pacing does not
// slow the suite down.
func (r *room) history(s chat.Span) (all []chat.Message) {
	r.t.Helper()
	c := r.Restart()
	for {
		page, err := c.History(r.ctx, s)
		r.must(err)
		all = append(all, page.Messages...)
		if !page.More {
			return all
		}
		if len(page.Messages) == 0 {
			r.t.Fatalf("a page of %+v says that there is more and has nothing", s)
		}
		last := page.Messages[len(page.Messages)-1].ID
		if last == s.After {
			r.t.Fatalf("a page of %+v ends where it began", s)
		}
		s.After = last
	}
}

// directory returns a part of the directory, page by page.
func (r *room) directory(part chat.Part) (all chat.Directory, pages int) {
	r.t.Helper()
	for cursor := ""; ; pages++ {
		page, err := r.Connector.Directory(r.ctx, part, cursor)
		r.must(err)
		all.Users = append(all.Users, page.Users...)
		all.Teams = append(all.Teams, page.Teams...)
		all.Channels = append(all.Channels, page.Channels...)
		if page.Next == "" {
			return all, pages + 1
		}
		if page.Next == cursor || pages > 1000 {
			r.t.Fatalf("the pages of %s do not end", part)
		}
		cursor = page.Next
	}
}

func (r *room) misbehave(f Fault) {
	r.t.Helper()
	r.must(r.Misbehave(f))
}
