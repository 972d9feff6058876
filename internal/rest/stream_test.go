package rest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/service"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

const streamPath = "/v1/rest/events/stream"

// sent is a part of a stream, up to an empty line.
type sent struct{ id, event, data, retry, comment string }

// listener reads a stream.
type listener struct {
	t      testing.TB
	header http.Header
	close  func()
	parts  chan sent // closed when the stream ends
	err    error     // how it ended, when parts is closed
}

// listen opens a stream, which is closed at the end of the test. Earlier events are
// already in the feed.
func (f *frame) listen(path string, headers ...string) *listener {
	f.t.Helper()
	f.number()
	ctx, cancel := context.WithCancel(context.Background())
	w, err := http.DefaultTransport.RoundTrip(f.request("GET", path, nil, headers...).WithContext(ctx))
	f.must(err)
	if w.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(w.Body)
		f.t.Fatalf("%s: %d %s", path, w.StatusCode, body)
	}
	l := &listener{t: f.t, header: w.Header, parts: make(chan sent)}
	done := make(chan struct{})
	l.close = func() { cancel(); <-done }
	go func() {
		defer close(done)
		defer close(l.parts)
		defer w.Body.Close()
		l.err = readParts(w.Body, func(p sent) bool {
			select {
			case l.parts <- p:
				return true
			case <-ctx.Done():
				return false
			}
		})
	}()
	f.t.Cleanup(l.close)
	return l
}

// readParts reads a stream to its end, or until fn returns false.
func readParts(r io.Reader, fn func(sent) bool) error {
	lines := bufio.NewReader(r)
	for p := (sent{}); ; {
		line, err := lines.ReadString('\n')
		if err == io.EOF && line == "" && p == (sent{}) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("after %+v and %q: %w", p, line, err)
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "\n":
			if !fn(p) {
				return nil
			}
			p = sent{}
		case name == "id":
			p.id = value
		case name == "event":
			p.event = value
		case name == "data" && p.data == "":
			p.data = value
		case name == "retry":
			p.retry = value
		case name == "":
			p.comment = value
		default:
			return fmt.Errorf("%q makes no sense", line)
		}
	}
}

// part waits for the next part of the stream. ok is false at its end.
func (l *listener) part() (p sent, ok bool) {
	l.t.Helper()
	select {
	case p, ok = <-l.parts:
		return p, ok
	case <-time.After(5 * time.Minute):
		l.t.Fatal("nothing comes")
		return p, false
	}
}

// next waits for the next part of the stream that is not a comment.
func (l *listener) next() sent {
	l.t.Helper()
	for end := time.Now().Add(5 * time.Minute); ; {
		switch p, ok := l.part(); {
		case !ok:
			l.t.Fatalf("the stream has ended: %v", l.err)
		case p.comment == "":
			return p
		case time.Now().After(end):
			l.t.Fatal("nothing comes but comments")
		}
	}
}

// ends waits for the end, and returns the events that came before it.
func (l *listener) ends() (events []sent) {
	l.t.Helper()
	for {
		p, ok := l.part()
		if !ok {
			break
		}
		if p.event != "" {
			events = append(events, p)
		}
	}
	if l.err != nil {
		l.t.Errorf("the stream broke off: %v", l.err)
	}
	return events
}

// caller returns the admin, for operations.
func (f *frame) caller() service.Caller {
	return service.Caller{Account: f.account.ID, Role: desk.Admin, Scope: desk.ReadWrite, Actor: desk.Actor{ID: f.admin.ID, Name: f.admin.Name, Email: f.admin.Email, Source: desk.SourceAPI}}
}

// happen makes something happen, and puts it into the feed.
func (f *frame) happen(name string) {
	f.t.Helper()
	_, err := f.service.UpdateAccount(context.Background(), f.caller(), desk.AccountChange{Name: &name})
	f.must(err)
	f.number()
}

// number does what the sequencer does.
func (f *frame) number() {
	f.t.Helper()
	for more := true; more; {
		var err error
		more, err = f.store.Sequence(context.Background())
		f.must(err)
	}
}

