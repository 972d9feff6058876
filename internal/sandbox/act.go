package sandbox

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
)

// acts are the things that people do in their client and that Slack's Web API has
// no method for. They are called with the member's own token.
var acts = map[string]func(context.Context, Person, json.RawMessage) (object, error){
	"press":      actPress,
	"submit":     actSubmit,
	"close":      actClose,
	"views":      actViews,
	"ephemerals": actEphemerals,
	"profile":    actProfile,
	"invite":     actInvite,
	"usergroup":  actUsergroup,
	"emoji":      actEmoji,
}

// serveAct does what a member does in their client.
func (s *Sandbox) serveAct(w http.ResponseWriter, r *http.Request) {
	act := acts[r.PathValue("act")]
	if act == nil {
		s.answer(w, object{"ok": false, "error": "unknown_method", "req_method": r.PathValue("act")})
		return
	}
	raw, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		s.refusal(w, refuse("request_timeout"))
		return
	}
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	var who *actor
	err = s.read(r.Context(), func(t *tx) (err error) {
		if who, err = t.bearer(bearerToken(r)); err == nil && who.App != "" {
			err = refuse("not_allowed_token_type")
		}
		return err
	})
	if err != nil {
		s.refusal(w, err)
		return
	}
	result, err := act(r.Context(), s.As(who.User), raw)
	if err != nil {
		s.refusal(w, err)
		return
	}
	result["ok"] = true
	s.answer(w, result)
}

// readAct reads the arguments of an act.
func readAct(raw json.RawMessage, into any) error {
	if json.Unmarshal(raw, into) != nil {
		return refuse("invalid_json")
	}
	return nil
}

func actPress(ctx context.Context, p Person, raw json.RawMessage) (object, error) {
	var what Press
	if err := readAct(raw, &what); err != nil {
		return nil, err
	}
	return object{}, p.Press(ctx, what)
}

func actSubmit(ctx context.Context, p Person, raw json.RawMessage) (object, error) {
	var what struct {
		View   string            `json:"view"`
		Values map[string]string `json:"values"`
	}
	if err := readAct(raw, &what); err != nil {
		return nil, err
	}
	done, err := p.Submit(ctx, what.View, what.Values)
	if err != nil {
		return nil, err
	}
	return asObject(done), nil
}

func actClose(ctx context.Context, p Person, raw json.RawMessage) (object, error) {
	var what struct {
		View  string `json:"view"`
		Clear bool   `json:"clear"`
	}
	if err := readAct(raw, &what); err != nil {
		return nil, err
	}
	return object{}, p.CloseView(ctx, what.View, what.Clear)
}

func actViews(ctx context.Context, p Person, _ json.RawMessage) (object, error) {
	views, err := p.Views(ctx)
	return object{"views": append([]View{}, views...)}, err
}

func actEphemerals(ctx context.Context, p Person, raw json.RawMessage) (object, error) {
	var what struct {
		Channel string `json:"channel"`
	}
	if err := readAct(raw, &what); err != nil {
		return nil, err
	}
	messages, err := p.Ephemerals(ctx, what.Channel)
	return object{"messages": messages}, err
}

// actProfile changes the member's profile or, for the owner, somebody else's.
func actProfile(ctx context.Context, p Person, raw json.RawMessage) (object, error) {
	var what struct {
		User string `json:"user"`
		UserChange
	}
	if err := readAct(raw, &what); err != nil {
		return nil, err
	}
	if what.User == "" {
		what.User = p.id
	}
	if err := p.mayManage(ctx, what.User); err != nil {
		return nil, err
	}
	u, err := p.s.ChangeUser(ctx, what.User, what.UserChange)
	return object{"user": u}, err
}

// mayManage refuses a member who changes somebody else and is not the owner.
func (p Person) mayManage(ctx context.Context, user string) error {
	return p.look(ctx, func(t *tx, a *actor) error {
		other, err := t.user(a.Team, user)
		if err != nil {
			return err
		}
		me, err := t.user(a.Team, a.User)
		if err == nil && other.ID != me.ID && !me.Owner {
			err = refuse("not_authorized")
		}
		return err
	})
}

func actInvite(ctx context.Context, p Person, raw json.RawMessage) (object, error) {
	var what struct {
		RealName string `json:"real_name"`
		Email    string `json:"email"`
		Title    string `json:"title"`
		TZ       string `json:"tz"`
		Guest    bool   `json:"guest"`
	}
	if err := readAct(raw, &what); err != nil {
		return nil, err
	}
	me, err := p.s.User(ctx, p.id)
	if err != nil {
		return nil, err
	}
	u, err := p.s.InviteUser(ctx, me.TeamID, NewUser(what))
	return object{"user": u}, err
}

// actUsergroup makes a user group or changes its members.
func actUsergroup(ctx context.Context, p Person, raw json.RawMessage) (object, error) {
	var what struct {
		ID     string   `json:"id"`
		Name   string   `json:"name"`
		Handle string   `json:"handle"`
		Users  []string `json:"users"`
	}
	if err := readAct(raw, &what); err != nil {
		return nil, err
	}
	var g Usergroup
	var err error
	if what.ID == "" {
		g, err = p.s.CreateUsergroup(ctx, p.id, what.Name, what.Handle, what.Users)
	} else {
		g, err = p.s.SetUsergroupMembers(ctx, p.id, what.ID, what.Users)
	}
	return object{"usergroup": g}, err
}
