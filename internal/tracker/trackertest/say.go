package trackertest

import (
	"fmt"
	"sync"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

// said returns a new comment of ours.
func said(text string) tracker.Said { return tracker.Said{Key: newKey(), HTML: paragraph(text)} }

// say adds a comment of ours to the ticket and returns its id.
func (r *room) say(s tracker.Said) string {
	r.t.Helper()
	id, err := r.tracker.Say(r.ctx, r.ticket.ID, s)
	r.must(err)
	return id
}

// count returns how often people there see a text, and the id of the last one.
func (r *room) count(text string) (n int, id string) {
	for _, s := range r.Read(r.ticket.ID) {
		if plain(s.Text) == plain(text) {
			n, id = n+1, s.ID
		}
	}
	return n, id
}

// once expects that people there see a text once, as the comment with this id.
func (r *room) once(text, id string) {
	r.t.Helper()
	if n, is := r.count(text); n != 1 || is != id {
		r.t.Errorf("%q is there %d times, as %s; it should be %s. There is %+v", text, n, is, id, r.Read(r.ticket.ID))
	}
}

func say(r *room) {
	_, next := r.read("")
	s := said("We are on it")
	id := r.say(s)
	r.once("We are on it", id)
	all, _ := r.read(next)
	if len(all) != 1 || all[0].ID != id || all[0].Key != s.Key || textOf(all[0].HTML) != "We are on it" || all[0].Private {
		r.t.Errorf("we read %+v; it has the key %s", all, s.Key)
	}
}

// A text stays text for the people there, and comes back unchanged.
func sayHostile(r *room) {
	_, next := r.read("")
	for _, text := range hostile {
		id := r.say(said(text))
		r.once(text, id)
		all, after := r.read(next)
		next = after
		if len(all) != 1 || textOf(all[0].HTML) != plain(text) {
			r.t.Errorf("%q comes back as %+v", text, all)
		}
	}
}

func sayPrivate(r *room) {
	s := said("between us")
	s.Private = true
	id := r.say(s)
	r.once("between us", id)
	for _, shown := range r.Read(r.ticket.ID) {
		if shown.ID == id && shown.Private != r.Private {
			r.t.Errorf("it is %+v", shown)
		}
	}
}

func saySameWords(r *room) {
	for range 2 {
		r.say(said("Hello"))
	}
	if n, _ := r.count("Hello"); n != 2 {
		r.t.Errorf("it is there %d times", n)
	}
}

// again repeats a comment that may already have been added.
func (r *room) again(s tracker.Said) string {
	r.t.Helper()
	r.restart()
	s.Again = true
	return r.say(s)
}

func sayAfterSuccess(r *room) {
	s := said("Hello")
	id := r.say(s)
	for range 3 {
		if again := r.again(s); again != id {
			r.t.Errorf("it was %s, and is %s", id, again)
		}
	}
	r.once("Hello", id)
	// A comment that was never added is added.
	r.once("Never", r.again(said("Never")))
}

// The comment is found even after many later comments of others.
func sayFarBehind(r *room) {
	s := said("Hello")
	id := r.say(s)
	for i := range 230 {
		r.Say(r.ticket.ID, fmt.Sprint("since ", i), false)
	}
	if again := r.again(s); again != id {
		r.t.Errorf("it was %s, and is %s", id, again)
	}
	r.once("Hello", id)
}

// Whichever call fails, the comment is there exactly once in the end.
func sayAtEachStep(r *room, f Fault) {
	for _, looks := range []bool{false, true} {
		for n := 1; ; n++ {
			text := fmt.Sprintf("step %d, %v", n, looks)
			s := said(text)
			s.Again = looks
			r.Misbehave(f, n)
			id, err := r.tracker.Say(r.ctx, r.ticket.ID, s)
			struck := r.Struck()
			if err != nil {
				r.kind(text, err, desk.Unavailable)
				id = r.again(s)
			}
			r.once(text, id)
			if !struck {
				break // there are no more calls
			}
			if n == steps {
				r.t.Fatal("it makes too many calls")
			}
		}
	}
}

func sayClosed(r *room) {
	if r.Close == nil {
		r.t.Skip("nothing is closed for good here")
	}
	r.Close(r.ticket.ID)
	_, err := r.tracker.Say(r.ctx, r.ticket.ID, said("Hello"))
	r.kind("say", err, desk.Refused)
	_, err = r.tracker.SetStatus(r.ctx, r.ticket.ID, desk.Open)
	r.kind("set", err, desk.Refused)
	if n, _ := r.count("Hello"); n != 0 {
		r.t.Error("it was said")
	}
	// The ticket can still be read.
	r.known()
	r.read("")
}

func sayMany(r *room) {
	var group sync.WaitGroup
	ids := make([]string, 20)
	errs := make([]error, len(ids))
	for i := range ids {
		group.Go(func() { ids[i], errs[i] = r.tracker.Say(r.ctx, r.ticket.ID, said(fmt.Sprint("number ", i))) })
	}
	group.Wait()
	for i := range ids {
		r.must(errs[i])
		r.once(fmt.Sprint("number ", i), ids[i])
	}
}
