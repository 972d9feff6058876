package rest

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/notify"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// The streams of a member's sessions tell how many notifications are unread, as soon as
// that changes. Those of others are told nothing, and neither are those of tokens. It
// moves no position.
func TestStreamTellsOfNotifications(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		f := newFrame(t, db)
		f.serve()
		wantStatus(t, f.send("POST", "/v1/rest/collections", `{"name":"API","kind":"api"}`), 201)
		made := f.send("POST", "/v1/rest/requests", `{"title":"The door","description":"It is open."}`)
		wantStatus(t, made, 201)
		var answer struct{ Request struct{ ID string } }
		f.must(json.Unmarshal([]byte(made.body), &answer))
		request, err := strconv.Atoi(answer.Request.ID)
		f.must(err)
		browser := func(m desk.MemberID) string {
			session := desk.NewSession(desk.Member{ID: m}, desk.Visitor{}, f.clock.now())
			f.must(f.store.Write(context.Background(), f.account.ID, func(tx *store.Tx) error { return tx.AddToken(&session.Token) }))
			return "Cookie: " + desk.SessionCookie(false) + "=" + session.Secret
		}
		admin := desk.Admin
		m, err := f.service.CreateMember(context.Background(), f.caller(), desk.NewMember{Email: "mira@acme.example", Role: &admin})
		f.must(err)
		f.number()
		own := f.listen(streamPath, "Authorization: ", browser(f.admin.ID))
		begin := own.next().id
		other := f.listen(streamPath, "Authorization: ", browser(m.ID))
		other.next()
		token := f.listen(streamPath)
		token.next()

		f.must(f.store.Write(context.Background(), f.account.ID, func(tx *store.Tx) error {
			told := desk.Notification{Member: f.admin.ID, Kind: desk.NotificationAssigned, By: "Mira", CreatedAt: tx.Now}
			return notify.Add(tx, desk.RequestID(request), []notify.New{{Notification: told, Mark: "x"}}, desk.MostNotifications)
		}))
		f.service.Ring(f.account.ID, []desk.MemberID{f.admin.ID})
		got := own.next()
		if got.event != "notifications.changed" || got.id != "" || !strings.Contains(got.data, `{"type":"notifications.changed","data":{"notifications":{"unread":1,"newest":{"id":`) {
			t.Errorf("told %+v", got)
		}
		wantStatus(t, f.send("POST", "/v1/rest/notifications/read", `{"up_to":1000000}`), 204)
		if got, want := own.next().data, `{"type":"notifications.changed","data":{"notifications":{"unread":0,"newest":null}}}`; got != want {
			t.Errorf("told %s, want %s", got, want)
		}
		f.happen("after")
		for name, l := range map[string]*listener{"the member": own, "another member": other, "a token": token} {
			if got := l.next(); got.event != "account.updated" || got.id == "" {
				t.Errorf("%s is told %+v", name, got)
			}
		}
		for _, e := range f.feed(begin) {
			if e.event == "notifications.changed" {
				t.Errorf("the feed has %+v", e)
			}
		}
	})
}
