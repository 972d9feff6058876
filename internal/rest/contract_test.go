package rest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/config"
	problems "github.com/pb33f/libopenapi-validator/errors"
	"github.com/pb33f/libopenapi-validator/paths"
	"github.com/pb33f/libopenapi-validator/schema_validation"
	"github.com/pb33f/libopenapi/datamodel/high/base"
	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"
	"github.com/pb33f/libopenapi/orderedmap"

	"frontdesk/internal/desk"
)

// contract is the API document as it is served, ready to check exchanges.
//
// The document leaves the schemas of answers open: a client must not fail when an
// answer gets one more field. The checks know better. They go by the document with
// its answers closed, so that a field that is not documented fails a test.
type contract struct {
	served  validator.Validator // the document itself, for requests
	closed  validator.Validator // for answers
	model   *v3.Document        // closed
	options *config.ValidationOptions
	schemas schema_validation.SchemaValidator
}

// servedContract reads the document once for all tests: compiling it takes a
// while, and checking is safe for concurrent use.
var servedContract = sync.OnceValues(func() (*contract, error) {
	w := httptest.NewRecorder()
	New(Config{Key: scriptKey}).ServeHTTP(w, httptest.NewRequest("GET", "/v1/openapi.json", nil))
	if w.Code != http.StatusOK {
		return nil, fmt.Errorf("GET /v1/openapi.json: %d %s", w.Code, w.Body)
	}
	return newContract(w.Body.Bytes())
})

func newContract(text []byte) (*contract, error) {
	options := []config.Option{config.WithFormatAssertions(), config.WithCustomFormat("idn-email", isEmail)}
	k := &contract{
		schemas: schema_validation.NewSchemaValidator(options...),
		options: config.NewValidationOptions(config.WithRegexCache(&sync.Map{})), // or each path is compiled for each exchange
	}
	read := func(text []byte) (validator.Validator, *v3.Document, error) {
		document, err := libopenapi.NewDocument(text)
		if err != nil {
			return nil, nil, err
		}
		model, err := document.BuildV3Model()
		if err != nil {
			return nil, nil, err
		}
		v, errs := validator.NewValidator(document, options...)
		return v, &model.Model, errors.Join(errs...)
	}
	closed, err := closeAnswers(text)
	if err != nil {
		return nil, err
	}
	if k.served, _, err = read(text); err != nil {
		return nil, err
	}
	k.closed, k.model, err = read(closed)
	return k, err
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

// checkContract returns the transport with every exchange checked against the
// document: the answer always, the request unless it was marked by
// wrongRequest. What is not allowed fails the test.
func checkContract(t testReporter, through http.RoundTripper) http.RoundTripper {
	k, err := servedContract()
	if err != nil {
		t.Errorf("the API document: %v", err)
		return through
	}
	return contractTransport{t, k, through}
}

// testReporter is the part of testing.T that is needed here.
type testReporter interface {
	Helper()
	Errorf(format string, args ...any)
}

type contractTransport struct {
	t testReporter
	*contract
	through http.RoundTripper
}

type wrongKey struct{}

// wrongRequest marks a request as deliberately wrong. Then it must be: one that
// the document allows fails too, for either the mark or the document is false.
func wrongRequest(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), wrongKey{}, true))
}

func (c contractTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	c.t.Helper()
	sent, err := drain(&r.Body)
	if err != nil {
		return nil, err
	}
	// The client adds headers to what it sends, so the check has a copy.
	asked := r.Clone(r.Context())
	answered, err := c.through.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	received, err := drain(&answered.Body)
	if err != nil {
		return nil, err
	}
	wrong, _ := r.Context().Value(wrongKey{}).(bool)
	asked.Body = io.NopCloser(bytes.NewReader(sent))
	found := c.requestProblems(asked)
	switch {
	case wrong && len(found) == 0:
		c.t.Errorf("%s %s is marked as wrong, but the API document allows it", r.Method, r.URL)
	case !wrong && len(found) > 0:
		c.t.Errorf("%s %s is not a request the API document allows: %s", r.Method, r.URL, strings.Join(found, "; "))
	}
	if found := c.answerProblems(asked, answered, received); len(found) > 0 {
		c.t.Errorf("%s %s got an answer the API document does not allow: %s\n%d %s", r.Method, r.URL, strings.Join(found, "; "), answered.StatusCode, received)
	}
	return answered, nil
}

