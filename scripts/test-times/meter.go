package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ticks is how many units of /proc/PID/stat make a second. It is 100 on every Linux that Go runs on.
const ticks = 100

// look is how often the process table is read for processes that a test started. One that lives for less is counted
// in the CPU of who waits for it, and not as a process.
const look = 10 * time.Millisecond

// meter reads the clocks of a test's process, of all that it started, and of PostgreSQL.
type meter struct {
	pid, server int
	begin       cost // when it was started
	last        cost
	began       time.Time
	ended       chan struct{}
	looking     sync.WaitGroup

	mu   sync.Mutex
	seen map[int]bool
}

func startMeter(pid, server int) *meter {
	m := &meter{pid: pid, server: server, began: time.Now(), ended: make(chan struct{}), seen: map[int]bool{}}
	m.begin = cost{cpu: used(server)}
	m.last = m.begin
	m.looking.Go(func() {
		for tick := time.NewTicker(look); ; {
			select {
			case <-tick.C:
				m.count(m.pid)
			case <-m.ended:
				return
			}
		}
	})
	return m
}

// count remembers the processes that come from one.
func (m *meter) count(pid int) {
	for _, child := range children(pid) {
		m.mu.Lock()
		m.seen[child] = true
		m.mu.Unlock()
		m.count(child)
	}
}

func (m *meter) started() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.seen)
}

// passed is what was used since the last time.
func (m *meter) passed() cost {
	now := cost{time: time.Since(m.began), cpu: used(m.pid) + used(m.server), processes: m.started()}
	d := cost{now.time - m.last.time, now.cpu - m.last.cpu, now.processes - m.last.processes}
	m.last = now
	return d
}

// stop is what was used in all. The process is over, and what it used is known from elsewhere.
func (m *meter) stop(own time.Duration) cost {
	close(m.ended)
	m.looking.Wait()
	return cost{time.Since(m.began), own + used(m.server) - m.begin.cpu, m.started()}
}

// used is the CPU time of a process, of those it has waited for, and of those that live.
func used(pid int) time.Duration {
	if pid == 0 {
		return 0
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name, in brackets, may hold anything; the four clocks are the 12th to 15th field behind it.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	var sum int64
	for _, f := range fields[11:15] {
		n, _ := strconv.ParseInt(f, 10, 64)
		sum += n
	}
	all := time.Duration(sum) * time.Second / ticks
	for _, child := range children(pid) {
		all += used(child)
	}
	return all
}

// children are the processes that one has started and that live.
func children(pid int) (all []int) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		text, _ := os.ReadFile(task)
		for id := range strings.FieldsSeq(string(text)) {
			n, _ := strconv.Atoi(id)
			all = append(all, n)
		}
	}
	return all
}
