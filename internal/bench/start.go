package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"frontdesk/internal/sqldb"
)

// benchStart shows how the binary itself behaves: its size, the time from its start
// to the first answer, and its memory when nobody calls it.
func benchStart(ctx context.Context, engines map[sqldb.Engine]string) {
	binary := "bin/frontdesk"
	info := must(os.Stat(binary))
	fmt.Printf("The binary: %.1f MB\n", float64(info.Size())/1e6)
	for _, engine := range names(engines) {
		url, drop := freshURL(engine, engines[engine])
		defer drop()
		dir := must(os.MkdirTemp("", "frontdesk-bench-"))
		defer os.RemoveAll(dir)
		env := append(os.Environ(), "FRONTDESK_DATA="+dir)
		if engine == sqldb.Postgres {
			env = append(env, "FRONTDESK_DATABASE_URL="+url)
		}
		empty, _ := startOnce(ctx, binary, env, false)
		var again []float64
		var idle float64
		for i := range *rounds {
			took, memory := startOnce(ctx, binary, env, i == 0)
			again = append(again, took)
			idle = max(idle, memory)
		}
		fmt.Printf("  %-8s to /healthz: %.0f ms on an empty database, %.0f ms on an existing one   idle: %.0f MB of memory\n", engine, empty, median(again), idle)
	}
}

// startOnce starts the binary and returns the milliseconds to the first answer and,
// after a while at rest, the megabytes it holds.
func startOnce(ctx context.Context, binary string, env []string, rest bool) (ms, mb float64) {
	addr := freeAddr()
	path := must(filepath.Abs(binary))
	cmd := exec.CommandContext(ctx, path, "serve", "--addr", addr, "--operations-addr=", "--log-level", "error")
	cmd.Env, cmd.Stderr = env, os.Stderr
	began := time.Now()
	check(cmd.Start())
	defer cmd.Wait()
	defer cmd.Process.Signal(os.Interrupt)
	for {
		if r, err := http.Get("http://" + addr + "/healthz"); err == nil {
			r.Body.Close()
			break
		}
		if time.Since(began) > 20*time.Second {
			check(fmt.Errorf("%s does not answer", binary))
		}
		time.Sleep(time.Millisecond) // the resolution of the measurement
	}
	ms = float64(time.Since(began).Microseconds()) / 1000
	if rest {
		time.Sleep(idleTime) // idleness is what we measure
		mb = memoryOf(cmd.Process.Pid, "VmRSS")
	}
	return ms, mb
}
