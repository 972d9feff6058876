package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"frontdesk/internal/service"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// TestOddCalls sends calls that no sensible client sends: always the same ones.
// TestSoakOddCalls sends others each time. See walkExamples.
func TestOddCalls(t *testing.T) {
	walkExamples(t, dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite)}), 8, 1)
}

// mostStatements bounds what one call may ask of the database, however odd it is.
// The dearest call of the examples needs less than half of it.
const mostStatements = 150

// walkExamples plays the example scripts, which together make every call of the
// API document. Beside each call it sends a number of odd ones: the same call with
// something replaced, added, left out or broken. Some of them the document allows,
// others it does not.
//
//  1. No answer is a failure of the server, and each is one that the document allows.
//  2. A call that the document does not allow is refused.
//  3. A call that is refused changes nothing.
//  4. No call costs many statements.
func walkExamples(t *testing.T, db *sqldb.DB, odd int, seed uint64) {
	document, err := servedContract()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("seed %d", seed)
	w := &walker{T: t, db: db, document: document, rand: rand.New(rand.NewPCG(seed, 0)), seen: map[string][]any{}}
	for _, s := range readScripts(t) {
		if strings.HasPrefix(s.name, "example-") {
			w.walk(s, odd)
		}
	}
	t.Logf("%d calls: %d allowed by the document and answered, %d allowed and refused, %d not allowed", w.calls, w.answered, w.refused, w.wrong)
	if w.answered < w.calls/20 || w.wrong < w.calls/20 {
		t.Error("too few of the calls are allowed, or too few are not")
	}
}

// walker sends odd calls and remembers what it saw in answers.
type walker struct {
	*testing.T
	db       *sqldb.DB
	document *contract
	rand     *rand.Rand
	st       *stage
	seen     map[string][]any // values of answers, by the name of their field

	calls, answered, refused, wrong int
}

// oddCall is a call in parts, so that each can be replaced.
type oddCall struct {
	method, path string
	query        url.Values
	header       http.Header
	body         []byte
}

// walk plays a script. A step may fail because of what odd calls did before it: then
// its own odd calls meet another state.
func (w *walker) walk(s script, odd int) {
	w.st = newStage(w.T, w.db, scriptRate{}, func(c *service.Config) { c.MailTestTime = 1 })
	vars := maps.Clone(w.st.ids)
	for _, step := range s.steps {
		for _, line := range step.before {
			_ = w.st.direct(line, vars)
		}
		r, err := step.request(w.st, vars)
		if err != nil || step.replyKind() == "text/event-stream" {
			continue
		}
		call := takeApart(w.T, r)
		if answer, body, err := w.st.do(r); err == nil && answer.StatusCode == step.status {
			_ = matchBody(step.want, body, vars)
			w.remember("", []byte(body))
		}
		for range odd {
			w.try(w.makeOdd(call))
		}
	}
}

func takeApart(t *testing.T, r *http.Request) oddCall {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return oddCall{r.Method, r.URL.EscapedPath(), r.URL.Query(), r.Header, body}
}

// remember keeps the values of an answer.
func (w *walker) remember(name string, body []byte) {
	var v any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if decoder.Decode(&v) == nil {
		w.rememberValue(name, v)
	}
}

func (w *walker) rememberValue(name string, v any) {
	// Large values are left out. They would come back in larger ones.
	const most, largest = 50, 1000
	switch v := v.(type) {
	case map[string]any:
		for _, field := range slices.Sorted(maps.Keys(v)) {
			w.rememberValue(field, v[field])
		}
	case []any:
		for _, inner := range v {
			w.rememberValue(name, inner)
		}
	}
	if text, err := json.Marshal(v); v == nil || err != nil || len(text) > largest {
		return
	}
	if len(w.seen[name]) < most {
		w.seen[name] = append(w.seen[name], v)
	} else {
		w.seen[name][w.rand.IntN(most)] = v
	}
}

