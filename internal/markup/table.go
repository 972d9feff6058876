package markup

// Mail uses tables for layout, and chat systems have none. So tables exist only
// while a text is parsed. Rows of single lines become lines with a bar between the
// cells, and everything else follows one below the other. This spares every reader
// of a Document the hardest part of HTML, where parsers move content around.

const bar = " | "

// openTable begins a table, a row or a cell.
func (b *Builder) openTable(kind BlockKind) {
	switch kind {
	case table:
		b.intoFlow()
		if len(b.stack)+framesNeeded[table] > maxDepth {
			b.ignored[table]++
			return
		}
	case row:
		b.Close(row)
		if b.top().Kind != table {
			return
		}
	case cell:
		b.Close(cell)
		switch b.top().Kind {
		case table:
			b.push(row, 0, true)
		case row:
		default:
			return
		}
	}
	b.push(kind, 0, false)
}

// addRow adds a row to its table f. Consecutive rows of data become lines of one
// paragraph.
func (f *frame) addRow(cells []Block) {
	if !isData(cells) {
		f.endParagraph()
		for _, c := range cells {
			f.Blocks = append(f.Blocks, c.Blocks...)
		}
		return
	}
	if len(f.runs) > 0 {
		f.runs = append(f.runs, Run{Kind: Break})
	}
	for i, c := range cells {
		if i > 0 {
			f.runs = append(f.runs, Run{Text: bar})
		}
		f.runs = append(f.runs, c.Blocks[0].Runs...)
	}
}

// isData reports whether a row contains data rather than layout. cells leaves out
// empty cells.
func isData(cells []Block) bool {
	for _, c := range cells {
		if len(c.Blocks) != 1 || c.Blocks[0].Kind != Paragraph {
			return false
		}
		for _, r := range c.Blocks[0].Runs {
			if r.Kind == Break {
				return false
			}
		}
	}
	return len(cells) > 1
}
