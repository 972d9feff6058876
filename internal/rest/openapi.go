package rest

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"frontdesk/internal/desk"
)

// The API document is written by hand. openapi/api.yaml is the frame. Each other
// file holds the paths and schemas of one noun. The permissions are added from the
// permissions table, so that they are written down only once.
//
//go:embed openapi/*.yaml
var openapiFiles embed.FS

// Document returns the whole API document as JSON.
func Document() ([]byte, error) { return openapi() }

// openapi returns the whole document as JSON. It is put together at the first call.
var openapi = sync.OnceValues(func() ([]byte, error) {
	doc, err := readYAML("openapi/api.yaml")
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(openapiFiles, "openapi/*.yaml")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if name == "openapi/api.yaml" {
			continue
		}
		part, err := readYAML(name)
		if err != nil {
			return nil, err
		}
		merge(doc, part)
	}
	addPermissions(doc)
	addWebhooks(doc)
	return json.Marshal(doc)
})

func readYAML(name string) (map[string]any, error) {
	text, err := openapiFiles.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var doc map[string]any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return doc, nil
}

// merge adds a part to the document, object by object.
func merge(doc, part map[string]any) {
	for k, v := range part {
		into, both := doc[k].(map[string]any)
		from, objects := v.(map[string]any)
		if both && objects {
			merge(into, from)
			continue
		}
		doc[k] = v
	}
}

// addPermissions adds to each operation which roles may call it, and which scope
// its token needs.
func addPermissions(doc map[string]any) {
	paths, _ := doc["paths"].(map[string]any)
	for path := range maps.Values(paths) {
		methods, _ := path.(map[string]any)
		for m := range maps.Values(methods) {
			operation, ok := m.(map[string]any)
			if !ok {
				continue
			}
			id, _ := operation["operationId"].(string)
			p, ok := desk.Permissions[desk.Operation(id)]
			if !ok {
				continue
			}
			scope := desk.ReadOnly
			if p.Writes {
				scope = desk.ReadWrite
			}
			access := map[string]string{}
			var may []string
			for _, r := range desk.Roles {
				access[string(r)] = accessNames[p.Of(r)]
				if p.Of(r) != desk.No {
					may = append(may, string(r))
				}
			}
			operation["x-access"] = access
			operation["x-scope"] = scope
			text, _ := operation["description"].(string)
			operation["description"] = strings.TrimSpace(fmt.Sprintf("%s\n\nRoles: %s. Token scope: `%s`.", strings.TrimSpace(text), strings.Join(may, ", "), scope))
		}
	}
}

var accessNames = map[desk.Access]string{desk.No: "none", desk.Own: "own", desk.All: "all"}

// addWebhooks adds a webhook for each type of event. Webhooks get the events of the
// feed without id and source, so the schemas of the feed are used and written down
// only once.
func addWebhooks(doc map[string]any) {
	components := within(doc, "components")
	schemas := within(components, "schemas")
	answers := map[any]any{} // the example of each schema
	eachAnswer(doc, func(content map[string]any) {
		if ref := within(content, "schema")["$ref"]; ref != nil && content["example"] != nil {
			answers[ref] = content["example"]
		}
	})
	var headers []any
	for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		headers = append(headers, map[string]any{"$ref": "#/components/parameters/" + name})
	}
	webhooks := map[string]any{}
	kinds, _ := within(schemas, "Event")["oneOf"].([]any)
	for _, kind := range kinds {
		ref, _ := kind.(map[string]any)["$ref"].(string)
		schema := within(schemas, strings.TrimPrefix(ref, "#/components/schemas/"))
		properties := within(schema, "properties")
		data := within(properties, "data")
		example := answers[data["$ref"]]
		if own, ok := data["examples"].([]any); ok {
			example = own[0]
		}
		types, _ := within(properties, "type")["enum"].([]any)
		for _, t := range types {
			name := t.(string)
			webhooks[name] = map[string]any{"post": map[string]any{
				"operationId": webhookOperation(name),
				"tags":        []any{"Events"},
				"summary":     t,
				"description": schema["description"],
				"security":    []any{},
				"parameters":  headers,
				"requestBody": map[string]any{"required": true, "content": map[string]any{"application/json": map[string]any{
					"schema": map[string]any{
						"type":       "object",
						"required":   []any{"type", "timestamp", "data"},
						"properties": map[string]any{"type": map[string]any{"const": t}, "timestamp": properties["timestamp"], "data": data},
					},
					"example": map[string]any{"type": t, "timestamp": "2026-05-13T09:12:33.123Z", "data": example},
				}}},
				"responses": map[string]any{
					"2XX": map[string]any{"description": "The event was received."},
					"410": map[string]any{"description": "The endpoint wants no more events. Its webhook is disabled."},
				},
			}}
		}
	}
	doc["webhooks"] = webhooks
}

// webhookOperation returns the name that generated code gives to the handler of an
// event type: onRequestCreated for request.created.
func webhookOperation(event string) string {
	name := "on"
	for word := range strings.SplitSeq(event, ".") {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return name
}

// eachAnswer calls fn with every JSON response in the document, always in the same
// order.
func eachAnswer(doc map[string]any, fn func(content map[string]any)) {
	paths := within(doc, "paths")
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		methods := within(paths, path)
		for _, method := range slices.Sorted(maps.Keys(methods)) {
			responses := within(methods, method, "responses")
			for _, status := range slices.Sorted(maps.Keys(responses)) {
				fn(within(responses, status, "content", "application/json"))
			}
		}
	}
}

// within returns a nested object, or an empty one if it does not exist.
func within(object map[string]any, names ...string) map[string]any {
	for _, name := range names {
		object, _ = object[name].(map[string]any)
	}
	return object
}

func serveOpenAPI(w http.ResponseWriter, r *http.Request) {
	doc, err := openapi()
	if err != nil {
		writeAnswer(w, errorAnswer(err))
		return
	}
	writeAnswer(w, answer{Answer: desk.Answer{Status: http.StatusOK, Body: doc}})
}
