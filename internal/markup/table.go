package markup

// Mail uses tables to arrange a page, and chat systems have none. So a table
// does not outlive the reading: rows of single lines become lines whose cells
// are parted by a bar, and everything else follows one below the other. It
// spares every reader of a Document the hardest corner of HTML, where parsers
// move content about.

const bar = " | "

// openTable begins a table, a row or a cell.
func (b *Builder) openTable(kind BlockKind) {
	switch kind {
	case table:
		b.intoFlow()
		if len(b.stack)+room[table] > maxDepth {
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

// addRow takes a row into its table f. Rows of data that follow each other are
// lines of one paragraph.
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

// isData tells a row of data from one that arranges a page. Empty cells are
// not among its cells.
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
