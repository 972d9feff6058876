package service

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/mail/relay"
	"frontdesk/internal/report"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// press is an office with a dashboard of requests by collection, and a lead who has only
// one of the two collections with requests in them.
type press struct {
	*office
	lead  Caller
	board report.Dashboard
}

func newPress(t *testing.T, url string) press {
	p := press{office: newOffice(t, url)}
	var ids []desk.CollectionID
	for _, name := range []string{"North <b>", "South"} {
		col, err := p.CreateCollection(ctx, p.caller(), desk.NewCollection{Name: name, Kind: desk.APICollection})
		must(t, err)
		ids = append(ids, col.ID)
	}
	must(t, p.store.Write(ctx, p.account.ID, func(tx *store.Tx) error {
		_, err := tx.PutUsers([]store.Report[desk.User]{{Is: desk.User{ID: "U1", Name: "Admin", Email: p.admin.Email}}, {Is: desk.User{ID: "U2", Name: "Lead", Email: "lead@acme.example"}}}, tx.Now)
		return err
	}))
	for i, id := range ids {
		for range i + 1 {
			_, err := p.CreateRequest(ctx, p.caller(), desk.NewRequest{Title: ptr("x"), Description: "x", Requester: ptr("ines@somewhere.example"), Collection: &id})
			must(t, err)
		}
	}
	role := desk.Agent
	m, err := p.CreateMember(ctx, p.caller(), desk.NewMember{Email: "lead@acme.example", Role: &role, Collections: &[]desk.CollectionID{ids[0]}})
	must(t, err)
	p.lead = Caller{Account: p.account.ID, Role: m.Role, Reach: m.Collections, Scope: desk.ReadWrite, Actor: desk.Actor{ID: m.ID, Name: m.Name, Email: m.Email, Source: desk.SourceAPI}}
	query := desk.InsightsQuery{Measures: []string{"Requests.count"}, Dimensions: []string{"Requests.collection_id"}, TimeDimensions: []desk.TimeDimension{{Dimension: "Requests.created_at", Granularity: "day"}}}
	p.board, err = p.CreateDashboard(ctx, p.caller(), report.GivenDashboard{Name: ptr("Monday"), Shared: ptr(true),
		Cards: &[]report.GivenCard{{New: &report.GivenExploration{Name: ptr("By collection"), Query: &query}, Width: report.WholeWidth}}})
	must(t, err)
	return p
}

// report sets up a daily report at ten, for the caller and by mail.
func (p press) report(by Caller) report.Report {
	p.t.Helper()
	every := report.Daily
	r, err := p.CreateReport(ctx, by, report.Given{Dashboard: &p.board.ID, Every: &every, Hour: ptr(int64(10)), Members: &[]desk.MemberID{p.admin.ID}})
	must(p.t, err)
	return r
}

// settle does what is due now, and returns the mails that went out.
func (p press) settle() []sentMail {
	p.t.Helper()
	_, err := p.Settle(ctx, 0)
	must(p.t, err)
	return p.post.take()
}

// now returns the report as it is.
func (p press) now(id report.ReportID) report.Report {
	p.t.Helper()
	all, err := p.Reports(ctx, p.caller())
	must(p.t, err)
	i := slices.IndexFunc(all, func(r report.Report) bool { return r.ID == id })
	if i < 0 {
		p.t.Fatal("the report is gone")
	}
	return all[i]
}

func eachPress(t *testing.T, fn func(t *testing.T, p press)) {
	dbtest.EachURL(t, func(t *testing.T, url string) { fn(t, newPress(t, url)) })
}

