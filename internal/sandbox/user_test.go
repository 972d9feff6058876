package sandbox

import (
	"testing"
	"time"
)

func TestUsers(t *testing.T) {
	w := newWorld(t)
	maya := w.person("Maya")

	u := w.bot("users.info", "user", maya, "include_locale", "true")["user"]
	for name, v := range map[string]any{
		"id": maya, "team_id": w.team, "name": "maya", "real_name": "Maya Lindqvist", "tz": "Europe/Stockholm",
		"deleted": false, "is_bot": false, "locale": "en-US", "updated": w.clock.Now().Unix(),
	} {
		want(t, name, dig(u, name), v)
	}
	want(t, "display name", dig(u, "profile", "display_name"), "Maya")
	want(t, "email", dig(u, "profile", "email"), "maya@desk.test")
	w.refused("user_not_found", "users.info", "user", "U0NOBODY")
	w.refused("invalid_arguments", "users.info")

	want(t, "by email", dig(w.bot("users.lookupByEmail", "email", " MAYA@desk.test"), "user", "id"), maya)
	w.refused("users_not_found", "users.lookupByEmail", "email", "nobody@desk.test")

	bot := w.bot("users.info", "user", w.in.BotUserID)["user"]
	want(t, "is_bot", dig(bot, "is_bot"), true)
	want(t, "bot_id", dig(bot, "profile", "bot_id"), w.in.BotID)
	want(t, "api_app_id", dig(bot, "profile", "api_app_id"), w.app.ID)
}

func TestUsersInPages(t *testing.T) {
	w := newWorld(t)
	var ids []string
	cursor := ""
	for {
		o := w.bot("users.list", "limit", "4", "cursor", cursor)
		page := dig(o, "members").([]any)
		if len(page) > 4 {
			t.Fatalf("a page of %d", len(page))
		}
		for _, m := range page {
			ids = append(ids, text(m, "id"))
		}
		if cursor = text(o, "response_metadata", "next_cursor"); cursor == "" {
			break
		}
	}
	var all []string
	for _, u := range w.people {
		all = append(all, u.ID)
	}
	want(t, "all pages", ids, all)
	want(t, "without a limit", len(dig(w.bot("users.list"), "members").([]any)), len(all))
	for _, cursor := range []string{"nonsense", "dXNlcjpVMA==", "Y29udjpDMQ=="} {
		w.refused("invalid_cursor", "users.list", "cursor", cursor)
	}
	for _, limit := range []string{"-1", "many", "1001"} {
		w.refused("invalid_limit", "users.list", "limit", limit)
	}
}

func TestPresenceAndRest(t *testing.T) {
	w := newWorld(t)
	maya := w.person("Maya")
	want(t, "presence", w.bot("users.getPresence", "user", maya)["presence"], "active")
	away, start, end := true, w.clock.Now().Unix(), w.clock.Now().Add(time.Hour).Unix()
	must(w.s.ChangeUser(w.ctx, maya, UserChange{Away: &away, DNDStart: &start, DNDEnd: &end}))
	want(t, "presence", w.bot("users.getPresence", "user", maya)["presence"], "away")
	want(t, "own presence", w.bot("users.getPresence")["online"], true)
	w.refused("user_not_found", "users.getPresence", "user", "U0NOBODY")

	priya := w.person("Priya")
	users := w.bot("dnd.teamInfo", "users", maya+","+priya+",U0NOBODY")["users"]
	want(t, "resting", users, map[string]any{
		maya:  map[string]any{"dnd_enabled": true, "next_dnd_start_ts": start, "next_dnd_end_ts": end},
		priya: map[string]any{"dnd_enabled": false, "next_dnd_start_ts": 1, "next_dnd_end_ts": 1},
	})
	w.refused("invalid_arguments", "dnd.teamInfo")
}

func TestUsergroups(t *testing.T) {
	w := newWorld(t)
	maya, priya := w.person("Maya"), w.person("Priya")
	g := must(w.s.CreateUsergroup(w.ctx, w.owner, "Support", "support", []string{maya}))
	if _, err := w.s.CreateUsergroup(w.ctx, w.owner, "Other", "support", nil); Code(err) != "name_already_exists" {
		t.Errorf("the same handle twice: %v", err)
	}
	must(w.s.SetUsergroupMembers(w.ctx, w.owner, g.ID, []string{maya, priya}))

	o := w.bot("usergroups.list")
	want(t, "handle", dig(o, "usergroups", 0, "handle"), "support")
	want(t, "users unasked", dig(o, "usergroups", 0, "users"), nil)
	o = w.bot("usergroups.list", "include_users", "true", "include_count", "true")
	want(t, "users", dig(o, "usergroups", 0, "users"), []string{maya, priya})
	want(t, "count", dig(o, "usergroups", 0, "user_count"), 2)
	want(t, "members", w.bot("usergroups.users.list", "usergroup", g.ID)["users"], []string{maya, priya})
	w.refused("no_such_subteam", "usergroups.users.list", "usergroup", "S0")

	must(w.s.ChangeUsergroup(w.ctx, w.owner, g.ID, "", true))
	want(t, "without disabled", w.bot("usergroups.list")["usergroups"], []any{})
	want(t, "with disabled", len(dig(w.bot("usergroups.list", "include_disabled", "true"), "usergroups").([]any)), 1)
	w.refused("no_such_subteam", "usergroups.users.list", "usergroup", g.ID)
}
