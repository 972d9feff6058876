package sandbox

import (
	"net/http"
	"strings"
	"testing"
)

func TestEmoji(t *testing.T) {
	w := newWorld(t)
	w.run()
	want(t, "none yet", w.bot("emoji.list")["emoji"], map[string]any{})
	act := func(body string) map[string]any {
		t.Helper()
		req := must(http.NewRequest("POST", w.url+"/sandbox/act/emoji", strings.NewReader(body)))
		req.Header.Set("Authorization", "Bearer "+w.token(w.person("Maya")))
		_, o := w.do(req)
		return o
	}
	for body, code := range map[string]string{
		`{"name":"Ship It","url":"https://x.test/s.png"}`: "invalid_name", `{"name":"` + strings.Repeat("a", 101) + `","url":"https://x.test/s.png"}`: "invalid_name",
		`{"name":"shipit"}`: "invalid_arguments", `{"name":"shipit","url":"file:///etc/passwd"}`: "invalid_arguments",
		`{"name":"shipit","alias_for":"squirrel"}`: "invalid_alias", `{"name":"squirrel","remove":true}`: "emoji_not_found",
	} {
		want(t, body, act(body)["error"], code)
	}
	want(t, "added", act(`{"name":"squirrel","url":"https://x.test/s.png"}`)["ok"], true)
	e := w.rec.event("emoji_changed", "add")
	want(t, "event", []any{e["name"], e["value"]}, []any{"squirrel", "https://x.test/s.png"})
	want(t, "again", act(`{"name":"squirrel","url":"https://x.test/t.png"}`)["error"], "name_taken")
	act(`{"name":"shipit","alias_for":"squirrel"}`)
	act(`{"name":"ship","alias_for":"shipit"}`)
	want(t, "list", w.bot("emoji.list")["emoji"], map[string]any{"squirrel": "https://x.test/s.png", "shipit": "alias:squirrel", "ship": "alias:squirrel"})

	// Each workspace has its own.
	other := must(w.s.AddWorkspace(w.ctx, WorkspaceConfig{Name: "Other", OwnerName: "Zoe Zed", OwnerEmail: "zoe@zed.test"}))
	want(t, "elsewhere", w.call(w.token(other.Owner), "emoji.list", nil)["emoji"], map[string]any{})
	want(t, "removed", act(`{"name":"squirrel","remove":true}`)["ok"], true)
	want(t, "its names go with it", w.rec.event("emoji_changed", "remove")["names"], []string{"squirrel", "shipit", "ship"})
	want(t, "list", w.bot("emoji.list")["emoji"], map[string]any{})
}
