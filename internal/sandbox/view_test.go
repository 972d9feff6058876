package sandbox

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

const buttons = `[{"type":"section","block_id":"s","text":{"type":"mrkdwn","text":"Do it?"}},
	{"type":"actions","block_id":"a","elements":[
	{"type":"button","action_id":"go","text":{"type":"plain_text","text":"Go"},"value":"7","style":"primary"},
	{"type":"static_select","action_id":"pick","options":[{"text":{"type":"plain_text","text":"One"},"value":"1"}]}]}]`

const modal = `{"type":"modal","callback_id":"form","private_metadata":"p","notify_on_close":true,
	"title":{"type":"plain_text","text":"Form"},"submit":{"type":"plain_text","text":"Send"},
	"blocks":[{"type":"input","block_id":"subject","label":{"type":"plain_text","text":"Subject"},"element":{"type":"plain_text_input","action_id":"text"}},
	{"type":"input","block_id":"extra","optional":true,"label":{"type":"plain_text","text":"Who"},"element":{"type":"users_select","action_id":"who"}}]}`

// pressed posts the buttons, presses one as Maya and returns what the app received.
func (w *world) pressed(c, action, value string) (maya Person, ts string, heard callbackSeen) {
	w.t.Helper()
	maya = w.s.As(w.person("Maya"))
	ts = text(w.bot("chat.postMessage", "channel", c, "text", "buttons", "blocks", buttons), "ts")
	if err := maya.Press(w.ctx, Press{Channel: c, TS: ts, ActionID: action, Value: value}); err != nil {
		w.t.Fatal(err)
	}
	return maya, ts, w.rec.next()
}

func TestPress(t *testing.T) {
	w := newWorld(t)
	c := w.channel("desk", w.person("Maya"))
	maya, ts, heard := w.pressed(c, "go", "")
	want(t, "path", heard.path, "/interactions")
	want(t, "form", heard.header.Get("Content-Type"), "application/x-www-form-urlencoded")
	p := heard.json
	for _, tt := range []struct {
		path []any
		want any
	}{
		{[]any{"type"}, "block_actions"}, {[]any{"api_app_id"}, w.app.ID}, {[]any{"token"}, w.app.VerificationToken},
		{[]any{"user", "id"}, maya.id}, {[]any{"team", "id"}, w.team}, {[]any{"channel", "id"}, c},
		{[]any{"message", "ts"}, ts}, {[]any{"container", "message_ts"}, ts}, {[]any{"container", "is_ephemeral"}, false},
		{[]any{"actions", 0, "action_id"}, "go"}, {[]any{"actions", 0, "block_id"}, "a"}, {[]any{"actions", 0, "value"}, "7"},
		{[]any{"actions", 0, "type"}, "button"}, {[]any{"actions", 0, "style"}, "primary"},
	} {
		want(t, "payload", dig(p, tt.path...), tt.want)
	}
	coloured := text(w.bot("chat.postMessage", "channel", c, "text", "", "attachments", `[{"color":"#e01e5a"},{"color":"#36c5f0","blocks":`+buttons+`}]`), "ts")
	if err := maya.Press(w.ctx, Press{Channel: c, TS: coloured, ActionID: "go"}); err != nil {
		t.Fatal(err)
	}
	heard = w.rec.next()
	want(t, "attachment", []any{dig(heard.json, "container", "type"), dig(heard.json, "container", "attachment_id"), dig(heard.json, "actions", 0, "value")},
		[]any{"message_attachment", 2, "7"})
	_, _, heard = w.pressed(c, "pick", "1")
	want(t, "selected", dig(heard.json, "actions", 0, "selected_option", "value"), "1")

	if err := maya.Press(w.ctx, Press{Channel: c, TS: ts, ActionID: "stop"}); Code(err) != "no_such_element" {
		t.Errorf("an element that is not there: %v", err)
	}
	if err := maya.Press(w.ctx, Press{Channel: c, TS: "1.000001", ActionID: "go"}); Code(err) != "message_not_found" {
		t.Errorf("a message that is not there: %v", err)
	}
	w.rec.answers(func(rw http.ResponseWriter, _ callbackSeen) { rw.WriteHeader(500) })
	if err := maya.Press(w.ctx, Press{Channel: c, TS: ts, ActionID: "go"}); Code(err) != "app_unreachable" {
		t.Errorf("an app that fails: %v", err)
	}
}

