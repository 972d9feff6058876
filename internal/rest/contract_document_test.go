package rest

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// apiDocument is what exchanges are checked against: the parts of OpenAPI 3.1 that
// our document uses, with every reference resolved and every schema compiled.
// TestDocumentIsValid fails if the document has a part that is not known here.
type apiDocument struct {
	paths    []*apiPath // in the order in which they are tried
	webhooks map[string]*operation
	failure  *jsonschema.Schema // the schema of every error
}

// apiPath is a path of the document, with its operations.
type apiPath struct {
	template   string
	segments   []string
	operations map[string]*operation // by method, in lower case
}

type operation struct {
	id           string
	parameters   []parameter
	credentials  []apiCredential // one of them is required; empty if none is
	body         map[string]mediaType
	bodyRequired bool
	responses    map[string]*response // by status
}

// response is the document's description of a response.
type response struct {
	headers []parameter
	content map[string]mediaType
	// OpenAPI has no words for these two, so the document has its own.
	emptyAfter string // the content type of a request whose response has no body
	csvAt      string // the path where the CSV response is described
}

// mediaType is a body in one of its possible formats.
type mediaType struct {
	schema  *jsonschema.Schema // for exchanges
	closed  *jsonschema.Schema // for examples, which must not have fields that are not described
	shapes  map[string]shape   // of the fields of a form
	example any
}

// apiCredential is a way to authenticate: a token in the header, or a cookie.
type apiCredential struct {
	scheme string // of the Authorization header
	cookie string
}

// find returns the path that matches a request, with the values of its parameters.
// Segments are compared as they were sent, so an escaped letter does not match.
func (d *apiDocument) find(escaped string) (*apiPath, map[string]string) {
	segments := strings.Split(escaped, "/")
	for _, p := range d.paths {
		if values, ok := p.match(segments); ok {
			return p, values
		}
	}
	return nil, nil
}

func (p *apiPath) match(segments []string) (map[string]string, bool) {
	if len(segments) != len(p.segments) {
		return nil, false
	}
	values := map[string]string{}
	for i, s := range p.segments {
		if name, ok := parameterName(s); ok && segments[i] != "" {
			values[name] = segments[i]
		} else if s != segments[i] {
			return nil, false
		}
	}
	return values, true
}

// parameterName returns the parameter that a segment stands for.
func parameterName(segment string) (name string, ok bool) {
	name, ok = strings.CutPrefix(segment, "{")
	return strings.TrimSuffix(name, "}"), ok
}

// place is an object of the document, with its position as a JSON pointer.
type place struct {
	root   map[string]any
	at     string
	object map[string]any
}

var (
	pointerEscape   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescape = strings.NewReplacer("~1", "/", "~0", "~")
)

// in returns the object under a name. It follows references, and returns an empty
// object if there is none.
func (p place) in(name string) place {
	object, _ := p.object[name].(map[string]any)
	return place{p.root, p.at + "/" + pointerEscape.Replace(name), object}.follow()
}

func (p place) follow() place {
	ref, ok := p.object["$ref"].(string)
	if !ok {
		return p
	}
	to := place{p.root, "", p.root}
	for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		to = to.in(pointerUnescape.Replace(name))
	}
	return to
}

// list returns the objects of a list.
func (p place) list(name string) (all []place) {
	values, _ := p.object[name].([]any)
	for i, v := range values {
		object, _ := v.(map[string]any)
		all = append(all, place{p.root, p.at + "/" + name + "/" + strconv.Itoa(i), object}.follow())
	}
	return all
}

// names returns the names of an object's fields, always in the same order.
func (p place) names() []string { return slices.Sorted(maps.Keys(p.object)) }

func (p place) text(name string) string {
	s, _ := p.object[name].(string)
	return s
}

func (p place) is(name string) bool {
	is, _ := p.object[name].(bool)
	return is
}

// documentReader reads the document. Requests are checked against the document as
// it is served. Responses are checked against the document with its responses
// closed. Both have everything in the same place.
type documentReader struct {
	served, closed schemas
	answers        map[string]*response // the responses that were read, by their position
	failed         []error
}

