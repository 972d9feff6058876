package rest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// documentObjects are the objects of OpenAPI 3.1 that our document has, with the
// fields of each: which of them are required (!), and what they hold. Any object
// may also have fields that begin with x-. This is less than OpenAPI allows,
// because the checks of exchanges would not see anything else. A name is an object,
// []name a list of them, {}name a map. any is checked elsewhere.
var documentObjects = map[string]map[string]string{
	"document":   {"openapi": "!text", "info": "!info", "servers": "[]server", "tags": "[]tag", "security": "![]{}[]text", "paths": "!{}path", "webhooks": "{}path", "components": "!components"},
	"info":       {"title": "!text", "version": "!text", "description": "text", "license": "license"},
	"license":    {"name": "!text", "identifier": "text", "url": "text"},
	"server":     {"url": "!text", "description": "text"},
	"tag":        {"name": "!text", "description": "text"},
	"components": {"schemas": "{}schema", "responses": "{}response", "parameters": "{}parameter", "headers": "{}header", "securitySchemes": "{}scheme"},
	"scheme":     {"type": "!text", "scheme": "text", "name": "text", "in": "text", "description": "text"},
	"path":       {"parameters": "[]parameter", "get": "operation", "put": "operation", "post": "operation", "delete": "operation", "patch": "operation"},
	"operation": {"operationId": "!text", "tags": "[]text", "summary": "text", "description": "text", "security": "[]{}[]text", "parameters": "[]parameter",
		"requestBody": "body", "responses": "!{}response"},
	"parameter": {"name": "!text", "in": "!text", "schema": "!schema", "required": "flag", "style": "text", "explode": "flag", "allowReserved": "flag", "description": "text", "example": "any"},
	"body":      {"content": "!{}media", "required": "flag", "description": "text"},
	"response":  {"description": "!text", "headers": "{}header", "content": "{}media"},
	"header":    {"schema": "!schema", "required": "flag", "description": "text", "example": "any"},
	"media":     {"schema": "!schema", "example": "any"},
	// The compiler checks the values of schema keywords, but ignores keywords that
	// it does not know.
	"schema": {"$ref": "text", "description": "text", "type": "any", "format": "any", "enum": "any", "const": "any", "default": "any", "examples": "any",
		"properties": "{}schema", "patternProperties": "{}schema", "additionalProperties": "any", "required": "any", "minProperties": "any", "maxProperties": "any",
		"items": "schema", "minItems": "any", "maxItems": "any", "uniqueItems": "any",
		"minimum": "any", "maximum": "any", "minLength": "any", "maxLength": "any", "pattern": "any",
		"allOf": "[]schema", "anyOf": "[]schema", "oneOf": "[]schema"},
}

// componentsOf says where the targets of references are stored.
var componentsOf = map[string]string{"schema": "schemas", "response": "responses", "parameter": "parameters", "header": "headers"}

// documentCheck collects the problems of a document.
type documentCheck struct {
	root    map[string]any
	schemas schemas
	found   []string
}

func (c *documentCheck) report(at, format string, args ...any) {
	c.found = append(c.found, at+": "+fmt.Sprintf(format, args...))
}

// documentProblems returns the problems of a document: with its format, and with
// what the checks of exchanges rely on.
func documentProblems(document map[string]any) []string {
	compiler, err := newSchemas(document)
	if err != nil {
		return []string{err.Error()}
	}
	c := &documentCheck{root: document, schemas: compiler}
	c.value("", "document", document)
	if len(c.found) > 0 {
		return c.found // nothing more can be checked if the format is wrong
	}
	root := place{document, "", document}
	if version := root.text("openapi"); !strings.HasPrefix(version, "3.1.") {
		c.report("/openapi", "%q is another version", version)
	}
	c.names(root)
	ids := map[string]string{}
	for _, section := range []string{"paths", "webhooks"} {
		all := root.in(section)
		for _, name := range all.names() {
			path := all.in(name)
			for _, method := range methods {
				if path.object[method] == nil {
					continue
				}
				operation := path.in(method)
				id := operation.text("operationId")
				if other := ids[id]; other != "" {
					c.report(operation.at, "the operationId %q is also that of %s", id, other)
				}
				ids[id] = operation.at
				c.parameters(name, path, operation)
				c.security(operation)
				c.statuses(section, operation)
			}
			if section == "webhooks" && (path.object["post"] == nil || len(path.object) > 1) {
				c.report(path.at, "a webhook is a post, and nothing else")
			}
		}
	}
	c.security(root)
	return c.found
}

