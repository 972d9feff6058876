package sandbox

import (
	"context"
	"slices"
	"strings"

	"frontdesk/internal/sqldb"
)

// installation is an app in a workspace.
type installation struct {
	Team, App string
	BotID     string // B…
	BotUser   string // U…
	BotScopes []string
	Active    bool
}

// BotProfile is what a message says about the bot that wrote it.
type BotProfile struct {
	ID      string `json:"id"`
	AppID   string `json:"app_id"`
	UserID  string `json:"user_id"`
	Name    string `json:"name"`
	Icons   Icons  `json:"icons"`
	Deleted bool   `json:"deleted"`
	Updated int64  `json:"updated"`
	TeamID  string `json:"team_id"`
}

func splitScopes(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
}

const installationColumns = "SELECT team_id, app_id, bot_id, bot_user_id, bot_scopes, active FROM installations "

func scanInstallation(scan func(...any) error) (*installation, error) {
	var in installation
	var scopes string
	err := scan(&in.Team, &in.App, &in.BotID, &in.BotUser, &scopes, &in.Active)
	in.BotScopes = splitScopes(scopes)
	return &in, err
}

func (t *tx) installations(team string) []*installation {
	return rowsOf(t, scanInstallation, installationColumns+"WHERE team_id = $1 ORDER BY n", team)
}

// installation returns the app's installation in a workspace, and makes it with its
// bot if there is none.
func (t *tx) installation(team string, app *App) *installation {
	in, err := scanInstallation(t.Row(installationColumns+"WHERE team_id = $1 AND app_id = $2", team, app.ID).Scan)
	if err != sqldb.ErrNoRows {
		t.note(err)
		return in
	}
	in = &installation{Team: team, App: app.ID, BotID: newID("B")}
	name := app.Manifest.botName()
	u := userRow{TeamID: team, IsBot: true, userBody: userBody{
		Name: strings.ReplaceAll(strings.ToLower(name), " ", "_"), RealName: name, TZ: "America/Los_Angeles", BotID: in.BotID, AppID: app.ID}}
	t.addUser(&u)
	in.BotUser = u.ID
	t.run(`INSERT INTO installations (team_id, app_id, bot_id, bot_user_id, bot_scopes, active)
		VALUES ($1, $2, $3, $4, '', $5)`, team, app.ID, in.BotID, in.BotUser, false)
	return in
}

// installed returns an app that is in a workspace, by its id, and its installation.
func (t *tx) installed(team, appID string) (*App, *installation) {
	app, err := t.app(appID)
	if err != nil {
		t.note(err)
		return &App{}, &installation{}
	}
	return app, t.installation(team, app)
}

func (t *tx) botProfile(team, appID string) *BotProfile {
	app, in := t.installed(team, appID)
	u, err := t.user(team, in.BotUser)
	t.note(err)
	images := t.showUser(u, false).Profile
	return &BotProfile{ID: in.BotID, AppID: appID, UserID: u.ID, Name: app.Manifest.Display.Name,
		Icons: Icons{Image36: images.Image32, Image48: images.Image48, Image72: images.Image72}, Updated: u.Updated / 1000, TeamID: team}
}

// Installed is what an app gets when it is installed.
type Installed struct {
	AppID      string
	Team       Workspace
	BotUserID  string
	BotToken   string // empty if no bot scopes were asked for
	BotScopes  []string
	UserID     string // the user who installed it
	UserToken  string // empty if no user scopes were asked for
	UserScopes []string
	BotID      string
}

// Install installs an app as a member's approval would. nil scopes mean the
// manifest's. An app that is already installed keeps its tokens, and the scopes add
// up.
func (s *Sandbox) Install(ctx context.Context, appID, user string, botScopes, userScopes []string) (Installed, error) {
	return writing(ctx, s, func(t *tx) (Installed, error) {
		app, err := t.app(appID)
		if err != nil {
			return Installed{}, err
		}
		u, err := t.anyUser(user)
		if err != nil {
			return Installed{}, err
		}
		if botScopes == nil {
			botScopes = app.Manifest.OAuth.Scopes.Bot
		}
		if userScopes == nil {
			userScopes = app.Manifest.OAuth.Scopes.User
		}
		return t.install(app, u, botScopes, userScopes)
	})
}

func (t *tx) install(app *App, by userRow, botScopes, userScopes []string) (done Installed, err error) {
	done = Installed{AppID: app.ID, UserID: by.ID}
	if done.Team, err = t.workspace(by.TeamID); err != nil {
		return done, err
	}
	in := t.installation(by.TeamID, app)
	done.BotUserID, done.BotID = in.BotUser, in.BotID
	if len(botScopes) > 0 {
		if !in.Active {
			in.BotScopes = nil
		}
		in.BotScopes = union(in.BotScopes, botScopes)
		done.BotScopes = in.BotScopes
		done.BotToken = t.grant(by.TeamID, in.BotUser, app.ID, true, in.BotScopes)
	}
	if len(userScopes) > 0 {
		done.UserToken = t.grant(by.TeamID, by.ID, app.ID, false, userScopes)
		a, err := t.bearer(done.UserToken)
		if err != nil {
			return done, err
		}
		done.UserScopes = a.Scopes
	}
	t.run("UPDATE installations SET bot_scopes = $3, active = $4 WHERE team_id = $1 AND app_id = $2",
		in.Team, in.App, strings.Join(in.BotScopes, ","), true)
	return done, nil
}

func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// Uninstall removes an app from a workspace. Its tokens stop working, and it is
// notified.
func (s *Sandbox) Uninstall(ctx context.Context, appID, team string) error {
	return s.write(ctx, func(t *tx) error {
		t.uninstall(appID, team)
		return nil
	})
}

func (t *tx) uninstall(appID, team string) {
	t.recordRevoked(appID, team, t.liveTokens(appID, team))
	t.record(event{name: "app_uninstalled", team: team, onlyFor: appID, says: object{}})
	// Slack reports account_inactive for a bot's token, and token_revoked for a
	// user's.
	t.run(`UPDATE tokens SET fate = CASE WHEN is_bot THEN 'account_inactive' ELSE 'token_revoked' END
		WHERE app_id = $1 AND team_id = $2 AND fate = ''`, appID, team)
	t.run("UPDATE installations SET active = $3, bot_scopes = '' WHERE app_id = $1 AND team_id = $2", appID, team, false)
}
