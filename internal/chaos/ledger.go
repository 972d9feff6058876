package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A ledger has two sides: what the world outside asked for and was told, and what the desk has in the end. check compares
// them. It holds values only, so that its checks can be tested with ledgers that are wrong.
type ledger struct {
	writes []write
	found  map[string]int // how often the desk has the mark of a write, by kind and mark

	feed    []event            // the whole feed, read when everything was quiet
	seqs    []int64            // the numbers of the events, in order
	readers map[string][]event // what each reader of the feed and each stream got
	hooks   []event            // what the webhook's endpoint accepted, repetitions included
	before  int                // how many events of the feed are older than the webhook

	copies []copied // of announcements
	mails  []mailed
	files  []filed
	titles []titled

	unfinished map[string]int // rows that should be none when everything is quiet
	audit      string         // what is wrong with the audit log
	odd        map[string]int // answers and log lines that nobody should see
}

// outcome is what a caller knows about its write.
type outcome int

const (
	unanswered   outcome = iota // it may have happened
	acknowledged                // it has happened
)

// write is a change that a caller asked for. Its mark is in its text.
type write struct {
	kind, mark string
	outcome    outcome
}

// event is an event as somebody received it.
type event struct {
	id     string
	object string // what it is about; events of one object come in order
	mark   string // of the write that it tells of, if it tells that something is new
	kind   string // of that write
	sum    uint64 // of its content
}

// copied is the copy of an announcement in one channel.
type copied struct {
	mark, channel string
	status        string // as the API shows it
	stands        int    // how often it stands in the channel
}

// mailed is a mail to one recipient.
type mailed struct {
	mark, status string // as the API shows it
	stored       int    // how often the next mail server has it
}

// filed is a file that came with an acknowledged request.
type filed struct {
	mark, problem string
}

// titled is a request that one caller has renamed, one update after the other.
type titled struct {
	request, title string
	last           string   // what the last acknowledged update called it
	unanswered     []string // what updates without an answer called it: each may have happened at any time
}

// check returns a sentence for each thing that is wrong.
func (l *ledger) check() (problems []string) {
	report := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	l.checkWrites(report)
	l.checkFeed(report)
	for _, name := range slices.Sorted(maps.Keys(l.readers)) {
		checkReader(name, l.feed, l.readers[name], report)
	}
	checkHooks(l.feed[min(l.before, len(l.feed)):], l.hooks, report)
	for _, c := range l.copies {
		if c.stands != 1 || c.status != "success" {
			report("the copy of announcement %s in channel %s is %q and stands there %d times", c.mark, c.channel, c.status, c.stands)
		}
	}
	for _, m := range l.mails {
		once := m.status == "sent" && m.stored == 1 || m.status == "perhaps_sent" && m.stored <= 1
		if !once {
			report("the mail %s is %q and was stored %d times", m.mark, m.status, m.stored)
		}
	}
	for _, f := range l.files {
		if f.problem != "" {
			report("the file of %s: %s", f.mark, f.problem)
		}
	}
	for _, r := range l.titles {
		if r.last != "" && r.title != r.last && !slices.Contains(r.unanswered, r.title) {
			report("request %s is called %s; the last acknowledged update called it %s", r.request, r.title, r.last)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(l.unfinished)) {
		if n := l.unfinished[what]; n > 0 {
			report("%d %s", n, what)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(l.odd)) {
		report("%d times: %s", l.odd[what], what)
	}
	if l.audit != "" {
		report("the audit log: %s", l.audit)
	}
	return problems
}

// checkWrites checks that what was acknowledged is there once, that what was not answered is there at most once, and that
// nothing else is there.
func (l *ledger) checkWrites(report func(string, ...any)) {
	asked := map[string]bool{}
	for _, w := range l.writes {
		asked[w.kind+" "+w.mark] = true
		switch n := l.found[w.kind+" "+w.mark]; {
		case n > 1:
			report("the %s %s is there %d times", w.kind, w.mark, n)
		case n == 0 && w.outcome == acknowledged:
			report("the %s %s was acknowledged and is not there", w.kind, w.mark)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(l.found)) {
		if !asked[what] {
			report("nobody asked for the %s", what)
		}
	}
}

// checkFeed checks that events are numbered without gaps, and that the feed tells once of everything that is there.
func (l *ledger) checkFeed(report func(string, ...any)) {
	for n, seq := range l.seqs {
		if n > 0 && seq != l.seqs[n-1]+1 {
			report("event number %d follows number %d", seq, l.seqs[n-1])
		}
	}
	if len(l.seqs) != len(l.feed) {
		report("there are %d events, and the feed has %d", len(l.seqs), len(l.feed))
	}
	told := map[string]int{}
	for _, e := range l.feed {
		if e.mark != "" {
			told[e.kind+" "+e.mark]++
		}
	}
	for what, n := range l.found {
		if kind, _, _ := strings.Cut(what, " "); !slices.Contains(toldInFeed, kind) {
			continue
		}
		if n > 0 && told[what] != 1 {
			report("the feed tells %d times of the %s", told[what], what)
		}
	}
	for what := range told {
		if l.found[what] == 0 {
			report("the feed tells of the %s, which is not there", what)
		}
	}
}

// toldInFeed are the kinds of writes whose marks are in the event that tells of them.
var toldInFeed = []string{"request", "message"}

// checkReader checks that a reader got the feed from some event on: every event once, in order, with the same content.
func checkReader(name string, feed, got []event, report func(string, ...any)) {
	if len(got) == 0 {
		report("%s got nothing", name)
		return
	}
	start := slices.IndexFunc(feed, func(e event) bool { return e.id == got[0].id })
	if start < 0 {
		report("%s began with event %s, which the feed does not have", name, got[0].id)
		return
	}
	want := feed[start:]
	for n, e := range got {
		if n >= len(want) {
			report("%s got %d events after the end of the feed, the first is %s", name, len(got)-n, e.id)
			return
		}
		if e.id != want[n].id {
			at := slices.IndexFunc(feed, func(f event) bool { return f.id == e.id })
			report("%s got event %s (number %d of the feed) where %s (number %d) was next", name, e.id, at+1, want[n].id, start+n+1)
			return
		}
		if e.sum != want[n].sum {
			report("%s got event %s with another content", name, e.id)
		}
	}
	if missing := len(want) - len(got); missing > 0 {
		report("%s did not get the last %d events", name, missing)
	}
}

// checkHooks checks that the endpoint of a webhook accepted every event of the feed at least once, and those of one object in
// order.
func checkHooks(feed, got []event, report func(string, ...any)) {
	place := map[string]int{}
	for n, e := range feed {
		place[e.id] = n
	}
	first := map[string]bool{}
	last := map[string]int{} // the latest event of an object that was accepted
	for _, e := range got {
		n, known := place[e.id]
		if !known {
			report("the webhook was told of event %s, which the feed does not have", e.id)
			continue
		}
		if first[e.id] {
			continue // at least once
		}
		first[e.id] = true
		object := feed[n].object
		if before, ok := last[object]; ok && n < before {
			report("the webhook was told of event %s of %s after the later event %s", e.id, object, feed[before].id)
		}
		last[object] = max(n, last[object])
	}
	missing := 0
	for _, e := range feed {
		if !first[e.id] {
			if missing++; missing <= 3 {
				report("the webhook was not told of event %s of %s", e.id, e.object)
			}
		}
	}
	if missing > 3 {
		report("the webhook was not told of %d events", missing)
	}
}
