package trackertest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/tracker"
)

// read reads all pages after a cursor.
func (r *room) read(cursor string) (all []tracker.Comment, next string) {
	r.t.Helper()
	for range 1000 {
		p, err := r.tracker.Comments(r.ctx, r.ticket.ID, cursor)
		r.must(err)
		for _, c := range p.Comments {
			if len(all) > 0 && c.At.Before(all[len(all)-1].At) {
				r.t.Errorf("%s comes after a later one", c.ID)
			}
			all = append(all, c)
		}
		if cursor = p.Next; !p.More {
			return all, cursor
		}
	}
	r.t.Fatal("there is no last page")
	return nil, ""
}

// since returns the texts of the comments after a cursor.
func (r *room) since(cursor string) (texts []string, next string) {
	r.t.Helper()
	all, next := r.read(cursor)
	for _, c := range all {
		texts = append(texts, textOf(c.HTML))
	}
	return texts, next
}

func commentsContent(r *room) {
	_, next := r.read("")
	began := time.Now().Add(-time.Minute)
	id := r.Say(r.ticket.ID, "It is on fire", false)
	all, _ := r.read(next)
	if len(all) != 1 {
		r.t.Fatalf("there are %+v", all)
	}
	c := all[0]
	if c.ID != id || textOf(c.HTML) != "It is on fire" || c.Private || c.At.Before(began) {
		r.t.Errorf("it is %+v", c)
	}
	if c.Author != r.Author {
		r.t.Errorf("%+v has said it, and should be %+v", c.Author, r.Author)
	}
	if c.Key != "" {
		r.t.Errorf("somebody else's has the key %s", c.Key)
	}
}

// Many comments that are written together are each read once, in order. Later
// comments are found after the cursor.
func commentsEachOnce(r *room) {
	_, next := r.read("")
	var said []string
	for i := range 130 {
		said = append(said, fmt.Sprint("number ", i))
		r.Say(r.ticket.ID, said[i], false)
	}
	got, next := r.since(next)
	r.same("at first", got, said)
	if got, next = r.since(next); len(got) != 0 {
		r.t.Errorf("again: %q", got)
	}
	for i := range 5 {
		text := fmt.Sprint("later ", i)
		r.Say(r.ticket.ID, text, false)
		got, next = r.since(next)
		r.same("later", got, []string{text})
	}
	r.restart()
	if got, _ = r.since(next); len(got) != 0 {
		r.t.Errorf("after a restart: %q", got)
	}
	// From the beginning, everything is there again.
	if got, _ = r.since(""); len(got) < len(said)+5 {
		r.t.Errorf("from the beginning there are %d", len(got))
	}
}

// same compares texts. Texts with the same time may be in any order.
func (r *room) same(what string, got, want []string) {
	r.t.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		r.t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// A comment that is added between two pages is on one of them, or after them.
func commentsWhileReading(r *room) {
	_, cursor := r.read("")
	var said, got []string
	for i := range 120 {
		said = append(said, fmt.Sprint("before ", i))
		r.Say(r.ticket.ID, said[i], false)
	}
	for i := 0; ; i++ {
		p, err := r.tracker.Comments(r.ctx, r.ticket.ID, cursor)
		r.must(err)
		for _, c := range p.Comments {
			got = append(got, textOf(c.HTML))
		}
		cursor = p.Next
		if i < 3 {
			text := fmt.Sprint("meanwhile ", i)
			said = append(said, text)
			r.Say(r.ticket.ID, text, false)
		} else if !p.More {
			break
		}
	}
	rest, _ := r.since(cursor)
	r.same("all", append(got, rest...), said)
}

func commentsPrivate(r *room) {
	if !r.Private {
		r.t.Skip("nothing is private here")
	}
	_, next := r.read("")
	r.Say(r.ticket.ID, "between us", true)
	r.Say(r.ticket.ID, "for all", false)
	all, _ := r.read(next)
	for _, c := range all {
		if c.Private != (textOf(c.HTML) == "between us") {
			r.t.Errorf("it is %+v", c)
		}
	}
	if len(all) != 2 {
		r.t.Errorf("there are %d", len(all))
	}
}

// A text that was typed there reads the same here. If the system has signs for
// formatting, they may have formatted it.
func commentsHostile(r *room) {
	_, next := r.read("")
	for _, text := range []string{"<script>alert(1)</script>", "a < b && c > d", "@all hello", "💥 Привет 日本 é"} {
		r.Say(r.ticket.ID, text, false)
		all, after := r.read(next)
		next = after
		if len(all) != 1 {
			r.t.Errorf("%q is %+v", text, all)
			continue
		}
		if strings.Contains(all[0].HTML, "<script") {
			r.t.Errorf("%q is %s", text, all[0].HTML)
		}
	}
}
