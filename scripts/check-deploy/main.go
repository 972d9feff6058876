// Command check-deploy checks the compose files and the Kubernetes manifests against
// the schemas that their projects publish, which it gets through Go's module proxy. A
// field that a schema does not know is an error, as it is for an API server.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// The modules that contain the schemas.
const (
	kubernetesModule = "k8s.io/kubernetes@v1.36.3"
	operatorModule   = "github.com/prometheus-operator/prometheus-operator@v0.85.0"
	composeModule    = "github.com/compose-spec/compose-go/v2@v2.16.2"
)

func main() {
	if err := check(); err != nil {
		fmt.Fprintln(os.Stderr, "check-deploy:", err)
		os.Exit(1)
	}
}

func check() error {
	schemas, err := loadKubernetes()
	if err != nil {
		return err
	}
	manifests, err := filepath.Glob("deploy/kubernetes/*.yaml")
	if err != nil {
		return err
	}
	checked := 0
	for _, path := range manifests {
		if filepath.Base(path) == "kustomization.yaml" {
			continue // kustomize itself is strict about it
		}
		object, err := readYAML(path)
		if err != nil {
			return err
		}
		fields, _ := object.(map[string]any)
		kind := fmt.Sprintf("%s %s", fields["apiVersion"], fields["kind"])
		schema, ok := schemas[kind]
		if !ok {
			return fmt.Errorf("%s: there is no schema of %s", path, kind)
		}
		if err := schema.Validate(object); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		checked++
	}
	compose, err := loadCompose()
	if err != nil {
		return err
	}
	for _, path := range []string{"compose.yaml", "compose.postgres.yaml"} {
		object, err := readYAML(path)
		if err != nil {
			return err
		}
		if err := compose.Validate(object); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		checked++
	}
	fmt.Printf("check-deploy: %d files are as their schemas say\n", checked)
	return nil
}

// loadKubernetes returns the schema of each kind, under its version and name.
func loadKubernetes() (map[string]*jsonschema.Schema, error) {
	folder, err := download(kubernetesModule)
	if err != nil {
		return nil, err
	}
	doc, err := readYAML(filepath.Join(folder, "api/openapi-spec/swagger.json")) // JSON is YAML, too
	if err != nil {
		return nil, err
	}
	definitions := doc.(map[string]any)["definitions"].(map[string]any)
	closeObjects(definitions)
	// OpenAPI 2 cannot say that a value is a number or a text.
	definitions["io.k8s.apimachinery.pkg.util.intstr.IntOrString"] = map[string]any{"type": []any{"integer", "string"}}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("kubernetes.json", map[string]any{"definitions": definitions}); err != nil {
		return nil, err
	}
	schemas := map[string]*jsonschema.Schema{}
	for name, definition := range definitions {
		kinds, _ := definition.(map[string]any)["x-kubernetes-group-version-kind"].([]any)
		if len(kinds) != 1 {
			continue // parts of objects, and what belongs to every version
		}
		kind := kinds[0].(map[string]any)
		version := strings.TrimPrefix(fmt.Sprintf("%s/%s", kind["group"], kind["version"]), "/")
		if schemas[fmt.Sprintf("%s %s", version, kind["kind"])], err = compiler.Compile("kubernetes.json#/definitions/" + name); err != nil {
			return nil, err
		}
	}
	schemas["monitoring.coreos.com/v1 PodMonitor"], err = loadPodMonitor(compiler)
	return schemas, err
}

// loadPodMonitor returns the schema of a kind that the Prometheus operator adds.
func loadPodMonitor(compiler *jsonschema.Compiler) (*jsonschema.Schema, error) {
	folder, err := download(operatorModule)
	if err != nil {
		return nil, err
	}
	doc, err := readYAML(filepath.Join(folder, "example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml"))
	if err != nil {
		return nil, err
	}
	version := doc.(map[string]any)["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)
	schema := version["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
	closeObjects(schema)
	if err := compiler.AddResource("podmonitor.json", schema); err != nil {
		return nil, err
	}
	return compiler.Compile("podmonitor.json")
}

func loadCompose() (*jsonschema.Schema, error) {
	folder, err := download(composeModule)
	if err != nil {
		return nil, err
	}
	doc, err := readYAML(filepath.Join(folder, "schema/compose-spec.json"))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("compose.json", doc); err != nil {
		return nil, err
	}
	return compiler.Compile("compose.json")
}

// closeObjects lets no object have fields that its schema does not name.
func closeObjects(schema any) {
	switch s := schema.(type) {
	case []any:
		for _, part := range s {
			closeObjects(part)
		}
	case map[string]any:
		for _, part := range s {
			closeObjects(part)
		}
		_, named := s["properties"].(map[string]any)
		_, open := s["additionalProperties"]
		if s["type"] == "object" && named && !open {
			s["additionalProperties"] = false
		}
	}
}

// download returns the folder of a module, which Go gets if it is not there yet.
func download(module string) (string, error) {
	var errs bytes.Buffer
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	var got struct{ Dir, Error string }
	if e := json.Unmarshal(out, &got); err != nil || e != nil {
		return "", fmt.Errorf("download %s: %s%s", module, got.Error, errs.String())
	}
	return got.Dir, nil
}

// readYAML reads a file as a JSON schema wants it.
func readYAML(path string) (any, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var doc any
	if err := yaml.Unmarshal(b, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if b, err = json.Marshal(doc); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(b))
}
