package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/blob/blobtest"
	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/mail"
	"frontdesk/internal/mail/relay"
	"frontdesk/internal/notify"
	"frontdesk/internal/preference"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
	"frontdesk/internal/worker"
)

// letterbox takes the mail of a company, and may refuse it.
type letterbox struct {
	mu     sync.Mutex
	mails  []mail.Mail
	to     []string
	answer error
}

func (b *letterbox) Send(_ context.Context, _, to string, raw []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.answer != nil {
		return b.answer
	}
	m, err := mail.Parse(raw)
	b.mails, b.to = append(b.mails, m), append(b.to, to)
	return err
}

// take returns what has come since the last look.
func (b *letterbox) take() (texts []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, m := range b.mails {
		texts = append(texts, b.to[i]+" | "+m.Header.Get("Subject")+" | "+strings.Join(strings.Fields(m.Text), " "))
	}
	b.mails, b.to = nil, nil
	return texts
}

// told is a company where jo, an agent in the chat system, is told things by an admin.
type told struct {
	*company
	jo  desk.Member
	id  desk.RequestID
	box *letterbox
}

func newTold(t *testing.T, url string) *told {
	b := &letterbox{}
	n := &told{box: b, company: openCompany(t, &company{url: url, clock: &clock{now: time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)}, relay: b, blobs: blobtest.New(t, t.TempDir()),
		mail: change.Mail{Domain: mailDomain, Tokens: mail.NewTokens(key), Sends: true}})}
	n.newCollection("API", desk.APICollection)
	n.jo = n.newMember("jo@acme.example", desk.Agent)
	must(t, n.store.Write(ctx, n.account.ID, func(tx *store.Tx) error {
		_, err := tx.PutUsers([]store.Report[desk.User]{{Is: desk.User{ID: "U_JO", Name: "Jo", Email: "jo@acme.example"}, Revision: 1}}, tx.Now)
		return err
	}))
	n.id = n.request("The printer", "It prints everything twice.").ID
	n.settle()
	return n
}

// settle does what is due now.
func (n *told) settle() {
	n.t.Helper()
	_, err := n.Settle(ctx, 0)
	must(n.t, err)
}

// as is the agent in a browser.
func (n *told) as() Caller {
	return Caller{Account: n.account.ID, Actor: desk.Actor{ID: n.jo.ID, Name: n.jo.Name, Email: n.jo.Email, Source: desk.SourceAPI}, Role: desk.Agent, Reach: desk.Everything,
		Scope: desk.ReadWrite, Token: 4711, Session: true}
}

func (n *told) likes(g preference.Given) {
	n.t.Helper()
	_, err := n.UpdatePreferences(ctx, n.as(), g)
	must(n.t, err)
}

// mailAll makes the agent get mentions by mail.
func (n *told) mailMentions() {
	n.likes(preference.Given{Notify: map[desk.NotificationKind]preference.GivenWays{desk.NotificationMention: {Email: ptr(true)}}})
}

// names makes the admin name the agent in a note.
func (n *told) names(text string) {
	n.t.Helper()
	_, err := n.Service.AddMessage(ctx, n.caller(), n.id, desk.NewMessage{HTML: ptr(`<p><span data-user="U_JO">@Jo</span> ` + text + `</p>`), Private: true})
	must(n.t, err)
	n.settle()
}

// has returns the agent's notifications, the oldest first.
func (n *told) has() (kinds []string) {
	n.t.Helper()
	l, err := n.Notifications(ctx, n.as(), desk.NotificationFilter{Unread: true}, desk.Page{Ascending: true})
	must(n.t, err)
	for _, one := range l.Items {
		kinds = append(kinds, string(one.Kind)+" "+string(one.SLA))
	}
	return kinds
}

// mailed compares what was mailed since the last look. Each is a part of a mail.
func (n *told) mailed(want ...string) {
	n.t.Helper()
	n.settle()
	got := n.box.take()
	if len(got) != len(want) {
		n.t.Fatalf("mailed %q, want %q", got, want)
	}
	for i, part := range want {
		if !strings.Contains(got[i], part) || !strings.HasPrefix(got[i], "jo@acme.example | ") {
			n.t.Errorf("mailed %q, want %q", got[i], part)
		}
	}
}