// try sends a call and checks the answer.
func (w *walker) try(c oddCall) {
	w.Helper()
	r, err := http.NewRequestWithContext(context.Background(), c.method, w.st.server.URL, bytes.NewReader(c.body))
	if err != nil {
		w.Fatal(err)
	}
	r.URL.RawPath = c.path
	if r.URL.Path, err = url.PathUnescape(c.path); err != nil {
		return // not a path that a client can send
	}
	r.URL.RawQuery, r.Header = c.query.Encode(), c.header
	asked := r.Clone(r.Context())
	problems := w.document.requestProblems(understood(asked), understoodBody(asked, c.body))
	// A number that nobody can read may stand in a field that nobody reads.
	problems = slices.DeleteFunc(problems, func(p string) bool { return strings.HasSuffix(p, "has no value") })
	before, statements := w.changes(), w.db.Stats().Statements
	answer, body, err := w.st.do(r)
	if err != nil {
		w.Errorf("%s\n%v", c, err)
		return
	}
	statements = w.db.Stats().Statements - statements
	w.calls++
	isRefused := answer.StatusCode >= http.StatusBadRequest
	switch {
	case len(problems) > 0:
		w.wrong++
	case isRefused:
		w.refused++
	default:
		w.answered++
		w.remember("", []byte(body))
	}
	if answer.StatusCode >= http.StatusInternalServerError {
		w.Errorf("%s\nthe server failed: %d %s", c, answer.StatusCode, shorten(body, 500))
	}
	if found := w.document.answerProblems(asked, answer, []byte(body)); len(found) > 0 {
		w.Errorf("%s\ngot an answer that the document does not allow: %s\n%d %s", c, strings.Join(found, "; "), answer.StatusCode, shorten(body, 500))
	}
	if len(problems) > 0 && !isRefused {
		w.Errorf("%s\nwas answered with %d, but the document does not allow it: %s", c, answer.StatusCode, strings.Join(problems, "; "))
	}
	if isRefused && w.changes() != before {
		w.Errorf("%s\nwas refused with %d, but it changed something: %s", c, answer.StatusCode, shorten(body, 500))
	}
	if statements > mostStatements {
		w.Errorf("%s\ntook %d statements", c, statements)
	}
}

// understood is a call as the server understands it, which is more than the document
// promises: an empty key or parameter is none, spaces around an item do not count, a
// body without a type is JSON, and of a parameter that stands for one value the first
// counts.
func understood(r *http.Request) *http.Request {
	r = r.Clone(r.Context())
	if r.Header.Get("Idempotency-Key") == "" {
		r.Header.Del("Idempotency-Key")
	}
	if r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	query := r.URL.Query()
	for name, values := range query {
		var items []string
		for item := range strings.SplitSeq(values[0], ",") {
			items = append(items, strings.TrimSpace(item))
		}
		if query.Set(name, strings.Join(items, ",")); query.Get(name) == "" {
			query.Del(name)
		}
	}
	r.URL.RawQuery = query.Encode()
	return r
}

// understoodBody leaves out what the server ignores: a new request without a
// collection has only the fields of a form.
func understoodBody(r *http.Request, body []byte) []byte {
	var fields map[string]json.RawMessage
	if r.Method != http.MethodPost || r.URL.Path != prefix+"/requests" || json.Unmarshal(body, &fields) != nil || fields["collection_id"] != nil {
		return body
	}
	for _, name := range []string{"assignee_id", "custom_fields", "requester_email", "tags"} {
		delete(fields, name)
	}
	left, err := json.Marshal(fields)
	if err != nil {
		return body
	}
	return left
}

// changes returns a number that grows with each change: all of them are in the audit
// log or in the feed.
func (w *walker) changes() (n int64) {
	err := w.db.Read(context.Background(), func(tx *sqldb.Tx) error {
		return tx.Row("SELECT (SELECT coalesce(max(id), 0) FROM events) + (SELECT coalesce(max(id), 0) FROM audit_logs)").Scan(&n)
	})
	if err != nil {
		w.Fatal(err)
	}
	return n
}

func (c oddCall) String() string {
	target := c.path
	if len(c.query) > 0 {
		target += "?" + c.query.Encode()
	}
	return fmt.Sprintf("%s %s %v\n%s", c.method, shorten(target, 300), c.header, shorten(string(c.body), 1000))
}

// makeOdd changes one or two things about a call.
func (w *walker) makeOdd(c oddCall) oddCall {
	c.query, c.header = maps.Clone(c.query), c.header.Clone()
	template, _ := w.document.find(c.path)
	for range 1 + w.rand.IntN(2) {
		switch w.rand.IntN(10) {
		case 0:
			w.changePath(&c, template)
		case 1, 2:
			w.changeQuery(&c, template)
		case 3:
			w.changeHeader(&c)
		case 4:
			w.breakBody(&c)
		default:
			if !w.changeBody(&c, template) {
				w.changeQuery(&c, template)
			}
		}
	}
	return c
}

// oddTexts are texts that programs stumble over.
var oddTexts = []string{
	"", " ", "\t\r\n", "\x00", "a\x00b", "\u202edrow", "\ufeff", "\u200b", "e\u0301", "👩‍👩‍👧‍👦", "\U0010ffff", "null", "true", "0", "-1", "1e3", " 1 ", "1.0", "٣",
	"' OR 1=1 --", "\"; DROP TABLE requests; --", "%", "_", "\\", "${x}", "{{x}}", "../../etc/passwd", "<script>alert(1)</script>", "<b", "&lt;&#0;", "<@U1>", "=1+1",
	"2024-02-30T25:00:00Z", "2024-02-29", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "2024-01-01T00:00:00+14:00", "2024-01-01t00:00:00z",
	"a@b", "a@b.example", "\"a b\"@example.com", "a@b@c", "ä@ö.example", "http://127.0.0.1/", "javascript:alert(1)", "https://[::1]", "https://user:pw@example.com/",
}

