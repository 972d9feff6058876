package rest

import "frontdesk/internal/desk"

// meChange reads a change that members make to themselves.
func meChange(b object) desk.MeChange {
	ch := desk.MeChange{Name: b.text("name")}
	if b.has("password") {
		in := b.inside("password")
		ch.Password = &desk.PasswordChange{}
		in.read("current", "a string", &ch.Password.Current) // optional, because a member may have no password yet
		if in.members != nil {
			ch.Password.New = in.required("new")
			ch.Password.RevokeTokens = in.isSet("revoke_tokens")
		}
	}
	return ch
}
