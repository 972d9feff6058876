// Command test-times says where the time of the Go tests goes. It builds each package's tests and runs them alone, one
// test after the other, and prints for each package and for each test over a second: how long it took, how much of
// that was computing (its own, that of the processes it started and of PostgreSQL), how much waiting, on which engine,
// and how many processes it started.
//
//	scripts/with-postgres go run ./scripts/test-times [PACKAGES]
//
// The figures are those of a serial run, so they add up; `make test` overlaps the waiting. A package that exceeds its
// budget (budget.txt) is marked, and so is one that has none.
package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed budget.txt
var budgets string

func main() {
	least := flag.Duration("least", time.Second, "leave out tests that took less")
	flag.Parse()
	patterns := flag.Args()
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	if err := run(os.Stdout, patterns, *least); err != nil {
		fmt.Fprintln(os.Stderr, "test-times:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, patterns []string, least time.Duration) error {
	allowed, err := readBudgets(budgets)
	if err != nil {
		return err
	}
	packages, err := testPackages(patterns)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "test-times-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	server := postgresProcess(os.Getenv("FRONTDESK_TEST_POSTGRES"))

	fmt.Fprintf(out, "%-64s %8s %8s %8s  %-8s %9s\n", "", "time", "CPU", "waiting", "engine", "processes")
	var all cost
	var failed error
	for _, p := range packages {
		binary := filepath.Join(folder, "p.test")
		build := exec.Command("go", "test", "-c", "-o", binary, p.path)
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("build the tests of %s: %w", p.path, err)
		}
		whole, tests, err := measure(binary, p.folder, server)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", p.path, err))
		}
		name := strings.TrimPrefix(p.path, "frontdesk/")
		mark := ""
		if most, ok := allowed[name]; !ok {
			mark = "  no budget"
		} else if whole.cpu > most {
			mark = fmt.Sprintf("  over its budget of %v", most)
		}
		whole.print(out, name, "", mark)
		slices.SortStableFunc(tests, func(a, b test) int { return int(b.time - a.time) })
		for _, t := range tests {
			if t.time >= least {
				t.print(out, "  "+t.name, t.engine(), "")
			}
		}
		all.add(whole)
	}
	all.print(out, "all", "", "")
	return failed
}

// cost is what something took.
type cost struct {
	time, cpu time.Duration
	processes int
}

func (c *cost) add(d cost) {
	c.time += d.time
	c.cpu += d.cpu
	c.processes += d.processes
}

func (c cost) print(out io.Writer, name, engine, mark string) {
	started := ""
	if c.processes > 0 {
		started = strconv.Itoa(c.processes)
	}
	fmt.Fprintf(out, "%-64s %7.1fs %7.1fs %7.1fs  %-8s %9s%s\n", name, c.time.Seconds(), c.cpu.Seconds(), max(0, c.time-c.cpu).Seconds(), engine, started, mark)
}

// test is a test without subtests, or one whose own part is not in any of them.
type test struct {
	name string
	cost
}

func (t test) engine() string {
	for part := range strings.SplitSeq(t.name, "/") {
		if part == "sqlite" || part == "postgres" {
			return part
		}
	}
	return ""
}

// readBudgets reads lines of a package and the seconds of CPU that it may take.
func readBudgets(text string) (map[string]time.Duration, error) {
	all := map[string]time.Duration{}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) != 2 {
			return nil, fmt.Errorf("budget.txt: %q is not a package and its seconds", strings.TrimSpace(line))
		}
		seconds, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, fmt.Errorf("budget.txt: %w", err)
		}
		all[fields[0]] = time.Duration(seconds) * time.Second
	}
	return all, nil
}

type testPackage struct{ path, folder string }

// testPackages are the packages that have tests.
func testPackages(patterns []string) (all []testPackage, err error) {
	list := exec.Command("go", append([]string{"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}\t{{.Dir}}{{end}}"}, patterns...)...)
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		path, folder, _ := strings.Cut(strings.TrimSpace(line), "\t")
		all = append(all, testPackage{path, folder})
	}
	return all, nil
}

// measure runs a test binary. The tests' own reports say which one runs: at each the clocks are read, and what has
// passed since the last one belongs to the test that ran until now.
func measure(binary, folder string, server int) (whole cost, tests []test, err error) {
	cmd := exec.Command(binary, "-test.v=test2json", "-test.parallel=1", "-test.timeout=60m")
	cmd.Dir = folder
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return whole, nil, err
	}
	if err := cmd.Start(); err != nil {
		return whole, nil, err
	}
	meter := startMeter(cmd.Process.Pid, server)
	var (
		names   []string // in the order in which they began
		by      = map[string]*cost{}
		running string
		kept    []string // the last lines, for when it fails
	)
	scanner := bufio.NewScanner(out)
	scanner.Buffer(nil, 1<<24)
	for scanner.Scan() {
		line := scanner.Text()
		if kept = append(kept, line); len(kept) > 200 {
			kept = kept[100:]
		}
		name, ok := nowRunning(line)
		if !ok {
			continue
		}
		passed := meter.passed()
		if c := by[running]; c != nil {
			c.add(passed)
		}
		if running = name; by[name] == nil && name != "" {
			by[name] = &cost{}
			names = append(names, name)
		}
	}
	io.Copy(io.Discard, out)
	err = cmd.Wait()
	whole = meter.stop(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime())
	if err != nil {
		err = fmt.Errorf("%w\n%s\n%s", err, strings.Join(kept, "\n"), stderr.String())
	}
	for _, name := range names {
		tests = append(tests, test{name, *by[name]})
	}
	return whole, tests, err
}

// nowRunning reads a report about which test runs from now on. When one is over, the one around it goes on.
func nowRunning(line string) (name string, ok bool) {
	line = strings.TrimLeft(line, "\x16 ")
	for _, begin := range []string{"=== RUN ", "=== CONT ", "=== NAME "} {
		if name, ok := strings.CutPrefix(line, begin); ok {
			return strings.TrimSpace(name), true
		}
	}
	for _, end := range []string{"--- PASS: ", "--- FAIL: ", "--- SKIP: ", "=== PAUSE "} {
		if name, ok := strings.CutPrefix(line, end); ok {
			name, _, _ = strings.Cut(strings.TrimSpace(name), " (")
			around, _, found := cutLast(name, "/")
			if !found {
				around = ""
			}
			return around, true
		}
	}
	return "", false
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// postgresProcess finds the server that an address names among this machine's processes, 0 when there is none.
func postgresProcess(address string) int {
	u, err := url.Parse(address)
	if err != nil || u.Port() == "" {
		return 0
	}
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range all {
		text, _ := os.ReadFile(file)
		args := strings.Split(string(text), "\x00")
		if i := slices.Index(args, "-p"); i > 0 && i+1 < len(args) && args[i+1] == u.Port() && filepath.Base(args[0]) == "postgres" {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			return pid
		}
	}
	return 0
}
