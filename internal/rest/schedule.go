package rest

import (
	"slices"

	"frontdesk/internal/desk"
)

// givenSchedule reads a schedule.
func givenSchedule(b object) desk.GivenSchedule {
	g := desk.GivenSchedule{Name: b.text("name"), TimeZone: b.text("time_zone"), Recompute: member[desk.Recompute](b, "recompute", "a string")}
	if _, ok := b.members["hours"]; ok {
		hours := b.inside("hours")
		g.Hours = map[string][]desk.GivenRange{}
		for name := range hours.members {
			g.Hours[name] = nil // the schedule itself reports unknown days
			if slices.Contains(desk.Weekdays[:], name) {
				g.Hours[name] = ranges(hours, name)
			}
		}
	}
	if days := b.objects("holidays", desk.MostHolidays); days != nil {
		all := make([]desk.GivenHoliday, len(*days))
		for i, d := range *days {
			all[i] = desk.GivenHoliday{Date: d.required("date"), Name: d.nullableText("name").Value, Hours: ranges(d, "hours")}
		}
		g.Holidays = &all
	}
	g.Problem = b.problem()
	return g
}

// ranges reads the time ranges of a day.
func ranges(o object, name string) []desk.GivenRange {
	given := o.objects(name, desk.MostRanges)
	if given == nil {
		return nil
	}
	all := make([]desk.GivenRange, len(*given))
	for i, r := range *given {
		all[i] = desk.GivenRange{From: r.required("from"), To: r.required("to")}
	}
	return all
}
