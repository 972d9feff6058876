package sandbox

import (
	"crypto/subtle"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// codeLife is how long an approval may wait to be exchanged.
const codeLife = 10 * time.Minute

// authorization is what an app asks for on the authorize page.
type authorization struct {
	App                   *App
	Team                  Workspace
	Teams                 []Workspace // to choose from, when the app did not
	BotScopes, UserScopes []string
	RedirectURI, State    string
}

// readAuthorization checks what the page was asked for.
func (t *tx) readAuthorization(q url.Values) (z authorization, err error) {
	if z.App, err = t.appOfClient(q.Get("client_id")); err != nil {
		return z, err
	}
	m := z.App.Manifest.OAuth
	z.BotScopes, z.UserScopes = splitScopes(q.Get("scope")), splitScopes(q.Get("user_scope"))
	z.RedirectURI, z.State = q.Get("redirect_uri"), q.Get("state")
	switch {
	case len(z.BotScopes)+len(z.UserScopes) == 0:
		return z, refuse("invalid_scope")
	case len(without(z.BotScopes, m.Scopes.Bot)) > 0, len(without(z.UserScopes, m.Scopes.User)) > 0:
		return z, refuse("invalid_scope")
	}
	if z.RedirectURI == "" && len(m.RedirectURLs) > 0 {
		z.RedirectURI = m.RedirectURLs[0]
	}
	if !allowedRedirect(m.RedirectURLs, z.RedirectURI) {
		return z, refuse("bad_redirect_uri")
	}
	if z.Teams, err = t.workspaces(); err != nil {
		return z, err
	}
	if len(z.Teams) == 0 {
		return z, refuse("team_not_found")
	}
	z.Team = z.Teams[0]
	if team := q.Get("team"); team != "" {
		at := slices.IndexFunc(z.Teams, func(w Workspace) bool { return w.ID == team || w.Domain == team })
		if at < 0 {
			return z, refuse("team_not_found")
		}
		z.Team, z.Teams = z.Teams[at], z.Teams[at:at+1]
	}
	return z, nil
}

// allowedRedirect reports whether an address is one of the manifest's, or
// below one.
func allowedRedirect(allowed []string, address string) bool {
	for _, a := range allowed {
		rest, ok := strings.CutPrefix(address, a)
		if ok && (rest == "" || strings.HasSuffix(a, "/") || strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, "?")) {
			return true
		}
	}
	return false
}

// approve makes the code that the app exchanges for its tokens. The owner of
// the workspace is who approves.
func (t *tx) approve(z authorization) (string, error) {
	code := letters("0123456789", 12) + "." + letters("0123456789", 13) + "." + newHex(32)
	_, err := t.Exec(`INSERT INTO oauth_codes (code, app_id, team_id, user_id, redirect_uri, bot_scopes, user_scopes, used, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		code, z.App.ID, z.Team.ID, z.Team.Owner, z.RedirectURI, strings.Join(z.BotScopes, ","), strings.Join(z.UserScopes, ","), false, t.millis())
	return code, err
}

var authorizePage = template.Must(template.New("authorize").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Install {{.App.Manifest.Display.Name}}</title>
<style>body{font:16px/1.5 sans-serif;max-width:34rem;margin:4rem auto;padding:0 1rem}button{font:inherit;padding:.5rem 1.5rem}</style>
<h1>Install {{.App.Manifest.Display.Name}}</h1>
<p>The app asks for access to this sandbox workspace.</p>
{{if .BotScopes}}<p>As a bot: {{range .BotScopes}}<code>{{.}}</code> {{end}}</p>{{end}}
{{if .UserScopes}}<p>As you: {{range .UserScopes}}<code>{{.}}</code> {{end}}</p>{{end}}
<form method="post">
{{if gt (len .Teams) 1}}<p><label>Workspace <select name="team">{{range .Teams}}<option value="{{.ID}}">{{.Name}}</option>{{end}}</select></label></p>
{{else}}<p>Workspace: {{.Team.Name}}</p>{{end}}
<button name="allow" value="1">Allow</button>
</form>
</html>
`))

