package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Press is an element that a person uses: a button, or a menu with a value.
type Press struct {
	Channel  string `json:"channel"` // of the message, with TS
	TS       string `json:"ts"`
	View     string `json:"view"` // or the modal that it is in
	BlockID  string `json:"block_id"`
	ActionID string `json:"action_id"`
	Value    string `json:"value"` // for a menu: the chosen value
}

// Press uses an element of a message or a modal, and returns when the app has
// acknowledged it. It returns message_not_found, not_found or no_such_element for
// something missing, and app_unreachable if the app does not answer correctly.
func (p Person) Press(ctx context.Context, what Press) error {
	var app *App
	var payload object
	err := p.do(ctx, func(t *tx, a *actor) (err error) {
		if what.View != "" {
			app, payload, err = t.pressInView(a, what)
		} else {
			app, payload, err = t.pressInMessage(a, what)
		}
		return err
	})
	if err != nil {
		return err
	}
	_, err = p.s.interact(ctx, app, payload)
	return err
}

// interaction begins the payload of an interaction.
func (t *tx) interaction(a *actor, kind, appID, viewID string) (*App, object) {
	app, _ := t.installed(a.Team, appID)
	u, err := t.user(a.Team, a.User)
	t.note(err)
	w, err := t.workspace(a.Team)
	t.note(err)
	o := object{
		"type": kind, "api_app_id": app.ID, "token": app.VerificationToken,
		"team": object{"id": w.ID, "domain": w.Domain}, "enterprise": nil, "is_enterprise_install": false,
		"user": object{"id": u.ID, "username": u.Name, "name": u.Name, "team_id": u.TeamID},
	}
	if kind != "view_closed" {
		o["trigger_id"] = t.newTrigger(a.Team, app.ID, a.User, viewID)
	}
	return app, o
}

func (t *tx) pressInMessage(a *actor, what Press) (*App, object, error) {
	c, _, err := t.seen(a, what.Channel)
	if err != nil {
		return nil, nil, err
	}
	m, ephemeral, err := t.pressable(a, c, what.TS)
	if err != nil {
		return nil, nil, err
	}
	in, element, attachment, ok := m.element(what.BlockID, what.ActionID)
	if !ok || m.AppID == "" {
		return nil, nil, refuse("no_such_element")
	}
	app, o := t.interaction(a, "block_actions", m.AppID, "")
	container := object{"type": "message", "message_ts": m.TS, "channel_id": c.ID, "is_ephemeral": ephemeral}
	if attachment > 0 {
		container["type"], container["attachment_id"], container["is_app_unfurl"] = "message_attachment", attachment, false
	}
	if m.threadTS != 0 {
		container["thread_ts"] = m.ThreadTS
	}
	name := c.Name
	if c.Kind == im {
		name = "directmessage"
	}
	key := newSecret(24)
	t.run(`INSERT INTO response_urls (id, team_id, app_id, user_id, conversation_id, ts, ephemeral, uses, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8)`, key, c.TeamID, app.ID, a.User, c.ID, m.ts, ephemeral, t.millis())
	o["container"], o["channel"], o["state"] = container, object{"id": c.ID, "name": name}, object{"values": object{}}
	o["response_url"] = t.s.url("/actions/%s/%s", c.TeamID, key)
	o["actions"] = []object{t.action(in, element, what.Value)}
	if !ephemeral {
		o["message"] = m.Message
	}
	return app, o, nil
}

// element finds an interactive element of a message: in its blocks, or in those of
// an attachment. Attachments are counted from 1.
func (m *messageRow) element(blockID, actionID string) (in, element block, attachment int, ok bool) {
	if in, element, ok = findElement(m.Blocks, blockID, actionID); ok {
		return in, element, 0, true
	}
	var attachments []block
	json.Unmarshal(m.Attachments, &attachments)
	for i, a := range attachments {
		if in, element, ok = findElement(a["blocks"], blockID, actionID); ok {
			return in, element, i + 1, true
		}
	}
	return nil, nil, 0, false
}

