package desk

import "time"

// NotificationID identifies a notification of a member.
type NotificationID int64

// NotificationKind is what a notification tells of.
type NotificationKind string

const (
	NotificationMention  NotificationKind = "mention"       // somebody names the member in a message or a note
	NotificationAssigned NotificationKind = "assigned"      // somebody gives them a request
	NotificationTeam     NotificationKind = "team_assigned" // somebody gives a request to their team
	NotificationAnswer   NotificationKind = "answer"        // the requester writes in what is theirs or what they follow
	NotificationDueSoon  NotificationKind = "sla_due"       // an SLA of what is theirs is due soon
	NotificationBreached NotificationKind = "sla_breached"  // it was missed
)

// NotificationKinds lists every value.
var NotificationKinds = []NotificationKind{NotificationMention, NotificationAssigned, NotificationTeam, NotificationAnswer, NotificationDueSoon, NotificationBreached}

// Notification tells a member of something that happened in a request.
type Notification struct {
	ID      NotificationID
	Member  MemberID
	Kind    NotificationKind
	Request RequestID // as it is now: the one that it was merged into
	Title   string    // of the request, as it is now
	Message MessageID // 0 if it is about no message
	Excerpt string    // how the message begins; empty without a message
	Private bool      // whether the message is a note
	By      string    // who did it; empty if nobody did
	SLA     SLAKind   // of what is due or was missed
	Due     *time.Time

	CreatedAt time.Time
	ReadAt    *time.Time // nil while it is unread
}

const (
	// MostNotifications is how many notifications of a member are kept, the newest.
	MostNotifications = 500
	// NotificationsKept is for how long.
	NotificationsKept = 90 * 24 * time.Hour
	// NotificationPatience is how long a notification waits before it goes out of the
	// web app. Who reads it there in the meantime gets no message.
	NotificationPatience = 2 * time.Minute
	// DueSoon is how long before an SLA is due its assignee is told. Of a shorter
	// target they are told after three quarters of it.
	DueSoon = 30 * time.Minute
	// MostNotifiedAtOnce is how many members one fact is told to.
	MostNotifiedAtOnce = 200
)

// DueSoonAt returns from when on a clock is due soon. It must have a due time.
func (c SLA) DueSoonAt() time.Time { return c.Due.Add(-min(DueSoon, c.Target/4)) }

// NotificationFilter selects notifications. The zero value selects all.
type NotificationFilter struct {
	Unread bool
}

// ReadUpTo marks all notifications up to one of them as read.
type ReadUpTo struct {
	Body
	UpTo NotificationID
}

// NotificationChange is a change of a notification: whether it is read.
type NotificationChange struct {
	Body
	Read *bool
}

// NotificationCount is how many unread notifications a member has.
type NotificationCount struct {
	Unread int
	Newest *Notification // the newest unread one; nil if there is none
}

// Apply makes the whole change, or returns Invalid and changes nothing.
func (n *Notification) Apply(ch NotificationChange, now time.Time) error {
	return amend(n, ch.Body, func(next *Notification, p *patch) {
		switch {
		case !p.offer("read", ch.Read != nil):
		case !*ch.Read:
			next.ReadAt = nil
		case next.ReadAt == nil:
			next.ReadAt = &now
		}
	})
}

// Check returns what is wrong with it.
func (g *ReadUpTo) Check() error {
	p := g.problems()
	if g.UpTo < 1 && p.Err() == nil {
		p.Add("up_to", "must be the id of a notification")
	}
	return p.Err()
}

// NoticeWay is how a message about notifications reaches a member.
type NoticeWay string

const (
	NoticeByChat  NoticeWay = "chat"
	NoticeByEmail NoticeWay = "email"
)

// TestNotice asks for a message that shows that notifications arrive.
type TestNotice struct {
	Body
	Way NoticeWay
}

// Check returns what is wrong with it.
func (g *TestNotice) Check() error {
	p := g.problems()
	if p.Err() == nil {
		OneOf(&p, "way", g.Way, NoticeByChat, NoticeByEmail)
	}
	return p.Err()
}

// NotificationsChanged tells the streams of a member that their notifications have
// changed. It is in no feed, no webhook and no other stream.
const NotificationsChanged EventType = "notifications.changed"
