package sandbox

import (
	"cmp"
	"context"
	"slices"
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
	err = scan(&g.ID, &g.TeamID, &g.Handle, &g.Created, &g.Updated, &g.Deleted, fromJSON(&g.usergroupBody))
	return g, err
}

func (t *tx) usergroups(team string) []usergroup {
	return rowsOf(t, scanUsergroup, usergroupColumns+"WHERE team_id = $1 ORDER BY n", team)
}

func (t *tx) usergroup(team, id string) (usergroup, error) {
	g, err := scanUsergroup(t.Row(usergroupColumns+"WHERE team_id = $1 AND id = $2", team, id).Scan)
	return g, missing(err, "no_such_subteam")
}

func (t *tx) usergroupMembers(id string) []string {
	return rowsOf(t, scanText, "SELECT user_id FROM usergroup_members WHERE usergroup_id = $1 ORDER BY n", id)
}

func scanText(scan func(...any) error) (s string, err error) {
	err = scan(&s)
	return s, err
}

// CreateUsergroup makes a user group in the workspace of the member who makes it.
// It returns name_already_exists if the handle is taken.
func (s *Sandbox) CreateUsergroup(ctx context.Context, by, name, handle string, members []string) (Usergroup, error) {
	return writing(ctx, s, func(t *tx) (none Usergroup, err error) {
		u, err := t.anyUser(by)
		if err != nil {
			return none, err
		}
		g := usergroup{ID: newID("S"), TeamID: u.TeamID, Handle: handle, Created: t.millis(), Updated: t.millis(),
			usergroupBody: usergroupBody{Name: name, CreatedBy: by, UpdatedBy: by}}
		if err := t.runOr("name_already_exists", `INSERT INTO usergroups (id, team_id, handle, body, created_at, updated_at, deleted_at)
			VALUES ($1, $2, $3, $4, $5, $6, 0) ON CONFLICT DO NOTHING`,
			g.ID, g.TeamID, g.Handle, string(encode(g.usergroupBody)), g.Created, g.Updated); err != nil {
			return none, err
		}
		if err := t.addUsergroupMembers(g, members); err != nil {
			return none, err
		}
		return t.recordUsergroup("subteam_created", g), nil
	})
}

func (t *tx) addUsergroupMembers(g usergroup, members []string) error {
	for _, id := range members {
		if _, err := t.user(g.TeamID, id); err != nil {
			return err
		}
		t.run("INSERT INTO usergroup_members (usergroup_id, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING", g.ID, id)
	}
	return nil
}

// recordUsergroup records an event with the whole user group, and returns it.
func (t *tx) recordUsergroup(name string, g usergroup) Usergroup {
	members := t.usergroupMembers(g.ID)
	shown := g.show()
	shown.Users, shown.UserCount = members, new(len(members))
	t.record(event{name: name, team: g.TeamID, says: object{"subteam": shown}})
	return shown
}

// usergroupOf returns a user group in the workspace of a member.
func (t *tx) usergroupOf(member, id string) (usergroup, error) {
	u, err := t.anyUser(member)
	if err != nil {
		return usergroup{}, err
	}
	return t.usergroup(u.TeamID, id)
}

// saveUsergroup stores a changed user group and tells of it.
func (t *tx) saveUsergroup(g *usergroup, by string) Usergroup {
	g.Updated, g.UpdatedBy = t.millis(), by
	t.run("UPDATE usergroups SET body = $2, updated_at = $3, deleted_at = $4 WHERE id = $1",
		g.ID, string(encode(g.usergroupBody)), g.Updated, g.Deleted)
	return t.recordUsergroup("subteam_updated", *g)
}

// SetUsergroupMembers replaces the members of a user group.
func (s *Sandbox) SetUsergroupMembers(ctx context.Context, by, id string, members []string) (Usergroup, error) {
	return writing(ctx, s, func(t *tx) (shown Usergroup, err error) {
		g, err := t.usergroupOf(by, id)
		if err != nil {
			return shown, err
		}
		before := t.usergroupMembers(id)
		t.run("DELETE FROM usergroup_members WHERE usergroup_id = $1", id)
		if err := t.addUsergroupMembers(g, members); err != nil {
			return shown, err
		}
		previous := g.Updated
		shown = t.saveUsergroup(&g, by)
		added, removed := without(shown.Users, before), without(before, shown.Users)
		t.record(event{name: "subteam_members_changed", team: g.TeamID, says: object{"subteam_id": g.ID, "team_id": g.TeamID,
			"date_previous_update": previous / 1000, "date_update": g.Updated / 1000,
			"added_users": added, "added_users_count": len(added),
			"removed_users": removed, "removed_users_count": len(removed)}})
		return shown, nil
	})
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

// ChangeUsergroup renames a user group, disables it or enables it again.
func (s *Sandbox) ChangeUsergroup(ctx context.Context, by, id, name string, disabled bool) (Usergroup, error) {
	return writing(ctx, s, func(t *tx) (Usergroup, error) {
		g, err := t.usergroupOf(by, id)
		if err != nil {
			return Usergroup{}, err
		}
		g.Name, g.Deleted = cmp.Or(name, g.Name), 0
		if disabled {
			g.Deleted = t.millis()
		}
		return t.saveUsergroup(&g, by), nil
	})
}
