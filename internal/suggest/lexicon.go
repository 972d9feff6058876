package suggest

import (
	"bufio"
	"embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// The lexicon has one file a language, and any.txt for what is the same in all. A
// line is a comment, a pattern (see pattern.go), or begins a section that says what
// the patterns below it mean:
//
//	[greeting] [thanks] [ack]     parts of a message that open nothing
//	[… question]                  the same, even with a question mark
//	[tail greeting] …             only after such a part: "for your help"
//	[vocative] [name]             the person addressed
//	[interjection] [filler]       no meaning; a filler needs something after it
//	[smile]                       emoji that accompany text, and alone are an acknowledgement
//	[worry]                       says that not all is well, whatever else is said
//	[matter]                      never a name, even with a capital letter
//	[forgive]                     recognised even when misspelt
//	[alias]                       other ways to write an emoji
//	[function]                    the words by which we recognise the language
//	[priority w] [category c w]   signs of these, with a weight
//	[please] [doing]              together they are a task
//	[adding] [wishable]           together they are a wish
//	[software]                    nouns: a plain statement about these is mostly a fault
//	[sentiment w] [courtesy]      a courtesy has none, whatever its words have alone
//	[negation] [intensifier f] [but]
//
// A "*" at the end of a word stands for any ending. A pattern with umlauts also
// matches the spelling without them.
//
//go:embed lexicon/*.txt
var lexiconFiles embed.FS

// languages is a set of languages.
type languages uint8

var languageNames = []string{"en", "de", "fr", "es", "pt"}

const everyLanguage languages = 1<<5 - 1

// lexicon is what we know about words.
type lexicon struct {
	words        *vocabulary
	pleasantries *automaton // their meanings are parts
	signs        *automaton // their meanings are indexes of senses
	senses       []sense
	matters      map[symbol]bool

	scanner scanner // only while it is read
}

// sense is what a sign means.
type sense struct {
	section   string // priority, category, please …
	name      string // of a category
	weight    float64
	languages languages
}

// theLexicon is read when it is first needed. A mistake in it is a bug in the
// program, and a test reads it.
var theLexicon = sync.OnceValue(func() *lexicon {
	l, err := readLexicon()
	if err != nil {
		panic(err)
	}
	return l
})

// entry is a line of the lexicon.
type entry struct {
	section   []string // the section's words
	pattern   string
	languages languages
}

func readLexicon() (*lexicon, error) {
	l := &lexicon{
		words: newVocabulary(), pleasantries: newAutomaton(), signs: newAutomaton(),
		matters: map[symbol]bool{},
	}
	entries, err := lexiconEntries()
	if err != nil {
		return nil, err
	}
	for _, e := range entries { // before anything is read with them
		if e.section[0] == "alias" {
			key, sign, _ := strings.Cut(e.pattern, " ")
			l.words.aliases[key] = sign
		}
	}
	for _, e := range entries {
		if err := l.learn(e); err != nil {
			return nil, err
		}
	}
	l.pleasantries.finish(l.words.next)
	l.signs.finish(l.words.next)
	for _, e := range entries { // after all words are known
		if err := l.learnForms(e); err != nil {
			return nil, err
		}
	}
	l.scanner = scanner{}
	return l, nil
}

func lexiconEntries() ([]entry, error) {
	var entries []entry
	for i, name := range append([]string{"any"}, languageNames...) {
		spoken := everyLanguage
		if i > 0 {
			spoken = 1 << (i - 1)
		}
		f, err := lexiconFiles.Open("lexicon/" + name + ".txt")
		if err != nil {
			return nil, err
		}
		var section []string
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			line := strings.TrimSpace(lines.Text())
			switch {
			case line == "" || strings.HasPrefix(line, "#"):
			case line[0] == '[' && line[len(line)-1] == ']':
				section = strings.Fields(line[1 : len(line)-1])
			case section == nil:
				return nil, fmt.Errorf("lexicon %s: %q is in no section", name, line)
			default:
				entries = append(entries, entry{section, line, spoken})
			}
		}
		if err := lines.Err(); err != nil {
			return nil, err
		}
		f.Close()
	}
	return entries, nil
}