// serveAuthorize is the page where the owner lets an app in.
func (s *Sandbox) serveAuthorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if r.Method == http.MethodPost {
		if err := r.ParseForm(); err != nil {
			http.Error(w, "The form cannot be read.", http.StatusBadRequest)
			return
		}
		if team := r.PostForm.Get("team"); team != "" {
			q.Set("team", team)
		}
	}
	var z authorization
	var code string
	err := s.write(r.Context(), func(t *tx) (err error) {
		if z, err = t.readAuthorization(q); err != nil {
			return err
		}
		if r.Method == http.MethodPost || s.cfg.AutoApprove && len(z.Teams) == 1 {
			code, err = t.approve(z)
		}
		return err
	})
	switch {
	case Code(err) != "":
		http.Error(w, "The app cannot be installed: "+Code(err)+".", http.StatusBadRequest)
	case err != nil:
		s.broken(w, err)
	case code == "":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
		authorizePage.Execute(w, z)
	default:
		back, err := url.Parse(z.RedirectURI)
		if err != nil {
			http.Error(w, "The app cannot be installed: bad_redirect_uri.", http.StatusBadRequest)
			return
		}
		values := back.Query()
		values.Set("code", code)
		values.Set("state", z.State)
		back.RawQuery = values.Encode()
		http.Redirect(w, r, back.String(), http.StatusFound)
	}
}

// oauthAccess exchanges a code for tokens.
func oauthAccess(c *call) (object, error) {
	id, secret := c.clientID, c.secret
	if id == "" {
		id, secret = c.args.text("client_id"), c.args.text("client_secret")
	}
	if g := c.args.text("grant_type"); g != "" && g != "authorization_code" {
		return nil, refuse("invalid_grant_type")
	}
	app, err := c.appOfClient(id)
	if err != nil {
		return nil, err
	}
	if subtle.ConstantTimeCompare([]byte(secret), []byte(app.ClientSecret)) != 1 {
		return nil, refuse("bad_client_secret")
	}
	var team, user, redirect, botScopes, userScopes string
	var used bool
	var created int64
	err = c.Row(`SELECT team_id, user_id, redirect_uri, bot_scopes, user_scopes, used, created_at FROM oauth_codes WHERE code = $1 AND app_id = $2`,
		c.args.text("code"), app.ID).Scan(&team, &user, &redirect, &botScopes, &userScopes, &used, &created)
	switch given := c.args.text("redirect_uri"); {
	case err != nil:
		return nil, missing(err, "invalid_code")
	case used:
		return nil, refuse("code_already_used")
	case c.now.Sub(time.UnixMilli(created)) > codeLife:
		return nil, refuse("invalid_code")
	case given != "" && given != redirect:
		return nil, refuse("bad_redirect_uri")
	}
	if _, err := c.Exec("UPDATE oauth_codes SET used = $2 WHERE code = $1", c.args.text("code"), true); err != nil {
		return nil, err
	}
	by, err := c.user(team, user)
	if err != nil {
		return nil, err
	}
	done, err := c.install(app, by, splitScopes(botScopes), splitScopes(userScopes))
	if err != nil {
		return nil, err
	}
	return done.show(), nil
}

// show is the answer of oauth.v2.access.
func (in Installed) show() object {
	authed := object{"id": in.UserID}
	if in.UserToken != "" {
		authed["scope"], authed["access_token"], authed["token_type"] = strings.Join(in.UserScopes, ","), in.UserToken, "user"
	}
	o := object{"app_id": in.AppID, "authed_user": authed, "team": object{"id": in.Team.ID, "name": in.Team.Name},
		"enterprise": nil, "is_enterprise_install": false}
	if in.BotToken != "" {
		o["access_token"], o["token_type"] = in.BotToken, "bot"
		o["scope"], o["bot_user_id"] = strings.Join(in.BotScopes, ","), in.BotUserID
	}
	return o
}