func readDocument(served, closed map[string]any) (*apiDocument, error) {
	r := &documentReader{answers: map[string]*response{}}
	var err error
	if r.served, err = newSchemas(served); err != nil {
		return nil, err
	}
	if r.closed, err = newSchemas(closed); err != nil {
		return nil, err
	}
	root := place{served, "", served}
	d := &apiDocument{webhooks: map[string]*operation{}, failure: r.compile(r.closed, "/components/schemas/Error")}
	paths := root.in("paths")
	// A path that is spelled out comes before one with a parameter in the same
	// place, because '{' sorts after every letter.
	for _, template := range paths.names() {
		d.paths = append(d.paths, r.path(template, paths.in(template)))
	}
	webhooks := root.in("webhooks")
	for _, event := range webhooks.names() {
		d.webhooks[event] = r.operation(webhooks.in(event), "post")
	}
	return d, errors.Join(r.failed...)
}

// methods are the fields of a path that are operations.
var methods = []string{"get", "put", "post", "delete", "patch"}

func (r *documentReader) path(template string, p place) *apiPath {
	path := &apiPath{template: template, segments: strings.Split(template, "/"), operations: map[string]*operation{}}
	for _, method := range methods {
		if p.object[method] != nil {
			path.operations[method] = r.operation(p, method)
		}
	}
	return path
}

func (r *documentReader) operation(path place, method string) *operation {
	p := path.in(method)
	o := &operation{id: p.text("operationId"), credentials: r.credentials(p), responses: map[string]*response{}}
	for _, parameter := range slices.Concat(path.list("parameters"), p.list("parameters")) {
		o.parameters = append(o.parameters, r.parameter(r.served, parameter.text("name"), parameter))
	}
	if body := p.in("requestBody"); body.object != nil {
		o.bodyRequired = body.is("required")
		o.body = r.content(r.served, body)
	}
	responses := p.in("responses")
	for _, status := range responses.names() {
		o.responses[status] = r.response(responses.in(status))
	}
	return o
}

// credentials returns the credentials that an operation accepts, or else the
// document's.
func (r *documentReader) credentials(operation place) (all []apiCredential) {
	root := place{operation.root, "", operation.root}
	from := operation
	if operation.object["security"] == nil {
		from = root
	}
	for _, requirement := range from.list("security") {
		for name := range requirement.object {
			scheme := root.in("components").in("securitySchemes").in(name)
			all = append(all, apiCredential{scheme: scheme.text("scheme"), cookie: scheme.text("name")})
		}
	}
	return all
}

func (r *documentReader) response(p place) *response {
	if read := r.answers[p.at]; read != nil {
		return read
	}
	w := &response{content: r.content(r.closed, p), emptyAfter: p.text("x-empty-after"), csvAt: p.text("x-csv-at")}
	headers := p.in("headers")
	for _, name := range headers.names() {
		w.headers = append(w.headers, r.parameter(r.closed, name, headers.in(name)))
	}
	r.answers[p.at] = w
	return w
}

func (r *documentReader) content(by schemas, of place) map[string]mediaType {
	all := map[string]mediaType{}
	content := of.in("content")
	for _, name := range content.names() {
		p := content.in(name)
		m := mediaType{example: p.object["example"], shapes: map[string]shape{}}
		m.schema = r.compile(by, p.at+"/schema")
		m.closed = r.compile(r.closed, p.at+"/schema")
		fields := p.in("schema").in("properties")
		for _, field := range fields.names() {
			m.shapes[field] = shapeOf(fields.in(field))
		}
		all[name] = m
	}
	return all
}

// parameter reads a parameter, or a header of a response, which has no name or
// position of its own.
func (r *documentReader) parameter(by schemas, name string, p place) parameter {
	return parameter{
		name: name, in: cmp.Or(p.text("in"), "header"), required: p.is("required"),
		shape: shapeOf(p.in("schema")), repeated: p.is("explode"),
		schema: r.compile(by, p.at+"/schema"),
	}
}

func (r *documentReader) compile(by schemas, at string) *jsonschema.Schema {
	schema, err := by.compile(at)
	if err != nil {
		r.failed = append(r.failed, fmt.Errorf("%s: %w", at, err))
	}
	return schema
}

// method returns the method of an operation. HEAD is the same as GET, without a
// body.
func method(r *http.Request) string {
	if r.Method == http.MethodHead {
		return "get"
	}
	return strings.ToLower(r.Method)
}