// feed returns the whole feed after a position, each event as its JSON.
func (f *frame) feed(after string) (events []sent) {
	f.t.Helper()
	for {
		r := f.send("GET", "/v1/rest/events?limit=100&after="+after, "")
		wantStatus(f.t, r, 200)
		var page struct {
			Events   []json.RawMessage
			Metadata struct {
				Next *string `json:"next_cursor"`
			} `json:"response_metadata"`
		}
		f.must(json.Unmarshal([]byte(r.body), &page))
		for _, text := range page.Events {
			var e struct{ ID, Type string }
			f.must(json.Unmarshal(text, &e))
			events = append(events, sent{id: e.ID, event: e.Type, data: string(text)})
		}
		if page.Metadata.Next == nil {
			return events
		}
		after = *page.Metadata.Next
	}
}

func TestStream(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		f := newFrame(t, db)
		f.server.lookTime = time.Hour // it is woken, and does not look by itself
		f.serve()
		f.happen("before") // nobody hears this
		l := f.listen(streamPath)
		for name, want := range map[string]string{
			"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no", "X-Content-Type-Options": "nosniff",
		} {
			if got := l.header.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		if l.header.Get("X-Request-Id") == "" || l.header.Get("Content-Length") != "" {
			t.Errorf("the headers are %v", l.header)
		}
		begin := l.next()
		if begin.id == "" || begin != (sent{id: begin.id, retry: "3000"}) {
			t.Errorf("it begins with %+v", begin)
		}

		// A request with a public message, a private note, and things of another
		// account.
		admin := desk.Admin
		other, otherAdmin, err := f.service.NewAccount(context.Background(), "Globex", desk.NewMember{Email: "admin@globex.example", Role: &admin})
		f.must(err)
		theirs := service.Caller{Account: other.ID, Role: desk.Admin, Scope: desk.ReadWrite, Actor: desk.Actor{ID: otherAdmin.ID, Source: desk.SourceAPI}}
		name := "Globex, hidden"
		_, err = f.service.UpdateAccount(context.Background(), theirs, desk.AccountChange{Name: &name})
		f.must(err)
		wantStatus(t, f.send("POST", "/v1/rest/collections", `{"name":"API","kind":"api"}`), 201)
		made := f.send("POST", "/v1/rest/requests", `{"description":"The printer\nis \"on\" fire\u2028\r\n\r\ndata: x"}`)
		wantStatus(t, made, 201)
		var request struct{ Request struct{ ID string } }
		f.must(json.Unmarshal([]byte(made.body), &request))
		messages := "/v1/rest/requests/" + request.Request.ID + "/message"
		wantStatus(t, f.send("POST", messages, `{"html_body":"<p>hidden note</p>","is_private":true}`), 201)
		wantStatus(t, f.send("POST", messages, `{"html_body":"<p>Use water.</p>"}`), 201)
		wantStatus(t, f.send("POST", messages, `{"html_body":"<p>hidden note</p>","is_private":true}`), 201)
		f.number()
		f.happen("after")

		want := f.feed(begin.id)
		types := map[string]int{}
		for i, w := range want {
			got := l.next()
			if got != w {
				t.Errorf("event %d is %+v, want %+v", i, got, w)
			}
			if strings.Contains(got.data, "hidden") {
				t.Errorf("event %d shows what is hidden: %s", i, got.data)
			}
			types[got.event]++
		}
		if types["request.created"] != 1 || types["message.created"] == 0 || types["account.updated"] == 0 || types["note.created"] != 0 {
			t.Errorf("the events were %v", types)
		}
	})
}

