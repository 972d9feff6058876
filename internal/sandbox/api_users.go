package sandbox

import (
	"cmp"
	"slices"
)

func apiTest(c *call) (object, error) {
	if e := c.args.text("error"); e != "" {
		return nil, refuse(e)
	}
	return object{"args": c.args}, nil
}

func authTest(c *call) (object, error) {
	w, err := c.workspace(c.a.Team)
	if err != nil {
		return nil, err
	}
	u, err := c.user(c.a.Team, c.a.User)
	if err != nil {
		return nil, err
	}
	o := object{"url": w.URL, "team": w.Name, "user": u.Name, "team_id": w.ID, "user_id": u.ID, "is_enterprise_install": false}
	if c.a.IsBot {
		o["bot_id"] = c.a.Bot
	}
	return o, nil
}

func authRevoke(c *call) (object, error) {
	if c.args.flag("test") {
		return object{"revoked": false}, nil
	}
	c.revoke(c.a)
	return object{"revoked": true}, nil
}

func appsUninstall(c *call) (object, error) {
	app, err := c.appOfClient(c.args.text("client_id"))
	switch {
	case err != nil:
		return nil, err
	case app.ClientSecret != c.args.text("client_secret"):
		return nil, refuse("bad_client_secret")
	case app.ID != c.a.App:
		return nil, refuse("client_id_token_mismatch")
	}
	c.uninstall(app.ID, c.a.Team)
	return object{}, nil
}

// userOrSelf returns the member in the argument user, or else the caller.
func (c *call) userOrSelf() (userRow, error) {
	return c.user(c.a.Team, cmp.Or(c.args.text("user"), c.a.User))
}

// sees returns a member as the caller may see them.
func (c *call) sees(u userRow) User {
	shown := c.showUser(u, c.a.may("users:read.email"))
	if c.args.flag("include_locale") {
		shown.Locale = "en-US"
	}
	return shown
}

func usersList(c *call) (object, error) {
	known := func(id string) error {
		_, err := c.user(c.a.Team, id)
		return err
	}
	// Without a limit Slack tries to return all.
	rows, next, err := paged(c, "user", 1<<30, 1000, known, func(from string, limit int) []userRow {
		return c.users(c.a.Team, from, limit)
	}, func(u userRow) string { return u.ID })
	if err != nil {
		return nil, err
	}
	return object{"members": each(rows, c.sees), "cache_ts": c.now.Unix(), "response_metadata": next}, nil
}

func usersInfo(c *call) (object, error) {
	u, err := c.user(c.a.Team, c.args.text("user"))
	if err != nil {
		return nil, err
	}
	return object{"user": c.sees(u)}, nil
}

func usersProfileGet(c *call) (object, error) {
	u, err := c.userOrSelf()
	if err != nil {
		return nil, err
	}
	profile := asObject(c.sees(u).Profile)
	profile["fields"] = object{} // a workspace here has no custom profile fields
	return object{"profile": profile}, nil
}

func usersLookupByEmail(c *call) (object, error) {
	u, err := scanUser(c.Row(userColumns+"WHERE team_id = $1 AND email_folded = $2 AND NOT is_bot AND NOT deleted",
		c.a.Team, foldEmail(c.args.text("email"))).Scan)
	if err != nil {
		return nil, missing(err, "users_not_found")
	}
	return object{"user": c.sees(u)}, nil
}

func usersGetPresence(c *call) (object, error) {
	u, err := c.userOrSelf()
	if err != nil {
		return nil, err
	}
	presence := "active"
	if u.Away || u.Deleted {
		presence = "away"
	}
	o := object{"presence": presence}
	if u.ID == c.a.User {
		o["online"], o["auto_away"], o["manual_away"] = !u.Away, false, u.Away
		o["connection_count"], o["last_activity"] = 1, c.now.Unix()
	}
	return o, nil
}

func dndTeamInfo(c *call) (object, error) {
	ids := c.args.list("users")
	if len(ids) > 50 {
		return nil, refuse("too_many_users")
	}
	users := object{}
	for _, id := range ids {
		u, err := c.user(c.a.Team, id)
		if Code(err) == "user_not_found" {
			continue
		} else if err != nil {
			return nil, err
		}
		d := object{"dnd_enabled": false, "next_dnd_start_ts": 1, "next_dnd_end_ts": 1}
		if u.DNDEnd > c.now.Unix() {
			d = object{"dnd_enabled": true, "next_dnd_start_ts": u.DNDStart, "next_dnd_end_ts": u.DNDEnd}
		}
		users[id] = d
	}
	return object{"users": users}, nil
}

func usergroupsList(c *call) (object, error) {
	groups := []Usergroup{}
	for _, g := range c.usergroups(c.a.Team) {
		if g.Deleted != 0 && !c.args.flag("include_disabled") {
			continue
		}
		shown := g.show()
		members := c.usergroupMembers(g.ID)
		if c.args.flag("include_users") {
			shown.Users = slices.Concat([]string{}, members)
		}
		if c.args.flag("include_count") {
			shown.UserCount = new(len(members))
		}
		groups = append(groups, shown)
	}
	return object{"usergroups": groups}, nil
}

func usergroupsUsersList(c *call) (object, error) {
	g, err := c.usergroup(c.a.Team, c.args.text("usergroup"))
	if err != nil {
		return nil, err
	}
	if g.Deleted != 0 && !c.args.flag("include_disabled") {
		return nil, refuse("no_such_subteam")
	}
	return object{"users": append([]string{}, c.usergroupMembers(g.ID)...)}, nil
}
