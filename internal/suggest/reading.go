package suggest

import "frontdesk/internal/markup"

// reading is a message as the rules see it.
type reading struct {
	text   string // the tokens, folded, separated by single spaces
	tokens []token
	bangs  int
	code   bool // whether it has preformatted text
}

// phrase returns the text of tokens i to j.
func (r *reading) phrase(i, j int) string {
	if i >= j {
		return ""
	}
	return r.text[r.tokens[i].start:r.tokens[j-1].end]
}

// read reads at most this many tokens of a message. Quotes are somebody else's
// words, so they are skipped if there is anything else. Only signs need the stems
// of words; pleasantries do not.
func (l *lexicon) read(html string, most int, stems bool) reading {
	d := markup.Parse(html)
	s := scanner{words: l.words, correct: true, stems: stems, most: most}
	s.buf = make([]byte, 0, min(len(html)+16, 4096))
	s.tokens = make([]token, 0, 16)
	var r reading
	r.code = s.blocks(d.Blocks(), false)
	if len(s.tokens) == 0 {
		r.code = s.blocks(d.Blocks(), true)
	}
	if s.turned { // ¿ without the closing sign is still a question
		s.sign(aQuestion, "?")
	}
	r.text, r.tokens, r.bangs = string(s.buf), s.tokens, s.bangs
	return r
}

// blocks reads the parts of a text and reports whether one is preformatted.
func (s *scanner) blocks(blocks []markup.Block, quotes bool) (code bool) {
	for i, b := range blocks {
		if i > 0 && len(s.tokens) > 0 {
			s.sign(aStop, ".")
		}
		switch b.Kind {
		case markup.Paragraph:
			s.runs(b.Runs)
		case markup.Preformatted:
			s.sign(aThing, "code")
			code = true
		case markup.Quote:
			if quotes {
				code = s.blocks(b.Blocks, quotes) || code
			}
		default:
			code = s.blocks(b.Blocks, quotes) || code
		}
	}
	return code
}

func (s *scanner) runs(runs []markup.Run) {
	for _, r := range runs {
		switch r.Kind {
		case markup.Words:
			switch {
			case r.Marks.Has(markup.Code):
				s.sign(aThing, "code")
			case r.Link != "":
				s.text(r.Text)
				s.sign(aThing, "link")
			default:
				s.text(r.Text)
			}
		case markup.Break:
			s.sign(aStop, ".")
		case markup.User, markup.Team, markup.Everyone:
			s.sign(aMention, "@")
		default: // a picture, a channel
			s.sign(aThing, "picture")
		}
	}
}
