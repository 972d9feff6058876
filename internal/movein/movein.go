// Package movein reads what other systems export, and what we export, and imports it.
// It also writes our own export. It knows the formats of files. It does not know the
// database: whoever uses it hands in the operations that import and list requests.
package movein

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"frontdesk/internal/desk"
)

// System is where files come from.
type System string

const (
	Zendesk   System = "zendesk"
	Zammad    System = "zammad"
	Chatwoot  System = "chatwoot"
	Frontdesk System = "frontdesk" // our own export
)

// kind says what a record of a file is.
type kind string

const (
	unknown      kind = ""
	request      kind = "request"
	user         kind = "user"
	organization kind = "organization"
	inside       kind = "inside" // not a record: its fields may hold records
)

// format reads the records of one system.
type format interface {
	// lists returns the fields of a document that hold records, and of which kind.
	lists() map[string]kind
	// kindOf returns what a record is, by its content.
	kindOf(o object) kind
	// learn keeps a record that requests refer to.
	learn(k kind, o object)
	// request reads a request.
	request(o object) Item
}

func (s System) format() format {
	switch s {
	case Zendesk:
		return newZendesk()
	case Zammad:
		return zammad{}
	case Chatwoot:
		return chatwoot{}
	case Frontdesk:
		return frontdesk{}
	}
	return nil
}

// Item is a request that was read from a file, or the reasons why it was not.
type Item struct {
	File         string
	Line         int // where it begins, from 1
	ID           string
	Request      desk.ImportedRequest
	Organization string   // its name in the other system; empty for none
	LeftOut      string   // why it is not a request to import, such as "deleted"
	Problems     []string // why it cannot be read

	MessagesCut int  // messages that were more than one request may have
	TextsCut    int  // texts that were too long
	Files       int  // files, which stay behind
	HasValues   bool // custom fields, which stay behind, too
}

// size estimates the memory that an item takes.
func (it Item) size() (n int) {
	for _, m := range it.Request.Messages {
		for _, text := range []*string{m.HTML, m.Text} {
			if text != nil {
				n += len(*text)
			}
		}
	}
	return n
}

// Read returns the requests in files, one after the other. Only one of them is in
// memory at a time, besides the people and organisations that they refer to. A file
// that is broken in the middle ends with an item that says so, and reading goes on
// with the next one. The error is about a file that cannot be opened.
func Read(ctx context.Context, s System, files []string) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		f := s.format()
		if f == nil {
			yield(Item{}, fmt.Errorf("there is no format %q", s))
			return
		}
		if err := learnAll(ctx, f, files); err != nil {
			yield(Item{}, err)
			return
		}
		for r, err := range records(ctx, f, files) {
			if err != nil {
				yield(Item{}, err)
				return
			}
			it, is := readItem(f, r)
			it.File, it.Line = r.file, r.line
			if is && !yield(it, nil) {
				return
			}
		}
	}
}

// learnAll reads the files for the people and organisations in them. They may come
// after the requests that refer to them, so the files are read twice.
func learnAll(ctx context.Context, f format, files []string) error {
	kinds := slices.Collect(maps.Values(f.lists()))
	if !slices.Contains(kinds, user) && !slices.Contains(kinds, organization) {
		return nil
	}
	for r, err := range records(ctx, f, files) {
		if err != nil {
			return err
		}
		o := newObject(r.fields)
		if k := r.kindFor(f, o); r.problem == "" && (k == user || k == organization) {
			f.learn(k, o)
		}
	}
	return nil
}

// readItem reads a record; false if it is not about a request.
func readItem(f format, r record) (it Item, is bool) {
	if r.problem != "" {
		return Item{Problems: []string{r.problem}}, true
	}
	o := newObject(r.fields)
	switch r.kindFor(f, o) {
	case request:
		it = f.request(o)
		it.tidy()
		it.Problems = append(it.Problems, *o.problems...)
		return it, true
	case unknown:
		return Item{Problems: []string{"is not a record that is known: it has the fields " + o.names()}}, true
	}
	return it, false
}

