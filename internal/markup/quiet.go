package markup

import "slices"

// Quiet is a text in which nobody is called who was not meant one by one:
// mentions of a team or of everyone are words. A text is repeated elsewhere so.
func Quiet(html string) string {
	d := Parse(html)
	d.blocks = quietBlocks(d.blocks)
	return Parse(d.HTML()).HTML() // words that stand side by side now are one
}

func quietBlocks(blocks []Block) []Block {
	blocks = slices.Clone(blocks)
	for i := range blocks {
		b := &blocks[i]
		b.Blocks, b.Runs = quietBlocks(b.Blocks), slices.Clone(b.Runs)
		for j := range b.Runs {
			if r := &b.Runs[j]; r.Kind == Team || r.Kind == Everyone {
				r.Kind, r.Target = Words, ""
			}
		}
	}
	return blocks
}
