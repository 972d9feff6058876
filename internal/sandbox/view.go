package sandbox

import (
	"encoding/json"
	"fmt"
	"regexp"
	"time"
	"unicode/utf8"
)

const (
	triggerLife = 3 * time.Second
	maxView     = 250 << 10 // bytes
	maxStack    = 3         // stacked modals
)

// view is a modal that a member has open.
type view struct {
	ID, TeamID, App, User    string
	Root, Previous, External string
	Hash                     string
	Open                     bool
	viewBody
}

// viewBody is a modal as its app described it.
type viewBody struct {
	Type            string          `json:"type"`
	Title           json.RawMessage `json:"title"`
	Submit          json.RawMessage `json:"submit"`
	Close           json.RawMessage `json:"close"`
	Blocks          json.RawMessage `json:"blocks"`
	PrivateMetadata string          `json:"private_metadata"`
	CallbackID      string          `json:"callback_id"`
	ExternalID      string          `json:"external_id"`
	ClearOnClose    bool            `json:"clear_on_close"`
	NotifyOnClose   bool            `json:"notify_on_close"`
}

// View is a modal as Slack shows it.
type View struct {
	ID                 string    `json:"id"`
	TeamID             string    `json:"team_id"`
	AppID              string    `json:"app_id"`
	BotID              string    `json:"bot_id"`
	AppInstalledTeamID string    `json:"app_installed_team_id"`
	State              ViewState `json:"state"`
	Hash               string    `json:"hash"`
	RootViewID         string    `json:"root_view_id"`
	PreviousViewID     *string   `json:"previous_view_id"`
	viewBody
}

// ViewState holds the values, by block_id and action_id.
type ViewState struct {
	Values map[string]map[string]json.RawMessage `json:"values"`
}

