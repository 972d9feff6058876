package markup

import "slices"

// Reduce leaves only words and links to http, https and mailto of a text that nobody
// vouches for. Its pictures become their descriptions and its mentions words, so
// nothing is fetched when it is shown and nobody is notified. Runs that known has, too,
// stay as they are: a translation mentions whom its original mentions.
func Reduce(html string, known Document) string {
	have := map[place]bool{}
	collect(known.blocks, have)
	d := Parse(html)
	d.blocks = reduced(d.blocks, have)
	return Parse(d.HTML()).HTML() // merges neighbouring words
}

// place is what a run leads to besides a link.
type place struct {
	kind   RunKind
	target string
}

func collect(blocks []Block, into map[place]bool) {
	for _, b := range blocks {
		collect(b.Blocks, into)
		for _, r := range b.Runs {
			if r.Kind == Image || r.Kind.mention() {
				into[place{r.Kind, r.Target}] = true
			}
		}
	}
}

func reduced(blocks []Block, have map[place]bool) []Block {
	blocks = slices.Clone(blocks)
	for i := range blocks {
		b := &blocks[i]
		b.Blocks, b.Runs = reduced(b.Blocks, have), slices.Clone(b.Runs)
		for j := range b.Runs {
			r := &b.Runs[j]
			if (r.Kind == Image || r.Kind.mention()) && !have[place{r.Kind, r.Target}] {
				r.Kind, r.Target = Words, ""
			}
			r.Link = withScheme(r.Link, linkSchemes[:3]) // not tel: nobody should be led to dial
		}
	}
	return blocks
}
