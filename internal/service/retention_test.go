package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/blob"
	"frontdesk/internal/blob/blobtest"
	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/index"
	"frontdesk/internal/job"
	"frontdesk/internal/privacy"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
	"frontdesk/internal/worker"
)

// Behind each of these tests the cached requests are compared with the database, so a
// cache that still has what was deleted fails it.

const day = 24 * time.Hour

// archive is a company whose collection keeps things for a time only.
type archive struct {
	*company
	collection desk.Collection
}

func eachArchive(t *testing.T, fn func(t *testing.T, a *archive)) {
	dbtest.EachURL(t, func(t *testing.T, url string) { fn(t, newArchive(t, url)) })
}

func newArchive(t *testing.T, url string) *archive {
	t.Helper()
	c := openCompany(t, &company{url: url, clock: &clock{now: time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)}, blobs: blobtest.New(t, t.TempDir()), hooks: privateHooks()})
	return &archive{company: c, collection: c.newCollection("API", desk.APICollection)}
}

// days is a number of days, or nil for ever.
func days(n int) desk.Nullable[int] {
	if n == 0 {
		return desk.Null[int]()
	}
	return desk.Just(n)
}

// keeps sets for how long messages and files are kept; 0 is for ever.
func (a *archive) keeps(messages, files int) {
	a.t.Helper()
	_, err := a.UpdateCollection(ctx, a.caller(), a.collection.ID, desk.CollectionChange{Retention: desk.RetentionChange{MessagesDays: days(messages), FilesDays: days(files)}})
	must(a.t, err)
}

// asks makes a request with a text and, if it has content, a file.
func (a *archive) asks(title, text, content string) desk.RequestID {
	a.t.Helper()
	n := desk.NewRequest{Collection: &a.collection.ID, Title: &title, Description: "<p>" + text + "</p>", Requester: ptr("ines@somewhere.example")}
	if content != "" {
		file, err := a.StoreFile(ctx, a.caller(), "report.txt", "text/plain", strings.NewReader(content))
		must(a.t, err)
		n.Files = []desk.NewFile{file}
	}
	made, err := a.CreateRequest(ctx, a.caller(), n)
	must(a.t, err)
	return made.Request.ID
}

// sets gives a request a state.
func (a *archive) sets(id desk.RequestID, state desk.State) {
	a.t.Helper()
	_, err := a.UpdateRequest(ctx, a.caller(), id, desk.RequestChange{State: &state})
	must(a.t, err)
}

func (a *archive) says(id desk.RequestID, n desk.NewMessage) desk.Message {
	a.t.Helper()
	m, err := a.AddMessage(ctx, a.caller(), id, n)
	must(a.t, err)
	return m
}

// sweeps runs the job that deletes what is due, until nothing is.
func (a *archive) sweeps() {
	a.t.Helper()
	must(a.t, a.Do(ctx, &job.Job{Attempt: 1}, change.SweepRetention{}))
}

// left returns the texts of a request's messages, and how many files they have.
func (a *archive) left(id desk.RequestID) (texts []string, files int) {
	a.t.Helper()
	for _, m := range a.said(id).Messages {
		texts, files = append(texts, m.Text), files+len(m.Attachments)
	}
	return texts, files
}

func (a *archive) wants(id desk.RequestID, files int, texts ...string) {
	a.t.Helper()
	if is, n := a.left(id); !slices.Equal(is, texts) || n != files {
		a.t.Errorf("request %d has %q and %d files, want %q and %d", id, is, n, texts, files)
	}
}

func (a *archive) countBlobs() int {
	a.t.Helper()
	keys, err := a.blobs.Keys(ctx, time.Now().AddDate(100, 0, 0), blob.Key{}, 10000)
	must(a.t, err)
	return len(keys)
}