func TestResponseURL(t *testing.T) {
	w := newWorld(t)
	c := w.channel("desk", w.person("Maya"))
	post := func(address, body string) (int, string) {
		res := must(http.Post(address, "application/json", strings.NewReader(body)))
		defer res.Body.Close()
		return res.StatusCode, string(must(io.ReadAll(res.Body)))
	}
	newest := func() any { return dig(w.bot("conversations.history", "channel", c, "limit", "1"), "messages", 0) }
	maya, ts, heard := w.pressed(c, "go", "")
	address := text(heard.json, "response_url")

	post(address, `{"text":"only you"}`)
	want(t, "ephemeral", must(maya.Ephemerals(w.ctx, c))[0].Text, "only you")
	post(address, `{"text":"all","response_type":"in_channel"}`)
	want(t, "in channel", dig(newest(), "text"), "all")
	want(t, "by", dig(newest(), "bot_id"), w.in.BotID)
	post(address, `{"text":"done","replace_original":"true"}`)
	old := dig(w.bot("conversations.history", "channel", c, "latest", ts, "inclusive", "true", "limit", "1"), "messages", 0)
	want(t, "replaced", []any{dig(old, "text"), dig(old, "blocks", 0, "type")}, []any{"done", "rich_text"})
	post(address, `{"delete_original":true}`)
	w.refused("message_not_found", "chat.getPermalink", "channel", c, "message_ts", ts)
	status, _ := post(address, `{"text":"five"}`)
	want(t, "the fifth use", status, 200)
	status, said := post(address, `{"text":"six"}`)
	want(t, "the sixth use", []any{status, strings.Contains(said, "used_url")}, []any{404, true})

	_, _, heard = w.pressed(c, "go", "")
	w.clock.Advance(31 * time.Minute)
	status, said = post(text(heard.json, "response_url"), `{"text":"late"}`)
	want(t, "after half an hour", []any{status, strings.Contains(said, "expired_url")}, []any{404, true})
	status, _ = post(address, `{`)
	want(t, "broken", status, 400)

	// A message that only one person sees can be answered, too.
	secret := text(w.bot("chat.postEphemeral", "channel", c, "user", maya.id, "text", "psst", "blocks", buttons), "message_ts")
	if err := maya.Press(w.ctx, Press{Channel: c, TS: secret, ActionID: "go"}); err != nil {
		t.Fatal(err)
	}
	heard = w.rec.next()
	want(t, "is_ephemeral", dig(heard.json, "container", "is_ephemeral"), true)
	post(text(heard.json, "response_url"), `{"text":"heard","replace_original":true}`)
	all := must(maya.Ephemerals(w.ctx, c))
	want(t, "replaced", all[len(all)-1].Text, "heard")
	post(text(heard.json, "response_url"), `{"delete_original":true}`)
	want(t, "deleted", len(must(maya.Ephemerals(w.ctx, c))), len(all)-1)
}

// opened presses a button and opens the modal for it.
func (w *world) opened(c, view string) (Person, map[string]any) {
	w.t.Helper()
	maya, _, heard := w.pressed(c, "go", "")
	o := w.bot("views.open", "trigger_id", text(heard.json, "trigger_id"), "view", view)
	return maya, dig(o, "view").(map[string]any)
}

