package service

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/desk"
)

// presences is what this process knows of who is at which request. Every process hears
// what the others are told, so each knows all of it. What a process has missed, the
// next calls of the tabs say again, and what nobody says again ends by itself.
type presences struct {
	now func() time.Time

	mu       sync.Mutex
	sessions map[sessionKey]*presentSession
	at       map[requestPlace]map[*presentTab]bool
	swept    time.Time
}

// requestPlace is a request of an account.
type requestPlace struct {
	account desk.AccountID
	request desk.RequestID
}

type sessionKey struct {
	account desk.AccountID
	token   desk.TokenID
}

// presentSession is a session that is at requests, or that listens.
type presentSession struct {
	tabs      map[string]*presentTab
	followers map[*PresenceFollower]bool
}

// presentTab is where one tab of a session is.
type presentTab struct {
	session *presentSession
	place   requestPlace
	who     desk.Present
	until   time.Time
}

func newPresences(now func() time.Time) *presences {
	return &presences{now: now, sessions: map[sessionKey]*presentSession{}, at: map[requestPlace]map[*presentTab]bool{}}
}

// session returns a session, which it makes if there is none.
func (p *presences) session(key sessionKey) *presentSession {
	s := p.sessions[key]
	if s == nil {
		s = &presentSession{tabs: map[string]*presentTab{}, followers: map[*PresenceFollower]bool{}}
		p.sessions[key] = s
	}
	return s
}

// forget drops a session that is nowhere and to which nobody listens.
func (p *presences) forget(key sessionKey) {
	if s := p.sessions[key]; s != nil && len(s.tabs)+len(s.followers) == 0 {
		delete(p.sessions, key)
	}
}

// find returns who a tab said that it is, if it is at a request now. full reports that
// the session has no room for one more tab. It looks at the tabs of this session alone:
// somebody goes to another request a hundred times a second, and all tabs of everybody
// would be the square of the people.
func (p *presences) find(key sessionKey, tab string, at requestPlace) (who desk.Present, found, full bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.sessions[key]
	if s == nil {
		return who, false, false
	}
	t := s.tabs[tab]
	if t == nil {
		p.dropSilent(s)
		return who, false, len(s.tabs) >= desk.MostTabs
	}
	return t.who, t.place == at && p.now().Before(t.until), false
}

// put says that a tab is at a request, and wakes those whom a change concerns.
func (p *presences) put(key sessionKey, tab string, at requestPlace, who desk.Present) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if now.Sub(p.swept).Abs() > desk.PresenceKept {
		p.sweep()
	}
	s := p.session(key)
	was, until := s.tabs[tab], now.Add(desk.PresenceKept)
	if was != nil && was.place == at && was.who == who && now.Before(was.until) {
		was.until = until
		return
	}
	p.remove(s, tab)
	t := &presentTab{s, at, who, until}
	s.tabs[tab] = t
	if p.at[at] == nil {
		p.at[at] = map[*presentTab]bool{}
	}
	p.at[at][t] = true
	p.wake(at)
}

// leave says that a tab has left a request. It may be at another by now, because calls
// overtake each other.
func (p *presences) leave(key sessionKey, tab string, at requestPlace) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.sessions[key]
	if s == nil {
		return
	}
	if t := s.tabs[tab]; t != nil && t.place == at {
		p.remove(s, tab)
		p.forget(key)
	}
}

// remove takes a tab away from its request.
func (p *presences) remove(s *presentSession, tab string) {
	t := s.tabs[tab]
	if t == nil {
		return
	}
	delete(s.tabs, tab)
	delete(p.at[t.place], t)
	if len(p.at[t.place]) == 0 {
		delete(p.at, t.place)
	}
	p.wake(t.place)
}

// sweep removes the tabs that are silent. Nobody is shown them even before.
func (p *presences) sweep() {
	p.swept = p.now()
	for key, s := range p.sessions {
		p.dropSilent(s)
		p.forget(key)
	}
}

// dropSilent removes the tabs of one session that are silent.
func (p *presences) dropSilent(s *presentSession) {
	now := p.now()
	for tab, t := range s.tabs {
		if !now.Before(t.until) {
			p.remove(s, tab)
		}
	}
}

// wake wakes the streams of the sessions that are at a request. A change of one request
// reaches nobody else.
func (p *presences) wake(at requestPlace) {
	for t := range p.at[at] {
		for f := range t.session.followers {
			select {
			case f.bell <- struct{}{}:
			default: // it has not looked since the last time
			}
		}
	}
}

// others returns who is at a request besides a member, each once, sorted by name.
func (p *presences) others(at requestPlace, member desk.MemberID) []desk.Present {
	now := p.now()
	all := []desk.Present{}
	for t := range p.at[at] {
		if t.who.Member != member && now.Before(t.until) {
			all = append(all, t.who)
		}
	}
	// Who writes in one tab and looks in another, writes.
	slices.SortFunc(all, func(a, b desk.Present) int {
		return cmp.Or(cmp.Compare(a.Member, b.Member), cmp.Compare(b.Doing, a.Doing))
	})
	all = slices.CompactFunc(all, func(a, b desk.Present) bool { return a.Member == b.Member })
	slices.SortStableFunc(all, func(a, b desk.Present) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
