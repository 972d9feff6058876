package sandbox

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestWorkspaceHoldsItsPeople(t *testing.T) {
	w := newWorld(t)
	var domains = map[string]int{}
	bots := 0
	for _, u := range w.people {
		if u.IsBot {
			bots++
			continue
		}
		_, domain, _ := strings.Cut(u.Profile.Email, "@")
		domains[domain]++
		if u.RealName == "" || u.Profile.Image72 == "" {
			t.Errorf("%s has no name or no picture", u.ID)
		}
	}
	want(t, "bots", bots, 1)
	want(t, "people by domain", domains, map[string]int{"desk.test": 4, "harborpine.test": 3, "fernhill.test": 2})

	res, err := http.Get(w.people[0].Profile.Image72)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	picture, _ := io.ReadAll(res.Body)
	if !strings.HasPrefix(w.people[0].Profile.Image72, w.url) || res.Header.Get("Content-Type") != "image/svg+xml" || !strings.Contains(string(picture), ">OM<") {
		t.Errorf("the avatar is %q %s", res.Header.Get("Content-Type"), picture)
	}
}

// The methods that the contract promises.
func TestEveryMethodIsServed(t *testing.T) {
	promised := `oauth.v2.access auth.test users.list users.info users.lookupByEmail users.getPresence dnd.teamInfo usergroups.list
		users.conversations users.profile.get bots.info team.info emoji.list conversations.setTopic conversations.setPurpose
		files.list files.delete pins.add pins.remove pins.list chat.scheduleMessage chat.scheduledMessages.list chat.deleteScheduledMessage
		usergroups.users.list conversations.list conversations.info conversations.create conversations.invite conversations.join
		conversations.members conversations.history conversations.replies conversations.open chat.postMessage chat.postEphemeral
		chat.update chat.delete chat.getPermalink reactions.add reactions.remove reactions.get files.getUploadURLExternal
		files.completeUploadExternal files.info views.open views.update`
	for _, name := range strings.Fields(promised) {
		if methods[name] == nil {
			t.Errorf("%s is not served", name)
		}
	}
}

func TestCallsAreMadeAsWithSlack(t *testing.T) {
	w := newWorld(t)
	c := w.channel("desk")
	token := w.in.BotToken
	request := func(method, path, contentType, body, bearer string) *http.Request {
		req := must(http.NewRequest(method, w.url+"/sandbox/api/"+path, strings.NewReader(body)))
		if contentType != "" {
			req.Header.Set("Content-Type", contentType)
		}
		if bearer != "" {
			req.Header.Set("Authorization", "Bearer "+bearer)
		}
		return req
	}
	const form, json = "application/x-www-form-urlencoded", "application/json; charset=utf-8"
	tests := []struct {
		name string
		req  *http.Request
		want string // an error code, or empty
	}{
		{"form", request("POST", "chat.postMessage", form, "channel="+c+"&text=hi", token), ""},
		{"form, token in it", request("POST", "chat.postMessage", form, "channel="+c+"&text=hi&token="+token, ""), ""},
		{"JSON", request("POST", "chat.postMessage", json, `{"channel":"`+c+`","text":"hi","unfurl_links":false}`, token), ""},
		{"JSON, blocks as a list", request("POST", "chat.postMessage", json, `{"channel":"`+c+`","blocks":[{"type":"divider"}]}`, token), ""},
		{"JSON, token in it", request("POST", "chat.postMessage", json, `{"channel":"`+c+`","text":"hi","token":"`+token+`"}`, ""), "not_authed"},
		{"JSON sees no query", request("POST", "chat.postMessage?channel="+c, json, `{"text":"hi"}`, token), "invalid_arguments"},
		{"JSON where it is not taken", request("POST", "conversations.history", json, `{"channel":"`+c+`"}`, token), "invalid_arguments"},
		{"broken JSON", request("POST", "chat.postMessage", json, `{"channel":`, token), "invalid_json"},
		{"JSON that is a list", request("POST", "chat.postMessage", json, `[1]`, token), "json_not_object"},
		{"form and query", request("POST", "conversations.history?channel="+c, form, "limit=1", token), ""},
		{"broken form", request("POST", "chat.postMessage", form, "channel=%zz", token), "invalid_form_data"},
		{"multipart", request("POST", "chat.postMessage", "multipart/form-data; boundary=x",
			"--x\r\nContent-Disposition: form-data; name=\"channel\"\r\n\r\n"+c+"\r\n--x\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\nhi\r\n--x--\r\n", token), ""},
		{"broken multipart", request("POST", "chat.postMessage", "multipart/form-data; boundary=x", "nothing", token), "invalid_form_data"},
		{"no type", request("POST", "chat.postMessage", "", "channel="+c, token), "missing_post_type"},
		{"another type", request("POST", "chat.postMessage", "application/xml", "<a/>", token), "invalid_post_type"},
		{"GET", request("GET", "conversations.history?channel="+c, "", "", token), ""},
		{"GET, token in it", request("GET", "auth.test?token="+token, "", "", ""), ""},
		{"GET of what writes", request("GET", "chat.postMessage?channel="+c+"&text=hi", "", "", token), "method_not_supported"},
		{"DELETE", request("DELETE", "auth.test", "", "", token), "method_not_supported"},
		{"no token", request("GET", "auth.test", "", "", ""), "not_authed"},
		{"a wrong token", request("GET", "auth.test", "", "", "xoxb-wrong"), "invalid_auth"},
		{"no such method", request("GET", "chat.shout", "", "", token), "unknown_method"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res, o := w.do(tt.req)
			if res.StatusCode != 200 || text(o, "error") != tt.want || (o["ok"] == true) != (tt.want == "") {
				t.Errorf("got %d %v, want %q", res.StatusCode, o, tt.want)
			}
		})
	}
}