func TestViewsOpen(t *testing.T) {
	w := newWorld(t)
	c := w.channel("desk", w.person("Maya"))
	_, _, heard := w.pressed(c, "go", "")
	trigger := text(heard.json, "trigger_id")
	// An error in the view does not use up the trigger.
	o := w.refused("invalid_arguments", "views.open", "trigger_id", trigger, "view", "{}")
	want(t, "messages", dig(o, "response_metadata", "messages"), []string{
		"[ERROR] missing required field: type [json-pointer:/view]",
		"[ERROR] missing required field: title [json-pointer:/view]",
		"[ERROR] missing required field: blocks [json-pointer:/view]"})
	v := w.bot("views.open", "trigger_id", trigger, "view", modal)["view"]
	for name, x := range map[string]any{"type": "modal", "callback_id": "form", "private_metadata": "p", "team_id": w.team, "app_id": w.app.ID,
		"bot_id": w.in.BotID, "root_view_id": dig(v, "id"), "previous_view_id": nil, "state": map[string]any{"values": map[string]any{}}} {
		want(t, name, dig(v, name), x)
	}
	w.refused("exchanged_trigger_id", "views.open", "trigger_id", trigger, "view", modal)
	w.refused("invalid_trigger_id", "views.open", "trigger_id", "123.456.abc", "view", modal)
	w.refused("invalid_trigger_id", "views.open", "trigger_id", "x", "view", modal)
	w.refused("invalid_arguments", "views.open", "view", modal)
	w.refused("view_too_large", "views.open", "trigger_id", trigger, "view", strings.Repeat(" ", maxView)+modal)
	_, _, heard = w.pressed(c, "go", "")
	w.clock.Advance(3*time.Second + time.Millisecond)
	w.refused("expired_trigger_id", "views.open", "trigger_id", text(heard.json, "trigger_id"), "view", modal)
}

func TestViewsUpdate(t *testing.T) {
	w := newWorld(t)
	maya, v := w.opened(w.channel("desk", w.person("Maya")), strings.Replace(modal, `"type":"modal"`, `"type":"modal","external_id":"mine"`, 1))
	other := strings.Replace(modal, "Form", "Other", 1)
	id := text(v, "id")
	o := w.bot("views.update", "view_id", id, "hash", text(v, "hash"), "view", other)
	want(t, "title", dig(o, "view", "title", "text"), "Other")
	w.refused("hash_conflict", "views.update", "view_id", id, "hash", text(v, "hash"), "view", other)
	w.refused("not_found", "views.update", "view_id", "V0", "view", other)
	w.refused("not_found", "views.update", "external_id", "theirs", "view", other)
	w.refused("invalid_arguments", "views.update", "view", other)
	named := strings.Replace(modal, `"type":"modal"`, `"type":"modal","external_id":"mine"`, 1)
	w.bot("views.update", "view_id", id, "view", named)
	w.bot("views.update", "external_id", "mine", "view", named)
	_, _, heard := w.pressed(w.channel("desk-2", maya.id), "go", "")
	w.refused("duplicate_external_id", "views.open", "trigger_id", text(heard.json, "trigger_id"), "view", named)
	if err := maya.CloseView(w.ctx, id, false); err != nil {
		t.Fatal(err)
	}
	w.refused("not_found", "views.update", "view_id", id, "view", other)
}