// oddNumbers are numbers at the edges of what programs can read.
var oddNumbers = []json.Number{"-1", "0", "-0", "1", "2", "1.5", "1.0", "1e2", "100", "101", "1000", "65536", "2147483648", "9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "1e400", "1e-400"}

// value returns an odd value for a field of this name and schema. The schema may be
// empty.
func (w *walker) value(name string, schema place) any {
	if known := w.seen[name]; len(known) > 0 && w.rand.IntN(3) == 0 {
		return oneOf(w.rand, known)
	}
	if strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_ids") {
		if ids := w.seen["id"]; len(ids) > 0 && w.rand.IntN(2) == 0 {
			return oneOf(w.rand, ids)
		}
	}
	if options, _ := schema.object["enum"].([]any); len(options) > 0 && w.rand.IntN(2) == 0 {
		return oneOf(w.rand, options)
	}
	if edge, ok := w.edge(schema); ok && w.rand.IntN(3) == 0 {
		return edge
	}
	switch w.rand.IntN(9) {
	case 0, 1, 2:
		return w.text()
	case 3, 4:
		return oneOf(w.rand, oddNumbers)
	case 5:
		return w.rand.IntN(2) == 0
	case 6:
		return nil
	case 7:
		return w.list(name, schema)
	}
	if fields := schema.in("properties"); len(fields.object) > 0 {
		field := oneOf(w.rand, fields.names())
		return map[string]any{field: w.value(field, fields.in(field))}
	}
	return map[string]any{w.text(): w.text()}
}

func (w *walker) list(name string, schema place) []any {
	list := []any{}
	n := oneOf(w.rand, []int{0, 1, 2, 2, 51, 1001})
	if n > 2 {
		return slices.Repeat(append(list, oneOf(w.rand, oddTexts)), n)
	}
	for range n {
		list = append(list, w.value(strings.TrimSuffix(name, "s"), schema.in("items")))
	}
	return list
}

// edge returns a value at a limit of the schema, or just past it.
func (w *walker) edge(schema place) (v any, ok bool) {
	var limits []any
	number := func(name string) (n int64, ok bool) {
		text, _ := schema.object[name].(json.Number)
		n, err := text.Int64()
		return n, err == nil && text != ""
	}
	for _, name := range []string{"maxLength", "minLength"} {
		if n, ok := number(name); ok && n < 1_000_000 {
			letter := oneOf(w.rand, []string{"a", "ä", "😀", "<"})
			limits = append(limits, strings.Repeat(letter, int(n)), strings.Repeat(letter, int(n)+1), strings.Repeat(letter, max(int(n)-1, 0)))
		}
	}
	for _, name := range []string{"minimum", "maximum"} {
		if n, ok := number(name); ok {
			for _, near := range []int64{n - 1, n, n + 1} {
				limits = append(limits, json.Number(strconv.FormatInt(near, 10)))
			}
		}
	}
	if len(limits) == 0 {
		return nil, false
	}
	return oneOf(w.rand, limits), true
}

func (w *walker) text() string {
	text := oneOf(w.rand, oddTexts)
	switch w.rand.IntN(12) {
	case 0:
		return strings.Repeat(text, 1+w.rand.IntN(300))
	case 1:
		return text + oneOf(w.rand, oddTexts)
	}
	return text
}

