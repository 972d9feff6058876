package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"frontdesk/internal/sandbox"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// TestAnnouncementOnce kills the server again and again at the hardest moment: the
// workspace has accepted a post but has not answered yet. In the end every channel
// has one copy.
func TestAnnouncementOnce(t *testing.T) {
	t.Parallel() // it mostly waits
	announceThroughKills(t, 40, 4)
}

func announceThroughKills(t *testing.T, channels, kills int) {
	dbtest.EachURL(t, func(t *testing.T, at string) {
		t.Parallel()
		w := newTown(t, at, 1, false)
		rooms := w.rooms(channels)
		source, ok := w.does(t.Context(), w.agents[0], "chat.postMessage", url.Values{"channel": {w.channels[0]}, "text": {"*Maintenance* on Sunday"}})
		if !ok {
			t.Fatal("the message was not taken")
		}
		var to []map[string]string
		for _, room := range rooms {
			to = append(to, map[string]string{"type": "channel", "id": room})
		}
		w.settle(time.Minute)
		// The workspace accepts every post but answers none until the server is dead.
		w.misbehave(
			sandbox.Fault{Kind: sandbox.LateAnswer, Method: "chat.postMessage", Delay: sandbox.Duration(time.Hour)},
			sandbox.Fault{Kind: sandbox.DuplicateEvent, Probability: 0.05},
			sandbox.Fault{Kind: sandbox.ReorderEvent, Probability: 0.2, Delay: sandbox.Duration(time.Second)},
		)
		began := time.Now()
		var made struct{ Announcement struct{ ID int64 } }
		w.ask("/announcements", map[string]any{"channel_id": w.channels[0], "message_ts": source, "name": "Maintenance", "recipients": to, "action": "send_now"}, &made)
		inside, stood := 0, 0
		for kill := range kills {
			// Long enough for the job's lease to expire, also on a busy machine.
			awaitFor(t, 5*time.Minute, fmt.Sprintf("post %d that is taken and not answered", kill), func() bool { return w.holding() > 0 })
			w.kill()
			// Nobody has read an answer, so every new post was caught at that moment.
			if stands := count(t, w.box, "SELECT count(*) FROM messages WHERE app_id <> ''"); stands > stood {
				inside++
				stood = stands
			}
			w.start()
		}
		w.misbehave()
		var got sentAnnouncement
		awaitFor(t, 5*time.Minute, "the end of sending", func() bool {
			w.server.get(t, w.token, fmt.Sprintf("/announcements/%d", made.Announcement.ID), &got)
			return got.Announcement.Status == "sent"
		})
		took := time.Since(began)
		w.settle(time.Minute)
		w.mustBeQuiet()
		copies := w.compareAnnouncement(rooms, got)
		t.Logf("%d channels, %d kills, %d of them between a post and its answer, %d posts caught there: %d copies, each channel one; %s", channels, kills, inside, stood, copies, took.Round(time.Second))
		if inside != kills {
			t.Errorf("only %d of %d kills were in the window", inside, kills)
		}
	})
}

// sentAnnouncement is an announcement as the API shows it.
type sentAnnouncement struct {
	Announcement struct {
		Status     string
		Recipients []struct {
			Channel string `json:"channel_id"`
			Status  string
			Message string `json:"message_ts"`
		}
	}
}

// rooms creates channels with the bot in them, and waits until the server knows them.
func (w *town) rooms(n int) (ids []string) {
	w.t.Helper()
	var bot string
	w.rows("SELECT bot_user_id FROM integrations", func(scan func(...any) error) error { return scan(&bot) })
	owner := w.workspace.As(w.owner.id)
	for i := range n {
		c, err := owner.CreateChannel(w.t.Context(), fmt.Sprintf("room-%d", i), false)
		must(w.t, err)
		must(w.t, owner.Invite(w.t.Context(), c.ID, bot))
		ids = append(ids, c.ID)
	}
	awaitFor(w.t, 5*time.Minute, "the rooms", func() bool {
		return count(w.t, w.db, "SELECT count(*) FROM channels WHERE is_member AND name LIKE 'room-%'") == n
	})
	return ids
}

// holding returns how many answers the workspace holds back after it has done the work.
func (w *town) holding() (n int) {
	w.t.Helper()
	r := w.faults("GET", nil)
	defer r.Body.Close()
	var p sandbox.FaultPlan
	if r.StatusCode != http.StatusOK {
		w.t.Fatalf("the faults answered %s", r.Status)
	}
	must(w.t, json.NewDecoder(r.Body).Decode(&p))
	for _, f := range p.Faults {
		n += f.Holding
	}
	return n
}

// compareAnnouncement checks that each room has one copy, at the place that the API
// names.
func (w *town) compareAnnouncement(rooms []string, got sentAnnouncement) (copies int) {
	w.t.Helper()
	stand := map[string][]string{}
	must(w.t, w.box.Read(w.t.Context(), func(tx *sqldb.Tx) error {
		_, err := sqldb.Collect(tx, func(scan func(...any) error) (room string, err error) {
			var ts int64
			err = scan(&room, &ts)
			stand[room] = append(stand[room], stamp(ts))
			copies++
			return room, err
		}, "SELECT conversation_id, ts FROM messages WHERE app_id <> ''")
		return err
	}))
	if len(got.Announcement.Recipients) != len(rooms) || copies != len(rooms) {
		w.t.Errorf("%d rooms, %d recipients, %d copies", len(rooms), len(got.Announcement.Recipients), copies)
	}
	for _, r := range got.Announcement.Recipients {
		if r.Status != "success" || len(stand[r.Channel]) != 1 || stand[r.Channel][0] != r.Message {
			w.t.Errorf("%+v, and there stands %q", r, stand[r.Channel])
		}
	}
	if n := count(w.t, w.db, "SELECT count(*) FROM events WHERE type = 'announcement.sent'"); n != 1 {
		w.t.Errorf("the feed tells of it %d times", n)
	}
	return copies
}