func TestSubmit(t *testing.T) {
	w := newWorld(t)
	c := w.channel("desk", w.person("Maya"))
	maya, v := w.opened(c, modal)
	id := text(v, "id")

	done := must(maya.Submit(w.ctx, id, nil))
	want(t, "what is required", done.Errors, map[string]string{"subject": "Please complete this required field."})

	var answer any
	w.rec.answers(func(rw http.ResponseWriter, _ callbackSeen) {
		if answer != nil {
			json.NewEncoder(rw).Encode(answer)
		}
	})
	answer = object{"response_action": "errors", "errors": object{"subject": "Too short"}}
	done = must(maya.Submit(w.ctx, id, map[string]string{"text": "Help", "who": w.owner}))
	want(t, "errors", done.Errors, map[string]string{"subject": "Too short"})
	heard := w.rec.next()
	want(t, "type", heard.json["type"], "view_submission")
	want(t, "values", dig(heard.json, "view", "state", "values"), map[string]any{
		"subject": map[string]any{"text": map[string]any{"type": "plain_text_input", "value": "Help"}},
		"extra":   map[string]any{"who": map[string]any{"type": "users_select", "selected_user": w.owner}}})
	want(t, "trigger", dig(heard.json, "trigger_id") != nil, true)

	submit := func() Submission {
		t.Helper()
		done, err := maya.Submit(w.ctx, id, map[string]string{"text": "Help"})
		if err != nil {
			t.Fatal(err)
		}
		w.rec.next()
		return done
	}
	answer = object{"response_action": "update", "view": json.RawMessage(strings.Replace(modal, "Form", "Step 2", 1))}
	done = submit()
	want(t, "updated", []any{done.View.ID, strings.Contains(string(done.View.Title), "Step 2")}, []any{id, true})
	answer = object{"response_action": "push", "view": json.RawMessage(strings.Replace(modal, "Form", "On top", 1))}
	done = submit()
	want(t, "pushed", []any{done.View.RootViewID, *done.View.PreviousViewID}, []any{id, id})
	want(t, "open", len(must(maya.Views(w.ctx))), 2)
	id = done.View.ID
	answer = nil
	done = submit()
	want(t, "back to", done.View.ID, v["id"])
	id = text(v, "id")
	answer = object{"response_action": "clear"}
	done = submit()
	want(t, "cleared", []any{done.View, len(must(maya.Views(w.ctx)))}, []any{nil, 0})
	if _, err := maya.Submit(w.ctx, id, nil); Code(err) != "not_found" {
		t.Errorf("a modal that is closed: %v", err)
	}
	answer = object{"response_action": "explode"}
	_, v = w.opened(c, modal)
	if _, err := maya.Submit(w.ctx, text(v, "id"), map[string]string{"text": "x"}); Code(err) != "app_unreachable" {
		t.Errorf("an answer that makes no sense: %v", err)
	}
}

func TestPushAndClose(t *testing.T) {
	w := newWorld(t)
	c := w.channel("desk", w.person("Maya"))
	withButton := strings.Replace(modal, `"blocks":[`, `"blocks":[{"type":"actions","elements":[{"type":"button","action_id":"more","text":{"type":"plain_text","text":"More"}}]},`, 1)
	maya, v := w.opened(c, withButton)
	top := text(v, "id")
	for range 2 {
		if err := maya.Press(w.ctx, Press{View: top, ActionID: "more"}); err != nil {
			t.Fatal(err)
		}
		heard := w.rec.next()
		want(t, "container", dig(heard.json, "container"), map[string]string{"type": "view", "view_id": top})
		top = text(w.bot("views.push", "trigger_id", text(heard.json, "trigger_id"), "view", withButton), "view", "id")
	}
	if err := maya.Press(w.ctx, Press{View: top, ActionID: "more"}); err != nil {
		t.Fatal(err)
	}
	w.refused("push_limit_reached", "views.push", "trigger_id", text(w.rec.next().json, "trigger_id"), "view", withButton)

	if err := maya.CloseView(w.ctx, top, false); err != nil {
		t.Fatal(err)
	}
	heard := w.rec.next()
	want(t, "closed", []any{heard.json["type"], heard.json["is_cleared"], dig(heard.json, "view", "id")}, []any{"view_closed", false, top})
	want(t, "open", len(must(maya.Views(w.ctx))), 2)
	if err := maya.CloseView(w.ctx, text(v, "id"), true); err != nil {
		t.Fatal(err)
	}
	want(t, "cleared", w.rec.next().json["is_cleared"], true)
	want(t, "open", len(must(maya.Views(w.ctx))), 0)
}