func eachTold(t *testing.T, fn func(n *told)) {
	dbtest.EachURL(t, func(t *testing.T, url string) { fn(newTold(t, url)) })
}

// A notification that is not read in two minutes is mailed once. One that is read in
// time is not, and neither is one that the member cannot see any more.
func TestNotices(t *testing.T) {
	eachTold(t, func(n *told) {
		n.names("one")
		n.clock.move(desk.NotificationPatience)
		n.mailed() // nobody wants mail
		n.mailMentions()
		n.names("two")
		n.clock.move(desk.NotificationPatience - time.Second)
		n.mailed()
		n.names("three, which is too young")
		n.clock.move(time.Second)
		n.mailed("| admin mentioned you: The printer |")
		n.clock.move(desk.NotificationPatience)
		n.mailed("three, which is too young")
		n.clock.move(time.Hour)
		n.mailed()

		n.names("four")
		_, err := n.ReadRequest(ctx, n.as(), n.id)
		must(n.t, err)
		n.clock.move(time.Hour)
		n.mailed()

		n.names("five")
		none := desk.Just([]desk.CollectionID{})
		_, err = n.UpdateMember(ctx, n.caller(), n.jo.ID, desk.MemberChange{Collections: none})
		must(n.t, err)
		n.clock.move(time.Hour)
		n.mailed()
		_, err = n.UpdateMember(ctx, n.caller(), n.jo.ID, desk.MemberChange{Collections: desk.Null[[]desk.CollectionID]()})
		must(n.t, err)
		n.names("six") // and five stays unsaid
		n.clock.move(time.Hour)
		n.mailed("| admin mentioned you: The printer |")
	})
}

// What would go out in quiet hours goes out as one mail when they end. What was read
// until then is not in it.
func TestNoticesAfterQuietHours(t *testing.T) {
	eachTold(t, func(n *told) {
		n.mailMentions()
		n.likes(preference.Given{Quiet: desk.Just(preference.GivenQuiet{Start: "09:01", End: "17:00"})})
		n.names("one")
		n.clock.move(time.Hour)
		n.mailed()
		n.names("two")
		n.names("three")
		n.clock.move(6*time.Hour + 59*time.Minute)
		n.mailed()
		n.clock.move(time.Minute)
		n.mailed("| 3 notifications |")
		n.clock.move(time.Hour)
		n.mailed()
	})
}

// A mail is sent once, however often the jobs run: one that the relay puts off is tried
// again, and one of which nobody knows whether it took it is not.
func TestNoticesAreSentOnce(t *testing.T) {
	eachTold(t, func(n *told) {
		n.mailMentions()
		n.box.answer = errors.New("try later")
		n.names("one")
		n.clock.move(desk.NotificationPatience)
		n.mailed()
		n.box.answer = nil
		n.clock.move(time.Minute)
		n.mailed("mentioned you")
		again := change.MailNotice{Account: n.account.ID, Notice: 1}
		for range 2 {
			must(n.t, n.Do(ctx, &job.Job{Attempt: 2}, again))
			must(n.t, n.Do(ctx, &job.Job{Attempt: 1}, change.SendNotices{Account: n.account.ID, Member: n.jo.ID}))
		}
		n.mailed()

		n.box.answer = relay.ErrPerhaps
		n.names("two")
		n.clock.move(desk.NotificationPatience)
		n.mailed()
		n.box.answer = nil
		n.clock.move(time.Hour)
		n.mailed()
	})
}

// Who looks at a request is not told of what happens there.
func TestNotificationsOfPresent(t *testing.T) {
	eachTold(t, func(n *told) {
		at := desk.GivenPresence{Tab: "1", Doing: desk.Just(desk.Looking)}
		_, err := n.SetPresence(ctx, n.as(), n.id, at)
		must(n.t, err)
		n.names("one")
		if got := n.has(); len(got) > 0 {
			n.t.Errorf("told %q", got)
		}
		n.clock.move(desk.PresenceKept)
		n.names("two")
		if got := n.has(); len(got) != 1 {
			n.t.Errorf("after they have left: %q", got)
		}
	})
}

