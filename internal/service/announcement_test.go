package service

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/blob"
	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/sandbox"
	"frontdesk/internal/store"
	"frontdesk/internal/worker"
)

// newsroom is a helpdesk that makes announcements: what is written in one channel
// goes to several rooms.
type newsroom struct {
	*helpdesk
	drafts string
	rooms  []string
}

func newNewsroom(w *workplace, rooms int) *newsroom {
	w.t.Helper()
	n := &newsroom{helpdesk: newHelpdesk(w, nil)}
	names := []string{"drafts"}
	for i := range rooms {
		names = append(names, fmt.Sprintf("room-%d", i))
	}
	made := n.open(names...)
	n.drafts, n.rooms = made[0], made[1:]
	n.rests()
	return n
}

// open creates channels with our bot in them, and waits until the directory has
// them.
func (n *newsroom) open(names ...string) (rooms []string) {
	n.t.Helper()
	var lines []string
	for _, name := range names {
		c, err := n.box.As(n.workspace.Owner).CreateChannel(ctx, name, false)
		must(n.t, err)
		must(n.t, n.box.As(n.workspace.Owner).Invite(ctx, c.ID, n.bot(), n.maya, n.oskar))
		rooms, lines = append(rooms, c.ID), append(lines, channelLine(c.ID, name, false, false, true))
	}
	become(n.t, "the rooms", n.ourChannels, func(all []string) bool {
		return !slices.ContainsFunc(lines, func(line string) bool { return !slices.Contains(all, line) })
	})
	return rooms
}

// to returns channels as recipients.
func to(channels ...string) (all []desk.NamedRecipient) {
	for _, c := range channels {
		all = append(all, desk.NamedRecipient{Kind: desk.RecipientChannel, Channel: c})
	}
	return all
}

func (n *newsroom) drafted(text string) desk.ChatMessage {
	n.t.Helper()
	return desk.ChatMessage{Channel: n.drafts, Message: n.says(n.maya, n.drafts, text).TS}
}

// announcement returns a default announcement of a message.
func (n *newsroom) announcement(from desk.ChatMessage) desk.NewAnnouncement {
	return desk.NewAnnouncement{Source: from, Name: "News", Recipients: to(n.rooms...), Action: desk.SendNow, Sender: desk.Sender{Kind: desk.NativeSender}}
}

func (n *newsroom) announces(a desk.NewAnnouncement) desk.AnnouncementID {
	n.t.Helper()
	made, err := n.CreateAnnouncement(ctx, n.callerFor(a.Sender), a)
	must(n.t, err)
	return made.ID
}

// callerFor returns somebody who may announce as this sender: an admin, or the
// sender themselves if their own token is used.
func (n *newsroom) callerFor(s desk.Sender) Caller {
	n.t.Helper()
	c := n.caller()
	if s.AsUser {
		found, err := n.Users(ctx, c, desk.UserQuery{IDs: []string{s.User}})
		must(n.t, err)
		c.Actor.Email = found.Items[0].Email
	}
	return c
}

func (n *newsroom) shows(id desk.AnnouncementID) desk.Announcement {
	n.t.Helper()
	a, err := n.Announcement(ctx, n.caller(), id)
	must(n.t, err)
	return a.Announcement
}

// sent waits until an announcement has been sent, with a faster clock.
func (n *newsroom) sent(id desk.AnnouncementID) (a desk.Announcement) {
	n.t.Helper()
	n.hurryUntil("the end of sending", func() []string {
		a = n.shows(id)
		return []string{string(a.Status)}
	}, func(got []string) bool { return got[0] == "sent" })
	return a
}

// copiesIn returns our app's messages in a channel, as people see them.
func (n *newsroom) copiesIn(channel string) (all []sandbox.Message) {
	n.t.Helper()
	messages, err := n.box.As(n.workspace.Owner).History(ctx, channel, 100)
	must(n.t, err)
	for _, m := range slices.Backward(messages) {
		if m.AppID != "" || m.BotID != "" {
			all = append(all, m)
		}
	}
	return all
}

func (n *newsroom) textsIn(channel string) (all []string) {
	for _, m := range n.copiesIn(channel) {
		all = append(all, m.Text)
	}
	return all
}

