package change

import (
	"fmt"
	"html"
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/markup"
)

// NoticeHTML returns what a message says about notifications: one line for each, with
// a link to its request. It is a test if there are none.
func (s Setup) NoticeHTML(all []desk.Notification) string {
	if len(all) == 0 {
		return markup.Sanitize(fmt.Sprintf(`<p>This is a test: your notifications arrive here. <a href="%s/settings/notifications">Change what you get</a></p>`, html.EscapeString(s.PublicURL)))
	}
	var text strings.Builder
	for _, n := range all {
		address := s.PublicURL + "/requests/" + desk.FormatID(n.Request)
		fmt.Fprintf(&text, `<p>%s: <a href="%s">%s</a>`, html.EscapeString(NoticeLine(n)), html.EscapeString(address), html.EscapeString(n.Title))
		if n.Excerpt != "" {
			fmt.Fprintf(&text, "<br>%s", html.EscapeString(strings.Join(strings.Fields(n.Excerpt), " ")))
		}
		text.WriteString("</p>")
	}
	return markup.Sanitize(text.String())
}

// The web app says the same of an SLA that is due, and of one that was missed.
var (
	dueLines = map[desk.SLAKind]string{
		desk.SLAFirstResponse: "The first response is due soon",
		desk.SLAResolution:    "The resolution is due soon",
		desk.SLAOneTouch:      "The reply limit is almost reached",
	}
	missedLines = map[desk.SLAKind]string{
		desk.SLAFirstResponse: "The first response was missed",
		desk.SLAResolution:    "The resolution was missed",
		desk.SLAOneTouch:      "The reply limit was exceeded",
	}
)

// NoticeLine returns what a notification says, in a few words.
func NoticeLine(n desk.Notification) string {
	who := n.By
	if who == "" {
		who = "Someone"
	}
	switch n.Kind {
	case desk.NotificationMention:
		return who + " mentioned you"
	case desk.NotificationAssigned:
		return who + " assigned you a request"
	case desk.NotificationTeam:
		return who + " assigned a request to your team"
	case desk.NotificationAnswer:
		return who + " answered"
	case desk.NotificationDueSoon:
		return dueLines[n.SLA]
	case desk.NotificationBreached:
		return missedLines[n.SLA]
	}
	return "Something happened"
}

// NoticeSubject returns the subject of a mail about notifications.
func NoticeSubject(all []desk.Notification) string {
	switch len(all) {
	case 0:
		return "Test of your notifications"
	case 1:
		return desk.Shorten(NoticeLine(all[0])+": "+strings.Join(strings.Fields(all[0].Title), " "), 150)
	}
	return fmt.Sprintf("%d notifications", len(all))
}
