package chattest

import (
	"crypto/rand"
	"slices"
	"sync"
	"time"
)

// system is a small chat system. Its methods are called with mu held, by call for
// connectors and by act for people. They return a refusal for what is not allowed.
type system struct {
	mu       sync.Mutex
	id       string
	ahead    time.Duration // offset from the real time
	last     time.Time
	accounts []*account
	groups   []*group
	forums   []*forum
	named    map[string]*entry // by the names that clients gave
	keys     map[string]*key   // credentials of connectors
	cursors  map[string]int    // where pages begin
	triggers map[string]*trigger
	sheets   []*sheet
	trouble  trouble
	tidings  tidings
}

// account is a person or a bot.
type account struct {
	id, name, email string
	left, bot       bool
	guest           bool
	away            bool
	rest, rested    time.Time // when not to disturb them
}

// group is a team.
type group struct {
	id, name string
	members  []string
}

// forum is a channel or, without a name, the direct messages of its members.
type forum struct {
	id, name        string
	private, closed bool
	members         map[string]bool
	entries         []*entry // in order; removed ones keep their place
}

// key lets a connector act as an account.
type key struct {
	account *account
	revoked bool
}

// refusal is why the system does not do what it is asked to.
type refusal string

const (
	noEntry  refusal = "no entry"
	notThere refusal = "not there"
	stranger refusal = "not a member"
	notYours refusal = "not yours"
	closed   refusal = "closed"
	tooLate  refusal = "too late"
)

func (r refusal) Error() string { return string(r) }

// pageSize is small and odd, so that tests need several pages.
const pageSize = 7

func newSystem() *system {
	return &system{id: rand.Text(), named: map[string]*entry{}, keys: map[string]*key{}, cursors: map[string]int{},
		triggers: map[string]*trigger{}, tidings: tidings{bell: make(chan struct{}, 1)}}
}

// now returns a time that is at least a millisecond later than the last one.
func (s *system) now() time.Time {
	now := time.Now().Add(s.ahead).UTC().Truncate(time.Millisecond)
	if !now.After(s.last) {
		now = s.last.Add(time.Millisecond)
	}
	s.last = now
	return now
}

// listed returns a page of a list. A cursor is opaque to its holder.
func listed[T any](s *system, all []T, cursor string) (page []T, next string, err error) {
	from, ok := s.cursors[cursor]
	if cursor != "" && !ok {
		return nil, "", notThere
	}
	page = all[min(from, len(all)):]
	if len(page) > pageSize {
		page = page[:pageSize]
		next = rand.Text()
		s.cursors[next] = from + pageSize
	}
	return page, next, nil
}

func (s *system) account(id string) (*account, error) {
	at := slices.IndexFunc(s.accounts, func(a *account) bool { return a.id == id })
	if at < 0 {
		return nil, notThere
	}
	return s.accounts[at], nil
}

// invite adds a person. The system reports only that the people have changed.
func (s *system) invite(name, email string, bot bool) *account {
	a := &account{id: rand.Text(), name: name, email: email, bot: bot}
	s.accounts = append(s.accounts, a)
	s.tell(note{what: peopleChanged})
	return a
}

func (s *system) changeAccount(id string, change func(*account)) error {
	a, err := s.account(id)
	if err == nil {
		change(a)
		s.tell(note{what: peopleChanged})
	}
	return err
}

// unattended returns which of the accounts would not notice anything now. The
// system reports this only when asked.
func (s *system) unattended(ids []string) map[string]bool {
	now, all := s.now(), map[string]bool{}
	for _, a := range s.accounts {
		if slices.Contains(ids, a.id) && (a.away || !now.Before(a.rest) && now.Before(a.rested)) {
			all[a.id] = true
		}
	}
	return all
}

// team makes a team or changes its members, and reports the whole team.
func (s *system) team(id, name string, members []string) (string, error) {
	at := slices.IndexFunc(s.groups, func(g *group) bool { return g.id == id })
	switch {
	case id == "":
		at = len(s.groups)
		s.groups = append(s.groups, &group{id: rand.Text(), name: name})
	case at < 0:
		return "", notThere
	}
	g := s.groups[at]
	g.members = slices.Clone(members)
	s.tell(note{what: teamIs, group: group{g.id, g.name, g.members}})
	return g.id, nil
}

// visible returns the channels that an account may know of.
func (s *system) visible(by *account) (all []*forum) {
	for _, f := range s.forums {
		if f.name != "" && (!f.private || f.members[by.id]) {
			all = append(all, f)
		}
	}
	return all
}

// forum returns the forum with an id, or nil.
func (s *system) forum(id string) *forum {
	at := slices.IndexFunc(s.forums, func(f *forum) bool { return f.id == id })
	if at < 0 {
		return nil
	}
	return s.forums[at]
}

// found returns a forum that an account may use.
func (s *system) found(by *account, id string) (*forum, error) {
	f := s.forum(id)
	switch {
	case f == nil:
		return nil, notThere
	case !f.members[by.id]:
		return nil, stranger
	}
	return f, nil
}

func (s *system) openForum(name string, private bool, members ...string) *forum {
	f := &forum{id: rand.Text(), name: name, private: private, members: map[string]bool{}}
	for _, id := range members {
		f.members[id] = true
	}
	s.forums = append(s.forums, f)
	s.tellForum(f)
	return f
}

// direct returns the forum of exactly two people.
func (s *system) direct(a, b *account) *forum {
	for _, f := range s.forums {
		if f.name == "" && f.members[a.id] && f.members[b.id] {
			return f
		}
	}
	return s.openForum("", true, a.id, b.id)
}

// tellForum reports to those who may know of a channel that the channels have
// changed.
func (s *system) tellForum(f *forum) {
	if f.name != "" && (!f.private || s.hears(f)) {
		s.tell(note{what: forumsChanged})
	}
}

// hears reports whether a bot is in a forum.
func (s *system) hears(f *forum) bool {
	return slices.ContainsFunc(s.accounts, func(a *account) bool { return a.bot && !a.left && f.members[a.id] })
}

func (s *system) join(by *account, id string) error {
	if _, err := s.found(by, id); err != stranger {
		return err
	}
	f := s.forum(id)
	if f.private {
		return stranger
	}
	return s.admit(f, by.id)
}

func (s *system) admit(f *forum, ids ...string) error {
	if f.closed {
		return closed
	}
	for _, id := range ids {
		f.members[id] = true
	}
	s.tellForum(f)
	return nil
}
