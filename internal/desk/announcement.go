package desk

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"
)

// AnnouncementStatus says how far the sending of an announcement has got.
type AnnouncementStatus string

const (
	AnnouncementPending   AnnouncementStatus = "pending"   // being sent
	AnnouncementScheduled AnnouncementStatus = "scheduled" // its time has not come
	AnnouncementIsSent    AnnouncementStatus = "sent"      // the outcome is known for every recipient
)

// AnnouncementStatuses lists every value.
var AnnouncementStatuses = []AnnouncementStatus{AnnouncementPending, AnnouncementScheduled, AnnouncementIsSent}

type AnnouncementID int64

// Announcement is a message that is copied into many channels: one of the chat system,
// or one that was written here.
type Announcement struct {
	ID          AnnouncementID
	Name        string
	Status      AnnouncementStatus
	Source      ChatMessage      // empty if it was written here
	Text        AnnouncementText // if it was written here; not in lists
	Sender      Sender
	Unfurl      Unfurl
	ScheduledAt *time.Time
	Recipients  []Recipient // not in lists
	Channels    int         // the number of recipients
	Delivered   int         // how many of those were reached
	Failed      int
	CreatedAt   time.Time
	SentAt      *time.Time // when it was last sent; failed recipients may be retried

	// Collections are the collections of the channels, 0 for a channel without one.
	// Only a member with access to all of them may see the announcement.
	Collections []CollectionID
}

func (a Announcement) Named() (resource, id string) { return "Announcement", FormatID(a.ID) }

// Written reports whether the announcement was written here.
func (a Announcement) Written() bool { return a.Source == ChatMessage{} }

// ShownAnnouncement is an announcement in the form that shows its text, too.
type ShownAnnouncement struct{ Announcement }

// ChatMessage names a message in the chat system.
type ChatMessage struct{ Channel, Message string }

// Unfurl says which links in a message show a preview.
type Unfurl struct{ Links, Media bool }

// RecipientStatus is the outcome for a recipient; empty while unknown.
type RecipientStatus string

const (
	Delivered    RecipientStatus = "success"
	NotDelivered RecipientStatus = "fail"
)

// Recipient is a channel that receives an announcement.
type Recipient struct {
	Channel    string
	Collection *CollectionID // the collection through which the channel was named
	Status     RecipientStatus
	Message    string // the id of the copy; empty until it is posted
	Error      string // why there is no copy
}

// SenderKind says in whose name an announcement is sent.
type SenderKind string

const (
	NativeSender        SenderKind = "native" // our bot
	UserSender          SenderKind = "user"
	TopicOwnerSender    SenderKind = "topicOwner"    // the channel's owner
	CustomerOwnerSender SenderKind = "customerOwner" // the owner of the channel's customer
)

// SenderKinds lists every value.
var SenderKinds = []SenderKind{NativeSender, UserSender, TopicOwnerSender, CustomerOwnerSender}

// Sender says in whose name an announcement is sent. User is a chat user and is set
// only for UserSender. With AsUser the user's own token sends it; otherwise our bot
// sends it under their name.
type Sender struct {
	Kind   SenderKind
	User   string
	AsUser bool
}

// RecipientKind says how a recipient is named.
type RecipientKind string

const (
	RecipientChannel    RecipientKind = "channel"
	RecipientCollection RecipientKind = "collection" // all active channels of the collection
)

// NamedRecipient is a recipient as a caller names it.
type NamedRecipient struct {
	Kind       RecipientKind
	Channel    string
	Collection CollectionID
}

// SendAction says when an announcement is sent.
type SendAction string

const (
	SendNow      SendAction = "send_now"
	SendSchedule SendAction = "schedule"
)

const (
	// MostNamedRecipients bounds the recipients that a caller may name.
	MostNamedRecipients = 1000
	// MostRecipients bounds the channels after collections are expanded.
	MostRecipients = 2000
	// MostAnnouncementName is the maximum length of a name.
	MostAnnouncementName = 200
)

// NewAnnouncement is the input for a new announcement.
type NewAnnouncement struct {
	Body
	Source      ChatMessage
	Text        *AnnouncementText // instead of a message of the chat system
	Plain       string            // Text without its markup
	Variables   []string          // in Text
	Name        string
	Recipients  []NamedRecipient
	Action      SendAction
	ScheduledAt *time.Time
	Sender      Sender
	Unfurl      Unfurl
}

var announcementName = regexp.MustCompile(`^[\p{L}\p{M}\p{N} _'’-]+$`)

