package chattest

import (
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/chat"
)

// talk makes people write n messages at the top level.
func (r *room) talk(n int) (all []chat.Ref) {
	r.t.Helper()
	for i := range n {
		all = append(all, r.say(r.People[i%3], fmt.Sprintf("message %d", i)))
	}
	return all
}

// runs fails the test if the messages are not exactly these, in this order.
func (r *room) runs(what string, got []chat.Message, want []chat.Ref) {
	r.t.Helper()
	refs := make([]chat.Ref, len(got))
	for i, m := range got {
		refs[i] = m.Ref
	}
	if fmt.Sprint(refs) != fmt.Sprint(want) {
		r.t.Errorf("%s: got %v, want %v", what, refs, want)
	}
}

// History returns what the event had, and more.
func historyWhole(r *room) {
	root := r.say(r.customer, "the first")
	file := File{Name: "note.txt", Content: []byte("see above")}
	reply := r.reply(r.agent, root.ID, "a reply", file)
	last := r.reply(r.customer, root.ID, "the last reply")
	own := r.post(r.draft("ours"))
	all := r.history(chat.Span{Channel: r.channel})
	r.runs("the top level", all, []chat.Ref{root, own})
	if all[0].Replies != 2 || all[0].LastReply != last.ID || all[0].Thread != "" {
		r.t.Errorf("the beginning of a thread is %+v, want 2 replies, the last one %s", all[0], last.ID)
	}
	if all[1].Replies != 0 || all[1].LastReply != "" {
		r.t.Errorf("a message without replies is %+v", all[1])
	}
	thread := r.history(chat.Span{Channel: r.channel, Thread: root.ID})
	r.runs("the thread", thread, []chat.Ref{root, reply, last})
	for _, m := range append(all, thread...) {
		told := *r.heard(m.Ref)
		m.Replies, m.LastReply = 0, ""
		if fmt.Sprintf("%+v", told) != fmt.Sprintf("%+v", m) {
			r.t.Errorf("the history has\n\t%+v, but told was\n\t%+v", m, told)
		}
		if got := r.Link(m.Ref, m.Thread); got != m.Link {
			r.t.Errorf("the link of %v in %q is %q, want %q as the history has it", m.Ref, m.Thread, got, m.Link)
		}
		if got, err := r.Linked(m.Link); err != nil || got != m.Ref {
			r.t.Errorf("the link %q leads to %v, %v, want %v", m.Link, got, err, m.Ref)
		}
	}
	if f := thread[1].Files; len(f) != 1 || f[0].Name != file.Name || f[0].Size != int64(len(file.Content)) {
		r.t.Errorf("the file in the history is %+v", f)
	}
}

func historyPages(r *room) {
	if all := r.history(chat.Span{Channel: r.channel}); len(all) != 0 {
		r.t.Errorf("the history of a channel where nobody wrote is %+v", all)
	}
	want := r.talk(30)
	for _, limit := range []int{0, 4, 30, 31, 100_000} {
		r.runs(fmt.Sprintf("pages of %d", limit), r.history(chat.Span{Channel: r.channel, Limit: limit}), want)
	}
	r.runs("pages of 1", r.history(chat.Span{Channel: r.channel, After: want[25].ID, Limit: 1}), want[26:])
	for _, from := range []int{0, 13, 28, 29} {
		r.runs(fmt.Sprintf("after message %d", from), r.history(chat.Span{Channel: r.channel, After: want[from].ID}), want[from+1:])
	}
	for _, limit := range []int{1, 4, 7} {
		r.atMost(chat.Span{Channel: r.channel, Limit: limit}, want)
	}
}

