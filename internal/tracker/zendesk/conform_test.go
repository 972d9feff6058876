package zendesk_test

import (
	"html"
	"io"
	"log/slog"
	"math"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/markup"
	"frontdesk/internal/tracker"
	"frontdesk/internal/tracker/trackertest"
	"frontdesk/internal/tracker/zendesk"
	"frontdesk/internal/tracker/zendesk/zendesktest"
)

// The connector and the Zendesk of these tests were written separately, each from
// the published reference. So their agreement was not arranged.
func TestConforms(t *testing.T) { trackertest.Run(t, open) }

func open(t *testing.T) *trackertest.World {
	z := zendesktest.New(zendesktest.Config{Hold: true})
	server := httptest.NewServer(z)
	t.Cleanup(func() {
		server.Close()
		z.Close()
	})
	mira := z.AddUser("Mira Vance", "mira@acme.test", "agent")
	number := func(id string) int64 {
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return &trackertest.World{
		System:     zendesk.New(zendesk.Config{Address: server.URL, Unlimited: true, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}),
		Credential: tracker.Credential{Domain: "acme", Email: zendesktest.Email, Token: zendesktest.Token},
		States:     []desk.State{desk.Open, desk.InProgress, desk.Pending, desk.OnHold, desk.Solved, desk.Closed},
		Missing:    []string{"99", "#99", "0", "-1", "ENG-1", "1/../2", "", server.URL + "/agent/users/1"},
		Author:     tracker.Author{ID: strconv.FormatInt(mira.ID, 10), Name: mira.Name, Email: mira.Email},
		Private:    true,
		Open: func(title string) trackertest.Ticket {
			id := strconv.FormatInt(z.AddTicket(mira, title, "<p>Help</p>"), 10)
			return trackertest.Ticket{ID: id, Name: "#" + id, Title: title}
		},
		Say: func(ticket, text string, private bool) string {
			return strconv.FormatInt(z.Say(number(ticket), mira, "<p>"+html.EscapeString(text)+"</p>", !private), 10)
		},
		Read: func(ticket string) (all []trackertest.Shown) {
			for _, c := range z.Comments(number(ticket))[1:] {
				all = append(all, trackertest.Shown{ID: strconv.FormatInt(c.ID, 10), Text: strings.TrimSpace(markup.PlainText(markup.Sanitize(c.HTML))), Private: !c.Public})
			}
			return all
		},
		Move: func(ticket string, state desk.State) {
			z.SetStatus(number(ticket), mira, map[desk.State]string{desk.Open: "open", desk.InProgress: "open", desk.Pending: "pending", desk.OnHold: "hold",
				desk.Solved: "solved", desk.Closed: "solved"}[state])
		},
		Status:   func(ticket string) string { return z.Ticket(number(ticket)).Status },
		Delete:   func(ticket string) { z.Delete(number(ticket)) },
		Close:    func(ticket string) { z.SetStatus(number(ticket), mira, "closed") },
		Revoke:   z.Revoke,
		Demote:   func() { z.SetRole("agent") },
		Watching: z.Endpoints,
		Misbehave: func(f trackertest.Fault, nth int) {
			fault := zendesktest.Fault{Skip: nth - 1, After: f == trackertest.LoseAnswer}
			if f == trackertest.ErrorAnswer {
				fault.Status = 500
			}
			z.Fail(fault)
		},
		Struck: func() bool { return z.Heal() == 0 },
		Pause:  func(d time.Duration) { z.Pause(d) },
		Post: func(p trackertest.Post) {
			z.Lose(0)
			z.Double(0)
			switch p {
			case trackertest.Double:
				z.Double(math.MaxInt)
			case trackertest.Lose:
				z.Lose(math.MaxInt)
			case trackertest.Hold:
				z.Hold()
			case trackertest.Reverse:
				z.Reverse()
			}
		},
		Settle: z.Settle,
	}
}
