package reference

import (
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// document is the part of the API document that the pages show.
type document struct {
	Info struct {
		Title       string
		Description string
	}
	Tags       []tag
	Paths      ordered[*pathItem]
	Components struct {
		Parameters ordered[*parameter]
		Schemas    ordered[*schema]
		Responses  ordered[*response]
	}

	operations []*operation
	homes      map[string]string // the tag whose page describes a schema; none for schemas of the frame
	linked     map[string]bool   // schemas that are described under their own heading
}

type tag struct{ Name, Description string }

type pathItem struct {
	Parameters                    []*parameter
	Get, Post, Put, Patch, Delete *operation
}

type operation struct {
	ID          string `yaml:"operationId"`
	Tags        []string
	Summary     string
	Description string
	Parameters  []*parameter
	RequestBody *struct {
		Required bool
		Content  ordered[*content]
	} `yaml:"requestBody"`
	Responses ordered[*response]

	method, path string
}

type parameter struct {
	Ref         string `yaml:"$ref"`
	Name        string
	In          string
	Required    bool
	Description string
	Schema      *schema
}

type response struct {
	Ref         string `yaml:"$ref"`
	Description string
	Content     ordered[*content]
}

type content struct{ Schema *schema }

type schema struct {
	Ref         string `yaml:"$ref"`
	Description string
	Type        typeNames
	Format      string
	Enum        []any
	Const       any
	Default     any
	Pattern     string

	Minimum       *float64
	Maximum       *float64
	MinLength     *int `yaml:"minLength"`
	MaxLength     *int `yaml:"maxLength"`
	MinItems      *int `yaml:"minItems"`
	MaxItems      *int `yaml:"maxItems"`
	MinProperties *int `yaml:"minProperties"`
	MaxProperties *int `yaml:"maxProperties"`

	Items                *schema
	Properties           ordered[*schema]
	PatternProperties    ordered[*schema] `yaml:"patternProperties"`
	AdditionalProperties additional       `yaml:"additionalProperties"`
	Required             []string
	OneOf                []*schema `yaml:"oneOf"`
	AnyOf                []*schema `yaml:"anyOf"`
	AllOf                []*schema `yaml:"allOf"`
}

// typeNames is written as one name or as a list of names.
type typeNames []string

func (t *typeNames) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*t = typeNames{n.Value}
		return nil
	}
	return n.Decode((*[]string)(t))
}

// additional is the schema of fields that the document does not name. It is nil if
// the document only says whether there may be such fields.
type additional struct{ *schema }

func (a *additional) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return nil
	}
	return n.Decode(&a.schema)
}

// ordered is a mapping that keeps the order in which it was written.
type ordered[T any] struct {
	names []string
	by    map[string]T
}

func (o *ordered[T]) UnmarshalYAML(n *yaml.Node) error {
	if o.by == nil {
		o.by = map[string]T{}
	}
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind == yaml.SequenceNode { // several mappings to merge
		for _, one := range n.Content {
			if err := o.UnmarshalYAML(one); err != nil {
				return err
			}
		}
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: a mapping was expected", n.Line)
	}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Tag == "!!merge" {
			if err := o.UnmarshalYAML(value); err != nil {
				return err
			}
			continue
		}
		var v T
		if err := value.Decode(&v); err != nil {
			return err
		}
		o.set(key.Value, v)
	}
	return nil
}

// set assigns a value to a name. An existing name keeps its place.
func (o *ordered[T]) set(name string, v T) {
	if _, ok := o.by[name]; !ok {
		o.names = append(o.names, name)
	}
	o.by[name] = v
}

func (o ordered[T]) all() iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for _, name := range o.names {
			if !yield(name, o.by[name]) {
				return
			}
		}
	}
}

// readDocument reads the frame and then the other files in the order of their
// names.
func readDocument(files fs.FS) (*document, error) {
	doc := &document{homes: map[string]string{}, linked: map[string]bool{}}
	if err := readYAML(files, "api.yaml", doc); err != nil {
		return nil, err
	}
	names, err := fs.Glob(files, "*.yaml")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if name == "api.yaml" {
			continue
		}
		var part document
		if err := readYAML(files, name, &part); err != nil {
			return nil, err
		}
		if err := doc.add(&part); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, op := range doc.operations {
		doc.link(op)
	}
	return doc, nil
}

