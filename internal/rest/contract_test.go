package rest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"frontdesk/internal/desk"
)

// contract is the API document as it is served, ready to check exchanges.
//
// The document leaves the schemas of responses open, because a client must not fail
// when a response gets another field. The checks are stricter. They use the
// document with its responses closed, so that a field that is not documented fails
// a test.
type contract struct {
	*apiDocument
	served map[string]any // the document itself
}

// servedContract reads the document once for all tests, because compiling it takes
// a while. Checking is safe for concurrent use.
var servedContract = sync.OnceValues(func() (*contract, error) {
	w := httptest.NewRecorder()
	New(Config{Key: scriptKey}).ServeHTTP(w, httptest.NewRequest("GET", "/v1/openapi.json", nil))
	if w.Code != http.StatusOK {
		return nil, fmt.Errorf("GET /v1/openapi.json: %d %s", w.Code, w.Body)
	}
	return newContract(w.Body.Bytes())
})

func newContract(text []byte) (*contract, error) {
	closed, err := closeAnswers(text)
	if err != nil {
		return nil, err
	}
	var documents [2]map[string]any
	for i, text := range [][]byte{text, closed} {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		documents[i], _ = v.(map[string]any)
	}
	d, err := readDocument(documents[0], documents[1])
	return &contract{d, documents[0]}, err
}

// checkContract returns a transport that checks every exchange against the
// document: the response always, the request unless it was marked by wrongRequest.
// Anything that is not allowed fails the test.
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

// wrongRequest marks a request as deliberately wrong. If the document allows the
// request, the test also fails, because then either the mark or the document is
// wrong.
func wrongRequest(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), wrongKey{}, true))
}

