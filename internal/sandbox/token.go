package sandbox

import (
	"context"
	"slices"
	"strings"

	"frontdesk/internal/sqldb"
)

// actor is the caller, by a token or in person.
type actor struct {
	Team   string
	User   string // a member, or the app's bot user
	App    string // empty for a member's own client
	Bot    string // the B… id of the app's bot
	IsBot  bool
	Scopes []string
	Token  string
}

func (a *actor) may(scope string) bool { return slices.Contains(a.Scopes, scope) }

// need refuses a caller who has none of the scopes. Any of them is enough.
func (a *actor) need(scopes ...string) error {
	if len(scopes) == 0 || slices.ContainsFunc(scopes, a.may) {
		return nil
	}
	return &Error{Code: "missing_scope", Needed: strings.Join(scopes, ","), Provided: strings.Join(a.Scopes, ",")}
}

// memberScopes are the scopes of a member's own client: everything a person can do.
var memberScopes = []string{
	"channels:history", "channels:read", "channels:write", "channels:write.invites", "chat:write", "dnd:read", "emoji:read",
	"files:read", "files:write", "groups:history", "groups:read", "groups:write", "groups:write.invites", "im:history", "im:read", "im:write",
	"mpim:history", "mpim:read", "mpim:write", "pins:read", "pins:write", "reactions:read", "reactions:write", "team:read", "usergroups:read", "usergroups:write",
	"users:read", "users:read.email", "users:write", "users.profile:read", "users.profile:write",
}

// person returns a member who acts in person.
func (t *tx) person(id string) (*actor, error) {
	u, err := t.anyUser(id)
	if err != nil {
		return nil, err
	}
	if u.Deleted || u.IsBot {
		return nil, refuse("account_inactive")
	}
	return &actor{Team: u.TeamID, User: u.ID, Scopes: memberScopes}, nil
}

type tokenRow struct {
	Token, User string
	IsBot       bool
}

// grant gives an app a token for a user. If it has one, it keeps it and the scopes
// are added.
func (t *tx) grant(team, user, app string, isBot bool, scopes []string) string {
	var token, old string
	err := t.Row("SELECT token, scopes FROM tokens WHERE user_id = $1 AND app_id = $2 AND is_bot = $3 AND fate = ''", user, app, isBot).Scan(&token, &old)
	if err == nil {
		t.run("UPDATE tokens SET scopes = $2 WHERE token = $1", token, strings.Join(union(splitScopes(old), scopes), ","))
		return token
	}
	if err != sqldb.ErrNoRows {
		t.note(err)
	}
	token = "xoxp-"
	if isBot {
		token = "xoxb-"
	}
	token += letters("0123456789", 12) + "-" + letters("0123456789", 13) + "-" + newSecret(24)
	t.run("INSERT INTO tokens (token, team_id, user_id, app_id, is_bot, scopes, fate, created_at) VALUES ($1, $2, $3, $4, $5, $6, '', $7)",
		token, team, user, app, isBot, strings.Join(scopes, ","), t.millis())
	return token
}

// bearer returns whom a token belongs to. It returns not_authed, invalid_auth, or
// the reason why the token ended.
func (t *tx) bearer(token string) (*actor, error) {
	if token == "" {
		return nil, refuse("not_authed")
	}
	a := &actor{Token: token}
	var scopes, fate string
	err := t.Row("SELECT team_id, user_id, app_id, is_bot, scopes, fate FROM tokens WHERE token = $1", token).
		Scan(&a.Team, &a.User, &a.App, &a.IsBot, &scopes, &fate)
	if err != nil {
		return nil, missing(err, "invalid_auth")
	}
	if fate != "" {
		return nil, refuse(fate)
	}
	u, err := t.user(a.Team, a.User)
	if err != nil {
		return nil, err
	}
	if u.Deleted {
		return nil, refuse("account_inactive")
	}
	a.Scopes = splitScopes(scopes)
	if a.App != "" {
		_, in := t.installed(a.Team, a.App)
		a.Bot = in.BotID
	}
	return a, nil
}

// member returns the member whose own client a token belongs to, from its current
// state.
func (t *tx) member(token string) (*actor, error) {
	who, err := t.bearer(token)
	if err == nil && who.App != "" {
		err = refuse("not_allowed_token_type")
	}
	return who, err
}

// Token returns the token of a member's own client, for acting as that member over
// HTTP. It is made the first time. It returns user_not_found for an unknown id, and
// account_inactive for a bot or a member who has left.
func (s *Sandbox) Token(ctx context.Context, user string) (string, error) {
	return doing(ctx, s.As(user), func(t *tx, a *actor) (string, error) { return t.grant(a.Team, a.User, "", false, memberScopes), nil })
}

func (t *tx) liveTokens(app, team string) []tokenRow {
	return rowsOf(t, func(scan func(...any) error) (k tokenRow, err error) {
		err = scan(&k.Token, &k.User, &k.IsBot)
		return k, err
	}, "SELECT token, user_id, is_bot FROM tokens WHERE app_id = $1 AND team_id = $2 AND fate = '' ORDER BY created_at, token", app, team)
}

// RevokeToken ends a token. Revoking its last token uninstalls an app.
func (s *Sandbox) RevokeToken(ctx context.Context, token string) error {
	return s.write(ctx, func(t *tx) error {
		a, err := t.bearer(token)
		if err == nil {
			t.revoke(a)
		}
		return err
	})
}

func (t *tx) revoke(a *actor) {
	if a.App != "" && len(t.liveTokens(a.App, a.Team)) == 1 {
		t.uninstall(a.App, a.Team)
		return
	}
	if a.App != "" {
		t.recordRevoked(a.App, a.Team, []tokenRow{{a.Token, a.User, a.IsBot}})
	}
	t.run("UPDATE tokens SET fate = 'token_revoked' WHERE token = $1", a.Token)
}

// recordRevoked tells an app whose tokens no longer work.
func (t *tx) recordRevoked(app, team string, tokens []tokenRow) {
	users, bots := []string{}, []string{}
	for _, k := range tokens {
		if k.IsBot {
			bots = append(bots, k.User)
		} else {
			users = append(users, k.User)
		}
	}
	t.record(event{name: "tokens_revoked", team: team, onlyFor: app, says: object{"tokens": object{"oauth": users, "bot": bots}}})
}
