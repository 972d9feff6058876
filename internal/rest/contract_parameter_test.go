package rest

import (
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// parameter is a part of a request besides its body, or a header of a response.
type parameter struct {
	name, in string
	required bool
	shape    shape
	repeated bool // a list repeats the parameter; its values may have commas
	schema   *jsonschema.Schema
}

// shape says what kind of value a text stands for. Schemas describe JSON, where a
// number is not a text. In parameters, headers and forms everything is a text.
type shape struct {
	kind  string // a JSON type
	items string // the type of a list's items
}

func shapeOf(schema place) shape {
	kind := schema.text("type")
	if several, ok := schema.object["type"].([]any); ok && slices.Contains(several, any("string")) {
		kind = "string" // any text is one
	}
	return shape{kind, schema.in("items").text("type")}
}

// scalar returns the value that a text stands for. A text that does not fit the
// kind stays a text, and the schema reports it.
func scalar(kind, text string) any {
	switch kind {
	case "integer":
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return json.Number(strconv.FormatInt(n, 10))
		}
	case "boolean":
		if text == "true" || text == "false" {
			return text == "true"
		}
	}
	return text
}

// list returns the value that several texts stand for.
func (s shape) list(texts []string) []any {
	values := []any{}
	for _, text := range texts {
		values = append(values, scalar(s.items, text))
	}
	return values
}

// problems returns what is wrong with the values of the parameter in a request or a
// response.
func (p parameter) problems(texts []string) (found []string) {
	if len(texts) == 0 {
		if p.required {
			found = append(found, fmt.Sprintf("%s %s is missing", p.in, p.name))
		}
		return found
	}
	check := func(v any) {
		for _, problem := range schemaProblems(p.schema, v) {
			found = append(found, fmt.Sprintf("%s %s: %s", p.in, p.name, problem))
		}
	}
	if p.shape.kind != "array" {
		for _, text := range texts {
			check(scalar(p.shape.kind, text))
		}
		return found
	}
	if !p.repeated {
		texts = strings.Split(strings.Join(texts, ","), ",")
	}
	check(p.shape.list(texts))
	return found
}

// parameterProblems checks a request apart from its body. A query parameter or
// header that the document does not have is allowed.
func (o *operation) parameterProblems(r *http.Request, inPath map[string]string) (found []string) {
	query := r.URL.Query()
	for _, p := range o.parameters {
		var texts []string
		switch p.in {
		case "path":
			text, err := url.PathUnescape(inPath[p.name])
			if err != nil {
				found = append(found, fmt.Sprintf("path %s is %q", p.name, inPath[p.name]))
				continue
			}
			texts = []string{text}
		case "query":
			texts = query[p.name]
		case "header":
			texts = r.Header.Values(p.name)
		}
		found = append(found, p.problems(texts)...)
	}
	return found
}

// credentialProblems checks that the request has credentials, valid or not.
func (o *operation) credentialProblems(r *http.Request) []string {
	for _, c := range o.credentials {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if c.scheme != "" && strings.EqualFold(scheme, c.scheme) && token != "" {
			return nil
		}
		if _, err := r.Cookie(c.cookie); c.cookie != "" && err == nil {
			return nil
		}
	}
	if len(o.credentials) == 0 {
		return nil
	}
	return []string{"nothing says who calls"}
}

// formValue returns a form as the schemas of forms describe it. Files are lists, in
// which each file's name stands for its content.
func (m mediaType) formValue(form *multipart.Form) map[string]any {
	v := map[string]any{}
	for name, texts := range form.Value {
		switch s := m.shapes[name]; {
		case s.kind == "array":
			v[name] = s.list(texts)
		case len(texts) == 1:
			v[name] = scalar(s.kind, texts[0])
		default:
			v[name] = shape{items: s.kind}.list(texts)
		}
	}
	for name, files := range form.File {
		var names []any
		for _, file := range files {
			names = append(names, file.Filename)
		}
		v[name] = names
	}
	return v
}
