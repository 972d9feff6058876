package demo

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
)

// moments are values of now of every kind: in the middle of a week, at night, on a
// Sunday, on a Monday morning, at the turn of a year.
var moments = []time.Time{
	time.Date(2026, 5, 13, 11, 20, 0, 0, time.UTC),
	time.Date(2026, 5, 14, 2, 5, 0, 0, time.UTC),
	time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC),
	time.Date(2026, 6, 8, 6, 0, 0, 0, time.UTC),
	time.Date(2027, 1, 1, 0, 0, 30, 0, time.UTC),
}

// People call an agent by the agent's own name.
func TestFirstName(t *testing.T) {
	for email, name := range map[string]string{maya: "Maya", tomas: "Tomás", priya: "Priya", Owner.Email: "Mira"} {
		if got := firstName(email); got != name {
			t.Errorf("%s is called %s, not %s", email, got, name)
		}
	}
}

func TestHistoryIsTheSameForTheSameMoment(t *testing.T) {
	for _, now := range moments {
		one, err := history(now)
		if err != nil {
			t.Fatal(err)
		}
		two, err := history(now)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(one, two) {
			t.Errorf("at %s it is told in two ways", now)
		}
	}
}

func TestHistoryIsBelievable(t *testing.T) {
	for _, now := range moments {
		t.Run(now.Format("Mon 15:04"), func(t *testing.T) {
			all, err := history(now)
			if err != nil {
				t.Fatal(err)
			}
			states, beginnings := map[string]int{}, map[string]bool{}
			messages, first, last, weekend := 0, now, time.Time{}, 0
			for _, s := range all {
				states[string(s.state)+string(s.mark)]++
				messages += len(s.said)
				begins := s.said[0].at
				if begins.Before(first) {
					first = begins
				}
				if begins.After(last) {
					last = begins
				}
				if !working(begins) {
					weekend++
				}
				key := strings.ToLower(s.title + "\n" + s.said[0].text)
				if beginnings[key] {
					t.Errorf("asked twice: %s", key)
				}
				beginnings[key] = true
				checkStory(t, s, now)
			}
			t.Logf("%d stories from %s to %s, %d at weekends, %.1f messages each, %v", len(all), first.Format(time.DateOnly), last.Format(time.DateOnly), weekend, float64(messages)/float64(len(all)), states)
			if span := last.Sub(first); span < 85*day {
				t.Errorf("they span %s", span)
			}
			if float64(messages)/float64(len(all)) < 4 {
				t.Errorf("%d messages in %d stories", messages, len(all))
			}
			for _, state := range desk.States {
				if states[string(state)] < 3 {
					t.Errorf("%d are %s", states[string(state)], state)
				}
			}
			for _, mark := range []desk.NotARequest{desk.Temporary, desk.Permanent} {
				if states[string(desk.Open)+string(mark)] == 0 {
					t.Errorf("none is marked %s", mark)
				}
			}
			if weekend > len(all)/8 {
				t.Errorf("%d of %d were asked at weekends", weekend, len(all))
			}
		})
	}
}

// checkStory looks for what no story may have: an empty slot, a time that runs
// backwards or is in the future, another organisation's domain.
func checkStory(t *testing.T, s story, now time.Time) {
	t.Helper()
	before := s.said[0].at
	for _, m := range s.said {
		if strings.ContainsAny(m.text+s.title, "{}") {
			t.Errorf("story %d says %q", s.number, m.text)
		}
		if m.at.Before(before) || m.at.After(now) {
			t.Errorf("story %d says %q at %s, after %s", s.number, m.text, m.at, before)
		}
		if !strings.HasSuffix(m.author, ".test") {
			t.Errorf("story %d is written by %s", s.number, m.author)
		}
		before = m.at
	}
	for _, at := range []*time.Time{s.solvedAt, s.closedAt} {
		if at != nil && (at.Before(before) || at.After(now)) {
			t.Errorf("story %d ends at %s, after %s", s.number, at, before)
		}
	}
	if n := s.imported(nil); n.Check(desk.RequestRules{OnHoldAllowed: true}, now) != nil {
		t.Errorf("story %d cannot be imported: %v", s.number, n.Check(desk.RequestRules{OnHoldAllowed: true}, now))
	}
}

func TestSubject(t *testing.T) {
	for text, want := range map[string]string{
		"Nothing loads in Porto. Is it you or us?":        "Nothing loads in Porto",
		"Which role is right for an auditor? Thanks":      "Which role is right for an auditor?",
		"Dr. Sandhu cannot sign in":                       "Dr. Sandhu cannot sign in",
		"Release 4.2 broke the planning view for us all!": "Release 4.2 broke the planning view for us all!",
		strings.Repeat("word ", 30):                       strings.TrimSpace(strings.Repeat("word ", 18)) + "…",
	} {
		if got := subject(text); got != want {
			t.Errorf("%q has the subject %q, want %q", text, got, want)
		}
	}
}

func TestConversationFilesAreRead(t *testing.T) {
	all, err := templates()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for language, list := range all {
		n += len(list)
		for i, one := range list {
			if len(one.lines) < 2 || len(one.lines) > 9 {
				t.Errorf("%s %d has %d lines", language, i, len(one.lines))
			}
		}
	}
	if n < 40 {
		t.Errorf("there are %d conversations", n)
	}
	for _, wrong := range []string{"? asked of nobody", "= Cooking | food", "= Data | x\n< 5 never asked", "= Data | x\n? asked\n< soon an answer", "= Data | x\n? asked\n! what"} {
		var read []template
		var err error
		for line := range strings.SplitSeq(wrong, "\n") {
			if read, err = readLine(read, line); err != nil {
				break
			}
		}
		if err == nil {
			t.Errorf("%q was read as %s", wrong, fmt.Sprint(read))
		}
	}
}