// readOnce checks that each room shows a text once, in the message that we
// recorded.
func (n *newsroom) readOnce(a desk.Announcement, text string) {
	n.t.Helper()
	for _, r := range a.Recipients {
		got := n.copiesIn(r.Channel)
		if len(got) != 1 || got[0].Text != text || r.Status != desk.Delivered || got[0].TS != r.Message || r.Error != "" {
			n.t.Errorf("%+v: the room shows %+v", r, got)
		}
	}
}

// audited returns the audit log's entries about announcements, oldest first.
func (n *newsroom) audited() (all []string) {
	l, err := n.AuditLogs(ctx, n.caller(), desk.AuditLogFilter{ResourceType: "Announcement"}, desk.Page{Limit: 100, Ascending: true})
	must(n.t, err)
	for _, e := range l.Items {
		all = append(all, e.Action+" "+e.ResourceID)
	}
	return all
}

// toldOfSending returns what the feed reports about sending, once it has this many
// events.
func (n *newsroom) toldOfSending(times int) (all []string) {
	n.t.Helper()
	become(n.t, "the event", func() []string {
		all = nil
		for _, e := range n.events() {
			if e.Type == desk.AnnouncementSent {
				all = append(all, string(e.Data))
			}
		}
		return all
	}, func(got []string) bool { return len(got) >= times })
	return all
}

func TestAnnouncementIsDelivered(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		n := newNewsroom(w, 3)
		const text = "*Maintenance* on _Sunday_, <@%s>: see <https://status.example/x|the page> :tada:\n• `api`\n&gt; and <#%s|help>, <!here>"
		said := fmt.Sprintf(text, n.oskar, n.help)
		a := n.announcement(n.drafted(said))
		a.Recipients = append(to(n.rooms[0], n.help, n.rooms[0]), desk.NamedRecipient{Kind: desk.RecipientCollection, Collection: n.col.ID})
		a.Recipients = append(a.Recipients, to(n.rooms[1:]...)...)
		a.Unfurl = desk.Unfurl{Media: true}
		id := n.announces(a)
		sent := n.sent(id)
		// This compares what people see, not the markup: an emoji by its character,
		// and a channel's name as the chat system resolves it.
		n.readOnce(sent, strings.NewReplacer(":tada:", "🎉", "&gt; ", "> ", "|help>", ">").Replace(said))
		var order []string
		for _, r := range sent.Recipients {
			order = append(order, r.Channel)
			if through := r.Channel == n.help; through != (r.Collection != nil) || through && *r.Collection != n.col.ID {
				t.Errorf("%s is a recipient through collection %v", r.Channel, r.Collection)
			}
		}
		if want := []string{n.rooms[0], n.help, n.rooms[1], n.rooms[2]}; !slices.Equal(order, want) || sent.Channels != 4 || sent.Delivered != 4 || sent.Failed != 0 || sent.SentAt == nil {
			t.Errorf("recipients %q, want %q: %+v", order, want, sent)
		}
		if said := n.calls.saidLast("chat.postMessage"); !strings.Contains(said, "unfurl_links=false") || !strings.Contains(said, "unfurl_media=true") {
			t.Errorf("it was posted with %s", said)
		}
		if events := n.toldOfSending(1); len(events) != 1 || !strings.Contains(events[0], `"status":"sent"`) {
			t.Errorf("feed: %q", events)
		}
		if log := n.audited(); log[0] != fmt.Sprintf("announcement.created %d", id) || log[1] != fmt.Sprintf("announcement.viewed %d", id) {
			t.Errorf("audit log: %q", log)
		}
		// An announcement becomes neither a request nor anybody's message.
		n.rests()
		if got := n.lines(); len(got) != 0 {
			t.Errorf("there are requests: %q", got)
		}
	})
}

