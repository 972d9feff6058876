package help

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/desk"
	"frontdesk/internal/markup"
)

// What is told of another customer's request says nothing of whom it was about. Rather
// a word too many is left out: a draft needs how a problem was solved, not for whom.

// anonymiser leaves out names that it knows, and whatever looks like an email address,
// a number or the name in a greeting.
type anonymiser struct {
	known map[string]bool // folded words
	whole []string        // names in scripts that put no spaces between words
}

// What stands for what was left out.
const (
	aName   = "[name]"
	anEmail = "[email]"
	aNumber = "[number]"
	aLink   = "[link]"
)

func newAnonymiser(names []string) anonymiser {
	a := anonymiser{known: map[string]bool{}}
	for _, name := range names {
		if at := strings.IndexByte(name, '@'); at >= 0 { // of an address, the words before and the domain
			name = name[:at] + " " + strings.TrimSuffix(name[at+1:], "."+lastLabel(name))
		}
		for word := range strings.FieldsFuncSeq(name, notInWord) {
			if utf8.RuneCountInString(word) >= 2 && !ofAll[desk.Fold(word)] {
				a.known[desk.Fold(word)] = true
			}
		}
		if name = strings.TrimSpace(name); strings.ContainsFunc(name, unspaced) {
			a.whole = append(a.whole, name)
		}
	}
	return a
}

func lastLabel(domain string) string { return domain[strings.LastIndexByte(domain, '.')+1:] }

// ofAll are words of names that name nobody.
var ofAll = map[string]bool{"the": true, "and": true, "of": true, "for": true, "und": true, "der": true, "die": true, "das": true, "et": true, "de": true, "la": true, "le": true, "les": true, "y": true, "el": true, "com": true, "www": true,
	"help": true, "support": true, "team": true, "channel": true, "general": true, "cust": true, "customer": true, "customers": true, "ext": true, "external": true,
	"inc": true, "ltd": true, "llc": true, "gmbh": true, "ag": true, "info": true, "mail": true, "gmail": true, "office": true, "contact": true, "kontakt": true}

func notInWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r)
}

// unspaced reports whether a script puts no spaces between words.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

var (
	emailAddress = regexp.MustCompile(`[^\s<>()\[\]",;:]+@[^\s<>()\[\]",;:]+\.[^\s<>()\[\]",;:]+`)
	webAddress   = regexp.MustCompile(`(?i)\b(?:https?://|www\.)[^\s<>"]+`)
	// Of at least seven digits: phone numbers, but also those of customers, orders and
	// accounts.
	longNumber = regexp.MustCompile(`\+?\(?\p{Nd}(?:[\s().\-/\x{2010}-\x{2014}\x{a0}]{0,3}\p{Nd}){6,}`)
	greeting   = regexp.MustCompile(`(?i)^(\s*(?:hi|hello|hey|dear|good (?:morning|afternoon|evening)|hallo|moin|liebe[rs]?|sehr geehrte[rs]?|guten (?:morgen|tag|abend)|bonjour|bonsoir|salut|ch[eè]re?s?|hola|buenos d[ií]as|buenas tardes|estimad[oa]s?|ol[aá]|bom dia|boa tarde|prezad[oa]s?|ciao|buongiorno))(?:[ \t]+[^\s,!.:;]+){1,3}[ \t]*([,!.:;]|$)`)
	closing    = regexp.MustCompile(`(?i)^\s*(?:--|__|(?:(?:best|kind|warm|many)?\s*(?:regards|greetings|wishes)|(?:many |best )?thanks|thank you|cheers|sincerely|yours.{0,12}|(?:viele|beste|liebe|freundliche|herzliche|schöne|mit freundlichen|mit besten)?\s*gr(?:ü|ue)(?:ß|ss)en?|mfg|lg|vg|danke|cordialement|bien à vous|merci|saludos|atentamente|gracias|atenciosamente|obrigad[oa])\s*[,.!]*\s*$)`)
)

// mostSignature is how many lines a signature has at most.
const mostSignature = 8

// text returns a message as plain text without people. Our own links may help, those
// of others may name them.
func (a anonymiser) text(html string, links bool) string {
	lines := strings.Split(markup.PlainText(unmentioned(html)), "\n")
	for i, l := range lines {
		lines[i] = greeting.ReplaceAllString(l, "$1 "+aName+"$2")
		if i > 0 && len(lines)-i <= mostSignature && closing.MatchString(l) {
			lines = lines[:i]
			break
		}
	}
	text := strings.Join(lines, "\n")
	if !links {
		text = webAddress.ReplaceAllString(text, aLink)
	}
	return strings.TrimSpace(a.words(text))
}

// words leaves out addresses, numbers and known names.
func (a anonymiser) words(text string) string {
	text = emailAddress.ReplaceAllString(text, anEmail)
	text = longNumber.ReplaceAllString(text, aNumber)
	for _, name := range a.whole {
		text = strings.ReplaceAll(text, name, aName)
	}
	var b strings.Builder
	for len(text) > 0 {
		end := strings.IndexFunc(text, notInWord)
		switch {
		case end < 0:
			end = len(text)
		case end == 0:
			_, end = utf8.DecodeRuneInString(text)
		}
		switch word := text[:end]; {
		case a.known[desk.Fold(word)] && !isOurs(b.String(), word, text[end:]):
			b.WriteString(aName)
		default:
			b.WriteString(word)
		}
		text = text[end:]
	}
	return repeated.ReplaceAllString(b.String(), aName)
}

// repeated is a name of several words, of which the last may not be known.
var repeated = regexp.MustCompile(`\[name\](?:[ .'’&-]{1,3}\[name\])*(?: \p{Lu}\p{Ll}[\p{L}\p{M}]*)?`)

// isOurs reports whether a word stands for what was left out: somebody may be called
// Link.
func isOurs(before, word, after string) bool {
	switch "[" + word + "]" {
	case aName, anEmail, aNumber, aLink:
		return strings.HasSuffix(before, "[") && strings.HasPrefix(after, "]")
	}
	return false
}

// mention is one in the form in which markup writes it.
var mention = regexp.MustCompile(`(<span data-[a-z]+="[^"]*">)[^<]*(</span>)`)

// unmentioned returns a text without the names of whom it mentions.
func unmentioned(html string) string {
	return mention.ReplaceAllString(markup.Sanitize(html), "${1}"+aName+"${2}")
}
