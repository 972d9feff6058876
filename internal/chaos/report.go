package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// tale is what happened in a run, for the report.
type tale struct {
	seed           uint64
	began          time.Time
	stopped        time.Time // callers began no more calls
	ended, settled time.Time
	faults         []struck
	answers        *answers
	ledger         *ledger
	status         map[string]int // how often callers got each answer
	logged         map[string]int
	again          int // how often followers had to connect or ask again
	broken         int // mails at which the relay broke off
	audit          string
}

// write returns the report as Markdown, and how many problems it lists.
func (t *tale) write() (text string, problems int) {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	found := t.ledger.check()
	line("\n# A storm of %s, seed %d\n", t.ended.Sub(t.began).Round(time.Second), t.seed)
	if len(found) == 0 {
		line("The ledger is clean.\n")
	} else {
		line("The ledger has %d problems:\n", len(found))
		for n, p := range found {
			if n == mostProblems {
				line("- and %d more", len(found)-n)
				break
			}
			line("- %s", p)
		}
		line("")
	}
	t.writeCounts(line)
	t.writeFaults(line)
	line("Answers to callers and readers: %s.\n", counted(t.status))
	line("What the nodes logged:\n")
	for _, what := range slices.SortedFunc(maps.Keys(t.logged), func(x, y string) int { return cmp.Compare(t.logged[y], t.logged[x]) }) {
		line("- %d × %s", t.logged[what], what)
	}
	return b.String(), len(found)
}

// mostProblems is how many problems a report lists.
const mostProblems = 40

// writeCounts writes what was compared.
func (t *tale) writeCounts(line func(string, ...any)) {
	l := t.ledger
	took := t.ended.Sub(t.began).Seconds()
	line("| what | asked for | acknowledged | per second | there |")
	line("|---|---|---|---|---|")
	for _, kind := range []string{"request", "message", "update", "announcement", "mail"} {
		asked, acks, there := 0, 0, 0
		for _, w := range l.writes {
			if w.kind == kind {
				asked++
				acks += int(w.outcome)
			}
		}
		for what, n := range l.found {
			if strings.HasPrefix(what, kind+" ") {
				there += n
			}
		}
		line("| %s | %d | %d | %.1f | %d |", kind, asked, acks, float64(acks)/took, there)
	}
	line("")
	received := 0
	for _, got := range l.readers {
		received += len(got)
	}
	statuses := map[string]int{}
	for _, m := range l.mails {
		statuses[m.status]++
	}
	line("- %d events in the feed; %d readers and streams got %d of them, and connected or asked again %d times", len(l.feed), len(l.readers), received, t.again)
	line("- %d deliveries to the webhook, %d of them repetitions", len(l.hooks), repetitions(l.hooks))
	line("- %d copies of announcements, %d files", len(l.copies), len(l.files))
	line("- %d mails out: %s; the relay broke off %d times", len(l.mails), counted(statuses), t.broken)
	line("- at rest %s after the last call", t.settled.Sub(t.ended).Round(time.Second))
	line("- %s\n", strings.ReplaceAll(strings.TrimSpace(t.audit), "\n", "; "))
}

func repetitions(got []event) (n int) {
	seen := map[string]bool{}
	for _, e := range got {
		if seen[e.id] {
			n++
		}
		seen[e.id] = true
	}
	return n
}

// writeFaults writes what broke, and how long callers were not answered.
func (t *tale) writeFaults(line func(string, ...any)) {
	line("| fault | times | nobody was answered for at most | a call took at most | whole again after at most |")
	line("|---|---|---|---|---|")
	for _, f := range faults {
		times := 0
		var nobody, longest, whole time.Duration
		for _, is := range t.faults {
			if is.kind != f.kind {
				continue
			}
			times++
			until := is.whole
			if until.After(t.stopped) {
				until = t.stopped
			}
			silent, call := t.answers.silence(is.began, until)
			nobody, longest, whole = max(nobody, silent), max(longest, call), max(whole, is.whole.Sub(is.began))
		}
		if times > 0 {
			line("| %s | %d | %.1f s | %.1f s | %.1f s |", f.kind, times, nobody.Seconds(), longest.Seconds(), whole.Seconds())
		}
	}
	if n := len(t.faults); n > 0 {
		line("\nWithout a fault, nobody was answered for at most %.2f s.\n", t.calmSilence().Seconds())
	}
}

// calmSilence returns the longest time without an answer while nothing was broken.
func (t *tale) calmSilence() (longest time.Duration) {
	from := t.began
	for _, is := range t.faults {
		silent, _ := t.answers.silence(from, is.began)
		longest, from = max(longest, silent), is.whole
	}
	return longest
}

// counted lists numbers by name, the largest first.
func counted(numbers map[string]int) string {
	var all []string
	for _, name := range slices.SortedFunc(maps.Keys(numbers), func(x, y string) int { return cmp.Or(cmp.Compare(numbers[y], numbers[x]), cmp.Compare(x, y)) }) {
		all = append(all, fmt.Sprintf("%d × %s", numbers[name], name))
	}
	return strings.Join(all, ", ")
}
