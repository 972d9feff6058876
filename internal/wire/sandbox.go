package wire

import "frontdesk/internal/desk"

// Sandbox is an account's sandbox on the wire.
type Sandbox struct {
	Connected   bool                `json:"connected"`
	Offered     bool                `json:"offered"`
	Integration *desk.IntegrationID `json:"integration_id"`
	Team        *string             `json:"team_id"`
	Name        *string             `json:"team_name"`
	URL         *string             `json:"url"`
	Users       []SandboxUser       `json:"users"`
}

// SandboxUser is a person in a sandbox workspace on the wire.
type SandboxUser struct {
	ID     string  `json:"id"`
	Name   string  `json:"name"`
	Email  *string `json:"email"`
	Title  *string `json:"title"`
	Avatar string  `json:"avatar"`
	Owner  bool    `json:"is_owner"`
}

// NewSandbox returns the wire form of a sandbox.
func NewSandbox(b desk.Sandbox) Sandbox {
	w := Sandbox{Connected: b.Connected, Offered: b.Offered, Team: orNull(b.Team), Name: orNull(b.Name), URL: orNull(b.URL), Users: desk.Each(b.Users, newSandboxUser)}
	if b.Connected {
		w.Integration = &b.Integration
	}
	return w
}

func newSandboxUser(u desk.SandboxUser) SandboxUser {
	return SandboxUser{ID: u.ID, Name: u.Name, Email: orNull(u.Email), Title: orNull(u.Title), Avatar: u.Avatar, Owner: u.Owner}
}

// SandboxToken is a token for acting as a sandbox user. Only the answer that
// creates it shows it.
type SandboxToken struct {
	User   string `json:"user_id"`
	Secret string `json:"secret"`
}

// NewSandboxToken returns the wire form of a token.
func NewSandboxToken(t desk.SandboxToken) SandboxToken { return SandboxToken(t) }
