package rest

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// answerSchemas calls fn with every schema that describes something we send:
// responses, and what webhooks deliver. It passes a named schema once. where says
// which schema it is.
func answerSchemas(doc map[string]any, fn func(where string, schema map[string]any)) {
	seen := map[string]bool{}
	var visit func(where string, schema map[string]any)
	visit = func(where string, schema map[string]any) {
		if ref, ok := schema["$ref"].(string); ok {
			if !seen[ref] {
				seen[ref] = true
				visit(ref[strings.LastIndex(ref, "/")+1:], resolve(doc, schema))
			}
			return
		}
		fn(where, schema)
		properties := within(schema, "properties")
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			visit(where+"."+name, within(properties, name))
		}
		for _, word := range []string{"items", "additionalProperties"} {
			if inner, ok := schema[word].(map[string]any); ok {
				visit(where+" "+word, inner)
			}
		}
		for _, word := range []string{"allOf", "anyOf", "oneOf"} {
			parts, _ := schema[word].([]any)
			for i, part := range parts {
				visit(fmt.Sprintf("%s %s[%d]", where, word, i), part.(map[string]any))
			}
		}
	}
	content := func(where string, of map[string]any) {
		for kind, media := range within(of, "content") {
			visit(where+" "+kind, within(media.(map[string]any), "schema"))
		}
	}
	for path, methods := range within(doc, "paths") {
		for method := range methods.(map[string]any) {
			responses := within(methods.(map[string]any), method, "responses")
			for status := range responses {
				content(method+" "+path+" "+status, resolve(doc, within(responses, status)))
			}
		}
	}
	for event, webhook := range within(doc, "webhooks") {
		content(event, within(webhook.(map[string]any), "post", "requestBody"))
	}
}

// resolve follows a reference within the document.
func resolve(doc, object map[string]any) map[string]any {
	ref, ok := object["$ref"].(string)
	if !ok {
		return object
	}
	return resolve(doc, within(doc, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...))
}

// isObject reports whether object is the type, or one of several types.
func isObject(kind any) bool {
	several, _ := kind.([]any)
	return kind == "object" || slices.Contains(several, any("object"))
}

var partOfWhole = regexp.MustCompile(` allOf\[\d+\]$`)

// closeAnswers returns the document with every object that we send closed: it has
// the described fields and no others. The parts of an allOf that only add to a
// whole have no type, and stay open. Anything else with fields must be closed.
func closeAnswers(text []byte) ([]byte, error) {
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	var untyped []string
	answerSchemas(doc, func(where string, schema map[string]any) {
		_, said := schema["additionalProperties"]
		switch {
		case schema["properties"] == nil || said:
		case isObject(schema["type"]):
			schema["additionalProperties"] = false
		case !partOfWhole.MatchString(where):
			untyped = append(untyped, where)
		}
	})
	if untyped != nil {
		return nil, fmt.Errorf("schemas with properties must say type: object: %q", untyped)
	}
	return json.Marshal(doc)
}

// A client that was generated today must be able to read tomorrow's responses,
// which may have more fields.
func TestAnswersAreOpen(t *testing.T) {
	text, err := Document()
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	for _, problem := range closedAnswers(doc) {
		t.Error(problem)
	}
}

// closedAnswers returns the response schemas that an additional field would break.
func closedAnswers(doc map[string]any) (found []string) {
	answerSchemas(doc, func(where string, schema map[string]any) {
		for _, word := range []string{"additionalProperties", "unevaluatedProperties"} {
			if schema[word] == false {
				found = append(found, where+": "+word+" is false")
			}
		}
		// A closed response fits only one of several schemas. An open one may fit
		// two, and oneOf would reject it.
		branches, _ := schema["oneOf"].([]any)
		for i, one := range branches {
			for _, other := range branches[:i] {
				if !disjoint(resolve(doc, one.(map[string]any)), resolve(doc, other.(map[string]any))) {
					found = append(found, where+": oneOf has branches that an open answer may both fit; make it anyOf")
				}
			}
		}
	})
	slices.Sort(found)
	return slices.Compact(found)
}

// disjoint reports whether no value fits both schemas: their types differ, or a
// field that both require has no value in common.
func disjoint(a, b map[string]any) bool {
	if a["type"] != nil && b["type"] != nil && a["type"] != b["type"] {
		return true
	}
	for name := range within(a, "properties") {
		if !requires(a, name) || !requires(b, name) {
			continue
		}
		ours, theirs := values(within(a, "properties", name)), values(within(b, "properties", name))
		common := slices.ContainsFunc(ours, func(v any) bool { return slices.Contains(theirs, v) })
		if len(ours) > 0 && len(theirs) > 0 && !common {
			return true
		}
	}
	return false
}

func requires(schema map[string]any, name string) bool {
	required, _ := schema["required"].([]any)
	return slices.Contains(required, any(name))
}

// values returns the values that a schema lists, or none if it also accepts others.
func values(schema map[string]any) []any {
	if v, ok := schema["const"]; ok {
		return []any{v}
	}
	listed, _ := schema["enum"].([]any)
	return listed
}

// The check above is worthless if it accepts everything.
func TestClosedAnswersAreFound(t *testing.T) {
	const text = `{
		"paths": {"/x": {"post": {
			"requestBody": {"content": {"application/json": {"schema": {"type": "object", "additionalProperties": false}}}},
			"responses": {"200": {"$ref": "#/components/responses/Good"}, "400": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Deep"}}}}}}}},
		"webhooks": {"x.made": {"post": {"requestBody": {"content": {"application/json": {"schema": {"type": "object", "unevaluatedProperties": false}}}}}}},
		"components": {
			"responses": {"Good": {"content": {"application/json": {"schema": {"type": "object", "additionalProperties": false}}}}},
			"schemas": {
				"Deep": {"type": "array", "items": {"anyOf": [{"$ref": "#/components/schemas/Closed"}, {"$ref": "#/components/schemas/Apart"}, {"$ref": "#/components/schemas/Alike"}]}},
				"Closed": {"type": "object", "additionalProperties": false, "properties": {"more": {"$ref": "#/components/schemas/Closed"}}},
				"Apart": {"oneOf": [{"type": "null"}, {"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/B"}]},
				"Alike": {"oneOf": [{"$ref": "#/components/schemas/A"}, {"type": "object", "properties": {"kind": {"enum": ["b"]}}}]},
				"A": {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "a"}}},
				"B": {"type": "object", "required": ["kind"], "properties": {"kind": {"enum": ["b", "c"]}}}
			}}}`
	var doc map[string]any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"Alike: oneOf has branches that an open answer may both fit; make it anyOf",
		"Closed: additionalProperties is false",
		"post /x 200 application/json: additionalProperties is false",
		"x.made application/json: unevaluatedProperties is false",
	}
	if got := closedAnswers(doc); !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}