// readView checks a modal as Slack does.
func readView(raw json.RawMessage) (viewBody, error) {
	var v viewBody
	if len(raw) > maxView {
		return v, refuse("view_too_large")
	}
	if json.Unmarshal(raw, &v) != nil {
		return v, invalid("must be an object [json-pointer:/view]")
	}
	wrong := &Error{Code: "invalid_arguments"}
	report := func(pointer, format string, args ...any) {
		wrong.Messages = append(wrong.Messages, fmt.Sprintf("[ERROR] %s [json-pointer:/view%s]", fmt.Sprintf(format, args...), pointer))
	}
	switch {
	case v.Type == "":
		report("", "missing required field: type")
	case v.Type != "modal":
		report("/type", "unsupported type: %s", v.Type)
	}
	for _, part := range []struct {
		name string
		raw  json.RawMessage
	}{{"title", v.Title}, {"submit", v.Submit}, {"close", v.Close}} {
		if isNull(part.raw) {
			if part.name == "title" {
				report("", "missing required field: title")
			}
			continue
		}
		checkText(part.raw, "/"+part.name, 24, report)
	}
	if isNull(v.Blocks) {
		report("", "missing required field: blocks")
	} else if blocks, err := checkBlocks(v.Blocks, "view/blocks", maxViewBlocks); err != nil {
		if e, ok := err.(*Error); ok {
			wrong.Messages = append(wrong.Messages, e.Messages...)
			if len(e.Messages) == 0 {
				report("/blocks", "must be an array")
			}
		}
	} else if v.Blocks = blocks; blocks == nil {
		v.Blocks = json.RawMessage("[]")
	}
	if isNull(v.Submit) && len(inputsOf(v.Blocks)) > 0 {
		report("", "missing required field: submit")
	}
	for name, limit := range map[string]int{"private_metadata": 3000, "callback_id": 255, "external_id": 255} {
		text := map[string]string{"private_metadata": v.PrivateMetadata, "callback_id": v.CallbackID, "external_id": v.ExternalID}[name]
		if utf8.RuneCountInString(text) > limit {
			report("/"+name, "must be less than %d characters", limit+1)
		}
	}
	if len(wrong.Messages) > 0 {
		return v, wrong
	}
	return v, nil
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

const viewColumns = "SELECT id, team_id, app_id, user_id, root_id, previous_id, external_id, hash, is_open, body FROM views "

func scanView(scan func(...any) error) (*view, error) {
	var v view
	return &v, scan(&v.ID, &v.TeamID, &v.App, &v.User, &v.Root, &v.Previous, &v.External, &v.Hash, &v.Open, fromJSON(&v.viewBody))
}

func (t *tx) view(id string) (*view, error) {
	v, err := scanView(t.Row(viewColumns+"WHERE id = $1", id).Scan)
	return v, missing(err, "not_found")
}

// views lists a member's open modals, the topmost last.
func (t *tx) views(user string) []*view {
	return rowsOf(t, scanView, viewColumns+"WHERE user_id = $1 AND is_open ORDER BY n", user)
}

func (t *tx) showView(v *view) View {
	_, in := t.installed(v.TeamID, v.App)
	shown := View{ID: v.ID, TeamID: v.TeamID, AppID: v.App, BotID: in.BotID, AppInstalledTeamID: v.TeamID,
		State: ViewState{Values: map[string]map[string]json.RawMessage{}}, Hash: v.Hash, RootViewID: v.Root, viewBody: v.viewBody}
	if v.Previous != "" {
		shown.PreviousViewID = &v.Previous
	}
	return shown
}

func (t *tx) newHash() string { return fmt.Sprintf("%d.%s", t.now.Unix(), newSecret(8)) }

// openView opens a modal for a member, on top of previous if there is one.
func (t *tx) openView(app, team, user string, previous *view, body viewBody) (*view, error) {
	if err := t.checkExternal(team, "", body.ExternalID); err != nil {
		return nil, err
	}
	v := &view{ID: newID("V"), TeamID: team, App: app, User: user, External: body.ExternalID, Hash: t.newHash(), Open: true, viewBody: body}
	v.Root = v.ID
	if previous != nil {
		v.Root, v.Previous = previous.Root, previous.ID
	}
	t.run(`INSERT INTO views (id, team_id, app_id, user_id, root_id, previous_id, external_id, hash, is_open, body)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		v.ID, v.TeamID, v.App, v.User, v.Root, v.Previous, v.External, v.Hash, v.Open, string(encode(v.viewBody)))
	t.tellView(v)
	return v, nil
}

// checkExternal refuses the external id of another open view.
func (t *tx) checkExternal(team, own, external string) error {
	if external == "" {
		return nil
	}
	if t.number("SELECT count(*) FROM views WHERE team_id = $1 AND external_id = $2 AND is_open AND id <> $3", team, external, own) > 0 {
		return refuse("duplicate_external_id")
	}
	return nil
}

func (t *tx) changeView(v *view, body viewBody) error {
	if err := t.checkExternal(v.TeamID, v.ID, body.ExternalID); err != nil {
		return err
	}
	v.viewBody, v.External, v.Hash = body, body.ExternalID, t.newHash()
	t.run("UPDATE views SET body = $2, external_id = $3, hash = $4 WHERE id = $1", v.ID, string(encode(v.viewBody)), v.External, v.Hash)
	t.tellView(v)
	return nil
}

func (t *tx) closeView(v *view) {
	t.run("UPDATE views SET is_open = $2 WHERE id = $1", v.ID, false)
	t.tellView(v)
}

// closeAll closes every modal in the stack of one.
func (t *tx) closeAll(v *view) {
	t.run("UPDATE views SET is_open = $2 WHERE root_id = $1", v.Root, false)
	t.tellView(v)
}

// tellView tells a member's clients that the open modals have changed.
func (t *tx) tellView(v *view) { t.tell(v.TeamID, change{Kind: viewChanged, user: v.User}) }

// newTrigger makes a trigger that an app may exchange for a modal, once, within
// three seconds.
func (t *tx) newTrigger(team, app, user, viewID string) string {
	id := fmt.Sprintf("%s.%s.%s", letters("0123456789", 13), letters("0123456789", 12), newHex(16))
	t.run("INSERT INTO triggers (id, team_id, app_id, user_id, view_id, used, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
		id, team, app, user, viewID, false, t.millis())
	return id
}

var triggerPattern = regexp.MustCompile(`^\d+\.\d+\.[0-9a-f]+$`)

func (t *tx) useTrigger(a *actor, id string) (user, viewID string, err error) {
	if !triggerPattern.MatchString(id) {
		return "", "", refuse("invalid_trigger_id")
	}
	var used bool
	var created int64
	err = t.Row("SELECT user_id, view_id, used, created_at FROM triggers WHERE id = $1 AND app_id = $2 AND team_id = $3", id, a.App, a.Team).
		Scan(&user, &viewID, &used, &created)
	switch {
	case err != nil:
		return "", "", missing(err, "invalid_trigger_id")
	case used:
		return "", "", refuse("exchanged_trigger_id")
	case t.now.Sub(time.UnixMilli(created)) > triggerLife:
		return "", "", refuse("expired_trigger_id")
	}
	t.run("UPDATE triggers SET used = $2 WHERE id = $1", id, true)
	return user, viewID, nil
}

func viewsOpen(c *call) (object, error) {
	body, err := readView(c.args.raw("view"))
	if err != nil {
		return nil, err
	}
	user, _, err := c.useTrigger(c.a, c.args.text("trigger_id"))
	if err != nil {
		return nil, err
	}
	return c.shownView(c.openView(c.a.App, c.a.Team, user, nil, body))
}

func viewsPush(c *call) (object, error) {
	body, err := readView(c.args.raw("view"))
	if err != nil {
		return nil, err
	}
	user, under, err := c.useTrigger(c.a, c.args.text("trigger_id"))
	if err != nil {
		return nil, err
	}
	previous, err := c.pushable(under)
	if err != nil {
		return nil, err
	}
	return c.shownView(c.openView(c.a.App, c.a.Team, user, previous, body))
}

// pushable returns the open modal that another may go on top of.
func (t *tx) pushable(id string) (*view, error) {
	v, err := t.view(id)
	if err != nil {
		return nil, err
	}
	if !v.Open {
		return nil, refuse("not_found")
	}
	if t.number("SELECT count(*) FROM views WHERE root_id = $1 AND is_open", v.Root) >= maxStack {
		return nil, refuse("push_limit_reached")
	}
	return v, nil
}

func viewsUpdate(c *call) (object, error) {
	body, err := readView(c.args.raw("view"))
	if err != nil {
		return nil, err
	}
	var v *view
	switch {
	case c.args.text("view_id") != "":
		v, err = c.view(c.args.text("view_id"))
	case c.args.text("external_id") != "":
		v, err = scanView(c.Row(viewColumns+"WHERE team_id = $1 AND external_id = $2 AND is_open", c.a.Team, c.args.text("external_id")).Scan)
		err = missing(err, "not_found")
	default:
		return nil, invalid("missing required field: view_id")
	}
	switch {
	case err != nil:
		return nil, err
	case !v.Open || v.App != c.a.App:
		return nil, refuse("not_found")
	case c.args.text("hash") != "" && c.args.text("hash") != v.Hash:
		return nil, refuse("hash_conflict")
	}
	return c.shownView(v, c.changeView(v, body))
}

func (c *call) shownView(v *view, err error) (object, error) {
	if err != nil {
		return nil, err
	}
	return object{"view": c.showView(v)}, nil
}
