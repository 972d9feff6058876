package chattest

import (
	"crypto/rand"
	"slices"
	"time"
)

// entry is a message. Its id has no meaning.
type entry struct {
	forum, id, thread string
	author            string
	app               string // the program that wrote it; empty for a person
	only              string // the only person who sees it
	body
	files      []attachment
	glyphs     []glyph
	at, edited time.Time
	gone       bool
}

// body is the part of an entry that can be edited.
type body struct {
	text  string
	knobs []knob
}

// knob is a button.
type knob struct{ key, label, value, style string }

type attachment struct{ id, name, content string }

// glyph is an emoji under an entry.
type glyph struct {
	glyph string
	users []string
}

// draft is what somebody writes, in a forum or to a person.
type draft struct {
	forum, to, thread, only string
	body
	files []File
	name  string // the client's own name for it
}

// write adds an entry, once for each name that a client gave.
func (s *system) write(by *account, app string, d draft) (*entry, error) {
	f, err := s.goal(by, d)
	if err != nil {
		return nil, err
	}
	name := app + " " + d.name
	if e := s.named[name]; e != nil && d.name != "" && d.only == "" {
		return e, nil
	}
	if f.closed {
		return nil, closed
	}
	if d.thread != "" {
		root, err := s.entry(f, d.thread)
		if err != nil {
			return nil, err
		}
		if d.thread = root.id; root.thread != "" {
			d.thread = root.thread
		}
	}
	e := &entry{forum: f.id, id: rand.Text(), thread: d.thread, author: by.id, app: app, only: d.only, body: d.body, at: s.now()}
	for _, u := range d.files {
		e.files = append(e.files, attachment{rand.Text(), u.Name, string(u.Content)})
	}
	f.entries = append(f.entries, e)
	if e.only == "" {
		s.named[name] = e
		s.tellOf(f, note{what: entryIs, entry: *e})
	}
	return e, nil
}

// goal returns where a draft goes.
func (s *system) goal(by *account, d draft) (*forum, error) {
	if d.to == "" {
		return s.found(by, d.forum)
	}
	other, err := s.account(d.to)
	if err != nil {
		return nil, err
	}
	return s.direct(by, other), nil
}

// entry returns a message that everybody can see.
func (s *system) entry(f *forum, id string) (*entry, error) {
	at := slices.IndexFunc(f.entries, func(e *entry) bool { return e.id == id && !e.gone && e.only == "" })
	if at < 0 {
		return nil, notThere
	}
	return f.entries[at], nil
}

// own returns an entry that an account may change.
func (s *system) own(by *account, app, forum, id string) (*forum, *entry, error) {
	f, err := s.found(by, forum)
	if err != nil {
		return nil, nil, err
	}
	e, err := s.entry(f, id)
	if err == nil && (e.app != app || app == "" && e.author != by.id) {
		err = notYours
	}
	return f, e, err
}

func (s *system) change(by *account, app, forum, id string, b body) error {
	f, e, err := s.own(by, app, forum, id)
	if err != nil {
		return err
	}
	e.body, e.edited = b, s.now()
	s.tellOf(f, note{what: entryIs, entry: *e})
	return nil
}

func (s *system) remove(by *account, app, forum, id string) error {
	f, e, err := s.own(by, app, forum, id)
	if err != nil {
		return err
	}
	e.gone = true
	s.tellOf(f, note{what: entryGone, entry: *e})
	return nil
}

// react adds a glyph to an entry or removes it. Doing so twice has no further
// effect.
func (s *system) react(by *account, forum, id, name string, on bool) error {
	f, err := s.found(by, forum)
	if err != nil {
		return err
	}
	e, err := s.entry(f, id)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(e.glyphs, func(g glyph) bool { return g.glyph == name })
	if has := at >= 0 && slices.Contains(e.glyphs[at].users, by.id); has == on {
		return nil
	}
	if at < 0 {
		at = len(e.glyphs)
		e.glyphs = append(e.glyphs, glyph{glyph: name})
	}
	g := &e.glyphs[at]
	if on {
		g.users = append(g.users, by.id)
	} else {
		g.users = slices.DeleteFunc(g.users, func(id string) bool { return id == by.id })
	}
	if len(g.users) == 0 {
		e.glyphs = slices.Delete(e.glyphs, at, at+1)
	}
	s.tellOf(f, note{what: glyphIs, entry: *e, user: by.id, glyph: name, on: on})
	return nil
}

// page returns a page of a forum or a thread, oldest first. A removed entry still
// has its place.
func (s *system) page(by *account, forum, thread, after string, since time.Time, limit int) (page []*entry, more bool, err error) {
	f, err := s.found(by, forum)
	if err != nil {
		return nil, false, err
	}
	if thread != "" {
		if _, err := s.entry(f, thread); err != nil {
			return nil, false, err
		}
	}
	from := 0
	if after != "" {
		if from = 1 + slices.IndexFunc(f.entries, func(e *entry) bool { return e.id == after }); from == 0 {
			return nil, false, notThere
		}
	}
	if limit == 0 || limit > pageSize {
		limit = pageSize
	}
	for _, e := range f.entries[from:] {
		if e.gone || e.only != "" || e.at.Before(since) || e.thread != thread && !(thread != "" && e.id == thread) {
			continue
		}
		if len(page) == limit {
			return page, true, nil
		}
		page = append(page, e)
	}
	return page, false, nil
}

// latest returns the last entries of a forum's top level, oldest first.
func (s *system) latest(by *account, forum string, limit int) (page []*entry, more bool, err error) {
	f, err := s.found(by, forum)
	if err != nil {
		return nil, false, err
	}
	if limit == 0 || limit > pageSize {
		limit = pageSize
	}
	for _, e := range slices.Backward(f.entries) {
		if e.gone || e.only != "" || e.thread != "" {
			continue
		}
		if more = len(page) == limit; more {
			break
		}
		page = append(page, e)
	}
	slices.Reverse(page)
	return page, more, nil
}

// replies returns how many replies an entry has, and the last one.
func (s *system) replies(root *entry) (n int, last string) {
	for _, e := range s.forum(root.forum).entries {
		if e.thread == root.id && !e.gone && e.only == "" {
			n, last = n+1, e.id
		}
	}
	return n, last
}

// fetch returns the content of a file that an account may see.
func (s *system) fetch(by *account, id string) (string, error) {
	for _, f := range s.forums {
		for _, e := range f.entries {
			for _, file := range e.files {
				if file.id == id && !e.gone && f.members[by.id] {
					return file.content, nil
				}
			}
		}
	}
	return "", notThere
}
