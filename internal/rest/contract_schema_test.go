package rest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// schemas compiles the schemas of a document. A compiled schema may be used
// concurrently, but the compiler may not.
type schemas struct{ compiler *jsonschema.Compiler }

// schemaBase is the compiler's name for the document. It is never fetched.
const schemaBase = "contract:openapi.json"

func newSchemas(document map[string]any) (schemas, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.RegisterFormat(&jsonschema.Format{Name: "idn-email", Validate: isEmail})
	return schemas{c}, c.AddResource(schemaBase, document)
}

// compile returns the schema at a JSON pointer. Each schema is compiled once.
func (s schemas) compile(at string) (*jsonschema.Schema, error) {
	return s.compiler.Compile(schemaBase + "#" + at)
}

// isEmail checks a format that the validator does not know.
func isEmail(v any) error {
	s, ok := v.(string)
	if !ok {
		return nil
	}
	if a, err := mail.ParseAddress(s); err != nil || a.Address != s {
		return errors.New("not an email address")
	}
	return nil
}

// jsonProblems returns the problems that a schema finds in a text that should be
// JSON.
func jsonProblems(schema *jsonschema.Schema, text []byte) []string {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return []string{fmt.Sprintf("the body cannot be decoded: %v", err)}
	}
	if n := unbounded(v); n != "" {
		return []string{fmt.Sprintf("the number %s has no value", shorten(n.String(), 50))}
	}
	return schemaProblems(schema, v)
}

// unbounded returns a number in a JSON value that is larger than programs can read,
// or "" if there is none.
func unbounded(v any) (found json.Number) {
	switch v := v.(type) {
	case json.Number:
		if _, err := v.Float64(); err != nil {
			return v
		}
	case []any:
		for _, inner := range v {
			found = cmp.Or(found, unbounded(inner))
		}
	case map[string]any:
		for _, inner := range v {
			found = cmp.Or(found, unbounded(inner))
		}
	}
	return found
}

// schemaProblems returns the problems that a schema finds in a value, with their
// positions.
func schemaProblems(schema *jsonschema.Schema, v any) []string {
	err := schema.Validate(v)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []string{err.Error()}
	}
	const most = 8 // more would not help: a reader fixes the first one
	found := causes(invalid)
	if n := len(found); n > most {
		found = append(found[:most], fmt.Sprintf("and %d more", n-most))
	}
	return found
}

// causes returns the innermost problems of an error. If a value fits none of
// several schemas, those that it nearly fits come first.
func causes(e *jsonschema.ValidationError) (found []string) {
	if len(e.Causes) == 0 {
		return []string{shorten(e.Error(), 300)}
	}
	var each [][]string
	for _, cause := range e.Causes {
		each = append(each, causes(cause))
	}
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		slices.SortStableFunc(each, func(a, b []string) int { return len(a) - len(b) })
	}
	for _, texts := range each {
		for _, text := range texts {
			if !slices.Contains(found, text) {
				found = append(found, text)
			}
		}
	}
	return found
}

// shorten cuts a text that is too long to be read.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
