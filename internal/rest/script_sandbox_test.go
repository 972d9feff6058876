package rest

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
)

// quietSandbox is a sandbox in which nothing happens. Every workspace belongs to
// it, including those that the cast is connected to. It stands in for the real one,
// which has a test in the wiring.
type quietSandbox struct{}

// workspacesMade numbers workspaces, because stages share a database and a
// workspace has one account.
var workspacesMade atomic.Int64

func (quietSandbox) Make(_ context.Context, name, ownerName, ownerEmail string) (chat.Installation, error) {
	if ownerName == "" || !strings.Contains(ownerEmail, "@") {
		return chat.Installation{}, fmt.Errorf("%q <%s> is no owner", ownerName, ownerEmail)
	}
	return chat.Installation{Workspace: fmt.Sprintf("TBOX%d", workspacesMade.Add(1)), Name: name, URL: "http://127.0.0.1:8080/sandbox/",
		Bot: chat.Credential{User: "U_DESK", Token: "xoxb-made-marker"}, Person: &chat.Credential{User: "U_OWNER", Token: "xoxp-owner-marker"}}, nil
}

func (quietSandbox) Address(context.Context, string) (string, bool, error) {
	return "http://127.0.0.1/sandbox/", true, nil
}

func (quietSandbox) Users(context.Context, string) ([]desk.SandboxUser, error) {
	return []desk.SandboxUser{
		{ID: "U_OWNER", Name: "Owner", Email: "owner@desk.example", Title: "Owner", Avatar: "/sandbox/avatars/U_OWNER-1-72.svg", Owner: true},
		{ID: "U_MAYA", Name: "Maya <b>&", Avatar: "/sandbox/avatars/U_MAYA-1-72.svg"},
	}, nil
}

func (quietSandbox) Token(_ context.Context, workspace, user string) (string, error) {
	switch user {
	case "U_OWNER", "U_MAYA":
		return "xoxp-" + workspace + "-" + user + "-marker", nil
	case "U_DESK":
		return "", desk.Errorf(desk.Refused, "Desk is a bot. Nobody can act as it.")
	}
	return "", desk.Missing("User")
}
