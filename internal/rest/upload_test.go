package rest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// uploads is a stage with an API collection.
type uploads struct {
	*stage
	t      testing.TB
	folder string
}

func newUploads(t *testing.T) *uploads {
	return uploadsOn(t, dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite)}))
}

func uploadsOn(t testing.TB, db *sqldb.DB) *uploads {
	u := &uploads{stage: newStage(t, db, scriptRate{}), t: t}
	u.folder = u.blobs
	_, err := u.service.CreateCollection(context.Background(), u.callers["admin"].Caller, desk.NewCollection{Name: "API", Kind: desk.APICollection})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// If the store for files fails, callers are told to try again. What has no file works.
func TestUploadWithoutAStore(t *testing.T) {
	u := newUploads(t)
	texts := map[string]string{"description": "x"}
	if err := errors.Join(os.RemoveAll(u.folder), os.WriteFile(u.folder, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	r, body := u.send("admin", "", texts, filed{"attachments", "a.txt", "text/plain", strings.NewReader("hello")})
	if r.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, "Try again later") {
		t.Errorf("answered %s %s", r.Status, body)
	}
	if r, body := u.send("admin", "", texts); r.StatusCode != http.StatusCreated {
		t.Errorf("without a file: %s %s", r.Status, body)
	}
}

// filed is a file in a form.
type filed struct {
	field, name, media string
	content            io.Reader
}

// send makes a request with a form.
func (u *uploads) send(as, key string, texts map[string]string, files ...filed) (*http.Response, string) {
	u.t.Helper()
	return u.sendTo("/v1/rest/requests", as, key, texts, files...)
}

func (u *uploads) sendTo(path, as, key string, texts map[string]string, files ...filed) (*http.Response, string) {
	u.t.Helper()
	body, out := io.Pipe()
	w := multipart.NewWriter(out)
	go func() {
		for name, text := range texts {
			w.WriteField(name, text)
		}
		for _, f := range files {
			h := textproto.MIMEHeader{}
			h.Set("Content-Disposition", fmt.Sprintf(`form-data; name=%q; filename="%s"`, f.field, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(f.name)))
			if f.media != "" {
				h.Set("Content-Type", f.media)
			}
			part, err := w.CreatePart(h)
			if err == nil {
				_, err = io.Copy(part, f.content)
			}
			if err != nil {
				out.CloseWithError(err)
				return
			}
		}
		out.CloseWithError(w.Close())
	}()
	r, err := http.NewRequest("POST", u.server.URL+path, body)
	if err != nil {
		u.t.Fatal(err)
	}
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("Authorization", "Bearer "+u.callers[as].secret)
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	res, text, err := u.do(r)
	if err != nil {
		u.t.Fatal(err)
	}
	return res, text
}

// stored counts the stored files.
func (u *uploads) stored() (n int) {
	u.t.Helper()
	err := filepath.WalkDir(u.folder, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			n++
		}
		return err
	})
	if err != nil {
		u.t.Fatal(err)
	}
	return n
}

func (u *uploads) get(as, path string, header ...string) (*http.Response, string) {
	u.t.Helper()
	r, err := http.NewRequest("GET", u.server.URL+"/v1/rest"+path, nil)
	if err != nil {
		u.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+u.callers[as].secret)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, text, err := u.do(r)
	if err != nil {
		u.t.Fatal(err)
	}
	return res, text
}