func (c contractTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	c.t.Helper()
	sent, err := drain(&r.Body)
	if err != nil {
		return nil, err
	}
	// The client adds headers to the request that it sends, so the check gets a
	// copy.
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
	found := c.requestProblems(asked, sent)
	switch {
	case wrong && len(found) == 0:
		c.t.Errorf("%s %s is marked as wrong, but the API document allows it", r.Method, r.URL)
	case !wrong && len(found) > 0:
		c.t.Errorf("%s %s is not a request the API document allows: %s", r.Method, r.URL, strings.Join(found, "; "))
	}
	if found := c.answerProblems(asked, answered, received); len(found) > 0 {
		c.t.Errorf("%s %s got an answer the API document does not allow: %s\n%d %s", r.Method, r.URL, strings.Join(found, "; "), answered.StatusCode, shorten(string(received), 2000))
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

func (k *contract) requestProblems(r *http.Request, body []byte) []string {
	path, values := k.find(r.URL.EscapedPath())
	if path == nil || path.operations[method(r)] == nil {
		return []string{"no such operation"}
	}
	operation := path.operations[method(r)]
	return slices.Concat(
		operation.parameterProblems(r, values),
		operation.credentialProblems(r),
		operation.bodyProblems(r, body),
	)
}

// bodyProblems checks the body of a request, if it may have one.
func (o *operation) bodyProblems(r *http.Request, body []byte) []string {
	contentType := r.Header.Get("Content-Type")
	kind, detail, _ := mime.ParseMediaType(contentType)
	media, known := o.body[kind]
	switch {
	case o.body == nil, !o.bodyRequired && contentType == "":
		return nil
	case !known:
		return []string{fmt.Sprintf("the content type %q of the request is not documented", contentType)}
	case !o.bodyRequired && len(body) == 0:
		return nil
	case kind == "multipart/form-data":
		form, err := multipart.NewReader(bytes.NewReader(body), detail["boundary"]).ReadForm(1 << 20)
		if err != nil {
			return []string{fmt.Sprintf("the form cannot be read: %v", err)}
		}
		defer form.RemoveAll()
		return schemaProblems(media.schema, media.formValue(form))
	}
	return jsonProblems(media.schema, body)
}

func (k *contract) answerProblems(r *http.Request, w *http.Response, body []byte) []string {
	if r.Method == http.MethodHead {
		return k.headProblems(r, w, body)
	}
	operation := k.operation(r)
	if operation == nil {
		// A path under another name has the same responses.
		own := r.Clone(r.Context())
		if aliased(own); own.URL.Path != r.URL.Path {
			return k.answerProblems(own, w, body)
		}
		return k.strayProblems(r, w, body)
	}
	response := operation.responses[strconv.Itoa(w.StatusCode)]
	if response == nil {
		return []string{fmt.Sprintf("the status %d is not documented", w.StatusCode)}
	}
	// Two kinds of response in one operation would give every generated client a
	// union to take apart. So the document describes a CSV response elsewhere.
	if response.csvAt != "" && strings.HasPrefix(w.Header.Get("Content-Type"), "text/csv") {
		r = r.Clone(r.Context())
		r.URL.Path = response.csvAt
		return k.answerProblems(r, w, body)
	}
	var found []string
	for _, header := range response.headers {
		found = append(found, header.problems(w.Header.Values(header.name))...)
	}
	if sent, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); sent != "" && sent == response.emptyAfter {
		if len(body) > 0 {
			found = append(found, "a body where the document has none for such a request")
		}
		return found
	}
	return append(found, response.bodyProblems(w.Header.Get("Content-Type"), body)...)
}

func (w *response) bodyProblems(contentType string, body []byte) []string {
	kind, _, _ := mime.ParseMediaType(contentType)
	media, known := w.content[kind]
	_, anything := w.content["*/*"]
	switch {
	case len(w.content) == 0 && len(body) > 0:
		return []string{"a body where the document has none"}
	case len(w.content) == 0, anything:
		return nil
	case !known:
		return []string{fmt.Sprintf("the content type %q of the answer is not documented", contentType)}
	case kind == "application/json":
		return jsonProblems(media.schema, body)
	case kind == "application/jsonl":
		var found []string
		for line := range bytes.Lines(body) {
			found = append(found, jsonProblems(media.schema, line)...)
		}
		return found
	}
	return schemaProblems(media.schema, string(body))
}

// headProblems checks the response to HEAD: a status that GET has, and no body.
func (k *contract) headProblems(r *http.Request, w *http.Response, body []byte) (found []string) {
	if operation := k.operation(r); operation != nil && operation.responses[strconv.Itoa(w.StatusCode)] == nil {
		found = append(found, "a status that GET does not have")
	}
	if len(body) > 0 {
		found = append(found, "a body in the answer to HEAD")
	}
	return found
}

// strayProblems checks the response to a call for which the document has no
// operation: an error in the common format.
func (k *contract) strayProblems(r *http.Request, w *http.Response, body []byte) []string {
	if !strings.HasPrefix(r.URL.Path, prefix+"/") && w.StatusCode < 400 {
		return nil // the document itself, and the page that shows it
	}
	var found []string
	if !slices.Contains([]int{403, 404, 405, 429, 500, 503}, w.StatusCode) {
		found = append(found, "a status that no error of the frame has")
	}
	return append(found, jsonProblems(k.failure, body)...)
}

// operation returns the operation of a request, or nil if the document has none.
func (k *contract) operation(r *http.Request) *operation {
	path, _ := k.find(r.URL.EscapedPath())
	if path == nil {
		return nil
	}
	return path.operations[method(r)]
}

// The document and the page that shows it need no token, and the page loads nothing
// from other hosts.
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

// The mark is the web app's. The API has a copy, since it is also served without the app.
func TestTheMarkIsTheSame(t *testing.T) {
	app, err := os.ReadFile("../../web/public/icon.svg")
	if err != nil {
		t.Fatal(err)
	}
	page, err := docsFiles.ReadFile("docs/icon.svg")
	if err != nil || !bytes.Equal(app, page) {
		t.Errorf("docs/icon.svg differs from web/public/icon.svg: %v", err)
	}
}

// An example that its own schema does not allow misleads those who copy it.
func TestExamplesAreAllowed(t *testing.T) {
	k, err := servedContract()
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, media mediaType) {
		t.Run(name, func(t *testing.T) {
			if media.example == nil {
				t.Fatal("no example")
			}
			for _, problem := range schemaProblems(media.closed, media.example) {
				t.Errorf("%v: %s", media.example, problem)
			}
		})
	}
	for _, path := range k.paths {
		for method, operation := range path.operations {
			if operation.body != nil {
				media, ok := operation.body["application/json"]
				if !ok { // the operation only takes a form
					media = operation.body["multipart/form-data"]
				}
				check(method+path.template+" request", media)
			}
			for status, response := range operation.responses {
				for kind, media := range response.content {
					if kind != "*/*" { // a file may be anything
						check(method+path.template+" "+status, media)
					}
				}
			}
		}
	}
	for event, operation := range k.webhooks {
		check("webhook "+event, operation.body["application/json"])
	}
}

