package search

import (
	"hash/fnv"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The bounds of what one document gives the index, in bytes of terms. They are
// for texts that are hardly ever written: 128 KiB of a usual one stay below. But
// one writer waits for another, and a tsvector may have 1 MiB. Each text has its
// own, so that nothing private decides what is found publicly.
const (
	mostTitleTerms   = 32 << 10
	mostPublicTerms  = 192 << 10
	mostPrivateTerms = 96 << 10
)

// An entry is a document as the index keeps it.
type entry struct {
	at                     int64  // in milliseconds
	title, public, private string // the tokens of each, with a space before, between and after
	terms                  string // with a space between
}

// Kinds of terms. Each term begins with its account, so that no search reads
// what is another account's, not even the beginning of a word; then comes the
// kind. A term is a token, or two neighbours with joint between them. FTS5's
// tokenizer is told of these characters in the migration.
const (
	wholePublic  = "="
	wholePrivate = "+"
	beginPublic  = "^" // of a token: see beginnings
	beginPrivate = "~"
	period       = "#" // of time: see period.go
	label        = "!"
	joint        = "_"
)

func entryOf(d Document) entry {
	e := entry{at: clampTime(d.At)}
	t := termList{account: scope(d.Account), seen: map[string]kinds{}}
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

// labelTerm stands for a label, which may have any characters and length.
func labelTerm(text string) string {
	h := fnv.New64a()
	io.WriteString(h, text)
	return strconv.FormatUint(h.Sum64(), 36)
}

// scope is the account as every term begins.
func scope(account int64) string { return strconv.FormatInt(account, 36) }

// clampTime brings a time into what periods can tell apart: a thousand years
// each way.
func clampTime(t time.Time) int64 { return min(max(t.UnixMilli(), -mostTime), mostTime) }

// A termList collects the terms of a document, each once.
type termList struct {
	account string
	list    strings.Builder
	seen    map[string]kinds // by the term
}

// kinds are those that a term has been added as.
type kinds uint8

func kindOf(kind string) kinds {
	return 1 << strings.Index(wholePublic+wholePrivate+beginPublic+beginPrivate+period+label, kind)
}

// add adds a term, unless it is there as one of these kinds. It reports whether
// it was not.
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

// addWord adds a term of one of the kinds for words. What is public need not be
// private too: who may see private text looks for both.
func (t *termList) addWord(public, private, term string, isPrivate bool) bool {
	if isPrivate {
		return t.add(private, term, kindOf(public)|kindOf(private))
	}
	return t.add(public, term, kindOf(public))
}

// addText adds the terms of a text until they come to most bytes, and returns
// its tokens up to there.
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
			stream.WriteByte(' ') // two spaces: no phrase has them
		}
		t.addToken(before, token, isPrivate)
		stream.WriteString(token.text)
		stream.WriteByte(' ')
		before = token.text
	}
	return stream.String()
}

func (t *termList) addToken(before string, token token, isPrivate bool) {
	// One that is there has its beginnings there; but marks of other scripts may be
	// part of a run or a word, and each has others.
	if t.addWord(wholePublic, wholePrivate, token.text, isPrivate) || token.text[0] >= utf8.RuneSelf {
		t.addBeginnings("", token.text, isPrivate, func(size int) bool { return token.unspaced == (size == 1) })
	}
	// What numbers things is mostly made of a part that is everywhere and a part
	// that many have: ACME-17, error 404, v2.1. Their pairs are terms of their
	// own, so that finding one need not look through all.
	if !isPair(before, token.text) {
		return
	}
	before += joint
	if t.addWord(wholePublic, wholePrivate, before+token.text, isPrivate) {
		t.addBeginnings(before, token.text, isPrivate, func(int) bool { return true })
	}
}

// addBeginnings adds the beginnings of a token that have these sizes.
func (t *termList) addBeginnings(before, token string, isPrivate bool, wanted func(size int) bool) {
	for _, size := range beginnings {
		b, ok := beginning(token, size)
		if !ok {
			return // nor has it a longer one
		}
		if wanted(size) {
			t.addWord(beginPublic, beginPrivate, before+b, isPrivate)
		}
	}
}

func isPair(before, token string) bool { return before != "" && (hasDigit(before) || hasDigit(token)) }

// beginnings are the lengths, in characters, of the beginnings of a token that
// are terms. An engine's own search for beginnings would gather the documents
// of every word with it before giving the first. Words are found from two
// characters on, scripts without spaces by one: two are a token already. A
// length between two of these is looked for by the shorter, and then read in
// the document.
var beginnings = []int{1, 2, 3, 4, 5, 6, 8, 11, 16, 24, 40}

// beginning is the first size characters of a token, if it has as many.
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

// longestBeginning is what a token's beginning is looked for by, and whether
// that is all of it. least is the shortest beginning there is.
func longestBeginning(token string, least int) (found string, all bool) {
	for _, size := range beginnings {
		if b, ok := beginning(token, size); ok && size >= least {
			found = b
		}
	}
	return found, found == token
}