func TestAnnouncementSenders(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		n := newNewsroom(w, 3)
		owned, plain, lone := n.rooms[0], n.rooms[1], n.rooms[2]
		col, err := n.CreateCollection(ctx, n.caller(), desk.NewCollection{Name: "Rooms", Kind: desk.ChatCollection, Owner: &n.priya})
		must(t, err)
		_, err = n.AddChannels(ctx, n.caller(), col.ID, desk.NewChannels{Channels: []desk.NewChannel{{ID: owned, Owner: desk.Just(n.maya)}, {ID: plain}}})
		must(t, err)
		other, err := n.CreateCollection(ctx, n.caller(), desk.NewCollection{Name: "Others", Kind: desk.ChatCollection, Owner: &n.oskar})
		must(t, err)
		customer := func(parts desk.CustomerParts) {
			_, err := n.CreateCustomer(ctx, n.caller(), desk.NewCustomer{CustomerParts: parts})
			must(t, err)
		}
		customer(desk.CustomerParts{Name: ptr("A"), Channels: &[]string{owned}, Owner: desk.Just(n.oskar)})
		n.letsUs(n.maya, "chat:write")
		must(t, n.box.As(n.workspace.Owner).Invite(ctx, plain, n.priya))
		nameOf := func(user string) string {
			found, err := n.Users(ctx, n.caller(), desk.UserQuery{IDs: []string{user}})
			must(t, err)
			return found.Items[0].Name
		}
		// who is the bot's persona, a user who posts as themselves, or empty for
		// the bot. fails is a part of an error.
		check := func(what string, s desk.Sender, want map[string]string) {
			t.Helper()
			a := n.announcement(n.drafted(what))
			a.Sender = s
			sent := n.sent(n.announces(a))
			for _, r := range sent.Recipients {
				got := n.copiesIn(r.Channel)
				got = slices.DeleteFunc(got, func(m sandbox.Message) bool { return m.Text != what })
				who := "fails: " + r.Error
				if len(got) == 1 {
					who = got[0].Username
					if got[0].Username == "" && got[0].User != n.bot() {
						who = "themselves: " + got[0].User
					}
				}
				if !strings.HasPrefix(who, want[r.Channel]) || (who == "") != (want[r.Channel] == "") || len(got) > 1 || (len(got) == 1) != (r.Status == desk.Delivered) {
					t.Errorf("%s in %s is %q, want %q: %+v", what, r.Channel, who, want[r.Channel], got)
				}
			}
		}
		check("by the bot", desk.Sender{Kind: desk.NativeSender}, nil)
		check("by Priya's name", desk.Sender{Kind: desk.UserSender, User: n.priya}, map[string]string{owned: nameOf(n.priya), plain: nameOf(n.priya), lone: nameOf(n.priya)})
		check("by Maya", desk.Sender{Kind: desk.UserSender, User: n.maya, AsUser: true},
			map[string]string{owned: "themselves: " + n.maya, plain: "themselves: " + n.maya, lone: "themselves: " + n.maya})
		check("by topic owners", desk.Sender{Kind: desk.TopicOwnerSender},
			map[string]string{owned: nameOf(n.maya), plain: nameOf(n.priya), lone: "fails: Neither the channel nor its collection has an owner"})
		check("by customer owners", desk.Sender{Kind: desk.CustomerOwnerSender},
			map[string]string{owned: nameOf(n.oskar), plain: nameOf(n.priya), lone: "fails: Neither the channel's customer nor a collection has an owner"})
		customer(desk.CustomerParts{Name: ptr("B"), Channels: &[]string{lone}, Collection: desk.Just(other.ID)})
		check("by the owner of the customer's collection", desk.Sender{Kind: desk.CustomerOwnerSender},
			map[string]string{owned: nameOf(n.oskar), plain: nameOf(n.priya), lone: nameOf(n.oskar)})

		// Only somebody who has allowed us to act as them can be the sender, and
		// only for as long as they allow it.
		a := n.announcement(n.drafted("by Priya"))
		a.Sender = desk.Sender{Kind: desk.UserSender, User: n.priya, AsUser: true}
		if _, err := n.CreateAnnouncement(ctx, n.callerFor(a.Sender), a); desk.KindOf(err) != desk.Invalid || !strings.Contains(err.Error(), "useUserToken") {
			t.Errorf("as somebody who has not allowed it: %v", err)
		}
		if _, err := n.CreateAnnouncement(ctx, n.caller(), a); err != errActAs {
			t.Errorf("as somebody else: %v", err)
		}
		n.letsUsNot(n.maya)
		check("by Maya no more", desk.Sender{Kind: desk.UserSender, User: n.maya, AsUser: true}, map[string]string{owned: "fails: ", plain: "fails: ", lone: "fails: "})
	})
}

