package rest

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"strings"
	"sync"

	"github.com/swaggest/swgui"
	"github.com/swaggest/swgui/v5emb"
	"go.yaml.in/yaml/v3"

	"frontdesk/internal/desk"
)

// The API document is written by hand: openapi/api.yaml is the frame, and each
// other file one noun with its paths and schemas. What the permissions table
// says is added here, so that it is said once.
//
//go:embed openapi/*.yaml
var openapiFiles embed.FS

// openapi is the whole document as JSON, put together at the first call.
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

// addPermissions writes into each operation who may call it, and which scope
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
			operation["description"] = strings.TrimSpace(fmt.Sprintf("%s\n\nFor: %s. Token scope: `%s`.", strings.TrimSpace(text), strings.Join(may, ", "), scope))
		}
	}
}

var accessNames = map[desk.Access]string{desk.No: "none", desk.Own: "own", desk.All: "all"}

func serveOpenAPI(w http.ResponseWriter, r *http.Request) {
	doc, err := openapi()
	if err != nil {
		writeAnswer(w, errorAnswer(err))
		return
	}
	writeAnswer(w, answer{Answer: desk.Answer{Status: http.StatusOK, Body: doc}})
}

// docsPage shows the document to people. Everything it loads is in the binary.
func docsPage() http.Handler {
	page := v5emb.NewHandlerWithConfig(swgui.Config{
		Title: "Frontdesk API", SwaggerJSON: "/v1/openapi.json", BasePath: "/docs/",
		SettingsUI: map[string]string{"deepLinking": "true", "displayRequestDuration": "true"},
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy",
			"default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'")
		page.ServeHTTP(w, r)
	})
}
