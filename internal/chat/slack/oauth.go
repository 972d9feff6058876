package slack

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
)

// AuthorizeURL is where a person allows us in, asking for all that the
// manifest does.
func (a *App) AuthorizeURL(state string) string {
	return a.cfg.Authorize + "?" + url.Values{
		"client_id":    {a.cfg.ClientID},
		"scope":        {strings.Join(botScopes, ",")},
		"user_scope":   {strings.Join(userScopes, ",")},
		"redirect_uri": {a.cfg.PublicURL + callbackPath},
		"state":        {state},
	}.Encode()
}

// granted is what a code is worth.
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

// Exchange makes an installation of a code. A code is good once: after an
// unknown outcome the person has to allow us in again. It gives Refused for a
// code that is not good, and for an approval of an organization rather than a
// workspace.
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
