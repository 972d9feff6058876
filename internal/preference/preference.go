// Package preference holds what a member likes: how lists look, how they are told of
// things, and in which hours not. It is functions over values, without I/O.
package preference

import (
	"fmt"
	"time"

	"frontdesk/internal/desk"
)

// Preferences are what a member likes, on every device. What belongs to a device,
// such as the width of a pane, stays there.
type Preferences struct {
	Language    *Language // nil: that of the browser
	Density     Density
	UndoSeconds int  // for how long a message can be taken back
	Timeline    bool // whether a conversation shows what happened between the messages
	Notify      NotifyBy
	Quiet       *QuietHours // nil: none
}

// Language is a language of the web app.
type Language string

const (
	English Language = "en"
	German  Language = "de"
)

// Languages are those that the web app speaks.
var Languages = []Language{English, German}

// Density is how close the rows of lists are.
type Density string

const (
	Comfortable Density = "comfortable"
	Compact     Density = "compact"
)

// MostUndoSeconds is for how long a message can be taken back at most. It is below
// the longest delay of a message.
const MostUndoSeconds = 60

// NotifyBy says for each kind of notification how a member is told.
type NotifyBy map[desk.NotificationKind]Ways

// Ways are how a notification reaches a member. Without App it is not kept, and so
// it goes out by no other way either.
type Ways struct {
	App   bool // the bell in the web app
	Chat  bool // a direct message
	Email bool
}

// Elsewhere reports whether a notification goes out of the web app.
func (w Ways) Elsewhere() bool { return w.Chat || w.Email }

// QuietHours are the hours of each day in which nothing goes out. They end on the
// next day if Start is after End.
type QuietHours struct {
	Start, End Minutes
	Zone       *string // nil: the account's
}

// Minutes is a time of the day, in minutes since midnight.
type Minutes int

// ParseMinutes reads a time of the day, such as 22:00.
func ParseMinutes(s string) (Minutes, bool) {
	t, err := time.Parse("15:04", s)
	return Minutes(t.Hour()*60 + t.Minute()), err == nil && len(s) == len("15:04")
}

func (m Minutes) String() string { return fmt.Sprintf("%02d:%02d", m/60, m%60) }

// Usual returns the preferences of a member who has changed nothing.
func Usual() Preferences {
	p := Preferences{Density: Comfortable, UndoSeconds: 5, Timeline: true, Notify: NotifyBy{}}
	for _, k := range desk.NotificationKinds {
		p.Notify[k] = Ways{App: k != desk.NotificationTeam}
	}
	return p
}

// Given is a change of preferences. A nil field stays as it is.
type Given struct {
	desk.Body
	Language    desk.Nullable[Language]
	Density     *Density
	UndoSeconds *int
	Timeline    *bool
	Notify      map[desk.NotificationKind]GivenWays
	Quiet       desk.Nullable[GivenQuiet]
}

// GivenWays is a change of how a member is told of something.
type GivenWays struct{ App, Chat, Email *bool }

// GivenQuiet are quiet hours as a caller gave them.
type GivenQuiet struct {
	Start, End string
	Zone       *string
}

// Apply makes the whole change, or returns Invalid and changes nothing.
func (p *Preferences) Apply(g Given) error {
	if g.Problem != nil {
		return g.Problem
	}
	if !g.Language.Given && g.Density == nil && g.UndoSeconds == nil && g.Timeline == nil && g.Notify == nil && !g.Quiet.Given {
		return desk.Errorf(desk.Invalid, "Nothing to change: give at least one of language, density, undo_seconds, timeline, notify, quiet_hours.")
	}
	var wrong desk.Problems
	next := *p
	if g.Language.Given {
		if next.Language = g.Language.Value; next.Language != nil {
			desk.OneOf(&wrong, "language", *next.Language, Languages...)
		}
	}
	if set(&next.Density, g.Density); g.Density != nil {
		desk.OneOf(&wrong, "density", next.Density, Comfortable, Compact)
	}
	if set(&next.UndoSeconds, g.UndoSeconds); next.UndoSeconds < 0 || next.UndoSeconds > MostUndoSeconds {
		wrong.Add("undo_seconds", "must be between 0 and %d", MostUndoSeconds)
	}
	set(&next.Timeline, g.Timeline)
	if g.Notify != nil {
		next.Notify = next.Notify.with(g.Notify)
	}
	if g.Quiet.Given {
		next.Quiet = quietHours(g.Quiet.Value, &wrong)
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	*p = next
	return nil
}

// set stores v in the field if v was given.
func set[T any](field, v *T) {
	if v != nil {
		*field = *v
	}
}

// with returns the ways after a change.
func (n NotifyBy) with(given map[desk.NotificationKind]GivenWays) NotifyBy {
	next := NotifyBy{}
	for _, k := range desk.NotificationKinds {
		w, g := n[k], given[k]
		set(&w.App, g.App)
		set(&w.Chat, g.Chat)
		set(&w.Email, g.Email)
		next[k] = w
	}
	return next
}

// quietHours checks quiet hours; nil for none.
func quietHours(g *GivenQuiet, p *desk.Problems) *QuietHours {
	if g == nil {
		return nil
	}
	q := QuietHours{Zone: g.Zone}
	for _, f := range []struct {
		name, given string
		into        *Minutes
	}{{"start", g.Start, &q.Start}, {"end", g.End, &q.End}} {
		var ok bool
		if *f.into, ok = ParseMinutes(f.given); !ok {
			p.Add("quiet_hours."+f.name, "must be a time of the day, such as 22:00")
		}
	}
	if p.Err() == nil && q.Start == q.End {
		p.Add("quiet_hours.end", "must be another time than start")
	}
	if q.Zone != nil && !desk.IsZone(*q.Zone) {
		p.Add("quiet_hours.time_zone", "must be an IANA time zone, such as Europe/Berlin, or null for the account's")
	}
	return &q
}

// QuietUntil returns when the quiet hours end that a moment is in, or the zero time
// if it is in none. zone is the account's.
func (q *QuietHours) QuietUntil(now time.Time, zone string) time.Time {
	if q == nil {
		return time.Time{}
	}
	if q.Zone != nil {
		zone = *q.Zone
	}
	place, err := time.LoadLocation(zone)
	if err != nil {
		place = time.UTC
	}
	here := now.In(place)
	// Those that began yesterday may still last.
	for _, day := range []int{-1, 0} {
		at := func(day int, m Minutes) time.Time {
			return time.Date(here.Year(), here.Month(), here.Day()+day, int(m)/60, int(m)%60, 0, 0, place)
		}
		start, end := at(day, q.Start), at(day, q.End)
		if q.End < q.Start {
			end = at(day+1, q.End)
		}
		if !now.Before(start) && now.Before(end) {
			return end
		}
	}
	return time.Time{}
}
