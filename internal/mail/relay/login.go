package relay

import (
	"errors"
	"net/smtp"
	"slices"
	"strings"
)

// login chooses how to sign in. Nearly every relay knows PLAIN; Microsoft's know only
// LOGIN.
func (s *Session) login() smtp.Auth {
	_, offered := s.client.Extension("AUTH")
	ways := strings.Fields(strings.ToUpper(offered))
	if slices.Contains(ways, "LOGIN") && !slices.Contains(ways, "PLAIN") {
		return &loginAuth{user: s.relay.user, password: s.relay.password, trusted: s.relay.local}
	}
	return &plainAuth{user: s.relay.user, password: s.relay.password, trusted: s.relay.local}
}

// errPlainly says that a password would have to be sent without encryption.
var errPlainly = errors.New("the connection is not encrypted")

// plainAuth is RFC 4616. It replaces smtp.PlainAuth, which does not know that every
// loopback address is this machine.
type plainAuth struct {
	user, password string
	trusted        bool
}

func (a *plainAuth) Start(server *smtp.ServerInfo) (string, []byte, error) {
	if !server.TLS && !a.trusted {
		return "", nil, errPlainly
	}
	return "PLAIN", []byte("\x00" + a.user + "\x00" + a.password), nil
}

func (a *plainAuth) Next(_ []byte, more bool) ([]byte, error) {
	if more {
		return nil, errors.New("the server asks for more than a password")
	}
	return nil, nil
}

// loginAuth sends the user name and then the password, in the order in which every
// server asks for them.
type loginAuth struct {
	user, password string
	trusted        bool
	asked          int
}

func (a *loginAuth) Start(server *smtp.ServerInfo) (string, []byte, error) {
	if !server.TLS && !a.trusted {
		return "", nil, errPlainly
	}
	return "LOGIN", nil, nil
}

func (a *loginAuth) Next(_ []byte, more bool) ([]byte, error) {
	if !more {
		return nil, nil
	}
	a.asked++
	switch a.asked {
	case 1:
		return []byte(a.user), nil
	case 2:
		return []byte(a.password), nil
	}
	return nil, errors.New("the server asks for more than a password")
}