// A channel that cannot be posted to fails alone, and can be retried.
func TestAnnouncementFailsWhereItMust(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		n := newNewsroom(w, 3)
		owner := n.box.As(n.workspace.Owner)
		strange, err := owner.CreateChannel(ctx, "strange", false)
		must(t, err)
		become(t, "the channel", n.ourChannels, func(all []string) bool {
			return slices.Contains(all, channelLine(strange.ID, "strange", false, false, false))
		})
		must(t, n.store.Write(ctx, n.account.ID, func(tx *store.Tx) error {
			_, err := tx.PutChannels([]store.Report[desk.Channel]{{Is: desk.Channel{ID: "C0GONE", Name: "gone"}, Revision: 1}}, time.Time{})
			return err
		}))
		n.rooms = append(n.rooms, strange.ID, "C0GONE")
		a := n.announcement(n.drafted("Soon"))
		a.Action, a.ScheduledAt = desk.SendSchedule, ptr(n.clock.Now().Add(time.Minute))
		id := n.announces(a)
		must(t, owner.Archive(ctx, n.rooms[1]))
		n.moves(time.Minute)
		sent := n.sent(id)
		var got []string
		for _, r := range sent.Recipients {
			got = append(got, string(r.Status)+" "+r.Error)
		}
		if want := []string{"success ", "fail The Slack channel is archived.", "success ", "fail Frontdesk is not in this Slack channel. Somebody in it must invite Frontdesk.",
			"fail There is no such channel in Slack, or Frontdesk is not in it."}; !slices.Equal(got, want) || sent.Delivered != 2 || sent.Failed != 3 {
			t.Fatalf("recipients %q, want %q", got, want)
		}
		if log := n.toldOfSending(1); len(log) != 1 {
			t.Errorf("feed: %q", log)
		}
		must(t, owner.Unarchive(ctx, n.rooms[1]))
		must(t, owner.Invite(ctx, strange.ID, n.bot()))
		// Recipients who were left out get the same as the others.
		_, err = n.box.As(n.maya).Edit(ctx, n.drafts, a.Source.Message, "Something else")
		must(t, err)
		_, err = n.RetryAnnouncement(ctx, n.caller(), id)
		must(t, err)
		sent = n.sent(id)
		if sent.Delivered != 4 || sent.Failed != 1 || sent.Recipients[4].Status != desk.NotDelivered {
			t.Errorf("after the retry: %+v", sent)
		}
		sent.Recipients = sent.Recipients[:4]
		n.readOnce(sent, "Soon")
		if log := n.toldOfSending(2); len(log) != 2 {
			t.Errorf("the feed has %d events", len(log))
		}
	})
}

// Whatever happens to the answers, every channel gets one copy.
func TestAnnouncementOnce(t *testing.T) {
	for _, kind := range []sandbox.FaultKind{sandbox.DropAnswer, sandbox.LateAnswer, sandbox.ErrorAnswer, sandbox.RateLimit, sandbox.Down} {
		t.Run(string(kind), func(t *testing.T) {
			eachWorkplace(t, func(t *testing.T, w *workplace) {
				n := newNewsroom(w, 12)
				a := n.announcement(n.drafted("Once"))
				a.Action, a.ScheduledAt = desk.SendSchedule, ptr(n.clock.Now().Add(time.Minute))
				id := n.announces(a)
				must(t, n.box.SetFaults(sandbox.FaultPlan{Seed: 7, Faults: []sandbox.Fault{
					{Kind: kind, Method: "chat.postMessage", Probability: 0.5, Count: 10, Delay: sandbox.Duration(time.Second)},
				}}))
				n.moves(time.Minute)
				n.readOnce(n.sent(id), "Once")
				if log := n.toldOfSending(1); len(log) != 1 {
					t.Errorf("feed: %q", log)
				}
			})
		})
	}
}

// Nothing is posted twice as a person either.
func TestAnnouncementOnceByAPerson(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		n := newNewsroom(w, 6)
		n.letsUs(n.maya, "chat:write")
		a := n.announcement(n.drafted("Once"))
		a.Sender = desk.Sender{Kind: desk.UserSender, User: n.maya, AsUser: true}
		must(t, n.box.SetFaults(sandbox.FaultPlan{Seed: 7, Faults: []sandbox.Fault{{Kind: sandbox.DropAnswer, Method: "chat.postMessage", Probability: 0.5, Count: 4}}}))
		n.readOnce(n.sent(n.announces(a)), "Once")
	})
}

