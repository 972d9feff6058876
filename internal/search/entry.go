package search

import (
	"hash/fnv"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The limits of what one document adds to the index, in bytes of terms. They matter
// only for texts that are hardly ever written: 128 KiB of an ordinary text stay
// below them. But writers wait for each other, and a tsvector may have at most 1
// MiB. Each text has its own limit, so that private text never decides what is
// found publicly.
const (
	mostTitleTerms   = 32 << 10
	mostPublicTerms  = 192 << 10
	mostPrivateTerms = 96 << 10
)

// An entry is a document as the index stores it.
type entry struct {
	at                     int64  // in milliseconds
	title, public, private string // the tokens of each, with a space before, between and after
	terms                  string // separated by spaces
}

// Kinds of terms. Each term begins with its account, so that no search reads data
// of another account, not even the beginning of a word. Then comes the kind. A term
// is a token, or two neighbouring tokens with joint between them. The migration
// tells FTS5's tokenizer about these characters.
const (
	wholePublic  = "="
	wholePrivate = "+"
	beginPublic  = "^" // beginning of a longer token: see beginnings
	beginPrivate = "~"
	period       = "#" // a period of time: see period.go
	label        = "!"
	joint        = "_"
)

func entryOf(d Document) entry {
	e := entry{at: clampTime(d.At)}
	// Half as many terms as letters, and eight bytes for each, is about what an
	// ordinary text has. A long one repeats itself.
	most := min(len(d.Title)+len(d.Public)+len(d.Private), 4096) / 2
	t := termList{account: scope(d.Account), seen: make(map[string]kinds, most)}
	t.list.Grow(8 * most)
	for _, p := range periodsOf(e.at) {
		t.add(period, p, kindOf(period))
	}
	for _, l := range d.Labels {
		t.add(label, labelTerm(l), kindOf(label))
	}
	e.title = t.addText(d.Title, mostTitleTerms, false)
	e.public = t.addText(d.Public, mostPublicTerms, false)
	e.private = t.addText(d.Private, mostPrivateTerms, true)
	e.terms = t.list.String()
	return e
}

// labelTerm returns the term for a label, which may have any characters and length.
func labelTerm(text string) string {
	h := fnv.New64a()
	io.WriteString(h, text)
	return strconv.FormatUint(h.Sum64(), 36)
}

// scope returns the account in the form in which every term begins.
func scope(account int64) string { return strconv.FormatInt(account, 36) }

// clampTime limits a time to the range that periods can represent: a thousand years
// each way.
func clampTime(t time.Time) int64 { return min(max(t.UnixMilli(), -mostTime), mostTime) }

// A termList collects the terms of a document, each once.
type termList struct {
	account string
	list    strings.Builder
	seen    map[string]kinds // by the term
}

// kinds are the kinds under which a term has been added.
type kinds uint8

func kindOf(kind string) kinds {
	return 1 << strings.Index(wholePublic+wholePrivate+beginPublic+beginPrivate+period+label, kind)
}

// add adds a term, unless it exists as one of these kinds. It reports whether the
// term is new.
func (t *termList) add(kind, term string, unless kinds) bool {
	seen := t.seen[term]
	if seen&unless != 0 {
		return false
	}
	t.seen[term] = seen | kindOf(kind)
	if t.list.Len() > 0 {
		t.list.WriteByte(' ')
	}
	t.list.WriteString(t.account)
	t.list.WriteString(kind)
	t.list.WriteString(term)
	return true
}

// addWord adds a term of one of the kinds for words. A public term need not be
// private too, because a search that may see private text looks for both.
func (t *termList) addWord(public, private, term string, isPrivate bool) bool {
	if isPrivate {
		return t.add(private, term, kindOf(public)|kindOf(private))
	}
	return t.add(public, term, kindOf(public))
}

// addText adds the terms of a text up to most bytes, and returns its tokens up to
// there.
func (t *termList) addText(text string, most int, isPrivate bool) string {
	var stream strings.Builder
	stream.WriteByte(' ')
	end := t.list.Len() + most
	before := ""
	for _, token := range tokens(text) {
		if t.list.Len() > end {
			break
		}
		if token.apart {
			before = ""
			stream.WriteByte(' ') // two spaces, so that no phrase matches across
		}
		t.addToken(before, token, isPrivate)
		stream.WriteString(token.text)
		stream.WriteByte(' ')
		before = token.text
	}
	return stream.String()
}

func (t *termList) addToken(before string, token token, isPrivate bool) {
	// A token that exists already has its beginnings. But marks of other scripts
	// may be part of a run or of a word, which have different beginnings.
	if t.addWord(wholePublic, wholePrivate, token.text, isPrivate) || token.text[0] >= utf8.RuneSelf {
		most := longestTerm(token.text)
		t.addBeginnings("", token.text, isPrivate, func(size int) bool { return token.unspaced == (size == 1) && size <= most })
	}
	// Names with numbers usually combine a part that is everywhere with a part that
	// many have: ACME-17, error 404, v2.1. Such pairs are terms themselves, so that
	// a search for one need not look through all documents.
	if !isPair(before, token.text) {
		return
	}
	before += joint
	if t.addWord(wholePublic, wholePrivate, before+token.text, isPrivate) {
		t.addBeginnings(before, token.text, isPrivate, func(int) bool { return true })
	}
}

// addBeginnings adds the beginnings of a token that have these sizes, but not the
// whole token, which is a term already: a search for a beginning looks for both.
func (t *termList) addBeginnings(before, token string, isPrivate bool, wanted func(size int) bool) {
	for _, size := range beginnings {
		b, ok := beginning(token, size)
		if !ok || b == token {
			return // nor is there a longer one
		}
		if wanted(size) {
			t.addWord(beginPublic, beginPrivate, before+b, isPrivate)
		}
	}
}

func isPair(before, token string) bool { return before != "" && (hasDigit(before) || hasDigit(token)) }

// beginnings are the lengths, in characters, of the beginnings of a token that are
// terms. An engine's own prefix search would gather the documents of every matching
// word before it returns the first. Words are found from two characters on. In
// scripts without spaces one is enough, because two are already a token. For a
// length in between, the search uses the shorter one and then reads the document.
//
// A word without digits has only those up to shortBeginning. For a longer beginning,
// the search looks up the words that have it: see vocabulary.go. Numbers are too many
// for that.
var beginnings = []int{1, 2, 3, 4, 5, 6, 8, 11, 16, 24, 40}

const shortBeginning = 3

// longestTerm returns the length of the longest beginning of a token that is a term.
func longestTerm(token string) int {
	if hasDigit(token) {
		return beginnings[len(beginnings)-1]
	}
	return shortBeginning
}

// beginning returns the first size characters of a token, if it has that many.
func beginning(token string, size int) (string, bool) {
	if size > len(token) {
		return "", false
	}
	i := 0
	for range size {
		if i >= len(token) {
			return "", false
		}
		_, n := utf8.DecodeRuneInString(token[i:])
		i += n
	}
	return token[:i], true
}

// longestBeginning returns the term for a token's beginning, and whether it covers
// all of it. least is the length of the shortest beginning.
func longestBeginning(token string, least int) (found string, all bool) {
	for _, size := range beginnings {
		if b, ok := beginning(token, size); ok && size >= least {
			found = b
		}
	}
	return found, found == token
}
