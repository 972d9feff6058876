package desk

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/hours"
)

func TestGivenSchedule(t *testing.T) {
	text := func(s string) *string { return &s }
	given := func(hours map[string][]GivenRange, holidays ...GivenHoliday) GivenSchedule {
		return GivenSchedule{Name: text("Office"), TimeZone: text("Europe/Berlin"), Hours: hours, Holidays: &holidays}
	}
	many := make([]GivenRange, MostRanges+1)
	for i := range many {
		many[i] = GivenRange{fmt.Sprintf("%02d:00", i), fmt.Sprintf("%02d:30", i)}
	}
	days := make([]GivenHoliday, MostHolidays+1)
	for i := range days {
		days[i].Date = time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC).Format(hours.DateFormat)
	}
	week := map[string][]GivenRange{"monday": {{"09:00", "17:00"}}}
	now := moment(t, "2026-05-13T09:00:00Z")
	for _, c := range []struct {
		name  string
		given GivenSchedule
		wrong string // empty: it is accepted
	}{
		{"plain", given(week), ""},
		{"in any order", given(map[string][]GivenRange{"monday": {{"13:00", "17:00"}, {"09:00", "12:30"}}}), ""},
		{"as many ranges as can be", given(map[string][]GivenRange{"monday": many[:MostRanges]}), ""},
		{"one more", given(map[string][]GivenRange{"monday": many}), "hours.monday must have at most 10 ranges; there are 11"},
		{"as many holidays as can be", given(week, days[:MostHolidays]...), ""},
		{"one more holiday", given(week, days...), "holidays must have at most 366 items; there are 367"},
		{"touching", given(map[string][]GivenRange{"monday": {{"09:00", "12:00"}, {"12:00", "17:00"}}}), ""},
		{"overlapping", given(map[string][]GivenRange{"monday": {{"09:00", "12:01"}, {"12:00", "17:00"}}}), "hours.monday must not overlap; 09:00 to 12:01 overlaps 12:00 to 17:00"},
		{"behind one that goes past midnight", given(map[string][]GivenRange{"monday": {{"09:00", "08:00"}, {"12:00", "17:00"}}}), "must not overlap"},
		{"past midnight up to the next", given(map[string][]GivenRange{"sunday": {{"22:00", "09:00"}}, "monday": {{"09:00", "17:00"}}}), ""},
		{"past midnight into the next", given(map[string][]GivenRange{"sunday": {{"22:00", "09:01"}}, "monday": {{"09:00", "17:00"}}}), "hours.sunday[0] goes past midnight into a range of monday, which begins at 09:00"},
		{"until 24:00", given(map[string][]GivenRange{"monday": {{"00:00", "24:00"}}}), ""},
		{"from 24:00", given(map[string][]GivenRange{"monday": {{"24:00", "24:00"}}}), "hours.monday[0].from must be a time from 00:00 to 23:59"},
		{"until 24:01", given(map[string][]GivenRange{"monday": {{"00:00", "24:01"}}}), "hours.monday[0].to must be a time from 00:00 to 24:00"},
		{"minutes that are none", given(map[string][]GivenRange{"monday": {{"09:60", "10:00"}}}), "hours.monday[0].from must be"},
		{"not a time", given(map[string][]GivenRange{"monday": {{"9:00", "'; --"}}}), "hours.monday[0].from must be"},
		{"no such day", given(map[string][]GivenRange{"funday": {{"09:00", "17:00"}}}), `"funday" is not one of them`},
		{"never open", given(map[string][]GivenRange{"monday": {}}), "hours must have at least one range"},
		{"not a date", given(week, GivenHoliday{Date: "2026-02-30"}), `holidays[0].date must be a date, such as 2026-12-25; "2026-02-30" is not`},
		{"a date twice", given(week, GivenHoliday{Date: "2026-02-28"}, GivenHoliday{Date: "2026-02-28"}), "holidays[1].date is given twice"},
		{"no such zone", GivenSchedule{Name: text("x"), TimeZone: text("Mars/Phobos"), Hours: week}, "time_zone must be an IANA time zone"},
		{"the machine's own zone", GivenSchedule{Name: text("x"), TimeZone: text("Local"), Hours: week}, "time_zone must be an IANA time zone"},
		{"nothing", GivenSchedule{}, "name is required; time_zone is required; hours is required."},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.given.Schedule(now)
			switch {
			case c.wrong == "" && err != nil:
				t.Error(err)
			case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)):
				t.Errorf("it says %v, not %q", err, c.wrong)
			}
		})
	}
}

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
