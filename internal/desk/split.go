package desk

import (
	"slices"
	"time"
)

// MostSplit bounds the messages split off at once.
const MostSplit = 500

// Split says which messages of a request become a request of their own.
type Split struct {
	Body
	Messages []MessageID
	Title    *string // nil: suggested from the messages
}

// Check returns what is wrong with the split on its own, and trims it.
func (s *Split) Check() error {
	p := s.problems()
	if n := len(s.Messages); n < 1 || n > MostSplit {
		p.Add("message_ids", "must name 1 to %d messages; there are %d", MostSplit, n)
	}
	optionalText(&p, "title", &s.Title, 1, MostTitle)
	return p.Err()
}

// Divide takes the messages that a split names out of the request, which must have
// all its messages, in order. Each part keeps at least one message that is not
// private.
func (r *Request) Divide(s Split) (taken []Message, err error) {
	var left []Message
	named := map[MessageID]bool{}
	for _, id := range s.Messages {
		named[id] = true
	}
	for _, m := range r.Messages {
		if named[m.ID] {
			taken = append(taken, m)
			delete(named, m.ID)
		} else {
			left = append(left, m)
		}
	}
	public := func(m Message) bool { return !m.Private }
	var p Problems
	for _, id := range s.Messages {
		if named[id] {
			p.Add("message_ids", "must name messages of the request; %d is not one", id)
			delete(named, id)
		}
	}
	switch {
	case len(taken) == 0:
	case len(left) == 0:
		p.Add("message_ids", "must not name all messages of the request")
	case !slices.ContainsFunc(taken, public):
		p.Add("message_ids", "must name at least one message that is not private")
	case !slices.ContainsFunc(left, public):
		p.Add("message_ids", "must leave at least one message that is not private")
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	r.Messages = left
	return taken, nil
}

// Release updates the request after messages were taken out. If one of them was the
// first response or the requester's last message, the next one that is left takes
// its place.
func (r *Request) Release(taken []Message, now time.Time) {
	was, is := clocksOf(taken), clocksOf(r.Messages)
	if r.FirstResponseAt != nil && was.first != nil && was.first.Equal(*r.FirstResponseAt) {
		r.FirstResponseAt = is.first
	}
	if was.last != nil && was.last.Equal(r.LastMessageAt) {
		r.LastMessageAt = r.CreatedAt
		if is.last != nil {
			r.LastMessageAt = *is.last
		}
	}
	r.UpdatedAt = now
}

// SplitOff returns the request that the messages become. It is open, and its clocks
// come from the messages: it was created when the first of them that is not private
// was said. Its author is the first person who asked. Its place and customer stay
// the same.
func (r Request) SplitOff(taken []Message, now time.Time) Request {
	first := slices.IndexFunc(taken, func(m Message) bool { return !m.Private })
	asked := max(slices.IndexFunc(taken, func(m Message) bool { return !m.Private && !m.Responder }), 0)
	if taken[asked].Private || taken[asked].Responder {
		asked = first
	}
	made := Request{
		Author: taken[asked].Author, Customer: r.Customer, Collection: r.Collection, Channel: r.Channel, Source: r.Source,
		CreatedAt: taken[first].CreatedAt, UpdatedAt: now, LastMessageAt: taken[first].CreatedAt,
	}
	if r.MailSubject != nil {
		made.MailSubject = r.MailSubject
		made.MailsRequester = taken[asked].Email != nil || r.MailsRequester && FoldEmail(made.Author.Email) == FoldEmail(r.Author.Email)
	}
	made.enter(Open, now)
	c := clocksOf(taken)
	made.FirstResponseAt = c.first
	if c.last != nil {
		made.LastMessageAt = *c.last
	}
	return made
}

// messageClocks is what messages say about a request's clocks.
type messageClocks struct {
	first *time.Time // a responder's first public message
	last  *time.Time // the requester's last public message
}

func clocksOf(messages []Message) (c messageClocks) {
	for _, m := range messages {
		at := m.CreatedAt
		switch {
		case m.Private:
		case m.Responder:
			c.first = earlier(c.first, &at)
		case c.last == nil || at.After(*c.last):
			c.last = &at
		}
	}
	return c
}
