package rest

import (
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/hours"
)

// givenSchedule reads a schedule.
func givenSchedule(b object) desk.GivenSchedule {
	g := desk.GivenSchedule{Name: b.text("name"), TimeZone: b.text("time_zone"), Recompute: member[desk.Recompute](b, "recompute", "a string")}
	if b.has("hours") {
		week := b.inside("hours")
		g.Hours = map[string][]desk.GivenRange{}
		for name := range week.members {
			g.Hours[name] = nil // the schedule itself reports unknown days
			if slices.Contains(hours.Weekdays[:], name) {
				g.Hours[name] = ranges(week, name)
			}
		}
	}
	if days := b.objects("holidays", desk.MostHolidays); days != nil {
		all := desk.Each(*days, func(d object) desk.GivenHoliday {
			return desk.GivenHoliday{Date: d.required("date"), Name: d.nullableText("name").Value, Hours: ranges(d, "hours")}
		})
		g.Holidays = &all
	}
	return g
}

// ranges reads the time ranges of a day.
func ranges(o object, name string) []desk.GivenRange {
	return desk.Each(orZero(o.objects(name, desk.MostRanges)), func(r object) desk.GivenRange {
		return desk.GivenRange{From: r.required("from"), To: r.required("to")}
	})
}
