package change

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/markup"
	"frontdesk/internal/notify"
	"frontdesk/internal/preference"
	"frontdesk/internal/store"
)

// Telling members of what happens costs the change that it follows from one job, and
// nothing if it certainly concerns nobody. Whom it concerns is looked up by the job,
// because the change holds the account's turn: see decision 80.

// NotifyMembers is a job that tells members of facts about a request.
type NotifyMembers struct {
	Account desk.AccountID
	Request desk.RequestID
	Facts   []Fact
}

func (NotifyMembers) Kind() string { return "notification.add" }

// Fact is something that may concern members. The first that concerns a member is what
// they are told.
type Fact struct {
	Kind      desk.NotificationKind
	Users     []string    // chat users whom it concerns
	Team      desk.TeamID // or a team
	Followers bool        // or who follows the request
	Message   desk.MessageID
	By        doer
	SLA       desk.SLAKind
	Due       *time.Time
	Mark      string // names the fact
	At        time.Time
}

// doer is who did something, as far as it is known. They are not told of it.
type doer struct {
	Member desk.MemberID
	User   string
	Email  string
	Name   string
}

// is reports whether a member did it.
func (d doer) is(c store.Concerned) bool {
	return d.Member != 0 && d.Member == c.ID || d.User != "" && d.User == c.User || d.Email != "" && desk.FoldEmail(d.Email) == desk.FoldEmail(c.Email)
}

// pastNews is how old a message may be that members are told of. Older ones are read
// when a history is caught up with.
const pastNews = 24 * time.Hour

// tellOfMessage tells those whom a new message names, and, if the requester wrote it,
// those whose request it is and who follow it. concerns says whether there are any.
func tellOfMessage(tx *store.Tx, by desk.Actor, r desk.Request, m desk.Message, concerns bool) error {
	if by.Source == desk.SourceImport || tx.Now.Sub(m.CreatedAt) > pastNews {
		return nil
	}
	fact := Fact{Message: m.ID, Mark: "message " + desk.FormatID(m.ID), By: doer{User: m.Author.User, Email: m.Author.Email}}
	var facts []Fact
	if named := mentioned(m.HTML); len(named) > 0 {
		named = slices.DeleteFunc(named, func(u string) bool { return u == m.Author.User })
		if mention := fact; len(named) > 0 {
			mention.Kind, mention.Users = desk.NotificationMention, named
			facts = append(facts, mention)
		}
	}
	answers := !m.Responder && !m.Private && !m.Bot && m.CreatedAt.After(r.CreatedAt)
	if answer := fact; answers && concerns {
		answer.Kind, answer.Followers = desk.NotificationAnswer, true
		if r.Assignee != nil {
			answer.Users = []string{*r.Assignee}
		}
		facts = append(facts, answer)
	}
	return notifySoon(tx, r.ID, facts)
}

// mentioned returns the chat users whom a text names.
func mentioned(html string) (users []string) {
	if !strings.Contains(html, "<span") { // as mentions are written
		return nil
	}
	var walk func([]markup.Block)
	walk = func(blocks []markup.Block) {
		for _, b := range blocks {
			for _, run := range b.Runs {
				if run.Kind == markup.User && !slices.Contains(users, run.Target) && len(users) < desk.MostNotifiedAtOnce {
					users = append(users, run.Target)
				}
			}
			if b.Kind != markup.Quote { // whom a quoted text names was named before
				walk(b.Blocks)
			}
		}
	}
	walk(markup.Parse(html).Blocks())
	return users
}

// tellOfAssignment tells whom a request is given to, or their team.
func tellOfAssignment(tx *store.Tx, by desk.Actor, before, after desk.Request) error {
	if by.Source == desk.SourceImport || after.MergedInto != nil || after.State == nil || after.Closed() {
		return nil
	}
	fact := Fact{By: doer{by.ID, "", by.Email, by.Name}, Mark: "given " + rand.Text()}
	var facts []Fact
	if given := fact; after.Assignee != nil && !desk.Same(before.Assignee, after.Assignee) && tx.MayBeMember(*after.Assignee, by.Email) {
		given.Kind, given.Users = desk.NotificationAssigned, []string{*after.Assignee}
		facts = append(facts, given)
	}
	if given := fact; after.Team != nil && !desk.Same(before.Team, after.Team) {
		given.Kind, given.Team = desk.NotificationTeam, *after.Team
		facts = append(facts, given)
	}
	return notifySoon(tx, after.ID, facts)
}

