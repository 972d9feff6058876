package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"frontdesk/internal/blob"
)

// The answer is lost after the store has done its work. Put returns an error and
// undoes what the store did.
func TestS3WhoseAnswerGetsLost(t *testing.T) {
	for name, size := range map[string]int{"whole": 1000, "in parts": blob.PartSize + 1000} {
		t.Run(name, func(t *testing.T) {
			f := newFakeS3(t)
			s := f.subject(t)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			done := 0
			f.on(func(w http.ResponseWriter, r *http.Request) bool {
				uploading := r.URL.Query().Has("uploadId")
				if r.Method != http.MethodPut && r.Method != http.MethodPost || uploading != (r.Method == http.MethodPost) {
					return false
				}
				answer := httptest.NewRecorder()
				f.real.ServeHTTP(answer, r)
				if answer.Code != http.StatusOK {
					t.Errorf("%s %s answered %d", r.Method, r.URL, answer.Code)
				}
				done++
				cancel()
				<-r.Context().Done() // the client has gone away
				return true
			})
			key := blob.NewKey(17)
			if _, _, err := s.Put(ctx, key, bytes.NewReader(random(size)), plenty); !errors.Is(err, context.Canceled) {
				t.Errorf("Put gave %v, want that the context was cancelled", err)
			}
			if done != 1 {
				t.Errorf("the object was made %d times, want once", done)
			}
			wantNothing(t, s, key)
		})
	}
}

// If the store refuses a part, the upload is aborted and nothing remains.
func TestS3ThatRefusesAPart(t *testing.T) {
	f := newFakeS3(t)
	s := f.subject(t)
	f.on(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("partNumber") != "2" {
			return false
		}
		refuse(w, http.StatusForbidden, minio.AccessDenied)
		return true
	})
	key := blob.NewKey(17)
	_, _, err := s.Put(context.Background(), key, bytes.NewReader(random(3*blob.PartSize)), plenty)
	var answer minio.ErrorResponse
	if !errors.As(err, &answer) || answer.Code != minio.AccessDenied {
		t.Errorf("Put gave %v, want AccessDenied", err)
	}
	wantNothing(t, s, key)
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	io.WriteString(w, "<Error><Code>"+code+"</Code><Message>so it is</Message></Error>")
}

// A brief failure of the store does not fail the call.
func TestS3TriesAgain(t *testing.T) {
	f := newFakeS3(t)
	s := f.open(t)
	calls := map[string]int{}
	f.on(func(w http.ResponseWriter, r *http.Request) bool {
		call := r.Method + r.URL.RawQuery
		if calls[call]++; calls[call] == 1 {
			refuse(w, http.StatusServiceUnavailable, "SlowDown")
			return true
		}
		return false
	})
	key := blob.NewKey(17)
	put(t, s, key, random(1000))
	wantContent(t, s, key, random(1000))
	must(t, s.Remove(context.Background(), key))
}

// If the blob was replaced, a reader returns an error after a seek. It does not
// return bytes of the new blob.
func TestS3ReaderOfAReplacedBlob(t *testing.T) {
	f := newFakeS3(t)
	s := f.open(t)
	key := blob.NewKey(17)
	put(t, s, key, random(1000))
	r := open(t, s, key)
	defer r.Close()
	put(t, s, key, bytes.Repeat([]byte("x"), 1000))
	if b, err := io.ReadAll(r); !isReplaced(err) || len(b) > 0 {
		t.Errorf("%d bytes and %v, want only that it was replaced", len(b), err)
	}
	must(t, s.Remove(context.Background(), key))
	if _, err := r.Read(make([]byte, 1)); !errors.Is(err, blob.ErrNotFound) && !isReplaced(err) {
		t.Errorf("after it was removed: %v", err)
	}
}

// A store that does not support ranges returns the beginning instead of the rest.
func TestS3WithoutRanges(t *testing.T) {
	f := newFakeS3(t)
	s := f.open(t)
	key := blob.NewKey(17)
	put(t, s, key, random(1000))
	f.on(func(_ http.ResponseWriter, r *http.Request) bool { r.Header.Del("Range"); return false })
	r := open(t, s, key)
	defer r.Close()
	_, err := r.Seek(500, io.SeekStart)
	must(t, err)
	if b, err := io.ReadAll(r); err == nil || len(b) > 0 {
		t.Errorf("it gave %d bytes and %v", len(b), err)
	}
}

