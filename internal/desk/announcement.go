package desk

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"
)

// AnnouncementStatus is how far an announcement is.
type AnnouncementStatus string

const (
	AnnouncementPending   AnnouncementStatus = "pending"   // it is being sent
	AnnouncementScheduled AnnouncementStatus = "scheduled" // its time has not come
	AnnouncementIsSent    AnnouncementStatus = "sent"      // what became of every recipient is known
)

// AnnouncementStatuses are all of them.
var AnnouncementStatuses = []AnnouncementStatus{AnnouncementPending, AnnouncementScheduled, AnnouncementIsSent}

// Announcement is a message of the chat system that is copied into many
// channels.
type Announcement struct {
	ID          AnnouncementID
	Name        string
	Status      AnnouncementStatus
	Source      ChatMessage
	Sender      Sender
	Unfurl      Unfurl
	ScheduledAt *time.Time
	Recipients  []Recipient // not in lists
	Channels    int         // how many recipients there are
	Delivered   int         // of those
	Failed      int
	CreatedAt   time.Time
	SentAt      *time.Time // when it was sent last: failed recipients may be tried again

	// Collections are those that the channels are in, 0 for none. Only who has all
	// of them may see the announcement.
	Collections []CollectionID
}

// ChatMessage names a message of the chat system.
type ChatMessage struct{ Channel, Message string }

// Unfurl says which addresses in a message show what is behind them.
type Unfurl struct{ Links, Media bool }

// RecipientStatus is what became of a recipient; empty while it is not known.
type RecipientStatus string

const (
	Delivered    RecipientStatus = "success"
	NotDelivered RecipientStatus = "fail"
)

// Recipient is a channel that an announcement goes to.
type Recipient struct {
	Channel    string
	Collection *CollectionID // through which the channel was named
	Status     RecipientStatus
	Message    string // of the copy; empty until it stands there
	Error      string // why there is none
}

// SenderKind is as whom an announcement is sent.
type SenderKind string

const (
	NativeSender        SenderKind = "native" // our bot
	UserSender          SenderKind = "user"
	TopicOwnerSender    SenderKind = "topicOwner"    // the channel's owner
	CustomerOwnerSender SenderKind = "customerOwner" // the owner of the channel's customer
)

// SenderKinds are all of them.
var SenderKinds = []SenderKind{NativeSender, UserSender, TopicOwnerSender, CustomerOwnerSender}

// Sender is as whom an announcement is sent. User is a chat user, of UserSender
// alone; with AsUser their own token sends it, else our bot under their name.
type Sender struct {
	Kind   SenderKind
	User   string
	AsUser bool
}

// RecipientKind is what a recipient is named by.
type RecipientKind string

const (
	RecipientChannel    RecipientKind = "channel"
	RecipientCollection RecipientKind = "collection" // all its active channels
)

// NamedRecipient is a recipient as a caller names it.
type NamedRecipient struct {
	Kind       RecipientKind
	Channel    string
	Collection CollectionID
}

// SendAction is when an announcement is sent.
type SendAction string

const (
	SendNow      SendAction = "send_now"
	SendSchedule SendAction = "schedule"
)

const (
	// MostNamedRecipients bounds the recipients that a caller names.
	MostNamedRecipients = 1000
	// MostRecipients bounds the channels that they are in the end.
	MostRecipients = 2000
	// MostAnnouncementName is the longest name.
	MostAnnouncementName = 200
)

// NewAnnouncement is what an announcement is made from.
type NewAnnouncement struct {
	Body
	Source      ChatMessage
	Name        string
	Recipients  []NamedRecipient
	Action      SendAction
	ScheduledAt *time.Time
	Sender      Sender
	Unfurl      Unfurl
}

var announcementName = regexp.MustCompile(`^[\p{L}\p{M}\p{N} _'’-]+$`)

