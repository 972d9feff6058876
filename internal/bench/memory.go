package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// memoryOf returns how many megabytes of memory a process holds or, with "VmHWM",
// has held at most. It returns 0 without /proc.
func memoryOf(pid int, field string) (mb float64) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(status)) {
		var kb float64
		if _, err := fmt.Sscanf(line, field+": %f kB", &kb); err == nil {
			mb = kb / 1000
		}
	}
	return mb
}

// busy returns the CPU time that everything on this machine has used together.
func busy() time.Duration {
	stat, _ := os.ReadFile("/proc/stat")
	first, _, _ := strings.Cut(string(stat), "\n")
	var ticks int
	for i, text := range strings.Fields(first) {
		n, err := strconv.Atoi(text)
		if rests := i == 4 || i == 5; err == nil && !rests && i < 9 { // guest time is already included
			ticks += n
		}
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// heap is what the server's garbage collector reports, in megabytes: the memory in
// use, and its size at the next collection.
type heap struct{ used, goal float64 }

func (h heap) show() string { return fmt.Sprintf("%.0f/%.0f", h.used, h.goal) }

// cores returns how many CPUs were in use on average.
func cores(cpu, during time.Duration) float64 {
	return min(float64(runtime.NumCPU()), max(0, cpu.Seconds()/during.Seconds()))
}
