package sandbox

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// AppConfig is an app to register. Only Manifest is required.
type AppConfig struct {
	// Manifest is the app's manifest in Slack's JSON.
	Manifest json.RawMessage
	// ClientID, ClientSecret and SigningSecret are the app's credentials. Empty
	// ones are generated. An app with the same ClientID or, without one, the same
	// name is the same app.
	ClientID, ClientSecret, SigningSecret string
}

// Manifest is the part of an app's manifest that we read.
type Manifest struct {
	Display struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"display_information"`
	Features struct {
		Bot *struct {
			DisplayName string `json:"display_name"`
		} `json:"bot_user"`
	} `json:"features"`
	OAuth struct {
		RedirectURLs []string `json:"redirect_urls"`
		Scopes       struct {
			Bot  []string `json:"bot"`
			User []string `json:"user"`
		} `json:"scopes"`
	} `json:"oauth_config"`
	Settings struct {
		Events struct {
			RequestURL string   `json:"request_url"`
			BotEvents  []string `json:"bot_events"`
			UserEvents []string `json:"user_events"`
			Metadata   []struct {
				AppID     string `json:"app_id"`
				EventType string `json:"event_type"`
			} `json:"metadata_subscriptions"`
		} `json:"event_subscriptions"`
		Interactivity struct {
			Enabled    bool   `json:"is_enabled"`
			RequestURL string `json:"request_url"`
		} `json:"interactivity"`
	} `json:"settings"`
}

// botName returns the name of the app's bot.
func (m *Manifest) botName() string {
	if m.Features.Bot != nil && m.Features.Bot.DisplayName != "" {
		return m.Features.Bot.DisplayName
	}
	return m.Display.Name
}

// check returns what is wrong with a manifest, in words for its author.
func (m *Manifest) check() error {
	e := &Error{Code: "invalid_manifest"}
	if m.Display.Name == "" {
		e.Messages = append(e.Messages, "[ERROR] missing required field: name [json-pointer:/display_information]")
	}
	for pointer, address := range map[string]string{
		"/settings/event_subscriptions/request_url": m.Settings.Events.RequestURL,
		"/settings/interactivity/request_url":       m.Settings.Interactivity.RequestURL,
	} {
		if u, err := url.Parse(address); address != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
			e.Messages = append(e.Messages, fmt.Sprintf("[ERROR] must be an http address [json-pointer:%s]", pointer))
		}
	}
	if len(e.Messages) > 0 {
		return e
	}
	return nil
}

// App is a registered app with its credentials.
type App struct {
	ID                string   `json:"app_id"`
	ClientID          string   `json:"client_id"`
	ClientSecret      string   `json:"client_secret"`
	SigningSecret     string   `json:"signing_secret"`
	VerificationToken string   `json:"verification_token"`
	Manifest          Manifest `json:"-"`

	raw         string // the manifest as received
	verifiedURL string // the events address that has answered its challenge
}

const appColumns = "SELECT id, client_id, client_secret, signing_secret, verification_token, manifest, verified_url FROM apps "

func scanApp(scan func(...any) error) (*App, error) {
	var a App
	if err := scan(&a.ID, &a.ClientID, &a.ClientSecret, &a.SigningSecret, &a.VerificationToken, &a.raw, &a.verifiedURL); err != nil {
		return nil, err
	}
	return &a, json.Unmarshal([]byte(a.raw), &a.Manifest)
}

func (t *tx) app(id string) (*App, error) {
	a, err := scanApp(t.Row(appColumns+"WHERE id = $1", id).Scan)
	return a, missing(err, "invalid_app_id")
}

func (t *tx) appOfClient(clientID string) (*App, error) {
	a, err := scanApp(t.Row(appColumns+"WHERE client_id = $1", clientID).Scan)
	return a, missing(err, "invalid_client_id")
}

func (t *tx) apps() []*App { return rowsOf(t, scanApp, appColumns+"ORDER BY n") }

// Apps lists the registered apps, oldest first.
func (s *Sandbox) Apps(ctx context.Context) ([]App, error) {
	return reading(ctx, s, func(t *tx) ([]App, error) {
		return each(t.apps(), func(a *App) App { return *a }), nil
	})
}

// RegisterApp adds an app, or updates the manifest of an existing one. The bots of
// a new app are added to every workspace and wait to be installed. This process
// vouches for the app, so its callbacks may go anywhere that outbound allows at
// all.
func (s *Sandbox) RegisterApp(ctx context.Context, c AppConfig) (App, error) {
	app, _, err := s.register(ctx, c, true)
	if err == nil {
		s.ours.Store(app.ID, true)
	}
	return app, err
}

// register does the work of RegisterApp for an app that nobody vouches for. made
// says that it is new; renew allows changing an existing one.
func (s *Sandbox) register(ctx context.Context, c AppConfig, renew bool) (done App, made bool, err error) {
	var m Manifest
	if err := json.Unmarshal(c.Manifest, &m); err != nil {
		return done, false, &Error{Code: "invalid_manifest", Messages: []string{"[ERROR] " + err.Error()}}
	}
	if err := m.check(); err != nil {
		return done, false, err
	}
	err = s.write(ctx, func(t *tx) error {
		a := t.sameApp(c.ClientID, m.Display.Name)
		if a != nil && !renew {
			return &Error{Code: "app_exists", Messages: []string{"[ERROR] there is an app of this name; only the holder of the sandbox's code can change it [json-pointer:/display_information/name]"}}
		}
		if made = a == nil; made {
			a = &App{ID: newID("A"), ClientID: cmp.Or(c.ClientID, letters("0123456789", 12)+"."+letters("0123456789", 13)),
				ClientSecret: newHex(16), SigningSecret: newHex(16), VerificationToken: newSecret(24)}
			t.run(`INSERT INTO apps (id, client_id, client_secret, signing_secret, verification_token, manifest, verified_url, created_at)
				VALUES ($1, $2, $3, $4, $5, $6, '', $7)`,
				a.ID, a.ClientID, a.ClientSecret, a.SigningSecret, a.VerificationToken, string(c.Manifest), t.millis())
		}
		a.Manifest, a.raw = m, string(c.Manifest)
		a.ClientSecret, a.SigningSecret = cmp.Or(c.ClientSecret, a.ClientSecret), cmp.Or(c.SigningSecret, a.SigningSecret)
		t.run("UPDATE apps SET manifest = $2, client_secret = $3, signing_secret = $4 WHERE id = $1",
			a.ID, a.raw, a.ClientSecret, a.SigningSecret)
		done = *a
		for _, w := range t.workspaces() {
			t.addBots(w.ID)
		}
		return nil
	})
	return done, made, err
}

// sameApp returns the app that a registration updates, or nil.
func (t *tx) sameApp(clientID, name string) *App {
	for _, a := range t.apps() {
		if clientID != "" && a.ClientID == clientID || clientID == "" && strings.EqualFold(a.Manifest.Display.Name, name) {
			return a
		}
	}
	return nil
}

// addBots adds the missing bots of all apps to a workspace.
func (t *tx) addBots(team string) {
	for _, a := range t.apps() {
		t.installation(team, a)
	}
}

// wantsMetadata reports whether an app may see the payload of metadata. Its
// manifest must ask for it.
func (a *App) wantsMetadata(app, eventType string) bool {
	for _, s := range a.Manifest.Settings.Events.Metadata {
		if s.EventType == eventType && (s.AppID == app || s.AppID == "" || s.AppID == "*") {
			return true
		}
	}
	return false
}