func (r record) kindFor(f format, o object) kind {
	if r.kind != unknown {
		return r.kind
	}
	return f.kindOf(o)
}

// noText stands for a message without any, for example one that was only a file.
const noText = "(no text)"

// tidy brings a request within the limits of an import where that loses little. What
// is lost is counted.
func (it *Item) tidy() {
	n := &it.Request
	if n.Title != nil {
		*n.Title = desk.Shorten(strings.Join(strings.Fields(*n.Title), " "), desk.MostTitle)
		if *n.Title == "" {
			n.Title = nil
		}
	}
	n.Tags = tidyTags(n.Tags)
	if n.Requester == (desk.Requester{}) {
		n.Requester.Name = "Unknown"
	}
	if n.CreatedAt != nil {
		for _, at := range []**time.Time{&n.UpdatedAt, &n.FirstResponseAt, &n.SolvedAt, &n.ClosedAt} {
			if *at != nil && (*at).Before(*n.CreatedAt) {
				*at = nil
			}
		}
	}
	for i := range n.Messages {
		m := &n.Messages[i]
		if who := m.Author; m.Responder != nil && !*m.Responder && who.Email == "" && who.Name == n.Requester.Name {
			m.Author = desk.Requester{} // the requester, about whom more may be known
		}
		if m.CreatedAt == nil {
			m.CreatedAt = n.CreatedAt
		}
		for _, text := range []*string{m.HTML, m.Text} {
			if text == nil {
				continue
			}
			if strings.TrimSpace(*text) == "" {
				*text = noText
			}
			if utf8.RuneCountInString(*text) > desk.MostImportedText {
				*text = desk.Shorten(*text, desk.MostImportedText)
				it.TextsCut++
			}
		}
	}
	it.cutHistory()
}

// tidyTags drops empty tags and shortens what is too long.
func tidyTags(given []string) (tags []string) {
	for _, tag := range given {
		tag = desk.Shorten(strings.TrimSpace(tag), desk.MostTag)
		if tag != "" && !slices.Contains(tags, tag) && len(tags) < desk.MostTags {
			tags = append(tags, tag)
		}
	}
	return tags
}

// cutHistory leaves out messages in the middle of a history that is too long: how it
// began and how it ended matter most. A note says how many are missing.
func (it *Item) cutHistory() {
	all := it.Request.Messages
	more := len(all) - desk.MostImportedMessages
	if more <= 0 {
		return
	}
	if !slices.ContainsFunc(all, func(m desk.ImportedMessage) bool { return m.CreatedAt == nil }) {
		slices.SortStableFunc(all, func(a, b desk.ImportedMessage) int { return a.CreatedAt.Compare(*b.CreatedAt) })
	}
	const first = desk.MostImportedMessages / 2
	more++ // the note needs a place
	text := fmt.Sprintf("%d messages are left out here, because an imported request has at most %d.", more, desk.MostImportedMessages)
	responder := true
	note := desk.ImportedMessage{Text: &text, Author: desk.Requester{Name: "Import"}, Responder: &responder, Private: true, CreatedAt: all[first].CreatedAt}
	it.Request.Messages = slices.Concat(all[:first], []desk.ImportedMessage{note}, all[first+more:])
	it.MessagesCut = more
}

// person returns somebody by name and email. An email that is none is dropped.
func person(name, email string) desk.Requester {
	var p desk.Problems
	if p.Email("email", &email); p.Err() != nil {
		email = ""
	}
	return desk.Requester{Name: desk.Shorten(strings.Join(strings.Fields(name), " "), desk.MostPersonName), Email: email}
}

// optional returns a pointer to a text, or nil if it is empty.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// assigneeOf names the person that a request was assigned to, by email if it is
// known. Users here are found by it.
func assigneeOf(who desk.Requester) *string {
	if who.Email != "" {
		return &who.Email
	}
	return optional(who.Name)
}