// The newest are the last messages of the top level, oldest first. They never hide
// that there are earlier ones.
func historyNewest(r *room) {
	newest := func(limit int) chat.History {
		r.t.Helper()
		h, err := r.Connector.History(r.ctx, chat.Span{Channel: r.channel, Limit: limit, Newest: true})
		r.must(err)
		return h
	}
	if h := newest(5); len(h.Messages) != 0 || h.More {
		r.t.Errorf("the newest where nobody wrote are %+v", h)
	}
	want := r.talk(6)
	r.reply(r.agent, want[2].ID, "a reply, and so at no top level")
	for _, limit := range []int{1, 4, 5} {
		h := newest(limit)
		r.runs(fmt.Sprintf("the newest %d", limit), h.Messages, want[6-limit:])
		if !h.More {
			r.t.Errorf("the newest %d say that there are no others", limit)
		}
	}
	for _, limit := range []int{0, 6, 7, 100_000} {
		h := newest(limit)
		r.runs(fmt.Sprintf("the newest %d", limit), h.Messages, want)
		if limit == 0 && h.More { // otherwise a notice may be in the way
			r.t.Error("all of the newest say that there are others")
		}
	}
}

func historyThread(r *room) {
	root := r.say(r.customer, "a long story")
	want := []chat.Ref{root}
	for i := range 25 {
		want = append(want, r.reply(r.People[i%3], root.ID, fmt.Sprintf("part %d", i)))
		r.say(r.owner, "meanwhile")
	}
	for _, limit := range []int{0, 2, 7, 26, 100_000} {
		r.runs(fmt.Sprintf("a thread in pages of %d", limit), r.history(chat.Span{Channel: r.channel, Thread: root.ID, Limit: limit}), want)
	}
	for _, from := range []int{0, 1, 12, 24, 25} {
		got := r.history(chat.Span{Channel: r.channel, Thread: root.ID, After: want[from].ID})
		r.runs(fmt.Sprintf("a thread after message %d", from), got, want[from+1:])
	}
	r.runs("pages of 1", r.history(chat.Span{Channel: r.channel, Thread: root.ID, After: want[22].ID, Limit: 1}), want[23:])
	r.atMost(chat.Span{Channel: r.channel, Thread: root.ID, Limit: 1}, want)
	alone := r.say(r.customer, "nobody answers")
	r.runs("a thread without replies", r.history(chat.Span{Channel: r.channel, Thread: alone.ID}), []chat.Ref{alone})
}

// saidAt returns when messages were said, from their events.
func (r *room) saidAt(all []chat.Ref) (at []time.Time) {
	r.t.Helper()
	for _, ref := range all {
		at = append(at, r.heard(ref).At)
	}
	return at
}

func historySince(r *room) {
	want := r.talk(20)
	at := r.saidAt(want)
	r.runs("since long ago", r.history(chat.Span{Channel: r.channel, Since: time.Unix(0, 0), Limit: 6}), want)
	r.runs("since the future", r.history(chat.Span{Channel: r.channel, Since: at[19].Add(time.Hour)}), nil)
	for _, from := range []int{0, 9, 19} {
		for _, limit := range []int{0, 3} {
			s := chat.Span{Channel: r.channel, Since: at[from], Limit: limit}
			r.runs(fmt.Sprintf("since message %d, pages of %d", from, limit), r.history(s), want[from:])
			s.Since = at[from].Add(time.Nanosecond)
			r.runs(fmt.Sprintf("since just after message %d, pages of %d", from, limit), r.history(s), want[from+1:])
		}
	}
	for _, limit := range []int{0, 2} {
		s := chat.Span{Channel: r.channel, Since: at[12], After: want[8].ID, Limit: limit}
		r.runs("since a message behind the one to begin after", r.history(s), want[12:])
		s.After = want[12].ID
		r.runs("since the message to begin after", r.history(s), want[13:])
		s.After = want[15].ID
		r.runs("since a message before the one to begin after", r.history(s), want[16:])
	}
	r.atMost(chat.Span{Channel: r.channel, Since: at[5], Limit: 4}, want[5:])
}

