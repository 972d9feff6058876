package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// cpuOf returns the CPU time that a process has used, to the nanosecond. The clock
// ticks of /proc/PID/stat are 10 ms, and hundreds of calls fit into that. Threads
// that have ended are not included, but Go's do not end. It returns 0 without
// /proc.
func cpuOf(pid int) time.Duration {
	var all time.Duration
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, file := range threads {
		var running time.Duration
		text, _ := os.ReadFile(file)
		if _, err := fmt.Sscan(string(text), &running); err == nil {
			all += running
		}
	}
	return all
}

// postgresServer is the PostgreSQL server of a measurement.
type postgresServer struct {
	postmaster int          // 0 if it is on another machine
	ours       map[int]bool // processes that serve the benchmark itself
}

// findPostgres finds the server of an address among this machine's processes.
func findPostgres(address string) *postgresServer {
	p := &postgresServer{ours: map[int]bool{}}
	u, err := url.Parse(address)
	if err != nil || u.Port() == "" {
		return p
	}
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range all {
		text, _ := os.ReadFile(file)
		args := strings.Split(string(text), "\x00")
		if i := slices.Index(args, "-p"); i > 0 && i+1 < len(args) && args[i+1] == u.Port() && filepath.Base(args[0]) == "postgres" {
			p.postmaster, _ = strconv.Atoi(filepath.Base(filepath.Dir(file)))
		}
	}
	return p
}

// cpu returns the CPU time of all its processes, including those that have ended,
// but not those that serve the benchmark.
func (p *postgresServer) cpu() time.Duration {
	if p == nil || p.postmaster == 0 {
		return 0
	}
	all := cpuOf(p.postmaster)
	processes, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range processes {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		fields := statFields(file)
		switch {
		case len(fields) < 15:
		case pid == p.postmaster:
			user, _ := strconv.Atoi(fields[13])
			system, _ := strconv.Atoi(fields[14])
			all += time.Duration(user+system) * 10 * time.Millisecond // of children that have ended: clock ticks of 1/100 s
		case fields[1] == strconv.Itoa(p.postmaster) && !p.ours[pid]:
			all += cpuOf(pid)
		}
	}
	return all
}

// statFields returns the fields of a /proc/PID/stat after the name, which may
// contain spaces: the first is the state, the next the parent.
func statFields(file string) []string {
	text, _ := os.ReadFile(file)
	return strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
}
