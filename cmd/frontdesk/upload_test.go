package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// uploads is a server that accepts requests with files.
type uploads struct {
	t      testing.TB
	token  string
	folder string // where it stores them
	*process
}

func newUploads(t testing.TB) *uploads {
	in := install(t, dbtest.URL(t, sqldb.SQLite))
	token := in.account()
	u := &uploads{t, token, filepath.Join(in.dir, "attachments"), in.start()}
	status, body, _, err := call{method: "POST", path: "/collections", token: token,
		body: map[string]string{"name": "API", "kind": "api"}}.do(t.Context(), http.DefaultClient, u.url)
	if err != nil || status != http.StatusCreated {
		t.Fatalf("the API collection: %d %s %v", status, body, err)
	}
	return u
}

func (u *uploads) address() string { return u.url + "/v1/rest/requests" }

// stored returns the sizes of the stored files, including half-written ones.
func (u *uploads) stored() (sizes []int64) {
	u.t.Helper()
	must(u.t, filepath.WalkDir(u.folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return ignoreGone(err)
		}
		at, err := d.Info()
		if err == nil {
			sizes = append(sizes, at.Size())
		}
		return ignoreGone(err)
	}))
	return sizes
}

// ignoreGone ignores files that were removed or renamed during the walk.
func ignoreGone(err error) error {
	if os.IsNotExist(err) {
		return nil
	}
	return err
}

// sendGo creates a request with files as a Go program would, with the length of the
// body or in chunks.
func (u *uploads) sendGo(ctx context.Context, chunked bool, files ...namedFile) (status int, answer string, err error) {
	body, length, kind := formOf(files)
	r, err := http.NewRequestWithContext(ctx, "POST", u.address(), body)
	if err != nil {
		return 0, "", err
	}
	if r.ContentLength = length; chunked {
		r.ContentLength = -1
	}
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Authorization", "Bearer "+u.token)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return res.StatusCode, string(b), err
}

// namedFile is a file to send. It is read while it is sent.
type namedFile struct {
	name    string
	content io.Reader
	size    int64
}

// formOf returns a form with files, as a stream of known length.
func formOf(files []namedFile) (body io.Reader, length int64, kind string) {
	var frame bytes.Buffer // writes to memory do not fail
	w := multipart.NewWriter(&frame)
	w.WriteField("description", "from Go")
	var parts []io.Reader
	cut := func() {
		length += int64(frame.Len())
		parts = append(parts, strings.NewReader(frame.String()))
		frame.Reset()
	}
	for _, f := range files {
		w.CreateFormFile("attachments", f.name)
		cut()
		parts = append(parts, f.content)
		length += f.size
	}
	w.Close()
	cut()
	return io.MultiReader(parts...), length, w.FormDataContentType()
}

// memory returns one of the system's figures about the server's memory, in bytes.
func (u *uploads) memory(line string) int64 {
	u.t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", u.Process.Pid))
	must(u.t, err)
	for text := range strings.Lines(string(b)) {
		if name, value, _ := strings.Cut(text, ":"); name == line {
			kb, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			must(u.t, err)
			return kb << 10
		}
	}
	u.t.Fatalf("the system does not say %s of a process", line)
	return 0
}

// The largest form passes through the server without filling its memory, and its files
// come back unchanged. One engine is enough, because the database plays no part.
func TestLargestFilesNeedLittleMemory(t *testing.T) {
	t.Parallel()
	const bound = 32 << 20
	u := newUploads(t)
	var files []namedFile
	var sums []hash.Hash
	for i := range desk.MostFiles {
		sum := sha256.New()
		noise := rand.NewChaCha8([32]byte{byte(i)})
		files = append(files, namedFile{fmt.Sprint("file ", i), io.TeeReader(io.LimitReader(noise, desk.MostFile), sum), desk.MostFile})
		sums = append(sums, sum)
	}
	// 5 resets the peak to the memory in use now.
	must(t, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", u.Process.Pid), []byte("5"), 0))
	before := u.memory("VmRSS")
	status, created, err := u.sendGo(t.Context(), false, files...)
	rise := u.memory("VmHWM") - before
	if err != nil || status != http.StatusCreated {
		t.Fatalf("%d %s %v", status, created, err)
	}
	t.Logf("%d files of %d bytes raised the server's memory from %.1f MB by %.1f MB at most", len(files), desk.MostFile, float64(before)/1e6, float64(rise)/1e6)
	if rise >= bound {
		t.Errorf("the memory rose by %d bytes, want less than %d", rise, bound)
	}
	attachments := u.attachments(created)
	if len(attachments) != len(files) {
		t.Fatalf("the attachments are %+v", attachments)
	}
	for i, a := range attachments {
		size, sum := u.download(a.ID)
		if want := hex.EncodeToString(sums[i].Sum(nil)); a.Name != files[i].name || a.Size != desk.MostFile || size != desk.MostFile || sum != want {
			t.Errorf("%+v came back as %d bytes with the sum %s, want %d and %s", a, size, sum, desk.MostFile, want)
		}
	}
}

// attachment is an attachment in the API.
type attachment struct {
	ID   int64
	Name string
	Size int64
}

// attachments returns the attachments of a new request.
func (u *uploads) attachments(created string) []attachment {
	u.t.Helper()
	var made struct{ Request struct{ ID string } }
	must(u.t, json.Unmarshal([]byte(created), &made))
	var got struct {
		Request struct {
			Messages []struct{ Attachments []attachment }
		}
	}
	u.get(u.t, u.token, "/requests/"+made.Request.ID+"?include=messages", &got)
	return got.Request.Messages[0].Attachments
}

// download reads an attachment as a stream.
func (u *uploads) download(id int64) (size int64, sum string) {
	u.t.Helper()
	r, err := http.NewRequestWithContext(u.t.Context(), "GET", fmt.Sprintf("%s/v1/rest/attachments/%d", u.url, id), nil)
	must(u.t, err)
	r.Header.Set("Authorization", "Bearer "+u.token)
	res, err := http.DefaultClient.Do(r)
	must(u.t, err)
	defer res.Body.Close()
	h := sha256.New()
	size, err = io.Copy(h, res.Body)
	must(u.t, err)
	return size, hex.EncodeToString(h.Sum(nil))
}
