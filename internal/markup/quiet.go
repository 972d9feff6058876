package markup

import "slices"

// Quiet turns mentions of a team or of everyone into words, so that the text
// notifies only people who were mentioned individually. Use it to repeat a text
// elsewhere.
func Quiet(html string) string {
	d := Parse(html)
	d.blocks = quietBlocks(d.blocks)
	return Parse(d.HTML()).HTML() // merges neighbouring words
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