func TestReportsAreSentOnce(t *testing.T) {
	eachPress(t, func(t *testing.T, p press) {
		r := p.report(p.caller())
		if got := p.settle(); len(got) > 0 {
			t.Fatalf("%d mails before it was due", len(got))
		}
		p.clock.move(time.Hour)
		got := p.settle()
		if len(got) != 1 || got[0].to != p.admin.Email || got[0].Subject != "Monday: 14 Apr 2026 to 13 May 2026" {
			t.Fatalf("sent %+v", got)
		}
		for _, part := range []string{"compared with the previous 30 days", "North <b>", "https://desk.example/insights/dashboards/", "admin may see"} {
			if !strings.Contains(got[0].Text, part) {
				t.Errorf("the text has no %q:\n%s", part, got[0].Text)
			}
		}
		if now := p.now(r.ID); now.SentAt == nil || !now.NextAt.Equal(r.NextAt.AddDate(0, 0, 1)) {
			t.Errorf("afterwards it is %+v", now)
		}
		// Two processes at once, and jobs that run again.
		if got := p.settle(); len(got) > 0 {
			t.Errorf("sent again: %d mails", len(got))
		}
		// Of five days without a server, the last is sent.
		p.clock.move(5*24*time.Hour + time.Hour)
		if got := p.settle(); len(got) != 1 || got[0].Subject != "Monday: 19 Apr 2026 to 18 May 2026" {
			t.Errorf("after an outage %d mails were sent", len(got))
		}
		if now := p.now(r.ID); !now.NextAt.Equal(r.NextAt.AddDate(0, 0, 6)) {
			t.Errorf("it is due next at %v", now.NextAt)
		}
		// A mail of which nobody knows whether it was sent is not sent again.
		p.post.answers = []error{relay.ErrPerhaps}
		p.clock.move(24 * time.Hour)
		p.settle()
		if got := p.settle(); len(got) > 0 || !strings.Contains(p.now(r.ID).Failure, "may not have been sent") {
			t.Errorf("after a broken connection: %d mails, %q", len(got), p.now(r.ID).Failure)
		}
		// One that the relay did not take is tried again.
		p.post.answers = []error{desk.Errorf(desk.Unavailable, "The mail server does not answer.")}
		p.clock.move(24 * time.Hour)
		p.settle()
		p.clock.move(time.Minute)
		if got := p.settle(); len(got) != 1 || p.now(r.ID).Failure != "" {
			t.Errorf("after a refusal for now: %d mails, %q", len(got), p.now(r.ID).Failure)
		}
	})
}

func TestReportsShowWhatTheirOwnerMaySee(t *testing.T) {
	eachPress(t, func(t *testing.T, p press) {
		p.report(p.lead)
		p.clock.move(time.Hour)
		got := p.settle()
		if len(got) != 1 || !strings.Contains(got[0].Text, "North") || strings.Contains(got[0].Text, "South") {
			t.Fatalf("the admin got %+v", got)
		}
		// What one asks for oneself shows what one may see, too.
		_, err := p.SendDashboard(ctx, p.caller(), p.board.ID)
		must(t, err)
		if got := p.settle(); len(got) != 1 || !strings.Contains(got[0].Text, "South") {
			t.Fatalf("the admin asked for %+v", got)
		}
	})
}