// What is deleted is what was said in requests of the collection that are done, so
// many days after the last of it, and not a millisecond earlier.
func TestRetentionDeletesWhatIsDue(t *testing.T) {
	eachArchive(t, func(t *testing.T, a *archive) {
		const gone = "This text was deleted after 30 days."
		other := a.newCollection("Other", desk.APICollection)
		solved, closed, open := a.asks("A", "solved", "1"), a.asks("B", "closed", "2"), a.asks("C", "open", "3")
		again, noted := a.asks("D", "again", "4"), a.asks("E", "noted", "5")
		elsewhere, err := a.CreateRequest(ctx, a.caller(), desk.NewRequest{Collection: &other.ID, Title: ptr("F"), Description: "elsewhere"})
		must(t, err)
		for _, id := range []desk.RequestID{solved, again, noted, elsewhere.Request.ID} {
			a.sets(id, desk.Solved)
		}
		a.sets(closed, desk.Closed)
		a.keeps(30, 7)
		a.clock.move(5 * day)
		a.sets(again, desk.Open)
		a.says(noted, desk.NewMessage{HTML: ptr("<p>later</p>"), Private: true})

		a.clock.move(2*day - time.Millisecond)
		a.sweeps()
		a.wants(solved, 1, "solved")
		a.clock.move(time.Millisecond)
		a.sweeps()
		a.wants(solved, 0, "solved")
		a.wants(closed, 0, "closed")
		a.wants(noted, 1, "noted", "later")
		a.clock.move(23*day - time.Millisecond)
		a.sweeps()
		a.wants(solved, 0, "solved")
		a.wants(noted, 0, "noted", "later")
		a.clock.move(time.Millisecond)
		a.sweeps()
		a.wants(solved, 0, gone)
		a.wants(closed, 0, gone)
		a.wants(noted, 0, "noted", "later")
		a.clock.move(5 * day)
		a.sweeps()
		a.wants(noted, 0, gone, gone)
		a.wants(open, 1, "open")
		a.wants(again, 1, "again")
		a.wants(elsewhere.Request.ID, 0, "elsewhere")
		if n := a.countBlobs(); n != 2 {
			t.Errorf("%d files are stored", n)
		}
		r := a.said(solved)
		if r.Title != "A" || r.Author.Email != "ines@somewhere.example" || r.Messages[0].HTML != "<p>"+gone+"</p>" {
			t.Errorf("%+v", r)
		}
		// What is said afterwards goes in its turn.
		a.sets(solved, desk.Open)
		a.says(solved, desk.NewMessage{HTML: ptr("<p>once more</p>")})
		a.sets(solved, desk.Solved)
		a.clock.move(30*day - time.Millisecond)
		a.sweeps()
		a.wants(solved, 0, gone, "once more")
		a.clock.move(time.Millisecond)
		a.sweeps()
		a.wants(solved, 0, gone, gone)
		a.clock.move(1000 * day)
		before := a.rows("events")
		a.sweeps()
		if after := a.rows("events"); after != before {
			t.Errorf("%d events after a sweep with nothing to do", after-before)
		}
	})
}