// drain reads a body and puts it back.
func drain(body *io.ReadCloser) ([]byte, error) {
	if *body == nil || *body == http.NoBody {
		return nil, nil
	}
	b, err := io.ReadAll(*body)
	(*body).Close()
	*body = io.NopCloser(bytes.NewReader(b))
	return b, err
}

func (k *contract) requestProblems(r *http.Request) []string {
	if r.Method == http.MethodHead {
		r = r.Clone(r.Context())
		r.Method = http.MethodGet
	}
	if k.operation(r) == nil {
		return []string{"no such operation"}
	}
	_, errs := k.served.ValidateHttpRequestSync(r)
	return describe(errs)
}

func (k *contract) answerProblems(r *http.Request, w *http.Response, body []byte) []string {
	if r.Method == http.MethodHead {
		return k.headProblems(r, w, body)
	}
	operation := k.operation(r)
	if operation == nil {
		// A path under another name is answered as under its own.
		own := r.Clone(r.Context())
		if aliased(own); own.URL.Path != r.URL.Path {
			return k.answerProblems(own, w, body)
		}
		return k.strayProblems(r, w, body)
	}
	response := operation.Responses.Codes.GetOrZero(strconv.Itoa(w.StatusCode))
	if path := csvPath(response, w); path != "" {
		r = r.Clone(r.Context())
		r.URL.Path = path
		return k.answerProblems(r, w, body)
	}
	if response != nil && emptyAfter(response, r) {
		if len(body) > 0 {
			return []string{"a body where the document has none for such a request"}
		}
		return nil
	}
	if response != nil && response.Content != nil && response.Content.GetOrZero("*/*") != nil {
		return nil // a file may be anything, which the validator does not know
	}
	var found []string
	for _, part := range parts(w.Header, body) {
		w = &http.Response{StatusCode: w.StatusCode, Header: w.Header, Body: io.NopCloser(bytes.NewReader(part))}
		_, errs := k.closed.ValidateHttpResponse(r, w)
		found = append(found, describe(errs)...)
	}
	// The validator looks at no body where the document has none.
	if response != nil && orderedmap.Len(response.Content) == 0 && len(body) > 0 {
		found = append(found, "a body where the document has none")
	}
	return found
}

// parts are what the document describes of a body: each of its lines, where they are
// JSON, else the whole.
func parts(h http.Header, body []byte) [][]byte {
	if h.Get("Content-Type") != "application/jsonl" {
		return [][]byte{body}
	}
	return bytes.SplitAfter(bytes.TrimSuffix(body, []byte("\n")), []byte("\n"))
}

// emptyAfter reports whether the answer to a request has no body because of what
// was sent. OpenAPI cannot say that of an operation that does several things, so
// the document has a word of its own for it.
func emptyAfter(response *v3.Response, r *http.Request) bool {
	sent, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	word := response.Extensions.GetOrZero("x-empty-after")
	return word != nil && word.Value == sent
}

// csvPath is where the document describes an answer in CSV that an Accept header
// asked for; empty where it does not. Two kinds of answer in one operation would
// give every generated client a union to take apart.
func csvPath(response *v3.Response, w *http.Response) string {
	if response == nil || !strings.HasPrefix(w.Header.Get("Content-Type"), "text/csv") {
		return ""
	}
	if word := response.Extensions.GetOrZero("x-csv-at"); word != nil {
		return word.Value
	}
	return ""
}

// headProblems checks the answer to HEAD: a status that GET has, and no body.
func (k *contract) headProblems(r *http.Request, w *http.Response, body []byte) (found []string) {
	get := r.Clone(r.Context())
	get.Method = http.MethodGet
	if operation := k.operation(get); operation != nil && operation.Responses.Codes.GetOrZero(strconv.Itoa(w.StatusCode)) == nil {
		found = append(found, "a status that GET does not have")
	}
	if len(body) > 0 {
		found = append(found, "a body in the answer to HEAD")
	}
	return found
}

