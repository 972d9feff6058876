package sandbox

import (
	"context"
	"encoding/json"
	"slices"

	"frontdesk/internal/sqldb"
)

// usergroup is a user group as stored.
type usergroup struct {
	ID, TeamID, Handle        string
	Created, Updated, Deleted int64 // milliseconds; Deleted is 0 while it is in use
	usergroupBody
}

type usergroupBody struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	CreatedBy   string `json:"created_by"`
	UpdatedBy   string `json:"updated_by"`
}

// Usergroup is a user group as Slack shows it.
type Usergroup struct {
	ID          string         `json:"id"`
	TeamID      string         `json:"team_id"`
	IsUsergroup bool           `json:"is_usergroup"`
	IsSubteam   bool           `json:"is_subteam"`
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Handle      string         `json:"handle"`
	IsExternal  bool           `json:"is_external"`
	DateCreate  int64          `json:"date_create"`
	DateUpdate  int64          `json:"date_update"`
	DateDelete  int64          `json:"date_delete"`
	AutoType    *string        `json:"auto_type"`
	CreatedBy   string         `json:"created_by"`
	UpdatedBy   string         `json:"updated_by"`
	DeletedBy   *string        `json:"deleted_by"`
	Prefs       usergroupPrefs `json:"prefs"`
	Users       []string       `json:"users,omitempty"`
	UserCount   *int           `json:"user_count,omitempty"`
}

type usergroupPrefs struct {
	Channels []string `json:"channels"`
	Groups   []string `json:"groups"`
}

func (g usergroup) show() Usergroup {
	return Usergroup{
		ID: g.ID, TeamID: g.TeamID, IsUsergroup: true, IsSubteam: true, Name: g.Name, Description: g.Description, Handle: g.Handle,
		DateCreate: g.Created / 1000, DateUpdate: g.Updated / 1000, DateDelete: g.Deleted / 1000,
		CreatedBy: g.CreatedBy, UpdatedBy: g.UpdatedBy, Prefs: usergroupPrefs{[]string{}, []string{}},
	}
}

const usergroupColumns = "SELECT id, team_id, handle, created_at, updated_at, deleted_at, body FROM usergroups "

func scanUsergroup(scan func(...any) error) (g usergroup, err error) {
	var body string
	if err := scan(&g.ID, &g.TeamID, &g.Handle, &g.Created, &g.Updated, &g.Deleted, &body); err != nil {
		return g, err
	}
	return g, json.Unmarshal([]byte(body), &g.usergroupBody)
}

func (t *tx) usergroups(team string) ([]usergroup, error) {
	return sqldb.Collect(t.Tx, scanUsergroup, usergroupColumns+"WHERE team_id = $1 ORDER BY n", team)
}

func (t *tx) usergroup(team, id string) (usergroup, error) {
	g, err := scanUsergroup(t.Row(usergroupColumns+"WHERE team_id = $1 AND id = $2", team, id).Scan)
	return g, missing(err, "no_such_subteam")
}

func (t *tx) usergroupMembers(id string) ([]string, error) {
	return sqldb.Collect(t.Tx, scanText, "SELECT user_id FROM usergroup_members WHERE usergroup_id = $1 ORDER BY n", id)
}

func scanText(scan func(...any) error) (s string, err error) {
	err = scan(&s)
	return s, err
}

// CreateUsergroup makes a user group in the workspace of the member who makes it.
// It returns name_already_exists if the handle is taken.
func (s *Sandbox) CreateUsergroup(ctx context.Context, by, name, handle string, members []string) (shown Usergroup, err error) {
	err = s.write(ctx, func(t *tx) error {
		u, err := t.anyUser(by)
		if err != nil {
			return err
		}
		g := usergroup{ID: newID("S"), TeamID: u.TeamID, Handle: handle, Created: t.millis(), Updated: t.millis(),
			usergroupBody: usergroupBody{Name: name, CreatedBy: by, UpdatedBy: by}}
		n, err := t.Exec(`INSERT INTO usergroups (id, team_id, handle, body, created_at, updated_at, deleted_at)
			VALUES ($1, $2, $3, $4, $5, $6, 0) ON CONFLICT DO NOTHING`,
			g.ID, g.TeamID, g.Handle, string(encode(g.usergroupBody)), g.Created, g.Updated)
		if err != nil {
			return err
		}
		if n == 0 {
			return refuse("name_already_exists")
		}
		if err := t.addUsergroupMembers(g, members); err != nil {
			return err
		}
		if shown, err = t.showUsergroup(g); err != nil {
			return err
		}
		return t.record(usergroupEvent("subteam_created", shown))
	})
	return shown, err
}