func readYAML(files fs.FS, name string, into any) error {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return err
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// add adds the operations and schemas of another file. Its schemas belong to the
// tag of its first operation.
func (d *document) add(part *document) error {
	home := ""
	for path, item := range part.Paths.all() {
		for method, op := range item.operations() {
			if len(op.Tags) != 1 {
				return fmt.Errorf("%s %s has %d tags, not one", method, path, len(op.Tags))
			}
			op.method, op.path = method, path
			op.Parameters = slices.Concat(item.Parameters, op.Parameters)
			d.operations = append(d.operations, op)
			if home == "" {
				home = op.Tags[0]
			}
		}
	}
	for name, s := range part.Components.Schemas.all() {
		d.Components.Schemas.set(name, s)
		d.homes[name] = home
	}
	for name, p := range part.Components.Parameters.all() {
		d.Components.Parameters.set(name, p)
	}
	for name, r := range part.Components.Responses.all() {
		d.Components.Responses.set(name, r)
	}
	return nil
}

func (p *pathItem) operations() iter.Seq2[string, *operation] {
	return func(yield func(string, *operation) bool) {
		for _, m := range []struct {
			method string
			op     *operation
		}{{"GET", p.Get}, {"POST", p.Post}, {"PUT", p.Put}, {"PATCH", p.Patch}, {"DELETE", p.Delete}} {
			if m.op != nil && !yield(m.method, m.op) {
				return
			}
		}
	}
}

func (d *document) operationsOf(tag string) (found []*operation) {
	for _, op := range d.operations {
		if op.Tags[0] == tag {
			found = append(found, op)
		}
	}
	return found
}

// link marks the objects that are nested in an operation's input and responses.
// They are described once, under their own heading. The outermost object is
// described with the operation.
func (d *document) link(op *operation) {
	if op.RequestBody != nil {
		for _, c := range op.RequestBody.Content.all() {
			d.linkInside(d.schema(c.Schema))
		}
	}
	for _, r := range op.Responses.all() {
		for _, c := range d.response(r).Content.all() {
			d.linkInside(d.schema(c.Schema))
		}
	}
	for _, p := range op.Parameters {
		d.linkInside(d.parameter(p).Schema)
	}
}

func (d *document) linkInside(s *schema) {
	for _, inner := range s.inside() {
		if name := inner.name(); name != "" && d.isObject(inner) {
			if d.linked[name] {
				continue
			}
			d.linked[name] = true
		}
		d.linkInside(d.schema(inner))
	}
}

// inside returns the schemas that a schema is made of.
func (s *schema) inside() (found []*schema) {
	for _, one := range slices.Concat(s.OneOf, s.AnyOf, s.AllOf, []*schema{s.Items, s.AdditionalProperties.schema}) {
		if one != nil {
			found = append(found, one)
		}
	}
	for _, one := range s.Properties.all() {
		found = append(found, one)
	}
	for _, one := range s.PatternProperties.all() {
		found = append(found, one)
	}
	return found
}

// name returns the name of a schema that is described elsewhere. It is empty for an
// inline schema.
func (s *schema) name() string { return strings.TrimPrefix(s.Ref, "#/components/schemas/") }

// schema follows a reference. Texts beside the reference are kept.
func (d *document) schema(s *schema) *schema {
	if s.Ref == "" {
		return s
	}
	found := d.Components.Schemas.by[s.name()]
	if found == nil {
		return &schema{}
	}
	found = d.schema(found)
	if s.Description == "" {
		return found
	}
	with := *found
	with.Description = s.Description
	return &with
}

func (d *document) parameter(p *parameter) *parameter {
	if found := d.Components.Parameters.by[strings.TrimPrefix(p.Ref, "#/components/parameters/")]; found != nil {
		return found
	}
	return p
}

// response follows a reference like schema.
func (d *document) response(r *response) *response {
	found := d.Components.Responses.by[strings.TrimPrefix(r.Ref, "#/components/responses/")]
	if found == nil {
		return r
	}
	if r.Description == "" {
		return found
	}
	with := *found
	with.Description = r.Description
	return &with
}

// isObject reports whether a schema has fields, in any form, or keys that are not
// known in advance.
func (d *document) isObject(s *schema) bool {
	s = d.schema(s)
	if len(s.Properties.names) > 0 || s.AdditionalProperties.schema != nil {
		return true
	}
	for _, one := range slices.Concat(s.OneOf, s.AnyOf, s.AllOf) {
		if d.isObject(one) {
			return true
		}
	}
	return false
}
