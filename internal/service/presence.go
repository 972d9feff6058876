package service

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// topicPresence is what processes tell each other of who is where.
const topicPresence = "presence"

// SetPresence says what the caller does at a request, in one tab of their browser, and
// returns who else is there. It is true for desk.PresenceKept, so it is said again and
// again. Nothing is stored. It returns ErrSessionOnly to tokens, and NotFound if the
// caller cannot see the request.
func (s *Service) SetPresence(ctx context.Context, c Caller, id desk.RequestID, g desk.GivenPresence) (desk.Presence, error) {
	here := desk.Presence{Request: id, Others: []desk.Present{}}
	if err := c.may(desk.SetPresence); err != nil {
		return here, err
	}
	if !c.Session {
		return here, desk.ErrSessionOnly
	}
	wrong := g.Check()
	key, at := sessionKey{c.Account, c.Token}, requestPlace{c.Account, id}
	if wrong == nil && g.Doing.Value == nil { // who cannot see the request any more may leave it, too
		s.tellPresence(key, at, g.Tab, desk.Present{})
		return here, nil
	}
	who, there, full := s.presences.find(key, g.Tab, at)
	who, err := s.whoIsThere(ctx, c, id, who, there)
	switch {
	case desk.KindOf(err) == desk.NotFound && wrong == nil:
		s.tellPresence(key, at, g.Tab, desk.Present{})
		return here, err
	case err != nil:
		return here, err
	case wrong != nil:
		return here, wrong
	case full:
		return here, desk.Errorf(desk.Busy, "This session is already at %d requests, which is the maximum. Close a tab first.", desk.MostTabs)
	}
	who.Doing = *g.Doing.Value
	s.tellPresence(key, at, g.Tab, who)
	s.presences.mu.Lock()
	defer s.presences.mu.Unlock()
	here.Others = s.presences.others(at, c.Actor.ID)
	return here, nil
}

// whoIsThere returns how a caller is shown to the others at a request that they can see.
// A tab that is there already only checks that this is still so.
func (s *Service) whoIsThere(ctx context.Context, c Caller, id desk.RequestID, known desk.Present, there bool) (desk.Present, error) {
	if there {
		return look(ctx, s, c, desk.SetPresence, func(tx *store.Tx) (desk.Present, error) {
			return known, tx.HasRequest(id, c.reach(desk.SetPresence))
		})
	}
	return read(ctx, s, c, desk.SetPresence, func(tx *store.Tx) (desk.Present, error) {
		if err := tx.HasRequest(id, c.reach(desk.SetPresence)); err != nil {
			return desk.Present{}, err
		}
		as, err := change.RequesterFor(tx, c.Actor, nil)
		return desk.Present{Member: c.Actor.ID, Name: as.Name, User: as.User}, err
	})
}

// toldPresence is a word to the other processes: where a tab is now. Other versions
// read it, so its names stay.
type toldPresence struct {
	Account desk.AccountID `json:"account"`
	Token   desk.TokenID   `json:"token"`
	Tab     string         `json:"tab"`
	Request desk.RequestID `json:"request"`
	Doing   desk.Doing     `json:"doing"` // empty: it has left
	Member  desk.MemberID  `json:"member"`
	Name    string         `json:"name"`
	User    string         `json:"user"`
}

// tellPresence keeps where a tab is, here and in the other processes.
func (s *Service) tellPresence(key sessionKey, at requestPlace, tab string, who desk.Present) {
	s.presences.apply(key, at, tab, who)
	word, err := json.Marshal(toldPresence{key.account, key.token, tab, at.request, who.Doing, who.Member, who.Name, who.User})
	if err == nil { // texts and numbers always have a form
		s.store.DB().Tell(topicPresence, string(word))
	}
}

// hearPresence takes what another process was told.
func (s *Service) hearPresence(word string) {
	var t toldPresence
	if json.Unmarshal([]byte(word), &t) == nil {
		s.presences.apply(sessionKey{t.Account, t.Token}, requestPlace{t.Account, t.Request}, t.Tab, desk.Present{Member: t.Member, Name: t.Name, User: t.User, Doing: t.Doing})
	}
}

func (p *presences) apply(key sessionKey, at requestPlace, tab string, who desk.Present) {
	if who.Doing == "" {
		p.leave(key, tab, at)
	} else {
		p.put(key, tab, at, who)
	}
}

// PresenceFollower learns who else is at the requests where a session is. It belongs to
// one stream.
type PresenceFollower struct {
	hub  *presences
	key  sessionKey
	bell chan struct{}
	told map[desk.RequestID][]desk.Present // what it was told last, without requests where nobody else is
}

// FollowPresence follows who else is at the requests where the caller's session is.
// Tokens, and who may not be present, are told nothing: their bell never rings.
func (s *Service) FollowPresence(c Caller) *PresenceFollower {
	f := &PresenceFollower{hub: s.presences, key: sessionKey{c.Account, c.Token}, told: map[desk.RequestID][]desk.Present{}}
	if !c.Session || c.may(desk.SetPresence) != nil {
		return f
	}
	f.bell = make(chan struct{}, 1)
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	f.hub.session(f.key).followers[f] = true
	return f
}

// Bell rings when there may be news. It does not ring when somebody has fallen silent,
// so also look from time to time.
func (f *PresenceFollower) Bell() <-chan struct{} { return f.bell }

// Stop ends it.
func (f *PresenceFollower) Stop() {
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	if s := f.hub.sessions[f.key]; s != nil {
		delete(s.followers, f)
		f.hub.forget(f.key)
	}
}

// PresenceNews returns the requests where the others have changed since a follower was
// last told, if the caller can still see them.
func (s *Service) PresenceNews(ctx context.Context, c Caller, f *PresenceFollower) ([]desk.Presence, error) {
	if f.bell == nil || c.may(desk.SetPresence) != nil {
		return nil, nil // it gets the feed without presence
	}
	news := f.news(c.Actor.ID)
	if len(news) == 0 {
		return nil, nil
	}
	seen, err := look(ctx, s, c, desk.SetPresence, func(tx *store.Tx) (map[desk.RequestID]bool, error) {
		return tx.RequestsSeen(slices.Collect(maps.Keys(news)), c.reach(desk.SetPresence))
	})
	if err != nil {
		return nil, err
	}
	var told []desk.Presence
	for _, id := range slices.Sorted(maps.Keys(news)) {
		others := news[id]
		if !seen[id] {
			others = nil
		}
		if slices.Equal(f.told[id], others) {
			continue
		}
		if f.told[id] = others; len(others) == 0 {
			delete(f.told, id)
		}
		told = append(told, desk.Presence{Request: id, Others: others})
	}
	return told, nil
}

// news returns the requests where the others are not those whom the follower was told.
func (f *PresenceFollower) news(member desk.MemberID) map[desk.RequestID][]desk.Present {
	p := f.hub
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.sessions[f.key]
	if s == nil || len(s.tabs) == 0 {
		clear(f.told)
		return nil
	}
	news, here := map[desk.RequestID][]desk.Present{}, map[desk.RequestID]bool{}
	for _, t := range s.tabs {
		here[t.place.request] = true
		if others := p.others(t.place, member); !slices.Equal(f.told[t.place.request], others) {
			news[t.place.request] = others
		}
	}
	maps.DeleteFunc(f.told, func(id desk.RequestID, _ []desk.Present) bool { return !here[id] })
	return news
}