// tellOfClock tells the assignee of a request that an SLA of it was missed or is due
// soon.
func tellOfClock(tx *store.Tx, r desk.Request, c desk.SLA, kind desk.NotificationKind) error {
	if r.Assignee == nil {
		return nil
	}
	due := tx.Now
	if c.Due != nil {
		due = *c.Due
	}
	return notifySoon(tx, r.ID, []Fact{{Kind: kind, Users: []string{*r.Assignee}, SLA: c.Kind, Due: c.Due, Mark: fmt.Sprintf("%s %s %d", kind, c.Kind, due.UnixMilli())}})
}

// TellIfDueSoon tells the assignee of a request if a clock of it that is running is
// due soon.
func TellIfDueSoon(tx *store.Tx, r desk.Request, c desk.SLA) error {
	if c.DueSoonAt().After(tx.Now) || !c.Promises() {
		return nil
	}
	return tellOfClock(tx, r, c, desk.NotificationDueSoon)
}

// notifySoon queues a job that tells members of facts.
func notifySoon(tx *store.Tx, id desk.RequestID, facts []Fact) error {
	if len(facts) == 0 {
		return nil
	}
	for i := range facts {
		facts[i].At = tx.Now
	}
	return job.Add(tx.Tx, NotifyMembers{tx.Account, id, facts}, tx.Now)
}

// AddNotifications tells the members whom facts concern and who can see their request,
// except for those who did it and those who are at the request. It can run any number
// of times. It returns who was told.
func AddNotifications(tx *store.Tx, a NotifyMembers, present []desk.MemberID) ([]desk.MemberID, error) {
	r, err := tx.Request(a.Request, desk.Everything)
	if err != nil {
		return nil, desk.IgnoreMissing(err)
	}
	var users []string
	var team desk.TeamID
	followers := false
	for _, f := range a.Facts {
		users, team, followers = append(users, f.Users...), cmp.Or(team, f.Team), followers || f.Followers
	}
	all, err := tx.Concerned(r.ID, users, team, followers, desk.MostNotifiedAtOnce)
	if err != nil {
		return nil, err
	}
	var told []desk.MemberID
	var news []notify.New
	for _, c := range all {
		if slices.Contains(present, c.ID) || !desk.ReachFor(desk.ListNotifications, c.Role, c.Collections).Has(r.Collection.ID) {
			continue
		}
		f, ways := factFor(c, a.Facts)
		if f == nil {
			continue
		}
		n := desk.Notification{Member: c.ID, Kind: f.Kind, Message: f.Message, By: desk.Shorten(f.By.Name, desk.MostPersonName), SLA: f.SLA, Due: f.Due, CreatedAt: f.At}
		news, told = append(news, notify.New{Notification: n, Mark: f.Mark, GoesOut: ways.Elsewhere()}), append(told, c.ID)
		if !ways.Elsewhere() {
			continue
		}
		if err := SendNoticesAt(tx, c.ID, f.At.Add(desk.NotificationPatience)); err != nil {
			return nil, err
		}
	}
	return told, notify.Add(tx, r.ID, news, desk.MostNotifications)
}

// factFor returns the first fact that concerns a member and that they want to be told
// of, or nil.
func factFor(c store.Concerned, facts []Fact) (*Fact, preference.Ways) {
	for i, f := range facts {
		ways := c.Preferences.Notify[f.Kind]
		concerns := c.User != "" && slices.Contains(f.Users, c.User) || f.Team != 0 && c.InTeam || f.Followers && c.Follows
		if concerns && ways.App && !f.By.is(c) {
			return &facts[i], ways
		}
	}
	return nil, preference.Ways{}
}

