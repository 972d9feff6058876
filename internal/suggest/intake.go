package suggest

import "math/bits"

// Verdict says what a chat message is on its own.
type Verdict string

const (
	// Greeting opens nothing: hello, good night, have a nice weekend.
	Greeting Verdict = "greeting"
	// Thanks opens nothing, whatever it is for.
	Thanks Verdict = "thanks"
	// Acknowledgement opens nothing: ok, will do, 👍, works now, never mind.
	Acknowledgement Verdict = "acknowledgement"
	// Request is everything else.
	Request Verdict = "request"
)

// IsRequest reports whether the message opens a request and, as a reply, reopens a
// solved one.
func (v Verdict) IsRequest() bool { return v == Request }

// Longer messages always have something to say.
const (
	mostIntakeBytes  = 4000
	mostIntakeTokens = 60
)

// Judge decides whether a message asks, reports or needs anything. It knows the
// pleasantries of five languages. A message counts as one only if nothing is left
// over: every word, sign and emoji must belong to a greeting, thanks or an
// acknowledgement. Everything else is a request, because a lost request costs more
// than an answered greeting.
//
// A message without any words is a request as well, because it may be a picture. A
// message with a file should be one whatever it says; Judge does not see files.
func Judge(html string) Verdict {
	if len(html) > mostIntakeBytes {
		return Request
	}
	l := theLexicon()
	r := l.read(html, mostIntakeTokens+1, false)
	if len(r.tokens) == 0 || len(r.tokens) > mostIntakeTokens {
		return Request
	}
	return l.judge(r)
}

// part is the role of a phrase in a message that opens nothing.
type part uint16

const (
	greets part = 1 << iota
	thanks
	acknowledges
	asks // may have a question mark
	behindGreeting
	behindThanks
	behindAcknowledgement
	addresses // addresses a person
	interjects
	fills // needs something after it
	smiles
	worries // makes everything a request
)

// partWords are the words for parts in the sections of the lexicon. A section that
// begins with tail has what stands behind the others.
var partWords = map[string]part{
	"greeting": greets, "thanks": thanks, "ack": acknowledges, "question": asks, "vocative": addresses, "name": addresses,
	"interjection": interjects, "filler": fills, "smile": smiles, "worry": worries, "tail": 0,
}

// partOf returns the role of the phrases in a section of the lexicon.
func partOf(section []string) (p part, ok bool) {
	for _, word := range section {
		means, known := partWords[word]
		if !known {
			return 0, false
		}
		p |= means
	}
	if section[0] == "tail" {
		p = p&asks | p&(greets|thanks|acknowledges)<<4
	}
	return p, true
}

// course is the state of reading a message: what was found, whether an unknown name
// has been used up, whether a name may follow, and whether something must follow.
type course uint8

const (
	hasGreeting course = 1 << iota
	hasThanks
	hasAcknowledgement
	named
	beside
	open
	courses // how many there are
)

const anything = hasGreeting | hasThanks | hasAcknowledgement

// judge follows all ways to read the message at once: reach[i] has a bit for each
// course on which the first i tokens can be explained.
func (l *lexicon) judge(r reading) Verdict {
	var reach [mostIntakeTokens + 1]uint64
	reach[0] = 1
	worried := false
	for i := range r.tokens {
		t := &r.tokens[i]
		switch t.kind {
		case aThing, aQuestion:
			continue // explained only within a phrase
		case aStop:
			reach[i+1] |= each(reach[i], func(c course) (course, bool) { return c &^ beside, true })
		case aComma, aMention:
			reach[i+1] |= reach[i]
		case anEmoji:
			if t.n == 0 { // decoration
				reach[i+1] |= reach[i]
			}
		case aWord:
			if l.mayName(t) {
				reach[i+1] |= each(reach[i], func(c course) (course, bool) { return c&^beside | named, c&(beside|named) == beside })
			}
		}
		l.pleasantries.walk(r.tokens, i, func(end int, meaning int32) {
			p := part(meaning)
			worried = worried || p&worries != 0
			reach[end] |= each(reach[i], func(c course) (course, bool) { return p.follow(c) })
			if p&asks != 0 {
				for end < len(r.tokens) && (r.tokens[end].kind == aQuestion || r.tokens[end].kind == aStop) {
					end++
				}
				reach[end] |= each(reach[i], func(c course) (course, bool) { return p.follow(c) })
			}
		})
	}
	if worried {
		return Request
	}
	return conclude(reach[len(r.tokens)])
}

// each applies a step to every course of a set.
func each(set uint64, next func(course) (course, bool)) uint64 {
	var out uint64
	for ; set != 0; set &= set - 1 {
		if to, ok := next(course(bits.TrailingZeros64(set))); ok {
			out |= 1 << to
		}
	}
	return out
}

// follow returns the course after a phrase, if the phrase is allowed there.
func (p part) follow(c course) (course, bool) {
	was := c
	c &^= beside | open
	switch {
	case p&greets != 0:
		return c | hasGreeting | beside, true
	case p&thanks != 0:
		return c | hasThanks | beside, true
	case p&acknowledges != 0:
		return c | hasAcknowledgement, true
	case p&behindGreeting != 0:
		return c | beside, c&hasGreeting != 0
	case p&behindThanks != 0:
		return c | beside, c&hasThanks != 0
	case p&behindAcknowledgement != 0:
		return c, c&hasAcknowledgement != 0
	case p&addresses != 0:
		return c | was&beside, true
	case p&interjects != 0:
		return c, true
	case p&smiles != 0:
		if c&anything == 0 {
			c |= hasAcknowledgement
		}
		return c | was&beside, true
	}
	return c | open, p&fills != 0
}

// mayName reports whether an unknown word may be a name: "Thanks Bogdan". It may
// not if everything is in capitals, or if the word matters.
func (l *lexicon) mayName(t *token) bool {
	if t.shape != titled {
		return false
	}
	for _, s := range t.symbols() {
		if l.matters[s] {
			return false
		}
	}
	return true
}

// conclude returns the verdict on a message that can be explained on these courses.
// The course with the fewest kinds of parts is the likeliest: "good afternoon" does
// not approve of the afternoon. A message of several kinds gets the kind that says
// most.
func conclude(set uint64) Verdict {
	verdict, fewest := Request, 4
	for c := range courses {
		if set&(1<<c) == 0 || c&open != 0 || c&anything == 0 {
			continue
		}
		if n := bits.OnesCount8(uint8(c & anything)); n < fewest {
			verdict, fewest = c.verdict(), n
		}
	}
	return verdict
}

func (c course) verdict() Verdict {
	switch {
	case c&hasThanks != 0:
		return Thanks
	case c&hasAcknowledgement != 0:
		return Acknowledgement
	}
	return Greeting
}
