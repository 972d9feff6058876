package rest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

const (
	batchPath = "/v1/rest/requests/batch"
	oldOne    = `{"title":"T","requester":{"name":"O"},"created_at":"2025-11-03"}`
)

// withAPI adds an API collection to the account of a frame.
func withAPI(f *frame) *frame {
	f.t.Helper()
	wantStatus(f.t, f.send("POST", "/v1/rest/collections", `{"name":"API","kind":"api"}`), 201)
	return f
}

// oldWith returns a request with n messages of the same text.
func oldWith(n int, text string) string {
	m := fmt.Sprintf(`{"text":%q,"is_responder":false,"created_at":"2025-11-03"}`, text)
	return `{"title":"T","requester":{"name":"O"},"created_at":"2025-11-03","messages":[` + strings.TrimSuffix(strings.Repeat(m+",", n), ",") + `]}`
}

func batchOf(items ...string) string { return `{"requests":[` + strings.Join(items, ",") + `]}` }

// requestCount counts the requests of a frame, up to a page of them.
func (f *frame) requestCount() int {
	f.t.Helper()
	var l struct{ Requests []json.RawMessage }
	f.must(json.Unmarshal([]byte(f.send("GET", "/v1/rest/requests?limit=100", "").body), &l))
	return len(l.Requests)
}

func TestMostImportedMessages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		f := withAPI(newFrame(t, db).serve())
		r := f.send("POST", batchPath, batchOf(oldOne, oldWith(desk.MostImportedMessages+1, "x")))
		wantStatus(t, r, 400)
		if !strings.Contains(r.body, `{"index":1,"field":"messages","message":"must have at most 1000 items; there are 1001"}`) {
			t.Errorf("got %v", r)
		}
		full := oldWith(desk.MostImportedMessages, "x")
		ten := []string{full, full, full, full, full, full, full, full, full, full}
		r = f.send("POST", batchPath, batchOf(append(ten, oldWith(1, "x"))...))
		wantStatus(t, r, 400)
		if !strings.Contains(r.body, `{"field":"requests","message":"must have at most 10000 messages together; there are 10001"}`) {
			t.Errorf("got %v", r)
		}
		if n := f.requestCount(); n != 0 {
			t.Errorf("%d requests", n)
		}
		began := time.Now()
		wantStatus(t, f.send("POST", batchPath, batchOf(append(ten, oldOne)...)), 201)
		t.Logf("10,000 messages in %v", time.Since(began))
		if n := f.requestCount(); n != 11 {
			t.Errorf("%d requests", n)
		}
	})
}

// The largest body, full of text, and one byte more.
func TestImportSize(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		f := withAPI(newFrame(t, db).serve())
		text := strings.Repeat("0123456 é 89abcd ", 7000)
		items := make([]string, 0, desk.MostImported)
		for range desk.MostImported {
			items = append(items, oldWith(10, text))
		}
		body := batchOf(items...)
		if len(body) > mostImport || len(body) < mostImport*7/8 {
			t.Fatalf("the body has %d bytes", len(body))
		}
		padded := func(body string, size int) string { return body + strings.Repeat(" ", size-len(body)) }
		send := func(body string, size int64) frameReply {
			r := f.request("POST", batchPath, strings.NewReader(body))
			r.ContentLength, r.Body = size, io.NopCloser(strings.NewReader(body))
			return f.do(r)
		}
		for _, size := range []int64{mostImport + 1, -1} { // -1 is sent in chunks
			wantProblem(t, send(padded(batchOf(oldOne), mostImport+1), size), 413, "PAYLOAD_TOO_LARGE")
		}
		if n := f.requestCount(); n != 0 {
			t.Errorf("%d requests", n)
		}
		began := time.Now()
		wantStatus(t, send(padded(body, mostImport), -1), 201)
		t.Logf("64 MiB in %v", time.Since(began))
		if n := f.requestCount(); n != desk.MostImported {
			t.Errorf("%d requests", n)
		}
		if n := f.server.importing.Load(); n != 0 {
			t.Errorf("%d bytes are still being imported", n)
		}
		large := strings.Repeat("x", mostImportPart)
		wantProblem(t, f.send("POST", batchPath, batchOf(oldOne, oldWith(1, large))), 413, "PAYLOAD_TOO_LARGE")
		wantProblem(t, f.send("POST", batchPath, batchOf(oldOne, strings.Replace(oldOne, "{", `{"`+large+`":1,`, 1))), 413, "PAYLOAD_TOO_LARGE")
		wantProblem(t, f.send("POST", batchPath, `{"x":"`+large+`","requests":[]}`), 413, "PAYLOAD_TOO_LARGE")
	})
}

