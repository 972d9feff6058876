package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"frontdesk/internal/chat"
	"frontdesk/internal/chat/slack"
	"frontdesk/internal/desk"
	"frontdesk/internal/sandbox"
	"frontdesk/internal/service"
)

// servesThisMachine reports whether only this machine can reach a server: it
// listens on loopback, and its public address is loopback or not set. With another
// public address, a proxy may pass on calls from elsewhere. Only a server for this
// machine offers the sandbox without being told to, and uses the demo's well-known
// password.
func servesThisMachine(l net.Listener, publicURL string) bool {
	return isThisMachine(l.Addr().String()) && (publicURL == "" || isThisMachine(urlHost(publicURL)))
}

func urlHost(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// isThisMachine reports whether a host, with or without a port, is localhost or a
// loopback address.
func isThisMachine(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// offeredSandbox is Frontdesk's app in a sandbox that the server offers but that
// does not replace Slack. POST /sandbox creates a workspace there. Someone who
// wants to connect Slack must not end up on the sandbox's authorization page, so
// there is no address for it.
type offeredSandbox struct{ *slack.App }

func (offeredSandbox) AuthorizeURL(string) string { return "" }

// sandboxAdmins lets admins who are signed in register apps and change faults in
// their own account's workspaces.
func sandboxAdmins(s *service.Service, cookie string) sandbox.Admins {
	return func(r *http.Request) (own []string, ok bool, err error) {
		session, err := r.Cookie(cookie)
		if err != nil {
			return nil, false, nil
		}
		c, err := s.AuthenticateSession(r.Context(), session.Value)
		if err == nil {
			own, err = s.SandboxWorkspaces(r.Context(), c)
		}
		if desk.KindOf(err) == desk.Forbidden { // no session, or not an admin's
			return nil, false, nil
		}
		return own, err == nil, err
	}
}

// workspaces is the sandbox in this process, as the service uses it.
type workspaces struct {
	box *sandbox.Sandbox
	app sandbox.App // Frontdesk's own app in the sandbox
}

// Make creates a workspace with its people and installs Frontdesk's app, like its
// owner on the authorization page.
func (w workspaces) Make(ctx context.Context, name, ownerName, ownerEmail string) (chat.Installation, error) {
	made, err := w.box.AddWorkspace(ctx, sandbox.WorkspaceConfig{Name: name, OwnerName: ownerName, OwnerEmail: ownerEmail})
	if err != nil {
		return chat.Installation{}, err
	}
	return w.install(ctx, made)
}

func (w workspaces) install(ctx context.Context, made sandbox.Workspace) (chat.Installation, error) {
	in, err := w.box.Install(ctx, w.app.ID, made.Owner, nil, nil)
	if err != nil {
		return chat.Installation{}, fmt.Errorf("install the app in the sandbox: %w", err)
	}
	return chat.Installation{
		Workspace: made.ID, Name: made.Name, URL: made.URL,
		Bot:    chat.Credential{User: in.BotUserID, Token: in.BotToken, Scopes: in.BotScopes},
		Person: &chat.Credential{User: in.UserID, Token: in.UserToken, Scopes: in.UserScopes},
	}, nil
}

func (w workspaces) Address(ctx context.Context, workspace string) (url string, ok bool, err error) {
	found, err := w.box.Workspace(ctx, workspace)
	if sandbox.Code(err) == "team_not_found" {
		return "", false, nil
	}
	return found.URL, err == nil, err
}

func (w workspaces) Users(ctx context.Context, workspace string) (users []desk.SandboxUser, err error) {
	all, err := w.box.Users(ctx, workspace)
	for _, u := range all {
		if u.IsBot || u.Deleted {
			continue
		}
		picture := u.Profile.Image72
		if at, err := url.Parse(picture); err == nil {
			picture = at.Path // works under every name of this server
		}
		users = append(users, desk.SandboxUser{ID: u.ID, Name: u.RealName, Email: u.Profile.Email, Title: u.Profile.Title, Avatar: picture, Owner: u.IsOwner})
	}
	return users, err
}

func (w workspaces) Token(ctx context.Context, workspace, user string) (string, error) {
	u, err := w.box.User(ctx, user)
	switch {
	case sandbox.Code(err) == "user_not_found" || err == nil && u.TeamID != workspace:
		return "", desk.Missing("User")
	case err != nil:
		return "", err
	case u.IsBot:
		return "", desk.Errorf(desk.Refused, "%s is a bot. Nobody can act as it.", u.RealName)
	}
	token, err := w.box.Token(ctx, user)
	if sandbox.Code(err) == "account_inactive" {
		return "", desk.Errorf(desk.Refused, "%s has left the workspace.", u.RealName)
	}
	return token, err
}