func (t *tx) addUsergroupMembers(g usergroup, members []string) error {
	for _, id := range members {
		if _, err := t.user(g.TeamID, id); err != nil {
			return err
		}
		if _, err := t.Exec("INSERT INTO usergroup_members (usergroup_id, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING", g.ID, id); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) showUsergroup(g usergroup) (Usergroup, error) {
	members, err := t.usergroupMembers(g.ID)
	shown := g.show()
	shown.Users, shown.UserCount = members, new(len(members))
	return shown, err
}

// SetUsergroupMembers replaces the members of a user group.
func (s *Sandbox) SetUsergroupMembers(ctx context.Context, by, id string, members []string) (shown Usergroup, err error) {
	err = s.write(ctx, func(t *tx) error {
		u, err := t.anyUser(by)
		if err != nil {
			return err
		}
		g, err := t.usergroup(u.TeamID, id)
		if err != nil {
			return err
		}
		before, err := t.usergroupMembers(id)
		if err != nil {
			return err
		}
		if _, err := t.Exec("DELETE FROM usergroup_members WHERE usergroup_id = $1", id); err != nil {
			return err
		}
		if err := t.addUsergroupMembers(g, members); err != nil {
			return err
		}
		previous := g.Updated
		if err := t.saveUsergroup(&g, by); err != nil {
			return err
		}
		if shown, err = t.showUsergroup(g); err != nil {
			return err
		}
		if err := t.record(usergroupEvent("subteam_updated", shown)); err != nil {
			return err
		}
		added, removed := without(shown.Users, before), without(before, shown.Users)
		return t.record(event{name: "subteam_members_changed", team: g.TeamID, body: func(*audience) any {
			return object{"type": "subteam_members_changed", "subteam_id": g.ID, "team_id": g.TeamID,
				"date_previous_update": previous / 1000, "date_update": g.Updated / 1000,
				"added_users": added, "added_users_count": len(added),
				"removed_users": removed, "removed_users_count": len(removed)}
		}})
	})
	return shown, err
}

// without returns the elements of a that are not in b, never nil.
func without(a, b []string) []string {
	rest := []string{}
	for _, s := range a {
		if !slices.Contains(b, s) {
			rest = append(rest, s)
		}
	}
	return rest
}

func (t *tx) saveUsergroup(g *usergroup, by string) error {
	g.Updated, g.UpdatedBy = t.millis(), by
	_, err := t.Exec("UPDATE usergroups SET body = $2, updated_at = $3, deleted_at = $4 WHERE id = $1",
		g.ID, string(encode(g.usergroupBody)), g.Updated, g.Deleted)
	return err
}

// ChangeUsergroup renames a user group, disables it or enables it again.
func (s *Sandbox) ChangeUsergroup(ctx context.Context, by, id, name string, disabled bool) (shown Usergroup, err error) {
	err = s.write(ctx, func(t *tx) error {
		u, err := t.anyUser(by)
		if err != nil {
			return err
		}
		g, err := t.usergroup(u.TeamID, id)
		if err != nil {
			return err
		}
		if name != "" {
			g.Name = name
		}
		g.Deleted = 0
		if disabled {
			g.Deleted = t.millis()
		}
		if err := t.saveUsergroup(&g, by); err != nil {
			return err
		}
		if shown, err = t.showUsergroup(g); err != nil {
			return err
		}
		return t.record(usergroupEvent("subteam_updated", shown))
	})
	return shown, err
}
