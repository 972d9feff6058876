package sandbox

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
)

// act is something that a person does in their client.
type act func(ctx context.Context, p Person, raw json.RawMessage) (object, error)

// acts are the things that people do in their client and that Slack's Web API has
// no method for. They are called with the member's own token.
var acts = map[string]act{
	"press":      reads(actPress),
	"submit":     reads(actSubmit),
	"close":      reads(actClose),
	"views":      actViews,
	"ephemerals": reads(actEphemerals),
	"profile":    reads(actProfile),
	"invite":     reads(actInvite),
	"usergroup":  reads(actUsergroup),
	"emoji":      reads(actEmoji),
}

// reads makes an act of a function that takes its arguments.
func reads[T any](do func(ctx context.Context, p Person, what T) (object, error)) act {
	return func(ctx context.Context, p Person, raw json.RawMessage) (object, error) {
		var what T
		if json.Unmarshal(raw, &what) != nil {
			return nil, refuse("invalid_json")
		}
		return do(ctx, p, what)
	}
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
	who, err := reading(r.Context(), s, func(t *tx) (*actor, error) { return t.member(bearerToken(r)) })
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

func actPress(ctx context.Context, p Person, what Press) (object, error) {
	return object{}, p.Press(ctx, what)
}

func actSubmit(ctx context.Context, p Person, what struct {
	View   string            `json:"view"`
	Values map[string]string `json:"values"`
}) (object, error) {
	done, err := p.Submit(ctx, what.View, what.Values)
	if err != nil {
		return nil, err
	}
	return asObject(done), nil
}

func actClose(ctx context.Context, p Person, what struct {
	View  string `json:"view"`
	Clear bool   `json:"clear"`
}) (object, error) {
	return object{}, p.CloseView(ctx, what.View, what.Clear)
}

func actViews(ctx context.Context, p Person, _ json.RawMessage) (object, error) {
	views, err := p.Views(ctx)
	return object{"views": append([]View{}, views...)}, err
}

func actEphemerals(ctx context.Context, p Person, what struct {
	Channel string `json:"channel"`
}) (object, error) {
	messages, err := p.Ephemerals(ctx, what.Channel)
	return object{"messages": messages}, err
}

// actProfile changes the member's profile or, for the owner, somebody else's.
func actProfile(ctx context.Context, p Person, what struct {
	User string `json:"user"`
	UserChange
}) (object, error) {
	what.User = cmp.Or(what.User, p.id)
	if err := p.mayManage(ctx, what.User); err != nil {
		return nil, err
	}
	u, err := p.s.ChangeUser(ctx, what.User, what.UserChange)
	return object{"user": u}, err
}

// mayManage refuses a member who changes somebody else and is not the owner.
func (p Person) mayManage(ctx context.Context, user string) error {
	_, err := looking(ctx, p, func(t *tx, a *actor) (other userRow, err error) {
		if other, err = t.user(a.Team, user); err == nil && other.ID != a.User {
			err = t.needOwner(a, "not_authorized")
		}
		return other, err
	})
	return err
}

func actInvite(ctx context.Context, p Person, what struct {
	RealName string `json:"real_name"`
	Email    string `json:"email"`
	Title    string `json:"title"`
	TZ       string `json:"tz"`
	Guest    bool   `json:"guest"`
}) (object, error) {
	me, err := p.s.User(ctx, p.id)
	if err != nil {
		return nil, err
	}
	u, err := p.s.InviteUser(ctx, me.TeamID, NewUser(what))
	return object{"user": u}, err
}

// actUsergroup makes a user group or changes its members.
func actUsergroup(ctx context.Context, p Person, what struct {
	ID     string   `json:"id"`
	Name   string   `json:"name"`
	Handle string   `json:"handle"`
	Users  []string `json:"users"`
}) (object, error) {
	var g Usergroup
	var err error
	if what.ID == "" {
		g, err = p.s.CreateUsergroup(ctx, p.id, what.Name, what.Handle, what.Users)
	} else {
		g, err = p.s.SetUsergroupMembers(ctx, p.id, what.ID, what.Users)
	}
	return object{"usergroup": g}, err
}