// Where a stream begins.
func TestStreamPlaces(t *testing.T) {
	const begin, one, two, three, none = 0, 1, 2, 3, -1 // before the first event, after it…
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		for _, tt := range []struct {
			name          string
			after, header int
			want          int
		}{
			{"where it was lost before the first event", none, begin, begin},
			{"by the header", none, two, two},
			{"by the parameter", one, none, one},
			{"by both: the header wins", three, one, one},
			{"the end", none, three, three},
			{"nowhere: what happens next", none, none, three},
		} {
			t.Run(tt.name, func(t *testing.T) {
				f := newFrame(t, db).serve()
				lost := f.listen(streamPath)
				places := []string{lost.next().id}
				lost.close()
				for _, name := range []string{"one", "two", "three"} {
					f.happen(name)
				}
				for _, e := range f.feed(places[0]) {
					places = append(places, e.id)
				}
				path, header := streamPath, "Last-Event-ID: "
				if tt.after != none {
					path += "?after=" + places[tt.after]
				}
				if tt.header != none {
					header += places[tt.header]
				}
				l := f.listen(path, header)
				if got := l.next(); got.id != places[tt.want] || got.event != "" {
					t.Errorf("it begins with %+v, want %s", got, places[tt.want])
				}
				f.happen("next")
				for _, want := range f.feed(places[tt.want]) {
					if got := l.next(); got != want {
						t.Errorf("got %+v, want %+v", got, want)
					}
				}
			})
		}
		f := newFrame(t, db).serve()
		other := newFrame(t, db).serve().listen(streamPath).next().id // of another account
		good := f.listen(streamPath).next().id
		for name, r := range map[string]frameReply{
			"Last-Event-ID": f.send("GET", streamPath+"?after="+good, "", "Last-Event-ID: 17"),
			"after":         f.send("GET", streamPath+"?after="+other, ""),
		} {
			wantProblem(t, r, 400, "BAD_REQUEST")
			if want := name + " is not a position in this feed; give the id of an event."; !strings.Contains(r.body, want) {
				t.Errorf("%v does not say %q", r, want)
			}
		}
		// A browser reconnects to the same address, with its position.
		if got := f.listen(streamPath+"?after=17", "Last-Event-ID: "+good).next(); got.id != good {
			t.Errorf("got %+v, want %s", got, good)
		}
	})
}

// A client that loses the stream again and again, anywhere, while others write,
// gets every event once and in the order of the feed.
func TestStreamResumes(t *testing.T) {
	const writers, each = 3, 60
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		f := newFrame(t, db).serve()
		seed := rand.Uint64()
		random := rand.New(rand.NewPCG(seed, 0))
		t.Logf("seed %d", seed)
		ctx, cancel := context.WithCancel(context.Background())
		var running sync.WaitGroup
		defer running.Wait()
		defer cancel()
		running.Go(func() { f.store.RunSequencer(ctx, slog.New(slog.DiscardHandler)) })

		begin := f.listen(streamPath).next().id
		var got []sent
		var writing sync.WaitGroup
		defer writing.Wait()
		for w := range writers {
			writing.Go(func() {
				for i := range each {
					_, err := f.service.CreateMember(context.Background(), f.caller(), desk.NewMember{Email: fmt.Sprintf("m%d-%d@acme.example", w, i)})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		last, streams := begin, 0
		for ; len(got) < writers*each && !t.Failed(); streams++ {
			path, header := streamPath, "Last-Event-ID: "+last
			if random.IntN(2) == 0 {
				path, header = path+"?after="+url.QueryEscape(last), "Last-Event-ID:"
			}
			l := f.listen(path, header)
			last = l.next().id
			for range random.IntN(20) {
				if len(got) == writers*each {
					break
				}
				got = append(got, l.next())
				last = got[len(got)-1].id
			}
			l.close()
		}
		if want := f.feed(begin); !slices.Equal(got, want) {
			t.Errorf("%d streams gave %d events, the feed has %d", streams, len(got), len(want))
		}
	})
}

// When a token ends or a member is removed, their streams get nothing from then on.
func TestStreamEndsWithTheRight(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		for _, tt := range []struct {
			name string
			end  func(f *frame, m desk.Member, token desk.TokenID) error
		}{
			{"revoked", func(f *frame, m desk.Member, token desk.TokenID) error {
				c := f.caller()
				c.Actor.ID = m.ID
				_, err := f.service.DeleteToken(context.Background(), c, token)
				return err
			}},
			{"expired", func(f *frame, _ desk.Member, _ desk.TokenID) error { f.clock.move(2 * time.Hour); return nil }},
			{"removed", func(f *frame, m desk.Member, _ desk.TokenID) error {
				_, err := f.service.DeleteMember(context.Background(), f.caller(), m.ID)
				return err
			}},
			{"revoked by another process", func(f *frame, _ desk.Member, token desk.TokenID) error {
				return f.store.Write(context.Background(), f.account.ID, func(tx *store.Tx) error { return tx.RevokeToken(token) })
			}},
		} {
			t.Run(tt.name, func(t *testing.T) {
				f := newFrame(t, db).serve()
				admin := desk.Admin
				m, err := f.service.CreateMember(context.Background(), f.caller(), desk.NewMember{Email: "second@acme.example", Role: &admin})
				f.must(err)
				expires := f.clock.now().Add(time.Hour)
				token, err := f.service.NewToken(context.Background(), f.account.ID, m, desk.NewToken{Name: "test", Scope: desk.ReadOnly, ExpiresAt: desk.Just(expires)})
				f.must(err)
				f.number()
				l := f.listen(streamPath, "Authorization: Bearer "+token.Secret)
				l.next()
				f.happen("heard")
				if got := l.next(); !strings.Contains(got.data, "heard") {
					t.Errorf("got %+v", got)
				}
				f.must(tt.end(f, m, token.ID))
				if tt.name != "revoked by another process" { // noticed within a second
					f.happen("unheard")
				}
				for _, e := range l.ends() {
					t.Errorf("heard %+v", e)
				}
			})
		}
	})
}

