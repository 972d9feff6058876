package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"frontdesk/internal/desk"
)

// A client creates a request with the files at paths. When ctx ends, it disappears in
// the middle of what it was doing.
type client func(ctx context.Context, u *uploads, chunked bool, paths []string) (status int, answer string, err error)

// clients are the HTTP clients of common programming languages.
var clients = map[string]client{
	"Go": func(ctx context.Context, u *uploads, chunked bool, paths []string) (int, string, error) {
		var files []namedFile
		for _, path := range paths {
			f, err := os.Open(path)
			must(u.t, err)
			defer f.Close()
			at, err := f.Stat()
			must(u.t, err)
			files = append(files, namedFile{filepath.Base(path), f, at.Size()})
		}
		return u.sendGo(ctx, chunked, files...)
	},
	"Python": func(ctx context.Context, u *uploads, chunked bool, paths []string) (int, string, error) {
		return u.sendBy(ctx, "python3", append([]string{"testdata/clients/send.py", framing(chunked), u.address()}, paths...))
	},
	"Node": func(ctx context.Context, u *uploads, chunked bool, paths []string) (int, string, error) {
		return u.sendBy(ctx, "node", append([]string{"testdata/clients/send.mjs", framing(chunked), u.address()}, paths...))
	},
	"curl": func(ctx context.Context, u *uploads, chunked bool, paths []string) (int, string, error) {
		args := []string{"-sS", "-w", `\n%{http_code}\n`, "-H", "Authorization: Bearer " + u.token, "-F", "description=from curl"}
		if chunked {
			// By default, curl asks before it sends a large body. Here it does not.
			args = append(args, "-H", "Transfer-Encoding: chunked", "-H", "Expect:")
		}
		for _, path := range paths {
			args = append(args, "-F", "attachments=@"+path)
		}
		return u.sendBy(ctx, "curl", append(args, u.address()))
	},
}

func framing(chunked bool) string {
	if chunked {
		return "chunked"
	}
	return "length"
}

// sendBy runs a program that prints the answer and then the status on a separate
// line. The end of ctx kills it.
func (u *uploads) sendBy(ctx context.Context, program string, args []string) (status int, answer string, err error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), "TOKEN="+u.token)
	out, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return 0, "", fmt.Errorf("%s: %w: %s", program, err, failed.Stderr)
	} else if err != nil {
		return 0, "", err
	}
	text := strings.TrimSpace(string(out))
	end := strings.LastIndex(text, "\n") + 1
	status, err = strconv.Atoi(text[end:])
	return status, strings.TrimSpace(text[:end]), err
}

// needTools fails the test in CI if a program is missing, and skips it elsewhere.
func needTools(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err == nil {
			continue
		}
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not installed", name)
		}
		t.Skipf("%s is not installed", name)
	}
}

// A client that sends too much gets an error, whatever its language and however it
// frames the body, even if it reads only after it has sent everything. Neither a
// refused call nor a client that disappears leaves a file.
func TestEveryClientIsToldWhatWasWrong(t *testing.T) {
	t.Parallel()
	needTools(t, "python3", "node", "curl")
	u := newUploads(t)
	small, largest, large := fileOf(t, 5), fileOf(t, desk.MostFile), fileOf(t, desk.MostFile+1)
	many := fileOf(t, 16<<20)                              // more than the buffers of a connection hold
	huge := fileOf(t, desk.MostFiles*desk.MostFile+32<<20) // larger than any form may be
	for name, send := range clients {
		for _, chunked := range []bool{false, true} {
			t.Run(name+" "+framing(chunked), func(t *testing.T) {
				u.t = t
				wantAnswer := func(what string, status int, want string, paths ...string) {
					t.Helper()
					got, answer, err := send(t.Context(), u, chunked, paths)
					if err != nil || got != status || !strings.Contains(answer, want) {
						t.Errorf("%s: %d %s %v, want %d with %s", what, got, answer, err, status, want)
					}
				}
				before := u.stored()
				wantAnswer("one byte too many", http.StatusRequestEntityTooLarge, `"error":"PAYLOAD_TOO_LARGE"`, small, large)
				// In chunks its first file is refused as the one with a byte too many was, and every client has
				// shown that. What remains is how much the server reads, for which one client is enough: the one
				// that reads only at the end.
				if !chunked || name == "Python" {
					wantAnswer("a body larger than any form", http.StatusRequestEntityTooLarge, `"error":"PAYLOAD_TOO_LARGE"`, small, huge)
				}
				wantAnswer("a sixth file", http.StatusBadRequest, `"must be at most 5 files"`, small, small, small, small, small, many)
				if after := u.stored(); !slices.Equal(after, before) {
					t.Errorf("what was refused left files: %d bytes, before %d", after, before)
				}
				u.abandon(send, chunked, small, largest, largest, largest, largest)
				wantAnswer("a good form, after all that", http.StatusCreated, `{"request":{"id":`, small)
				if n := len(u.stored()); n != len(before)+1 {
					t.Errorf("%d files are kept, want %d", n, len(before)+1)
				}
			})
		}
	}
	if strings.Contains(u.logs.String(), "level=ERROR") {
		t.Errorf("the server says:\n%s", u.logs)
	}
}

// abandon kills a client while it sends its second file, and waits until both files
// are gone.
func (u *uploads) abandon(send client, chunked bool, paths ...string) {
	u.t.Helper()
	before := u.stored()
	ctx, leave := context.WithCancel(u.t.Context())
	defer leave()
	through := make(chan string, 1)
	go func() {
		status, answer, err := send(ctx, u, chunked, paths)
		through <- fmt.Sprintf("%d %s %v", status, answer, err)
		if err == nil {
			u.t.Errorf("the client got its answer before it could be stopped: %d %s", status, answer)
		}
	}()
	await(u.t, "a file that is half there", func() bool {
		now := u.stored()
		return len(now) == len(before)+2 && slices.Max(now) > 1<<20
	})
	leave()
	<-through
	await(u.t, "the end of what an abandoned form brought", func() bool { return slices.Equal(u.stored(), before) })
}

// fileOf creates a sparse file of the given size. It uses no disk space.
func fileOf(t testing.TB, size int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), strconv.FormatInt(size, 10))
	must(t, os.WriteFile(path, nil, 0o600))
	must(t, os.Truncate(path, size))
	return path
}