// Announcement checks the input and makes the announcement, without its
// recipients. Whether what it names exists, it does not know.
func (n NewAnnouncement) Announcement(now time.Time) (Announcement, error) {
	if n.Problem != nil {
		return Announcement{}, n.Problem
	}
	a := Announcement{Name: n.Name, Status: AnnouncementPending, Source: n.Source, Sender: n.Sender, Unfurl: n.Unfurl, CreatedAt: now}
	var p Problems
	p.Text("channel_id", &a.Source.Channel, 1, 255)
	p.Text("message_ts", &a.Source.Message, 1, 255)
	p.Text("name", &a.Name, 1, MostAnnouncementName)
	if a.Name != "" && !announcementName.MatchString(a.Name) {
		p.Add("name", "may have letters, digits, spaces, hyphens, underscores and apostrophes only")
	}
	if len(n.Recipients) == 0 || len(n.Recipients) > MostNamedRecipients {
		p.Add("recipients", "must be 1 to %d; there are %d", MostNamedRecipients, len(n.Recipients))
	}
	OneOf(&p, "action", n.Action, SendNow, SendSchedule)
	switch {
	case n.Action == SendNow && n.ScheduledAt != nil:
		p.Add("scheduled_time", "is for the action schedule alone")
	case n.Action != SendSchedule:
	case n.ScheduledAt == nil:
		p.Add("scheduled_time", "is required with the action schedule")
	case !n.ScheduledAt.After(now):
		p.Add("scheduled_time", "must be in the future")
	default:
		a.Status, a.ScheduledAt = AnnouncementScheduled, n.ScheduledAt
	}
	OneOf(&p, "sender_config.type", n.Sender.Kind, SenderKinds...)
	switch {
	case n.Sender.Kind != UserSender:
		a.Sender = Sender{Kind: n.Sender.Kind} // the rest is not for it
	case n.Sender.User == "":
		p.Add("sender_config.senderId", "is required with the type user")
	case !Storable(n.Sender.User):
		p.Add("sender_config.senderId", "must be a user of the chat system")
	}
	return a, p.Err()
}

// Expand makes recipients of what a caller named: of a collection its active
// channels. A channel that is named twice is there once, with the collection it
// was named through, if there is one. in are the collections that the channels
// are in, 0 for none.
func Expand(p *Problems, named []NamedRecipient, channels map[string]Channel, collections map[CollectionID]Collection, reach Reach) (all []Recipient, in []CollectionID) {
	place, of := map[string]int{}, map[CollectionID]bool{}
	add := func(ch Channel, through *CollectionID) {
		at, twice := place[ch.ID]
		if !twice {
			at = len(all)
			place[ch.ID] = at
			all = append(all, Recipient{Channel: ch.ID})
		}
		if through != nil {
			all[at].Collection = through
		}
		if ch.Collection == nil {
			of[0] = true
		} else {
			of[*ch.Collection] = true
		}
	}
	for i, n := range named {
		field := fmt.Sprintf("recipients[%d].id", i)
		if n.Kind == RecipientChannel {
			switch ch := channels[n.Channel]; {
			case ch.ID == "" || ch.Gone || !reach.HasChannel(ch):
				p.Add(field, "%s is no channel that we can see in the chat system", quote(n.Channel))
			case ch.Archived:
				p.Add(field, "%s is an archived channel", n.Channel)
			default:
				add(ch, nil)
			}
			continue
		}
		c, ok := collections[n.Collection]
		if !ok || !reach.Has(c.ID) {
			p.Add(field, "%d is no collection", n.Collection)
			continue
		}
		if c.Kind != ChatCollection {
			p.Add(field, "%d is a collection of the kind %s; it must be a chat collection", c.ID, c.Kind)
			continue
		}
		found := false
		for _, ch := range c.Channels {
			if ch.Active {
				found = true
				add(ch, &c.ID)
			}
		}
		if !found {
			p.Add(field, "%d is a collection without active channels", c.ID)
		}
	}
	if len(all) > MostRecipients {
		p.Add("recipients", "must be at most %d channels; they are %d", MostRecipients, len(all))
	}
	in = slices.Sorted(maps.Keys(of))
	return all, in
}

