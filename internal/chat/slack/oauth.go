package slack

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
)

// AuthorizeURL returns where a person authorises us. It asks for everything in the
// manifest.
func (a *App) AuthorizeURL(state string) string {
	return a.cfg.Authorize + "?" + url.Values{
		"client_id":    {a.cfg.ClientID},
		"scope":        {strings.Join(botScopes, ",")},
		"user_scope":   {strings.Join(userScopes, ",")},
		"redirect_uri": {a.cfg.PublicURL + callbackPath},
		"state":        {state},
	}.Encode()
}

// granted is what a code is exchanged for.
type granted struct {
	Token string `json:"access_token"`
	Scope string `json:"scope"`
	Bot   string `json:"bot_user_id"`
	Team  struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"team"`
	AuthedUser struct {
		ID    string `json:"id"`
		Token string `json:"access_token"`
		Scope string `json:"scope"`
	} `json:"authed_user"`
}

// Exchange turns a code into an installation. A code works once, so after an
// unknown outcome the person has to authorise us again. It returns Refused for an
// invalid code, and for an approval by an organisation instead of a workspace.
func (a *App) Exchange(ctx context.Context, code string) (chat.Installation, error) {
	var got granted
	if err := a.call(ctx, caller{}, "oauth.v2.access", url.Values{
		"client_id": {a.cfg.ClientID}, "client_secret": {a.cfg.ClientSecret},
		"code": {code}, "redirect_uri": {a.cfg.PublicURL + callbackPath},
	}, &got); err != nil {
		return chat.Installation{}, err
	}
	if got.Team.ID == "" || got.Token == "" {
		return chat.Installation{}, desk.Errorf(desk.Refused, "Slack did not let Frontdesk into a workspace. Choose one and connect again.")
	}
	in := chat.Installation{
		Workspace: got.Team.ID, Name: got.Team.Name,
		Bot: chat.Credential{User: got.Bot, Token: got.Token, Scopes: scopes(got.Scope)},
	}
	if u := got.AuthedUser; u.Token != "" {
		in.Person = &chat.Credential{User: u.ID, Token: u.Token, Scopes: scopes(u.Scope)}
	}
	var who struct {
		URL string `json:"url"`
	}
	if err := a.call(ctx, caller{workspace: in.Workspace, token: in.Bot.Token}, "auth.test", url.Values{}, &who); err != nil {
		return chat.Installation{}, err
	}
	if who.URL == "" {
		return chat.Installation{}, unknown("auth.test", errors.New("the answer has no address"))
	}
	in.URL = who.URL
	return in, nil
}

func scopes(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
}
