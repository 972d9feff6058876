package cluster

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Process is a process that the cluster started.
type Process struct {
	cmd   *exec.Cmd
	ended chan struct{}
}

func startProcess(cmd *exec.Cmd) (*Process, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &Process{cmd: cmd, ended: make(chan struct{})}
	go func() {
		cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

// ID returns the process's id.
func (p *Process) ID() int { return p.cmd.Process.Pid }

// Ended is closed when the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Runs reports whether it has not ended.
func (p *Process) Runs() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// Signal sends a signal. It does nothing if the process has ended.
func (p *Process) Signal(s os.Signal) { p.cmd.Process.Signal(s) }

// Kill kills the process and waits for its end.
func (p *Process) Kill() {
	p.cmd.Process.Kill()
	<-p.ended
}

// signalIn sends a signal to every process whose working directory is in a folder: PostgreSQL's processes work in its data
// folder.
func signalIn(folder string, s syscall.Signal) error {
	inside, err := processesIn(folder)
	for _, id := range inside {
		if e := syscall.Kill(id, s); e != nil && e != syscall.ESRCH {
			err = errors.Join(err, e)
		}
	}
	return err
}

// processesIn returns the ids of the processes that work in a folder.
func processesIn(folder string) (ids []int, err error) {
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range links {
		at, e := os.Readlink(link)
		if e != nil || at != folder && !strings.HasPrefix(at, folder+"/") {
			continue // ended, or somebody else's
		}
		if id, e := strconv.Atoi(strings.Split(link, "/")[2]); e == nil {
			ids = append(ids, id)
		}
	}
	return ids, err
}

// A keeper is a process of its own that waits for the end of this one, and clears everything away. It reads a pipe whose
// other end only this process holds: however this process ends, kill -9 included, the pipe ends with it.
type keeper struct {
	*Process
	pipe io.Closer
}

// keep kills what works in a folder, and removes the folder with the disks that are mounted in it. PostgreSQL is asked first, because a killed server leaves its
// piece of shared memory to the machine.
const keep = `
trap '' HUP INT TERM
folder=$1
while read -r _; do :; done
inside() { find /proc/[0-9]*/cwd -maxdepth 0 \( -lname "$folder" -o -lname "$folder/*" \) 2>/dev/null | cut -d / -f 3; }
tries=0
while ids=$(inside) && [ -n "$ids" ] && [ $((tries += 1)) -lt 100 ]; do
	for id in $ids; do
		if [ "$(cat "/proc/$id/comm" 2>/dev/null)" != postgres ] || [ $tries -gt 30 ]; then kill -KILL "$id"
		elif [ $tries = 1 ]; then kill -QUIT "$id"
		fi
	done 2>/dev/null
	sleep 0.1
done
while read -r _ at _; do case $at in "$folder"/*) umount -l "$at" ;; esac done </proc/self/mounts
rm -rf -- "$folder"
`

func startKeeper(folder string) (*keeper, error) {
	cmd := exec.Command("/bin/sh", "-c", keep, "keeper", folder)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Dir = "/"
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	p, err := startProcess(cmd)
	return &keeper{p, pipe}, err
}

func (k *keeper) close() error {
	k.pipe.Close()
	<-k.ended
	if code := k.cmd.ProcessState.ExitCode(); code != 0 {
		return fmt.Errorf("the keeper of the cluster ended with %d", code)
	}
	return nil
}

// ports hands out addresses that nobody uses. The kernel does not hand out ports of this range, so nobody takes one before
// the program that is told to use it.
type ports struct {
	taken map[int]bool
	err   error
}

func (p *ports) free() string {
	const first, count, tries = 10000, 10000, 1000
	if p.taken == nil {
		p.taken = map[int]bool{}
	}
	for range tries {
		port := first + rand.IntN(count)
		if p.taken[port] {
			continue
		}
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		l.Close()
		p.taken[port] = true
		return l.Addr().String()
	}
	p.err = errors.New("no port is free")
	return ""
}

// FreeAddresses returns addresses that nobody uses.
func FreeAddresses(n int) (free []string, err error) {
	p := &ports{}
	for range n {
		free = append(free, p.free())
	}
	return free, p.err
}