// The web app listens with its session, as long as the session lasts.
func TestStreamEndsWithItsSession(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		f := newFrame(t, db).serve()
		made := desk.NewSession(desk.Member{ID: f.caller().Actor.ID}, desk.Visitor{}, f.clock.now())
		f.must(f.store.Write(context.Background(), f.account.ID, func(tx *store.Tx) error { return tx.AddToken(&made.Token) }))
		l := f.listen(streamPath, "Authorization: ", "Cookie: "+desk.SessionCookie(false)+"="+made.Secret)
		l.next()
		f.happen("heard")
		if got := l.next(); !strings.Contains(got.data, "heard") {
			t.Errorf("got %+v", got)
		}
		_, err := f.service.DeleteSession(context.Background(), f.caller(), made.ID)
		f.must(err)
		f.happen("unheard")
		for _, e := range l.ends() {
			t.Errorf("heard %+v", e)
		}
	})
}

// The web app is told that there is a private note, by ids alone. A token's stream and
// the feed are not, and both go on behind it.
func TestStreamTellsWebAppOfNotes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		f := newFrame(t, db).serve()
		web := f.listen(streamPath, "Authorization: ", "Cookie: "+desk.SessionCookie(false)+"="+f.newSession())
		begin := web.next()
		token := f.listen(streamPath)
		token.next()
		wantStatus(t, f.send("POST", "/v1/rest/collections", `{"name":"API","kind":"api"}`), 201)
		made := f.send("POST", "/v1/rest/requests", `{"description":"The printer is on fire"}`)
		wantStatus(t, made, 201)
		var request struct{ Request struct{ ID string } }
		f.must(json.Unmarshal([]byte(made.body), &request))
		wantStatus(t, f.send("POST", "/v1/rest/requests/"+request.Request.ID+"/message", `{"html_body":"<p>hidden note</p>","is_private":true}`), 201)
		f.number()
		f.happen("after")

		notes := 0
		for got := web.next(); !strings.Contains(got.data, "after"); got = web.next() {
			if strings.Contains(got.data, "hidden") {
				t.Errorf("the note's text is told: %+v", got)
			}
			if got.event != "note.created" {
				continue
			}
			notes++
			var told struct {
				Data struct {
					Message struct {
						RequestID int64 `json:"request_id"`
						IsPrivate bool  `json:"is_private"`
						Text      string
					}
				}
			}
			f.must(json.Unmarshal([]byte(got.data), &told))
			if m := told.Data.Message; fmt.Sprint(m.RequestID) != request.Request.ID || !m.IsPrivate || m.Text != "" {
				t.Errorf("told %s", got.data)
			}
		}
		if notes != 1 {
			t.Errorf("the web app was told of %d notes", notes)
		}
		for _, want := range f.feed(begin.id) {
			if want.event == "note.created" {
				t.Errorf("the feed has %+v", want)
			}
			if got := token.next(); got != want {
				t.Errorf("a token is told %+v, want %+v", got, want)
			}
		}
	})
}

// When the server stops, streams end normally.
func TestStreamEndsAtShutdown(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		f := newFrame(t, db)
		stopping, stop := context.WithCancel(context.Background())
		f.server.stopping = stopping
		f.serve()
		l := f.listen(streamPath)
		l.next()
		stop()
		l.ends()
	})
}

// When the server drains, each stream ends within the time that it has. Until then it
// goes on, and a stop ends it at once.
func TestStreamEndsInADrain(t *testing.T) {
	const years = 1 << 60
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		for _, spread := range []time.Duration{0, years} {
			f := newFrame(t, db)
			stopping, stop := context.WithCancel(context.Background())
			draining, drain := context.WithCancel(context.Background())
			defer stop()
			f.server.stopping, f.server.draining, f.server.spread = stopping, draining, spread
			f.serve()
			l := f.listen(streamPath)
			l.next()
			drain()
			if spread == years {
				f.happen("heard in the drain")
				if got := l.next(); !strings.Contains(got.data, "heard in the drain") {
					t.Errorf("got %+v", got)
				}
				stop()
			}
			l.ends()
		}
	})
}

