package lineartest

import (
	_ "embed"
	"encoding/json"
	"mime"
	"net/http"
	"strings"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

//go:embed schema.graphql
var published string

var schema = gqlparser.MustLoadSchema(&ast.Source{Name: "schema.graphql", Input: published})

// mostRequest bounds how much of a request is read.
const mostRequest = 4 << 20

// call is a request that is being answered.
type call struct {
	s         *Server
	who       *user
	variables map[string]any
	operation *ast.OperationDefinition
	errors    []any
	after     []func() // run once the workspace is free again
}

// ServeHTTP answers at /graphql.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path != "/graphql":
		http.NotFound(w, r)
		return
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		answer(w, http.StatusMethodNotAllowed, nil, unreadable("GET requests are not supported."))
		return
	}
	s.requests.Add(1)
	k, err := s.authenticate(r)
	if err != nil {
		err.answer(w)
		return
	}
	c, status, errs := s.read(w, r, k.user)
	cost := 0
	if errs == nil {
		cost = complexity(c.operation, c.variables)
	}
	if !s.spend(w.Header(), k.user, cost) {
		rateLimited.answer(w)
		return
	}
	switch {
	case errs != nil:
		answer(w, status, nil, errs)
	case cost > mostComplex:
		tooComplex.answer(w)
	default:
		s.answer(w, c)
	}
}

// answer runs a query and writes the answer, unless a fault applies.
func (s *Server) answer(w http.ResponseWriter, c *call) {
	fault, hit := s.faults.next(c.roots(), s.now())
	if hit && (!fault.After || fault.Pause > 0) {
		fault.strike(w, s.now())
		return
	}
	data := s.execute(c)
	if hit {
		fault.strike(w, s.now())
		return
	}
	answer(w, http.StatusOK, data, c.errors)
}

// execute runs a query and then sends the events.
func (s *Server) execute(c *call) any {
	data, ok := c.run()
	for _, fn := range c.after {
		fn()
	}
	if !ok {
		return nil
	}
	return data
}

// run runs a query while it has the workspace to itself.
func (c *call) run() (map[string]any, bool) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	for _, name := range c.roots() {
		c.s.calls[name]++
	}
	var root object = query{}
	if c.operation.Operation == ast.Mutation {
		root = mutation{}
	}
	return c.selected(root, c.operation.SelectionSet, nil)
}

// roots returns the top-level fields of a query.
func (c *call) roots() (names []string) {
	for _, f := range c.collect(c.operation.SelectionSet) {
		names = append(names, f.Name)
	}
	return names
}

// read parses a query and validates it against the schema.
func (s *Server) read(w http.ResponseWriter, r *http.Request, who *user) (c *call, status int, errs []any) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, http.StatusBadRequest, unreadable("This operation has been blocked as a potential Cross-Site Request Forgery (CSRF).",
			"The content-type must be application/json.")
	}
	var req struct {
		Query         string         `json:"query"`
		Variables     map[string]any `json:"variables"`
		OperationName string         `json:"operationName"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, mostRequest)).Decode(&req); err != nil {
		return nil, http.StatusBadRequest, unreadable("The body is no JSON:", err.Error())
	}
	if strings.TrimSpace(req.Query) == "" {
		return nil, http.StatusBadRequest, unreadable("GraphQL operations must contain a non-empty `query`.")
	}
	doc, err := parser.ParseQuery(&ast.Source{Input: req.Query})
	if err != nil {
		return nil, http.StatusBadRequest, malformed("GRAPHQL_PARSE_FAILED", gqlerror.List{gqlerror.WrapIfUnwrapped(err)})
	}
	if errs := validator.ValidateWithRules(schema, doc, rules.NewDefaultRules()); len(errs) > 0 {
		return nil, http.StatusBadRequest, malformed("GRAPHQL_VALIDATION_FAILED", errs)
	}
	op := doc.Operations.ForName(req.OperationName)
	if op == nil || req.OperationName == "" && len(doc.Operations) > 1 {
		return nil, http.StatusBadRequest, malformed("OPERATION_RESOLUTION_FAILURE", gqlerror.List{gqlerror.Errorf("Unknown operation named %q.", req.OperationName)})
	}
	variables, err := validator.VariableValues(schema, op, req.Variables)
	if err != nil {
		return nil, http.StatusBadRequest, malformed("BAD_USER_INPUT", gqlerror.List{gqlerror.WrapIfUnwrapped(err)})
	}
	return &call{s: s, who: who, variables: variables, operation: op}, 0, nil
}

// answer writes a GraphQL answer.
func answer(w http.ResponseWriter, status int, data any, errs []any) {
	body := map[string]any{}
	if status == http.StatusOK {
		body["data"] = data
	}
	if len(errs) > 0 {
		body["errors"] = errs
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}
