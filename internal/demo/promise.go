package demo

import (
	"context"

	"frontdesk/internal/desk"
	"frontdesk/internal/hours"
	"frontdesk/internal/service"
)

// officeHours is when the sample desk answers.
const officeHours = "Office hours"

type promise struct {
	name       string
	kind       desk.SLAKind
	priorities []desk.Priority
	minutes    int
	replies    int
}

// promises are what the sample account promises its customers. The first that
// matches a request applies.
var promises = []promise{
	{name: "Urgent: first response within 30 minutes", kind: desk.SLAFirstResponse, priorities: []desk.Priority{desk.Urgent, desk.High}, minutes: 30},
	{name: "First response within two hours", kind: desk.SLAFirstResponse, minutes: 120},
	{name: "Urgent: solved within a day", kind: desk.SLAResolution, priorities: []desk.Priority{desk.Urgent, desk.High}, minutes: 10 * 60},
	{name: "Solved within four days", kind: desk.SLAResolution, minutes: 4 * 10 * 60},
	{name: "Solved with two replies", kind: desk.SLAOneTouch, replies: 2},
}

// addPromises adds the hours and the policies, before there is anything that they
// could apply to.
func (d Desk) addPromises(ctx context.Context, c service.Caller) error {
	there, err := d.Service.SLAPolicies(ctx, c, desk.Page{Limit: desk.MostLimit})
	if err != nil {
		return err
	}
	hours, err := d.hours(ctx, c)
	if err != nil {
		return err
	}
	same := func(p promise, have desk.SLAPolicy) bool { return have.Name == p.name }
	return addMissing(promises, there.Items, same, func(p promise) error {
		given := desk.GivenSLAPolicy{Name: &p.name, Kind: &p.kind}
		if p.kind == desk.SLAOneTouch {
			given.MaxReplies = &p.replies
		} else {
			given.TargetMinutes, given.Schedule = &p.minutes, desk.Just(hours)
		}
		if p.priorities != nil {
			given.Conditions = &desk.GivenConditions{Priorities: &p.priorities}
		}
		_, err := d.Service.CreateSLAPolicy(ctx, c, given)
		return err
	})
}

// hours returns the schedule, and makes it if it does not exist.
func (d Desk) hours(ctx context.Context, c service.Caller) (desk.ScheduleID, error) {
	there, err := d.Service.Schedules(ctx, c, desk.Page{Limit: desk.MostLimit})
	if err != nil {
		return 0, err
	}
	for _, s := range there.Items {
		if s.Name == officeHours {
			return s.ID, nil
		}
	}
	name, zone, week := officeHours, "UTC", map[string][]desk.GivenRange{}
	for _, weekday := range hours.Weekdays[:5] {
		week[weekday] = []desk.GivenRange{{From: "08:00", To: "18:00"}}
	}
	made, err := d.Service.CreateSchedule(ctx, c, desk.GivenSchedule{Name: &name, TimeZone: &zone, Hours: week})
	return made.ID, err
}
