package sandbox

import (
	"net/http"
	"strings"
	"testing"
)

func TestActsOverHTTP(t *testing.T) {
	w := newWorld(t)
	maya := w.person("Maya")
	c := w.channel("desk", maya)
	act := func(token, name, body string) map[string]any {
		req := must(http.NewRequest("POST", w.url+"/sandbox/act/"+name, strings.NewReader(body)))
		req.Header.Set("Authorization", "Bearer "+token)
		_, o := w.do(req)
		return o
	}
	token := w.token(maya)
	ts := text(w.bot("chat.postMessage", "channel", c, "text", "x", "blocks", buttons), "ts")
	want(t, "press", act(token, "press", `{"channel":"`+c+`","ts":"`+ts+`","action_id":"go"}`)["ok"], true)
	heard := w.rec.next()
	v := text(w.bot("views.open", "trigger_id", text(heard.json, "trigger_id"), "view", modal), "view", "id")
	want(t, "views", dig(act(token, "views", ""), "views", 0, "id"), v)
	want(t, "submit", dig(act(token, "submit", `{"view":"`+v+`"}`), "errors", "subject") != nil, true)
	want(t, "close", act(token, "close", `{"view":"`+v+`"}`)["ok"], true)
	w.bot("chat.postEphemeral", "channel", c, "user", maya, "text", "psst")
	want(t, "ephemerals", dig(act(token, "ephemerals", `{"channel":"`+c+`"}`), "messages", 0, "text"), "psst")
	want(t, "profile", dig(act(token, "profile", `{"real_name":"Maya L"}`), "user", "real_name"), "Maya L")
	act(token, "profile", `{"away":true,"dnd_start":1,"dnd_end":99999999999}`)
	want(t, "away", w.bot("users.getPresence", "user", maya)["presence"], "away")
	want(t, "at rest", dig(w.bot("dnd.teamInfo", "users", maya), "users", maya, "dnd_enabled"), true)
	want(t, "another's profile", act(token, "profile", `{"user":"`+w.owner+`","real_name":"X"}`)["error"], "not_authorized")
	want(t, "the owner's doing", dig(act(w.token(w.owner), "profile", `{"user":"`+maya+`","deleted":true}`), "user", "deleted"), true)
	want(t, "who left", act(token, "views", "")["error"], "account_inactive")
	owner := w.token(w.owner)
	want(t, "invite", dig(act(owner, "invite", `{"real_name":"Nils Holm","email":"nils@x.test"}`), "user", "profile", "email"), "nils@x.test")
	g := act(owner, "usergroup", `{"name":"Support","handle":"support","users":["`+w.owner+`"]}`)
	want(t, "usergroup", dig(g, "usergroup", "user_count"), 1)
	want(t, "members", dig(act(owner, "usergroup", `{"id":"`+text(g, "usergroup", "id")+`","users":[]}`), "usergroup", "user_count"), 0)
	want(t, "an app", act(w.in.BotToken, "views", "")["error"], "not_allowed_token_type")
	want(t, "nobody", act("", "views", "")["error"], "not_authed")
	want(t, "no such act", act(owner, "dance", "")["error"], "unknown_method")
	want(t, "broken", act(owner, "press", "{")["error"], "invalid_json")
}