// strayProblems checks what is answered where the document has no operation:
// an error in the common form.
func (k *contract) strayProblems(r *http.Request, w *http.Response, body []byte) []string {
	if !strings.HasPrefix(r.URL.Path, prefix+"/") && w.StatusCode < 400 {
		return nil // the document itself, and the page that shows it
	}
	var found []string
	if !slices.Contains([]int{403, 404, 405, 429, 500, 503}, w.StatusCode) {
		found = append(found, "a status that no error of the frame has")
	}
	_, errs := k.schemas.ValidateSchemaBytesWithVersion(k.schema("Error"), body, 3.1)
	return append(found, describe(errs)...)
}

func (k *contract) operation(r *http.Request) *v3.Operation {
	item, errs, _ := paths.FindPath(r, k.model, k.options)
	// The validator forgives a slash at the end; we do not.
	if item == nil || len(errs) > 0 || strings.HasSuffix(r.URL.Path, "/") {
		return nil
	}
	return item.GetOperations().GetOrZero(strings.ToLower(r.Method))
}

func (k *contract) schema(name string) *base.Schema {
	return k.model.Components.Schemas.GetOrZero(name).Schema()
}

func describe(errs []*problems.ValidationError) []string {
	var found []string
	for _, e := range errs {
		text := e.Message + ": " + e.Reason
		for _, s := range e.SchemaValidationErrors {
			text += fmt.Sprintf(" [%s %s]", s.FieldPath, s.Reason)
		}
		found = append(found, text)
	}
	return found
}

// The document and the page that shows it need no token, and the page loads
// nothing from elsewhere.
func TestDocumentIsServed(t *testing.T) {
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		New(Config{Key: scriptKey}).ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return w
	}
	if w := get("/v1/openapi.json"); w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("the document: %d %s", w.Code, w.Header())
	}
	if w := get("/docs"); w.Header().Get("Location") != "/docs/" {
		t.Errorf("/docs: %d %s", w.Code, w.Header())
	}
	page := get("/docs/")
	if page.Code != http.StatusOK || !strings.HasPrefix(page.Header().Get("Content-Type"), "text/html") ||
		!strings.Contains(page.Header().Get("Content-Security-Policy"), "default-src 'none'") || strings.Contains(page.Header().Get("Content-Security-Policy"), "unsafe") {
		t.Errorf("the page: %d %s", page.Code, page.Header())
	}
	loaded := regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(page.Body.String(), -1)
	if len(loaded) == 0 {
		t.Errorf("the page loads nothing: %s", page.Body)
	}
	for _, l := range loaded {
		if w := get(path.Join("/docs", strings.TrimPrefix(l[1], "/docs"))); w.Code != http.StatusOK {
			t.Errorf("the page loads %s: %d", l[1], w.Code)
		}
	}
}

func TestDocumentIsValid(t *testing.T) {
	k, err := servedContract()
	if err != nil {
		t.Fatal(err)
	}
	if _, errs := k.served.ValidateDocument(); len(errs) > 0 {
		t.Error(strings.Join(describe(errs), "\n"))
	}
}

// An example that is not allowed by its own schema misleads whoever copies it.
func TestExamplesAreAllowed(t *testing.T) {
	k, err := servedContract()
	if err != nil {
		t.Fatal(err)
	}
	check := func(t *testing.T, content *v3.MediaType) {
		t.Helper()
		if content.Example == nil {
			t.Error("no example")
			return
		}
		var v any
		if err := content.Example.Decode(&v); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		_, errs := k.schemas.ValidateSchemaBytesWithVersion(content.Schema.Schema(), text, 3.1)
		for _, problem := range describe(errs) {
			t.Errorf("%s: %s", text, problem)
		}
	}
	for path, item := range k.model.Paths.PathItems.FromOldest() {
		for method, operation := range item.GetOperations().FromOldest() {
			if operation.RequestBody != nil {
				content := operation.RequestBody.Content
				sent := cmp.Or(content.GetOrZero("application/json"), content.GetOrZero("multipart/form-data")) // where it takes nothing but a form
				t.Run(method+path+" request", func(t *testing.T) { check(t, sent) })
			}
			for status, response := range operation.Responses.Codes.FromOldest() {
				if response.Content != nil && response.Content.GetOrZero("*/*") != nil {
					continue // a file may be anything
				}
				for _, content := range response.Content.FromOldest() {
					t.Run(method+path+" "+status, func(t *testing.T) { check(t, content) })
				}
			}
		}
	}
	for name, item := range k.model.Webhooks.FromOldest() {
		t.Run("webhook "+name, func(t *testing.T) { check(t, item.Post.RequestBody.Content.GetOrZero("application/json")) })
	}
}