// The assignee is told once that an SLA is due soon and once that it was missed.
func TestNotificationsOfSLAs(t *testing.T) {
	eachTold(t, func(n *told) {
		_, err := n.CreateSLAPolicy(ctx, n.caller(), desk.GivenSLAPolicy{Name: ptr("Fast"), Kind: ptr(desk.SLAFirstResponse), TargetMinutes: ptr(60)})
		must(n.t, err)
		n.id = n.request("The door", "It does not open.").ID
		_, err = n.UpdateRequest(ctx, n.caller(), n.id, desk.RequestChange{Assignee: desk.Just("U_JO")})
		must(n.t, err)
		step := func(d time.Duration, want ...string) {
			n.t.Helper()
			n.clock.move(d)
			n.settle()
			if got := n.has(); !slices.Equal(got, want) {
				n.t.Errorf("told %q, want %q", got, want)
			}
		}
		step(45*time.Minute-time.Second, "assigned ")
		step(time.Second, "assigned ", "sla_due first_response")
		step(15*time.Minute, "assigned ", "sla_due first_response")
		step(time.Second, "assigned ", "sla_due first_response", "sla_breached first_response")
		step(time.Hour, "assigned ", "sla_due first_response", "sla_breached first_response")
	})
}

// What the requester writes is told to the assignee and to who follows. A thing is told
// once, however often the job runs.
func TestNotificationsOfAnswers(t *testing.T) {
	eachTold(t, func(n *told) {
		s := snoozing{n.company, n.id}
		n.clock.move(time.Minute)
		must(n.t, s.says("<p>Hello?</p>"))
		if jobs := n.rows("jobs WHERE kind = 'notification.add'"); jobs != 0 {
			n.t.Errorf("%d jobs for what concerns nobody", jobs)
		}
		must(n.t, n.store.Write(ctx, n.account.ID, func(tx *store.Tx) error { // who is in the chat system, and no member
			_, err := tx.PutUsers([]store.Report[desk.User]{{Is: desk.User{ID: "U_KIM", Name: "Kim", Email: "kim@acme.example"}, Revision: 1}}, tx.Now)
			return err
		}))
		_, err := n.UpdateRequest(ctx, n.caller(), n.id, desk.RequestChange{Assignee: desk.Just("U_KIM")})
		must(n.t, err)
		must(n.t, s.says("<p>Hello, Kim?</p>"))
		if jobs := n.rows("jobs WHERE kind = 'notification.add'"); jobs != 0 {
			n.t.Errorf("%d jobs for who is no member", jobs)
		}
		_, err = n.UpdateRequest(ctx, n.caller(), n.id, desk.RequestChange{Assignee: desk.Null[string]()})
		must(n.t, err)
		_, err = n.FollowRequest(ctx, n.as(), n.id)
		must(n.t, err)
		must(n.t, s.says("<p>Is anybody there?</p>"))
		n.settle()
		if got := n.has(); !slices.Equal(got, []string{"answer "}) {
			n.t.Errorf("a follower is told %q", got)
		}
		said := n.said(n.id).Messages
		last := said[len(said)-1]
		twice := change.NotifyMembers{Account: n.account.ID, Request: n.id, Facts: []change.Fact{{Kind: desk.NotificationAnswer, Followers: true, Message: last.ID,
			Mark: "message " + desk.FormatID(last.ID), At: n.clock.Now()}}}
		must(n.t, n.Do(ctx, &job.Job{Attempt: 2}, twice))
		if got := n.has(); len(got) != 1 {
			n.t.Errorf("after another run: %q", got)
		}
		_, err = n.UpdateRequest(ctx, n.as(), n.id, desk.RequestChange{Assignee: desk.Just("U_JO")})
		must(n.t, err)
		if jobs := n.rows("jobs WHERE kind = 'notification.add'"); jobs != 0 {
			n.t.Errorf("%d jobs for what somebody gave to themselves", jobs)
		}
		_, err = n.UnfollowRequest(ctx, n.as(), n.id)
		must(n.t, err)
		must(n.t, s.says("<p>I go now.</p>"))
		n.settle()
		if got := n.has(); len(got) != 2 {
			n.t.Errorf("the assignee is told %q", got)
		}
	})
}

