package wire

import "frontdesk/internal/desk"

// User is a user on the wire.
type User struct {
	ID      string  `json:"id"`
	Name    string  `json:"name"`
	Email   *string `json:"email"`
	Avatar  *string `json:"avatar"`
	Deleted bool    `json:"deleted"`
	IsBot   bool    `json:"is_bot"`
}

// NewUser returns the wire form of a user.
func NewUser(u desk.User) User {
	return User{ID: u.ID, Name: u.Name, Email: orNull(u.Email), Avatar: orNull(u.Avatar), Deleted: u.Deleted, IsBot: u.IsBot}
}