// pipes is a listener whose connections hold nothing: a writer waits for the
// reader.
type pipes struct{ conns chan net.Conn }

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (p pipes) Close() error   { close(p.conns); return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// A client that does not read is given up. Until then no more than a few events are
// held for it.
func TestStreamIsNotRead(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		for _, tt := range []struct {
			name      string
			writeTime time.Duration
			end       func(f *frame, stop func())
		}{
			{"for too long", 50 * time.Millisecond, func(*frame, func()) {}},
			{"when the server stops", time.Hour, func(_ *frame, stop func()) { stop() }},
			{"when the token is revoked", time.Hour, func(f *frame, _ func()) {
				list, err := f.service.Tokens(context.Background(), f.caller(), desk.Page{Limit: 1})
				f.must(err)
				_, err = f.service.DeleteToken(context.Background(), f.caller(), list.Items[0].ID)
				f.must(err)
			}},
		} {
			t.Run(tt.name, func(t *testing.T) {
				f := newFrame(t, db)
				stopping, stop := context.WithCancel(context.Background())
				defer stop()
				f.server.stopping, f.server.writeTime = stopping, tt.writeTime
				ours, theirs := net.Pipe()
				defer ours.Close()
				listening := pipes{make(chan net.Conn, 1)}
				listening.conns <- theirs
				closed := make(chan struct{})
				server := &http.Server{Handler: f.handler, ConnState: func(_ net.Conn, s http.ConnState) {
					if s == http.StateClosed {
						close(closed)
					}
				}}
				defer server.Close()
				go server.Serve(listening)
				f.must(f.request("GET", streamPath, nil).Write(ours))
				// The client reads the beginning, and nothing after it.
				w, err := http.ReadResponse(bufio.NewReaderSize(ours, 16), nil)
				f.must(err)
				f.must(readParts(w.Body, func(sent) bool { return false }))
				for i := range 3 {
					f.happen("unread " + strconv.Itoa(i))
				}
				tt.end(f, stop)
				select {
				case <-closed:
				case <-time.After(5 * time.Minute):
					t.Fatal("the stream goes on")
				}
				f.server.streams.mu.Lock()
				defer f.server.streams.mu.Unlock()
				if len(f.server.streams.open) != 0 {
					t.Errorf("streams are open: %v", f.server.streams.open)
				}
			})
		}
	})
}

// A stream on which nothing happens shows that it is alive.
func TestStreamBeats(t *testing.T) {
	f := newFrame(t, dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite)}))
	f.server.beatTime = 10 * time.Millisecond
	l := f.serve().listen(streamPath)
	l.next()
	for range 3 {
		if p, ok := l.part(); !ok || p != (sent{comment: "still here"}) {
			t.Errorf("got %+v, %v", p, l.err)
		}
	}
}

// The number of streams of a token is limited.
func TestStreamsOfOneToken(t *testing.T) {
	f := frameOnSQLite(t)
	var all []*listener
	for range mostStreams {
		all = append(all, f.listen(streamPath))
	}
	for _, l := range all {
		l.next()
	}
	r := f.send("GET", streamPath, "")
	wantProblem(t, r, 429, "RATE_LIMITED")
	if !strings.Contains(r.body, "This token already has 20 open event streams, which is the maximum.") || r.header.Get("Retry-After") != "3" {
		t.Errorf("%v, Retry-After: %s", r, r.header.Get("Retry-After"))
	}
	if r := f.send("HEAD", streamPath, ""); r.status != 200 || r.header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("HEAD, which opens none: %v", r)
	}
	f.listen(streamPath, "Authorization: Bearer "+f.newToken(desk.NewToken{Name: "second", Scope: desk.ReadOnly})).next()
	all[7].close()
	// The server may notice this only after a while.
	for end := time.Now().Add(5 * time.Minute); f.server.streams.take(f.tokenID()) != nil; {
		if time.Now().After(end) {
			t.Fatal("a stream that was closed still counts")
		}
	}
	f.server.streams.release(f.tokenID())
	f.listen(streamPath).next()
}