// Two processes that send at the same time do not post twice.
func TestAnnouncementInTwoProcesses(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		n := newNewsroom(w, 10)
		a := n.announcement(n.drafted("Once"))
		a.Action, a.ScheduledAt = desk.SendSchedule, ptr(n.clock.Now().Add(time.Minute))
		id := n.announces(a)
		n.moves(time.Minute)
		var running sync.WaitGroup
		for range 3 {
			running.Go(func() {
				must(t, n.store.Write(ctx, n.account.ID, func(tx *store.Tx) error { return change.DeliverAnnouncementAt(tx, id, tx.Now) }))
			})
		}
		running.Wait()
		n.readOnce(n.sent(id), "Once")
	})
}

func TestAnnouncementSchedule(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		n := newNewsroom(w, 2)
		at := n.clock.Now().Add(2 * time.Minute).Truncate(time.Millisecond)
		a := n.announcement(n.drafted("Later"))
		a.Action, a.ScheduledAt = desk.SendSchedule, &at
		id := n.announces(a)
		n.moves(time.Minute)
		if got := n.shows(id); got.Status != desk.AnnouncementScheduled || !got.ScheduledAt.Equal(at) || got.Recipients[0].Status != "" || len(n.copiesIn(n.rooms[0])) != 0 {
			t.Errorf("before its time it is %+v", got)
		}
		if _, err := n.ResyncAnnouncement(ctx, n.caller(), id, desk.AnnouncementDraft{}); err != desk.ErrAnnouncementNotSent {
			t.Errorf("resync: %v", err)
		}
		if _, err := n.RetryAnnouncement(ctx, n.caller(), id); err != desk.ErrAnnouncementNotSent {
			t.Errorf("retry: %v", err)
		}
		if _, err := n.AnnouncementMetrics(ctx, n.caller(), id); err != desk.ErrNoMetrics {
			t.Errorf("metrics: %v", err)
		}
		// It contains what the message says at the scheduled time.
		_, err := n.box.As(n.maya).Edit(ctx, n.drafts, a.Source.Message, "Later, as it was edited")
		must(t, err)
		n.moves(time.Minute)
		n.readOnce(n.sent(id), "Later, as it was edited")
		if _, err := n.DeleteAnnouncement(ctx, n.caller(), id); err != desk.ErrAnnouncementStarted {
			t.Errorf("cancelled afterwards: %v", err)
		}
		// A cancelled announcement no longer exists.
		a.ScheduledAt = ptr(n.clock.Now().Add(time.Minute))
		second := n.announces(a)
		_, err = n.DeleteAnnouncement(ctx, n.caller(), second)
		must(t, err)
		n.moves(time.Minute)
		n.rests()
		if _, err := n.Announcement(ctx, n.caller(), second); desk.KindOf(err) != desk.NotFound || len(n.copiesIn(n.rooms[0])) != 1 {
			t.Errorf("after the cancellation: %v, and the room shows %q", err, n.textsIn(n.rooms[0]))
		}
	})
}

// A cancellation either comes in time and nothing is sent, or it is too late and
// everything is.
func TestAnnouncementCancelledAsItStarts(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		n := newNewsroom(w, 1)
		cancelled := 0
		for i := range 8 {
			text := fmt.Sprintf("Number %d", i)
			a := n.announcement(n.drafted(text))
			a.Action, a.ScheduledAt = desk.SendSchedule, ptr(n.clock.Now().Add(10*time.Second))
			id := n.announces(a)
			n.moves(10 * time.Second)
			for range i { // a little later each time
				n.shows(id)
			}
			_, err := n.DeleteAnnouncement(ctx, n.caller(), id)
			switch {
			case err == nil:
				cancelled++
				n.rests()
				if slices.Contains(n.textsIn(n.rooms[0]), text) {
					t.Errorf("%s was cancelled and still sent", text)
				}
			case err == desk.ErrAnnouncementStarted:
				n.sent(id)
				if !slices.Contains(n.textsIn(n.rooms[0]), text) {
					t.Errorf("%s was neither cancelled nor sent", text)
				}
			default:
				t.Error(err)
			}
		}
		t.Logf("%d of 8 were cancelled in time", cancelled)
	})
}