// Everything that was said in a request goes, wherever it was recorded since: under a
// request that was merged into it, under one that it was split off from, in the feed,
// in what a webhook answered, and in the search index.
func TestRetentionReachesEveryPlace(t *testing.T) {
	eachArchive(t, func(t *testing.T, a *archive) {
		receiver := newReceiver(t)
		receiver.answers(func(c hookCall) (int, http.Header) { return 200, http.Header{"Echo": {"quokkaecho"}} })
		_, err := a.CreateWebhook(ctx, a.caller(), desk.GivenWebhook{URL: &receiver.URL, EventTypes: &[]desk.EventType{desk.MessageCreated}})
		must(t, err)
		first, second := a.asks("A", "quokkafirst", "quokkafile"), a.asks("B", "quokkamerged", "")
		a.says(first, desk.NewMessage{HTML: ptr("<p>quokkanote</p>"), Private: true})
		a.says(second, desk.NewMessage{HTML: ptr("<p>quokkasecond</p>")})
		_, err = a.MergeRequests(ctx, a.caller(), first, desk.Merge{Requests: []desk.RequestID{second}})
		must(t, err)
		moved := a.says(first, desk.NewMessage{HTML: ptr("<p>quokkasplit</p>")})
		edited := a.says(first, desk.NewMessage{HTML: ptr("<p>quokkaremoved</p>")})
		must(t, a.store.Write(ctx, a.account.ID, func(tx *store.Tx) error { return tx.RemoveMessage(edited.ID) }))
		split, err := a.SplitRequest(ctx, a.caller(), first, desk.Split{Messages: []desk.MessageID{moved.ID}, Title: ptr("C")})
		must(t, err)
		session, err := a.CreateAgentSession(ctx, a.caller(), desk.NewAgentSession{Request: first})
		must(t, err)
		_, err = a.AddAgentEvents(ctx, a.caller(), session.AgentSession.ID, desk.AgentEvents{Events: []desk.AgentEvent{{Type: desk.AgentEventTypes[0], Text: "quokkaagent"}}})
		must(t, err)
		file, err := a.StoreFile(ctx, a.caller(), "unsent.txt", "text/plain", strings.NewReader("quokkaunsent"))
		must(t, err)
		_, err = a.DelayMessage(ctx, a.caller(), first, desk.NewMessage{HTML: ptr("<p>quokkafailed</p>"), Files: []desk.NewFile{file}}, time.Minute)
		must(t, err)
		kept := a.asks("D", "marmotkept", "marmotfile")
		_, err = a.Settle(ctx, 0)
		must(t, err)
		must(t, a.store.Write(ctx, a.account.ID, func(tx *store.Tx) error {
			return tx.Do("INSERT INTO posts (account_id, request_id, kind, place, part, text, as_bot, mark, wanted, shown, kept, failure) VALUES ($1, $2, 'notice', 'thread', 0, 'quokkapost', FALSE, '', 1, 1, '', '')", a.account.ID, first)
		}))
		a.sets(split.ID, desk.Solved)
		a.sets(first, desk.Closed)
		words := []string{"quokkafirst", "quokkamerged", "quokkanote", "quokkasecond", "quokkasplit", "quokkaremoved", "quokkaagent", "quokkafailed", "quokkapost", "quokkaecho", "report.txt"}
		before := a.everyRow()
		for _, w := range words {
			if before.around(w) == "" {
				t.Errorf("%q was not there before", w)
			}
		}
		a.sets(kept, desk.Solved)
		a.clock.move(10 * day)
		a.sets(kept, desk.Open)
		a.keeps(1, 0)
		a.sweeps()
		must(t, index.Update(ctx, a.store, a.account.ID))
		must(t, a.store.DB().Vacuum(ctx, "search_index"))
		after := a.everyRow()
		for _, w := range words[:len(words)-1] {
			if at := after.around(w); at != "" {
				t.Errorf("%q is still there: %s", w, at)
			}
		}
		a.wants(kept, 1, "marmotkept")
		if after.around("marmotkept") == "" || a.countBlobs() != 1 {
			t.Errorf("another request lost something: %d files", a.countBlobs())
		}
		if found := a.search(desk.RequestSearch{Query: "marmotkept"}); len(found) != 1 {
			t.Errorf("a search for what was kept finds %d", len(found))
		}
		if _, err := a.store.VerifyAuditLog(ctx, a.account.ID); err != nil {
			t.Error(err)
		}
	})
}

// A mail goes with what was said in it, and as it came with its files.
func TestRetentionOfMail(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		o.receives(letter{from: "Jo Wildhagen <jo@customer.example>", to: "support@" + mailDomain, subject: "The door",
			header: "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b",
			body:   "--b\nContent-Type: text/plain\n\nThe quokkadoor does not open.\n--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename=quokkaplan.txt\n\nhere\n--b--\n"})
		a := &archive{o.company, o.collection}
		r := o.only()
		o.answers(r.ID, "<p>Push the quokkahandle.</p>")
		a.sets(r.ID, desk.Solved)
		a.keeps(0, 1)
		a.clock.move(day)
		a.sweeps()
		filesGone := a.everyRow()
		if n := a.countBlobs(); n != 0 || filesGone.around("quokkadoor") == "" || filesGone.around("quokkaplan") != "" {
			t.Errorf("%d files are left after files were to go", n)
		}
		a.keeps(1, 0)
		a.sweeps()
		must(t, index.Update(ctx, a.store, a.account.ID))
		must(t, a.store.DB().Vacuum(ctx, "search_index"))
		after := a.everyRow()
		for _, w := range []string{"quokkadoor", "quokkahandle"} {
			if at := after.around(w); at != "" {
				t.Errorf("%q is still there: %s", w, at)
			}
		}
		if r := o.only(); r.Title != "The door" || r.Author.Name != "Jo Wildhagen" {
			t.Errorf("%+v", r)
		}
	})
}