// Whatever an endpoint of a webhook may be sent has its schema in the document.
func TestDocumentHasWebhooks(t *testing.T) {
	k, err := servedContract()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, event := range desk.EventTypes {
		item := k.model.Webhooks.GetOrZero(string(event))
		if item == nil {
			t.Errorf("there is no webhook %s", event)
			continue
		}
		if id := item.Post.OperationId; !regexp.MustCompile(`^on([A-Z][a-z]+)+$`).MatchString(id) || names[id] {
			t.Errorf("%s has the operationId %q", event, id)
		}
		names[item.Post.OperationId] = true
		schema := item.Post.RequestBody.Content.GetOrZero("application/json").Schema.Schema()
		for body, want := range map[string]string{
			`{"type":"` + string(event) + `","timestamp":"2026-05-13T09:12:33.123Z"}`:                          "missing property 'data'",
			`{"type":"` + string(event) + `","timestamp":"2026-05-13T09:12:33.123Z","data":{}}`:                "$.data",
			`{"type":"other","timestamp":"2026-05-13T09:12:33.123Z","data":{}}`:                                "$.type",
			`{"type":"` + string(event) + `","timestamp":"2026-05-13T09:12:33.123Z","data":{},"source":"api"}`: "'source' not allowed",
		} {
			_, errs := k.schemas.ValidateSchemaBytesWithVersion(schema, []byte(body), 3.1)
			if found := strings.Join(describe(errs), "; "); !strings.Contains(found, want) {
				t.Errorf("%s: %q has not %q", body, found, want)
			}
		}
	}
	if n := orderedmap.Len(k.model.Webhooks); n != len(desk.EventTypes) {
		t.Errorf("the document has %d webhooks, for %d types of events", n, len(desk.EventTypes))
	}
}

// noted keeps what a test was told instead of failing.
type noted []string

func (n *noted) Helper()                           {}
func (n *noted) Errorf(format string, args ...any) { *n = append(*n, fmt.Sprintf(format, args...)) }