// learn adds a line to the automaton of its section.
func (l *lexicon) learn(e entry) error {
	patterns := []string{e.pattern}
	if strings.ContainsAny(e.pattern, "äöü") {
		patterns = append(patterns, strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue").Replace(e.pattern))
	}
	if e.section[0] == "alias" || e.section[0] == "forgive" {
		return nil
	}
	for _, p := range patterns {
		phrase, err := l.phrase(p)
		if err != nil {
			return err
		}
		switch meaning, isPart := partOf(e.section); {
		case isPart:
			l.pleasantries.add(phrase, int32(meaning))
		case e.section[0] == "matter":
			l.eachWord(phrase, func(s symbol) { l.matters[s] = true })
		case e.section[0] == "function":
			l.eachWord(phrase, func(s symbol) { l.words.languages[s] |= e.languages })
		default:
			s, err := senseOf(e)
			if err != nil {
				return err
			}
			l.senses = append(l.senses, s)
			l.signs.add(phrase, int32(len(l.senses)-1))
			if s.section == "priority" || s.section == "category" || s.section == "doing" {
				l.eachWord(phrase, func(s symbol) { l.matters[s] = true })
			}
		}
	}
	return nil
}

// phrase converts a pattern to words.
func (l *lexicon) phrase(pattern string) ([][][]symbol, error) {
	texts, err := slots(pattern)
	if err != nil {
		return nil, err
	}
	all := make([][][]symbol, len(texts))
	for i, alternatives := range texts {
		for _, text := range alternatives {
			all[i] = append(all[i], l.row(text))
		}
	}
	return all, nil
}

// row returns the numbers of the words of a text.
func (l *lexicon) row(text string) []symbol {
	var row []symbol
	for field := range strings.FieldsSeq(text) {
		bare, stem := strings.CutSuffix(field, "*")
		s := l.scan(bare)
		for i, t := range s.tokens {
			row = append(row, l.words.symbol(string(s.buf[t.start:t.end]), stem && i == len(s.tokens)-1))
		}
	}
	return row
}

// scan reads the words of a pattern. The next scan overwrites them.
func (l *lexicon) scan(text string) *scanner {
	l.scanner = scanner{words: l.words, most: 10, buf: l.scanner.buf[:0], tokens: l.scanner.tokens[:0]}
	l.scanner.text(text)
	return &l.scanner
}

// eachWord calls f for alternatives of a single word. The words of longer ones mean
// nothing alone.
func (l *lexicon) eachWord(phrase [][][]symbol, f func(symbol)) {
	if len(phrase) != 1 {
		return
	}
	for _, row := range phrase[0] {
		if len(row) == 1 {
			f(row[0])
		}
	}
}

// learnForms makes the words of a line recognisable when they are stretched or
// misspelt.
func (l *lexicon) learnForms(e entry) error {
	_, isPart := partOf(e.section)
	if !isPart && !oneOf(e.section[0], "sentiment", "intensifier", "forgive") || oneOf(e.section[0], "worry", "name") {
		return nil
	}
	texts, err := slots(e.pattern)
	if err != nil {
		return err
	}
	for _, alternatives := range texts {
		for _, text := range alternatives {
			for field := range strings.FieldsSeq(text) {
				s := l.scan(strings.TrimSuffix(field, "*"))
				if len(s.tokens) == 1 && s.tokens[0].kind == aWord {
					l.words.forgive(string(s.buf), e.section[0] == "forgive")
				}
			}
		}
	}
	return nil
}

// senseOf reads a section's name and weight.
func senseOf(e entry) (sense, error) {
	s := sense{section: e.section[0], languages: e.languages, weight: 1}
	weight := ""
	switch {
	case len(e.section) == 3 && s.section == "category":
		s.name, weight = e.section[1], e.section[2]
	case len(e.section) == 2 && (s.section == "priority" || s.section == "sentiment" || s.section == "intensifier"):
		weight = e.section[1]
	case len(e.section) == 1 && oneOf(s.section, "please", "doing", "adding", "wishable", "software", "courtesy", "negation", "but"):
		return s, nil
	default:
		return s, fmt.Errorf("the lexicon has a section %q", strings.Join(e.section, " "))
	}
	var err error
	if s.weight, err = strconv.ParseFloat(weight, 64); err != nil {
		return s, fmt.Errorf("the lexicon's section %q: %w", strings.Join(e.section, " "), err)
	}
	return s, nil
}

func oneOf(s string, all ...string) bool {
	for _, a := range all {
		if s == a {
			return true
		}
	}
	return false
}