// attachments returns the attachments of a new request's first message.
func (u *uploads) attachments(created string) []struct {
	ID         int64
	Name, Type string
	Size       int64
} {
	u.t.Helper()
	var made struct{ Request struct{ ID string } }
	var got struct {
		Request struct {
			Messages []struct {
				Attachments []struct {
					ID         int64
					Name, Type string
					Size       int64
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(created), &made); err != nil {
		u.t.Fatal(err)
	}
	_, text := u.get("admin", "/requests/"+made.Request.ID+"?include=messages")
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		u.t.Fatal(err)
	}
	return got.Request.Messages[0].Attachments
}

func nulls(n int64) io.Reader { return io.LimitReader(zeros{}, n) }

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// A form creates a request with its files. Each file is returned byte for byte, to
// be saved and never run.
func TestFilesComeBack(t *testing.T) {
	u := newUploads(t)
	page := "<html><script>alert(1)</script>"
	res, created := u.send("agent", "", map[string]string{"description": "<p>See the files.</p>", "title": "Files", "priority": "high", "unknown": "x"},
		filed{"attachments", `..\..\etc/evil"; x=y.html`, "text/html; charset=utf-8", strings.NewReader(page)},
		filed{"attachments", "invoice\u202egpj.\u200bexe", "", strings.NewReader("")},
		filed{"other", "dropped.txt", "text/plain", strings.NewReader("nobody asked for it")})
	if res.StatusCode != http.StatusCreated {
		t.Fatalf("%d %s", res.StatusCode, created)
	}
	files := u.attachments(created)
	if len(files) != 2 || files[0].Name != `evil"; x=y.html` || files[0].Type != "text/html" || files[0].Size != int64(len(page)) || files[1].Size != 0 || files[1].Name != "invoicegpj.exe" || files[1].Type != "application/octet-stream" {
		t.Fatalf("the files are %+v", files)
	}
	if n := u.stored(); n != 2 {
		t.Errorf("%d files are kept", n)
	}
	path := fmt.Sprintf("/attachments/%d", files[0].ID)
	res, text := u.get("viewer read-only", path)
	h := res.Header
	if text != page || res.StatusCode != 200 || h.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(h.Get("Content-Disposition"), "attachment;") ||
		h.Get("Content-Security-Policy") != "default-src 'none'; sandbox" || h.Get("Content-Type") != "text/html" || h.Get("Accept-Ranges") != "bytes" ||
		h.Get("Etag") != fmt.Sprintf("%q", fmt.Sprint(files[0].ID)) {
		t.Errorf("%d %q %v", res.StatusCode, text, h)
	}
	for ask, want := range map[string]string{"bytes=0-5": "206 <html>", "bytes=-3": "206 pt>", "bytes=999-": "416 "} {
		res, text := u.get("admin", path, "Range", ask)
		if got := fmt.Sprintf("%d %s", res.StatusCode, text); !strings.HasPrefix(got, want) || res.StatusCode == 206 && got != want {
			t.Errorf("%s gives %s, want %s", ask, got, want)
		}
	}
	for as, want := range map[string]int{"other admin": 404, "nobody": 403, "agent": 200} {
		if res, text := u.get(as, path); res.StatusCode != want {
			t.Errorf("%s gets %d %s", as, res.StatusCode, text)
		}
	}
	if res, _ := u.get("admin", "/attachments/x"); res.StatusCode != 400 {
		t.Errorf("an id that is none gives %d", res.StatusCode)
	}
}

// A refused form leaves no file, whatever came before it.
func TestRefusedFormsLeaveNothing(t *testing.T) {
	u := newUploads(t)
	good := map[string]string{"description": "x"}
	small := func(n int) (files []filed) {
		for i := range n {
			files = append(files, filed{"attachments", fmt.Sprint(i), "", strings.NewReader("small")})
		}
		return files
	}
	for name, c := range map[string]struct {
		texts  map[string]string
		files  []filed
		status int
		want   string
	}{
		"six files":             {good, small(6), 400, `"field":"attachments","message":"must be at most 5 files"`},
		"one byte too many":     {good, append(small(1), filed{"attachments", "large", "", nulls(desk.MostFile + 1)}), 413, "larger than 100 MB"},
		"no description":        {nil, small(2), 400, `"field":"description","message":"is required"`},
		"a long description":    {map[string]string{"description": strings.Repeat("x", 4001)}, small(1), 400, "4001"},
		"a text where files go": {map[string]string{"description": "x", "attachments": "x"}, small(1), 400, "must be files"},
		"a bad priority":        {map[string]string{"description": "x", "priority": "medium"}, small(1), 400, "low, normal, high, urgent"},
	} {
		t.Run(name, func(t *testing.T) {
			res, text := u.send("admin", "", c.texts, c.files...)
			if res.StatusCode != c.status || !strings.Contains(text, c.want) {
				t.Errorf("%d %s", res.StatusCode, text)
			}
			if n := u.stored(); n != 0 {
				t.Errorf("%d files are left", n)
			}
		})
	}
	res, created := u.send("admin", "", good, append(small(4), filed{"attachments", "largest", "", nulls(desk.MostFile)})...)
	if files := u.attachments(created); res.StatusCode != 201 || len(files) != 5 || files[4].Size != desk.MostFile {
		t.Errorf("five files, one of them the largest: %d %s", res.StatusCode, created)
	}
}

// A client that disconnects in the middle leaves nothing.
func TestAbandonedFormLeavesNothing(t *testing.T) {
	u := newUploads(t)
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	w.WriteField("description", "x")
	part, _ := w.CreateFormFile("attachments", "a")
	part.Write([]byte("the beginning"))
	r, _ := http.NewRequest("POST", u.server.URL+"/v1/rest/requests", io.MultiReader(&b, broken{}))
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("Authorization", "Bearer "+u.callers["admin"].secret)
	if _, text, err := u.do(r); err == nil {
		t.Errorf("an answer came: %s", text)
	}
	for deadline := time.Now().Add(5 * time.Minute); u.stored() != 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d files are left", u.stored())
		}
	}
}