var componentName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// names checks names that are used in an address or a reference.
func (c *documentCheck) names(root place) {
	for _, path := range root.in("paths").names() {
		if !strings.HasPrefix(path, "/") {
			c.report("/paths", "%q is no path", path)
		}
	}
	for _, section := range root.in("components").names() {
		for _, name := range root.in("components").in(section).names() {
			if !componentName.MatchString(name) {
				c.report("/components/"+section, "%q is no name", name)
			}
		}
	}
}

// value checks the format of a value.
func (c *documentCheck) value(at, kind string, v any) {
	if of, ok := strings.CutPrefix(kind, "[]"); ok {
		list, ok := v.([]any)
		if !ok {
			c.report(at, "is no list")
		}
		for i, inner := range list {
			c.value(fmt.Sprintf("%s/%d", at, i), of, inner)
		}
		return
	}
	of, isMap := strings.CutPrefix(kind, "{}")
	switch _, text := v.(string); {
	case kind == "any":
		return
	case kind == "text" && text:
		return
	case kind == "flag" && (v == true || v == false):
		return
	}
	object, ok := v.(map[string]any)
	if !ok || kind == "text" || kind == "flag" {
		c.report(at, "is no %s", kind)
		return
	}
	p := place{c.root, at, object}
	if isMap {
		for _, name := range p.names() {
			c.value(at+"/"+pointerEscape.Replace(name), of, object[name])
		}
		return
	}
	c.object(p, kind)
}

// object checks the fields of an object.
func (c *documentCheck) object(p place, kind string) {
	if p.object["$ref"] != nil {
		c.reference(p, kind)
		if kind != "schema" { // a schema may have fields besides a reference
			return
		}
	}
	fields := documentObjects[kind]
	for _, name := range p.names() {
		holds, ok := fields[name]
		switch {
		case ok:
			c.value(p.at+"/"+pointerEscape.Replace(name), strings.TrimPrefix(holds, "!"), p.object[name])
		case kind == "schema" || !strings.HasPrefix(name, "x-"):
			c.report(p.at, "%s has no field %q", kind, name)
		}
	}
	for name, holds := range fields {
		if strings.HasPrefix(holds, "!") && p.object[name] == nil {
			c.report(p.at, "%s needs the field %q", kind, name)
		}
	}
	if kind != "schema" {
		return
	}
	if inner, ok := p.object["additionalProperties"].(map[string]any); ok {
		c.value(p.at+"/additionalProperties", "schema", inner)
	}
	if _, err := c.schemas.compile(p.at); err != nil {
		c.report(p.at, "%s", shorten(err.Error(), 300))
	}
}

// reference checks that a reference leads to an object of the right kind.
func (c *documentCheck) reference(p place, kind string) {
	ref := p.text("$ref")
	name, ok := strings.CutPrefix(ref, "#/components/"+componentsOf[kind]+"/")
	if all := within(c.root, "components", componentsOf[kind]); !ok || all[name] == nil {
		c.report(p.at, "there is no %s %q", kind, ref)
	}
	for _, field := range p.names() {
		switch {
		case field == "description":
			c.value(p.at+"/description", "text", p.object[field])
		case kind != "schema" && field != "$ref":
			c.report(p.at, "a reference has no field %q", field)
		}
	}
}

var pathParameter = regexp.MustCompile(`\{([^{}]*)\}`)

// parameters checks the parameters of an operation: one for each in its path, and
// no duplicates.
func (c *documentCheck) parameters(template string, path, operation place) {
	var inPath, seen []string
	for _, p := range slices.Concat(path.list("parameters"), operation.list("parameters")) {
		name, in, s := p.text("name"), p.text("in"), shapeOf(p.in("schema"))
		if key := in + " " + name; slices.Contains(seen, key) {
			c.report(operation.at, "has two parameters in %s", key)
		} else {
			seen = append(seen, key)
		}
		if in == "path" {
			inPath = append(inPath, name)
		}
		list := in == "query" && s.kind == "array"
		switch {
		case !slices.Contains([]string{"path", "query", "header"}, in):
			c.report(p.at, "a parameter cannot be in %q", in)
		case in == "path" && !p.is("required"):
			c.report(p.at, "a parameter of a path must be required")
		case !list && !slices.Contains([]string{"string", "integer", "boolean"}, s.kind):
			c.report(p.at, "a parameter in %s cannot be of the type %q", in, s.kind)
		case list && (p.text("style") != "form" || p.object["explode"] == nil):
			c.report(p.at, "a list must say style: form, and explode")
		case !list && (p.object["style"] != nil || p.object["explode"] != nil):
			c.report(p.at, "only a list in a query has a style")
		}
	}
	var named []string
	for _, match := range pathParameter.FindAllStringSubmatch(template, -1) {
		named = append(named, match[1])
	}
	slices.Sort(named)
	slices.Sort(inPath)
	if !slices.Equal(named, inPath) {
		c.report(operation.at, "the path names %q, and the parameters are %q", named, inPath)
	}
}