func TestAnnouncementOfAMessageThatIsGone(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		n := newNewsroom(w, 2)
		a := n.announcement(n.drafted("Later"))
		a.Action, a.ScheduledAt = desk.SendSchedule, ptr(n.clock.Now().Add(time.Minute))
		id := n.announces(a)
		must(t, n.box.As(n.maya).Delete(ctx, n.drafts, a.Source.Message))
		n.moves(time.Minute)
		sent := n.sent(id)
		for _, r := range sent.Recipients {
			if r.Status != desk.NotDelivered || r.Error != "The message cannot be sent: There is no such message in Slack any more." || len(n.copiesIn(r.Channel)) != 0 {
				t.Errorf("%+v", r)
			}
		}
		// A message that does not exist or that our bot cannot read cannot be
		// announced either.
		if _, err := n.CreateAnnouncement(ctx, n.caller(), n.announcement(a.Source)); desk.KindOf(err) != desk.Invalid || !strings.Contains(err.Error(), "message_ts") {
			t.Errorf("of a message that is gone: %v", err)
		}
		c, err := n.box.As(n.workspace.Owner).CreateChannel(ctx, "apart", false)
		must(t, err)
		become(t, "the channel", n.ourChannels, func(all []string) bool { return slices.Contains(all, channelLine(c.ID, "apart", false, false, false)) })
		m, err := n.box.As(n.workspace.Owner).Post(ctx, c.ID, "Between us")
		must(t, err)
		if _, err := n.CreateAnnouncement(ctx, n.caller(), n.announcement(desk.ChatMessage{Channel: c.ID, Message: m.TS})); desk.KindOf(err) != desk.Invalid {
			t.Errorf("of a channel without our bot: %v", err)
		}
		// A reply can be announced too, not only the start of a thread.
		reply := n.replies(n.maya, n.drafts, n.drafted("Drafts").Message, "From a thread")
		n.readOnce(n.sent(n.announces(n.announcement(desk.ChatMessage{Channel: n.drafts, Message: reply.TS}))), "From a thread")
	})
}

// An announcement waits while the account is not connected.
func TestAnnouncementWaitsForAConnection(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		n := newNewsroom(w, 2)
		a := n.announcement(n.drafted("Patience"))
		a.Action, a.ScheduledAt = desk.SendSchedule, ptr(n.clock.Now().Add(time.Minute))
		id := n.announces(a)
		i, secret := n.lets()
		must(t, n.outside.MarkChatLost(ctx, n.account.ID, i, secret))
		n.moves(time.Minute)
		n.rests()
		if got := n.shows(id); got.Status != desk.AnnouncementScheduled || got.Recipients[0].Status != "" {
			t.Errorf("without a connection it is %+v", got)
		}
		if _, err := n.CreateAnnouncement(ctx, n.caller(), n.announcement(a.Source)); desk.KindOf(err) != desk.Refused {
			t.Errorf("a new one: %v", err)
		}
		n.connect()
		n.readOnce(n.sent(id), "Patience")

		// If the connection is lost halfway, sending goes on where it stopped.
		source := n.drafted("Patience again")
		apps, err := n.box.Apps(ctx)
		must(t, err)
		must(t, n.box.SetFaults(sandbox.FaultPlan{Faults: []sandbox.Fault{{Kind: sandbox.RateLimit, Method: "chat.postMessage", Delay: sandbox.Duration(5 * time.Second)}}}))
		id = n.announces(n.announcement(source))
		become(t, "the start", func() []string { return []string{string(n.shows(id).Status)} }, func(got []string) bool { return got[0] == "pending" })
		must(t, n.box.Uninstall(ctx, apps[0].ID, n.workspace.ID))
		must(t, n.box.SetFaults(sandbox.FaultPlan{}))
		n.rests()
		if got := n.shows(id); got.Status != desk.AnnouncementPending || got.Failed != 0 {
			t.Errorf("after losing the connection: %+v", got)
		}
		n.connect()
		n.sent(id)
		for _, room := range n.rooms {
			if got := n.textsIn(room); !slices.Equal(got, []string{"Patience", "Patience again"}) {
				t.Errorf("the room shows %q", got)
			}
		}
	})
}

