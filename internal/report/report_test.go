package report

import (
	"testing"
	"time"
)

func TestNext(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		r           Report
		after, next string
	}{
		{Report{Every: Daily, Hour: 9}, "2026-05-13T08:59", "2026-05-13T09:00"},
		{Report{Every: Daily, Hour: 9}, "2026-05-13T09:00", "2026-05-14T09:00"},
		{Report{Every: Weekly, Weekday: "monday", Hour: 0}, "2026-05-13T12:00", "2026-05-18T00:00"}, // the 13th is a Wednesday
		{Report{Every: Weekly, Weekday: "wednesday", Hour: 13}, "2026-05-13T12:00", "2026-05-13T13:00"},
		{Report{Every: Weekly, Weekday: "sunday", Hour: 23}, "2026-05-17T23:00", "2026-05-24T23:00"},
		{Report{Every: Monthly, Day: 31, Hour: 9}, "2026-01-31T09:00", "2026-02-28T09:00"},
		{Report{Every: Monthly, Day: 31, Hour: 9}, "2026-02-28T09:00", "2026-03-31T09:00"},
		{Report{Every: Monthly, Day: 1, Hour: 9}, "2026-12-05T00:00", "2027-01-01T09:00"},
		{Report{Every: Daily, Hour: 2}, "2026-03-29T00:30", "2026-03-29T03:00"}, // two does not exist that day
		{Report{Every: Daily, Hour: 9}, "2026-03-28T10:00", "2026-03-29T09:00"},
	} {
		after, err := time.ParseInLocation("2006-01-02T15:04", test.after, berlin)
		if err != nil {
			t.Fatal(err)
		}
		if got := test.r.Next(after, berlin).In(berlin).Format("2006-01-02T15:04"); got != test.next {
			t.Errorf("%+v after %s is %s, want %s", test.r, test.after, got, test.next)
		}
	}
}

func TestMissed(t *testing.T) {
	for _, test := range []struct {
		bound Bound
		value float64
		want  bool
	}{{AtMost, 60, false}, {AtMost, 60.1, true}, {AtLeast, 60, false}, {AtLeast, 59.9, true}} {
		if got := (Target{Bound: test.bound, Value: 60}).Missed(test.value); got != test.want {
			t.Errorf("%v of %s 60 is missed: %v", test.value, test.bound, got)
		}
	}
}