func TestReportsStop(t *testing.T) {
	for name, lose := range map[string]func(p press) error{
		"is no longer a member": func(p press) error {
			_, err := p.DeleteMember(ctx, p.caller(), p.lead.Actor.ID)
			return err
		},
		"is a viewer now": func(p press) error {
			_, err := p.UpdateMember(ctx, p.caller(), p.lead.Actor.ID, desk.MemberChange{Role: ptr(desk.Viewer)})
			return err
		},
		"has no collection any more": func(p press) error {
			_, err := p.UpdateMember(ctx, p.caller(), p.lead.Actor.ID, desk.MemberChange{Collections: desk.Just([]desk.CollectionID{})})
			return err
		},
		"was deleted": func(p press) error {
			_, err := p.DeleteDashboard(ctx, p.caller(), p.board.ID)
			return err
		},
		"no profile in the chat system": func(p press) error {
			return p.store.DB().Write(ctx, func(tx *sqldb.Tx) error {
				return tx.Do("/* every account: there is one */ UPDATE users SET deleted = TRUE, email_folded = '' WHERE user_id = 'U2'")
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPress(t, dbtest.URL(t, sqldb.SQLite))
			r := p.report(p.lead)
			must(t, lose(p))
			p.clock.move(time.Hour)
			if got := p.settle(); len(got) > 0 {
				t.Errorf("%d mails", len(got))
			}
			if now := p.now(r.ID); !strings.Contains(now.Stopped, name) {
				t.Errorf("it says %q", now.Stopped)
			}
			if log := p.auditLog(); log[len(log)-1].Action != "report.stopped" {
				t.Errorf("the log ends with %s", log[len(log)-1].Action)
			}
			p.clock.move(24 * time.Hour)
			if got := p.settle(); len(got) > 0 {
				t.Errorf("a day later: %d mails", len(got))
			}
		})
	}
}

// When the account moves, its reports go by the new clock.
func TestReportsMoveWithTheAccount(t *testing.T) {
	p := newPress(t, dbtest.URL(t, sqldb.SQLite))
	r := p.report(p.caller())
	_, err := p.UpdateAccount(ctx, p.caller(), desk.AccountChange{TimeZone: ptr("America/New_York")})
	must(t, err)
	if now := p.now(r.ID); !now.NextAt.Equal(time.Date(2026, 5, 13, 14, 0, 0, 0, time.UTC)) {
		t.Errorf("it is due at %v", now.NextAt)
	}
	p.clock.move(time.Hour)
	if got := p.settle(); len(got) > 0 {
		t.Errorf("%d mails by the old clock", len(got))
	}
	p.clock.move(4 * time.Hour)
	if got := p.settle(); len(got) != 1 {
		t.Errorf("%d mails by the new clock", len(got))
	}
}

// A restore leaves a letter behind for a report that was due: it may have been sent.
func TestReportsAfterARestore(t *testing.T) {
	eachPress(t, func(t *testing.T, p press) {
		r := p.report(p.caller())
		must(t, p.store.Write(ctx, p.account.ID, func(tx *store.Tx) error {
			_, err := tx.AddLetter(&store.Letter{Report: r.ID, Mark: fmt.Sprintf("report %d %d", r.ID, r.NextAt.UnixMilli())}, nil)
			return err
		}))
		p.clock.move(time.Hour)
		got, now := p.settle(), p.now(r.ID)
		if len(got) > 0 || now.SentAt != nil || !strings.Contains(now.Failure, "restored") || !now.NextAt.Equal(r.NextAt.AddDate(0, 0, 1)) {
			t.Errorf("%d mails; it is %+v", len(got), now)
		}
		p.clock.move(24 * time.Hour)
		if got, now := p.settle(), p.now(r.ID); len(got) != 1 || now.Failure != "" {
			t.Errorf("a day later: %d mails, %q", len(got), now.Failure)
		}
	})
}

// A report comes once in its channel, and what somebody asks for as a direct message
// where the server sends no mail.
func TestReportsByChat(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h, _ := newDesk(w, func(*desk.NewCollection) {})
		m := h.newMember("priya@acme.test", desk.Agent)
		priya := Caller{Account: h.account.ID, Actor: desk.Actor{ID: m.ID, Name: m.Name, Email: m.Email, Source: desk.SourceAPI}, Role: desk.Agent, Reach: desk.Everything, Scope: desk.ReadWrite}
		query, every := desk.InsightsQuery{Measures: []string{"Requests.count"}, TimeDimensions: []desk.TimeDimension{{Dimension: "Requests.created_at"}}}, report.Daily
		board, err := h.CreateDashboard(ctx, priya, report.GivenDashboard{Name: ptr("Monday"),
			Cards: &[]report.GivenCard{{New: &report.GivenExploration{Name: ptr("Arrivals"), Query: &query}, Width: report.WholeWidth}}})
		must(t, err)
		r, err := h.CreateReport(ctx, priya, report.Given{Dashboard: &board.ID, Every: &every, Channel: desk.Just(h.triage)})
		must(t, err)
		count := func(user, channel string) (n int) {
			messages, err := h.box.As(user).History(ctx, channel, 100)
			must(t, err)
			for _, m := range messages {
				if strings.Contains(m.Text, "Monday") && strings.Contains(m.Text, "Arrivals") {
					n++
				}
			}
			return n
		}
		h.clock.move(24 * time.Hour)
		become(t, "a message in the channel", func() []int { return make([]int, count(h.maya, h.triage)) }, func(n []int) bool { return len(n) == 1 })
		all, err := h.Reports(ctx, priya)
		must(t, err)
		if n := count(h.maya, h.triage); n != 1 || all[0].ID != r.ID || all[0].SentAt == nil || all[0].Failure != "" {
			t.Fatalf("%d messages in the channel; the report is %+v", n, all[0])
		}
		_, err = h.SendDashboard(ctx, priya, board.ID)
		must(t, err)
		become(t, "a direct message", func() (direct []int) {
			conversations, err := h.box.As(h.priya).Conversations(ctx)
			must(t, err)
			for _, c := range conversations {
				if c.IsIM {
					direct = append(direct, make([]int, count(h.priya, c.ID))...)
				}
			}
			return direct
		}, func(n []int) bool { return len(n) == 1 })
		if n := count(h.maya, h.triage); n != 1 {
			t.Errorf("%d messages in the channel", n)
		}
	})
}
