package desk

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestNewAnnouncement(t *testing.T) {
	now := time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)
	some := func(n int) (all []NamedRecipient) {
		for i := range n {
			all = append(all, NamedRecipient{Kind: RecipientChannel, Channel: fmt.Sprintf("C%d", i)})
		}
		return all
	}
	good := func() NewAnnouncement {
		return NewAnnouncement{Source: ChatMessage{"C1", "1.1"}, Name: "News", Recipients: some(1), Action: SendNow, Sender: Sender{Kind: NativeSender}}
	}
	later, past := now.Add(time.Millisecond), now
	tests := []struct {
		name   string
		change func(*NewAnnouncement)
		want   string // part of the expected error; empty for none
	}{
		{"as it should be", func(*NewAnnouncement) {}, ""},
		{"the most recipients", func(n *NewAnnouncement) { n.Recipients = some(1000) }, ""},
		{"one more", func(n *NewAnnouncement) { n.Recipients = some(1001) }, "recipients must have 1 to 1000 items; there are 1001"},
		{"none", func(n *NewAnnouncement) { n.Recipients = nil }, "recipients must have 1 to 1000 items; there are 0"},
		{"the longest name", func(n *NewAnnouncement) { n.Name = strings.Repeat("ä", 200) }, ""},
		{"a longer one", func(n *NewAnnouncement) { n.Name = strings.Repeat("ä", 201) }, "name must have 1 to 200"},
		{"no name", func(n *NewAnnouncement) { n.Name = " " }, "name must not be empty"},
		{"marks, signs and digits of other scripts", func(n *NewAnnouncement) { n.Name = "योजना-२_d'été l’an" }, ""},
		{"a tab", func(n *NewAnnouncement) { n.Name = "a\tb" }, "name may only contain letters"},
		{"the next moment", func(n *NewAnnouncement) { n.Action, n.ScheduledAt = SendSchedule, &later }, ""},
		{"this moment", func(n *NewAnnouncement) { n.Action, n.ScheduledAt = SendSchedule, &past }, "scheduled_time must be in the future"},
		{"no moment", func(n *NewAnnouncement) { n.Action = SendSchedule }, "scheduled_time is required"},
		{"a moment for now", func(n *NewAnnouncement) { n.ScheduledAt = &later }, "scheduled_time is only allowed with the action schedule"},
		{"a user without a name", func(n *NewAnnouncement) { n.Sender = Sender{Kind: UserSender} }, "sender_config.senderId is required"},
		{"another sender", func(n *NewAnnouncement) { n.Sender = Sender{Kind: "boss"} }, "sender_config.type must be one of"},
		{"another action", func(n *NewAnnouncement) { n.Action = "never" }, "action must be one of"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := good()
			tt.change(&n)
			a, err := n.Announcement(now)
			switch {
			case tt.want == "" && err != nil, tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v, want %q", err, tt.want)
			case err == nil && (a.Status == AnnouncementScheduled) != (n.Action == SendSchedule):
				t.Errorf("it is %s", a.Status)
			}
		})
	}
	n := good()
	n.Sender = Sender{Kind: TopicOwnerSender, User: "U1", AsUser: true}
	if a, err := n.Announcement(now); err != nil || a.Sender != (Sender{Kind: TopicOwnerSender}) {
		t.Errorf("what is not for the sender is kept: %+v, %v", a.Sender, err)
	}
}

