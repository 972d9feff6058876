package rest

import "frontdesk/internal/desk"

// givenQuickReply reads a quick reply.
func givenQuickReply(b object) desk.GivenQuickReply {
	return desk.GivenQuickReply{Name: b.text("name"), HTML: b.text("html"), Shared: member[bool](b, "shared", "a boolean")}
}
