// Package reference writes docs/api, the pages that describe the API to people: an
// overview, and a page for each resource. It reads the YAML files of the API
// document rather than the JSON, because their order matters to a reader. It also
// takes examples that its caller has tried. It serves nothing and knows no handler.
package reference

import (
	"fmt"
	"io/fs"
	"strings"
)

// Source is what the pages are made from.
type Source struct {
	Files    fs.FS     // the API document: *.yaml, where api.yaml is the frame
	Examples []Example // every operation needs one
}

// Pages returns the text of each page by its file name. It reports all problems of
// the source at once.
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

// book holds the document while its pages are written.
type book struct {
	*document
	examples []Example
	problems []string
}

func (b *book) problem(format string, args ...any) {
	b.problems = append(b.problems, fmt.Sprintf(format, args...))
}

// fileName returns the page of a resource: custom-fields.md for "Custom fields".
func fileName(tag string) string { return anchor(tag) + ".md" }

// anchor returns the link target of a heading, as GitHub and others create it.
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

// generated is the first line of every page.
const generated = "<!-- Generated from internal/rest/openapi by `make docs`. Change it there, not here. -->\n\n"

// overview writes the first page: what applies to every operation, and a list of
// all operations.
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

// resource writes the page of a resource: its operations, then the objects in their
// input and responses.
func (b *book) resource(tag tag) string {
	page := fileName(tag.Name)
	var w strings.Builder
	w.WriteString(generated)
	fmt.Fprintf(&w, "# %s\n\n%s The [overview](README.md) describes what applies to every call.\n\n", tag.Name, tag.Description)
	operations := b.operationsOf(tag.Name)
	b.contents(&w, "", operations)
	for _, op := range operations {
		b.operation(&w, page, op)
	}
	b.objects(&w, page, tag.Name)
	return w.String()
}

// contents lists operations with links to their descriptions.
func (b *book) contents(w *strings.Builder, page string, operations []*operation) {
	w.WriteString("| operation | call |\n|---|---|\n")
	for _, op := range operations {
		fmt.Fprintf(w, "| [%s](%s#%s) | `%s %s` |\n", op.Summary, page, anchor(op.Summary), op.method, op.path)
	}
}

// objects describes the schemas that belong to a tag and are nested in others or
// used by several operations. Those of the frame have no tag.
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