// A broken connection is an error, not the end of the blob.
func TestS3ThatBreaksOff(t *testing.T) {
	f := newFakeS3(t)
	s := f.open(t)
	key := blob.NewKey(17)
	put(t, s, key, random(100_000))
	f.on(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet {
			return false
		}
		answer := httptest.NewRecorder()
		f.real.ServeHTTP(answer, r)
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		w.Write(answer.Body.Bytes()[:1000])
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		panic(http.ErrAbortHandler)
	})
	r := open(t, s, key)
	defer r.Close()
	if b, err := io.ReadAll(r); !errors.Is(err, io.ErrUnexpectedEOF) || len(b) > 1000 {
		t.Errorf("%d bytes and %v, want that the end was not expected", len(b), err)
	}
	f.on(nil)
	rest, err := io.ReadAll(r) // the reader continues from there
	if want := random(100_000); err != nil || !bytes.Equal(rest, want[len(want)-len(rest):]) || len(rest) < 99_000 {
		t.Errorf("afterwards %d bytes and %v", len(rest), err)
	}
}

// Keys aborts uploads that will never be finished, and leaves the uploads of others
// in the bucket alone.
func TestS3SweepsUnfinishedUploads(t *testing.T) {
	f := newFakeS3(t)
	s := f.open(t)
	old, young := time.Now().Add(-blob.Abandoned-time.Hour), time.Now().Add(-blob.Abandoned+time.Hour)
	for range 3 {
		f.begin(t, "desk/files/"+blob.NewKey(17).String(), old)
	}
	stay := map[string]bool{"desk/files/" + blob.NewKey(17).String(): true, "desk/files/backup.tar": true, "other/" + blob.NewKey(17).String(): true}
	for name := range stay {
		when := old
		if strings.HasPrefix(name, "desk/files/17/") {
			when = young
		}
		f.begin(t, name, when)
	}
	wantKeys(t, allKeys(t, s, later(), 10))
	uploads := f.uploads(t)
	for _, u := range uploads {
		if !stay[u.Key] {
			t.Errorf("%s of %v is still there", u.Key, u.Initiated)
		}
	}
	if len(uploads) != len(stay) {
		t.Errorf("%d uploads are left, want %d", len(uploads), len(stay))
	}
}

// A sweep works even if it may not list uploads.
func TestS3ThatShowsNoUploads(t *testing.T) {
	for _, code := range []string{minio.AccessDenied, minio.NotImplemented} {
		f := newFakeS3(t)
		s := f.open(t)
		key := blob.NewKey(17)
		put(t, s, key, random(10))
		f.on(func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Query().Has("uploads") {
				refuse(w, http.StatusForbidden, code)
				return true
			}
			return false
		})
		wantKeys(t, allKeys(t, s, later(), 10), key)
	}
}

// Two desks share a bucket. They see neither each other's objects nor any others.
func TestS3Prefixes(t *testing.T) {
	f := newFakeS3(t)
	ctx := context.Background()
	var stores []*blob.S3
	var keys []blob.Key
	for _, prefix := range []string{"", "one", "one/two/", "one-more"} {
		f.config.Prefix = prefix
		s := f.open(t)
		key := blob.NewKey(17)
		put(t, s, key, []byte(prefix))
		stores, keys = append(stores, s), append(keys, key)
	}
	_, err := f.backend.PutObject("attachments", "one/readme.txt", nil, strings.NewReader("mine"), 4, nil)
	must(t, err)
	for i, s := range stores {
		wantKeys(t, allKeys(t, s, later(), 1), keys[i])
		for j, key := range keys {
			if _, err := s.Open(ctx, key); (err == nil) != (i == j) {
				t.Errorf("store %d opening the blob of %d: %v", i, j, err)
			}
		}
	}
}

func TestS3Addresses(t *testing.T) {
	key, err := blob.ParseKey("17/" + good)
	must(t, err)
	c := blob.Config{Endpoint: "store.example:9000", Bucket: "attachments", Region: "eu", AccessKey: "a", SecretKey: "s", Prefix: "/desk/"}
	for want, change := range map[string]func(*blob.Config){
		"https://attachments.store.example:9000/desk/17/" + good: func(*blob.Config) {},
		"https://store.example:9000/attachments/desk/17/" + good: func(c *blob.Config) { c.PathStyle = true },
		"http://attachments.store.example:9000/desk/17/" + good:  func(c *blob.Config) { c.Insecure = true },
		"http://[::1]:9000/attachments/desk/17/" + good: func(c *blob.Config) {
			c.Endpoint, c.PathStyle, c.Insecure = "[::1]:9000", true, true
		},
	} {
		c := c
		change(&c)
		s, err := blob.OpenS3(c)
		must(t, err)
		if got, err := s.Address(key); err != nil || got != want {
			t.Errorf("the address is %q, %v, want %q", got, err, want)
		}
	}
}

