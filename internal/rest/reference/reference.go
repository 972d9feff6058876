// Package reference writes docs/api, the pages that describe the API to people: an overview, and a page for each resource.
// It reads the API document as it is written (the YAML files, for the order of things matters to a reader) and examples that
// somebody else has tried. It serves nothing and knows no handler.
package reference

import (
	"fmt"
	"io/fs"
	"strings"
)

// Source is what the pages are made from.
type Source struct {
	Files    fs.FS     // the API document: *.yaml, of which api.yaml is the frame
	Examples []Example // every operation needs one
}

// Pages returns the text of each page by its file name. Every problem of the source is told at once.
func Pages(src Source) (map[string]string, error) {
	doc, err := readDocument(src.Files)
	if err != nil {
		return nil, err
	}
	b := &book{document: doc, examples: src.Examples}
	pages := map[string]string{"README.md": b.overview()}
	for _, tag := range doc.Tags {
		pages[fileName(tag.Name)] = b.resource(tag)
	}
	if len(b.problems) > 0 {
		return nil, fmt.Errorf("the pages cannot be made:\n%s", strings.Join(b.problems, "\n"))
	}
	return pages, nil
}

// book is the document on its way onto pages.
type book struct {
	*document
	examples []Example
	problems []string
}

func (b *book) problem(format string, args ...any) {
	b.problems = append(b.problems, fmt.Sprintf(format, args...))
}

// fileName is the page of a resource: "Custom fields" is custom-fields.md.
func fileName(tag string) string { return anchor(tag) + ".md" }

// anchor is what a heading is linked by, as GitHub and others make it.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}, strings.ToLower(heading))
}

// generated stands at the top of every page.
const generated = "<!-- Made from internal/rest/openapi by `make docs`. Change it there. -->\n\n"

// overview is the first page: what holds for every operation, and where each of them is.
func (b *book) overview() string {
	var w strings.Builder
	w.WriteString(generated)
	fmt.Fprintf(&w, "# %s\n\n%s\n\n## Resources\n", b.Info.Title, strings.TrimSpace(b.Info.Description))
	for _, tag := range b.Tags {
		fmt.Fprintf(&w, "\n### [%s](%s)\n\n%s\n\n", tag.Name, fileName(tag.Name), tag.Description)
		b.contents(&w, fileName(tag.Name), b.operationsOf(tag.Name))
	}
	b.objects(&w, "README.md", "")
	return w.String()
}

// resource is the page of a resource: its operations, then the objects that they send and answer.
func (b *book) resource(tag tag) string {
	page := fileName(tag.Name)
	var w strings.Builder
	w.WriteString(generated)
	fmt.Fprintf(&w, "# %s\n\n%s What holds for every call is in the [overview](README.md).\n\n", tag.Name, tag.Description)
	operations := b.operationsOf(tag.Name)
	b.contents(&w, "", operations)
	for _, op := range operations {
		b.operation(&w, page, op)
	}
	b.objects(&w, page, tag.Name)
	return w.String()
}

// contents lists operations with links to where they are described.
func (b *book) contents(w *strings.Builder, page string, operations []*operation) {
	w.WriteString("| operation | call |\n|---|---|\n")
	for _, op := range operations {
		fmt.Fprintf(w, "| [%s](%s#%s) | `%s %s` |\n", op.Summary, page, anchor(op.Summary), op.method, op.path)
	}
}

// objects describes the schemas that were written beside the operations of a tag, and are used by more than one operation or
// inside of others. Those of the frame have no tag.
func (b *book) objects(w *strings.Builder, page, tag string) {
	heading := "\n## Objects\n"
	for name, s := range b.Components.Schemas.all() {
		if b.homes[name] != tag || !b.linked[name] {
			continue
		}
		w.WriteString(heading)
		heading = ""
		fmt.Fprintf(w, "\n### %s\n\n", name)
		b.fields(w, page, s)
	}
}
