package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"frontdesk/internal/sqldb"
)

// WorkspaceConfig describes a new workspace.
type WorkspaceConfig struct {
	// Name is shown to people. Defaults to Sandbox.
	Name string
	// OwnerName and OwnerEmail are the owner's; the support agents share the
	// email's domain. They default to Olivia Marsh and olivia@desk.test.
	OwnerName, OwnerEmail string
}

// Workspace is one team of people with its conversations.
type Workspace struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Domain string `json:"domain"`
	URL    string `json:"url"`
	Owner  string `json:"owner"` // the id of its owner
}

// NewUser describes a new member.
type NewUser struct {
	RealName string
	Email    string
	Title    string
	TZ       string // an IANA name. Defaults to Europe/London.
	Guest    bool   // from outside the organisation, as customers are
}

// The people of every new workspace besides its owner. The agents' emails use the
// owner's domain.
var (
	agents = []NewUser{
		{RealName: "Maya Lindqvist", Email: "maya", Title: "Support lead", TZ: "Europe/Stockholm"},
		{RealName: "Tomás Herrera", Email: "tomas", Title: "Support engineer", TZ: "Europe/Madrid"},
		{RealName: "Priya Raman", Email: "priya", Title: "Support engineer", TZ: "Asia/Kolkata"},
	}
	customers = []NewUser{
		{RealName: "Ines Duarte", Email: "ines@harborpine.test", Title: "Head of Operations, Harbor & Pine", TZ: "Europe/Lisbon"},
		{RealName: "Oskar Nyman", Email: "oskar@harborpine.test", Title: "Warehouse systems, Harbor & Pine", TZ: "Europe/Helsinki"},
		{RealName: "Leila Haddad", Email: "leila@harborpine.test", Title: "Finance, Harbor & Pine", TZ: "Europe/Paris"},
		{RealName: "Jonas Weber", Email: "jonas@fernhill.test", Title: "CTO, Fernhill Labs", TZ: "Europe/Berlin"},
		{RealName: "Amara Okafor", Email: "amara@fernhill.test", Title: "Research coordinator, Fernhill Labs", TZ: "Africa/Lagos"},
	}
)

// AddWorkspace makes a workspace with its people, a #general for all of them, and
// the bots of the registered apps, which do nothing until they are installed.
func (s *Sandbox) AddWorkspace(ctx context.Context, c WorkspaceConfig) (Workspace, error) {
	c.Name, c.OwnerName, c.OwnerEmail = cmp.Or(c.Name, "Sandbox"), cmp.Or(c.OwnerName, "Olivia Marsh"), cmp.Or(c.OwnerEmail, "olivia@desk.test")
	_, domain, ok := strings.Cut(c.OwnerEmail, "@")
	if !ok {
		return Workspace{}, fmt.Errorf("add a workspace: %q is no email address", c.OwnerEmail)
	}
	var w Workspace
	err := s.write(ctx, func(t *tx) (err error) {
		w = Workspace{ID: newID("T"), Name: c.Name, Domain: t.freeDomain(c.Name)}
		people := []NewUser{{RealName: c.OwnerName, Email: c.OwnerEmail, Title: "Owner"}}
		for _, a := range agents {
			a.Email += "@" + domain
			people = append(people, a)
		}
		var ids []string
		for _, c := range customers {
			c.Guest = true
			people = append(people, c)
		}
		for _, p := range people {
			u := newUserRow(w.ID, p)
			u.Owner = len(ids) == 0
			t.addUser(&u)
			ids = append(ids, u.ID)
		}
		w.Owner = ids[0]
		t.run("INSERT INTO teams (id, name, domain, owner_id, created_at) VALUES ($1, $2, $3, $4, $5)",
			w.ID, w.Name, w.Domain, w.Owner, t.millis())
		general := &conversation{TeamID: w.ID, Kind: public, Name: "general",
			conversationBody: conversationBody{Creator: w.Owner, Purpose: note{Value: "Everybody is here."}}}
		if err := t.addConversation(general, ids); err != nil {
			return err
		}
		t.addBots(w.ID)
		return nil
	})
	w.URL = s.url("/")
	return w, err
}

// freeDomain makes a short name for a workspace that no other has.
func (t *tx) freeDomain(name string) string {
	base := strings.Trim(strings.Map(func(r rune) rune {
		switch r = unicode.ToLower(r); {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			return r
		}
		return '-'
	}, name), "-")
	base = cmp.Or(base, "sandbox")
	for n := 1; ; n++ {
		domain := base
		if n > 1 {
			domain = fmt.Sprintf("%s-%d", base, n)
		}
		if t.number("SELECT count(*) FROM teams WHERE domain = $1", domain) == 0 {
			return domain
		}
	}
}

const workspaceColumns = "SELECT id, name, domain, owner_id FROM teams "

func (t *tx) scanWorkspace(scan func(...any) error) (w Workspace, err error) {
	w.URL = t.s.url("/")
	err = scan(&w.ID, &w.Name, &w.Domain, &w.Owner)
	return w, err
}

func (t *tx) workspace(id string) (Workspace, error) {
	return t.scanWorkspace(t.Row(workspaceColumns+"WHERE id = $1", id).Scan)
}

func (t *tx) workspaces() []Workspace {
	return rowsOf(t, t.scanWorkspace, workspaceColumns+"ORDER BY n")
}

// Workspaces lists the workspaces, oldest first.
func (s *Sandbox) Workspaces(ctx context.Context) ([]Workspace, error) {
	return reading(ctx, s, func(t *tx) ([]Workspace, error) { return t.workspaces(), nil })
}

// Workspace returns one workspace. It returns team_not_found for an unknown id.
func (s *Sandbox) Workspace(ctx context.Context, id string) (Workspace, error) {
	return reading(ctx, s, func(t *tx) (Workspace, error) {
		w, err := t.workspace(id)
		return w, missing(err, "team_not_found")
	})
}

// missing turns a missing row into a refusal.
func missing(err error, code string) error {
	if errors.Is(err, sqldb.ErrNoRows) {
		return refuse(code)
	}
	return err
}
