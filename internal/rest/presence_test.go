package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// A session's stream tells who else is at the requests where the session is, as soon as
// that changes, and also when somebody falls silent. A stream of a session that is not
// there is told nothing, and neither is one of a token of somebody who is. It moves no
// position.
func TestStreamTellsOfPresence(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		f := newFrame(t, db)
		f.server.lookTime = 20 * time.Millisecond // in which it notices who has fallen silent
		f.serve()
		wantStatus(t, f.send("POST", "/v1/rest/collections", `{"name":"API","kind":"api"}`), 201)
		made := f.send("POST", "/v1/rest/requests", `{"description":"The printer is on fire"}`)
		wantStatus(t, made, 201)
		var request struct{ Request struct{ ID string } }
		f.must(json.Unmarshal([]byte(made.body), &request))
		browser := func(m desk.MemberID) string {
			session := desk.NewSession(desk.Member{ID: m}, desk.Visitor{}, f.clock.now())
			f.must(f.store.Write(context.Background(), f.account.ID, func(tx *store.Tx) error { return tx.AddToken(&session.Token) }))
			return "Cookie: " + desk.SessionCookie(false) + "=" + session.Secret
		}
		admin, name := desk.Admin, "Mira"
		m, err := f.service.CreateMember(context.Background(), f.caller(), desk.NewMember{Email: "mira@acme.example", Name: &name, Role: &admin})
		f.must(err)
		f.number()
		mira, own, elsewhere := browser(m.ID), browser(f.admin.ID), browser(f.admin.ID)
		is := func(cookie, doing string) {
			t.Helper()
			wantStatus(t, f.send("PUT", "/v1/rest/requests/"+request.Request.ID+"/presence", `{"tab":"1","doing":`+doing+`}`, "Authorization: ", cookie), 200)
		}
		is(own, `"looking"`)
		web := f.listen(streamPath, "Authorization: ", own)
		web.next()
		away := f.listen(streamPath, "Authorization: ", elsewhere)
		away.next()
		token := f.listen(streamPath)
		begin := token.next().id

		told := func(others string) {
			t.Helper()
			want := sent{event: "presence.changed", data: fmt.Sprintf(`{"type":"presence.changed","data":{"presence":{"request_id":%s,"others":[%s]}}}`, request.Request.ID, others)}
			if got := web.next(); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		}
		present := func(doing string) string {
			return fmt.Sprintf(`{"member_id":%d,"name":"Mira","user_id":null,"doing":%q}`, m.ID, doing)
		}
		is(mira, `"looking"`)
		told(present("looking"))
		is(mira, `"writing"`)
		told(present("writing"))
		is(mira, "null")
		told("")
		is(mira, `"looking"`)
		told(present("looking"))
		f.clock.move(desk.PresenceKept - time.Second)
		is(own, `"looking"`)
		f.clock.move(time.Second)
		told("")

		f.happen("after")
		for name, l := range map[string]*listener{"the session": web, "a session elsewhere": away, "a token": token} {
			if got := l.next(); got.event != "account.updated" || got.id == "" {
				t.Errorf("%s is told %+v", name, got)
			}
		}
		for _, e := range f.feed(begin) {
			if e.event == "presence.changed" {
				t.Errorf("the feed has %+v", e)
			}
		}
	})
}