// The document has a schema for everything that a webhook may send.
func TestDocumentHasWebhooks(t *testing.T) {
	k, err := servedContract()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, event := range desk.EventTypes {
		operation := k.webhooks[string(event)]
		if operation == nil {
			t.Errorf("there is no webhook %s", event)
			continue
		}
		if !regexp.MustCompile(`^on([A-Z][a-z]+)+$`).MatchString(operation.id) || names[operation.id] {
			t.Errorf("%s has the operationId %q", event, operation.id)
		}
		names[operation.id] = true
		schema := operation.body["application/json"].closed
		for body, want := range map[string]string{
			`{"type":"` + string(event) + `","timestamp":"2026-05-13T09:12:33.123Z"}`:                          "missing property 'data'",
			`{"type":"` + string(event) + `","timestamp":"2026-05-13T09:12:33.123Z","data":{}}`:                "at '/data'",
			`{"type":"other","timestamp":"2026-05-13T09:12:33.123Z","data":{}}`:                                "at '/type'",
			`{"type":"` + string(event) + `","timestamp":"2026-05-13T09:12:33.123Z","data":{},"source":"api"}`: "'source' not allowed",
		} {
			if found := strings.Join(jsonProblems(schema, []byte(body)), "; "); !strings.Contains(found, want) {
				t.Errorf("%s: %q has not %q", body, found, want)
			}
		}
	}
	if n := len(k.webhooks); n != len(desk.EventTypes) {
		t.Errorf("the document has %d webhooks, for %d types of events", n, len(desk.EventTypes))
	}
}

// noted records failures instead of failing the test.
type noted []string

func (n *noted) Helper()                           {}
func (n *noted) Errorf(format string, args ...any) { *n = append(*n, fmt.Sprintf(format, args...)) }

