package main

import (
	"slices"
	"strings"
	"testing"
)

// soundLedger returns a ledger of a run in which nothing went wrong.
func soundLedger() *ledger {
	feed := []event{
		{id: "0", object: "account 1", sum: 10},
		{id: "1", object: "request 1", kind: "request", mark: "a", sum: 11},
		{id: "2", object: "request 2", kind: "request", mark: "b", sum: 12},
		{id: "3", object: "request 1", kind: "message", mark: "c", sum: 13},
		{id: "4", object: "request 1", sum: 14},
		{id: "5", object: "request 2", sum: 15},
	}
	return &ledger{
		writes: []write{{"request", "a", acknowledged}, {"request", "b", unanswered}, {"request", "x", unanswered}, {"message", "c", acknowledged}, {"update", "u", acknowledged}},
		found:  map[string]int{"request a": 1, "request b": 1, "message c": 1, "update u": 1},
		feed:   feed, seqs: []int64{6, 7, 8, 9, 10, 11}, before: 1,
		readers: map[string][]event{"reader 1": feed, "stream 1": feed[3:]},
		hooks:   []event{feed[2], feed[1], feed[1], feed[3], feed[5], feed[4], feed[2]},
		copies:  []copied{{"n", "C1", "success", 1}},
		mails:   []mailed{{"c", "sent", 1}, {"d", "perhaps_sent", 0}, {"e", "perhaps_sent", 1}},
		files:   []filed{{"a", ""}},
		titles:  []titled{{"1", "u", "u", []string{"t"}}, {"2", "v", "u", []string{"v"}}, {"3", "request-0-1", "", nil}},
	}
}

// Every way in which a run can go wrong is found, and a sound run has no problems.
func TestLedger(t *testing.T) {
	if problems := soundLedger().check(); len(problems) > 0 {
		t.Errorf("a sound ledger: %q", problems)
	}
	for name, c := range map[string]struct {
		spoil func(l *ledger)
		want  string
	}{
		"a lost write":              {func(l *ledger) { delete(l.found, "update u") }, "the update u was acknowledged and is not there"},
		"a doubled write":           {func(l *ledger) { l.found["message c"] = 2 }, "the message c is there 2 times"},
		"a doubled unanswered one":  {func(l *ledger) { l.found["request b"] = 2 }, "the request b is there 2 times"},
		"a write of nobody":         {func(l *ledger) { l.found["update z"] = 1 }, "nobody asked for the update z"},
		"a gap in the numbers":      {func(l *ledger) { l.seqs[4] = 12 }, "event number 12 follows number 9"},
		"an event without its page": {func(l *ledger) { l.seqs = append(l.seqs, 12) }, "there are 7 events, and the feed has 6"},
		"a silent change":           {func(l *ledger) { l.feed = slices.Clone(l.feed); l.feed[3].mark = "" }, "the feed tells 0 times of the message c"},
		"a change told of twice":    {func(l *ledger) { l.feed = slices.Clone(l.feed); l.feed[4].kind, l.feed[4].mark = "message", "c" }, "the feed tells 2 times of the message c"},
		"a change that is not":      {func(l *ledger) { l.found["request b"] = 0 }, "the feed tells of the request b, which is not there"},
		"a reader that lost one":    {func(l *ledger) { l.readers["stream 1"] = []event{l.feed[3], l.feed[5]} }, "stream 1 got event 5 (number 6 of the feed) where 4 (number 5) was next"},
		"a reader that got one twice": {func(l *ledger) { l.readers["reader 1"] = slices.Insert(slices.Clone(l.feed), 2, l.feed[1]) },
			"reader 1 got event 1 (number 2 of the feed) where 2 (number 3) was next"},
		"a reader out of order": {func(l *ledger) {
			l.readers["reader 1"] = []event{l.feed[1], l.feed[3], l.feed[2], l.feed[4], l.feed[5]}
		}, "reader 1 got event 3"},
		"a reader left behind":         {func(l *ledger) { l.readers["reader 1"] = l.feed[:4] }, "reader 1 did not get the last 2 events"},
		"a reader ahead":               {func(l *ledger) { l.readers["reader 1"] = append(slices.Clone(l.feed), event{id: "6"}) }, "reader 1 got 1 events after the end of the feed, the first is 6"},
		"an event that changed":        {func(l *ledger) { l.readers["stream 1"] = []event{l.feed[3], l.feed[4], {id: "5", sum: 1}} }, "stream 1 got event 5 with another content"},
		"an event that was taken back": {func(l *ledger) { l.readers["stream 1"] = []event{{id: "lost"}} }, "stream 1 began with event lost, which the feed does not have"},
		"an idle reader":               {func(l *ledger) { l.readers["stream 1"] = nil }, "stream 1 got nothing"},
		"a webhook that lost one":      {func(l *ledger) { l.hooks = l.hooks[1:6] }, "the webhook was not told of event 2 of request 2"},
		"a webhook out of order":       {func(l *ledger) { l.hooks = []event{l.feed[1], l.feed[5], l.feed[4], l.feed[3], l.feed[2]} }, "the webhook was told of event 3 of request 1 after the later event 4"},
		"a webhook of nothing":         {func(l *ledger) { l.hooks = append(l.hooks, event{id: "9"}) }, "the webhook was told of event 9, which the feed does not have"},
		"a copy that is missing":       {func(l *ledger) { l.copies[0].stands = 0 }, `the copy of announcement n in channel C1 is "success" and stands there 0 times`},
		"a copy posted twice":          {func(l *ledger) { l.copies[0].stands = 2 }, "stands there 2 times"},
		"a copy that waits":            {func(l *ledger) { l.copies[0].status = "" }, `is "" and stands there 1 times`},
		"a mail sent twice":            {func(l *ledger) { l.mails[0].stored = 2 }, `the mail c is "sent" and was stored 2 times`},
		"a mail that was not sent":     {func(l *ledger) { l.mails[0].stored = 0 }, `the mail c is "sent" and was stored 0 times`},
		"a mail perhaps sent twice":    {func(l *ledger) { l.mails[2].stored = 2 }, `the mail e is "perhaps_sent" and was stored 2 times`},
		"a mail that waits":            {func(l *ledger) { l.mails[1].status = "sending" }, `the mail d is "sending"`},
		"a file that is lost":          {func(l *ledger) { l.files[0].problem = "404" }, "the file of a: 404"},
		"an update taken back":         {func(l *ledger) { l.titles[0].title = "s" }, "request 1 is called s; the last acknowledged update called it u"},
		"work that is left":            {func(l *ledger) { l.unfinished = map[string]int{"jobs are overdue": 2} }, "2 jobs are overdue"},
		"an odd answer":                {func(l *ledger) { l.odd = map[string]int{"a call was answered with 500": 1} }, "1 times: a call was answered with 500"},
		"a broken chain":               {func(l *ledger) { l.audit = "entry 5 was changed" }, "the audit log: entry 5 was changed"},
	} {
		l := soundLedger()
		c.spoil(l)
		if !slices.ContainsFunc(l.check(), func(p string) bool { return strings.Contains(p, c.want) }) {
			t.Errorf("%s: %q, want %q", name, l.check(), c.want)
		}
	}
}