// changePath replaces a parameter of the path.
func (w *walker) changePath(c *oddCall, template *apiPath) {
	if template == nil {
		return
	}
	segments := strings.Split(c.path, "/")
	var at []int
	for i, s := range template.segments {
		if _, ok := parameterName(s); ok {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return
	}
	odd := w.text()
	if ids := w.seen["id"]; w.rand.IntN(2) == 0 && len(ids) > 0 {
		odd = fmt.Sprint(oneOf(w.rand, ids))
	} else if w.rand.IntN(3) == 0 {
		odd = string(oneOf(w.rand, oddNumbers))
	}
	if odd == "" || strings.Trim(odd, ".") == "" || len(odd) > 2000 {
		return // a client would send another path
	}
	segments[oneOf(w.rand, at)] = url.PathEscape(odd)
	c.path = strings.Join(segments, "/")
}

// changeQuery sets, repeats or removes a query parameter, mostly one that the
// document has.
func (w *walker) changeQuery(c *oddCall, template *apiPath) {
	name, schema := w.text(), place{}
	if operation, p := w.operation(c, template); p.object != nil && w.rand.IntN(8) > 0 {
		var queries []parameter
		for _, parameter := range operation.parameters {
			if parameter.in == "query" {
				queries = append(queries, parameter)
			}
		}
		if len(queries) > 0 {
			chosen := oneOf(w.rand, queries)
			name = chosen.name
			for _, parameter := range p.list("parameters") {
				if parameter.text("name") == name {
					schema = parameter.in("schema")
				}
			}
		}
	}
	text := fmt.Sprint(w.value(name, schema))
	if len(text) > 4000 {
		text = strings.ToValidUTF8(text[:4000], "")
	}
	switch w.rand.IntN(6) {
	case 0:
		c.query.Del(name)
	case 1:
		c.query.Add(name, text)
	default:
		c.query.Set(name, text)
	}
}

// operation returns the operation of a call, and its place in the document.
func (w *walker) operation(c *oddCall, template *apiPath) (*operation, place) {
	if template == nil {
		return nil, place{}
	}
	method := strings.ToLower(c.method)
	root := place{w.document.served, "", w.document.served}
	return template.operations[method], root.in("paths").in(template.template).in(method)
}

// changeHeader sends a header that says something else, or as somebody else.
func (w *walker) changeHeader(c *oddCall) {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, w.text())
	switch w.rand.IntN(6) {
	case 0:
		who := oneOf(w.rand, slices.Sorted(maps.Keys(w.st.callers)))
		c.header.Set("Authorization", "Bearer "+w.st.callers[who].secret)
	case 1:
		c.header.Set("Authorization", oneOf(w.rand, []string{"Bearer", "Bearer  ", "Basic YTpi", "Bearer " + clean, clean}))
	case 2:
		c.header.Set("Content-Type", oneOf(w.rand, []string{"", "text/plain", "application/json; charset=latin1", "application/x-www-form-urlencoded", "multipart/form-data", "multipart/form-data; boundary=x", clean}))
	case 3, 4:
		c.header.Set("Idempotency-Key", clean)
	default:
		c.header.Set(oneOf(w.rand, []string{"Accept", "If-None-Match", "Range", "Cookie", "Origin", "X-Forwarded-For", "Content-Encoding"}), clean)
	}
}

// breakBody makes the body something that is not JSON, or only just.
func (w *walker) breakBody(c *oddCall) {
	if len(c.body) == 0 {
		c.body = []byte(oneOf(w.rand, []string{"{}", "[]", "null", "x"}))
		return
	}
	body := string(c.body)
	at := w.rand.IntN(len(body))
	c.body = []byte(oneOf(w.rand, []string{
		body[:at], body + body, body + "x", "\ufeff" + body, body[:at] + "\xff" + body[at:], body[:at] + "\\ud800" + body[at:],
		strings.Repeat("[", 10_000), strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000), "", "null", "[]", `"x"`, "1",
		strings.TrimSuffix(strings.TrimSpace(body), "}") + `,"title":1,"title":"twice"}`,
	}))
}

// changeBody replaces, removes or adds values in a JSON body. It returns false if
// there is none.
func (w *walker) changeBody(c *oddCall, template *apiPath) bool {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(c.body))
	if err != nil || len(c.body) == 0 {
		return false
	}
	_, p := w.operation(c, template)
	v = w.changeValue("", v, p.in("requestBody").in("content").in("application/json").in("schema"))
	if c.body, err = json.Marshal(v); err != nil {
		w.Fatal(err)
	}
	return true
}

func (w *walker) changeValue(name string, v any, schema place) any {
	switch v := v.(type) {
	case map[string]any:
		fields := schema.in("properties")
		switch {
		case w.rand.IntN(8) == 0:
			return w.value(name, schema)
		case w.rand.IntN(3) == 0 && len(fields.object) > 0: // a field that it may not have yet
			field := oneOf(w.rand, fields.names())
			v[field] = w.value(field, fields.in(field))
		case len(v) == 0 || w.rand.IntN(10) == 0:
			v[w.text()] = w.value("", place{})
		default:
			field := oneOf(w.rand, slices.Sorted(maps.Keys(v)))
			if w.rand.IntN(6) == 0 {
				delete(v, field)
			} else {
				v[field] = w.changeValue(field, v[field], fields.in(field))
			}
		}
		return v
	case []any:
		switch {
		case len(v) == 0 || w.rand.IntN(4) == 0:
			return w.value(name, schema)
		case w.rand.IntN(4) == 0:
			return append(v, v[w.rand.IntN(len(v))])
		}
		i := w.rand.IntN(len(v))
		v[i] = w.changeValue(name, v[i], schema.in("items"))
		return v
	}
	return w.value(name, schema)
}

func oneOf[T any](r *rand.Rand, all []T) T { return all[r.IntN(len(all))] }