// security checks that each credential is a token in a header, or a cookie.
func (c *documentCheck) security(of place) {
	schemes := place{c.root, "", c.root}.in("components").in("securitySchemes")
	for _, requirement := range of.list("security") {
		if len(requirement.object) != 1 {
			c.report(requirement.at, "asks for %d things, not one", len(requirement.object))
		}
		for name := range requirement.object {
			scheme := schemes.in(name)
			bearer := scheme.text("type") == "http" && scheme.text("scheme") == "bearer" && scheme.text("name") == ""
			cookie := scheme.text("type") == "apiKey" && scheme.text("in") == "cookie" && scheme.text("name") != "" && scheme.text("scheme") == ""
			if !bearer && !cookie {
				c.report(requirement.at, "%q is no bearer token and no cookie", name)
			}
		}
	}
}

var (
	oneStatus   = regexp.MustCompile(`^[1-5][0-9][0-9]$`)
	someWebhook = regexp.MustCompile(`^[1-5]([0-9][0-9]|XX)$`) // responses of others are not checked
)

func (c *documentCheck) statuses(section string, operation place) {
	responses := operation.in("responses")
	for _, status := range responses.names() {
		if !oneStatus.MatchString(status) && !(section == "webhooks" && someWebhook.MatchString(status)) {
			c.report(responses.at, "%q is no status", status)
		}
		if at := responses.in(status).text("x-csv-at"); at != "" && within(c.root, "paths", at) == nil {
			c.report(responses.at, "there is no path %q", at)
		}
	}
	if len(responses.object) == 0 {
		c.report(responses.at, "an operation has responses")
	}
}

func TestDocumentIsValid(t *testing.T) {
	k, err := servedContract()
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range documentProblems(k.served) {
		t.Error(problem)
	}
}