// The checks above are worth nothing if they let everything pass.
func TestContractCatches(t *testing.T) {
	const (
		good = `{"member":{"id":1,"email":"jo@example.com","name":"Jo","role":"agent","collection_ids":null,"created_at":"2026-05-13T09:00:00.000Z","updated_at":"2026-05-13T09:00:00.000Z"}}`
		page = `"response_metadata":{"next_cursor":null,"count":0}`
	)
	tests := []struct {
		name    string
		request string // method and path
		body    string
		status  int
		answer  string
		header  string // name and value beside the usual ones
		want    string // a part of what is reported; empty when all is well
	}{
		{name: "a good answer", status: 200, answer: good},
		{name: "a wrong enum", status: 200, answer: strings.Replace(good, `"agent"`, `"boss"`, 1), want: "role"},
		{name: "a missing member", status: 200, answer: strings.Replace(good, `"name":"Jo",`, ``, 1), want: "name"},
		{name: "an additional member", status: 200, answer: strings.Replace(good, `"name":"Jo",`, `"name":"Jo","age":7,`, 1), want: "age"},
		{name: "a wrong type", status: 200, answer: strings.Replace(good, `"id":1`, `"id":"1"`, 1), want: "integer"},
		{name: "a null", status: 200, answer: strings.Replace(good, `"Jo"`, `null`, 1), want: "string"},
		{name: "a time of another form", status: 200, answer: strings.Replace(good, `00.000Z`, `00Z`, 1), want: "created_at"},
		{name: "a bad address", status: 200, answer: strings.Replace(good, `jo@example.com`, `jo`, 1), want: "email"},
		{name: "no JSON", status: 200, answer: `member`, want: "decoded"},
		{name: "no body", status: 200, want: "content type"},
		{name: "an undocumented status", status: 418, answer: `{"message":"Teapot.","error":"BAD_REQUEST"}`, want: "418"},
		{name: "an error with another code", status: 404, answer: `{"message":"Gone.","error":"CONFLICT"}`, want: "NOT_FOUND"},
		{name: "an error of another form", status: 404, answer: `{"error":{"message":"Gone."}}`, want: "message"},
		{name: "no request id", status: 200, answer: good, header: "X-Request-Id: ", want: "X-Request-Id"},
		{name: "another content type", status: 200, answer: good, header: "Content-Type: text/plain", want: "text/plain"},
		{name: "429 without Retry-After", status: 429, answer: `{"message":"Wait.","error":"RATE_LIMITED"}`, want: "Retry-After"},
		{name: "429 with it", status: 429, answer: `{"message":"Wait.","error":"RATE_LIMITED"}`, header: "Retry-After: 3"},
		{name: "a body where there is none", request: "DELETE /v1/rest/members/1", status: 200, answer: good, want: "200"},
		{name: "a list without its end", request: "GET /v1/rest/members", status: 200, answer: `{"members":[]}`, want: "response_metadata"},
		{name: "a list", request: "GET /v1/rest/members?limit=100", status: 200, answer: `{"members":[],` + page + `}`},
		{name: "a request with a bad parameter", request: "GET /v1/rest/members?limit=101", status: 200, answer: `{"members":[],` + page + `}`, want: "limit"},
		{name: "a request with a bad path", request: "GET /v1/rest/members/me", status: 200, answer: good, want: "id"},
		{name: "a request with a bad body", request: "POST /v1/rest/members", body: `{"email":7}`, status: 201, answer: good, want: "email"},
		{name: "a request without a needed member", request: "POST /v1/rest/members", body: `{}`, status: 201, answer: good, want: "email"},
		{name: "an event with another's data", request: "GET /v1/rest/events", status: 200, want: "missing property 'account'",
			answer: `{"events":[{"id":"A","type":"account.updated","timestamp":"2026-05-13T09:00:00.000Z","source":"api","data":` + good + `}],` + page + `}`},
		{name: "an unknown path", request: "GET /v1/rest/nothing", status: 404, answer: `{"message":"Nothing.","error":"NOT_FOUND"}`, want: "not a request"},
		{name: "an unknown path in another form", request: "GET /v1/rest/nothing", status: 404, answer: `{"detail":"Nothing."}`, want: "message"},
		{name: "a success where nothing is", request: "GET /v1/rest/nothing", status: 200, answer: `{}`, want: "no error of the frame"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("X-Request-Id", "test")
				if tt.answer != "" {
					w.Header().Set("Content-Type", "application/json")
				}
				if name, value, ok := strings.Cut(tt.header, ": "); ok {
					w.Header().Set(name, value)
					if value == "" {
						w.Header().Del(name)
					}
				}
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.answer)
			}))
			defer server.Close()
			if tt.request == "" {
				tt.request = "GET /v1/rest/members/1"
			}
			method, path, _ := strings.Cut(tt.request, " ")
			r, err := http.NewRequest(method, server.URL+path, strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer fd_test")
			if tt.body != "" {
				r.Header.Set("Content-Type", "application/json")
			}
			var told noted
			answer, err := checkContract(&told, server.Client().Transport).RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			text := strings.Join(told, "\n")
			if tt.want == "" && text != "" || !strings.Contains(text, tt.want) {
				t.Errorf("reported: %s\nwant: %s", text, tt.want)
			}
		})
	}
}

// Over HTTP a 204 cannot have one, but an operation may answer 201 with nothing.
func TestContractCatchesNeedlessBody(t *testing.T) {
	k, err := servedContract()
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("DELETE", "/v1/rest/members/1", nil)
	w := &http.Response{StatusCode: http.StatusNoContent, Header: http.Header{"X-Request-Id": {"test"}}}
	if found := k.answerProblems(r, w, nil); len(found) > 0 {
		t.Errorf("without a body: %q", found)
	}
	if found := k.answerProblems(r, w, []byte("{}")); len(found) != 1 {
		t.Errorf("with a body: %q", found)
	}
}

// A mark on a request that is right hides what the document fails to say.
func TestContractCatchesNeedlessMark(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", "test")
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	for target, want := range map[string]string{"/v1/rest/members/1": "marked as wrong", "/v1/rest/members/one": ""} {
		r, err := http.NewRequest("DELETE", server.URL+target, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer fd_test")
		var told noted
		answer, err := checkContract(&told, server.Client().Transport).RoundTrip(wrongRequest(r))
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if text := strings.Join(told, "\n"); want == "" && text != "" || !strings.Contains(text, want) {
			t.Errorf("%s: reported: %s\nwant: %s", target, text, want)
		}
	}
}