func TestS3RefusesABadConfig(t *testing.T) {
	ok := blob.Config{Endpoint: "store.example", Bucket: "attachments", AccessKey: "a", SecretKey: "s"}
	if _, err := blob.OpenS3(ok); err != nil {
		t.Fatalf("the good one: %v", err)
	}
	for name, test := range map[string]struct {
		change func(*blob.Config)
		want   string
	}{
		"no endpoint": {func(c *blob.Config) { c.Endpoint = "" }, "it needs an endpoint, a bucket"},
		"no bucket":   {func(c *blob.Config) { c.Bucket = "" }, "it needs an endpoint, a bucket"},
		"no key":      {func(c *blob.Config) { c.AccessKey = "" }, "an access key and a secret key"},
		"no secret":   {func(c *blob.Config) { c.SecretKey = "" }, "an access key and a secret key"},
		"scheme":      {func(c *blob.Config) { c.Endpoint = "https://store.example" }, "without https://"},
		"path":        {func(c *blob.Config) { c.Endpoint = "store.example/attachments" }, "without a path"},
		"port":        {func(c *blob.Config) { c.Endpoint = "store.example:port" }, "cannot be used"},
		"bucket":      {func(c *blob.Config) { c.Bucket = "../secrets" }, "cannot be the name of a bucket"},
		"IPv4":        {func(c *blob.Config) { c.Endpoint = "127.0.0.1:9000" }, "choose path style"},
		"IPv6":        {func(c *blob.Config) { c.Endpoint = "[::1]" }, "choose path style"},
		"prefix up":   {func(c *blob.Config) { c.Prefix = "a/../b" }, "the prefix"},
		"prefix odd":  {func(c *blob.Config) { c.Prefix = "a b" }, "the prefix"},
		"prefix gap":  {func(c *blob.Config) { c.Prefix = "a//b" }, "the prefix"},
		"only slash":  {func(c *blob.Config) { c.Prefix = "/" }, "the prefix"},
	} {
		c := ok
		test.change(&c)
		_, err := blob.OpenS3(c)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "the store cannot be used: ") {
			t.Errorf("%s gave %v, want something with %q", name, err, test.want)
		}
	}
}

func TestS3Check(t *testing.T) {
	f := newFakeS3(t)
	f.config.Region = "" // then the store is asked for it
	s := f.open(t)
	must(t, s.Check(context.Background()))
	if junk := f.junk(t); len(junk) > 0 {
		t.Errorf("left behind: %q", junk)
	}
	for _, name := range []string{"desk/files/a", "desk/files/b", "desk/files/c"} {
		_, err := f.backend.PutObject("attachments", name, nil, strings.NewReader("mine"), 4, nil)
		must(t, err)
	}
	lists := 0
	f.on(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Has("list-type") {
			lists++
		}
		return false
	})
	must(t, s.Check(context.Background()))
	if lists != 1 {
		t.Errorf("the bucket was listed %d times, want once: it may hold millions of others' objects", lists)
	}
}

func TestS3CheckSaysWhatIsWrong(t *testing.T) {
	answering := func(method, code string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if method == "" || r.Method == method && !r.URL.Query().Has("list-type") {
				refuse(w, http.StatusForbidden, code)
				return true
			}
			return false
		}
	}
	for name, test := range map[string]struct {
		on   func(http.ResponseWriter, *http.Request) bool
		want string
	}{
		"list":       {answering("", minio.AccessDenied), `is not allowed to list the bucket "attachments"`},
		"write":      {answering("PUT", minio.AccessDenied), `is not allowed to write to the bucket "attachments"`},
		"read":       {answering("GET", minio.AccessDenied), `is not allowed to read from the bucket "attachments"`},
		"remove":     {answering("DELETE", minio.AccessDenied), `is not allowed to remove from the bucket "attachments"`},
		"access key": {answering("", minio.InvalidAccessKeyID), "does not know the access key"},
		"secret key": {answering("", minio.SignatureDoesNotMatch), "the secret key does not belong to the access key"},
		"clock":      {answering("", minio.RequestTimeTooSkewed), "the clocks of this machine and of"},
		"otherwise":  {answering("", "Strange"), `cannot list the bucket "attachments"`},
		"lies": {func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == "GET" && !r.URL.Query().Has("list-type") {
				w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
				io.WriteString(w, "captive portal")
				return true
			}
			return false
		}, "something else than it was given"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeS3(t)
			s := f.open(t)
			f.on(test.on)
			err := s.Check(context.Background())
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "the store cannot be used: ") {
				t.Errorf("Check gave %v, want %q in it", err, test.want)
			}
			if f.on(nil); name != "remove" {
				if junk := f.junk(t); len(junk) > 0 {
					t.Errorf("left behind: %q", junk)
				}
			}
		})
	}
}

func TestS3CheckWithoutABucketOrAStore(t *testing.T) {
	f := newFakeS3(t)
	f.config.Bucket = "missing"
	if err := f.open(t).Check(context.Background()); err == nil || !strings.Contains(err.Error(), `there is no bucket "missing" at `) {
		t.Errorf("without the bucket: %v", err)
	}
	f.config.Endpoint = "127.0.0.1:1" // nobody listens there
	err := f.open(t).Check(context.Background())
	if err == nil || !strings.Contains(err.Error(), "refused") || !strings.Contains(err.Error(), `cannot list the bucket "missing" at `+f.config.Endpoint) {
		t.Errorf("without the store: %v", err)
	}
}
