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

// schemas compiles the schemas of a document. A schema that is compiled may be
// used by many at once, the compiler may not.
type schemas struct{ compiler *jsonschema.Compiler }

// schemaBase is what the compiler knows the document by; it is never fetched.
const schemaBase = "contract:openapi.json"

func newSchemas(document map[string]any) (schemas, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.RegisterFormat(&jsonschema.Format{Name: "idn-email", Validate: isEmail})
	return schemas{c}, c.AddResource(schemaBase, document)
}

// compile gives the schema at a JSON pointer, which is compiled once.
func (s schemas) compile(at string) (*jsonschema.Schema, error) {
	return s.compiler.Compile(schemaBase + "#" + at)
}

// isEmail lends the validator the format it does not know.
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

// jsonProblems are what a schema finds in a text that should be JSON.
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

// unbounded is a number in a value that is JSON, but larger than any that programs
// read; empty where there is none.
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

// schemaProblems are what a schema finds in a value: where, and what.
func schemaProblems(schema *jsonschema.Schema, v any) []string {
	err := schema.Validate(v)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []string{err.Error()}
	}
	const most = 8 // whoever reads them mends the first
	found := causes(invalid)
	if n := len(found); n > most {
		found = append(found[:most], fmt.Sprintf("and %d more", n-most))
	}
	return found
}

// causes are the problems at the bottom of one. Where a value fits none of several
// schemas, those come first that it nearly fits.
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

// shorten cuts a text that nobody would read to its end.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
