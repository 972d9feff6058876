package sandbox

import (
	"cmp"
	"crypto/subtle"
	_ "embed"
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
	BotScopes, UserScopes []string
	RedirectURI, State    string

	Teams []Workspace // the workspaces the visitor may authorise the app for
	Code  string      // the code they typed, if it was needed
	Wrong bool        // whether the code they typed is wrong
}

// readAuthorization checks the parameters of the page. choose fills in the
// workspaces.
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
	return z, nil
}

// choose keeps the workspaces that the visitor may authorise the app for, or only
// the named one of these.
func (t *tx) choose(z *authorization, p pass, named string) error {
	z.Teams = slices.DeleteFunc(t.workspaces(), func(w Workspace) bool {
		return !p.opens(w.ID) || named != "" && w.ID != named && w.Domain != named
	})
	if len(z.Teams) == 0 && p.operator { // others do not learn what exists
		return refuse("team_not_found")
	}
	return nil
}

// allowedRedirect reports whether an address is in the manifest, or below one that
// is.
func allowedRedirect(allowed []string, address string) bool {
	for _, a := range allowed {
		rest, ok := strings.CutPrefix(address, a)
		if ok && (rest == "" || strings.HasSuffix(a, "/") || strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, "?")) {
			return true
		}
	}
	return false
}

// approve makes the code that the app exchanges for its tokens. The approval counts
// as the workspace owner's.
func (t *tx) approve(z authorization, to Workspace) string {
	code := letters("0123456789", 12) + "." + letters("0123456789", 13) + "." + newHex(32)
	t.run(`INSERT INTO oauth_codes (code, app_id, team_id, user_id, redirect_uri, bot_scopes, user_scopes, used, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		code, z.App.ID, to.ID, to.Owner, z.RedirectURI, strings.Join(z.BotScopes, ","), strings.Join(z.UserScopes, ","), false, t.millis())
	return code
}

//go:embed authorize.html
var authorizeHTML string

var authorizePage = template.Must(template.New("authorize").Parse(authorizeHTML))

// showAuthorize serves the page where an app is authorised. It names only the
// workspaces that the visitor may authorise it for.
func (s *Sandbox) showAuthorize(admins Admins) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p, err := s.passOf(r, admins, "")
		if err != nil {
			s.broken(w, err)
			return
		}
		q := r.URL.Query()
		var z authorization
		err = s.read(r.Context(), func(t *tx) (err error) {
			if z, err = t.readAuthorization(q); err == nil {
				err = t.choose(&z, p, q.Get("team"))
			}
			return err
		})
		s.page(w, z, http.StatusOK, err)
	}
}

// authorize authorises an app, if the visitor may do that, and sends them back to
// it. If there is a choice and it is not made yet, it asks.
func (s *Sandbox) authorize(admins Admins) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			http.Error(w, "The form cannot be read.", http.StatusBadRequest)
			return
		}
		typed := r.PostForm.Get("code")
		p, err := s.passOf(r, admins, typed)
		if err != nil {
			s.broken(w, err)
			return
		}
		q := r.URL.Query()
		named := cmp.Or(r.PostForm.Get("team"), q.Get("team"))
		var z authorization
		var code string
		err = s.write(r.Context(), func(t *tx) (err error) {
			code = "" // the transaction may run again
			if z, err = t.readAuthorization(q); err != nil {
				return err
			}
			if err = t.choose(&z, p, named); err == nil && len(z.Teams) == 1 {
				code = t.approve(z, z.Teams[0])
			}
			return err
		})
		switch back, e := url.Parse(z.RedirectURI); {
		case err == nil && len(z.Teams) == 0:
			z.Wrong = typed != ""
			s.page(w, z, http.StatusUnauthorized, nil)
		case err != nil || code == "":
			z.Code = typed
			s.page(w, z, http.StatusOK, err)
		case e != nil:
			s.page(w, z, http.StatusOK, refuse("bad_redirect_uri"))
		default:
			values := back.Query()
			values.Set("code", code)
			values.Set("state", z.State)
			back.RawQuery = values.Encode()
			http.Redirect(w, r, back.String(), http.StatusFound)
		}
	}
}

// page shows the authorize page, or why there is none.
func (s *Sandbox) page(w http.ResponseWriter, z authorization, status int, err error) {
	switch {
	case Code(err) != "":
		http.Error(w, "The app cannot be installed: "+Code(err)+".", http.StatusBadRequest)
	case err != nil:
		s.broken(w, err)
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
		w.WriteHeader(status)
		_ = authorizePage.Execute(w, z) // the visitor may have gone
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
	c.run("UPDATE oauth_codes SET used = $2 WHERE code = $1", c.args.text("code"), true)
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

// show returns the answer of oauth.v2.access.
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