// SendNotices is a job that sends a member what they have not read in the web app.
type SendNotices struct {
	Account desk.AccountID
	Member  desk.MemberID
}

func (SendNotices) Kind() string { return "notification.send" }

// SendNoticesAt queues the job for a time. One that comes too early queues another.
func SendNoticesAt(tx *store.Tx, member desk.MemberID, at time.Time) error {
	return job.Add(tx.Tx, SendNotices{tx.Account, member}, tx.Now, job.At(at), job.Key(desk.FormatID(tx.Account)+" "+desk.FormatID(member)))
}

// mostInNotice is how many notifications one message tells of. If there are more, it
// says so.
const mostInNotice = 100

// GatherNotices decides which of a member's notifications go out now, and queues one
// message for each way. What was read, or cannot be seen any more, does not go out;
// what is too young, or comes in quiet hours, waits.
func (s Setup) GatherNotices(tx *store.Tx, id desk.MemberID) error {
	m, err := tx.Member(id)
	if err != nil {
		return desk.IgnoreMissing(err) // they were removed
	}
	likes, err := tx.Preferences(id)
	if err != nil {
		return err
	}
	account, err := tx.ThisAccount()
	if err != nil {
		return err
	}
	if until := likes.Quiet.QuietUntil(tx.Now, account.TimeZone); !until.IsZero() {
		return SendNoticesAt(tx, id, until)
	}
	ripe := tx.Now.Add(-desk.NotificationPatience)
	waiting, err := notify.GoingOut(tx, id, desk.ReachFor(desk.ListNotifications, m.Role, m.Collections), mostInNotice)
	if err != nil {
		return err
	}
	var done, chat, email []desk.NotificationID
	var later *time.Time
	for _, n := range waiting {
		if n.CreatedAt.After(ripe) {
			later = &n.CreatedAt
			break
		}
		done = append(done, n.ID)
		if ways := likes.Notify[n.Kind]; n.ReadAt == nil {
			if ways.Chat {
				chat = append(chat, n.ID)
			}
			if ways.Email && s.Mail.Sends {
				email = append(email, n.ID)
			}
		}
	}
	for way, ids := range map[desk.NoticeWay][]desk.NotificationID{desk.NoticeByChat: chat, desk.NoticeByEmail: email} {
		if len(ids) == 0 {
			continue
		}
		if err := AddNotice(tx, store.Notice{Member: id, Way: way}, ids); err != nil {
			return err
		}
	}
	switch {
	case len(waiting) == mostInNotice && later == nil:
		later = &ripe // the rest goes out at once
	case later == nil: // what they do not see any more
		if err := notify.Forget(tx, id, ripe); err != nil {
			return err
		}
	}
	if err := notify.SetTold(tx, id, done, 0, 0); err != nil || later == nil {
		return err
	}
	return SendNoticesAt(tx, id, later.Add(desk.NotificationPatience))
}

// SendNotice is a job that sends a message to a member by the chat system.
type SendNotice struct {
	Account desk.AccountID
	Notice  store.NoticeID
}

func (SendNotice) Kind() string { return "notice.post" }

// MailNotice is a job that sends a message to a member by mail.
type MailNotice struct {
	Account desk.AccountID
	Notice  store.NoticeID
}

func (MailNotice) Kind() string  { return "notice.mail" }
func (MailNotice) Queue() string { return QueueMail }

// AddNotice queues a message to a member about some of their notifications.
func AddNotice(tx *store.Tx, n store.Notice, about []desk.NotificationID) error {
	id, err := tx.AddNotice(n, rand.Text())
	if err != nil {
		return err
	}
	if n.Way == desk.NoticeByEmail {
		if err := notify.SetTold(tx, n.Member, about, 0, id); err != nil {
			return err
		}
		return job.Add(tx.Tx, MailNotice{tx.Account, id}, tx.Now)
	}
	if err := notify.SetTold(tx, n.Member, about, id, 0); err != nil {
		return err
	}
	return job.Add(tx.Tx, SendNotice{tx.Account, id}, tx.Now)
}