// Many requests go in pieces. Whoever empties the setting in the middle stops it.
func TestRetentionGoesInPieces(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		const many = 1000
		a := newArchive(t, url)
		must(t, a.store.Write(ctx, a.account.ID, func(tx *store.Tx) error {
			var all []*desk.Request
			for i := range many {
				all = append(all, &desk.Request{Title: fmt.Sprint(i), Collection: desk.CollectionRef{ID: a.collection.ID}, State: ptr(desk.Solved), Priority: desk.Normal, SolvedAt: &tx.Now,
					Source: desk.FromAPI, CreatedAt: tx.Now, UpdatedAt: tx.Now, LastMessageAt: tx.Now})
			}
			if err := tx.AddRequests(all); err != nil {
				return err
			}
			return tx.Do(`INSERT INTO messages (account_id, request_id, author_name, author_email, html, text, is_responder, is_private, is_bot, is_idle, source, created_at, said_at)
				SELECT account_id, id, 'Ines', '', '<p>quokka</p>', 'quokka', FALSE, FALSE, FALSE, FALSE, 'api', created_at, created_at * 1000 FROM requests WHERE account_id = $1`, a.account.ID)
		}))
		a.clock.move(2 * day)
		a.keeps(1, 0)
		kept := func() int { return a.rows("messages WHERE text = 'quokka'") }
		begin := a.store.DB().Stats()
		must(t, a.store.Write(ctx, a.account.ID, func(tx *store.Tx) error {
			done, err := privacy.Expire(tx, a.collection.ID, worker.RetentionPiece)
			if done.Done || done.Requests != worker.RetentionPiece || done.Messages != worker.RetentionPiece {
				t.Errorf("a piece was %+v", done)
			}
			return err
		}))
		if n := a.store.DB().Stats().Statements - begin.Statements; n > 60 {
			t.Errorf("a piece took %d statements", n)
		}
		if kept() != many-worker.RetentionPiece {
			t.Errorf("after a piece, %d texts are left", kept())
		}
		if p := a.preview(nil); p.Now.Requests.Count != many-worker.RetentionPiece {
			t.Errorf("%+v", p.Now)
		}
		a.keeps(0, 0)
		a.sweeps()
		if kept() != many-worker.RetentionPiece {
			t.Errorf("after the setting was emptied, %d texts are left", kept())
		}
		a.keeps(1, 0)
		a.sweeps()
		if kept() != 0 {
			t.Errorf("at the end, %d texts are left", kept())
		}
		if n := a.rows("jobs WHERE kind = 'retention.forget'"); n != 1 {
			t.Errorf("%d jobs wait", n)
		}
	})
}

func (a *archive) preview(r *desk.Retention) desk.RetentionPreview {
	a.t.Helper()
	p, err := a.PreviewRetention(ctx, a.caller(), a.collection.ID, r)
	must(a.t, err)
	return p
}

// stuck is a store of files from which nothing can be removed.
type stuck struct{ blob.Store }

func (stuck) Remove(context.Context, blob.Key) error { return errors.New("the disk is gone") }

// A file whose row is deleted is removed later if it cannot be now, as after a crash.
func TestRetentionLosesNoFile(t *testing.T) {
	eachArchive(t, func(t *testing.T, a *archive) {
		id := a.asks("A", "text", "content")
		a.sets(id, desk.Solved)
		a.keeps(0, 1)
		a.clock.move(day)
		sound := a.blobs
		a.blobs = stuck{sound}
		broken := a.another()
		must(t, broken.Do(ctx, &job.Job{Attempt: 1}, change.SweepRetention{}))
		a.blobs = sound
		a.wants(id, 0, "text")
		if n := a.countBlobs(); n != 1 {
			t.Errorf("%d files are stored before the sweep", n)
		}
		a.clock.move(time.Until(a.clock.Now().AddDate(50, 0, 0))) // the files carry the real time
		must(t, a.Do(ctx, &job.Job{Attempt: 1}, worker.SweepFiles{}))
		if n := a.countBlobs(); n != 0 {
			t.Errorf("%d files are stored after the sweep", n)
		}
	})
}

// A removed collection keeps its rule, and another account has its own.
func TestRetentionOfARemovedCollection(t *testing.T) {
	eachArchive(t, func(t *testing.T, a *archive) {
		id := a.asks("A", "text", "")
		a.sets(id, desk.Solved)
		theirs, _, err := a.NewAccount(ctx, "Other", desk.NewMember{Email: "eva@other.example"})
		must(t, err)
		must(t, a.store.Write(ctx, theirs.ID, func(tx *store.Tx) error { // a rule of theirs that names our collection
			return tx.Do("UPDATE collections SET retention_messages_days = 1 WHERE account_id = $1", tx.Account)
		}))
		must(t, a.store.Write(ctx, theirs.ID, func(tx *store.Tx) error {
			done, err := privacy.Expire(tx, a.collection.ID, 10)
			if !done.Done || done.Requests != 0 {
				t.Errorf("another account's request went: %+v", done)
			}
			return err
		}))
		a.keeps(1, 0)
		_, err = a.DeleteCollection(ctx, a.caller(), a.collection.ID)
		must(t, err)
		a.clock.move(day)
		a.sweeps()
		a.wants(id, 0, "This text was deleted after 1 day.")
	})
}

