package linear_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"frontdesk/internal/desk"
	"frontdesk/internal/markup"
	"frontdesk/internal/tracker"
	"frontdesk/internal/tracker/linear"
	"frontdesk/internal/tracker/linear/lineartest"
	"frontdesk/internal/tracker/trackertest"
)

// The connector and the Linear of these tests were written separately, each from
// the published reference. So their agreement was not arranged.
func TestConforms(t *testing.T) { trackertest.Run(t, open) }

// workspace returns a Linear and a connector to it.
func workspace(t *testing.T, c lineartest.Config) (*lineartest.Server, *linear.Linear) {
	l := lineartest.New(c)
	server := httptest.NewServer(l)
	t.Cleanup(func() {
		server.Close()
		l.Close()
	})
	return l, linear.New(linear.Config{API: server.URL + "/graphql", Unlimited: true, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
}

func open(t *testing.T) *trackertest.World {
	l, system := workspace(t, lineartest.Config{PlainHooks: true})
	us, mira := l.Person("Desk", "desk@acme.test", true), l.Person("Mira Vance", "mira@acme.test", false)
	team := l.Team("ENG", "Engineering")
	return &trackertest.World{
		System:     system,
		Credential: tracker.Credential{Token: us.Key()},
		States:     []desk.State{desk.Open, desk.InProgress, desk.Pending, desk.OnHold, desk.Solved, desk.Closed},
		Missing:    []string{"ENG-99", "ENG-0", "OPS-1", "ENG", "99", "#1", "-1", "ENG-1/../2", "00000000-0000-4000-8000-000000000000", team.ID, mira.ID, "https://linear.app/acme/issue/ENG-99"},
		Author:     tracker.Author{ID: mira.ID, Name: "Mira Vance", Email: "mira@acme.test"},
		Open: func(title string) trackertest.Ticket {
			i := mira.CreateIssue(team.ID, title, "Help")
			return trackertest.Ticket{ID: i.ID, Name: i.Identifier, Title: title}
		},
		Say: func(ticket, text string, _ bool) string { return mira.Comment(ticket, text).ID },
		Read: func(ticket string) (all []trackertest.Shown) {
			for _, c := range l.Comments(ticket) {
				all = append(all, trackertest.Shown{ID: c.ID, Text: shown(t, c.Body)})
			}
			return all
		},
		Move: func(ticket string, state desk.State) {
			mira.Move(ticket, team.State(map[desk.State]string{desk.Open: "Backlog", desk.InProgress: "In Review", desk.Pending: "In Review", desk.OnHold: "In Review",
				desk.Solved: "Canceled", desk.Closed: "Canceled"}[state]).ID)
		},
		Status: func(ticket string) string { return l.Issue(ticket).State.ID },
		Delete: mira.DeleteIssue,
		Revoke: us.Revoke,
		Demote: func() { us.SetAdmin(false) },
		Watching: func() (all []string) {
			for _, w := range l.Webhooks() {
				all = append(all, w.URL)
			}
			return all
		},
		Misbehave: func(f trackertest.Fault, nth int) {
			fault := lineartest.Fault{Skip: nth - 1, After: f == trackertest.LoseAnswer}
			if f == trackertest.ErrorAnswer {
				fault.Status = 500
			}
			l.Fail(fault)
		},
		Struck: func() bool { return l.Heal() == 0 },
		Pause:  func(d time.Duration) { l.Pause(d) },
		Post: func(p trackertest.Post) {
			l.Always(map[trackertest.Post]lineartest.Mishap{trackertest.Double: lineartest.Twice, trackertest.Lose: lineartest.Lost, trackertest.Hold: lineartest.Delayed}[p])
			if p == trackertest.Reverse {
				l.Reverse()
			}
		},
		Settle: l.Settle,
	}
}

// shown returns what people read of a comment, as Linear formats its Markdown.
func shown(t *testing.T, body string) string {
	var b strings.Builder
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert([]byte(body), &b); err != nil {
		t.Error(err)
	}
	return strings.TrimSpace(markup.PlainText(markup.Sanitize(b.String())))
}

// Tests of what the suite cannot ask of every system.
func TestConformsToLinear(t *testing.T) {
	l, system := workspace(t, lineartest.Config{RequestsPerHour: 12})
	us, mira := l.Person("Desk", "desk@acme.test", true), l.Person("Mira", "mira@acme.test", false)
	i := mira.CreateIssue(l.Team("ENG", "Engineering").ID, "Printer", "")
	w := system.Tracker(tracker.Credential{Token: us.Key()})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	read := func(cursor string, want ...string) (next string) {
		t.Helper()
		page, err := w.Comments(t.Context(), i.ID, cursor)
		must(err)
		var got []string
		for _, c := range page.Comments {
			got = append(got, c.Author.Name+": "+c.HTML)
		}
		if !slices.Equal(got, want) {
			t.Errorf("read %q, want %q", got, want)
		}
		return page.Next
	}
	last := mira.Comment(i.ID, "Help")
	next := read("", "Mira: <p>Help</p>")
	mira.Reply(i.ID, last.ID, "Below")
	next = read(next, "Mira: <p>Below</p>")
	mira.CommentByApp(i.ID, "GitHub", "Merged")
	next = read(next, "GitHub: <p>Merged</p>")
	mira.DeleteComment(last.ID) // together with its replies
	mira.EditComment(l.Comments(i.ID)[0].ID, "Merged again")
	next = read(next) // an edited comment stays in its place
	mira.Comment(i.ID, "Bye")
	read(next, "Mira: <p>Bye</p>")

	const address = "https://desk.test/hooks/1"
	secret, err := w.Watch(t.Context(), address)
	must(err)
	l.DisableWebhook(l.Webhooks()[0].ID)
	again, err := w.Watch(t.Context(), address)
	must(err)
	if all := l.Webhooks(); again != secret || len(all) != 1 || !all[0].Enabled {
		t.Errorf("the webhooks are %+v, and the secret was %s and is %s", all, secret, again)
	}

	for range 3 {
		_, err = w.Ticket(t.Context(), i.Identifier)
		must(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	_, err = w.Ticket(ctx, i.Identifier)
	if e := (*desk.Error)(nil); !errors.As(err, &e) || e.Kind != desk.Busy || e.RetryAfter < time.Minute || e.RetryAfter > time.Hour {
		t.Errorf("beyond the limit it is %v", err)
	}
}