// pressable returns a message, including one that only this person sees.
func (t *tx) pressable(a *actor, c *conversation, ts string) (m *messageRow, ephemeral bool, err error) {
	m, err = t.message(c, ts)
	if Code(err) != "message_not_found" {
		return m, false, err
	}
	m, err = t.ephemeral(c, a.User, ts)
	return m, true, err
}

func (t *tx) pressInView(a *actor, what Press) (*App, object, error) {
	v, err := t.ownView(a, what.View)
	if err != nil {
		return nil, nil, err
	}
	in, element, ok := findElement(v.Blocks, what.BlockID, what.ActionID)
	if !ok {
		return nil, nil, refuse("no_such_element")
	}
	app, o := t.interaction(a, "block_actions", v.App, v.ID)
	o["container"] = object{"type": "view", "view_id": v.ID}
	o["view"] = t.showView(v)
	o["actions"] = []object{t.action(in, element, what.Value)}
	return app, o, nil
}

// ownView returns a modal that the person has open.
func (t *tx) ownView(a *actor, id string) (*view, error) {
	v, err := t.view(id)
	if err == nil && (!v.Open || v.User != a.User) {
		err = refuse("not_found")
	}
	return v, err
}

// action returns what was done with an element.
func (t *tx) action(in, element block, value string) object {
	o := stateOf(element, value)
	o["action_id"], o["block_id"] = element.text("action_id"), in.text("block_id")
	o["action_ts"] = showTS(t.now.UnixMicro())
	return o
}

// stateOf returns an element's value in Slack's shape, which depends on its type.
func stateOf(element block, value string) object {
	kind := element.text("type")
	o := object{"type": kind}
	switch kind {
	case "button":
		o["text"] = element["text"]
		if v := element.text("value"); v != "" {
			o["value"] = v
		}
		if v := element.text("style"); v != "" {
			o["style"] = v
		}
	case "static_select", "external_select", "radio_buttons", "overflow":
		o["selected_option"] = optionOf(element, value)
	case "multi_static_select", "multi_external_select", "checkboxes":
		options := []any{}
		for v := range strings.SplitSeq(value, ",") {
			if v != "" {
				options = append(options, optionOf(element, v))
			}
		}
		o["selected_options"] = options
	case "users_select", "conversations_select", "channels_select":
		o["selected_"+strings.TrimSuffix(kind, "s_select")] = orNull(value)
	case "multi_users_select", "multi_conversations_select", "multi_channels_select":
		list := strings.FieldsFunc(value, func(r rune) bool { return r == ',' })
		o["selected_"+strings.TrimSuffix(strings.TrimPrefix(kind, "multi_"), "_select")] = append([]string{}, list...)
	case "datepicker":
		o["selected_date"] = orNull(value)
	case "timepicker":
		o["selected_time"] = orNull(value)
	default:
		o["value"] = orNull(value)
	}
	return o
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// optionOf returns the option of a menu with a value, nil if there is none.
func optionOf(element block, value string) any {
	var options []struct {
		Text  json.RawMessage `json:"text"`
		Value string          `json:"value"`
	}
	json.Unmarshal(element["options"], &options)
	for _, o := range options {
		if o.Value == value {
			return o
		}
	}
	return nil
}

// interact sends an app what a person did. Slack tries only once.
func (s *Sandbox) interact(ctx context.Context, app *App, payload object) (answer, error) {
	address := app.Manifest.Settings.Interactivity.RequestURL
	if address == "" || !app.Manifest.Settings.Interactivity.Enabled {
		return answer{}, refuse("interactivity_disabled")
	}
	body := []byte(url.Values{"payload": {string(encode(payload))}}.Encode())
	a, err := s.callback(ctx, app, address, "application/x-www-form-urlencoded", body, nil)
	if err != nil {
		return a, &Error{Code: "app_unreachable", Messages: []string{err.Error()}}
	}
	if a.status != http.StatusOK {
		return a, &Error{Code: "app_unreachable", Messages: []string{fmt.Sprintf("it answered %d", a.status)}}
	}
	return a, nil
}