// quote is a text of a caller as a refusal may repeat it.
func quote(s string) string {
	if r := []rune(s); len(r) > 100 {
		s = string(r[:100]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// Owners says who an announcement is sent as in a channel, one after the other:
// the first who is there does.
type Owners struct {
	Channel            *string // the channel's own
	Collection         *string // its collection's
	Customer           *string // its customer's
	CustomerCollection *string // that of the customer's collection
}

// Candidates are those of them whom a kind of sender asks for, in order.
func (k SenderKind) Candidates(o Owners) (users []string) {
	asked := []*string{o.Channel, o.Collection}
	if k == CustomerOwnerSender {
		asked = []*string{o.Customer, o.CustomerCollection, o.Collection}
	}
	for _, u := range asked {
		if u != nil {
			users = append(users, *u)
		}
	}
	return users
}

// The refusals of what an announcement is not ready for.
var (
	ErrAnnouncementStarted = Errorf(Refused, "The announcement cannot be cancelled: only one that is scheduled can, until it starts.")
	ErrAnnouncementNotSent = Errorf(Refused, "The announcement has not been sent yet.")
	ErrNothingFailed       = Errorf(Refused, "The announcement has no recipient that failed.")
	ErrNoMetrics           = Errorf(Invalid, "The announcement has not been sent yet: there are metrics only afterwards.")
)

// Cancellable says why an announcement cannot be cancelled, nil when it can.
func (a Announcement) Cancellable() error {
	if a.Status != AnnouncementScheduled {
		return ErrAnnouncementStarted
	}
	return nil
}

// Retry has the failed recipients sent to once more. It gives Refused while
// sending goes on, and when none failed.
func (a *Announcement) Retry() error {
	switch {
	case a.Status != AnnouncementIsSent:
		return ErrAnnouncementNotSent
	case a.Failed == 0:
		return ErrNothingFailed
	}
	a.Status, a.Failed = AnnouncementPending, 0
	for i := range a.Recipients {
		if r := &a.Recipients[i]; r.Status == NotDelivered {
			r.Status, r.Error = "", ""
		}
	}
	return nil
}

// Resyncable says why copies cannot be brought up to date, nil when they can.
func (a Announcement) Resyncable() error {
	if a.Status != AnnouncementIsSent {
		return ErrAnnouncementNotSent
	}
	return nil
}

// CreatedAnnouncement is an announcement as its maker is told of it.
type CreatedAnnouncement struct{ Announcement }

// AnnouncementQuery says which announcements are wanted.
type AnnouncementQuery struct {
	Status AnnouncementStatus // empty: whatever it is
	Reach  Reach
	Page
}

// Engagement is what came of an announcement.
type Engagement struct {
	Announcement AnnouncementID
	Channels     []ChannelEngagement
}

// ChannelEngagement is what came of one copy.
type ChannelEngagement struct {
	Recipient
	Reactions []Reaction // in the order of their making
	Replies   []string   // messages, in the order in which they were said
	Request   RequestID  // that was made of replies; 0 for none
}

// TopReaction is an emoji with those who reacted with it.
type TopReaction struct {
	Emoji string
	Users []string
}

// MostTopReactions bounds the emoji that are told of one by one.
const MostTopReactions = 5

// TopReactions are the emoji that most have reacted with, by name where as many
// have.
func (e ChannelEngagement) TopReactions() []TopReaction {
	by := map[string][]string{}
	for _, r := range e.Reactions {
		by[r.Emoji] = append(by[r.Emoji], r.User)
	}
	top := make([]TopReaction, 0, len(by))
	for emoji, users := range by {
		top = append(top, TopReaction{emoji, users})
	}
	slices.SortFunc(top, func(a, b TopReaction) int {
		return cmp.Or(cmp.Compare(len(b.Users), len(a.Users)), cmp.Compare(a.Emoji, b.Emoji))
	})
	return top[:min(len(top), MostTopReactions)]
}

// readAnnouncementsFor is how long replies and reactions are looked for in the
// chat system.
const readAnnouncementsFor = 30 * 24 * time.Hour

// CopiesReadSince is the moment since which announcements were sent whose copies
// are still looked at.
func CopiesReadSince(now time.Time) time.Time { return now.Add(-readAnnouncementsFor) }

// CopiesDue reports whether it is time to look at the copies of an announcement
// again: the older it is, the less happens there.
func CopiesDue(sent, read, now time.Time) bool {
	every := 24 * time.Hour
	switch age := now.Sub(sent); {
	case age < 24*time.Hour:
		every = time.Hour
	case age < 7*24*time.Hour:
		every = 6 * time.Hour
	}
	return !read.Add(every).After(now)
}
