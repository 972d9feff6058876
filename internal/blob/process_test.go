package blob_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"frontdesk/internal/blob"
)

// Tests that need a second process run themselves again, with these set.
const (
	childOf  = "BLOB_TEST_CHILD_OF"
	childKey = "BLOB_TEST_KEY"
	childDir = "BLOB_TEST_FOLDER"
)

func isChild(t *testing.T) bool { return os.Getenv(childOf) == t.Name() }

func child(t *testing.T, env ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.count=1")
	c.Env = append(os.Environ(), append(env, childOf+"="+t.Name())...)
	return c
}

// A process is killed in the middle of a Put. There is no blob. Keys leaves a new
// file to its writer, which may be alive, and removes an old one.
func TestFolderAfterACrash(t *testing.T) {
	if isChild(t) {
		key, err := blob.ParseKey(os.Getenv(childKey))
		must(t, err)
		f := openFolder(t, os.Getenv(childDir))
		_, _, err = f.Put(context.Background(), key, before(1<<20, func() error {
			must(t, syscall.Kill(os.Getpid(), syscall.SIGKILL))
			select {}
		}), plenty)
		t.Fatalf("Put returned: %v", err)
	}
	path, key := t.TempDir(), blob.NewKey(17)
	out, err := child(t, childDir+"="+path, childKey+"="+key.String()).CombinedOutput()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the child ended with %v, want to see it killed\n%s", err, out)
	}
	f := openFolder(t, path)
	if _, err := f.Open(context.Background(), key); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("Open gave %v, want ErrNotFound", err)
	}
	wantKeys(t, allKeys(t, f, later(), 10))
	junk := folderJunk(t, path)
	if len(junk) != 1 {
		t.Fatalf("left behind: %q, want one half-written file", junk)
	}
	if at, err := os.Stat(junk[0]); err != nil || at.Size() != 1<<20 {
		t.Errorf("the half-written file is %v, %v", at, err)
	}
	old := time.Now().Add(-blob.Abandoned - time.Hour)
	must(t, os.Chtimes(junk[0], old, old))
	wantKeys(t, allKeys(t, f, later(), 10))
	if junk := folderJunk(t, path); len(junk) > 0 {
		t.Errorf("still there: %q", junk)
	}
	put(t, f, key, random(10))
	wantContent(t, f, key, random(10))
}

// Several processes open, fill and walk one folder at once.
func TestFolderOfManyProcesses(t *testing.T) {
	if isChild(t) {
		f := openFolder(t, os.Getenv(childDir))
		for range 50 {
			key := blob.NewKey(17)
			put(t, f, key, []byte(key.String()))
			wantContent(t, f, key, []byte(key.String()))
			allKeys(t, f, later(), 10)
			fmt.Println("kept", key)
		}
		return
	}
	path := filepath.Join(t.TempDir(), "blobs")
	var outs [3]bytes.Buffer
	var children [3]*exec.Cmd
	for i := range children {
		children[i] = child(t, childDir+"="+path)
		children[i].Stdout, children[i].Stderr = &outs[i], &outs[i]
		must(t, children[i].Start())
	}
	var want []blob.Key
	for i, c := range children {
		if err := c.Wait(); err != nil {
			t.Errorf("a child: %v\n%s", err, outs[i].String())
		}
		for line := range strings.Lines(outs[i].String()) {
			if text, ok := strings.CutPrefix(line, "kept "); ok {
				key, err := blob.ParseKey(strings.TrimSpace(text))
				must(t, err)
				want = append(want, key)
			}
		}
	}
	if len(want) != 150 {
		t.Fatalf("%d blobs were kept, want 150", len(want))
	}
	f := openFolder(t, path)
	wantKeys(t, allKeys(t, f, later(), 40), want...)
	for _, key := range want {
		wantContent(t, f, key, []byte(key.String()))
	}
}

// A limit on the file size stands in for a full disk, in a separate process.
func TestFolderOnAFullDisk(t *testing.T) {
	if !isChild(t) {
		if out, err := child(t).CombinedOutput(); err != nil {
			t.Fatalf("the child: %v\n%s", err, out)
		}
		return
	}
	signal.Ignore(syscall.SIGXFSZ) // otherwise the kernel kills the process at the limit
	var old syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old))
	s := folderSubject(t)
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 300_000, Max: old.Max}))
	key := blob.NewKey(17)
	if _, _, err := s.Put(context.Background(), key, bytes.NewReader(random(300_001)), plenty); !errors.Is(err, syscall.EFBIG) {
		t.Errorf("Put gave %v, want EFBIG", err)
	}
	wantNothing(t, s, key)
	put(t, s, key, random(300_000)) // a blob that fits is stored
	wantContent(t, s, key, random(300_000))
}
