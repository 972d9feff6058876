package sandbox

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestUsersConversations(t *testing.T) {
	w := newWorld(t)
	maya := w.person("Maya")
	shared := w.channel("desk", maya)
	alone := w.channel("bots")
	must(w.s.As(maya).CreateChannel(w.ctx, "hers", false))
	secret := must(w.s.As(maya).CreateChannel(w.ctx, "secret", true))
	if err := w.s.As(maya).Invite(w.ctx, secret.ID, w.in.BotUserID); err != nil {
		t.Fatal(err)
	}
	must(w.s.As(maya).CreateChannel(w.ctx, "hidden", true))
	must(w.s.As(maya).Open(w.ctx, w.owner))
	dm := must(w.s.As(maya).Open(w.ctx, w.in.BotUserID))
	if err := w.s.As(w.owner).Archive(w.ctx, alone); err != nil {
		t.Fatal(err)
	}
	names := func(pairs ...string) (all []string) {
		t.Helper()
		for _, c := range w.bot("users.conversations", pairs...)["channels"].([]any) {
			if all = append(all, text(c, "name")); text(c, "name") == "" {
				all[len(all)-1] = text(c, "id")
			}
		}
		return all
	}
	const every = "public_channel,private_channel,im,mpim"
	want(t, "one's own", names(), []string{"desk", "bots"})
	want(t, "without archived ones", names("exclude_archived", "true"), []string{"desk"})
	want(t, "of every kind", names("types", every), []string{"desk", "bots", "secret", dm.ID})
	// Of somebody else's private ones, only those that both are in.
	want(t, "of somebody else", names("user", maya, "types", every), []string{"general", "desk", "hers", "secret", dm.ID})
	want(t, "of somebody else, public", names("user", w.owner), []string{"general", "desk", "bots"})

	first := w.bot("users.conversations", "user", maya, "types", every, "limit", "2")
	want(t, "first page", []any{dig(first, "channels", 1, "id"), len(first["channels"].([]any))}, []any{shared, 2})
	var rest []string
	for cursor := text(first, "response_metadata", "next_cursor"); cursor != ""; {
		page := w.bot("users.conversations", "user", maya, "types", every, "limit", "2", "cursor", cursor)
		for _, c := range page["channels"].([]any) {
			rest = append(rest, text(c, "id"))
		}
		cursor = text(page, "response_metadata", "next_cursor")
	}
	want(t, "further pages", rest[1:], []string{secret.ID, dm.ID})
	if _, told := dig(first, "channels", 0).(map[string]any)["is_member"]; told {
		t.Error("Slack does not tell is_member here")
	}

	w.bot("users.conversations", "limit", "999")
	w.refused("invalid_limit", "users.conversations", "limit", "1000")
	w.refused("invalid_cursor", "users.conversations", "cursor", "x")
	w.refused("invalid_types", "users.conversations", "types", "lounge")
	w.refused("user_not_found", "users.conversations", "user", "U0")
	o := w.refusedTo(w.botWith("channels:read"), "missing_scope", "users.conversations", "types", "im")
	want(t, "needed", o["needed"], "im:read")
}

func TestUsersProfileGet(t *testing.T) {
	w := newWorld(t)
	maya := w.person("Maya")
	p := w.bot("users.profile.get", "user", maya)
	want(t, "profile", []any{dig(p, "profile", "real_name"), dig(p, "profile", "title"), dig(p, "profile", "email"), dig(p, "profile", "fields")},
		[]any{"Maya Lindqvist", "Support lead", "maya@desk.test", map[string]any{}})
	// Without a user it is the caller's own profile.
	want(t, "of the bot", dig(w.bot("users.profile.get"), "profile", "bot_id"), w.in.BotID)
	want(t, "of a member", dig(w.call(w.token(maya), "users.profile.get", nil), "profile", "real_name"), "Maya Lindqvist")
	if email := dig(w.call(w.botWith("users.profile:read"), "users.profile.get", args("user", maya)), "profile", "email"); email != nil {
		t.Errorf("without users:read.email the email is shown: %v", email)
	}
	w.refused("user_not_found", "users.profile.get", "user", "U0")
}

func TestBotsInfo(t *testing.T) {
	w := newWorld(t)
	o := w.bot("bots.info", "bot", w.in.BotID)
	want(t, "bot", []any{dig(o, "bot", "id"), dig(o, "bot", "app_id"), dig(o, "bot", "user_id"), dig(o, "bot", "name"), dig(o, "bot", "deleted")},
		[]any{w.in.BotID, w.app.ID, w.in.BotUserID, "Desk", false})
	w.refused("bot_not_found", "bots.info", "bot", "B0")
	w.refused("bot_not_found", "bots.info", "bot", w.in.BotUserID)
	w.refused("bot_not_found", "bots.info")
	// A bot of another workspace is unknown, and a removed one is deleted.
	other := must(w.s.AddWorkspace(w.ctx, WorkspaceConfig{Name: "Other", OwnerName: "Zoe Zed", OwnerEmail: "zoe@zed.test"}))
	w.refusedTo(w.token(other.Owner), "bot_not_found", "bots.info", "bot", w.in.BotID)
	if err := w.s.Uninstall(w.ctx, w.app.ID, w.team); err != nil {
		t.Fatal(err)
	}
	want(t, "deleted", dig(w.call(w.token(w.owner), "bots.info", args("bot", w.in.BotID)), "bot", "deleted"), true)
}

func TestTeamInfo(t *testing.T) {
	w := newWorld(t)
	o := w.bot("team.info")
	want(t, "team", []any{dig(o, "team", "id"), dig(o, "team", "name"), dig(o, "team", "domain"), dig(o, "team", "url")},
		[]any{w.team, "Acme", "acme", w.url + "/sandbox/"})
	res := must(http.Get(text(o, "team", "icon", "image_88")))
	defer res.Body.Close()
	if picture := string(must(io.ReadAll(res.Body))); res.StatusCode != 200 || !strings.Contains(picture, ">A<") || !strings.Contains(picture, `width="88"`) {
		t.Errorf("the icon is %d %s", res.StatusCode, picture)
	}
	want(t, "by id", dig(w.bot("team.info", "team", w.team), "team", "id"), w.team)
	want(t, "by domain", dig(w.bot("team.info", "domain", "acme"), "team", "id"), w.team)
	other := must(w.s.AddWorkspace(w.ctx, WorkspaceConfig{Name: "Other", OwnerName: "Zoe Zed", OwnerEmail: "zoe@zed.test"}))
	w.refused("team_not_found", "team.info", "team", other.ID)
	w.refused("team_not_found", "team.info", "domain", "other")
}
