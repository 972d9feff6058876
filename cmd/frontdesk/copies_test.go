package main

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/sandbox"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// TestEachCopyOnce is TestEachMessageOnce with a team that answers in triage. Each
// message that Frontdesk posts there, or for the team, exists once, although answers to
// its calls are lost and the server is killed during them.
func TestEachCopyOnce(t *testing.T) {
	t.Parallel() // it mostly waits
	dbtest.EachURL(t, func(t *testing.T, at string) {
		t.Parallel()
		w := newTown(t, at, 3, true)
		hostile := []sandbox.Fault{
			{Kind: sandbox.DuplicateEvent, Probability: 0.05},
			{Kind: sandbox.ReorderEvent, Probability: 0.2, Delay: sandbox.Duration(500 * time.Millisecond)},
			// Each of these blocks its request until no call can be on its way any more.
			{Kind: sandbox.DropAnswer, Probability: 0.1, Method: "chat.postMessage", Count: 3},
			{Kind: sandbox.DropAnswer, Probability: 0.3, Method: "files.completeUploadExternal", Count: 1},
			{Kind: sandbox.DropAnswer, Probability: 0.3, Method: "download", Count: 1},
		}
		w.misbehave(hostile...)
		talk := beginTalk(w, 3)
		for range 3 {
			talk.say(10)
			w.answerCards(4)
			talk.share(2)
			talk.say(rand.N(10) + 1)
			w.kill()
			w.start()
		}
		talk.end()
		w.settle(4 * time.Minute)
		w.answerCards(6) // some of the late cards
		w.shareWithTheTeam()
		w.settle(4 * time.Minute)
		w.misbehave()
		w.mustBeQuiet()
		w.compare(w.truth())
		w.compareCards()
		w.compareCopies()
		w.compareFiles()
	})
}

// answerCards makes the team answer under some cards, and sometimes talk among
// themselves.
func (w *town) answerCards(n int) {
	w.t.Helper()
	var cards []string
	must(w.t, w.box.Read(w.t.Context(), func(tx *sqldb.Tx) (err error) {
		cards, err = sqldb.Collect(tx, func(scan func(...any) error) (string, error) {
			var ts int64
			err := scan(&ts)
			return stamp(ts), err
		}, "SELECT ts FROM messages WHERE conversation_id = $1 AND thread_ts = 0 AND app_id <> '' ORDER BY ts", w.triage)
		return err
	}))
	for i := range min(n, len(cards)) {
		text := fmt.Sprintf("We are looking into it, answer %d", rand.Int())
		if i%4 == 3 {
			text = "// secret " + text
		}
		w.does(w.t.Context(), w.agents[i%2], "chat.postMessage", url.Values{"channel": {w.triage}, "thread_ts": {cards[rand.N(len(cards))]}, "text": {text}})
	}
}

// share makes people share a file in existing threads.
func (k *talk) share(n int) {
	k.w.t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	for channel, threads := range k.threads {
		if n--; n < 0 {
			return
		}
		k.w.shareIn(channel, threads[rand.N(len(threads))]) // the team sees only the threads that are requests
	}
}

// shareIn makes a person share a file in a thread.
func (w *town) shareIn(channel, thread string) {
	w.t.Helper()
	name := fmt.Sprintf("export-%d.txt", rand.Int64())
	_, err := w.workspace.As(w.people[0].id).Upload(w.t.Context(), channel, sandbox.Upload{
		Name: name, Content: []byte("what " + name + " says"), Comment: "Why does this file look wrong?", ThreadTS: thread})
	must(w.t, err)
}

// shareWithTheTeam makes a person share a file in the thread of a request. The team
// then sees at least one file, whatever the random choices were.
func (w *town) shareWithTheTeam() {
	w.t.Helper()
	var channel, thread string
	w.rows("SELECT channel_id, thread_id FROM requests WHERE is_listed AND thread_id IS NOT NULL AND triage_thread_id IS NOT NULL AND merged_into IS NULL ORDER BY id LIMIT 1",
		func(scan func(...any) error) error { return scan(&channel, &thread) })
	if thread == "" {
		w.t.Fatal("no request stands in a thread")
	}
	w.shareIn(channel, thread)
}

