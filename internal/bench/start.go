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
func benchStart(ctx context.Context, engines map[sqldb.Engine]string) error {
	binary := "bin/frontdesk"
	info, err := os.Stat(binary)
	if err != nil {
		return fmt.Errorf("%w; run `make build` first", err)
	}
	fmt.Printf("The binary: %.1f MB\n", float64(info.Size())/1e6)
	for _, engine := range names(engines) {
		url, drop, err := freshURL(engine, engines[engine])
		if err != nil {
			return err
		}
		defer drop()
		dir, err := os.MkdirTemp("", "frontdesk-bench-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		env := append(os.Environ(), "FRONTDESK_DATA="+dir)
		if engine == sqldb.Postgres {
			env = append(env, "FRONTDESK_DATABASE_URL="+url)
		}
		empty, _, err := startOnce(ctx, binary, env, false)
		if err != nil {
			return err
		}
		var again []float64
		var idle float64
		for i := range *rounds {
			took, memory, err := startOnce(ctx, binary, env, i == 0)
			if err != nil {
				return err
			}
			again = append(again, took)
			idle = max(idle, memory)
		}
		fmt.Printf("  %-8s to /healthz: %.0f ms on an empty database, %.0f ms on an existing one   idle: %.0f MB of memory\n", engine, empty, median(again), idle)
	}
	return nil
}

// startOnce starts the binary and returns the milliseconds to the first answer and,
// after a while at rest, the megabytes it holds.
func startOnce(ctx context.Context, binary string, env []string, rest bool) (ms, mb float64, err error) {
	addr, err := freeAddr()
	if err != nil {
		return 0, 0, err
	}
	path, err := filepath.Abs(binary)
	if err != nil {
		return 0, 0, err
	}
	cmd := exec.CommandContext(ctx, path, "serve", "--addr", addr, "--operations-addr=", "--log-level", "error")
	cmd.Env, cmd.Stderr = env, os.Stderr
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	defer cmd.Wait()
	defer cmd.Process.Signal(os.Interrupt)
	for {
		if r, err := http.Get("http://" + addr + "/healthz"); err == nil {
			r.Body.Close()
			break
		}
		if time.Since(began) > 20*time.Second {
			return 0, 0, fmt.Errorf("%s does not answer", binary)
		}
		time.Sleep(time.Millisecond) // the resolution of the measurement
	}
	ms = float64(time.Since(began).Microseconds()) / 1000
	if rest {
		time.Sleep(3 * time.Second) // idleness is what we measure
		mb = memoryOf(cmd.Process.Pid, "VmRSS")
	}
	return ms, mb, nil
}