func TestExpand(t *testing.T) {
	one, two := CollectionID(1), CollectionID(2)
	channel := func(id string, in *CollectionID) Channel { return Channel{ID: id, Collection: in, Active: in != nil} }
	channels := map[string]Channel{"A": channel("A", &one), "B": channel("B", &one), "X": channel("X", nil), "D": channel("D", &two)}
	quiet := channel("Q", &one)
	quiet.Active = false
	collections := map[CollectionID]Collection{
		1: {ID: 1, Kind: ChatCollection, Channels: []Channel{channels["A"], quiet, channels["B"]}},
		2: {ID: 2, Kind: ChatCollection, Channels: []Channel{channels["D"]}},
		3: {ID: 3, Kind: ChatCollection},
		4: {ID: 4, Kind: EmailCollection},
	}
	named := func(names ...any) (all []NamedRecipient) {
		for _, n := range names {
			if id, ok := n.(string); ok {
				all = append(all, NamedRecipient{Kind: RecipientChannel, Channel: id})
			} else {
				all = append(all, NamedRecipient{Kind: RecipientCollection, Collection: CollectionID(n.(int))})
			}
		}
		return all
	}
	tests := []struct {
		named []NamedRecipient
		reach Reach
		want  string // channels with their collections, then the collections of the whole announcement
		wrong string
	}{
		{named("X", "B", 1, "X", "A"), Everything, "X B:1 A:1 in [0 1]", ""},
		{named("B"), Reach{IDs: []CollectionID{1}}, "B in [1]", ""},
		{named(2, 1), Everything, "D:2 A:1 B:1 in [1 2]", ""},
		{named("X", "D", 2), Reach{IDs: []CollectionID{1}}, "", `recipients[0].id "X" is not a channel that we can see in the chat system; recipients[1].id "D" is not a channel that we can see in the chat system; recipients[2].id 2 is not a collection.`},
		{named(3), Everything, "", "recipients[0].id 3 is a collection without active channels."},
		{named(4), Everything, "", "recipients[0].id 4 is a collection of the kind email; it must be a chat collection."},
		{named("nobody\n" + strings.Repeat("x", 200)), Everything, "", `recipients[0].id "nobody\n` + strings.Repeat("x", 93) + `…" is not a channel that we can see in the chat system.`},
	}
	for _, tt := range tests {
		var p Problems
		all, in := Expand(&p, tt.named, channels, collections, tt.reach)
		if err := p.Err(); err != nil || tt.wrong != "" {
			if err == nil || err.(*Error).Message != tt.wrong {
				t.Errorf("%+v: %v, want %s", tt.named, err, tt.wrong)
			}
			continue
		}
		got := ""
		for _, r := range all {
			if got += r.Channel; r.Collection != nil {
				got += fmt.Sprintf(":%d", *r.Collection)
			}
			got += " "
		}
		if got += fmt.Sprintf("in %v", in); got != tt.want {
			t.Errorf("%+v is %s, want %s", tt.named, got, tt.want)
		}
	}
	for most, wrong := range map[int]bool{MostRecipients: false, MostRecipients + 1: true} {
		many := map[CollectionID]Collection{}
		var all []NamedRecipient
		for i := range most {
			id := CollectionID(1 + i/MostChannels)
			c := many[id]
			c.ID, c.Kind = id, ChatCollection
			c.Channels = append(c.Channels, channel(fmt.Sprint(i), &id))
			many[id] = c
		}
		for id := range many {
			all = append(all, NamedRecipient{Kind: RecipientCollection, Collection: id})
		}
		var p Problems
		if Expand(&p, all, nil, many, Everything); (p.Err() != nil) != wrong {
			t.Errorf("%d channels: %v", most, p.Err())
		}
	}
}

func TestSenderCandidates(t *testing.T) {
	o := Owners{Channel: ptr("channel"), Collection: ptr("collection"), Customer: ptr("customer"), CustomerCollection: ptr("customer's collection")}
	for kind, want := range map[SenderKind][]string{TopicOwnerSender: {"channel", "collection"}, CustomerOwnerSender: {"customer", "customer's collection", "collection"}} {
		if got := kind.Candidates(o); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
		if got := kind.Candidates(Owners{}); len(got) != 0 {
			t.Errorf("%s: of nobody %q", kind, got)
		}
	}
}

func TestTopReactions(t *testing.T) {
	var e ChannelEngagement
	for _, r := range strings.Fields("tada:1 tada:2 eyes:1 eyes:3 wave:1 a:1 b:1 c:1 zap:1 zap:2 zap:3") {
		emoji, user, _ := strings.Cut(r, ":")
		e.Reactions = append(e.Reactions, Reaction{Emoji: emoji, User: user})
	}
	got := ""
	for _, r := range e.TopReactions() {
		got += fmt.Sprint(r.Emoji, r.Users, " ")
	}
	if want := "zap[1 2 3] eyes[1 3] tada[1 2] a[1] b[1] "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestCopiesDue(t *testing.T) {
	sent := time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		age, since time.Duration
		want       bool
	}{
		{2 * time.Hour, time.Hour - 1, false}, {2 * time.Hour, time.Hour, true},
		{25 * time.Hour, 6*time.Hour - 1, false}, {25 * time.Hour, 6 * time.Hour, true},
		{8 * 24 * time.Hour, 24*time.Hour - 1, false}, {8 * 24 * time.Hour, 24 * time.Hour, true},
	} {
		if now := sent.Add(tt.age); CopiesDue(sent, now.Add(-tt.since), now) != tt.want {
			t.Errorf("%v old and read %v ago: %t", tt.age, tt.since, !tt.want)
		}
	}
	if now := sent.Add(readAnnouncementsFor); CopiesReadSince(now).After(sent) || !CopiesReadSince(now.Add(1)).After(sent) {
		t.Error("they are not read for 30 days")
	}
}

func TestAnnouncementRetry(t *testing.T) {
	a := Announcement{Status: AnnouncementIsSent, Channels: 2, Delivered: 1, Failed: 1, Recipients: []Recipient{{Status: Delivered}, {Status: NotDelivered, Error: "no"}}}
	if err := a.Retry(); err != nil || a.Status != AnnouncementPending || a.Failed != 0 || a.Recipients[1] != (Recipient{}) || a.Recipients[0].Status != Delivered {
		t.Errorf("%v: %+v", err, a)
	}
	if err := a.Retry(); err != ErrAnnouncementNotSent {
		t.Errorf("while it is being sent: %v", err)
	}
	a.Status = AnnouncementIsSent
	if err := a.Retry(); err != ErrNothingFailed {
		t.Errorf("where none failed: %v", err)
	}
}
