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

// servesThisMachine reports whether a server is for this machine alone: it listens
// here, and its public address, if it has one, is here too. One with another may be
// reached through a proxy. Only the former offers the sandbox without being told to,
// and has the demo's well-known password.
func servesThisMachine(l net.Listener, public string) bool {
	return isThisMachine(l.Addr().String()) && (public == "" || isThisMachine(hostOf(public)))
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// isThisMachine reports whether a host, with or without a port, is a name or an
// address that only this machine is reached by.
func isThisMachine(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// offered is a Slack app in the sandbox of a server that was not told to have it
// in place of Slack: a workspace there is made by POST /sandbox, and nobody is sent
// to its authorization page who asked for Slack.
type offered struct{ *slack.App }

func (offered) AuthorizeURL(string) string { return "" }

// sandboxAdmins lets admins who are signed in use the sandbox's doors for their
// own account's workspaces.
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

// workspaces is the sandbox in this process, for the service.
type workspaces struct {
	box *sandbox.Sandbox
	app sandbox.App // ours there
}

// Make makes a workspace with its people and installs our app, as its owner's
// visit to the authorization page would.
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

func (w workspaces) Has(ctx context.Context, workspace string) (bool, error) {
	_, err := w.box.Workspace(ctx, workspace)
	if sandbox.Code(err) == "team_not_found" {
		return false, nil
	}
	return err == nil, err
}

func (w workspaces) Users(ctx context.Context, workspace string) (users []desk.SandboxUser, err error) {
	all, err := w.box.Users(ctx, workspace)
	for _, u := range all {
		if u.IsBot || u.Deleted {
			continue
		}
		picture := u.Profile.Image72
		if at, err := url.Parse(picture); err == nil {
			picture = at.Path // whatever name the browser has for this server
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