// The checks above are worthless if they accept everything.
func TestInvalidDocumentIsFound(t *testing.T) {
	const good = `{
		"openapi": "3.1.0", "info": {"title": "Things", "version": "1"}, "security": [{"token": []}],
		"paths": {
			"/things": {
				"get": {"operationId": "listThings", "parameters": [{"$ref": "#/components/parameters/limit"}], "responses": {"200": {"$ref": "#/components/responses/Good"}}},
				"post": {"operationId": "createThing", "responses": {"201": {"description": "Made.", "x-csv-at": "/things"}},
					"requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}}}},
			"/things/{id}": {
				"parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}],
				"get": {"operationId": "getThing", "x-scope": "read_only", "responses": {"200": {"$ref": "#/components/responses/Good", "description": "It."}}}}},
		"webhooks": {"thing.made": {"post": {"operationId": "onThingMade", "security": [], "responses": {"2XX": {"description": "Taken."}}}}},
		"components": {
			"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
			"parameters": {"limit": {"name": "limit", "in": "query", "schema": {"type": "integer"}}},
			"headers": {"Id": {"required": true, "schema": {"type": "string", "pattern": "^[a-z]+$"}}},
			"responses": {"Good": {"description": "Good.", "headers": {"Id": {"$ref": "#/components/headers/Id"}}, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}}},
			"schemas": {"Thing": {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}, "more": {"$ref": "#/components/schemas/Thing", "description": "Others."}}}}}}`
	tests := []struct{ name, from, to, want string }{
		{name: "nothing"},
		{"a missing object", `"info": {"title": "Things", "version": "1"}, `, ``, `needs the field "info"`},
		{"another version", `"3.1.0"`, `"3.0.3"`, `"3.0.3" is another version`},
		{"a path that is none", `"/things": {`, `"things": {`, `"things" is no path`},
		{"a name that is none", `"Thing": {`, `"A Thing": {}, "Thing": {`, `"A Thing" is no name`},
		{"a missing field", `"operationId": "getThing", `, ``, `needs the field "operationId"`},
		{"a misspelled field", `"responses": {"201"`, `"respones": {"201"`, `has no field "respones"`},
		{"another method", `"post": {"operationId": "createThing"`, `"pots": {"operationId": "createThing"`, `has no field "pots"`},
		{"a text for a flag", `"required": true, "content"`, `"required": "true", "content"`, `requestBody/required: is no flag`},
		{"a flag for a text", `"title": "Things"`, `"title": true`, `is no text`},
		{"a map for a list", `"parameters": [{"$ref": "#/components/parameters/limit"}]`, `"parameters": {}`, `is no list`},
		{"a list for a map", `{"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}`, `[]`, `is no {}media`},
		{"no responses", `{"201": {"description": "Made.", "x-csv-at": "/things"}}`, `{}`, `an operation has responses`},
		{"a status that is none", `"201"`, `"20"`, `"20" is no status`},
		{"many statuses", `"201"`, `"2XX"`, `"2XX" is no status`},
		{"the same id", `"operationId": "getThing"`, `"operationId": "listThings"`, `is also that of`},
		{"the same id in a webhook", `"operationId": "onThingMade"`, `"operationId": "listThings"`, `is also that of`},
		{"a webhook that asks", `{"post": {"operationId": "onThingMade"`, `{"get": {"operationId": "onThingMade"`, `a webhook is a post`},
		{"a path without its parameter", `"/things/{id}"`, `"/things/{name}"`, `the path names ["name"]`},
		{"a parameter without its path", `"/things/{id}"`, `"/things/one"`, `the path names []`},
		{"a parameter without a place", `"in": "path", `, ``, `needs the field "in"`},
		{"a parameter without a schema", `, "schema": {"type": "integer"}}],`, `}],`, `needs the field "schema"`},
		{"a parameter elsewhere", `"in": "query"`, `"in": "body"`, `cannot be in "body"`},
		{"a parameter twice", `{"$ref": "#/components/parameters/limit"}`, `{"$ref": "#/components/parameters/limit"}, {"$ref": "#/components/parameters/limit"}`, `two parameters`},
		{"a path that may be left out", `"in": "path", "required": true`, `"in": "path"`, `must be required`},
		{"an object as a parameter", `"in": "query", "schema": {"type": "integer"}`, `"in": "query", "schema": {"type": "object"}`, `of the type "object"`},
		{"a list of unknown form", `"in": "query", "schema": {"type": "integer"}`, `"in": "query", "schema": {"type": "array"}`, `must say style`},
		{"a style of what is no list", `"in": "query"`, `"in": "query", "style": "form"`, `only a list`},
		{"a reference to nothing", `"#/components/responses/Good"`, `"#/components/responses/None"`, `there is no response`},
		{"a reference to something else", `"#/components/responses/Good"`, `"#/components/schemas/Thing"`, `there is no response`},
		{"more than a reference", `"description": "It."`, `"content": {}`, `a reference has no field "content"`},
		{"a reference that is not described by a text", `"description": "It."`, `"description": 7`, `is no text`},
		{"an unknown word", `"required": ["id"]`, `"requires": ["id"]`, `has no field "requires"`},
		{"a word of OpenAPI 3.0", `"required": ["id"]`, `"nullable": true`, `has no field "nullable"`},
		{"a word with another value", `"required": ["id"]`, `"required": "id"`, `want array`},
		{"an unknown type", `"type": "object"`, `"type": "thing"`, `/components/schemas/Thing`},
		{"a pattern that is none", `^[a-z]+$`, `(`, `/components/headers/Id/schema`},
		{"a schema that is not there", `"more": {"$ref": "#/components/schemas/Thing"`, `"more": {"$ref": "#/components/schemas/None"`, `there is no schema`},
		{"an unknown scheme", `"security": [{"token": []}]`, `"security": [{"none": []}]`, `no bearer token`},
		{"security that is no list", `"security": [{"token": []}]`, `"security": 7`, `is no list`},
		{"two schemes at once", `"security": [{"token": []}]`, `"security": [{"token": [], "none": []}]`, `asks for 2 things`},
		{"another kind of scheme", `"type": "http"`, `"type": "oauth2"`, `no bearer token`},
		{"CSV that is described nowhere", `"x-csv-at": "/things"`, `"x-csv-at": "/none"`, `there is no path "/none"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(good, tt.from, tt.to, 1)
			if tt.from != "" && text == good {
				t.Fatalf("there is no %s", tt.from)
			}
			var doc map[string]any
			if err := json.Unmarshal([]byte(text), &doc); err != nil {
				t.Fatal(err)
			}
			found := strings.Join(documentProblems(doc), "\n")
			if tt.want == "" && found != "" || !strings.Contains(found, tt.want) {
				t.Errorf("found: %s\nwant: %s", found, tt.want)
			}
		})
	}
}