// Of each member the newest are kept, and none for longer than they are of use.
func TestNotificationsAreBounded(t *testing.T) {
	eachTold(t, func(n *told) {
		const most = 3
		for i := range most + 2 {
			must(n.t, n.store.Write(ctx, n.account.ID, func(tx *store.Tx) error {
				one := desk.Notification{Member: n.jo.ID, Kind: desk.NotificationMention, CreatedAt: tx.Now}
				return notify.Add(tx, n.id, []notify.New{{Notification: one, Mark: fmt.Sprint(i)}}, most)
			}))
			if rows := n.rows("notifications"); rows != min(i+1, most) {
				n.t.Errorf("%d notifications after %d", rows, i+1)
			}
			n.clock.move(time.Millisecond)
		}
		var oldest string
		must(n.t, n.store.DB().Read(ctx, func(tx *sqldb.Tx) error { return tx.Row("SELECT min(mark) FROM notifications").Scan(&oldest) }))
		if oldest != "2" {
			n.t.Errorf("the oldest is %s", oldest)
		}
		n.clock.move(desk.NotificationsKept - 3*time.Millisecond)
		sweep := func() {
			n.t.Helper()
			must(n.t, n.Do(ctx, &job.Job{Attempt: 1}, worker.SweepNotifications{}))
		}
		sweep()
		if rows := n.rows("notifications"); rows != most {
			n.t.Errorf("%d are left too early", rows)
		}
		n.clock.move(2 * time.Hour)
		sweep()
		if rows := n.rows("notifications"); rows != 0 {
			n.t.Errorf("%d are left", rows)
		}
	})
}

// A direct message comes once, also if nobody recorded that it was posted. A test comes
// at once.
func TestNoticesByChat(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h, _ := newDesk(w, func(*desk.NewCollection) {})
		member := h.newMember("priya@acme.test", desk.Agent)
		priya := Caller{Account: h.account.ID, Actor: desk.Actor{ID: member.ID, Name: member.Name, Email: member.Email, Source: desk.SourceAPI}, Role: desk.Agent, Reach: desk.Everything, Scope: desk.ReadWrite}
		_, err := h.UpdatePreferences(ctx, priya, preference.Given{Notify: map[desk.NotificationKind]preference.GivenWays{desk.NotificationMention: {Chat: ptr(true)}}})
		must(t, err)
		direct := func() (texts []string) {
			all, err := h.box.As(h.priya).Conversations(ctx)
			must(t, err)
			for _, c := range all {
				if !c.IsIM {
					continue
				}
				messages, err := h.box.As(h.priya).History(ctx, c.ID, 10)
				must(t, err)
				for _, m := range messages {
					texts = append(texts, m.Text)
				}
			}
			return texts
		}
		id := h.creates("The door does not open")
		h.rests()
		before := len(direct())
		_, err = h.Service.AddMessage(ctx, h.caller(), id, desk.NewMessage{HTML: ptr(`<p><span data-user="` + h.priya + `">@Priya</span> is it yours?</p>`), Private: true})
		must(t, err)
		become(t, "a notification", func() []int { return make([]int, h.rows("notifications")) }, func(n []int) bool { return len(n) == 1 })
		h.clock.move(desk.NotificationPatience)
		h.rests()
		if got := direct(); len(got) != before+1 || !slices.ContainsFunc(got, func(s string) bool {
			return strings.Contains(s, "mentioned you") && strings.Contains(s, "is it yours?")
		}) {
			t.Fatalf("told %q", got)
		}
		must(t, h.store.DB().Write(ctx, func(tx *sqldb.Tx) error {
			return tx.Do("UPDATE notices SET shown = 0, channel_id = NULL, external_id = NULL")
		}))
		for range 2 {
			must(t, h.Do(ctx, &job.Job{ID: 4711, Attempt: 2}, change.SendNotice{Account: h.account.ID, Notice: 1}))
		}
		if got := direct(); len(got) != before+1 {
			t.Errorf("told again: %q", got)
		}
		if _, err := h.TestNotification(ctx, priya, desk.TestNotice{Way: desk.NoticeByChat}); err != nil {
			t.Fatal(err)
		}
		h.rests()
		if got := direct(); len(got) != before+2 {
			t.Errorf("after a test: %q", got)
		}
	})
}