func TestAnnouncementResync(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		n := newNewsroom(w, 3)
		n.letsUs(n.maya, "chat:write")
		edit := func(from desk.ChatMessage, text string) {
			_, err := n.box.As(n.maya).Edit(ctx, from.Channel, from.Message, text)
			must(t, err)
		}
		for _, s := range []desk.Sender{{Kind: desk.NativeSender}, {Kind: desk.UserSender, User: n.maya, AsUser: true}} {
			resync := func(id desk.AnnouncementID) {
				_, err := n.ResyncAnnouncement(ctx, n.callerFor(s), id, desk.AnnouncementDraft{})
				must(t, err)
			}
			source := n.drafted("First")
			a := n.announcement(source)
			a.Sender = s
			rooms := append(n.open("more-"+string(s.Kind)), n.rooms[0])
			a.Recipients = to(rooms...)
			id := n.announces(a)
			n.sent(id)
			texts := func() []string {
				var all []string
				for _, r := range n.shows(id).Recipients {
					for _, m := range n.copiesIn(r.Channel) {
						if m.TS == r.Message {
							all = append(all, m.Text)
						}
					}
				}
				return all
			}
			is := func(text string) func([]string) bool {
				return func(got []string) bool { return slices.Equal(got, []string{text, text}) }
			}
			edit(source, "Second")
			resync(id)
			n.hurryUntil("the second text", texts, is("Second"))
			// Asked for twice at the same time, with lost answers, the newest text
			// still wins.
			must(t, n.box.SetFaults(sandbox.FaultPlan{Seed: 3, Faults: []sandbox.Fault{{Kind: sandbox.DropAnswer, Method: "chat.update", Probability: 0.5, Count: 3}}}))
			for i := range 5 {
				edit(source, fmt.Sprintf("Edit %d", i))
				resync(id)
			}
			n.hurryUntil("the newest text", texts, is("Edit 4"))
			n.hurryUntil("the end of it", func() []string { return n.unsynced() }, func(got []string) bool { return len(got) == 0 })
			if got := texts(); !is("Edit 4")(got) {
				t.Errorf("copies: %q", got)
			}
			// Nobody gets it again. If the message is deleted, the copies stay.
			must(t, n.box.SetFaults(sandbox.FaultPlan{}))
			must(t, n.box.As(n.maya).Delete(ctx, source.Channel, source.Message))
			resync(id)
			n.hurryUntil("the end of it", func() []string { return n.unsynced() }, func(got []string) bool { return len(got) == 0 })
			if got := texts(); !is("Edit 4")(got) || n.shows(id).Status != desk.AnnouncementIsSent {
				t.Errorf("copies: %q", got)
			}
		}
		if got := len(n.copiesIn(n.rooms[0])); got != 2 {
			t.Errorf("there are %d copies", got)
		}
	})
}

// unsynced returns announcements that still need a sync.
func (n *newsroom) unsynced() (all []string) {
	must(n.t, n.store.Read(ctx, n.account.ID, func(tx *store.Tx) error {
		undone, err := tx.PendingAnnouncements(0, 10)
		for _, a := range undone {
			all = append(all, fmt.Sprint(a.ID))
		}
		return err
	}))
	return all
}

func TestAnnouncementFiles(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		n := newNewsroom(w, 3)
		m, err := n.box.As(n.maya).Upload(ctx, n.drafts, sandbox.Upload{Name: "plan.txt", Content: []byte("what will be done"), Comment: "The plan"})
		must(t, err)
		must(t, n.box.SetFaults(sandbox.FaultPlan{Seed: 7, Faults: []sandbox.Fault{{Kind: sandbox.DropAnswer, Method: "files.completeUploadExternal", Probability: 0.6, Count: 2}}}))
		sent := n.sent(n.announces(n.announcement(desk.ChatMessage{Channel: n.drafts, Message: m.TS})))
		n.readOnce(sent, "The plan")
		for _, r := range sent.Recipients {
			if got := n.copiesIn(r.Channel); len(got) != 1 || len(got[0].Files) != 1 || got[0].Files[0].Name != "plan.txt" || got[0].Files[0].Size != int64(len("what will be done")) {
				t.Errorf("the room shows %+v", got)
			}
		}
		// Its files are kept, because it may have to be sent to somebody again.
		n.clock.move(worker.SweepAfter + time.Hour)
		must(t, n.Do(ctx, &job.Job{Attempt: 1}, worker.SweepFiles{}))
		var src store.AnnouncementSource
		must(t, n.store.Read(ctx, n.account.ID, func(tx *store.Tx) (err error) {
			src, err = tx.AnnouncementSource(sent.ID)
			return err
		}))
		for _, f := range src.Files {
			key, err := blob.ParseKey(f.Key)
			must(t, err)
			r, err := n.blobs.Open(ctx, key)
			must(t, err)
			must(t, r.Close())
		}
		if len(src.Files) != 1 {
			t.Errorf("it has %d files", len(src.Files))
		}
	})
}
