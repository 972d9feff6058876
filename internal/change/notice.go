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

// slaNames are what people call SLAs, at the beginning of a sentence.
var slaNames = map[desk.SLAKind]string{
	desk.SLAFirstResponse: "The first response",
	desk.SLAResolution:    "The resolution",
	desk.SLAOneTouch:      "The target of few replies",
}

// NoticeLine returns what a notification says, in a few words.
func NoticeLine(n desk.Notification) string {
	who := n.By
	if who == "" {
		who = "Somebody"
	}
	switch n.Kind {
	case desk.NotificationMention:
		return who + " mentioned you"
	case desk.NotificationAssigned:
		return who + " gave you a request"
	case desk.NotificationTeam:
		return who + " gave your team a request"
	case desk.NotificationAnswer:
		return who + " answered"
	case desk.NotificationDueSoon:
		return slaNames[n.SLA] + " is due soon"
	case desk.NotificationBreached:
		return slaNames[n.SLA] + " was missed"
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
