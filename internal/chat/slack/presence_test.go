package slack

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
)

var _ chat.Presence = (*connector)(nil)

// absence returns who is absent if every method has one answer.
func absence(t *testing.T, answers map[string]string, users ...string) (map[string]bool, error) {
	return faked(t, answers).(chat.Presence).Absent(t.Context(), users)
}

// Slack is asked about a limited number of people, each once, at its pace.
func TestAbsentAsksOfSoMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rests []int
		var looks atomic.Int32
		app := over(func(r *http.Request) *http.Response {
			form := must(url.ParseQuery(string(must(io.ReadAll(must(r.GetBody()))))))
			switch path.Base(r.URL.Path) {
			case "dnd.teamInfo":
				rests = append(rests, len(strings.Split(form.Get("users"), ",")))
				return said(200, `{"ok":true,"users":{"U7":{"dnd_enabled":true,"next_dnd_start_ts":1,"next_dnd_end_ts":99999999999}}}`)
			case "users.getPresence":
				looks.Add(1)
				if form.Get("user") == "U7" {
					t.Error("of who wants to be left alone it was asked whether they are away")
				}
				return said(200, `{"ok":true,"presence":"away"}`)
			}
			t.Errorf("%s was called", r.URL.Path)
			return said(500, "")
		})
		var users []string
		for i := range mostPresent + 30 {
			users = append(users, fmt.Sprint("U", i), fmt.Sprint("U", i))
		}
		began := time.Now()
		p := app.Connector(workspaceOf("T1")).(chat.Presence)
		absent := must(p.Absent(t.Context(), users))
		want(t, "asked of", []any{rests, looks.Load(), len(absent)}, []any{[]int{restsAtOnce, restsAtOnce}, int32(mostPresent - 1), mostPresent})
		want(t, "the first and the last", []bool{absent["U0"], absent["U99"], absent["U100"]}, []bool{true, true, false})
		if took := time.Since(began); took < time.Minute {
			t.Errorf("%d calls took %v, which is more than 50 a minute", looks.Load(), took)
		}
		// There is not enough time for another round.
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_, err := p.Absent(ctx, users)
		wantKind(t, "in a hurry", err, desk.Busy)
	})
}

// Daily hours count while they last.
func TestAbsentAtRest(t *testing.T) {
	now := time.Now().Unix()
	for _, c := range []struct {
		enabled    bool
		start, end int64
		want       bool
	}{
		{true, now - 60, now + 60, true},
		{false, now - 60, now + 60, false},
		{true, now + 60, now + 120, false},
		{true, now - 120, now - 60, false},
		{false, 1, 1, false},
	} {
		absent, err := absence(t, map[string]string{
			"dnd.teamInfo":      fmt.Sprintf(`{"ok":true,"users":{"U1":{"dnd_enabled":%v,"next_dnd_start_ts":%d,"next_dnd_end_ts":%d}}}`, c.enabled, c.start, c.end),
			"users.getPresence": `{"ok":true,"presence":"active"}`,
		}, "U1")
		want(t, fmt.Sprintf("%+v", c), []any{absent["U1"], err}, []any{c.want, nil})
	}
}

// If Slack does not tell, people count as present. If it says nothing at all, that
// is an error.
func TestAbsentUntold(t *testing.T) {
	const nobody = `{"ok":true,"users":{}}`
	for what, c := range map[string]struct {
		rests, looks string
		want         bool
	}{
		"a scope from before":  {`{"ok":false,"error":"missing_scope","needed":"dnd:read"}`, `{"ok":true,"presence":"away"}`, true},
		"nobody visible":       {`{"ok":false,"error":"user_not_visible"}`, `{"ok":false,"error":"user_not_visible"}`, false},
		"nobody there":         {nobody, `{"ok":false,"error":"user_not_found"}`, false},
		"another type of rest": {`{"ok":true,"users":{"U1":[]}}`, `{"ok":true,"presence":"active"}`, false},
		"no presence":          {nobody, `{"ok":true}`, false},
	} {
		absent, err := absence(t, map[string]string{"dnd.teamInfo": c.rests, "users.getPresence": c.looks}, "U1")
		want(t, what, []any{absent["U1"], err}, []any{c.want, nil})
	}
	_, err := absence(t, map[string]string{"dnd.teamInfo": `{"ok":false,"error":"internal_error"}`}, "U1")
	wantKind(t, "rests unknown", err, desk.Unavailable)
	_, err = absence(t, map[string]string{"dnd.teamInfo": nobody, "users.getPresence": `{"ok":false,"error":"internal_error"}`}, "U1")
	wantKind(t, "presence unknown", err, desk.Unavailable)
	absent, err := absence(t, nil)
	want(t, "nobody asked of", []any{len(absent), err}, []any{0, nil})
}