// The store may notice first that the client has gone. The files stored before are
// removed all the same, and no fault of ours is reported.
func TestClientGoneWhileStoring(t *testing.T) {
	u := newUploads(t)
	var begin bytes.Buffer
	w := multipart.NewWriter(&begin)
	for _, name := range []string{"a", "b"} {
		part, _ := w.CreateFormFile("attachments", name)
		part.Write([]byte("the beginning"))
	}
	ctx, leave := context.WithCancel(t.Context())
	left := onRead(func() {
		if n := u.stored(); n != 2 {
			t.Errorf("%d files are there in the middle of the second", n)
		}
		leave()
	})
	r := httptest.NewRequestWithContext(ctx, "POST", "/v1/rest/requests", io.MultiReader(&begin, left, nulls(1<<20)))
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("Authorization", "Bearer "+u.callers["admin"].secret)
	res := httptest.NewRecorder()
	u.server.Config.Handler.ServeHTTP(res, r)
	if res.Code != http.StatusBadRequest {
		t.Errorf("%d %s", res.Code, res.Body)
	}
	if n := u.stored(); n != 0 {
		t.Errorf("%d files are left", n)
	}
}

// onRead does something when it is read, and returns nothing.
type onRead func()

func (do onRead) Read([]byte) (int, error) {
	do()
	return 0, io.EOF
}

// A client that keeps sending a refused form gets its response in the end, but is
// not read for ever.
func TestRefusedFormIsReadForAWhile(t *testing.T) {
	f := newFrame(t, dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite)}), func(*frame) route {
		return route{method: "POST", path: "/upload", op: desk.CreateMember, body: formBody, do: func(c *call) (any, error) {
			return withFiles(c, "files", func(upload) (any, error) { return nil, errors.New("it was not refused") })
		}}
	})
	f.server.drainTime = 50 * time.Millisecond
	f.serve()
	begin := strings.TrimSuffix(encodeForm("b", formPart{"note", "", strings.Repeat("x", mostText+1)}), "\r\n--b--\r\n")
	for name, length := range map[string]int64{"in the middle": mostForm, "by its length": mostForm + 1} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", strings.TrimPrefix(f.url, "http://"))
			f.must(err)
			var sending sync.WaitGroup
			defer sending.Wait()
			defer conn.Close()
			sending.Go(func() {
				fmt.Fprintf(conn, "POST /v1/rest/upload HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nIdempotency-Key: k\r\n"+
					"Authorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", f.secret, length, begin)
				for err := error(nil); err == nil; time.Sleep(time.Millisecond) { // a slow client
					_, err = conn.Write([]byte("x"))
				}
			})
			in := bufio.NewReader(conn)
			res, err := http.ReadResponse(in, nil)
			f.must(err)
			text, err := io.ReadAll(res.Body)
			f.must(err)
			if res.StatusCode != http.StatusRequestEntityTooLarge || !res.Close || !strings.Contains(string(text), "PAYLOAD_TOO_LARGE") {
				t.Errorf("%d %s, closed: %t", res.StatusCode, text, res.Close)
			}
			_, _ = in.ReadByte() // until the server closes the connection
		})
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// A form with a key is done once, even with another boundary. The second copy of
// its files is not stored.
func TestFormIsDoneOnce(t *testing.T) {
	u := newUploads(t)
	send := func(content string) (*http.Response, string) {
		return u.send("admin", "once", map[string]string{"description": "x"}, filed{"attachments", "a.txt", "text/plain", strings.NewReader(content)})
	}
	first, a := send("the same")
	again, b := send("the same")
	if first.StatusCode != 201 || a != b || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("first %d %s, again %d %s", first.StatusCode, a, again.StatusCode, b)
	}
	if other, text := send("another"); other.StatusCode != 422 {
		t.Errorf("another file under the key: %d %s", other.StatusCode, text)
	}
	if n := u.stored(); n != 1 {
		t.Errorf("%d files are kept", n)
	}
}
