package wire

import "frontdesk/internal/desk"

// Snooze is the snooze of a request, while it lasts and until somebody does
// something with the request that came back.
type Snooze struct {
	Until *Time     `json:"until"`
	At    Time      `json:"at"`
	By    *snoozer  `json:"by"`
	Back  *cameBack `json:"back"`
}

type (
	snoozer struct {
		ID   desk.MemberID `json:"id"`
		Name string        `json:"name"`
	}
	cameBack struct {
		At     Time            `json:"at"`
		Reason desk.BackReason `json:"reason"`
	}
	// snoozeUntil is a snooze as a change gives it.
	snoozeUntil struct {
		Until *Time `json:"until"`
	}
)

func newSnooze(s *desk.Snooze) *Snooze {
	if s == nil {
		return nil
	}
	w := Snooze{Until: optional(s.Until), At: NewTime(s.At)}
	if s.By != 0 {
		w.By = &snoozer{s.By, s.ByName}
	}
	if s.Back != nil {
		w.Back = &cameBack{NewTime(s.Back.At), s.Back.Reason}
	}
	return &w
}

// newPastValue returns what a field was, in the form in which a change gives it.
func newPastValue(v any) any {
	if s, ok := v.(*desk.SnoozeUntil); ok {
		return snoozeUntil{optional(s.Until)}
	}
	return v
}