func TestMissingArgumentsAreNamed(t *testing.T) {
	w := newWorld(t)
	o := w.refused("invalid_arguments", "conversations.replies")
	want(t, "messages", dig(o, "response_metadata", "messages"), []string{"[ERROR] missing required field: channel", "[ERROR] missing required field: ts"})
	// The method judges an empty argument.
	c := w.channel("desk")
	w.refused("channel_not_found", "conversations.replies", "channel", "", "ts", "1.1")
	w.refused("thread_not_found", "conversations.replies", "channel", c, "ts", "")
}

func TestScopes(t *testing.T) {
	w := newWorld(t)
	c := w.channel("desk")
	private := must(w.s.As(w.owner).CreateChannel(w.ctx, "secret", true))
	if err := w.s.As(w.owner).Invite(w.ctx, private.ID, w.in.BotUserID); err != nil {
		t.Fatal(err)
	}
	poor := w.botWith("users:read", "channels:read", "channels:history", "chat:write")

	o := w.refusedTo(poor, "missing_scope", "reactions.add", "channel", c, "timestamp", "1.1", "name", "x")
	want(t, "needed", o["needed"], "reactions:write")
	want(t, "provided", o["provided"], "users:read,channels:read,channels:history,chat:write")

	for _, tt := range []struct {
		needed, method string
		pairs          []string
	}{
		{"groups:read", "conversations.info", []string{"channel", private.ID}},
		{"groups:history", "conversations.history", []string{"channel", private.ID}},
		{"channels:read,groups:read", "conversations.list", []string{"types", "public_channel,private_channel"}},
		{"users:read.email", "users.lookupByEmail", []string{"email", "x@y.test"}},
		{"dnd:read", "dnd.teamInfo", []string{"users", w.owner}},
		{"users.profile:read", "users.profile.get", []string{"user", w.owner}},
		{"team:read", "team.info", nil},
		{"channels:read,im:read", "users.conversations", []string{"types", "public_channel,im"}},
		{"usergroups:read", "usergroups.list", nil},
		{"usergroups:read", "usergroups.users.list", []string{"usergroup", "S1"}},
		{"chat:write.customize", "chat.postMessage", []string{"channel", c, "text", "hi", "username", "Bob"}},
		{"files:write", "files.getUploadURLExternal", []string{"filename", "a", "length", "1"}},
		{"files:write", "files.completeUploadExternal", []string{"files", "[]"}},
		{"files:read", "files.info", []string{"file", "F1"}},
		{"reactions:read", "reactions.get", nil},
		{"reactions:write", "reactions.remove", nil},
		{"im:write,mpim:write", "conversations.open", []string{"users", w.owner}},
		{"channels:join,channels:write", "conversations.join", []string{"channel", c}},
	} {
		o := w.refusedTo(poor, "missing_scope", tt.method, tt.pairs...)
		want(t, tt.method, o["needed"], tt.needed)
	}
	w.refusedTo(w.botWith("groups:write"), "missing_scope", "conversations.create", "name", "open")
	w.refusedTo(w.botWith("channels:manage"), "missing_scope", "conversations.create", "name", "closed", "is_private", "true")
	w.refusedTo(w.botWith("im:write"), "missing_scope", "conversations.open", "users", w.owner+","+w.person("Maya"))

	req := must(http.NewRequest("GET", w.url+"/sandbox/api/users.info?user="+w.person("Maya"), nil))
	req.Header.Set("Authorization", "Bearer "+poor)
	res, o := w.do(req)
	want(t, "X-OAuth-Scopes", res.Header.Get("X-OAuth-Scopes"), "users:read,channels:read,channels:history,chat:write")
	want(t, "X-Accepted-OAuth-Scopes", res.Header.Get("X-Accepted-OAuth-Scopes"), "users:read")
	if email := dig(o, "user", "profile", "email"); email != nil {
		t.Errorf("without users:read.email the email is shown: %v", email)
	}
	if email := text(w.bot("users.info", "user", w.person("Maya")), "user", "profile", "email"); email != "maya@desk.test" {
		t.Errorf("with users:read.email the email is %q", email)
	}
}

func TestAuth(t *testing.T) {
	w := newWorld(t)
	o := w.bot("auth.test")
	want(t, "team", o["team_id"], w.team)
	want(t, "user", o["user_id"], w.in.BotUserID)
	want(t, "bot", o["bot_id"], w.in.BotID)
	want(t, "url", o["url"], w.url+"/sandbox/")

	maya := w.person("Maya")
	token := w.token(maya)
	if !strings.HasPrefix(token, "xoxp-") || !strings.HasPrefix(w.in.BotToken, "xoxb-") || token != w.token(maya) {
		t.Errorf("tokens are %s and %s", token, w.in.BotToken)
	}
	o = w.call(token, "auth.test", nil)
	want(t, "user", o["user_id"], maya)
	if err := w.s.DeactivateUser(w.ctx, maya); err != nil {
		t.Fatal(err)
	}
	w.refusedTo(token, "account_inactive", "auth.test")
	if _, err := w.s.Token(w.ctx, maya); Code(err) != "account_inactive" {
		t.Errorf("a token for somebody who left: %v", err)
	}

	second := w.token(w.person("Priya"))
	want(t, "revoked", w.call(second, "auth.revoke", args("test", "1"))["revoked"], false)
	want(t, "revoked", w.call(second, "auth.revoke", nil)["revoked"], true)
	w.refusedTo(second, "token_revoked", "auth.test")

	want(t, "api.test", w.call("", "api.test", args("foo", "bar"))["args"], map[string]string{"foo": "bar"})
	w.refusedTo("", "my_error", "api.test", "error", "my_error")
}