// A request is read as soon as it has arrived, not when all of them have. The rest
// may take any time.
func TestImportIsReadAsItComes(t *testing.T) {
	from, to := io.Pipe()
	it := newItems(from, false, new(atomic.Int64))
	send := func(text string) {
		if _, err := io.WriteString(to, text); err != nil {
			t.Error(err)
		}
	}
	for i := range 3 {
		go send([]string{`{"requests": [`, ", ", ","}[i] + oldWith(2, fmt.Sprint("text ", i)))
		n, err := it.next()
		if err != nil || len(n.Messages) != 2 || *n.Messages[1].Text != fmt.Sprint("text ", i) || n.Problem != nil {
			t.Fatalf("%d is %+v, %v", i, n, err)
		}
	}
	go func() {
		send("]}")
		to.Close()
	}()
	if _, err := it.next(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	if _, err := it.next(); err != io.EOF {
		t.Errorf("behind the end: %v", err)
	}
	// The decoder holds no more than a part.
	if held, _ := io.ReadAll(it.json.Buffered()); len(held) > 0 {
		t.Errorf("%q is left", held)
	}
}

func TestImportsNeedRoom(t *testing.T) {
	f := withAPI(frameOnSQLite(t))
	f.server.importing.Store(mostImporting - 10)
	r := f.send("POST", batchPath, batchOf(oldOne), "Idempotency-Key: k")
	wantProblem(t, r, 503, "UNAVAILABLE")
	if r.header.Get("Retry-After") == "" {
		t.Error("it is not said when to come back")
	}
	f.server.importing.Store(0)
	wantStatus(t, f.send("POST", batchPath, batchOf(oldOne), "Idempotency-Key: k"), 201)
	wantStatus(t, f.send("POST", batchPath, batchOf(oldOne), "Idempotency-Key: k"), 201)
	wantStatus(t, f.send("POST", batchPath, `{"requests":[{}]}`), 400)
	wantStatus(t, f.send("POST", batchPath, `{"requests":[`), 400)
	if n := f.server.importing.Load(); n != 0 {
		t.Errorf("%d bytes are still being imported", n)
	}
	if n := f.requestCount(); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// An import that ends in the middle of the body imports nothing.
func TestAbandonedImport(t *testing.T) {
	f := withAPI(frameOnSQLite(t))
	r := f.request("POST", batchPath, io.MultiReader(strings.NewReader(`{"requests":[`+oldOne+`,`), iotest.ErrReader(io.ErrClosedPipe)))
	r.ContentLength = -1
	if reply, err := f.try(r); err == nil && reply.status == 201 {
		t.Errorf("got %v", reply)
	}
	for o := range f.calls {
		if o.Operation == desk.ImportRequests {
			if o.Status != 400 {
				t.Errorf("it was answered %d", o.Status)
			}
			break
		}
	}
	if n := f.requestCount(); n != 0 {
		t.Errorf("%d requests", n)
	}
	if n := f.server.importing.Load(); n != 0 {
		t.Errorf("%d bytes are still being imported", n)
	}
}

// printed returns the fingerprint of a body.
func printed(body io.Reader) ([]byte, error) {
	return newItems(body, true, new(atomic.Int64)).fingerprint()
}

// Any input is read without harm. Input that is read to its end was a JSON object
// with a list, however it is cut into pieces, and every such object is read to its
// end.
func FuzzItems(f *testing.F) {
	for _, seed := range []string{batchOf(), batchOf(oldOne, oldWith(3, "é\u202e")), `{"a":[1,{"b":null}],"requests":[1,"x",[2,{}],{"messages":{"a":[]}},{"messages":null}],"c":-1.5e3}`,
		`{"requests":[{"title":"\ud83d\ude80\u00e9\\\""}]}`, "{\"requests\" \t\r\n: [ { } , null ] }  ", `{"requests":[]}x`, `{"requests":[`, "{\"\xff\":1,\"requests\":[]}", `{"requests":[{"a" "b"}]}`, `{"requests":[1 2]}`, `{"requests":["\u0000"]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) > 1<<16 {
			return // a part may be too large
		}
		got, err := printed(bytes.NewReader(body))
		slow, slowly := printed(iotest.OneByteReader(bytes.NewReader(body)))
		if !bytes.Equal(got, slow) || (err == nil) != (slowly == nil) {
			t.Fatalf("%x, %v at once; %x, %v byte by byte", got, err, slow, slowly)
		}
		var whole map[string]json.RawMessage
		var list []json.RawMessage
		good := utf8.Valid(body) && json.Unmarshal(body, &whole) == nil && json.Unmarshal(whole["requests"], &list) == nil && list != nil
		if err == nil && !good {
			t.Fatalf("it was read to its end")
		}
		if err != nil && desk.KindOf(err) == desk.Internal {
			t.Fatalf("%v is no error for a caller", err)
		}
		if err != nil && good && !hasNUL(body) && !hasHalfPair(body) && !strings.Contains(err.Error(), "twice") {
			t.Fatalf("it was not read: %v", err)
		}
		// The same content written differently has the same fingerprint.
		if err == nil {
			other, e := printed(bytes.NewReader(canonical(body)))
			if e != nil || !bytes.Equal(other, got) {
				t.Fatalf("in other words it is another: %v", e)
			}
		}
	})
}

// Two bodies are the same exactly if their content is.
func TestItemsFingerprint(t *testing.T) {
	const body = `{"n":1,"requests":[{"title":"A","messages":[{"text":"x"},{"text":"y"}]},{"title":"B"},5]}`
	want, err := printed(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, same := range []string{
		`{"requests": [ {"messages":[{"text":"x"},{"te\u0078t":"y"}], "title":"\u0041"} , {"title":"B"},5], "n":1}`,
		`{"n":2,"requests":[{"title":"C","title":"A","messages":[{"text":"z","text":"x"},{"text":"y"}]},{"title":"B"},5],"n":1}`,
		`{"n":1,"requests":[{"title":"A","messages":[],"messages":[{"text":"x"},{"text":"y"}]},{"title":"B"},5]}`,
	} {
		if got, err := printed(strings.NewReader(same)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is another (%v)", same, err)
		}
	}
	seen := map[string]string{string(want): body}
	for _, other := range []string{
		`{"n":1,"requests":[]}`, `{"requests":[]}`, `{"n":1,"requests":[[]]}`, `{"n":1,"requests":[{}]}`, `{"n":1,"requests":[null]}`, `{"n":1,"requests":[{"messages":[]}]}`, `{"n":1,"requests":[{"messages":null}]}`, `{"n":1,"requests":[{"messages":{}}]}`,
		strings.Replace(body, `"n":1`, `"n":2`, 1), strings.Replace(body, `"n"`, `"m"`, 1), strings.Replace(body, `"x"`, `"X"`, 1), strings.Replace(body, ",5", "", 1), strings.Replace(body, ",5", ",6", 1),
		strings.Replace(body, `{"title":"B"},5`, `5,{"title":"B"}`, 1), strings.Replace(body, `{"text":"x"},{"text":"y"}`, `{"text":"y"},{"text":"x"}`, 1), strings.Replace(body, `{"text":"x"},{"text":"y"}`, `{"text":"x"}`, 1),
		strings.Replace(body, `{"text":"y"}]},{"title":"B"`, `{"text":"y"},{"title":"B"}]`, 1), strings.Replace(body, `"title":"B"`, `"title":"B","messages":[]`, 1),
	} {
		got, err := printed(strings.NewReader(other))
		if err != nil {
			t.Errorf("%s: %v", other, err)
			continue
		}
		if twin, twice := seen[string(got)]; twice {
			t.Errorf("%s is taken for %s", other, twin)
		}
		seen[string(got)] = other
	}
	if len(want) != sha256.Size {
		t.Errorf("%d bytes", len(want))
	}
}

// Any amount of space between tokens is dropped. Text that is not UTF-8 is found
// wherever the pieces are cut.
func TestTidy(t *testing.T) {
	read := func(from io.Reader) (string, error) {
		b, err := io.ReadAll(&tidy{from: from, count: func(int) error { return nil }, limit: 1 << 30})
		return string(b), err
	}
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"  \t\r\n [ 1 ,\n\n  2 ] ", " [ 1 , 2 ] "},
		{`{"a  b" : "\"  \\" , "c" :  3}`, `{"a  b" : "\"  \\" , "c" : 3}`},
		{`"é  ` + "\u2003\u2003" + `🚀"   `, `"é  ` + "\u2003\u2003" + `🚀" `},
		{strings.Repeat(" ", 100_000) + "1", " 1"},
		{`"` + strings.Repeat("é", 50_000) + `"`, `"` + strings.Repeat("é", 50_000) + `"`},
	} {
		for name, from := range map[string]io.Reader{"at once": strings.NewReader(c.in), "byte by byte": iotest.OneByteReader(strings.NewReader(c.in)),
			"by halves": iotest.HalfReader(strings.NewReader(c.in)), "with its end": iotest.DataErrReader(strings.NewReader(c.in))} {
			if got, err := read(from); err != nil || got != c.want {
				t.Errorf("%.40q %s: %.40q, %v", c.in, name, got, err)
			}
		}
	}
	for _, in := range []string{"\xff", "\"\xc3\"", "\xe2\x82", strings.Repeat("x", 32<<10-1) + "\xe2\x82", strings.Repeat("x", 32<<10-1) + "\xc3x"} {
		if _, err := read(strings.NewReader(in)); err != errNotUTF8 {
			t.Errorf("%.10q: %v", in, err)
		}
	}
}

// The path is not taken for the id of a request.
func TestBatchIsNoID(t *testing.T) {
	f := withAPI(frameOnSQLite(t))
	for method, allow := range map[string]string{"GET": "POST", "PATCH": "POST", "DELETE": "POST"} {
		r := f.send(method, batchPath, "{}")
		wantProblem(t, r, http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED")
		if got := r.header.Get("Allow"); got != allow {
			t.Errorf("%s: Allow is %q", method, got)
		}
	}
}
