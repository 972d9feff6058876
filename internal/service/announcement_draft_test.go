package service

import (
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/sandbox"
)

// A written announcement has each channel's own words, under the name that the app
// shows, too, and becomes what it is changed to. Its test comes to its author alone.
func TestAnnouncementWritten(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		n := newNewsroom(w, 2)
		fern, lone := n.rooms[0], n.rooms[1]
		_, err := n.CreateCustomer(ctx, n.caller(), desk.NewCustomer{CustomerParts: desk.CustomerParts{Name: ptr("Fern & Co"), Channels: &[]string{fern}}})
		must(t, err)
		text := desk.AnnouncementText("<p>Dear <b>{customer|all}</b>, it is {sender}</p>")
		as := desk.Sender{Kind: desk.UserSender, User: n.priya}

		person := func(id string) desk.User {
			found, err := n.Users(ctx, n.caller(), desk.UserQuery{IDs: []string{id}})
			must(t, err)
			return found.Items[0]
		}

		// The preview, the test and the copy are the same.
		view, err := n.PreviewAnnouncement(ctx, n.caller(), desk.AnnouncementDraft{Channel: fern, Text: &text, Sender: as})
		must(t, err)
		name := person(n.priya).Name
		if want := "<p>Dear <strong>Fern &amp; Co</strong>, it is " + name + "</p>"; view.HTML != want || view.Sender.Name != name || view.Problem != "" {
			t.Errorf("the preview is %+v, want %s", view, want)
		}
		me := n.caller()
		me.Actor.Email = person(n.maya).Email
		_, err = n.TestAnnouncement(ctx, me, desk.AnnouncementDraft{Channel: fern, Text: &text, Sender: as})
		must(t, err)
		direct := func(who string) (all []string) {
			l, err := n.box.As(who).Conversations(ctx)
			must(t, err)
			for _, c := range l {
				if c.IsIM && c.User == n.bot() {
					messages, err := n.box.As(who).History(ctx, c.ID, 10)
					must(t, err)
					for _, m := range messages {
						all = append(all, m.Username+": "+m.Text)
					}
				}
			}
			return all
		}
		become(t, "the test", func() []string { return direct(n.maya) }, func(got []string) bool { return len(got) == 1 })
		if got := direct(n.maya)[0]; !strings.HasPrefix(got, name+": Dear *Fern") || len(direct(n.oskar)) != 0 || len(n.copiesIn(fern)) != 0 {
			t.Errorf("the test is %q", got)
		}
		me.Actor.Email = "nobody@acme.example"
		if _, err := n.TestAnnouncement(ctx, me, desk.AnnouncementDraft{Channel: fern, Text: &text, Sender: as}); err != errNoDirectMessage {
			t.Errorf("a test for somebody whom the chat system does not know: %v", err)
		}

		a := desk.NewAnnouncement{Text: &text, Name: "News", Recipients: to(fern, lone), Action: desk.SendNow, Sender: as}
		id := n.announces(a)
		sent := n.sent(id)
		copies := append(n.copiesIn(fern), n.copiesIn(lone)...)
		if len(copies) != 2 || !strings.Contains(copies[1].Text, "Dear *all*, it is "+name) || slices.ContainsFunc(copies, func(m sandbox.Message) bool { return m.Username != name }) {
			t.Fatalf("the copies are %+v", copies)
		}
		shown, err := n.AnnouncementMessage(ctx, n.caller(), desk.SourceQuery{ChatMessage: desk.ChatMessage{Channel: fern, Message: sent.Recipients[0].Message}})
		must(t, err)
		if shown.Sender == nil || shown.Sender.Name != name || shown.HTML != view.HTML {
			t.Errorf("the app shows %q by %+v, want %q", shown.HTML, shown.Sender, view.HTML)
		}

		later := desk.AnnouncementText("<p>{customer|all}: later</p>")
		_, err = n.ResyncAnnouncement(ctx, n.caller(), id, desk.AnnouncementDraft{Text: &later})
		must(t, err)
		n.hurryUntil("the new text", func() []string { return append(n.textsIn(fern), n.textsIn(lone)...) }, func(got []string) bool {
			return len(got) == 2 && strings.HasSuffix(got[0], "Co: later") && got[1] == "all: later"
		})
	})
}