// Announcement checks the input and makes the announcement, without its recipients.
// It does not check whether the things it names exist.
func (n NewAnnouncement) Announcement(now time.Time) (Announcement, error) {
	a := Announcement{Name: n.Name, Status: AnnouncementPending, Source: n.Source, Sender: n.Sender, Unfurl: n.Unfurl, CreatedAt: now}
	p := n.problems()
	switch {
	case n.Text == nil:
		p.Text("channel_id", &a.Source.Channel, 1, 255)
		p.Text("message_ts", &a.Source.Message, 1, 255)
	case n.Source != ChatMessage{}:
		p.Add("html_body", "must not be given together with channel_id or message_ts")
	default:
		a.Text = *n.Text
		a.Text.check(&p, n.Plain, n.Variables)
	}
	p.Text("name", &a.Name, 1, MostAnnouncementName)
	if a.Name != "" && !announcementName.MatchString(a.Name) {
		p.Add("name", "may only contain letters, digits, spaces, hyphens, underscores and apostrophes")
	}
	p.oneTo(MostNamedRecipients, "recipients", len(n.Recipients))
	OneOf(&p, "action", n.Action, SendNow, SendSchedule)
	switch {
	case n.Action == SendNow && n.ScheduledAt != nil:
		p.Add("scheduled_time", "is only allowed with the action schedule")
	case n.Action != SendSchedule:
	case n.ScheduledAt == nil:
		p.Add("scheduled_time", "is required with the action schedule")
	case !n.ScheduledAt.After(now):
		p.Add("scheduled_time", "must be in the future")
	default:
		a.Status, a.ScheduledAt = AnnouncementScheduled, n.ScheduledAt
	}
	n.Sender.check(&p)
	if n.Sender.Kind != UserSender {
		a.Sender = Sender{Kind: n.Sender.Kind} // the other fields do not apply to this kind
	}
	return a, p.Err()
}

// check adds what is wrong with the sender to p.
func (s Sender) check(p *Problems) {
	OneOf(p, "sender_config.type", s.Kind, SenderKinds...)
	switch {
	case s.Kind != UserSender:
	case s.User == "":
		p.Add("sender_config.senderId", "is required with the type user")
	case !Storable(s.User):
		p.Add("sender_config.senderId", "must be a user of the chat system")
	}
}

// Expand turns the named recipients into channels. A collection stands for its
// active channels. A channel that is named twice appears once, with the collection
// it was named through, if any. in returns the collections of the channels, 0 for
// none.
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
				p.Add(field, "%s is not a channel that we can see in the chat system", quote(n.Channel))
			case ch.Archived:
				p.Add(field, "%s is an archived channel", n.Channel)
			default:
				add(ch, nil)
			}
			continue
		}
		c, ok := collections[n.Collection]
		if !ok || !reach.Has(c.ID) {
			p.Add(field, "%d is not a collection", n.Collection)
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
		p.Add("recipients", "must stand for at most %d channels; they stand for %d", MostRecipients, len(all))
	}
	in = slices.Sorted(maps.Keys(of))
	return all, in
}

// quote returns a caller's text in a form that an error message can repeat.
func quote(s string) string {
	if r := []rune(s); len(r) > 100 {
		s = string(r[:100]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// Owners are the people who may send an announcement into a channel, in order of
// preference. The first one that exists is the sender.
type Owners struct {
	Channel            *string // owner of the channel
	Collection         *string // owner of its collection
	Customer           *string // owner of its customer
	CustomerCollection *string // owner of the customer's collection
}

// Candidates returns the owners that this kind of sender asks for, in order.
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

// Errors for operations that the announcement's status does not allow.
var (
	ErrAnnouncementStarted = Errorf(Refused, "The announcement cannot be cancelled. Only a scheduled announcement can be, until it starts.")
	ErrAnnouncementNotSent = Errorf(Refused, "The announcement has not been sent yet.")
	ErrNothingFailed       = Errorf(Refused, "No recipient of the announcement failed.")
	ErrNoMetrics           = Errorf(Invalid, "The announcement has not been sent yet. It has metrics only afterwards.")
)

// Cancellable returns why the announcement cannot be cancelled, or nil if it can.
func (a Announcement) Cancellable() error {
	if a.Status != AnnouncementScheduled {
		return ErrAnnouncementStarted
	}
	return nil
}

// Retry marks the failed recipients to be sent to again. It returns Refused while
// sending goes on, and if none failed.
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

// Resyncable returns why the copies cannot be updated, or nil if they can.
func (a Announcement) Resyncable() error {
	if a.Status != AnnouncementIsSent {
		return ErrAnnouncementNotSent
	}
	return nil
}

// CreatedAnnouncement is an announcement in the form that its creator gets as the
// answer.
type CreatedAnnouncement struct{ Announcement }

// AnnouncementQuery says which announcements are wanted.
type AnnouncementQuery struct {
	Status AnnouncementStatus // empty: any status
	Reach  Reach
	Page
}

// Engagement is the reactions and replies to an announcement.
type Engagement struct {
	Announcement AnnouncementID
	Channels     []ChannelEngagement
}

// ChannelEngagement is the reactions and replies to one copy.
type ChannelEngagement struct {
	Recipient
	Reactions []Reaction // in the order they were made
	Replies   []string   // messages, in the order they were said
	Request   RequestID  // the request made from replies; 0 for none
}

// TopReaction is an emoji with the users who reacted with it.
type TopReaction struct {
	Emoji string
	Users []string
}

// MostTopReactions bounds the emoji that are listed one by one.
const MostTopReactions = 5

// TopReactions returns the most used emoji. Equally used ones are sorted by name.
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

// readAnnouncementsFor is how long we look for replies and reactions in the chat
// system.
const readAnnouncementsFor = 30 * 24 * time.Hour

// CopiesReadSince returns the earliest sending time of announcements whose copies
// are still read.
func CopiesReadSince(now time.Time) time.Time { return now.Add(-readAnnouncementsFor) }

// CopiesDue reports whether it is time to read the copies of an announcement again.
// The older it is, the less often they are read.
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
