package sandbox

import (
	"net/http"
	"testing"
	"time"
)

func TestPace(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Pace = Pace{On: true, PerMinute: map[string]int{"users.info": 3}} })
	c := must(w.s.As(w.owner).CreateChannel(w.ctx, "desk", false)).ID
	d := must(w.s.As(w.owner).CreateChannel(w.ctx, "desk-2", false)).ID
	for _, id := range []string{c, d} {
		if err := w.s.As(w.owner).Invite(w.ctx, id, w.in.BotUserID); err != nil {
			t.Fatal(err)
		}
	}
	want(t, "one a second", []int{w.try(c, "a"), w.try(c, "b"), w.try(d, "a")}, []int{200, 429, 200})
	w.clock.Advance(time.Second)
	want(t, "a second later", []int{w.try(c, "b"), w.try(c, "c")}, []int{200, 429})

	get := func() *http.Response {
		req := must(http.NewRequest("GET", w.url+"/sandbox/api/users.info?user="+w.owner, nil))
		req.Header.Set("Authorization", "Bearer "+w.in.BotToken)
		res, _ := w.do(req)
		return res
	}
	for range 3 {
		want(t, "within the pace", get().StatusCode, 200)
	}
	res := get()
	want(t, "too fast", []any{res.StatusCode, res.Header.Get("Retry-After")}, []any{429, "20"})
	w.clock.Advance(20 * time.Second)
	want(t, "after the wait", []int{get().StatusCode, get().StatusCode}, []int{200, 429})
	// Others have their own pace.
	if o := w.call(w.token(w.owner), "users.info", args("user", w.owner)); o["ok"] != true {
		t.Errorf("got %v", o)
	}
}
