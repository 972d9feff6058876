package stored

import (
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

// Categories are the categories of an account.
func Categories(list *[]string) Column {
	return column("categories", func() any { return *list }, func(stored []string) error {
		*list = stored
		return nil
	})
}

// Actor is who did something. Where it was done from has columns of its own.
func Actor(a *desk.Actor) Column {
	return column("an actor", func() any { return wire.NewActor(*a) }, func(w wire.Actor) error {
		a.Name = w.Name
		if w.ID != nil {
			a.ID = *w.ID
		}
		if w.Email != nil {
			a.Email = *w.Email
		}
		return nil
	})
}

// EmojiRules are a collection's rules for emoji.
func EmojiRules(r *desk.EmojiRules) Column {
	return column("a collection's emoji", func() any { return wire.NewEmojiRules(*r) }, func(w wire.EmojiRules) error {
		*r = desk.EmojiRules(w)
		return nil
	})
}

// SurveyRules are a collection's rules for surveys.
func SurveyRules(r *desk.SurveyRules) Column {
	return column("a collection's surveys", func() any { return wire.SurveyRules(*r) }, func(w wire.SurveyRules) error {
		*r = desk.SurveyRules(w)
		return nil
	})
}

// Hours are the hours of a schedule.
func Hours(s *desk.Schedule) Column {
	return column("a schedule's hours", func() any { return wire.NewSchedule(*s).Hours }, func(week map[string][]wire.HourRange) (err error) {
		s.Hours, _, err = wire.ScheduleTimes(week, nil)
		return err
	})
}

// Holidays are the holidays of a schedule.
func Holidays(s *desk.Schedule) Column {
	return column("a schedule's holidays", func() any { return wire.NewSchedule(*s).Holidays }, func(days []wire.Holiday) (err error) {
		_, s.Holidays, err = wire.ScheduleTimes(nil, days)
		return err
	})
}

// SLAConditions say which requests a policy applies to.
func SLAConditions(c *desk.SLAConditions) Column {
	return column("a policy's conditions", func() any { return wire.NewSLAConditions(*c) }, func(w wire.SLAConditions) error {
		*c = desk.SLAConditions{Priorities: w.Priorities, Customers: w.CustomerIDs, HasTicket: w.HasTicket}
		return nil
	})
}

// EventTypes are the types of events that a webhook wants.
func EventTypes(types *[]desk.EventType) Column {
	return column("a webhook's event types", func() any { return append([]desk.EventType{}, *types...) }, func(stored []desk.EventType) error {
		*types = stored
		return nil
	})
}

type defaultValue struct {
	Text    string          `json:"text,omitempty"`
	Options []desk.OptionID `json:"options,omitempty"`
}

// Default is the default value of a custom field. Its type is the field's, which
// has to be read before it.
func Default(f *desk.CustomField) Column {
	return column("a default value", func() any {
		if v := f.Config.Default; v != nil {
			return defaultValue{v.Text, v.Options}
		}
		return nil
	}, func(v defaultValue) error {
		f.Config.Default = &desk.FieldValue{Type: f.Type, Text: v.Text, Options: v.Options}
		return nil
	})
}

type trackerSettings struct {
	Forward        *bool                   `json:"forward,omitempty"`
	Backward       *bool                   `json:"backward,omitempty"`
	Notifiable     *[]desk.NotifiableField `json:"notifiable,omitempty"`
	ScreenBackward bool                    `json:"screen_backward,omitempty"`
	Status         *bool                   `json:"status,omitempty"`
}

// TrackerSettings are the settings of a tracker. One that was never set has its
// default.
func TrackerSettings(s *desk.TrackerSettings) Column {
	return column("an integration's settings", func() any {
		fields := append([]desk.NotifiableField{}, s.Notifiable...)
		return trackerSettings{&s.Forward, &s.Backward, &fields, s.ScreenBackward, &s.Status}
	}, func(stored trackerSettings) error {
		*s = desk.DefaultTrackerSettings()
		set(&s.Forward, stored.Forward)
		set(&s.Backward, stored.Backward)
		set(&s.Notifiable, stored.Notifiable)
		set(&s.Status, stored.Status)
		s.ScreenBackward = stored.ScreenBackward
		return nil
	})
}

func set[T any](field *T, stored *T) {
	if stored != nil {
		*field = *stored
	}
}

type attempt struct {
	At         millis            `json:"at"`
	Took       int64             `json:"took"` // microseconds
	URL        string            `json:"url"`
	Signature  string            `json:"signature"`
	Status     int               `json:"status,omitempty"`
	Header     map[string]string `json:"header,omitempty"`
	Body       string            `json:"body,omitempty"`
	Cut        bool              `json:"cut,omitempty"`
	Error      string            `json:"error,omitempty"`
	RetryAfter int64             `json:"retry_after,omitempty"` // milliseconds
}

// Attempts are the attempts of a delivery.
func Attempts(all *[]desk.Attempt) Column {
	return column("the attempts of a delivery", func() any {
		return desk.Each(*all, func(a desk.Attempt) attempt {
			return attempt{At: millis(a.At), Took: a.Took.Microseconds(), URL: a.URL, Signature: a.Signature, Status: a.Status,
				Header: a.Header, Body: a.Body, Cut: a.Cut, Error: a.Error, RetryAfter: a.RetryAfter.Milliseconds()}
		})
	}, func(stored []attempt) error {
		*all = desk.Each(stored, func(a attempt) desk.Attempt {
			return desk.Attempt{At: time.Time(a.At), Took: time.Duration(a.Took) * time.Microsecond, URL: a.URL, Signature: a.Signature, Status: a.Status,
				Header: a.Header, Body: a.Body, Cut: a.Cut, Error: a.Error, RetryAfter: time.Duration(a.RetryAfter) * time.Millisecond}
		})
		return nil
	})
}

// MessageEmail is what a message shows of its mail; nil if it has none.
func MessageEmail(e **desk.MessageEmail) Column {
	return column("a message's mail", func() any {
		if *e == nil {
			return nil
		}
		return wire.NewMessageEmail(*e)
	}, func(w wire.MessageEmail) error {
		is := w.Email()
		*e = &is
		return nil
	})
}
