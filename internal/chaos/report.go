package main

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
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
	replicaReads   int
	looks          int // how often callers looked for what they had just written
	audit          string
}

// write returns the report of a run as Markdown, and how many problems it lists.
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
	writeCounts(line, t)
	writeFaults(line, t)
	line("What the nodes logged:\n")
	for _, what := range slices.SortedFunc(maps.Keys(t.logged), func(x, y string) int { return cmp.Compare(t.logged[y], t.logged[x]) }) {
		line("- %d × %s", t.logged[what], what)
	}
	return b.String(), len(found)
}

// mostProblems is how many problems a report lists.
const mostProblems = 40

// kinds are the kinds of writes, in the order of the report.
var kinds = []string{"request", "message", "update", "announcement", "mail"}

// writeCounts writes what was compared, one column for each run.
func writeCounts(line func(string, ...any), tales ...*tale) {
	row := func(what string, cell func(t *tale) string) {
		for _, t := range tales {
			what += " | " + cell(t)
		}
		line("| %s |", what)
	}
	row("seed", func(t *tale) string { return fmt.Sprint(t.seed) })
	line("|---%s|", strings.Repeat("|---", len(tales)))
	row("calls were made for", func(t *tale) string { return t.ended.Sub(t.began).Round(time.Second).String() })
	for _, kind := range kinds {
		row(kind+"s: asked for, acknowledged, there", func(t *tale) string {
			asked, acks, there := t.count(kind)
			return fmt.Sprintf("%d, %d, %d", asked, acks, there)
		})
	}
	row("acknowledged a second", func(t *tale) string {
		all := 0
		for _, kind := range kinds {
			_, acks, _ := t.count(kind)
			all += acks
		}
		return fmt.Sprintf("%.1f", float64(all)/t.ended.Sub(t.began).Seconds())
	})
	row("lists in which callers looked for their own change", func(t *tale) string { return fmt.Sprint(t.looks) })
	row("reads that a replica answered, since each node was last started", func(t *tale) string { return fmt.Sprint(t.replicaReads) })
	row("events in the feed", func(t *tale) string { return fmt.Sprint(len(t.ledger.feed)) })
	row("readers and streams; events that they got; times that they asked again", func(t *tale) string {
		received := 0
		for _, got := range t.ledger.readers {
			received += len(got)
		}
		return fmt.Sprintf("%d; %d; %d", len(t.ledger.readers), received, t.again)
	})
	row("deliveries to the webhook; repetitions", func(t *tale) string { return fmt.Sprintf("%d; %d", len(t.ledger.hooks), repetitions(t.ledger.hooks)) })
	row("copies of announcements; files", func(t *tale) string { return fmt.Sprintf("%d; %d", len(t.ledger.copies), len(t.ledger.files)) })
	row("mails out; times that the relay broke off", func(t *tale) string {
		statuses := map[string]int{}
		for _, m := range t.ledger.mails {
			statuses[m.status]++
		}
		return fmt.Sprintf("%s; %d", counted(statuses), t.broken)
	})
	row("the audit log is sound up to entry", func(t *tale) string { return strings.TrimPrefix(sound.FindString(t.audit), "entry ") })
	row("at rest after the last call", func(t *tale) string { return t.settled.Sub(t.ended).Round(time.Second).String() })
	row("answers to callers and readers", func(t *tale) string { return counted(t.status) })
	line("")
}

// sound finds the number of an entry in what frontdesk audit verify says.
var sound = regexp.MustCompile(`entry \d+`)

// count returns how many writes of a kind were asked for, were acknowledged, and are there.
func (t *tale) count(kind string) (asked, acks, there int) {
	for _, w := range t.ledger.writes {
		if w.kind == kind {
			asked++
			acks += int(w.outcome)
		}
	}
	for what, n := range t.ledger.found {
		if strings.HasPrefix(what, kind+" ") {
			there += n
		}
	}
	return asked, acks, there
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

// writeFaults writes what broke in some runs, and how long callers were not answered.
func writeFaults(line func(string, ...any), tales ...*tale) {
	line("| fault | times | nobody was answered for at most | a call took at most | whole again after at most |")
	line("|---|---|---|---|---|")
	var calm time.Duration
	for _, f := range faults {
		times := 0
		var nobody, longest, whole time.Duration
		for _, t := range tales {
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
		}
		if times > 0 {
			line("| %s | %d | %.1f s | %.1f s | %.1f s |", f.kind, times, nobody.Seconds(), longest.Seconds(), whole.Seconds())
		}
	}
	for _, t := range tales {
		calm = max(calm, t.calmSilence())
	}
	line("\nWithout a fault, nobody was answered for at most %.2f s.\n", calm.Seconds())
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
