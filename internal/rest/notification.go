package rest

import "frontdesk/internal/desk"

// notificationFilter reads which notifications are wanted.
func notificationFilter(c *call, p *desk.Problems) (f desk.NotificationFilter, page desk.Page) {
	page = c.page(p)
	f.Unread = c.flag(p, "unread")
	return f, page
}

// notificationChange reads whether a notification is read.
func notificationChange(b object) desk.NotificationChange {
	return desk.NotificationChange{Read: b.flag("read")}
}

// readUpTo reads up to which notification all are read.
func readUpTo(b object) (g desk.ReadUpTo) {
	b.demand("up_to")
	b.read("up_to", "the id of a notification", &g.UpTo)
	return g
}

// testNotice reads by which way a test is sent.
func testNotice(b object) desk.TestNotice {
	return desk.TestNotice{Way: desk.NoticeWay(b.required("way"))}
}
