package service

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/report"
	"frontdesk/internal/saved"
	"frontdesk/internal/store"
)

// Reports returns the caller's reports; for admins, everybody's.
func (s *Service) Reports(ctx context.Context, c Caller) ([]report.Report, error) {
	return look(ctx, s, c, desk.ListReports, func(tx *store.Tx) ([]report.Report, error) {
		return saved.Reports(tx, c.Actor.ID, c.Role == desk.Admin)
	})
}

// CreateReport begins to send a dashboard again and again.
func (s *Service) CreateReport(ctx context.Context, c Caller, g report.Given) (report.Report, error) {
	return write(ctx, s, c, desk.CreateReport, func(tx *store.Tx) (r report.Report, err error) {
		zone, err := zoneOf(tx)
		if err != nil {
			return r, err
		}
		if r, err = g.Report(c.Actor.ID, zone, tx.Now); err != nil {
			return r, err
		}
		if _, err := saved.Dashboard(tx, r.Dashboard, c.Actor.ID); err != nil {
			if desk.KindOf(err) == desk.NotFound {
				err = desk.Wrong("dashboard_id", "must name a dashboard that you can see")
			}
			return r, err
		}
		if err := s.checkRecipients(tx, g); err != nil {
			return r, err
		}
		if r, err = added(tx, c, "report.created", r, func(n *report.Report) error { return saved.AddReport(tx, n) }); err != nil {
			return r, err
		}
		return r, change.RunReportAt(tx, r)
	})
}

// UpdateReport changes a report. One that was stopped is sent again.
func (s *Service) UpdateReport(ctx context.Context, c Caller, id report.ReportID, g report.Given) (report.Report, error) {
	return update(ctx, s, c, desk.UpdateReport, "report.updated", id, c.ownReport, func(tx *store.Tx, _ report.Report, r *report.Report) error {
		zone, err := zoneOf(tx)
		if err != nil {
			return err
		}
		if err := r.Apply(g, zone, tx.Now); err != nil {
			return err
		}
		if err := s.checkRecipients(tx, g); err != nil {
			return err
		}
		if err := saved.SaveReport(tx, *r); err != nil {
			return err
		}
		return change.RunReportAt(tx, *r)
	})
}

// DeleteReport ends a report.
func (s *Service) DeleteReport(ctx context.Context, c Caller, id report.ReportID) (None, error) {
	return remove(ctx, s, c, desk.DeleteReport, "report.deleted", id, c.ownReport, saved.RemoveReport)
}

// ownReport finds a report that the caller may change: their own, for admins any.
func (c Caller) ownReport(tx *store.Tx, id report.ReportID) (report.Report, error) {
	r, err := saved.Report(tx, id, c.Actor.ID)
	if err == nil && !r.Mine && c.Role != desk.Admin {
		err = desk.Missing("Report")
	}
	return r, err
}

// SendDashboard sends a dashboard to the caller, once and soon.
func (s *Service) SendDashboard(ctx context.Context, c Caller, id report.DashboardID) (None, error) {
	return write(ctx, s, c, desk.SendDashboard, func(tx *store.Tx) (None, error) {
		d, err := saved.Dashboard(tx, id, c.Actor.ID)
		if err != nil {
			return None{}, err
		}
		user, err := tx.UserIDByEmail(c.Actor.Email)
		if err != nil {
			return None{}, err
		}
		if user == nil {
			return None{}, errNoProfile(c)
		}
		a := change.SendDashboard{Account: tx.Account, Dashboard: id, Member: c.Actor.ID, Mark: rand.Text()}
		if err := job.Add(tx.Tx, a, tx.Now); err != nil {
			return None{}, err
		}
		return None{}, change.Record(tx, c.Actor, "dashboard.sent", d, d)
	})
}

// checkRecipients returns an error if a report cannot be sent to those who were given.
func (s *Service) checkRecipients(tx *store.Tx, g report.Given) error {
	var p desk.Problems
	if g.Members != nil && len(*g.Members) > 0 {
		if !s.change.Mail.Sends {
			return desk.Errorf(desk.Refused, "This server sends no mail. Choose a channel instead.")
		}
		known, err := tx.MembersNamed(*g.Members)
		if err != nil {
			return err
		}
		for i, id := range *g.Members {
			if _, ok := known[id]; !ok {
				p.Add(fmt.Sprintf("member_ids[%d]", i), "must name a member")
			}
		}
	}
	if id := g.Channel.Value; id != nil {
		if err := checkReportChannel(tx, &p, *id); err != nil {
			return err
		}
	}
	return p.Err()
}

// checkReportChannel refuses channels that customers read, and in which a reply would
// become a request.
func checkReportChannel(tx *store.Tx, p *desk.Problems, id string) error {
	known, err := tx.ChannelsNamed([]string{id})
	if err != nil {
		return err
	}
	ch, ok := known[id]
	switch {
	case !ok || ch.Gone || ch.Archived:
		p.Add("channel_id", "must name a channel of the chat system")
		return nil
	case !ch.BotMember:
		p.Add("channel_id", "must name a channel that our bot is in: invite it there first")
		return nil
	}
	customers, err := tx.CustomersOf([]string{id})
	if err != nil {
		return err
	}
	if customers[id] != 0 || ch.Active {
		p.Add("channel_id", "must not name a channel in which customers write: they would read the figures")
	}
	return nil
}

func errNoProfile(c Caller) error {
	return desk.Errorf(desk.Refused, "No user of the chat system has the email %s. Insights are only for people with a profile there.", c.Actor.Email)
}

// zoneOf returns the account's time zone.
func zoneOf(tx *store.Tx) (*time.Location, error) {
	a, err := tx.ThisAccount()
	if err != nil {
		return nil, err
	}
	return time.LoadLocation(a.TimeZone)
}

// moveReports sets when reports are due next, after the account's clocks have changed.
func moveReports(tx *store.Tx, by desk.MemberID, timeZone string) error {
	zone, err := time.LoadLocation(timeZone)
	if err != nil {
		return err
	}
	all, err := saved.Reports(tx, by, true)
	if err != nil {
		return err
	}
	for _, r := range all {
		r.NextAt = r.Next(tx.Now, zone)
		if err := saved.SaveReport(tx, r); err != nil {
			return err
		}
		if err := change.RunReportAt(tx, r); err != nil {
			return err
		}
	}
	return nil
}
