package reference

import (
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/desk"
)

// operation describes one operation: who may call it, its parameters, its
// responses, its errors, and an example.
func (b *book) operation(w *strings.Builder, page string, op *operation) {
	fmt.Fprintf(w, "\n## %s\n\n`%s %s`", op.Summary, op.method, op.path)
	if p, ok := desk.Permissions[desk.Operation(op.ID)]; ok {
		fmt.Fprintf(w, " · roles: %s · token scope `%s`", strings.Join(rolesOf(p), ", "), scopeOf(p))
	}
	w.WriteString("\n")
	if op.Description != "" {
		fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(op.Description))
	}
	b.parameters(w, page, op)
	if op.RequestBody != nil {
		for kind, c := range op.RequestBody.Content.all() {
			fmt.Fprintf(w, "\n**Body**, `%s`%s:\n\n", kind, optional(op.RequestBody.Required))
			b.fields(w, page, c.Schema)
		}
	}
	for status, r := range op.Responses.all() {
		if status < "300" {
			b.answer(w, page, status, b.response(r))
		}
	}
	b.errors(w, op)
	for _, e := range b.examplesOf(page, op) {
		e.write(w)
	}
}

func rolesOf(p desk.Permission) (roles []string) {
	for _, r := range desk.Roles {
		switch p.Of(r) {
		case desk.All:
			roles = append(roles, string(r))
		case desk.Own:
			roles = append(roles, string(r)+" (own collections)")
		}
	}
	return roles
}

func scopeOf(p desk.Permission) desk.Scope {
	if p.Writes {
		return desk.ReadWrite
	}
	return desk.ReadOnly
}

func optional(required bool) string {
	if required {
		return ""
	}
	return ", optional"
}

const idempotencyKey = "Idempotency-Key"

// parameters lists the parameters in the path, the query and the header. The
// idempotency key, which most changes take, gets a sentence instead.
func (b *book) parameters(w *strings.Builder, page string, op *operation) {
	takesKey := false
	heading := "\n| parameter | in | type | required | description |\n|---|---|---|---|---|\n"
	for _, p := range op.Parameters {
		p = b.parameter(p)
		if p.Name == idempotencyKey {
			takesKey = true
			continue
		}
		if p.Schema == nil {
			b.problem("%s: the parameter %q has no schema", op.ID, p.Name)
			continue
		}
		w.WriteString(heading)
		heading = ""
		about := sentences(b.limits(p.Schema), p.Description)
		fmt.Fprintf(w, "| `%s` | %s | %s | %s | %s |\n", p.Name, p.In, b.typeOf(page, p.Schema), yes(p.Required), cell(about))
	}
	if takesKey {
		fmt.Fprintf(w, "\nTakes an [`%s`](README.md#idempotency).\n", idempotencyKey)
	}
}

// answer describes a successful response.
func (b *book) answer(w *strings.Builder, page, status string, r *response) {
	fmt.Fprintf(w, "\n**Response** `%s`: %s\n", status, strings.TrimSpace(r.Description))
	for kind, c := range r.Content.all() {
		if kind != "application/json" {
			fmt.Fprintf(w, "\nAs `%s`.\n", kind)
		}
		if b.isObject(c.Schema) {
			w.WriteString("\n")
			b.fields(w, page, c.Schema)
		}
	}
}

// errors lists the errors that are specific to an operation. The overview describes
// those that every operation has.
func (b *book) errors(w *strings.Builder, op *operation) {
	var usual []string
	heading := "\n**Errors**\n\n| status | when |\n|---|---|\n"
	for status, r := range op.Responses.all() {
		if status < "300" {
			continue
		}
		if r.Description == "" {
			usual = append(usual, "`"+status+"`")
			continue
		}
		w.WriteString(heading)
		heading = ""
		fmt.Fprintf(w, "| `%s` | %s |\n", status, cell(r.Description))
	}
	switch {
	case len(usual) > 0 && heading == "":
		fmt.Fprintf(w, "\nAlso, [as for every operation](README.md#errors): %s.\n", strings.Join(usual, ", "))
	case len(usual) > 0:
		fmt.Fprintf(w, "\n**Errors**, [as for every operation](README.md#errors): %s.\n", strings.Join(usual, ", "))
	}
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

// sentences joins texts, each as a sentence. It skips empty texts.
func sentences(texts ...string) string {
	var said []string
	for _, t := range texts {
		if t = strings.TrimSpace(t); t == "" {
			continue
		}
		if !strings.HasSuffix(t, ".") {
			t += "."
		}
		said = append(said, t)
	}
	return strings.Join(said, " ")
}

// cell makes a text fit into a table cell.
func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}

// list joins words as in a sentence: a, b or c.
func list(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

// without returns a list without one of its words.
func without(words []string, word string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == word })
}