// The first message of a thread is like the others: it appears only if it was said
// in the span.
func historyThreadSince(r *room) {
	before := r.say(r.owner, "before")
	root := r.say(r.customer, "a long story")
	want := []chat.Ref{root}
	for i := range 12 {
		want = append(want, r.reply(r.People[i%3], root.ID, fmt.Sprintf("part %d", i)))
		r.say(r.owner, "meanwhile")
	}
	at := r.saidAt(want)
	for _, limit := range []int{0, 1, 5} {
		s := chat.Span{Channel: r.channel, Thread: root.ID, Limit: limit, Since: r.heard(before).At}
		r.runs("a thread since before it began", r.history(s), want)
	}
	for _, from := range []int{0, 1, 7, 12} {
		for _, limit := range []int{0, 2} {
			s := chat.Span{Channel: r.channel, Thread: root.ID, Since: at[from], Limit: limit}
			r.runs(fmt.Sprintf("a thread since message %d, pages of %d", from, limit), r.history(s), want[from:])
			s.Since = at[from].Add(time.Nanosecond)
			r.runs(fmt.Sprintf("a thread since just after message %d, pages of %d", from, limit), r.history(s), want[from+1:])
		}
	}
	s := chat.Span{Channel: r.channel, Thread: root.ID, Since: at[6], After: root.ID, Limit: 3}
	r.runs("a thread since a message behind the one to begin after", r.history(s), want[6:])
	s.After = want[9].ID
	r.runs("a thread since a message before the one to begin after", r.history(s), want[10:])
	for _, since := range []time.Time{at[0], at[0].Add(-time.Millisecond)} {
		r.atMost(chat.Span{Channel: r.channel, Thread: root.ID, Since: since, Limit: 1}, want)
	}
	r.atMost(chat.Span{Channel: r.channel, Thread: root.ID, Since: at[1], Limit: 1}, want[1:])
}

// atMost fails the test if the first page of a span is not the beginning of these
// messages, with more to come.
func (r *room) atMost(s chat.Span, want []chat.Ref) {
	r.t.Helper()
	page, err := r.Connector.History(r.ctx, s)
	r.must(err)
	if n := len(page.Messages); n == 0 || n > s.Limit || !page.More {
		r.t.Fatalf("a page of at most %d has %d messages and More %v", s.Limit, n, page.More)
	}
	r.runs("a first page", page.Messages, want[:len(page.Messages)])
}

// A cursor may point to a message that was removed in the meantime.
func historyAfterRemoved(r *room) {
	all := r.talk(6)
	r.must(r.People[2].Delete(all[2]))
	r.runs("after a removed message", r.history(chat.Span{Channel: r.channel, After: all[2].ID}), all[3:])
	replies := []chat.Ref{}
	for i := range 4 {
		replies = append(replies, r.reply(r.customer, all[5].ID, fmt.Sprintf("reply %d", i)))
	}
	r.must(r.customer.Delete(replies[1]))
	r.runs("in a thread after a removed message",
		r.history(chat.Span{Channel: r.channel, Thread: all[5].ID, After: replies[1].ID}), replies[2:])
}

// Messages said while events were lost are in the history after the last one
// received.
func historyFillsGaps(r *room) {
	last := r.say(r.customer, "heard")
	r.heard(last)
	r.misbehave(Fault{Kind: LoseEvent})
	gap := r.talk(8)
	reply := r.reply(r.agent, last.ID, "not heard")
	r.misbehave(Fault{})
	end := r.say(r.customer, "heard again")
	r.heard(end)
	told := r.Inbox.all(func(e chat.Event) bool { return e.Message != nil && slices.Contains(gap, e.Message.Ref) })
	if len(told) > len(gap)/2 {
		r.t.Fatalf("the world lost hardly anything; told was\n%s", list(told))
	}
	r.runs("the gap", r.history(chat.Span{Channel: r.channel, After: last.ID}), append(gap, end))
	r.runs("the gap in a thread", r.history(chat.Span{Channel: r.channel, Thread: last.ID, After: last.ID}), []chat.Ref{reply})
}
