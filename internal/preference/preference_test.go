package preference

import (
	"testing"
	"time"

	"frontdesk/internal/desk"
)

// Quiet hours are those of a clock on the wall, also over midnight and when clocks
// are put forward or back.
func TestQuietHours(t *testing.T) {
	berlin, mars := "Europe/Berlin", "Mars/Phobos"
	night := &QuietHours{Start: 22 * 60, End: 7 * 60}
	lunch := &QuietHours{Start: 12 * 60, End: 13*60 + 30}
	const no = "-"
	for _, c := range []struct {
		q               *QuietHours
		zone, now, want string
	}{
		{nil, "UTC", "2026-05-13T23:00:00Z", no},
		{night, "UTC", "2026-05-13T21:59:59Z", no},
		{night, "UTC", "2026-05-13T22:00:00Z", "2026-05-14T07:00:00Z"},
		{night, "UTC", "2026-05-14T00:00:00Z", "2026-05-14T07:00:00Z"},
		{night, "UTC", "2026-05-14T06:59:59Z", "2026-05-14T07:00:00Z"},
		{night, "UTC", "2026-05-14T07:00:00Z", no},
		{night, berlin, "2026-05-13T20:00:00Z", "2026-05-14T05:00:00Z"},
		{night, "Asia/Tokyo", "2026-05-13T20:00:00Z", "2026-05-13T22:00:00Z"},
		{&QuietHours{night.Start, night.End, &berlin}, "Asia/Tokyo", "2026-05-13T20:00:00Z", "2026-05-14T05:00:00Z"},
		{&QuietHours{night.Start, night.End, &mars}, "Asia/Tokyo", "2026-05-13T22:00:00Z", "2026-05-14T07:00:00Z"}, // a zone that is gone
		{night, berlin, "2026-03-28T22:00:00Z", "2026-03-29T05:00:00Z"},                                            // one hour less
		{night, berlin, "2026-10-24T21:00:00Z", "2026-10-25T06:00:00Z"},                                            // one more
		{lunch, "UTC", "2026-05-13T11:59:00Z", no},
		{lunch, "UTC", "2026-05-13T13:29:00Z", "2026-05-13T13:30:00Z"},
		{lunch, "UTC", "2026-05-13T13:30:00Z", no},
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		got := no
		if end := c.q.QuietUntil(now, c.zone); !end.IsZero() {
			got = end.UTC().Format(time.RFC3339)
		}
		if got != c.want {
			t.Errorf("at %s in %s: %s, want %s", c.now, c.zone, got, c.want)
		}
	}
}

// A change of preferences does not reach into those before it.
func TestPreferencesApply(t *testing.T) {
	before := Usual()
	after := before
	yes := true
	if err := after.Apply(Given{Notify: map[desk.NotificationKind]GivenWays{desk.NotificationMention: {Email: &yes}}}); err != nil {
		t.Fatal(err)
	}
	if before.Notify[desk.NotificationMention].Email || after.Notify[desk.NotificationMention] != (Ways{App: true, Email: true}) {
		t.Errorf("before %+v, after %+v", before.Notify, after.Notify)
	}
	if m, ok := ParseMinutes("7:30"); ok {
		t.Errorf("7:30 is %v", m)
	}
	if m, ok := ParseMinutes("23:59"); !ok || m.String() != "23:59" {
		t.Errorf("23:59 is %v", m)
	}
}