// The checks above are worthless if they accept everything.
func TestContractCatches(t *testing.T) {
	const (
		good = `{"member":{"id":1,"email":"jo@example.com","name":"Jo","role":"agent","collection_ids":null,"created_at":"2026-05-13T09:00:00.000Z","updated_at":"2026-05-13T09:00:00.000Z"}}`
		page = `"response_metadata":{"next_cursor":null,"count":0}`
		no   = `{"message":"No.","error":"FORBIDDEN"}` // which every operation may return
	)
	form := map[string]string{"Content-Type": "multipart/form-data; boundary=b"}
	part := func(name, text string) string {
		return "--b\r\nContent-Disposition: form-data; name=" + name + "\r\n\r\n" + text + "\r\n"
	}
	tests := []struct {
		name    string
		request string            // method and path
		sends   map[string]string // headers besides the usual ones; empty ones are removed
		body    string
		status  int
		answer  string
		header  string // name and value, besides the usual ones
		want    string // a part of the report; empty if there is no problem
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
		{name: "an empty body", status: 200, header: "Content-Type: application/json", want: "decoded"},
		{name: "more than one body", status: 200, answer: good + good, want: "decoded"},
		{name: "an undocumented status", status: 418, answer: `{"message":"Teapot.","error":"BAD_REQUEST"}`, want: "418"},
		{name: "an error with another code", status: 404, answer: `{"message":"Gone.","error":"CONFLICT"}`, want: "NOT_FOUND"},
		{name: "an error of another form", status: 404, answer: `{"error":{"message":"Gone."}}`, want: "message"},
		{name: "no request id", status: 200, answer: good, header: "X-Request-Id: ", want: "X-Request-Id"},
		{name: "a header of another form", status: 200, answer: good, header: "RateLimit-Limit: many", want: "RateLimit-Limit"},
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
		{name: "a request without a needed parameter", request: "GET /v1/rest/requests/search", status: 403, answer: no, want: "query query is missing"},
		{name: "a request with an unknown parameter", request: "GET /v1/rest/members?colour=red", status: 403, answer: no},
		{name: "a request with a list", request: "GET /v1/rest/requests?state=open,closed&tag=a&tag=b", status: 403, answer: no},
		{name: "a request with a bad list", request: "GET /v1/rest/requests?state=open,away", status: 403, answer: no, want: "query state: at '/1'"},
		{name: "a request with a comma in a value", request: "GET /v1/rest/requests?tag=a,b", status: 403, answer: no},
		{name: "a request with a bad header", request: "POST /v1/rest/sandbox", sends: map[string]string{"Idempotency-Key": strings.Repeat("k", 256)}, status: 403, answer: no, want: "Idempotency-Key"},
		{name: "a request from nobody", sends: map[string]string{"Authorization": ""}, status: 403, answer: no, want: "who calls"},
		{name: "a request from a browser", sends: map[string]string{"Authorization": "", "Cookie": "frontdesk_session=s"}, status: 403, answer: no},
		{name: "a request without a body", request: "POST /v1/rest/members", status: 403, answer: no, want: "content type"},
		{name: "a request with an empty body", request: "POST /v1/rest/members", sends: map[string]string{"Content-Type": "application/json"}, status: 403, answer: no, want: "decoded"},
		{name: "a request without a body that may be left out", request: "POST /v1/rest/requests/1/undo", status: 403, answer: no},
		{name: "a request of another content type", request: "POST /v1/rest/members", sends: map[string]string{"Content-Type": "text/plain"}, body: `{"email":"jo@example.com"}`, status: 403, answer: no, want: "text/plain"},
		{name: "a number without a value", request: "POST /v1/rest/members", body: `{"email":"jo@example.com","name":1e400}`, status: 403, answer: no, want: "1e400"},
		{name: "a form", request: "POST /v1/rest/requests/1/message", sends: form, body: part("html_body", "x") + part("delay_seconds", "60") + part("is_private", "true") + "--b--", status: 403, answer: no},
		{name: "a form with a bad field", request: "POST /v1/rest/requests/1/message", sends: form, body: part("html_body", "x") + part("delay_seconds", "61") + "--b--", status: 403, answer: no, want: "delay_seconds"},
		{name: "a form without a needed field", request: "POST /v1/rest/requests", sends: form, body: part("title", "x") + "--b--", status: 403, answer: no, want: "description"},
		{name: "a form with texts for files", request: "POST /v1/rest/tickets", sends: form, body: part("17", "x") + "--b--", status: 403, answer: no, want: "at '/17'"},
		{name: "half a form", request: "POST /v1/rest/requests", sends: form, body: part("description", "x"), status: 403, answer: no, want: "cannot be read"},
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
			for name, value := range tt.sends {
				r.Header.Set(name, value)
				if value == "" {
					r.Header.Del(name)
				}
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

// Over HTTP a 204 cannot have a body, but an operation may return 201 without one.
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

// A mark on a correct request hides what the document fails to allow.
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
