package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A Go program gets the time from the kernel, so no library can move its clock. A run builds frontdesk with another package
// time instead: Now adds what a file says. Timers and durations are untouched, as when somebody sets a machine's clock. The
// product's own files are those of every build, and have no such switch.

// clockVariable names the file in a node's environment.
const clockVariable = "CHAOS_CLOCK"

// readsKernel is the line of package time that asks for the time, and readsFile what stands there instead.
const readsKernel, readsFile = "	sec, nsec, mono := runtimeNow()\n", "	sec, nsec, mono := movedNow()\n"

// movedNow is the file that package time has in addition.
const movedNow = `package time

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

// moved is how many seconds the clock is ahead. It is memory that another process writes to.
var moved *int64

func init() {
	path, ok := syscall.Getenv("` + clockVariable + `")
	if !ok {
		return
	}
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		panic(path + ": " + err.Error())
	}
	memory, err := syscall.Mmap(fd, 0, 8, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		panic(path + ": " + err.Error())
	}
	moved = (*int64)(unsafe.Pointer(&memory[0]))
}

func movedNow() (sec int64, nsec int32, mono int64) {
	sec, nsec, mono = runtimeNow()
	if moved != nil {
		sec += atomic.LoadInt64(moved)
	}
	return sec, nsec, mono
}
`

// writeOverlay writes what go build needs to build with the other package time, and returns the path of its list.
func writeOverlay(ctx context.Context, folder string) (string, error) {
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env: %w", err)
	}
	source := filepath.Join(strings.TrimSpace(string(goroot)), "src", "time", "time.go")
	original, err := os.ReadFile(source)
	if err != nil {
		return "", err
	}
	if strings.Count(string(original), readsKernel) != 1 {
		return "", fmt.Errorf("%s does not read the clock where it is expected: this version of Go needs another clock.go", source)
	}
	replaced, added := filepath.Join(folder, "time.go"), filepath.Join(folder, "moved.go")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{source: replaced, filepath.Join(filepath.Dir(source), "moved.go"): added}})
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "overlay.json")
	for name, text := range map[string]string{replaced: strings.Replace(string(original), readsKernel, readsFile, 1), added: movedNow, path: string(list)} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	return path, nil
}

// buildFrontdesk builds frontdesk with a clock that can be moved.
func buildFrontdesk(ctx context.Context, folder string) (string, error) {
	overlay, err := writeOverlay(ctx, folder)
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "frontdesk")
	out, err := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-overlay", overlay, "-o", path, "frontdesk/cmd/frontdesk").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, out)
	}
	return path, nil
}

// clock is the clock of a node, as the path of the file that moves it.
type clock string

// set makes the clock wrong by a number of seconds, ahead or behind.
func (c clock) set(by time.Duration) error {
	f, err := os.OpenFile(string(c), os.O_CREATE|os.O_WRONLY, 0o644) // in place: the node has it in its memory
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteAt(binary.NativeEndian.AppendUint64(nil, uint64(by/time.Second)), 0)
	return err
}

// wrongBy returns how far the node's clock is ahead, as its answers say.
func (o *node) wrongBy(ctx context.Context) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", "http://"+o.address+"/readyz", nil)
	if err != nil {
		return 0, err
	}
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	r.Body.Close()
	at, err := http.ParseTime(r.Header.Get("Date"))
	return time.Until(at), err
}

// moveClock sets a node's clock, and looks whether it is wrong then: a fault that does not happen would prove nothing.
func (o *node) moveClock(ctx context.Context, by time.Duration) error {
	if err := o.clock.set(by); err != nil {
		return err
	}
	const slack = wrongClock / 2 // for a slow answer
	if is, err := o.wrongBy(ctx); err != nil {
		return err
	} else if (is - by).Abs() > slack {
		return fmt.Errorf("the clock of %s is wrong by %s, not by %s", o.name, is, by)
	}
	return nil
}