// compareCards checks that each request has one card.
func (w *town) compareCards() {
	w.t.Helper()
	n := 0
	w.rows(`SELECT r.id, (SELECT count(*) FROM posts p WHERE p.account_id = r.account_id AND p.request_id = r.id AND p.kind = 'card' AND p.external_id IS NOT NULL)
		FROM requests r WHERE r.is_listed`, func(scan func(...any) error) error {
		var request, cards int
		err := scan(&request, &cards)
		if n++; cards != 1 {
			w.t.Errorf("request %d has %d cards", request, cards)
		}
		return err
	})
	if n == 0 {
		w.t.Error("there are no requests")
	}
}

// compareCopies compares Frontdesk's records of what it posted with the workspace. No
// message is missing there, and none is unknown to Frontdesk.
func (w *town) compareCopies() {
	w.t.Helper()
	known, answers := map[place]bool{}, 0
	w.rows(`SELECT p.kind, p.wanted - p.shown, p.failure, p.channel_id, p.external_id, m.removed_at IS NOT NULL
		FROM posts p LEFT JOIN messages m ON m.account_id = p.account_id AND m.id = p.message_id`, func(scan func(...any) error) error {
		var kind, failure string
		var open int
		var channel, ts *string
		var removed bool
		err := scan(&kind, &open, &failure, &channel, &ts, &removed)
		if open != 0 || failure != "" {
			w.t.Errorf("a %s is not shown as it is: %d times changed since, %q", kind, open, failure)
		}
		if ts != nil && !removed {
			known[place{*channel, *ts}] = true
		}
		return err
	})
	found := map[place]bool{}
	must(w.t, w.box.Read(w.t.Context(), func(tx *sqldb.Tx) error {
		_, err := sqldb.Collect(tx, func(scan func(...any) error) (p place, err error) {
			var ts int64
			var text string
			if err := scan(&p.channel, &ts, &text); err != nil {
				return p, err
			}
			p.ts = stamp(ts)
			found[p] = true
			if !known[p] {
				w.t.Errorf("we do not know of our message %v: %.300s", p, text)
			}
			if slices.Contains(w.channels, p.channel) && strings.Contains(text, "secret") {
				w.t.Errorf("the requester reads %s", text)
			}
			return p, nil
		}, "SELECT conversation_id, ts, body FROM messages WHERE app_id <> ''")
		return err
	}))
	for p := range known {
		if !found[p] {
			w.t.Errorf("our message %v does not stand there", p)
		}
	}
	w.rows(`SELECT m.id, (SELECT count(*) FROM posts p WHERE p.account_id = m.account_id AND p.message_id = m.id AND p.place = 'thread' AND p.external_id IS NOT NULL)
		FROM messages m WHERE m.channel_id = '`+w.triage+"' AND NOT m.is_private AND m.removed_at IS NULL", func(scan func(...any) error) error {
		var message, copies int
		err := scan(&message, &copies)
		if answers++; copies != 1 {
			w.t.Errorf("the answer %d stands %d times in the requester's thread", message, copies)
		}
		return err
	})
	if answers == 0 {
		w.t.Error("nobody answered")
	}
}

// compareFiles checks that Frontdesk stored each file once and showed it to the team at
// most once. A card shows no files.
func (w *town) compareFiles() {
	w.t.Helper()
	kept := map[string]int{}
	w.rows("SELECT name FROM attachments", func(scan func(...any) error) error {
		var name string
		err := scan(&name)
		kept[name]++
		return err
	})
	shared := map[string]int{}
	must(w.t, w.box.Read(w.t.Context(), func(tx *sqldb.Tx) error {
		_, err := sqldb.Collect(tx, func(scan func(...any) error) (name string, err error) {
			var ours bool
			err = scan(&name, &ours)
			if ours {
				shared[name]++
			} else {
				shared[name] += 100
			}
			return name, err
		}, "SELECT f.name, f.app_id <> '' FROM files f JOIN file_shares s ON s.file_id = f.id")
		return err
	}))
	seen := 0
	for name, n := range shared {
		seen += n % 100
		if n != 100 && n != 101 || kept[name] != 1 {
			w.t.Errorf("%s is kept %d times; it stands %d times as it came and %d times as we show it", name, kept[name], n/100, n%100)
		}
	}
	if len(kept) != len(shared) || seen == 0 {
		w.t.Errorf("%d files were shared, %d are kept, and the team saw %d", len(shared), len(kept), seen)
	}
}