// tokenID returns the id of the frame's token.
func (f *frame) tokenID() desk.TokenID {
	f.t.Helper()
	c, err := f.service.Authenticate(context.Background(), f.secret)
	f.must(err)
	return c.Token
}

// A call that lasts for hours would distort the metrics of calls.
func TestStreamIsObservedWhenItBegins(t *testing.T) {
	f := frameOnSQLite(t)
	l := f.listen(streamPath)
	l.next()
	if o := f.answered(); o.Operation != desk.StreamEvents || o.Status != 200 || o.Method != "GET" {
		t.Errorf("observed %+v", o)
	}
	l.close()
	f.send("GET", "/v1/rest/account", "")
	if o := f.answered(); o.Operation != desk.GetAccount {
		t.Errorf("observed %+v, too", o)
	}
}

// Another process that numbers events in the same SQLite file rings no bell here.
// The events come all the same.
func TestStreamNeedsNoBell(t *testing.T) {
	url := dbtest.URL(t, sqldb.SQLite)
	f := newFrame(t, dbtest.Open(t, sqldb.Config{URL: url})).serve()
	l := f.listen(streamPath)
	l.next()
	elsewhere := store.New(dbtest.Open(t, sqldb.Config{URL: url}), scriptKey, time.Now)
	name := "unrung"
	_, err := f.service.UpdateAccount(context.Background(), f.caller(), desk.AccountChange{Name: &name})
	f.must(err)
	_, err = elsewhere.Sequence(context.Background())
	f.must(err)
	if got := l.next(); !strings.Contains(got.data, "unrung") {
		t.Errorf("got %+v", got)
	}
}

// A stream does not end while the database is gone, because a browser that is
// refused does not reconnect.
func TestStreamOutlivesItsDatabase(t *testing.T) {
	proxy, address := dbtest.StartProxy(t, dbtest.URL(t, sqldb.Postgres))
	db := dbtest.Open(t, sqldb.Config{URL: address + "&connect_timeout=3", WriteTimeout: 5 * time.Second, Log: slog.New(slog.DiscardHandler)})
	f := newFrame(t, db)
	f.server.beatTime = lookTime + time.Second // so that it looks between two beats
	l := f.serve().listen(streamPath)
	l.next()
	proxy.Set(func() { proxy.Cut = true })
	for range 2 {
		if p, ok := l.part(); !ok || p.comment == "" {
			t.Fatalf("got %+v, %v", p, l.err)
		}
	}
	proxy.Set(func() { proxy.Cut = false })
	name := "back"
	for end := time.Now().Add(5 * time.Minute); ; {
		_, err := f.service.UpdateAccount(context.Background(), f.caller(), desk.AccountChange{Name: &name})
		if err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	f.number()
	if got := l.next(); !strings.Contains(got.data, "back") {
		t.Errorf("got %+v", got)
	}
}

// An agent gets the events of requests in their collections, and skips the others.
func TestStreamReach(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		f := newFrame(t, db).serve()
		here, err := f.service.CreateCollection(context.Background(), f.caller(), desk.NewCollection{Name: "Here", Kind: desk.APICollection})
		f.must(err)
		there, err := f.service.CreateCollection(context.Background(), f.caller(), desk.NewCollection{Name: "There", Kind: desk.APICollection})
		f.must(err)
		agent := desk.Agent
		m, err := f.service.CreateMember(context.Background(), f.caller(), desk.NewMember{Email: "agent@acme.example", Role: &agent,
			Collections: &[]desk.CollectionID{here.ID}})
		f.must(err)
		token, err := f.service.NewToken(context.Background(), f.account.ID, m, desk.NewToken{Name: "test", Scope: desk.ReadOnly})
		f.must(err)
		l := f.listen(streamPath, "Authorization: Bearer "+token.Secret)
		f.happen("of the account")
		for _, col := range []desk.CollectionID{there.ID, here.ID} {
			title := map[desk.CollectionID]string{here.ID: "heard", there.ID: "unheard"}[col]
			_, err := f.service.CreateRequest(context.Background(), f.caller(), desk.NewRequest{Collection: &col, Title: &title, Description: "x"})
			f.must(err)
		}
		f.number()
		got := l.next()
		for got.data == "" {
			got = l.next()
		}
		if !strings.Contains(got.data, `"title":"heard"`) {
			t.Errorf("got %+v", got)
		}
		if got = l.next(); !strings.Contains(got.data, "ticket.created") {
			t.Errorf("got %+v", got)
		}
	})
}