// A preview counts what the sweep then deletes, now and in 30 days, and no more than
// it promises to count.
func TestRetentionPreview(t *testing.T) {
	eachArchive(t, func(t *testing.T, a *archive) {
		first := a.clock.Now()
		one, two := a.asks("A", "one", "12345"), a.asks("B", "two", "123")
		a.says(one, desk.NewMessage{HTML: ptr("<p>more</p>")})
		a.sets(one, desk.Solved)
		a.clock.move(10 * day)
		last := a.clock.Now()
		a.sets(two, desk.Solved)
		a.asks("C", "open", "1")
		a.clock.move(20 * day)
		sees := func(what string, is, want desk.Expiring) {
			t.Helper()
			if !reflect.DeepEqual(is, want) {
				t.Errorf("%s: %+v, want %+v", what, is, want)
			}
		}
		n := func(n int) desk.Counted { return desk.Counted{Count: n} }
		p := a.preview(&desk.Retention{MessagesDays: ptr(30)})
		sees("messages now", p.Now, desk.Expiring{Requests: n(1), Messages: n(2), Files: n(1), Bytes: 5, Oldest: &first, Newest: &first})
		sees("messages soon", p.Soon, desk.Expiring{Requests: n(2), Messages: n(3), Files: n(2), Bytes: 8, Oldest: &first, Newest: &last})
		p = a.preview(&desk.Retention{FilesDays: ptr(20)})
		sees("files now", p.Now, desk.Expiring{Requests: n(2), Files: n(2), Bytes: 8, Oldest: &first, Newest: &last})
		p = a.preview(&desk.Retention{MessagesDays: ptr(30), FilesDays: ptr(20)})
		sees("both now", p.Now, desk.Expiring{Requests: n(2), Messages: n(2), Files: n(2), Bytes: 8, Oldest: &first, Newest: &last})
		sees("nothing set", a.preview(nil).Soon, desk.Expiring{})
		a.keeps(30, 20)
		sees("as set", a.preview(nil).Now, p.Now)
		a.sweeps()
		sees("afterwards", a.preview(nil).Now, desk.Expiring{})
		if p := a.preview(nil); p.Soon.Requests != n(1) || p.Soon.Messages != n(1) || p.Soon.Files != n(0) {
			t.Errorf("soon after a sweep: %+v", p.Soon)
		}
		_, err := a.PreviewRetention(ctx, a.caller(), a.collection.ID, &desk.Retention{MessagesDays: ptr(1), FilesDays: ptr(2)})
		wantKind(t, err, desk.Invalid)
	})
}

// The files of SQLite have nothing left of what was deleted, at the latest a day
// later, and without being written anew.
func TestRetentionLeavesNothingOnDisk(t *testing.T) {
	a := newArchive(t, dbtest.URL(t, sqldb.SQLite))
	long := strings.Repeat("quokkapage ", 3000)
	for i := range 30 { // several requests share a page, and one has many
		id := a.asks(fmt.Sprint(i), fmt.Sprintf("quokkaask%d jumps", i), fmt.Sprintf("quokkafile%d", i))
		a.says(id, desk.NewMessage{HTML: ptr(fmt.Sprintf("<p>quokkareply%d sits %s</p>", i, long[:i*100]))})
		_, err := a.Settle(ctx, 0)
		must(t, err)
		a.says(id, desk.NewMessage{HTML: ptr("<p>quokkanote</p>"), Private: true})
		a.sets(id, desk.Solved)
	}
	_, err := a.Settle(ctx, 0)
	must(t, err)
	if !bytes.Contains(a.disk(), []byte("quokka")) || a.countBlobs() != 30 {
		t.Fatal("nothing is there even before it is deleted")
	}
	a.clock.move(day)
	a.keeps(1, 0)
	_, err = a.Settle(ctx, 0)
	must(t, err)
	a.sweeps()
	a.clock.move(worker.ForgetAfter)
	_, err = a.Settle(ctx, 0)
	must(t, err)
	if b := a.disk(); bytes.Contains(b, []byte("quokka")) {
		at := bytes.Index(b, []byte("quokka"))
		t.Errorf("still there: %d times, such as %q", bytes.Count(b, []byte("quokka")), b[max(0, at-100):at+100])
	}
	if n := a.countBlobs(); n != 0 {
		t.Errorf("%d files are stored", n)
	}
}
